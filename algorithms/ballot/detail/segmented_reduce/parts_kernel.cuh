// SPDX-License-Identifier: Apache-2.0
// Finds the parts of long segments (parts.cuh), and reduces them. A warp searches for the segments
// that have the first and the last item of a window, with all lanes at once:
//
//     offsets    0 3 3 7 9 9 12 20 21 30 ...      item 10
//     lanes      0     1     2      3             their offsets are up to 10: yes yes no no
//                        0 1                      between those of 1 and 2: yes yes
//
// A lane compares four offsets a round, so 16,384 segments take two rounds. Mostly neither of the two segments is long. Otherwise the block
// reduces the parts in its windows, one after the other. The next launch begins when all blocks have
// begun. So they are few.
//
// Offsets that do not ascend let the search miss segments. The next launch sees this by what is
// stored for each window.
//
// Shared memory: an item and two segments a warp. Barriers: two for eight windows, two for each part.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/segmented_reduce/kernel.cuh>
#include <ballot/detail/segmented_reduce/parts.cuh>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The segments with the first and the last item of a window, behind those that begin before.
struct segments_at_ends {
  std::uint64_t first, last;  // their numbers and 1; 0 if there is none
};
inline constexpr unsigned search_loads = 4;  // of a lane, in flight
// All lanes of the warp call. If offsets do not ascend, the numbers are any up to `count`.
template <class Segments>
__device__ __forceinline__ segments_at_ends find_segments(const Segments& segments, std::uint64_t count,
                                                          std::uint64_t first_item, std::uint64_t last_item) {
  constexpr unsigned ends = 2;
  const std::uint64_t item[ends] = {first_item, last_item};
  std::uint64_t known[ends] = {0, 0}, left[ends] = {count, count};  // begin up to the item; not yet compared
#pragma unroll 1
  while ((left[0] | left[1]) != 0) {
    std::uint64_t step[ends];
    bool begins[ends][search_loads];
#pragma unroll
    for (unsigned i = 0; i < ends; ++i) {
      step[i] = ceil_div(left[i], search_loads * simt::warp_size);
#pragma unroll
      for (unsigned j = 0; j < search_loads; ++j) {
        const std::uint64_t at = (j * simt::warp_size + simt::lane_id()) * step[i];
        begins[i][j] = at < left[i] && segments.begin(known[i] + at) <= item[i];
      }
    }
#pragma unroll
    for (unsigned i = 0; i < ends; ++i) {
      unsigned before = 0;
#pragma unroll
      for (unsigned j = 0; j < search_loads; ++j)
        before += static_cast<unsigned>(simt::popcount(simt::ballot(begins[i][j])));
      const std::uint64_t compared = before == 0 ? left[i] : (before - 1) * step[i] + 1;
      if (before != 0) known[i] += compared;
      left[i] = smaller(step[i] - 1, left[i] - compared);
    }
  }
  return {known[0], known[1]};
}

// Which segments have a part in a window. All lanes of the warp call.
template <class Arguments>
__device__ __forceinline__ segments_of_window segments_with_parts(const Arguments& a, std::uint64_t window,
                                                                  std::uint64_t n) {
  const auto& parts = a.parts;
  segments_of_window found{no_segment, no_segment};
  const std::uint64_t begin = window << parts.bits;
  if (begin >= n) return found;
  const segments_at_ends at = find_segments(a.segments, smaller(a.segments.count(n), a.most_segments), begin,
                                            begin + (std::uint64_t{1} << parts.bits) - 1);
  segment_range first{0, 0}, last{0, 0};
  if (at.first != 0) first = a.segments(at.first - 1, n);
  if (at.last != 0) last = a.segments(at.last - 1, n);
  if (last.length > parts.long_items && last.begin >> parts.bits == window) found.first = at.last - 1;
  if (first.length > parts.long_items && first.begin < begin &&
      window - (first.begin >> parts.bits) <= (first.length - 1) >> parts.bits)
    found.further = at.first - 1;
  return found;
}

// Blocks on a multiprocessor for the launch bounds: so that they leave registers for the next launch.
template <class In, class T, class Op>
inline constexpr int part_blocks_at_once = std::is_pointer_v<In> && sizeof(T) <= 8 && is_commutative<Op, T> ? 5 : 0;

template <class T>
struct parts_storage {
  device::reduce_storage<T, segment_warps> warps;
  segments_of_window found[segment_warps];
};

template <class Values, class In, class Segments, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(segment_threads, (part_blocks_at_once<In, typename Values::value_type, Op>))
    reduce_parts_kernel(segmented_reduce_arguments<In, Segments, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  simt::let_next_launch_begin();
  auto& shared = simt::shared_storage<parts_storage<T>>();
  const std::uint64_t n = a.length.get(), windows = a.parts.windows;
  const auto reduce_part = [&](std::uint64_t window, std::uint64_t segment, T* results) {
    const segment_range whole = a.segments(segment, n);
    const std::uint64_t begin = (window - (whole.begin >> a.parts.bits)) << a.parts.bits,
                        end = smaller(begin + (std::uint64_t{1} << a.parts.bits), whole.length);
    const T sum = reduce_by_block<Values>(shared.warps, a.in, whole.begin + begin, whole.begin + end, a.aligned, a.op);
    if (simt::thread_rank() == 0) device::store_result(results + window, sum);
  };
#pragma unroll 1
  for (std::uint64_t block_window = blockIdx.x; block_window < windows;
       block_window += std::uint64_t{segment_warps} * gridDim.x) {
    const std::uint64_t warp_window = block_window + std::uint64_t{simt::warp_id()} * gridDim.x;
    segments_of_window of_warp{no_segment, no_segment};
    if (warp_window < windows) {
      of_warp = segments_with_parts(a, warp_window, n);
      if (simt::lane_id() == 0) a.parts.found[warp_window] = of_warp;
    }
    if (simt::lane_id() == 0) shared.found[simt::warp_id()] = of_warp;
    simt::sync_block();
#pragma unroll 1
    for (unsigned i = 0; i < 2 * segment_warps; ++i) {
      const segments_of_window& found = shared.found[i / 2];
      const std::uint64_t segment = i % 2 == 0 ? found.first : found.further;
      if (segment != no_segment)
        reduce_part(block_window + std::uint64_t{i / 2} * gridDim.x, segment,
                    i % 2 == 0 ? a.parts.first : a.parts.further);
    }
    simt::sync_block();
  }
}

}  // namespace ballot::detail
