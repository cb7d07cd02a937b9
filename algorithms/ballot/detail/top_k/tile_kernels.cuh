// SPDX-License-Identifier: Apache-2.0
// The selection from up to two million keys by two rounds: each block selects from its tile, and
// one block selects from what these leave.
//
//     tiles of 6, k = 2, the smallest    5 3 9 4 7 6 | 2 8 1 3 9 5 | 6 4
//     what tiles leave                   3 4         | 2 1         | 6 4
//     selected                           2 1
//
// A tile leaves as many keys as are wanted, or all that it has, in order of position. So the last
// block knows from the number of keys where its keys are, and how many. The selected keys are the
// first ones in the order of keys and of positions. Each of them is also among the first ones of
// its tile.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/select_in_registers.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// How many keys the tiles of n keys leave.
BALLOT_HOST_DEVICE std::uint64_t left_by_tiles(std::uint64_t n, std::uint64_t k, std::uint64_t tile_items) {
  return n / tile_items * smaller(k, tile_items) + smaller(n % tile_items, k);
}

// The block that selects last, from keys of so many bytes.
template <int KeyBytes>
struct last_block_shape {
  static constexpr int threads = select_threads;
  static constexpr int items = KeyBytes <= 4 ? 24 : 12;
  static constexpr std::uint64_t tile = threads * items;
};

// Stores the tile's first `wanted` keys, in order. code: the keys. position_of(j): the position of
// the thread's key j.
template <int Threads, int Items, class U, class Index, class Codes, class PositionOf>
__device__ __forceinline__ void select_and_store(register_select_storage<U, Threads>& shared, const Codes& code,
                                                 const tile_lanes<Threads, Items>& lanes, std::uint32_t wanted,
                                                 const key_codec<U>& codec, U* keys_out, Index* positions_out,
                                                 const PositionOf& position_of) {
  auto last = last_selected<U>::every_key();
  if (wanted < lanes.valid) last = select_in_registers<Threads, Items, U>(shared, code, lanes, wanted, 0);
  rank_selected<Threads, Items, U>(shared, code, lanes, last, [&](int j, std::uint32_t rank, std::uint32_t) {
    keys_out[rank] = codec.decode(code[j]);
    if (positions_out != nullptr) positions_out[rank] = position_of(j);
  });
}

// The first round: block b leaves its keys from out[b * k] on.
template <class U, class Index, int Threads, int Items>
__global__ void __launch_bounds__(Threads) top_k_tile_kernel(top_k_arguments<U> a, U* keys_out, Index* positions_out) {
  constexpr unsigned tile_items = Threads * Items;
  auto& shared = simt::shared_storage<tile_select_storage<U, Threads, Items>>();
  simt::wait_for_previous_launch();
  simt::let_next_launch_begin();
  const std::uint64_t n = a.n.get(), begin = std::uint64_t{blockIdx.x} * tile_items;
  if (begin >= n) return;
  const tile_lanes<Threads, Items> lanes(static_cast<unsigned>(smaller(n - begin, tile_items)));
  const U* const keys = a.keys + begin;
  const auto code = shared.load_codes(a.codec, lanes, [&](int j) { return keys[lanes.at(j)]; });
  const std::uint64_t each = smaller(a.k, tile_items), to = blockIdx.x * each;
  select_and_store<Threads, Items, U, Index>(shared, code, lanes,
                                             static_cast<std::uint32_t>(smaller(each, lanes.valid)), a.codec,
                                             keys_out + to, positions_out == nullptr ? nullptr : positions_out + to,
                                             [&](int j) { return static_cast<Index>(begin + lanes.at(j)); });
}

// The keys from which the last block selects: the input, or what tiles have left.
template <class U, class Index>
struct left_keys {
  const U* keys;
  const Index* positions;    // null: those in `keys`
  std::uint64_t tile_items;  // 0: of the input

  __device__ __forceinline__ unsigned items(const top_k_arguments<U>& a) const {
    return static_cast<unsigned>(tile_items == 0 ? a.n.get() : left_by_tiles(a.n.get(), a.k, tile_items));
  }
};

// One block, which gets all keys that are left.
template <class U, class Index>
__global__ void __launch_bounds__(last_block_shape<sizeof(U)>::threads)
    top_k_last_kernel(top_k_arguments<U> a, left_keys<U, Index> left, U* keys_out, Index* positions_out) {
  constexpr int threads = last_block_shape<sizeof(U)>::threads, items = last_block_shape<sizeof(U)>::items;
  auto& shared = simt::shared_storage<tile_select_storage<U, threads, items>>();
  simt::wait_for_previous_launch();
  const tile_lanes<threads, items> lanes(left.items(a));
  if (simt::thread_rank() == 0) a.store_wanted();
  if (lanes.valid == 0) return;
  const auto code = shared.load_codes(a.codec, lanes, [&](int j) { return left.keys[lanes.at(j)]; });
  select_and_store<threads, items, U, Index>(
      shared, code, lanes, static_cast<std::uint32_t>(a.wanted()), a.codec, keys_out, positions_out,
      [&](int j) { return left.positions == nullptr ? static_cast<Index>(lanes.at(j)) : left.positions[lanes.at(j)]; });
}

}  // namespace ballot::detail
