// SPDX-License-Identifier: Apache-2.0
// Radix sort within blocks by splits, the last of the chapter's applications: every block sorts a
// tile of its own, and keys stay on the chip from the first bit to the last.
//
//     survey::block_split_sort_with<survey::binary_ranks>(gpu, keys, out);
//
//     keys    | tile 0        | tile 1        | ...       each tile of `out` is sorted by itself
//
//     a bit   ranks of the clear keys (a barrier) -> keys to their ranks in shared memory, barrier
//             -> to registers
//
// Global memory is read once and written once, whatever the number of bits. So, unlike in a sort of
// the whole array, the ranks dominate the time: here the chapter measured its largest gain.
//
// keys, out  device ranges of unsigned integers, of the same type and length; the same range, or
//            apart from each other. Any n; the last tile may be short. bits: {low, high}; all bits
//            of the key where not given.
// Ranks      binary_ranks or generic_ranks (flag_ranks.cuh). Shape: Shape::items keys are sorted
//            together.
// No scratch; one launch, none for n = 0. Two barriers a bit. Shared memory: a key for each of the
// tile, a word a warp. Stable and deterministic.
// Errors, before any work: invalid_argument for null with n > 0, lengths that differ, partial
// overlap, a bit range that is empty or outside the key; cuda_error from the launch. Source: Harris
// and Garland, GPU Computing Gems Jade Edition, chapter 3, section 3.3; Satish, Harris and Garland,
// Designing Efficient Sorting Algorithms for Manycore GPUs, 2009, for the sort of a block.
#pragma once

#include <ballot/core/exec.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/survey/chapter/flag_ranks.cuh>
#include <ballot/survey/chapter/key_bits.cuh>

#include <concepts>
#include <cstdint>

namespace ballot::survey {

// A lane's vector of keys, read from shared memory in one access if there is one of its size.
template <class K, class Shape>
struct alignas(block::is_one_access<K, Shape::width> ? Shape::width * sizeof(K) : alignof(K)) key_vector {
  typename block::tile<K, Shape>::vector keys;
};

template <class Ranks, class Shape, class K>
struct block_split_sort_storage {
  typename tile_ranks<Ranks, Shape>::storage ranks;
  alignas(key_vector<K, Shape>) K keys[Shape::items];
};

// Missing keys count as set in every bit and are last at the start, so they stay last.
template <class Ranks, class Shape, class K>
__global__ void __launch_bounds__(Shape::threads)
    block_split_sort_kernel(const K* in, K* out, std::uint64_t n, bool whole_in, bool whole_out, int low, int high) {
  using ranks = tile_ranks<Ranks, Shape>;
  using tile = block::tile<K, Shape>;
  auto& shared = simt::shared_storage<block_split_sort_storage<Ranks, Shape, K>>();
  const unsigned valid = items_of_tile<Shape>(n);
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items;
  typename tile::items key;
  tile::load(in + begin, valid, whole_in, key);
#pragma unroll 1
  for (int bit = low; bit < high; ++bit) {
    tile_flags<Shape> clear;
    make_flags<Shape, K>(key, valid, bit_is_clear{bit}, clear);
    tile_numbers<Shape> rank;
    const unsigned clear_keys = ranks::of(shared.ranks, clear, rank);  // its barrier: shared.keys is no longer read
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = tile::first_item(c);
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        const unsigned behind_clear = clear_keys + (first + static_cast<unsigned>(j) - rank[c][j]);
        shared.keys[clear[c][j] ? rank[c][j] : behind_clear] = key[c][j];
      }
    }
    simt::sync_block();
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      key[c] = reinterpret_cast<const key_vector<K, Shape>&>(shared.keys[tile::first_item(c)]).keys;
  }
  tile::store(out + begin, valid, whole_out, key);
}

template <class Ranks, class Shape = single_items, device_range Keys, output_range Out>
void block_split_sort_with(const exec& where, const Keys& keys, Out&& out, bit_range bits = {}) {
  constexpr const char* function = "survey::block_split_sort_with";
  using K = detail::item_t<Keys>;
  static_assert(std::unsigned_integral<K>, "keys are unsigned integers");
  const auto from = detail::as_input(keys);
  const detail::output<K> to = detail::as_output(out);
  require_keys(from, to, function, true);
  bits = require_bits(bits, 8 * sizeof(K), function);
  const std::uint32_t tiles = detail::tile_count(to.size, Shape::items, function);
  if (tiles == 0) return;
  using storage = block_split_sort_storage<Ranks, Shape, K>;
  simt::launch(block_split_sort_kernel<Ranks, Shape, K>,
               simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(storage), where.stream()}, from.data,
               to.data, to.size, block::is_vector_aligned<K, Shape::width>(from.data),
               block::is_vector_aligned<K, Shape::width>(to.data), bits.low, bits.high);
}

}  // namespace ballot::survey
