// SPDX-License-Identifier: Apache-2.0
// Finds the parts of long segments (windows.cuh), and reduces them. A block has a window of the
// items. It searches for the segments that have the first and the last item of the window, with all
// threads at once:
//
//     offsets    0 3 3 7 9 9 12 20 21 30 ...      item 10
//     threads    0     1     2      3             their offsets are up to 10: yes yes no no
//                        0 1                      between those of 1 and 2: yes yes
//
// So 65,536 segments take two rounds. If one of the two segments is long, the block reduces its
// part. Otherwise it ends.
//
// This launch should take no longer than the next one, which begins at the same time and ends after
// it.
//
// Offsets that do not ascend let the search miss segments. The next launch sees this by what is
// stored for each window.
//
// Shared memory: an item a warp. Barriers: two a round, two for each part.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/segmented_reduce/kernel.cuh>
#include <ballot/detail/segmented_reduce/part_list.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The segments with the first and the last item of a window. Of the segments that begin up to an
// item, the last one has it.
struct segments_at_ends {
  std::uint64_t first, last;  // their numbers and 1; 0 if there is none
};
// All threads of the block call. If offsets do not ascend, the numbers are any up to `count`.
template <class Segments>
__device__ __forceinline__ segments_at_ends find_segments(const Segments& segments, std::uint64_t count,
                                                          std::uint64_t first_item, std::uint64_t last_item) {
  constexpr unsigned ends = 2;
  const std::uint64_t item[ends] = {first_item, last_item};
  std::uint64_t known[ends] = {0, 0}, left[ends] = {count, count};  // begin up to the item; not yet compared
#pragma unroll 1
  while ((left[0] | left[1]) != 0) {
    std::uint64_t step[ends];
    bool begins[ends];
#pragma unroll
    for (unsigned i = 0; i < ends; ++i) {
      step[i] = ceil_div(left[i], segment_threads);
      const std::uint64_t at = simt::thread_rank() * step[i];
      begins[i] = at < left[i] && segments.begin(known[i] + at) <= item[i];
    }
#pragma unroll
    for (unsigned i = 0; i < ends; ++i) {
      const auto before = static_cast<unsigned>(simt::sync_block_count(begins[i]));
      const std::uint64_t compared = before == 0 ? left[i] : (before - 1) * step[i] + 1;
      if (before != 0) known[i] += compared;
      left[i] = smaller(step[i] - 1, left[i] - compared);
    }
  }
  return {known[0], known[1]};
}

// Blocks on a multiprocessor for the launch bounds: so that they leave registers for the next launch.
// Five were compared on sm_90. Before, they would spill registers, or be more than there is room for.
// Later GPUs take what sm_90 takes, since libballot makes their code from its PTX.
inline constexpr int window_blocks_with_room = simt::architecture >= 900 ? 5 : 4;
template <class In, class T, class Op>
inline constexpr int window_blocks_at_once =
    std::is_pointer_v<In> && sizeof(T) <= 8 && is_commutative<Op, T> ? window_blocks_with_room : 0;

// A block for each window, or for several.
template <class Values, class In, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(segment_threads, (window_blocks_at_once<In, typename Values::value_type, Op>))
    reduce_windows_kernel(segmented_reduce_arguments<In, Segments, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  simt::let_next_launch_begin();
  auto& shared = simt::shared_storage<device::reduce_storage<T, segment_warps>>();
  const unsigned bits = a.windows.bits;
  const std::uint64_t n = a.length.get(), segments = smaller(a.segments.count(n), a.most_segments),
                      items = std::uint64_t{1} << bits;
#pragma unroll 1
  for (std::uint64_t window = blockIdx.x; window < a.windows.count; window += gridDim.x) {
    segments_of_window found{no_segment, no_segment};
    segment_range of_first{0, 0}, of_further{0, 0};
    const std::uint64_t begin = window << bits;
    if (begin < n) {
      const segments_at_ends at = find_segments(a.segments, segments, begin, begin + items - 1);
      if (at.last != 0) of_first = a.segments(at.last - 1, n);
      if (at.first != 0) of_further = a.segments(at.first - 1, n);
      if (of_first.length > a.windows.long_items && of_first.begin >> bits == window) found.first = at.last - 1;
      if (of_further.length > a.windows.long_items && of_further.begin < begin &&
          window - (of_further.begin >> bits) <= (of_further.length - 1) >> bits)
        found.further = at.first - 1;
    }
    if (simt::thread_rank() == 0) a.windows.found[window] = found;
#pragma unroll 1
    for (unsigned i = 0; i < 2; ++i) {
      if ((i == 0 ? found.first : found.further) == no_segment) continue;
      const segment_range whole = i == 0 ? of_first : of_further;
      const std::uint64_t before = (window - (whole.begin >> bits)) << bits,
                          end = smaller(before + items, whole.length);
      const T sum = reduce_by_block<Values>(shared, a.in, whole.begin + before, whole.begin + end, a.aligned, a.op);
      if (simt::thread_rank() == 0) device::store_result((i == 0 ? a.windows.first : a.windows.further) + window, sum);
    }
  }
}

}  // namespace ballot::detail
