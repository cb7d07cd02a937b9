// SPDX-License-Identifier: Apache-2.0
// The instances of selections: included by the sources that library/instances.cmake generates.
// Arguments are checked.
#pragma once

#include <ballot/c/select_calls.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/count_if.cuh>
#include <ballot/detail/common/zip.cuh>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/partition/precomputed_launch.cuh>
#include <ballot/detail/partition/split_in_place_launch.cuh>
#include <ballot/split.cuh>

#include <tuple>

namespace ballot_c {

// The item of a column, what of it decides the tile's shape, and its input.
template <class Column>
struct column_traits {
  using item = Column;
  using staged = Column;
  static input<item> in(const column_request& r) { return {static_cast<const item*>(r.in), r.n}; }
};
template <class Index>
struct column_traits<positions_of<Index>> {
  using item = Index;
  using staged = ballot::detail::staged_place;
  static ballot::detail::position_input<Index> in(const column_request& r) {
    return ballot::detail::make_position_input<Index>(r.n);
  }
};

template <class Column>
std::size_t compact_column_bytes(u64 n) {
  return ballot::detail::partition_scratch_bytes<ballot::detail::rejects::dropped,
                                                 typename column_traits<Column>::staged>(n);
}

template <class Column, class Select>
void compact_column(const ballot::exec& where, const column_request& r, const Select& select) {
  using namespace ballot::detail;
  using item = typename column_traits<Column>::item;
  constexpr rejects dropped = rejects::dropped;
  using shapes = partition_shapes<dropped, selects_by_flags<Select>, typename column_traits<Column>::staged>;
  constexpr int width = shapes::many::width;
  const std::tuple inputs(column_traits<Column>::in(r));
  const std::tuple selected(output<item>{static_cast<item*>(r.out), r.room});
  launch_tuned_partition<dropped, shapes>(where, compact_column_bytes<Column>(r.n.capacity), r.n,
                                          make_device_columns<width>(inputs, selected, std::tuple()),
                                          make_selector<width, true>(select, inputs), r.count, r.function);
}

template <class U>
void compact_column_in_place(const ballot::exec& where, const column_request& r, const ballot::bit_flags& flags) {
  ballot::detail::launch_compact_in_place(where, std::tuple(output<U>{static_cast<U*>(r.out), r.room}), r.n, flags,
                                          r.count, r.function);
}

// In pieces as large as with much scratch: more of them take more launches.
template <class U>
std::size_t split_column_in_place_bytes(u64 n) {
  using namespace ballot::detail;
  return n == 0 ? 0 : split_in_place_bytes<U>(n, split_piece_items(n, min_piece_items));
}
template <class U>
void split_column_in_place(const ballot::exec& where, const column_request& r, const ballot::bit_flags& flags) {
  using namespace ballot::detail;
  launch_split_in_place(where, std::tuple(output<U>{static_cast<U*>(r.out), r.room}), r.n, flags, r.count,
                        split_piece_items(r.n.capacity, min_piece_items), r.function);
}

template <class Column>
std::size_t split_column_bytes(u64 n) {
  using ballot::detail::rejects;
  using staged = typename column_traits<Column>::staged;
  return ballot::detail::larger(ballot::detail::partition_scratch_bytes<rejects::second_output, staged>(n),
                                ballot::detail::partition_scratch_bytes<rejects::after_selected, staged>(n));
}

template <class Column, split_into Into>
void split_column(const ballot::exec& where, const column_request& r, const ballot::bit_flags& flags) {
  using namespace ballot::detail;
  using item = typename column_traits<Column>::item;
  using staged = typename column_traits<Column>::staged;
  constexpr rejects kind = Into == split_into::one ? rejects::after_selected : rejects::second_output;
  using shapes = partition_shapes<kind, true, staged>;
  constexpr int width = shapes::many::width;
  const std::tuple inputs(column_traits<Column>::in(r));
  const std::tuple selected(output<item>{static_cast<item*>(r.out), r.room});
  // Into one: rejected items go after the selected ones.
  const std::tuple rejected(Into == split_into::one ? std::get<0>(selected)
                                                    : output<item>{static_cast<item*>(r.rejected), r.rejected_room});
  launch_tuned_partition<kind, shapes>(where, partition_scratch_bytes<kind, staged>(r.n.capacity), r.n,
                                       make_device_columns<width>(inputs, selected, rejected),
                                       make_selector<width, true>(flags, inputs), r.count, r.function);
}

template <class U>
void count_by_comparison(ballot::stream_t stream, const input<U>& in, const comparison<U>& compare,
                         const ballot::device_count& count) {
  using namespace ballot::detail;
  using shape = partition_shape<rejects::dropped, U>;
  const std::tuple inputs(in);
  launch_count_all<shape>(stream, make_source<shape::width>(in), in.length,
                          make_selector<shape::width, true>(compare, inputs), count);
}

template <class U>
void flag_bits_by_comparison(ballot::stream_t stream, const input<U>& in, const comparison<U>& compare, u32* words) {
  using namespace ballot::detail;
  launch_flag_bits(stream, make_source<1>(in), in.length, make_selector<1, true>(compare, std::tuple(in)), words,
                   "flag_bits");
}

template <class U>
std::size_t compact_indices_by_comparison_bytes(u64 n) {
  return ballot::detail::partition_scratch_bytes<ballot::detail::rejects::dropped, ballot::detail::staged_place, U>(n);
}

// Positions of 32 bits.
template <class U>
void compact_indices_by_comparison(const ballot::exec& where, const input<U>& in, const comparison<U>& compare,
                                   const column_request& r) {
  using namespace ballot::detail;
  constexpr rejects dropped = rejects::dropped;
  using shapes = partition_shapes<dropped, false, staged_place, U>;
  constexpr int width = shapes::many::width;
  const std::tuple indices(output<u32>{static_cast<u32*>(r.out), r.room});
  launch_tuned_partition<dropped, shapes>(
      where, compact_indices_by_comparison_bytes<U>(r.n.capacity), r.n,
      make_device_columns<width>(std::tuple(make_position_input<u32>(r.n)), indices, std::tuple()),
      make_selector<width, false>(compare, std::tuple(in)), r.count, r.function);
}

}  // namespace ballot_c
