// SPDX-License-Identifier: Apache-2.0
#include "columns/npy_type.hpp"

#include "base/failure.hpp"
#include "base/half.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <type_traits>

namespace ballot::app {
namespace {

template <std::size_t Bytes>
void copy_item(const std::byte* from, std::byte* to, bool is_swapped) {
  if (!is_swapped) {
    std::memcpy(to, from, Bytes);
    return;
  }
  for (std::size_t i = 0; i < Bytes; ++i) to[i] = from[Bytes - 1 - i];
}

template <class F>
void for_each_part(std::uint64_t count, const F& f) {
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count, 1 << 16),
                    [&](const auto& range) { f(range.begin(), range.end()); });
}

void append_utf8(std::string& to, std::uint32_t character) {
  const auto add = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
  const auto rest = [&](int shift) { return 0x80u | (character >> shift & 0x3fu); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xc0u | character >> 6);
    return add(rest(0));
  }
  if (character < 0x10000) {
    add(0xe0u | character >> 12);
    add(rest(6));
    return add(rest(0));
  }
  constexpr std::uint32_t last = 0x10ffff;
  if (character > last)
    throw failure(fmt::format("a text has the character {:#x}, which Unicode does not have", character));
  add(0xf0u | character >> 18);
  add(rest(12));
  add(rest(6));
  add(rest(0));
}

}  // namespace

npy_type npy_type_of(std::string_view descr) {
  npy_type type;
  if (descr.size() < 3) return type;
  const char letter = descr[1];
  std::uint64_t size = 0;
  const char* const end = descr.data() + descr.size();
  const auto [stopped, error] = std::from_chars(descr.data() + 2, end, size);
  const bool is_time = letter == 'M' || letter == 'm';
  if (error != std::errc{} || (stopped != end && !(is_time && *stopped == '['))) return type;
  type.is_swapped = descr[0] == '>' && size > 1;
  type.item_bytes = letter == 'U' ? size * 4 : size;
  const std::string native = "<" + std::string(descr.substr(1));
  if (letter == 'f' && size == 2) {
    type.kind = npy_type::half;
    type.read_as = dtype::f32;
  } else if (letter == 'b' && size == 1) {
    type.kind = npy_type::boolean;
    type.read_as = dtype::u8;
  } else if (is_time && size == 8) {
    type.kind = letter == 'M' ? npy_type::date : npy_type::duration;
    type.read_as = dtype::i64;
  } else if (letter == 'S' || letter == 'a') {
    type.kind = npy_type::bytes;
    type.is_swapped = false;
  } else if (letter == 'U') {
    type.kind = npy_type::wide;
    type.is_swapped = descr[0] == '>';
  } else if (const auto number = dtype_of_npy_descr(native)) {
    type.kind = npy_type::number;
    type.read_as = number;
  }
  return type;
}

void read_npy_items(const npy_type& type, const std::byte* from, std::uint64_t stride, std::uint64_t count,
                    std::byte* to) {
  for_each_part(count, [&](std::uint64_t first, std::uint64_t last) {
    if (type.kind == npy_type::half) {
      for (std::uint64_t i = first; i != last; ++i) {
        std::uint16_t half = 0;
        copy_item<2>(from + i * stride, reinterpret_cast<std::byte*>(&half), type.is_swapped);
        const float wide = float_of_half(half);
        std::memcpy(to + i * sizeof wide, &wide, sizeof wide);
      }
      return;
    }
    visit_dtype(*type.read_as, [&]<class T>(std::type_identity<T>) {
      for (std::uint64_t i = first; i != last; ++i)
        copy_item<sizeof(T)>(from + i * stride, to + i * sizeof(T), type.is_swapped);
    });
  });
}

void write_npy_items(const npy_type& type, std::span<const std::byte> numbers, std::byte* to) {
  const std::uint64_t count = numbers.size() / size_of(*type.read_as);
  for_each_part(count, [&](std::uint64_t first, std::uint64_t last) {
    if (type.kind == npy_type::half) {
      for (std::uint64_t i = first; i != last; ++i) {
        float wide = 0;
        std::memcpy(&wide, numbers.data() + i * sizeof wide, sizeof wide);
        const std::uint16_t half = half_of_float(wide);
        copy_item<2>(reinterpret_cast<const std::byte*>(&half), to + i * sizeof half, type.is_swapped);
      }
      return;
    }
    visit_dtype(*type.read_as, [&]<class T>(std::type_identity<T>) {
      for (std::uint64_t i = first; i != last; ++i)
        copy_item<sizeof(T)>(numbers.data() + i * sizeof(T), to + i * sizeof(T), type.is_swapped);
    });
  });
}

std::string text_of_wide(const npy_type& type, const std::byte* item) {
  std::string text;
  std::size_t zeros = 0;
  for (std::uint64_t at = 0; at + 4 <= type.item_bytes; at += 4) {
    std::uint32_t character = 0;
    copy_item<4>(item + at, reinterpret_cast<std::byte*>(&character), type.is_swapped);
    if (character == 0) {
      ++zeros;
      continue;
    }
    text.append(zeros, '\0');
    zeros = 0;
    append_utf8(text, character);
  }
  return text;
}

host_buffer in_c_order(std::span<const std::byte> items, const std::vector<std::uint64_t>& shape,
                       std::uint64_t item_bytes) {
  host_buffer turned(items.size());
  const std::size_t dimensions = shape.size();
  if (items.empty() || dimensions == 0) {
    if (!items.empty()) std::memcpy(turned.data(), items.data(), items.size());
    return turned;
  }
  std::vector<std::uint64_t> strides(dimensions, item_bytes);  // of the source, in bytes
  for (std::size_t d = 1; d < dimensions; ++d) strides[d] = strides[d - 1] * shape[d - 1];
  const std::uint64_t row = shape.back(), rows = items.size() / item_bytes / row;
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, rows, std::max<std::uint64_t>(1, 16384 / row)),
                    [&](const auto& range) {
                      for (std::uint64_t r = range.begin(); r != range.end(); ++r) {
                        std::uint64_t rest = r, begin = 0;
                        for (std::size_t d = dimensions - 1; d-- > 0;) {
                          begin += rest % shape[d] * strides[d];
                          rest /= shape[d];
                        }
                        for (std::uint64_t i = 0; i < row; ++i)
                          std::memcpy(turned.data() + (r * row + i) * item_bytes,
                                      items.data() + begin + i * strides.back(), item_bytes);
                      }
                    });
  return turned;
}

}  // namespace ballot::app
