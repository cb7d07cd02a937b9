// Batched compaction of segments of any length: the selected items of all segments, and where each segment begins then.
//
//     ballot::compact_segments(gpu, neighbours, first_neighbour, is_close{}, close, first_close);
//
// in:          as for compact (compact.cuh): the items of all segments, one segment after the other
// offsets:     device range of segments + 1 u32 or u64, ascending: segment s is items offsets[s] to offsets[s + 1].
//              offsets[0] is 0, and the last offset is the number of items
// select, out: as for compact
// new_offsets: device range of as many offsets of the same type: where the selected items of each segment begin in the
//              output. The last one is the number of all selected items. Must not overlap any other argument, including
//              a device-side length
//
// Stable and deterministic. The time does not depend on the lengths of the segments. Scratch:
// compact_segments_scratch_bytes<T...>(n): n / 8 bytes for the flags as bits, and 8 bytes a tile. Work on the stream: a
// kernel that writes the bits (it reads what `select` reads), the fill and the kernel of a compaction by them (vectors
// without a selected item are not read), and a kernel with a warp for each offset. Errors, before any work: as for
// compact, and invalid_argument for no offsets, or offsets of different lengths.
#pragma once

#include <ballot/core/namespace.hpp>
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
std::size_t compact_segments_scratch_bytes_of(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  compact_segments_scratch(measure, n, Shape::items);
  return measure.bytes();
}

// All arguments are checked but the flags and the scratch. Shape: partition_shape, or another in tests.
template <class Shape, class... I, class Index, class Select, class... T>
void launch_compact_segments(const exec& where, const std::tuple<I...>& inputs, const input<Index>& offsets,
                             const Select& select, const std::tuple<output<T>...>& selected, Index* new_offsets,
                             const char* function) {
  const stream_t stream = where.stream();
  const length n = length_of(inputs);
  const auto selector = make_selector<1, true>(select, inputs, function);
  const std::size_t bytes = compact_segments_scratch_bytes_of<Shape>(n.capacity);
  const scratch_lease lease(where, bytes, function);
  if (n.capacity == 0) {
    simt::fill_bytes(stream, new_offsets, 0, offsets.capacity() * sizeof(Index));
    return;
  }
  scratch_carver carver(lease.base());
  const compact_segments_scratch scratch(carver, n.capacity, Shape::items);
  launch_flag_bits(stream, make_source<1>(std::get<0>(inputs)), n, selector, scratch.words.data(), function);
  launch_partition<rejects::dropped, Shape>(
      exec(stream, scratch.partition), n, make_device_columns<Shape::width>(inputs, selected, std::tuple()),
      make_selector<Shape::width, true>(bit_flags{scratch.words}, inputs, function), scratch.count, function);
  scratch_carver partition_carver(scratch.partition.data());
  const look_back_scratch tiles(partition_carver, ceil_div(n.capacity, Shape::items));
  constexpr int warps = segment_offsets_threads / static_cast<int>(simt::warp_size);
  simt::launch(segment_offsets_kernel<Index>,
               simt::launch_config{dim3(tile_count(offsets.capacity(), warps, function)), dim3(segment_offsets_threads),
                                   0, stream},
               offsets.data, offsets.capacity(), n, scratch.words.data(), tiles.states, std::uint64_t{Shape::items},
               new_offsets);
}

}  // namespace detail

// Bytes of scratch for n items of columns T... Pure.
template <class... T>
std::size_t compact_segments_scratch_bytes(std::uint64_t n) {
  return detail::compact_segments_scratch_bytes_of<detail::partition_shape<detail::rejects::dropped, T...>>(n);
}

template <detail::input_table In, device_range Offsets, class Select, detail::output_table Out,
          output_range NewOffsets>
void compact_segments(const exec& where, const In& in, const Offsets& offsets, const Select& select, Out&& out,
                      NewOffsets&& new_offsets) {
  constexpr const char* function = "compact_segments";
  const auto inputs = detail::as_inputs(in);
  const auto begins = detail::as_input(offsets);
  const auto selected = detail::as_outputs(out);
  const auto new_begins = detail::as_output(new_offsets);
  using Index = typename decltype(begins)::value_type;
  static_assert(std::unsigned_integral<Index> && sizeof(Index) >= 4, "offsets are u32 or u64");
  static_assert(std::is_same_v<Index, typename decltype(new_begins)::value_type>, "offsets differ in type");
  detail::require_inputs(inputs, function);
  detail::require_readable(begins, function);
  detail::require(begins.capacity() >= 1, function, "there are no offsets: the last one says where the items end");
  detail::require(new_begins.size == begins.capacity(), function, "old and new offsets have different lengths");
  const auto outputs = std::tuple_cat(selected, std::tuple(new_begins));
  detail::require_outputs(std::tuple_cat(inputs, std::tuple(begins)), outputs, function);
  detail::require_apart_from_flags(select, outputs, function);
  detail::require(detail::length_of(inputs).capacity <= std::numeric_limits<Index>::max(), function,
                  "more items than an offset counts");
  [&]<class... I>(const std::tuple<I...>&) {
    using shape = detail::partition_shape<detail::rejects::dropped, typename I::value_type...>;
    detail::launch_compact_segments<shape>(where, inputs, begins, select, selected, new_begins.data, function);
  }(inputs);
}

}  // namespace ballot
