// SPDX-License-Identifier: Apache-2.0
// The sample and its cut (kernels.cuh says what they are for), by blocks that hold their parts of it in registers.
//
//     block 0   samples 0 to 8191        its smallest ones, in order of position
//     block 1   samples 8192 to 16383    its smallest ones                          a second launch: the cut of all
//
// One block alone finds the cut itself. The positions of samples ascend, so their order is that of positions.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/select_in_registers.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr int sample_items = sample_of_block / select_threads;
inline constexpr std::uint64_t most_listed = 256;  // of a block of several

// How the sample bounds the selected keys.
struct sample_bounds {
  std::uint64_t n;
  std::uint32_t sample, rank, slack;
  std::uint32_t listed;  // of each block of several

  __device__ __forceinline__ sample_bounds(std::uint64_t items, std::uint64_t wanted, unsigned blocks)
      : n(items),
        sample(blocks * static_cast<std::uint32_t>(sample_of_block)),
        rank(static_cast<std::uint32_t>(sample_rank(wanted, n == 0 ? 1 : n, sample))),
        slack(static_cast<std::uint32_t>(sample_slack(rank))),
        listed(static_cast<std::uint32_t>(smaller(rank, most_listed))) {}
  // Whether there are too few keys for a sample, or too few of a sample to bound anything.
  __device__ __forceinline__ bool selects_all(std::uint32_t of) const { return n <= sample || rank >= of; }
};

template <class U>
__global__ void __launch_bounds__(select_threads)
    top_k_block_sample_kernel(top_k_arguments<U> a, sample_lists<U> lists) {
  auto& shared = simt::shared_storage<register_select_storage<U, select_threads>>();
  simt::let_next_launch_begin();
  const sample_bounds bounds(a.n.get(), a.wanted(), gridDim.x);
  const bool is_alone = gridDim.x == 1, is_first = blockIdx.x == 0 && simt::thread_rank() == 0;
  if (is_first) a.store_wanted();
  if (bounds.selects_all(is_alone ? bounds.sample : ~std::uint32_t{0})) {
    if (is_first) a.state->sampled = cut<U>::all();
    return;
  }
  const tile_lanes<select_threads, sample_items> lanes(sample_of_block);
  const auto position_of = [&](int j) {
    return sampled_position(blockIdx.x * sample_of_block + lanes.at(j), bounds.n, bounds.sample);
  };
  U code[sample_items];
#pragma unroll
  for (int j = 0; j < sample_items; ++j) code[j] = a.keys[position_of(j)];
#pragma unroll
  for (int j = 0; j < sample_items; ++j) code[j] = a.codec.encode(code[j]);
  const auto last = select_in_registers<select_threads, sample_items, U>(
      shared, code, lanes, is_alone ? bounds.rank : bounds.listed, is_alone ? bounds.slack : 0);
  const std::uint64_t list = std::uint64_t{blockIdx.x} * bounds.listed;
  if (is_alone && last.of_equal == last_selected<U>::all) {
    if (is_first) a.state->sampled = {last.code, ~std::uint64_t{0}};
    return;
  }
  // Of keys of 8 bytes positions anew, so that nothing of them takes registers during the search.
  const std::uint64_t n = sizeof(U) == 8 ? simt::opaque(a.n.get()) : bounds.n;
  const auto put = [&](int j, std::uint32_t rank, std::uint32_t of_equal) {
    const std::uint64_t position = sampled_position(blockIdx.x * sample_of_block + lanes.at(j), n, bounds.sample);
    if (!is_alone) {
      lists.codes[list + rank] = code[j];
      lists.positions[list + rank] = position;
    } else if (code[j] == last.code && of_equal + 1 == last.of_equal) {
      a.state->sampled = {last.code, position + 1};
    }
  };
  rank_selected<select_threads, sample_items, U>(shared, code, lanes, last, put);
}

// One block: the cut of the lists of `blocks` blocks, up to 32.
template <class U>
__global__ void __launch_bounds__(select_threads)
    top_k_lists_kernel(top_k_arguments<U> a, sample_lists<U> lists, unsigned blocks) {
  auto& shared = simt::shared_storage<register_select_storage<U, select_threads>>();
  const sample_bounds bounds(a.n.get(), a.wanted(), blocks);
  simt::let_next_launch_begin();
  simt::wait_for_previous_launch();
  const tile_lanes<select_threads, sample_items> lanes(blocks * bounds.listed);
  if (bounds.selects_all(lanes.valid)) {
    if (simt::thread_rank() == 0) a.state->sampled = cut<U>::all();
    return;
  }
  U code[sample_items]{};
#pragma unroll
  for (int j = 0; j < sample_items; ++j)
    if (lanes.has(j)) code[j] = lists.codes[lanes.at(j)];
  const auto last =
      select_in_registers<select_threads, sample_items, U>(shared, code, lanes, bounds.rank, bounds.slack);
  if (last.of_equal == last_selected<U>::all) {
    if (simt::thread_rank() == 0) a.state->sampled = {last.code, ~std::uint64_t{0}};
    return;
  }
  rank_selected<select_threads, sample_items, U>(shared, code, lanes, last,
                                                 [&](int j, std::uint32_t, std::uint32_t of_equal) {
                                                   if (code[j] == last.code && of_equal + 1 == last.of_equal)
                                                     a.state->sampled = {last.code, lists.positions[lanes.at(j)] + 1};
                                                 });
}

}  // namespace ballot::detail
