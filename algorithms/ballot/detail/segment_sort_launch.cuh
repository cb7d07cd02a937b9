// The sort within segments on the host: shapes, scratch, launches.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/key_kernels.cuh>
#include <ballot/detail/long_segments.cuh>
#include <ballot/detail/radix_launch.cuh>
#include <ballot/detail/segment_sort_kernel.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <algorithm>
#include <bit>

namespace ballot::detail {

// By the size of keys. A block with room for more than its range orders the last segment with the others if that is short.
template <class U>
using segment_sort_shape_of =
    std::conditional_t<sizeof(U) == 8, segment_sort_shape<radix_finish_shape<12, 9, 12, 2>, 2560>,
                       segment_sort_shape<radix_finish_shape<12, 13, 12, 3>, 4096>>;

// What long segments take: nothing, where there is but one range.
template <class U, class V, class Shape>
struct long_segments_scratch {
  using C = composite_of_t<U>;
  long_segments<U, V> all{};
  std::size_t zeroed_bytes = 0;  // from all.places on
  C* composites = nullptr;       // the other buffers of the sort
  V* values = nullptr;
  std::byte* sort = nullptr;

  long_segments_scratch(scratch_carver& carver, std::uint64_t n) {
    if (n <= Shape::range_items) return;
    const std::uint64_t ranges = ceil_div(n, Shape::range_items);
    const std::size_t before = carver.bytes();
    all.range_items = Shape::range_items;
    all.least_length = Shape::longest + 1;
    all.room = n;
    all.places = carver.take<std::uint64_t>(ranges);
    all.items = carver.take<std::uint64_t>(1);
    all.disordered = carver.take<std::uint32_t>(1);
    zeroed_bytes = carver.bytes() - before;
    all.shifts = carver.take<std::uint64_t>(all.most_numbers(n, all.least_length));
    all.composites = carver.take<C>(n);
    composites = carver.take<C>(n);
    if constexpr (!std::is_same_v<V, no_value>) {
      all.values = carver.take<V>(n);
      values = carver.take<V>(n);
    }
    sort = carver.take<std::byte>(radix_scratch_bytes<C, V, void>(n, radix_target::two_buffers));
  }
};

// Bytes of scratch; with_order: and of an order of the values.
template <class U, class W>
std::size_t segmented_sort_bytes(std::uint64_t n, bool with_order) {
  scratch_carver measure;
  if (n == 0) return 0;
  if (with_order) measure.take<W>(n);
  long_segments_scratch<U, W, segment_sort_shape_of<U>>(measure, n);
  return measure.bytes();
}

// n > 0 and everything checked; a.far is made here. `carver` has room for long_segments_scratch.
template <class Shape, class U, class Offset, class V>
void launch_segment_sort(stream_t stream, scratch_carver& carver, segment_sort_arguments<U, Offset, V> a,
                         const char* function) {
  using order = typename Shape::order;
  using C = composite_of_t<U>;
  static_assert(sizeof(segment_sort_storage<U, order>) <= simt::least_shared_bytes_limit, "every GPU can run it");
  const std::uint64_t n = a.n.capacity;
  const long_segments_scratch<U, V, Shape> scratch(carver, n);
  a.far = scratch.all;
  if (scratch.zeroed_bytes != 0) simt::fill_bytes(stream, scratch.all.places, 0, scratch.zeroed_bytes);
  simt::launch(segment_sort_kernel<U, Offset, V, Shape>,
               simt::launch_config{dim3(tile_count(n, Shape::range_items, function)), dim3(order::threads),
                                   sizeof(segment_sort_storage<U, order>), stream},
               a);
  if (n <= Shape::range_items) return;

  const auto number_bits = static_cast<int>(std::bit_width(scratch.all.most_numbers(n, scratch.all.least_length) - 1));
  const radix_digit_plan digits{a.layout.other_bits(), a.layout.key_bits + number_bits};
  // So that no pass is left over, however many there are.
  const bool in_first = digits.passes() % 2 == 0;
  radix_job<C, V> job{{scratch.all.composites, {n, scratch.all.items}}, nullptr, scratch.all.values, nullptr};
  job.keys_out = in_first ? scratch.all.composites : scratch.composites;
  job.keys_spare = in_first ? scratch.composites : scratch.all.composites;
  job.values_out = in_first ? scratch.all.values : scratch.values;
  job.values_spare = in_first ? scratch.values : scratch.all.values;
  launch_radix_sort<C, V, void>(stream, scratch.sort, job, key_codec<C>{}, digits);
  const std::uint64_t blocks = smaller(ceil_div(n, std::uint64_t{key_tile}), long_segment_blocks);
  simt::launch(return_long_segments_kernel<U, V>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(key_threads), 0, stream}, scratch.all,
               job.keys_out, job.values_out, a.layout, a.keys, a.values, a.n, a.keys_out, a.values_out);
}

}  // namespace ballot::detail
