// SPDX-License-Identifier: Apache-2.0
// The selection by one cluster, whose blocks hold all keys in shared memory: from the input, or
// from the candidates that tiles have stored (filter_kernels.cuh).
//
//     block 0   keys 0 to 2047        as many keys for each block, in whole rows of its threads
//     block 1   keys 2048 to 4095
//     block 2   keys 4096 to 4999
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/top_k/candidates.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/select_in_cluster.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// The blocks of a cluster, for keys of so many bytes.
template <int KeyBytes>
struct cluster_shape {
  static constexpr int threads = 1024;
  static constexpr int items = KeyBytes <= 4 ? 32 : 16;
  static constexpr std::uint64_t tile = threads * items;
};

template <class U>
using cluster_key_storage =
    cluster_select_storage<U, cluster_shape<sizeof(U)>::threads, cluster_shape<sizeof(U)>::items>;

// Selects from n keys: key_of(i) is key i, not encoded, and position_of(i) its position. All
// threads of all blocks.
template <class U, class Index, class KeyOf, class PositionOf>
__device__ __forceinline__ void select_by_cluster(cluster_key_storage<U>& shared, const key_codec<U>& codec,
                                                  std::uint32_t n, std::uint32_t wanted, U* keys_out,
                                                  Index* positions_out, const KeyOf& key_of,
                                                  const PositionOf& position_of) {
  using shape = cluster_shape<sizeof(U)>;
  const std::uint32_t each = ceil_div(n, gridDim.x * std::uint32_t{shape::threads}) * shape::threads;
  const std::uint32_t begin = static_cast<std::uint32_t>(smaller(std::uint64_t{blockIdx.x} * each, n));
  const tile_lanes<shape::threads, shape::items> lanes(smaller(each, n - begin));
  const bool samples = simt::warp_id() == 0 && n != 0;
  U sampled{0};
  if (samples) sampled = key_of(static_cast<std::uint32_t>(std::uint64_t{simt::lane_id()} * n / simt::warp_size));
  const auto code = shared.load_codes(codec, lanes, [&](int j) { return key_of(begin + lanes.at(j)); });
  if (samples) guess_first_digit(shared, codec.encode(sampled));
  const auto last = select_in_cluster<shape::threads, shape::items, U>(shared, code, lanes, n, wanted);
  rank_in_cluster<shape::threads, shape::items, U>(shared, code, lanes, last,
                                                   [&](int j, std::uint32_t rank, std::uint32_t) {
                                                     keys_out[rank] = codec.decode(code[j]);
                                                     if (positions_out != nullptr)
                                                       positions_out[rank] = position_of(begin + lanes.at(j));
                                                   });
}

// From the input, which the cluster can hold.
template <class U, class Index>
__global__ void __launch_bounds__(cluster_shape<sizeof(U)>::threads)
    top_k_cluster_kernel(top_k_arguments<U> a, U* keys_out, Index* positions_out) {
  auto& shared = simt::shared_storage<cluster_key_storage<U>>();
  simt::wait_for_previous_launch();
  if (blockIdx.x == 0 && simt::thread_rank() == 0) a.store_wanted();
  select_by_cluster<U, Index>(
      shared, a.codec, static_cast<std::uint32_t>(a.n.get()), static_cast<std::uint32_t>(a.wanted()), keys_out,
      positions_out, [&](std::uint32_t i) { return a.keys[i]; },
      [&](std::uint32_t i) { return static_cast<Index>(i); });
}

template <class U>
struct cluster_candidates_storage {
  static constexpr int threads = cluster_shape<sizeof(U)>::threads;
  union {
    cluster_key_storage<U> select;
    top_k_block_storage<threads> whole;
    block::scan<std::uint32_t, threads>::storage scan;
  };
  candidate_places places;
};

// From the candidates of tiles. If they are too few or too many, one block selects from the input.
template <class U, class Index>
__global__ void __launch_bounds__(cluster_shape<sizeof(U)>::threads)
    top_k_cluster_candidates_kernel(top_k_arguments<U> a, filtered_keys<U> from, int position_bits, U* keys_out,
                                    Index* positions_out) {
  constexpr int threads = cluster_shape<sizeof(U)>::threads;
  auto& shared = simt::shared_storage<cluster_candidates_storage<U>>();
  const auto n = static_cast<std::uint32_t>(a.n.get()), wanted = static_cast<std::uint32_t>(a.wanted());
  const auto tiles = static_cast<unsigned>(ceil_div(n, filter_tile));
  simt::wait_for_previous_launch();
  const std::uint32_t candidates = shared.places.template load<threads>(shared.scan, from, tiles);
  if (candidates < wanted || candidates > from.room) {
    if (blockIdx.x == 0)
      select_from_range<threads, U, Index>(shared.whole, a, a.keys, n, static_cast<const Index*>(nullptr), wanted,
                                           8 * static_cast<int>(sizeof(U)), position_bits, keys_out, positions_out);
    return;
  }
  select_by_cluster<U, Index>(
      shared.select, a.codec, candidates, wanted, keys_out, positions_out,
      [&](std::uint32_t i) { return from.keys[shared.places.of(i, tiles)]; },
      [&](std::uint32_t i) { return static_cast<Index>(from.positions[shared.places.of(i, tiles)]); });
}

}  // namespace ballot::detail
