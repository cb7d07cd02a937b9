// SPDX-License-Identifier: Apache-2.0
// The types of NumPy's items beyond those of dtype.hpp, and how their items are read and written:
// as numbers of a type of dtype.hpp, or as texts.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/dtype.hpp"
#include "base/host_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

struct npy_type {
  enum kind_of : std::uint8_t {
    number,
    half,      // f2, read as f32
    boolean,   // b1, read as u8
    date,      // datetime64, read as i64
    duration,  // timedelta64, read as i64
    bytes,     // S: zeros at the end are none of the text
    wide,      // U: UTF-32, read as UTF-8; zeros at the end are none of the text
    other      // copied, and nothing else
  };
  kind_of kind = other;
  std::optional<dtype> read_as;  // numbers
  bool is_swapped = false;       // big-endian
  std::uint64_t item_bytes = 0;

  bool is_native() const { return kind == number && !is_swapped; }
  bool has_nat() const { return kind == date || kind == duration; }
};

npy_type npy_type_of(std::string_view descr);

// The date or duration that is none.
inline constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

// Reads items of a type with `read_as`, `stride` bytes from each other, as such numbers one behind
// the other.
void read_npy_items(const npy_type& type, const std::byte* from, std::uint64_t stride, std::uint64_t count,
                    std::byte* to);
// The other way round, without gaps.
void write_npy_items(const npy_type& type, std::span<const std::byte> numbers, std::byte* to);

// The text of an item of type bytes or wide. Throws failure where a character is none.
std::string text_of_wide(const npy_type& type, const std::byte* item);

// The items of an array in Fortran order (the first index runs fastest) in C order (the last does).
host_buffer in_c_order(std::span<const std::byte> items, const std::vector<std::uint64_t>& shape,
                       std::uint64_t item_bytes);

}  // namespace ballot::app
