// SPDX-License-Identifier: Apache-2.0
// The host's side of sorts of long segments, each by one block.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_sort/block_segment_kernel.cuh>
#include <ballot/detail/segmented_sort/sort_arguments.cuh>
#include <ballot/detail/segmented_sort/tuning.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>

namespace ballot::detail {

// The threads of a block for segments of so many items. Short segments have several blocks on a
// multiprocessor, which wait at different times. H200, 2026-12-01, us of 20 million u32:
//
//     threads            1024   512   256
//     rows of 5000       407    257   198
//     rows of 8000       300    216   192
//     rows of 16,000     248    205
template <class U>
constexpr unsigned threads_of_segment(std::uint64_t items) {
  constexpr unsigned fewest = radix_digits;  // the sort by digits has one for each
  unsigned threads = fewest;
  while (threads < most_segment_threads && items > threads * segment_items_per_thread<U>) threads *= 2;
  return threads;
}

// The longest segment that a block sorts, of at most `most` items, where it may have so much shared
// memory.
template <class U>
constexpr std::uint32_t longest_in_own_block(std::uint64_t most, std::size_t shared_limit) {
  const auto fits = [&](std::uint32_t items) {
    return block_segment_arrays<U>{items, threads_of_segment<U>(items)}.bytes() <= shared_limit;
  };
  std::uint32_t longest = 0;
  for (std::uint32_t step = std::bit_floor(most_items_alone<U>); step != 0; step /= 2)
    if (const std::uint32_t items = longest + step; items <= smaller(most, most_items_alone<U>) && fits(items))
      longest = items;
  return longest;
}

// Whether rows of one length are sorted in this way, each by a block: they have room in one.
template <class U>
bool sorts_rows_in_blocks(std::uint64_t row) {
  return longest_in_own_block<U>(row, simt::shared_bytes_limit()) == row;
}

template <class U, class Offset, class V>
block_segment_arguments<U, V> block_segment_arguments_of(const segment_sort_arguments<U, Offset, V>& a,
                                                         std::uint32_t longest, unsigned threads) {
  block_segment_arguments<U, V> own{};
  own.keys = a.keys;
  own.n = a.n;
  own.keys_out = a.keys_out;
  own.values = a.values;
  own.values_out = a.values_out;
  own.layout = a.layout;
  own.arrays = {longest, threads};
  if constexpr (may_be_rows<offsets_of_kernel_t<Offset>>) own.counts_from_segment = a.offsets.counts_from_segment;
  return own;
}

// From which length on each of n items' rows is sorted by a block of its own, if it has room there.
// H200, 2026-12-01, us of 20 million, in tiles, and so:
//
//     rows of       1000       1500       2000       3000       4000
//     u32           218  285   200  250   218  222   273  206   218  196
//     f32 + u32     303  429   278  378   303  333   381  307   305  291
//     u64           345  306   346  277   493  249   344  235
//
// A tile has room for one row of 3000 only, as for one of 4608.
template <class U>
std::uint64_t least_row_alone(std::uint64_t n) {
  if (sizeof(U) == 8) return 1000;
  if (n <= small_segmented_items) return first_shape<small_segment_sort_shape<U>>::longest + 1;
  return sizeof(U) == 4 ? longest_in_block<U> / 2 + 1 : longest_in_block<U> + 1;
}
template <class U, class V>
void launch_rows_in_blocks(stream_t stream, const segment_sort_arguments<U, any_offsets, V>& a, const char* function) {
  const std::uint64_t row = a.offsets.row_items;
  const unsigned rows = tile_count(a.n.capacity, row, function);
  auto own = block_segment_arguments_of(a, static_cast<std::uint32_t>(row), threads_of_segment<U>(row));
  own.row_items = row;
  // Few rows do not fill the GPU. Then each takes more threads.
  const std::uint64_t resident = std::uint64_t{simt::multiprocessors()} * most_segment_threads;
  if (auto more = own.arrays; (more.threads *= 2) <= most_segment_threads &&
                              std::uint64_t{rows} * more.threads <= resident &&
                              more.bytes() <= simt::shared_bytes_limit())
    own.arrays = more;
  simt::launch(block_segment_kernel<U, V>,
               simt::launch_config{dim3(rows), dim3(own.arrays.threads), own.arrays.bytes(), stream}, own);
}

// Which segments are listed, for a shape: those that have room in a block of the current GPU. If n
// items are many, and the mean length is small, so are the blocks of the first class.
inline constexpr std::uint64_t many_listed_items = std::uint64_t{1} << 23;
template <class U, class Shape>
void limit_listed_segments(listed_segments& list, std::uint64_t n, std::uint64_t segments) {
  const std::size_t limit = simt::shared_bytes_limit();
  std::uint64_t short_mean = Shape::longest_alone / 6;  // no constant: nvcc warns of a comparison with 0
  const unsigned part = n >= many_listed_items && n / (segments + 1) < short_mean ? 4 : 2;
  list.longest[0] = longest_in_own_block<U>(Shape::longest_alone / part, limit);
  list.longest[1] = longest_in_own_block<U>(Shape::longest_alone, limit);
}

// The segments that the launch before has listed: a launch for each class, that of the longest
// first. copies_unsorted: if offsets do not ascend, the items are copied, as no other launch does.
template <class U, class Offset, class V>
void launch_listed_segments(stream_t stream, const segment_sort_arguments<U, Offset, V>& a, bool copies_unsorted) {
  const unsigned classes = a.listed.longest[0] < a.listed.longest[1] ? 2 : 1;
  for (unsigned of = classes; of-- > 0;) {
    const auto longest = static_cast<std::uint32_t>(a.listed.longest[of]);
    const unsigned threads = threads_of_segment<U>(longest);
    auto own = block_segment_arguments_of(a, longest, threads);
    own.list = a.listed;
    own.size_class = of;
    own.is_first_launch = of + 1 == classes;
    own.copies_unsorted = copies_unsorted;
    const std::uint64_t blocks =
        smaller(a.listed.capacity, std::uint64_t{simt::multiprocessors()} * (most_segment_threads / threads));
    simt::launch(
        block_segment_kernel<U, V>,
        simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(threads), own.arrays.bytes(), stream, true}, own);
  }
}

}  // namespace ballot::detail
