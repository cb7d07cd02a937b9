// SPDX-License-Identifier: Apache-2.0
// Segmented scans by offsets: each offset sets one head flag as a bit, then the scan by bits follows.
//
//     offsets   0  3  3  5  8         five entries: four segments of n = 8 items, one of them empty, and the end
//     bits      1 0 0 1 0 1 0 0       an empty segment sets a bit again, the end sets none
//
// So the scan's work does not depend on the lengths of the segments. Each lane has an offset.
// Adjacent lanes whose bits lie in the same word combine them by a scan that restarts where the
// word changes. The last of them makes one atomic. So tiny segments cost no more atomics than there
// are words.
//
// Few items with few offsets need none of this: each block of the scan sets the flags of its tile in shared memory
// (offset_heads.cuh).
//
// Costs besides the scan, for n items and k offsets: n / 8 bytes of scratch, zeroed, set, and read
// once; the offsets, read once. Relative to the traffic of the scan the bits are 0.05 for items of
// 4 bytes and 0.02 for 8 bytes.
//
// A search of the offsets in every tile would need no bits. But it would need two searches per tile
// and then a merge of offsets with items in each thread. The work of the merge depends on the
// offsets: empty segments have to be balanced against items (as merge-path methods do). Bits avoid
// that, and use the existing kernel.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/clear_words.cuh>
#include <ballot/device/detail/offset_heads.cuh>
#include <ballot/device/detail/segmented_scan_launch.cuh>
#include <ballot/device/detail/segmented_tile.cuh>
#include <ballot/device/segment_offsets.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot {
namespace device {

struct bit_or {
  __device__ __forceinline__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a | b; }
};

inline constexpr int set_head_flags_threads = 256;
inline constexpr int set_head_flags_offsets = 4;  // per thread

// Sets the bit of each offset below `items` in `words`. No shared memory, no barrier.
template <class Offset>
__global__ void __launch_bounds__(set_head_flags_threads)
    set_head_flags_kernel(const Offset* offsets, ballot::detail::length length, std::uint64_t items,
                          std::uint32_t* words) {
  const std::uint64_t segments = length.get();
  const std::uint64_t begin =
      static_cast<std::uint64_t>(blockIdx.x) * (set_head_flags_threads * set_head_flags_offsets) + simt::thread_rank();
  std::uint64_t at[set_head_flags_offsets];
#pragma unroll
  for (int i = 0; i < set_head_flags_offsets; ++i) {
    const std::uint64_t mine = begin + static_cast<unsigned>(i * set_head_flags_threads);
    at[i] = mine < segments ? static_cast<std::uint64_t>(offsets[mine]) : items;
  }
  simt::wait_for_previous_launch();  // which clears the words
#pragma unroll
  for (int i = 0; i < set_head_flags_offsets; ++i) {
    const bool is_valid = at[i] < items;
    const std::uint64_t word = at[i] / 32;
    std::uint32_t bits = is_valid ? 1u << (at[i] % 32) : 0u;
    const unsigned lane = simt::lane_id();
    const std::uint64_t word_below = simt::shuffle_up(word, 1);
    const unsigned word_heads = simt::ballot(lane == 0 || word != word_below);  // lanes at which another word begins
    if (word_heads != simt::full_mask) bits = scan_lanes_from_heads(bits, word_heads, bit_or{});
    const bool last_of_word = lane == simt::warp_size - 1 || (word_heads >> (lane + 1) & 1u) != 0;
    // Relaxed: the bits are read by the next launch.
    if (last_of_word && bits != 0) simt::atomic_or(words + word, bits);
  }
  simt::let_next_launch_begin();  // not before: with many offsets, blocks of the scan would take the place of these
}

}  // namespace device

namespace detail {

template <class T>
struct segmented_scan_by_offsets_scratch {
  segmented_scan_scratch<T> scan;  // first: launch_segmented_scan carves it again
  std::uint32_t* heads;

  segmented_scan_by_offsets_scratch(scratch_carver& carver, std::uint64_t items, std::uint64_t tiles)
      : scan(carver, tiles), heads(carver.take<std::uint32_t>(ceil_div(items, 32))) {}
};

template <class T, class Shape = segmented_scan_shape<T>>
std::size_t segmented_scan_by_offsets_bytes(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  segmented_scan_by_offsets_scratch<T>(measure, n, most_segmented_tiles<T, Shape>(n));
  return measure.bytes();
}

// So many offsets, at most, does each block of the scan go over by itself: 16 a thread.
inline constexpr std::uint64_t most_listed_offsets = 8192;

// Shape, and the number of listed offsets: only tests choose others than the tuned ones.
template <device::scan_kind Kind, class T, bool Backward = false, class Shape = segmented_scan_shape<T>, class In,
          class Offset, class Op>
void segmented_scan(const exec& where, const In& in, const segment_offsets<Offset>& segments, const output<T>& out,
                    T initial, Op op, const char* function, std::uint64_t listed = most_listed_offsets) {
  const input<Offset>& offsets = segments.offsets;
  const std::uint64_t n = in.capacity();
  require_segmented_ranges(in, out, function);
  const argument begins = argument_of("segments", offsets), count = argument_of("segments", offsets.length);
  require_not_null(function, {begins});
  require_apart(function, {argument_of("out", out)}, {begins, count});
  require_view(function, where, "in", in, {argument_of("out", out)});
  const std::uint32_t tiles = tile_count(n, Shape::items, function);
  const std::uint32_t mark_blocks =
      tile_count(offsets.capacity(), device::set_head_flags_threads * device::set_head_flags_offsets, function);
  if (n == 0) return;
  const std::size_t bytes = segmented_scan_by_offsets_bytes<T, Shape>(n);
  const scratch_lease lease(
      where, bytes, function,
      {argument_of("in", in), argument_of("in", in.length), begins, count, argument_of("out", out)});
  scratch_carver carver(lease.base());
  using small = small_segmented_shape_beside<T, Shape>;
  // The more blocks, the fewer offsets each of them goes over.
  const std::uint32_t few = offsets.capacity() <= listed / 8 ? few_small_tiles(few_tiles) : few_tiles;
  if (offsets.capacity() <= listed && ceil_div(n, small::items) <= few) {
    const device::offset_heads<Offset, Backward> heads{offsets.data, offsets.length};
    return launch_segmented_scan<Kind, T, small>(where.stream(), lease.base(), in, heads, out, initial, op, function,
                                                 few);
  }
  const segmented_scan_by_offsets_scratch<T> scratch(carver, n, tiles);
  launch_clear(where.stream(), lease.base(), bytes);  // tile states, ticket and bits
  if (mark_blocks != 0) {
    simt::launch_config config{dim3(mark_blocks), dim3(device::set_head_flags_threads), 0, where.stream()};
    config.overlaps_previous_launch = true;
    simt::launch(device::set_head_flags_kernel<Offset>, config, offsets.data, offsets.length, n, scratch.heads);
  }
  const auto heads = make_head_flag_loader<Backward>(device::bit_flag_reader{scratch.heads, false});
  // The states are zero with the bits: one launch, however few tiles.
  launch_segmented_scan<Kind, T, Shape>(where.stream(), lease.base(), in, heads, out, initial, op, function, 1, true);
}

}  // namespace detail
}  // namespace ballot
