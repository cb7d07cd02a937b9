// SPDX-License-Identifier: Apache-2.0
// The layout of a SEG-Y file, by its binary header (SEG-Y revisions 0, 1, 2 and 2.1):
//
//     textual header | binary header | extended textual headers | trace | trace | ... | data trailer
//          3200      |      400      |     so many times 3200   |                     | so many times 3200
//
//     trace = header (240) | additional headers (revision 2, so many times 240) | samples
//
// Only files whose traces all have the same layout are read. Any contradiction is an error:
// otherwise sums could be written over headers.
#pragma once

#include <ballot/core/namespace.hpp>

#include "arrays/segy_samples.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ballot::app {

struct segy_layout {
  int sample_format = 0;
  std::uint64_t first_trace = 0;   // byte
  std::uint64_t header_bytes = 0;  // of a trace, with its additional headers
  std::uint64_t samples = 0;       // of a trace
  std::uint64_t traces = 0;

  std::uint64_t sample_bytes() const { return segy_samples_of(sample_format)->bytes; }
  std::uint64_t row_bytes() const { return samples * sample_bytes(); }
  std::uint64_t trace_bytes() const { return header_bytes + row_bytes(); }
  std::uint64_t samples_at(std::uint64_t trace) const { return first_trace + trace * trace_bytes() + header_bytes; }
};

// The layout of a whole file. Throws failure, without the name of the file.
segy_layout layout_of_segy(std::span<const std::byte> file);

}  // namespace ballot::app
