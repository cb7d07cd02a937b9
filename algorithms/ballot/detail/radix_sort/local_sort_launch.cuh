// SPDX-License-Identifier: Apache-2.0
// The host's side of sorts by leading bits: the number of bits, and the launches of the histogram
// and of the local sort.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/leading_bits_histogram_kernel.cuh>
#include <ballot/detail/radix_sort/leading_digits.cuh>
#include <ballot/detail/radix_sort/local_sort_kernel.cuh>
#include <ballot/detail/radix_sort/pass_arguments.cuh>
#include <ballot/detail/radix_sort/tile_sort_kernel.cuh>

#include <bit>
#include <type_traits>

namespace ballot::detail {

// The number of leading bits by which n evenly spread items fall into buckets of about
// LocalSort::aim items. LocalSort is a local_sort_tuning. The result exceeds its limit by one at
// most. Monotone in n.
template <class U, class V, class LocalSort>
constexpr int leading_bits_for(std::uint64_t n) {
  using wide = local_sort_word<U, V, typename LocalSort::wide>;
  using narrow = local_sort_word<U, V, typename LocalSort::narrow>;
  int bits = n <= LocalSort::wide_items ? wide::min_leading_bits : narrow::min_leading_bits;
  if (bits < LocalSort::min_leading_bits) bits = LocalSort::min_leading_bits;
  while (bits <= LocalSort::max_leading_bits && n > LocalSort::aim << bits) ++bits;
  return bits;
}

// Words of scratch for the offsets of the buckets and the end of the last. Monotone in n. LocalSort
// void: none.
template <class U, class V, class LocalSort>
constexpr std::uint64_t bucket_offset_words(std::uint64_t n) {
  if constexpr (std::is_void_v<LocalSort>) {
    return 0;
  } else {
    const int bits = leading_bits_for<U, V, LocalSort>(n);
    if (n < LocalSort::least_items) return 0;
    return (std::uint64_t{1} << (bits < LocalSort::max_leading_bits ? bits : LocalSort::max_leading_bits)) + 1;
  }
}

// The leading bits by which n whole keys are sorted if they are spread. 0 bits, that is a sort by
// all digits, if there are too few or too many keys, or too little shared memory. shared_limit: the
// shared memory that a block may have; 0: query it.
template <class U, class V, class LocalSort>
leading_bits choose_leading_bits(std::uint64_t n, std::size_t shared_limit) {
  if constexpr (std::is_void_v<LocalSort>) {
    return {0};
  } else {
    static_assert(LocalSort::wide::items == LocalSort::narrow::items);
    const leading_bits leading{leading_bits_for<U, V, LocalSort>(n)};
    if (n < LocalSort::least_items || leading.count > LocalSort::max_leading_bits) return {0};
    if (shared_limit == 0) shared_limit = simt::shared_bytes_limit();
    const std::size_t histogram = leading_bits_histogram_storage<typename LocalSort::histogram>::bytes(leading);
    const std::size_t local_sort = n <= LocalSort::wide_items
                                       ? sizeof(local_sort_storage<U, V, typename LocalSort::wide>)
                                       : sizeof(local_sort_storage<U, V, typename LocalSort::narrow>);
    return larger(histogram, local_sort) <= shared_limit ? leading : leading_bits{0};
  }
}

template <class U, class Shape>
void launch_leading_bits_histogram(stream_t stream, leading_bits_histogram_arguments<U> a) {
  const std::uint64_t blocks = smaller(ceil_div(a.n.capacity, Shape::items), Shape::blocks::most());
  a.vector_aligned = block::is_vector_aligned<U, Shape::width>(a.keys);
  simt::launch(leading_bits_histogram_kernel<U, Shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Shape::threads),
                                   leading_bits_histogram_storage<Shape>::bytes(a.leading), stream},
               a);
}

template <class U, class V, class Shape>
void launch_local_sort_in_shape(stream_t stream, std::uint64_t most_blocks, const local_sort_arguments<U, V>& a) {
  const std::uint64_t blocks = smaller(std::uint64_t{1} << a.leading.count, most_blocks);
  simt::launch(local_sort_kernel<U, V, Shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Shape::threads),
                                   sizeof(local_sort_storage<U, V, Shape>), stream, true},  // overlaps the last pass
               a);
}
// The leading bits are those chosen for a sort of n items.
template <class U, class V, class LocalSort>
void launch_local_sort(stream_t stream, std::uint64_t n, const local_sort_arguments<U, V>& a) {
  if (n <= LocalSort::wide_items)
    launch_local_sort_in_shape<U, V, typename LocalSort::wide>(stream, LocalSort::blocks, a);
  else launch_local_sort_in_shape<U, V, typename LocalSort::narrow>(stream, LocalSort::blocks, a);
}

// The limits of a sort by leading digits, or none.
template <class U, class V, class LocalSort>
constexpr leading_digits_limits leading_digits_limits_of() {
  if constexpr (std::is_void_v<LocalSort> || !radix_passes_in_rounds<U>) {
    return {};
  } else {
    // Words with a head and a position have so many bits left for the key.
    constexpr unsigned room = tile_sort_room<typename LocalSort::narrow>;
    return {room, 8 * static_cast<int>(sizeof(U)) - 2 * (std::bit_width(room) - 1),
            LocalSort::least_items_by_leading_digits, LocalSort::many_items_by_leading_digits,
            LocalSort::very_many_items_by_leading_digits};
  }
}
// More blocks than are resident, but few that find nothing to do.
inline constexpr std::uint64_t max_tile_sort_blocks = 1024;
// All of a tile's blocks have the same shape, whatever the number of items.
template <class U, class V, class LocalSort>
void launch_tile_sort(stream_t stream, const tile_sort_arguments<U, V>& a) {
  using shape = typename LocalSort::narrow;
  const std::uint64_t blocks =
      smaller(ceil_div(a.n.capacity, std::uint64_t{tile_sort_items<shape>}), max_tile_sort_blocks);
  simt::launch(tile_sort_kernel<U, V, shape>,
               simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(shape::threads),
                                   sizeof(tile_sort_storage<U, V, shape>), stream, true},
               a);
}

// All of this as a value at run time. So the host's side of a sort is compiled once, not once per
// shape of the local sort.
template <class U, class V>
struct leading_bits_launches {
  leading_bits (*choose_leading_bits)(std::uint64_t n, std::size_t shared_limit);
  std::uint64_t (*bucket_offset_words)(std::uint64_t n);
  // Valid where leading bits were chosen:
  std::uint32_t max_bucket_items = 0;  // that the local sort takes
  std::uint32_t most_others = 0;       // of a sort with a majority (majority_sort.cuh)
  int min_remaining_bits = 0;          // below the leading bits, where keys use fewer bits than their type has
  void (*launch_histogram)(stream_t, leading_bits_histogram_arguments<U>) = nullptr;
  void (*launch_local_sort)(stream_t, std::uint64_t n, const local_sort_arguments<U, V>&) = nullptr;
  // Of sorts by leading digits, where they are possible:
  leading_digits_limits limits = {};
  std::size_t tile_sort_shared_bytes = 0;
  std::uint32_t tile_sort_items = 0;
  std::uint64_t most_items_in_rounds = 0;  // with more, large buckets alone are sorted again (large_buckets_kernel.cuh)
  void (*launch_tile_sort)(stream_t, const tile_sort_arguments<U, V>&) = nullptr;
};
template <class U, class V, class LocalSort>
leading_bits_launches<U, V> make_leading_bits_launches() {
  leading_bits_launches<U, V> made{choose_leading_bits<U, V, LocalSort>, bucket_offset_words<U, V, LocalSort>};
  if constexpr (!std::is_void_v<LocalSort>) {
    made.max_bucket_items = LocalSort::narrow::items;
    made.most_others = LocalSort::most_others;
    made.min_remaining_bits = LocalSort::narrow::bin_bits;
    made.launch_histogram = launch_leading_bits_histogram<U, typename LocalSort::histogram>;
    made.launch_local_sort = launch_local_sort<U, V, LocalSort>;
    if constexpr (radix_passes_in_rounds<U>) {
      made.limits = leading_digits_limits_of<U, V, LocalSort>();
      made.tile_sort_shared_bytes = sizeof(tile_sort_storage<U, V, typename LocalSort::narrow>);
      static_assert(tile_sort_items<typename LocalSort::narrow> >= least_tile_sort_items);
      made.tile_sort_items = tile_sort_items<typename LocalSort::narrow>;
      made.most_items_in_rounds = LocalSort::most_items_in_rounds;
      made.launch_tile_sort = launch_tile_sort<U, V, LocalSort>;
    }
  }
  return made;
}

}  // namespace ballot::detail
