// SPDX-License-Identifier: Apache-2.0
// The checks that selections make of their columns on the host, before any work. The columns of a
// zip have one length. The types of positions, offsets and counts can hold their numbers. The
// checks of memory are in require_arguments.hpp.
//
//     require_columns("compact", "in", inputs);
//
// Only the functions that describe the columns are templates; the checks themselves are compiled
// once.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/detail/common/require_arguments.hpp>
#include <ballot/detail/common/zip.cuh>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace ballot::detail {

// One argument for each column. A view has as many as it reads arrays.
template <class... R>
std::array<argument, (arguments_of_input<R> + ... + 0)> arguments_of(const char* name,
                                                                     const std::tuple<R...>& columns) {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    const auto number = [](std::size_t j) { return sizeof...(R) > 1 ? static_cast<int>(j) : -1; };
    if constexpr (((arguments_of_input<R> == 1 && !is_view_input<R> && !is_view_output<R>)&&...)) {
      return std::array<argument, sizeof...(R)>{argument_of(name, std::get<J>(columns), number(J))...};
    } else {
      std::array<argument, (arguments_of_input<R> + ... + 0)> all{};
      std::size_t next = 0;
      const auto append = [&](const auto& some) {
        for (const argument& one : some) all[next++] = one;
      };
      (append(arguments_of(name, std::get<J>(columns), number(J))), ...);
      return all;
    }
  }(std::index_sequence_for<R...>{});
}

// The integers on the device that outputs read.
template <class... O>
std::array<argument, (lengths_of_output<O> + ... + 0)> lengths_of(const char* name, const std::tuple<O...>& columns) {
  std::array<argument, (lengths_of_output<O> + ... + 0)> all{};
  if constexpr ((lengths_of_output<O> + ... + 0) != 0) {
    std::size_t next = 0;
    for_each(columns, [&](const auto& out) {
      for (const argument& one : lengths_of(name, out)) all[next++] = one;
    });
  }
  return all;
}

// The memory of flags; none of a predicate.
template <class Select>
argument argument_of_select(const Select&) {
  return {"select"};
}
inline argument argument_of_select(const byte_flags& flags) { return argument_of("flags", flags); }
inline argument argument_of_select(const bit_flags& flags) { return argument_of("flags", flags); }

template <class Select>
void require_select(const char*, const Select&, std::uint64_t) {}
inline void require_select(const char* function, const byte_flags& flags, std::uint64_t items) {
  require_flags(function, "flags", flags, items);
}
inline void require_select(const char* function, const bit_flags& flags, std::uint64_t items) {
  require_flags(function, "flags", flags, items);
}

// The length of a column, and the largest position that its type can hold.
struct column_length {
  std::uint64_t items;
  bool is_counted;
  std::uint64_t largest_position;
};
template <class T>
column_length length_of_column(const input<T>& in) {
  return {in.capacity(), in.length.count != nullptr, ~std::uint64_t{0}};
}
template <class V>
column_length length_of_column(const view_input<V>& in) {
  return {in.capacity(), in.length.count != nullptr, ~std::uint64_t{0}};
}
template <class Index>
column_length length_of_column(const position_input<Index>& in) {
  return {in.capacity(), in.length.count != nullptr, std::numeric_limits<Index>::max()};
}

[[gnu::noinline]] inline void require_columns(const char* function, const char* name,
                                              std::span<const column_length> columns, bool are_positions_read) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto [items, is_counted, largest_position] = columns[i];
    const auto refuse = [&](std::initializer_list<std::string_view> why) {
      fail(function, joined({"`", name, "`", columns.size() > 1 ? joined({" column ", decimal(i)}) : "", joined(why)}));
    };
    if (items != columns[0].items)
      refuse({" has ", decimal(items), " items, column 0 has ", decimal(columns[0].items),
              ": the ranges of a zip have different lengths"});
    if (i != 0 && is_counted) refuse({" is counted: only the first range of a zip may be counted"});
    if (are_positions_read && items != 0 && items - 1 > largest_position)
      refuse({" has ", decimal(items), " items, more positions than their type counts"});
  }
}

// Columns of one length. Only the first may be counted. are_positions_read: whether positions are
// read or moved. If so, their type must be able to hold them.
template <class... I>
void require_columns(const char* function, const char* name, const std::tuple<I...>& inputs,
                     bool are_positions_read = true) {
  std::apply(
      [&](const I&... in) {
        const column_length columns[] = {length_of_column(in)...};
        require_columns(function, name, columns, are_positions_read);
      },
      inputs);
}
template <class... T>
void require_columns(const char* function, const char* name, const in_place_columns<T...>& items) {
  std::apply(
      [&](const output<T>&... range) {
        const column_length columns[] = {{range.size, false, ~std::uint64_t{0}}...};
        require_columns(function, name, columns, false);
      },
      items.ranges);
  require(!items.others_are_counted, function, "only the first range of a zip may be counted");
}

// Requires that a range has room for `least` items.
[[gnu::noinline]] inline void require_room(const char* function, const char* name, std::uint64_t items,
                                           std::uint64_t least) {
  if (items < least)
    fail(function, joined({"`", name, "` has ", decimal(items), " items, at least ", decimal(least), " are needed"}));
}

// Requires that offsets, indices or lengths of this type can hold every number up to n.
[[gnu::noinline]] inline void require_counts_fit(const char* function, const char* name, const count_type& type,
                                                 std::uint64_t n) {
  if (n > type.largest())
    fail(function,
         joined({"`", name, "` has integers of ", decimal(8 * type.bytes()),
                 type.is_signed ? " bits with a sign" : " bits", ", for more items than they count: ", decimal(n)}));
}

}  // namespace ballot::detail
