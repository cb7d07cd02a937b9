// SPDX-License-Identifier: Apache-2.0
// Radix sort by splits, the third of the chapter's applications: a stable split by each bit of the
// keys, the least significant first.
//
//     survey::split_sort_with<survey::binary_ranks>(gpu, keys, sorted);
//     survey::split_sort_with<survey::generic_ranks>(gpu, keys, sorted, {4, 12});        // by bits 4 to 11
//
//     keys    101 010 | 111 000 | ...       a pass, by bit 0:
//     clear       010 |     000 | ...       counted and scanned a tile (tile_counts.cuh), and in total
//     out     010 000 ... | 101 111 ...     clear ones by their rank; set ones after all of those, by theirs
//
// A key's rank among the set ones is its position less its rank among the clear ones, so a pass
// ranks once.
//
// keys, out  device ranges of unsigned integers, of the same type and length, apart from each
//            other; `keys` is kept. Any n, also above 2^32. bits: {low, high}; all bits of the key
//            where not given.
// Ranks      binary_ranks or generic_ranks (flag_ranks.cuh). Shape: a tile's.
// Scratch: split_sort_with_scratch_bytes<K>(n), for any bits, dirty or not: one more buffer of
// keys. Work on the stream: three kernels and a fill a bit, nothing for n = 0. Each pass reads the
// keys twice and writes them once; from one buffer to the other, the last into `out`. Stable and
// deterministic.
// Errors, before any work: invalid_argument for null with n > 0, lengths that differ, overlap, a
// bit range that is empty or outside the key, scratch too small or misaligned; cuda_error from the
// launches. Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, sections 3.1
// and 3.3.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/survey/chapter/flag_ranks.cuh>
#include <ballot/survey/chapter/key_bits.cuh>
#include <ballot/survey/chapter/tile_counts.cuh>

#include <concepts>
#include <cstdint>

namespace ballot::survey {

// before[t]: keys whose bit is clear before tile t; *clear_keys: in all. One barrier.
template <class Ranks, class Shape, class K>
__global__ void __launch_bounds__(Shape::threads)
    split_tiles_kernel(const K* in, std::uint64_t n, bool vector_aligned, bit_is_clear is_clear,
                       const std::uint64_t* before, const std::uint64_t* clear_keys, K* out) {
  using ranks = tile_ranks<Ranks, Shape>;
  using tile = block::tile<K, Shape>;
  auto& shared = simt::shared_storage<typename ranks::storage>();
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items;
  typename tile::items key;
  tile_flags<Shape> clear;
  const unsigned valid = load_flagged<Shape>(in, n, vector_aligned, is_clear, key, clear);
  tile_numbers<Shape> rank;
  ranks::of(shared, clear, rank);
  const std::uint64_t clear_before = before[blockIdx.x], first_set = *clear_keys + (begin - clear_before);
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = tile::first_item(c);
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) {
      const std::uint64_t place =
          clear[c][j] ? clear_before + rank[c][j] : first_set + (first + static_cast<unsigned>(j) - rank[c][j]);
      if (first + j < valid) out[place] = key[c][j];
    }
  }
}

template <class K>
struct split_sort_scratch {
  K* other;
  std::uint64_t* clear_keys;
  tile_counts counts;

  split_sort_scratch(detail::scratch_carver& carver, std::uint64_t n, std::uint64_t tiles)
      : other(carver.take<K>(n)), clear_keys(carver.take<std::uint64_t>(1)), counts(carver, tiles) {}
};

template <class K, class Shape>
std::size_t split_sort_bytes(std::uint64_t n) {
  detail::scratch_carver measure;
  split_sort_scratch<K>(measure, n, detail::ceil_div(n, Shape::items));
  return n == 0 ? 0 : measure.bytes();
}

// Bytes of scratch for n keys, whatever the bits. Pure.
template <std::unsigned_integral K, class Shape = single_items>
std::size_t split_sort_with_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(split_sort_bytes<K, Shape>(n));
}

template <class Ranks, class Shape = single_items, device_range Keys, output_range Out>
void split_sort_with(const exec& where, const Keys& keys, Out&& out, bit_range bits = {}) {
  constexpr const char* function = "survey::split_sort_with";
  using K = detail::item_t<Keys>;
  static_assert(std::unsigned_integral<K>, "keys are unsigned integers");
  const auto from = detail::as_input(keys);
  const detail::output<K> to = detail::as_output(out);
  require_keys(from, to, function);
  bits = require_bits(bits, 8 * sizeof(K), function);
  const std::uint64_t n = to.size;
  const std::uint32_t tiles = detail::tile_count(n, Shape::items, function);
  if (tiles == 0) return;
  const detail::scratch_lease lease(where, split_sort_bytes<K, Shape>(n), function,
                                    {argument_of("keys", from), argument_of("out", to)});
  detail::scratch_carver carver(lease.base());
  const split_sort_scratch<K> scratch(carver, n, tiles);
  using storage = typename tile_ranks<Ranks, Shape>::storage;
  const simt::launch_config a_block_a_tile{dim3(tiles), dim3(Shape::threads), sizeof(storage), where.stream()};
  const K* in = from.data;
  for (int bit = bits.low; bit < bits.high; ++bit) {
    K* const next = (bits.high - bit) % 2 != 0 ? to.data : scratch.other;
    const bit_is_clear is_clear{bit};
    scratch.counts.template launch<Ranks, Shape>(where.stream(), in, n, is_clear, scratch.clear_keys);
    simt::launch(split_tiles_kernel<Ranks, Shape, K>, a_block_a_tile, in, n,
                 block::is_vector_aligned<K, Shape::width>(in), is_clear, scratch.counts.before.data(),
                 scratch.clear_keys, next);
    in = next;
  }
}

}  // namespace ballot::survey
