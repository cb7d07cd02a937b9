// SPDX-License-Identifier: Apache-2.0
// The selection from up to sixteen million keys by a sample:
//
// 1. Blocks take the sample and find the cut that bounds the selected keys (sample_kernels.cuh).
// 2. Each tile stores those of its keys that are candidates.
// 3. One block selects from the candidates.
//
//     tile 0   5 3 9 4 7 6     cut 4: candidates    3 4    2 of them, from 2 on    stored  2 3 3 4
//     tile 1   8 9 2 3 9 5                          2 3    2 of them, from 0 on
//
// A tile takes room for its candidates by adding their number to a sum, in whatever order tiles
// come. The last block ranks tiles by their numbers of candidates, in order. So it reads the
// candidates in the order of their positions, and its result does not depend on the order in which
// tiles came. Only launches wait for each other. Each tile is loaded while the sample is taken.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/top_k/candidates.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/sample_kernels.cuh>
#include <ballot/detail/top_k/select_in_registers.cuh>
#include <ballot/detail/top_k/tile_kernels.cuh>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// Selects the items that a cut selects. Items: keys, at their positions.
template <class U>
struct cut_selector {
  static constexpr bool needs_items = true;
  key_codec<U> codec;
  const cut<U>* at;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& key, std::uint64_t first, unsigned valid) const {
    const U last = at->code;
    const bool is_plain = codec.sign_mask == 0;  // integers: without what only floats need
    unsigned below = 0, equal = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const U code = is_plain ? static_cast<U>(key[j] ^ codec.flip) : codec.encode(key[j]);
      if (code < last) below |= 1u << j;
      if (code == last) equal |= 1u << j;
    }
    if (equal != 0) {
      const std::uint64_t end = at->end;
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if ((equal >> j & 1u) != 0 && first + static_cast<unsigned>(j) < end) below |= 1u << j;
    }
    return valid >= Width ? below : below & ((1u << valid) - 1u);
  }
};

// Where tiles store their candidates.
template <class U>
using filter_shape = block::tile_shape<512, 16 / block::vector_width<U>(), block::vector_width<U>()>;
template <class U, class Shape>
struct filter_storage {
  list_cut_storage<U, Shape::threads> lists;
  std::uint32_t of_warp[Shape::warps];
  std::uint32_t begin;
};

template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    top_k_filter_kernel(top_k_arguments<U> a, filtered_keys<U> to, sample_lists<U> lists, filter_sample sample,
                        bool vector_aligned) {
  static_assert(Shape::items == filter_tile);
  using tile = block::tile<U, Shape>;
  auto& shared = simt::shared_storage<filter_storage<U, Shape>>();
  const unsigned lane = simt::lane_id(), warp = simt::warp_id();
  simt::let_next_launch_begin();
  const std::uint64_t n = a.n.get(), begin = std::uint64_t{blockIdx.x} * Shape::items;
  const auto valid = begin < n ? static_cast<unsigned>(smaller(n - begin, Shape::items)) : 0u;
  typename tile::items key;
  if (valid != 0) load_keys<U, Shape>(a.keys + begin, valid, vector_aligned, key);
  simt::wait_for_previous_launch();  // the cut
  if (valid == 0) return;
  const cut<U> at = sample.by == filter_sample::kind::tiles
                        ? cut_of_lists<U, Shape::threads>(shared.lists, a, lists, sample)
                        : a.state->sampled;
  const cut_selector<U> selector{a.codec, &at};
  unsigned flags[Shape::chunks];
  std::uint32_t mine = 0;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = tile::first_item(c);
    flags[c] = first < valid ? selector.template flags<Shape::width>(key[c], begin + first, valid - first) : 0u;
    mine += static_cast<std::uint32_t>(simt::popcount(flags[c]));
  }
  const std::uint32_t of_warp = simt::reduce_add(mine);
  if (lane == 0) shared.of_warp[warp] = of_warp;
  simt::sync_block();
  const std::uint32_t of_lane = lane < Shape::warps ? shared.of_warp[lane] : 0u;
  const std::uint32_t of_tile = simt::reduce_add(of_lane);
  if (simt::thread_rank() == 0) {
    // Relaxed: tiles need no order. The sample has set the sum to zero.
    shared.begin =
        of_tile == 0 ? 0 : static_cast<std::uint32_t>(simt::atomic_add(&a.state->candidates, std::uint64_t{of_tile}));
    to.counts[blockIdx.x] = of_tile;
    to.begins[blockIdx.x] = shared.begin;
  }
  if (of_tile == 0) return;
  std::uint32_t before = simt::reduce_add(lane < warp ? of_lane : 0u);
  simt::sync_block();
  if (of_warp == 0 || shared.begin + of_tile > to.room) return;  // too many: nothing of them is read
  before += shared.begin;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    std::uint32_t rank = before, of_chunk = 0;
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) {
      const unsigned selected = simt::ballot((flags[c] >> j & 1u) != 0);
      rank += static_cast<std::uint32_t>(simt::popcount(selected & simt::lanemask_lt()));
      of_chunk += static_cast<std::uint32_t>(simt::popcount(selected));
    }
#pragma unroll
    for (int j = 0; j < Shape::width; ++j)
      if ((flags[c] >> j & 1u) != 0) {
        to.keys[rank] = key[c][j];
        to.positions[rank++] = static_cast<std::uint32_t>(begin) + tile::first_item(c) + static_cast<unsigned>(j);
      }
    before += of_chunk;
  }
}

template <class U>
struct candidates_storage {
  static constexpr int threads = last_block_shape<sizeof(U)>::threads;
  union {
    tile_select_storage<U, threads, last_block_shape<sizeof(U)>::items> select;
    top_k_block_storage<threads> whole;
    block::scan<std::uint32_t, threads>::storage scan;
  };
  candidate_places places;
};

// One block. It selects from the candidates, or from the input if they are too few or too many.
template <class U, class Index>
__global__ void __launch_bounds__(last_block_shape<sizeof(U)>::threads)
    top_k_candidates_kernel(top_k_arguments<U> a, filtered_keys<U> from, int position_bits, U* keys_out,
                            Index* positions_out) {
  using shape = last_block_shape<sizeof(U)>;
  static_assert(shape::tile < (1u << 16));
  auto& shared = simt::shared_storage<candidates_storage<U>>();
  const auto n = static_cast<std::uint32_t>(a.n.get()), wanted = static_cast<std::uint32_t>(a.wanted());
  const auto tiles = static_cast<unsigned>(ceil_div(n, filter_tile));
  simt::wait_for_previous_launch();
  const std::uint32_t candidates = shared.places.template load<shape::threads>(shared.scan, from, tiles);
  if (candidates < wanted || candidates > from.room) {
    select_from_range<shape::threads, U, Index>(shared.whole, a, a.keys, n, static_cast<const Index*>(nullptr), wanted,
                                                8 * static_cast<int>(sizeof(U)), position_bits, keys_out,
                                                positions_out);
    return;
  }
  if (candidates == 0) return;
  const tile_lanes<shape::threads, shape::items> lanes(candidates);
  const auto place_of = [&](int j) { return shared.places.of(lanes.at(j), tiles); };
  const auto code = shared.select.load_codes(a.codec, lanes, [&](int j) { return from.keys[place_of(j)]; });
  select_and_store<shape::threads, shape::items, U, Index>(
      shared.select, code, lanes, wanted, a.codec, keys_out, positions_out,
      [&](int j) { return static_cast<Index>(from.positions[place_of(j)]); });
}

template <class U>
struct last_storage {
  union {
    tile_select_storage<U, select_threads, last_block_shape<sizeof(U)>::items> select;
    top_k_block_storage<select_threads> whole;
  };
};

// One block. It selects from the candidates, in registers if there are few. If they are too few or
// too many, it selects from the input.
template <class U, class Index>
__global__ void __launch_bounds__(select_threads)
    top_k_block_kernel(top_k_arguments<U> a, top_k_block_arguments<U, Index> b) {
  auto& shared = simt::shared_storage<last_storage<U>>();
  const std::uint64_t wanted = a.wanted();
  bool from_candidates = false;
  if (b.candidate_keys != nullptr) {
    const std::uint64_t candidates = a.state->candidates;
    from_candidates = candidates >= wanted && candidates <= b.capacity;
    if (from_candidates && b.only_unusable) return;
    if constexpr (sizeof(U) <= 8) {
      using shape = last_block_shape<sizeof(U)>;
      if (from_candidates && candidates <= shape::tile) {
        if (candidates == 0) return;
        const tile_lanes<shape::threads, shape::items> lanes(static_cast<unsigned>(candidates));
        const auto code =
            shared.select.load_codes(a.codec, lanes, [&](int j) { return b.candidate_keys[lanes.at(j)]; });
        return select_and_store<shape::threads, shape::items, U, Index>(
            shared.select, code, lanes, static_cast<std::uint32_t>(wanted), a.codec, b.keys_out, b.positions_out,
            [&](int j) { return b.candidate_positions[lanes.at(j)]; });
      }
    }
  } else if (simt::thread_rank() == 0) {
    a.store_wanted();
  }
  const std::uint64_t n = from_candidates ? a.state->candidates : a.n.get();
  // Candidates have no bits above those of the cut that bounds them.
  const int code_bits = from_candidates ? bits_of(a.state->sampled.code) : 8 * static_cast<int>(sizeof(U));
  select_from_range<select_threads, U, Index>(shared.whole, a, from_candidates ? b.candidate_keys : a.keys, n,
                                              from_candidates ? b.candidate_positions : nullptr, wanted, code_bits,
                                              b.position_bits, b.keys_out, b.positions_out);
}

}  // namespace ballot::detail
