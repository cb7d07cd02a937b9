// SPDX-License-Identifier: Apache-2.0
// Segmented scans by offsets: each offset sets one head flag as a bit, then the scan by bits
// follows.
//
// So the scan's work does not depend on the lengths of the segments (set_head_flags_kernel.cuh).
//
// Few items with few offsets need none of this: each block of the scan sets the flags of its tile
// in shared memory (offset_heads.cuh).
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

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/clear_words.cuh>
#include <ballot/device/detail/offset_heads.cuh>
#include <ballot/device/detail/segmented_scan_launch.cuh>
#include <ballot/device/detail/set_head_flags_kernel.cuh>
#include <ballot/device/segment_offsets.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot {
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

// Sets the bits of the offsets in `words`, which must be zero. follows: this launch may begin
// before the one before it has ended, which clears the words. few: up to so many offsets; only
// tests choose another.
template <class Offset>
void launch_set_head_flags(stream_t stream, const input<Offset>& offsets, std::uint64_t items, std::uint32_t* words,
                           const char* function, bool follows = false, std::uint64_t few = device::few_offsets) {
  const std::uint64_t count = offsets.capacity();
  if (count == 0) return;
  simt::launch_config config{.stream = stream, .overlaps_previous_launch = follows};
  const auto launch_dense = [&]<int Offsets>(std::integral_constant<int, Offsets>) {
    using shape = device::set_head_flags_shape<Offset, Offsets>;
    config.grid = dim3(tile_count(count, shape::items, function));
    config.block = dim3(shape::threads);
    config.shared_bytes = sizeof(device::set_head_flags_storage<shape::warps>);
    simt::launch(device::set_head_flags_kernel<Offset, shape>, config, offsets.data, offsets.length, items, words,
                 block::is_vector_aligned<Offset, shape::width>(offsets.data));
  };
  const bool is_few = count <= few;
  if (count < items / (is_few ? device::dense_segment_items_of_few : device::dense_segment_items)) {
    constexpr int threads = device::sparse_head_flags_threads;
    config.grid = dim3(tile_count(count, threads * device::sparse_head_flags_offsets, function));
    config.block = dim3(threads);
    simt::launch(device::set_sparse_head_flags_kernel<Offset>, config, offsets.data, offsets.length, items, words);
  } else if (is_few) {
    launch_dense(std::integral_constant<int, device::few_offsets_of_thread>());
  } else {
    launch_dense(std::integral_constant<int, device::offsets_of_thread>());
  }
}

// Each block of the scan goes over at most so many offsets by itself: 16 a thread.
inline constexpr std::uint64_t most_listed_offsets = 8192;

// Shape, and the number of listed offsets: only tests choose others than the tuned ones.
template <device::scan_kind Kind, class T, bool Backward = false, class Shape = segmented_scan_shape<T>, class In,
          class Offset, class Op, class Out>
void segmented_scan(const exec& where, const In& in, const segment_offsets<Offset>& segments, const Out& out, T initial,
                    Op op, const char* function, std::uint64_t listed = most_listed_offsets) {
  const input<Offset>& offsets = segments.offsets;
  const std::uint64_t n = in.capacity();
  require_segmented_ranges(where, in, out, function);
  const argument begins = argument_of("segments", offsets), count = argument_of("segments", offsets.length);
  const argument segments_memory[] = {begins, count};
  require_not_null(function, {begins});
  require_apart(function, arguments_of("out", out), segments_memory);
  (void)tile_count(n, Shape::items, function);                                        // or an error
  (void)tile_count(offsets.capacity(), device::sparse_head_flags_threads, function);  // or an error
  if (n == 0) return;
  const std::size_t bytes = segmented_scan_by_offsets_bytes<T, Shape>(n);
  const scratch_lease lease(
      where, bytes, function,
      {argument_of("in", in), argument_of("in", in.length), begins, count, argument_of_sums("out", out)});
  scratch_carver carver(lease.base());
  using small = small_segmented_shape_beside<T, Shape>;
  // The more blocks there are, the fewer offsets each of them should go over.
  const std::uint32_t few = offsets.capacity() <= listed / 8 ? few_small_tiles(few_tiles) : few_tiles;
  if (offsets.capacity() <= listed && ceil_div(n, small::items) <= few) {
    const device::offset_heads<Offset, Backward> heads{offsets.data, offsets.length};
    return launch_segmented_scan<Kind, T, small, false>(where.stream(), lease.base(), in, heads, out, initial, op,
                                                        function, few);
  }
  const segmented_scan_by_offsets_scratch<T> scratch(carver, n, shifted_tiles::most_of(n, Shape::items));
  launch_clear(where.stream(), lease.base(), bytes);  // tile states, ticket and bits
  launch_set_head_flags(where.stream(), offsets, n, scratch.heads, function, true);
  const auto heads = make_head_flag_loader<Backward>(device::bit_flag_reader{scratch.heads, false});
  // The states are zero together with the bits, so there is one launch, however few tiles there
  // are.
  launch_segmented_scan<Kind, T, Shape>(where.stream(), lease.base(), in, heads, out, initial, op, function, 1, true);
}

}  // namespace detail
}  // namespace ballot
