// The end of a radix sort: keys that are partitioned by their leading bits, a prefix, are put in order within it, a block
// a prefix, in shared memory.
//
// So keys of 32 or 64 bits need two passes over memory, and this one, instead of four or eight, if no prefix has more
// keys than a block can hold. Whether that is so, a histogram found out before (leading_bits_histogram_kernel.cuh).
//
//     load the prefix's keys -> count them in bins by their next bits, a byte a bin -> bins become places
//     -> each key to its bin -> each warp orders what it has of the bins -> write out
//
// There are about as many bins as keys, so a bin has one key on average, and hardly any more than seven. What is left is
// to exchange neighbours that are out of order, as often as the fullest bin demands (block_bin_sort.cuh). Where a bin
// has more than 16 keys, because many are equal or nearly so, the block sorts by digits instead, pass by pass in shared
// memory (block_digit_sort.cuh).
//
// With values, what is ordered is a word of the key's bits behind the prefix and, below them, the position in the tile:
// so equal keys stay in order, and the position says which value, copied into shared memory in the meantime, follows.
//
// One read and one write of keys and values. A block reads all it has before it writes, so input and output may be the same.
// Deterministic, stable. A block takes tile after tile of a grid's width.
// Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017 (buckets that fit are sorted in
// shared memory); the bins are a bucket sort's.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/tile_copies.cuh>

#include <type_traits>

namespace ballot::detail {

template <class U, class V>
struct local_sort_arguments {
  U* keys_output;
  const U* keys_spare;
  bool keys_wanted;
  V* values_output;
  const V* values_spare;
  const launch_action* action;
  const std::uint32_t* bucket_offsets;  // [prefix], and behind them the number of keys
  leading_bits leading;
  key_codec<U> codec;
};

// What is ordered: keys alone, or the key's bits behind the prefix and below them the position. Those fit a word as wide
// as the key if the prefix has min_leading_bits; a wide word takes twice the memory and any prefix.
template <class U, class V, class Shape>
struct local_sort_word {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr int position_bits = has_values ? Shape::position_bits : 0;
  using type = std::conditional_t<has_values && Shape::wide, typename unsigned_of_size<2 * sizeof(U)>::type, U>;
  static constexpr int min_leading_bits = has_values && !Shape::wide ? position_bits : 0;
};

template <class U, class V, class Shape>
struct local_sort_storage {
  using word = local_sort_word<U, V, Shape>;
  using W = typename word::type;
  static constexpr bool has_values = word::has_values;
  static constexpr unsigned values_in_access = has_values ? 16 / sizeof(V) : 1;

  // In the input's order; the first lies so far behind the beginning as it lies behind a multiple of 16 bytes in memory.
  alignas(simt::copy_alignment) V values[has_values ? Shape::items + values_in_access : 1];
  block_sort_storage<W, Shape> order;
};

// One prefix: its keys are [begin, begin + valid) of both. 0 < valid <= Shape::items.
template <class U, class V, class Shape>
__device__ __forceinline__ void sort_bucket(const local_sort_arguments<U, V>& a,
                                            local_sort_storage<U, V, Shape>& shared, std::uint32_t tile,
                                            std::uint32_t begin, unsigned valid, bool from_spare) {
  using word = local_sort_word<U, V, Shape>;
  using W = typename word::type;
  constexpr bool has_values = word::has_values;
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id(), lane = simt::lane_id();
  const int remaining_bits = a.leading.key_bits - a.leading.count;  // that are not in order yet

  W item[Shape::items_per_thread];
  {
    const U* const keys = (from_spare ? a.keys_spare : a.keys_output) + begin + thread;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned row = static_cast<unsigned>(i) * Shape::threads;
      item[i] = thread + row < valid ? keys[row] : U{};
    }
  }
  unsigned skew = 0;
  if constexpr (has_values) {
    const V* const values = (from_spare ? a.values_spare : a.values_output) + begin;
    skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values) / sizeof(V)) % shared.values_in_access;
    load_skewed_values_async<Shape>(shared.values, skew, values, valid);
  }
  zero_bins(shared.order.by_bins.bins);
  simt::sync_block();
#pragma unroll
  for (int i = 0; i < Shape::items_per_thread; ++i) {
    const unsigned at = thread + static_cast<unsigned>(i) * Shape::threads;
    if constexpr (has_values) item[i] = static_cast<W>(static_cast<W>(item[i] << word::position_bits) | at);
    if (at >= valid) item[i] = static_cast<W>(~W{0});
  }
  const int word_bits =
      remaining_bits + word::position_bits;  // that decide the order; the others are the same in all words
  const auto bin_of = [&](int i) {
    return static_cast<unsigned>(item[i] >> (word_bits - Shape::bin_bits)) & (Shape::bins - 1u);
  };
  sort_in_block(shared.order, item, valid, {word::position_bits, remaining_bits}, {}, bin_of);
  const W* const words = shared.order.by_bins.words;
  // Each warp reads the words that it has written, or a barrier lies between.

  const U leading = static_cast<U>(static_cast<U>(tile) << remaining_bits);
  constexpr int together = has_values ? 6 : Shape::items_per_thread;  // of a thread's words, for want of registers
#pragma unroll 1                                                      // two rounds of pairs: for the compiler's sake
  for (int first_row = 0; first_row < Shape::items_per_thread; first_row += together) {
    const unsigned first =
        warp * Shape::warp_items + static_cast<unsigned>(first_row) * static_cast<unsigned>(simt::warp_size) + lane;
    const auto row = [](int i) { return static_cast<unsigned>(i) * simt::warp_size; };
    const auto is_there = [&](int i) { return first_row + i < Shape::items_per_thread && first + row(i) < valid; };
    W w[together];
#pragma unroll
    for (int i = 0; i < together; ++i) w[i] = first_row + i < Shape::items_per_thread ? words[first + row(i)] : W{};
    const auto write_keys = [&]<bool Decoded>() {
      U* const keys_out = a.keys_output + begin + first;
#pragma unroll
      for (int i = 0; i < together; ++i) {
        U key = static_cast<U>(leading | static_cast<U>(w[i] >> word::position_bits));
        if constexpr (Decoded) key = a.codec.decode(key);
        if (is_there(i)) keys_out[row(i)] = key;
      }
    };
    if (a.keys_wanted && a.codec.is_identity()) write_keys.template operator()<false>();
    else if (a.keys_wanted) write_keys.template operator()<true>();
    if constexpr (has_values) {
      V* const values_out = a.values_output + begin + first;
      const V* const values = shared.values + skew;
#pragma unroll
      for (int i = 0; i < together; ++i)
        if (is_there(i)) values_out[row(i)] = values[static_cast<unsigned>(w[i]) & ((1u << word::position_bits) - 1u)];
    }
  }
}

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, radix_launch_blocks<Shape>)
    local_sort_kernel(local_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<local_sort_storage<U, V, Shape>>();
  const launch_action action = *a.action;
  if (action.bits == 0) return;  // the passes did it all
  const bool from_spare = action.has(launch_action::from_spare);
  const std::uint32_t tiles = std::uint32_t{1} << a.leading.count;
  for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::uint32_t begin = a.bucket_offsets[tile];
    const unsigned valid = a.bucket_offsets[tile + 1] - begin;
    if (valid == 0) continue;
    sort_bucket<U, V, Shape>(a, shared, tile, begin, valid, from_spare);
    simt::sync_block();  // shared memory is read before the next tile takes it
  }
}

}  // namespace ballot::detail
