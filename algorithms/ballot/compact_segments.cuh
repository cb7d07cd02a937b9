// SPDX-License-Identifier: Apache-2.0
// Batched compaction of segments of any length: the selected items of all segments, one segment
// after the other, and where each segment begins in the output.
//
//     ballot::compact_segments(gpu, neighbours, first_neighbour, is_close{}, close, first_close);
//
// in:           the items of all segments, one segment after the other. As for compact
//               (compact.cuh), also views and zips
// offsets:      device range of segments + 1 ascending integers of 4 or 8 bytes, signed or not.
//               Segment s has the items offsets[s] to offsets[s + 1] - 1. offsets[0] is 0, and the
//               last offset is the number of items
// select, out:  as for compact: ranges, output views, zips
// new_offsets:  device range of as many integers of 4 or 8 bytes: where the selected items of each
//               segment begin in the output. The last one is the number of all selected items. Must
//               not overlap any other argument, including a device-side length. No output view,
//               because the next call reads offsets from memory
//
// Stable and deterministic. The time does not depend on the lengths of the segments.
//
// Scratch: compact_segments_scratch_bytes<T...>(n): n / 8 bytes for the flags as bits, and 8 bytes
// a tile.
//
// Work on the stream: a kernel writes the flags as bits, and two kernels compact by these bits. A
// fourth kernel computes the new offsets, with one warp for each offset. The first reads what
// `select` reads. The compaction does not read vectors without a selected item.
//
// Errors, before any work: as for compact. Also invalid_argument for no offsets, offsets of
// different lengths, or too small a type of the new offsets.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/partition/segment_offsets_kernel.cuh>

namespace ballot {
namespace detail {

struct compact_segments_scratch {
  std::uint64_t* count;
  std::span<std::uint32_t> words;
  std::span<std::byte> partition;

  compact_segments_scratch(scratch_carver& carver, std::uint64_t n, std::uint64_t tile_items)
      : count(carver.take<std::uint64_t>(1)) {
    const std::uint64_t flag_words = ceil_div(n, 32);
    words = {carver.take<std::uint32_t>(flag_words), static_cast<std::size_t>(flag_words)};
    const std::size_t bytes = offset_scratch_bytes<offset_method::look_back>(ceil_div(n, tile_items));
    partition = {carver.take<std::byte>(bytes), bytes};
  }
};

template <class Shape>
std::size_t compact_segments_bytes(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  compact_segments_scratch(measure, n, Shape::items);
  return measure.bytes();
}

// The caller has checked all arguments except the size of the scratch. Shape: partition_shape, or
// another one in tests.
template <class Shape, class... I, class Index, class Select, class... Out>
void launch_compact_segments(const exec& where, const std::tuple<I...>& inputs, const input<Index>& offsets,
                             const Select& select, const std::tuple<Out...>& selected, const device_count& new_offsets,
                             const char* function) {
  if constexpr (!is_for_every_gpu<Shape>) {
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      launch_compact_segments<Own>(where, inputs, offsets, select, selected, new_offsets, function);
    });
  } else {
    const stream_t stream = where.stream();
    const length n = length_of(inputs);
    const auto selector = make_selector<1, true>(select, inputs);
    constexpr int warps = segment_offsets_threads / static_cast<int>(simt::warp_size);
    const std::uint32_t offset_blocks = n.capacity == 0 ? 0 : tile_count(offsets.capacity(), warps, function);
    const std::size_t bytes = compact_segments_bytes<Shape>(n.capacity);
    const scratch_lease lease(where, bytes, function);
    if (n.capacity == 0) {
      clear_counts(stream, new_offsets, offsets.capacity());
      return;
    }
    scratch_carver carver(lease.base());
    const compact_segments_scratch scratch(carver, n.capacity, Shape::items);
    launch_flag_bits(stream, make_source<1>(std::get<0>(inputs)), n, selector, scratch.words.data(), function);
    launch_partition<rejects::dropped, Shape>(
        exec(stream, scratch.partition), n, make_device_columns<Shape::width>(inputs, selected, std::tuple()),
        make_selector<Shape::width, true>(bit_flags{scratch.words}, inputs), scratch.count, function);
    scratch_carver partition_carver(scratch.partition.data());
    const look_back_scratch tiles(partition_carver, ceil_div(n.capacity, Shape::items));
    simt::launch(segment_offsets_kernel<Index>,
                 simt::launch_config{dim3(offset_blocks), dim3(segment_offsets_threads), 0, stream}, offsets.data,
                 offsets.capacity(), n, scratch.words.data(), tiles.states, std::uint64_t{Shape::items}, new_offsets);
  }
}

// Old and new offsets have the types of the caller. They are passed on as unsigned integers and as
// counts.
template <class... I, class Index, class Select, class... Out>
void compact_segments(const exec& where, const std::tuple<I...>& inputs, const input<Index>& offsets,
                      const Select& select, const std::tuple<Out...>& selected, const device_count& new_offsets,
                      std::uint64_t new_offsets_size) {
  constexpr const char* function = "compact_segments";
  using shape = partition_shape<rejects::dropped, typename Out::value_type...>;
  const length n = length_of(inputs);
  require_columns(function, "in", inputs);
  require(offsets.capacity() >= 1, function, "there are no offsets: the last one says where the items end");
  require_same_length(function, "offsets", offsets.capacity(), "new_offsets", new_offsets_size);
  require_counts_fit(function, "new_offsets", new_offsets.type(), n.capacity);
  require_select(function, select, n.capacity);
  require_arguments(function, where, compact_segments_bytes<shape>(n.capacity),
                    {arguments_of("out", selected),
                     argument{"new_offsets", new_offsets.address(), new_offsets_size * new_offsets.type().bytes()}},
                    {arguments_of("in", inputs), argument_of("in.length", n), argument_of("offsets", offsets),
                     argument_of_select(select), lengths_of("out.offset", selected)});
  launch_compact_segments<shape>(where, inputs, offsets, select, selected, new_offsets, function);
}

template <class In, class Offsets, class Select, class Out, class NewOffsets>
using compact_segments_checks = checks<input_table_check<In>, input_counts_check<Offsets>, selector_check<Select, In>,
                                       output_table_or_view_check<Out, In>, output_counts_check<NewOffsets>>;

}  // namespace detail

/// Bytes of scratch for n items of columns T... Pure.
template <class... T>
std::size_t compact_segments_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(
      detail::compact_segments_bytes<detail::partition_shape<detail::rejects::dropped, T...>>(n));
}

template <input_table In, input_range_of_counts Offsets, selector_of<In> Select, output_table_or_view_of<In> Out,
          output_range_of_counts NewOffsets>
void compact_segments(const exec& where, const In& in, const Offsets& offsets, const Select& select, Out&& out,
                      NewOffsets&& new_offsets) {
  const auto new_begins = detail::as_output(new_offsets);
  detail::compact_segments(where, detail::as_inputs(in), detail::as_unsigned(detail::as_input(offsets)), select,
                           detail::as_outputs(out), new_begins.data, new_begins.size);
}
template <class In, class Offsets, class Select, class Out, class NewOffsets>
  requires(!detail::compact_segments_checks<In, Offsets, Select, Out, NewOffsets>::ok)
void compact_segments(const exec&, const In&, const Offsets&, const Select&, Out&&, NewOffsets&&) {
  detail::compact_segments_checks<In, Offsets, Select, Out, NewOffsets>::failing::explain();
}

}  // namespace ballot
