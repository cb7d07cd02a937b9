// SPDX-License-Identifier: Apache-2.0
// Split within the range itself: first the items that a predicate or flags select, then the
// rejected items, both groups in their order. Scratch is about a sixteenth of the items.
//
//     ballot::split_in_place(gpu, particles, is_inside{}, inside_count);
//     ballot::split_in_place(gpu, ballot::zip{keys, ids}, ballot::on_first{has_bit{3}}, count);
//
// items:   device range of a trivially copyable T of up to 128 bytes, or a zip of ranges of one
//          length. No view: it writes where it reads. The range, or the first of a zip, may be
//          `counted{items, count}`: then only the first *count items take part
// select:  as for compact (compact.cuh); flags must not overlap the items
// count:   device address (or device_value) of one integer of 4 or 8 bytes, signed or not: the
//          number of selected items, also written for n = 0. It must not overlap any other
//          argument, including a device-side length
//
// Stable in both groups, and deterministic.
//
// Scratch: split_in_place_scratch_bytes<T...>(n) is n / 16 items of the largest type, 8 bytes for
// each tile of them, and for a zip n / 8 bytes for flags. For fewer than 2^16 items it has room for
// up to n / 8 items, but at least 512. Without the flags of a zip, it is less than n / 8 items from
// 2^13 items on (items of 2 bytes: from 2^14 on, of 1 byte: from 2^15 on). If you have room for n
// items, split and a copy are faster.
//
// Work on the stream: the range is divided into up to 16 pieces, which are split one after the
// other. For each piece, one kernel clears the tile states, one splits, and one copies the rejected
// items back from scratch. Pieces have at least 4096 items if the scratch suffices, so that
// launches are few. Then neighbouring pieces are merged by rotations, two launches a level, up to
// four levels. For a zip, one kernel first writes the flags as bits, and then all of this happens
// for each range.
//
// Bytes moved: each selected item is read and written once, each rejected item twice. Each level of
// rotations reads and writes the items that it rotates twice more. If half of the items are
// selected, a level rotates about half of all. split (split.cuh) moves less.
//
// Errors, before any work: as for compact.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/split_in_place_launch.cuh>

namespace ballot {

namespace detail {

template <class Items, class Select, class Count>
using split_in_place_checks = checks<in_place_table_check<Items>, selector_check<Select, Items>, count_check<Count>>;

// The least scratch that suffices.
template <class... T>
std::size_t least_split_in_place_bytes(std::uint64_t n) {
  return n == 0 ? 0 : split_in_place_bytes<T...>(n, small_piece_items<T...>(n));
}

}  // namespace detail

/// Bytes of scratch for n items of ranges T... Pure.
template <class... T>
std::size_t split_in_place_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::least_split_in_place_bytes<T...>(n));
}

template <in_place_table Items, selector_of<Items> Select>
void split_in_place(const exec& where, Items&& items, const Select& select, device_count count) {
  constexpr const char* function = "split_in_place";
  const auto columns = detail::as_in_place_columns(items);
  [&]<class... T>(const detail::in_place_columns<T...>&) {
    const std::uint64_t n = columns.length.capacity;
    detail::require_in_place(function, where, detail::least_split_in_place_bytes<T...>(n), columns, select, count);
    detail::launch_split_in_place(where, columns.ranges, columns.length, select, count,
                                  detail::piece_items_within<T...>(where, n), function);
  }(columns);
}
template <class Items, class Select, class Count>
  requires(!detail::split_in_place_checks<Items, Select, Count>::ok)
void split_in_place(const exec&, Items&&, const Select&, const Count&) {
  detail::split_in_place_checks<Items, Select, Count>::failing::explain();
}

}  // namespace ballot
