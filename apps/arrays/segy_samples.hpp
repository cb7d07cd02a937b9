// SPDX-License-Identifier: Apache-2.0
// The samples of SEG-Y, by the code of their format (byte 3225): their form in the file,
// big-endian, and the type as which they are read. SEG-Y rev 1 (2002): 1 to 5 and 8; rev 2 (2017):
// all of these.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ballot::app {

struct segy_samples {
  std::uint64_t bytes;  // of a sample
  dtype type;           // 3 bytes are read as 4
  bool is_ibm = false;
};

std::optional<segy_samples> segy_samples_of(int format);  // nothing for those that are not read

inline constexpr std::string_view segy_sample_formats =
    "use 1 (IBM float), 5 and 6 (IEEE float and double), 8, 3, 7, 2, 9 (integers of 1, 2, 3, 4, 8 bytes) and "
    "16, 11, 15, 10, 12 (the same unsigned)";

// Samples of a trace to numbers and back; integers of 3 bytes wrap.
void read_segy_samples(const segy_samples& format, std::span<const std::byte> from, std::byte* to);
void write_segy_samples(const segy_samples& format, const std::byte* from, std::span<std::byte> to);

}  // namespace ballot::app
