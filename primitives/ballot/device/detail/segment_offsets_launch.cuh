// Segments by their offsets, made into head flags: each offset sets one bit, then the scan by bits does the rest.
//
//     offsets   0  3  3  5  8         five entries: four segments of n = 8 items, one of them empty, and the end
//     bits      1 0 0 1 0 1 0 0       an empty segment sets a bit again, the end sets none
//
// So the scan's work is the same however long the segments are. A lane holds an offset; neighbouring lanes whose bits
// lie in the same word put them together by a scan that restarts where the word changes, and the last of them makes the
// one atomic: tiny segments cost no more atomics than there are words.
//
// Costs beside the scan, for n items and k offsets: n / 8 bytes of scratch, written as zeros, set, and read once, and
// the offsets read once. Against items of 4 bytes that is 0.05 of what the scan itself moves, of 8 bytes 0.02, besides
// the offsets. A search of the offsets in every tile would need no bits, but two searches a tile and then a merge
// of offsets with items in each thread, whose work depends on the offsets: empty segments have to be balanced against
// items (as merge-path methods do). Bits take that away, and the scan's kernel is there.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
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
inline constexpr int set_head_flags_offsets = 4;  // a thread's

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
#pragma unroll
  for (int i = 0; i < set_head_flags_offsets; ++i) {
    const bool marks = at[i] < items;
    const std::uint64_t word = at[i] / 32;
    std::uint32_t bits = marks ? 1u << (at[i] % 32) : 0u;
    const unsigned lane = simt::lane_id();
    const std::uint64_t word_below = simt::shuffle_up(word, 1);
    const unsigned runs = simt::ballot(lane == 0 || word != word_below);  // where another word begins
    if (runs != simt::full_mask) bits = scan_lanes_from_heads(bits, runs, bit_or{});
    const bool last_of_run = lane == simt::warp_size - 1 || (runs >> (lane + 1) & 1u) != 0;
    // Relaxed: the bits are read by the next launch.
    if (last_of_run && bits != 0) simt::atomic_or(words + word, bits);
  }
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
  segmented_scan_by_offsets_scratch<T>(measure, n, ceil_div(n, Shape::items));
  return measure.bytes();
}

// Shape: other than the tuned one in tests alone.
template <device::scan_kind Kind, class T, bool Backward = false, class Shape = segmented_scan_shape<T>, class Offset,
          class Op>
void segmented_scan(const exec& where, const input<T>& in, const segment_offsets<Offset>& segments,
                    const output<T>& out, T initial, Op op, const char* function) {
  const input<Offset>& offsets = segments.offsets;
  const std::uint64_t n = in.capacity();
  require_segmented_ranges(in, out, function);
  require_readable(offsets, function);
  require_apart(offsets.data, offsets.capacity(), out.data, out.size, function);
  require_apart(offsets.length, out, function);
  const std::uint32_t tiles = tile_count(n, Shape::items, function);
  const std::uint32_t mark_blocks =
      tile_count(offsets.capacity(), device::set_head_flags_threads * device::set_head_flags_offsets, function);
  if (n == 0) return;
  const std::size_t bytes = segmented_scan_by_offsets_bytes<T, Shape>(n);
  const scratch_lease lease(where, bytes, function);
  scratch_carver carver(lease.base());
  const segmented_scan_by_offsets_scratch<T> scratch(carver, n, tiles);

  simt::fill_bytes(where.stream(), lease.base(), 0, bytes);  // tile states, ticket and bits
  if (mark_blocks != 0)
    simt::launch(device::set_head_flags_kernel<Offset>,
                 simt::launch_config{dim3(mark_blocks), dim3(device::set_head_flags_threads), 0, where.stream()},
                 offsets.data, offsets.length, n, scratch.heads);
  const auto heads = make_head_flag_loader<Backward>(device::bit_flag_reader{scratch.heads, false});
  launch_segmented_scan<Kind, T, Shape>(where.stream(), lease.base(), in, heads, out, initial, op, function);
}

}  // namespace detail
}  // namespace ballot
