// SPDX-License-Identifier: Apache-2.0
// The sample and its cut (kernels.cuh says what they are for), by blocks that hold their parts of
// the sample in registers.
//
//     block 0   samples 0 to 8191        its smallest ones, in order of position
//     block 1   samples 8192 to 16383    its smallest ones
//     a second launch                    the cut of all
//
// One block alone finds the cut itself. The positions of samples ascend, so their order is that of
// positions.
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
inline constexpr std::uint64_t most_listed = 256;  // of a block of several, for one that finds their cut

// The samples before tiles: blocks of 512 threads, with a key or two each. For up to 2^21 keys the
// block of each tile finds the cut of their lists itself. For more keys one block does. H100,
// 2026-11-24, u32, k = 1000, in a graph, microseconds of a call, with the cut found by one block
// and by each tile's: 65,537 keys 16.3 and 13.6, 10^6 keys 20.0 and 16.2, 4 10^6 keys 29.0 and
// 32.9. 2026-11-25, keys that are the `and` of five words: 5 10^6 keys with 32 blocks of 16 keys a
// thread 37.9, with 64 of two 29.8, with 32 of two 32.4; 10^6 keys with 16 blocks 23.1, with 32
// 20.6.
inline constexpr unsigned most_of_lists = 6144, most_of_many_lists = 8192;
struct filter_sample {
  enum class kind { tiles, lists, large_blocks };  // who finds the cut: each tile, one block; of blocks of 8192
  kind by = kind::tiles;
  unsigned blocks = 0;

  BALLOT_HOST_DEVICE std::uint32_t of_block() const {
    return by == kind::large_blocks
               ? std::uint32_t{sample_of_block}
               : static_cast<std::uint32_t>(by == kind::tiles ? select_threads : 2 * select_threads);
  }
  BALLOT_HOST_DEVICE std::uint64_t items() const { return std::uint64_t{blocks} * of_block(); }
  // So many keys does a block list at most.
  BALLOT_HOST_DEVICE std::uint32_t most() const {
    if (by == kind::large_blocks) return std::uint32_t{most_listed};
    return (by == kind::tiles ? most_of_lists : most_of_many_lists) / blocks;
  }
  BALLOT_HOST_DEVICE std::uint64_t slack(std::uint64_t rank) const {
    return by == kind::tiles ? slack_of_tiles(rank) : sample_slack(rank);
  }
  // Room for all lists.
  std::uint64_t listed() const {
    return by == kind::large_blocks ? blocks * list_of_block
           : by == kind::tiles      ? std::uint64_t{most_of_lists}
                                    : std::uint64_t{most_of_many_lists};
  }
};

template <class U, int Items = sample_items>
using sample_select_storage = tile_select_storage<U, select_threads, Items>;

// How the sample bounds the selected keys. If there are several blocks, each lists more keys than
// the cut may select. So none of its other keys is before the cut, although the cut may end with a
// digit whose keys are not all listed. (If keys are in order, one block has all of the first ones.)
struct sample_bounds {
  std::uint64_t n;
  std::uint32_t sample, rank, slack;
  std::uint32_t listed;  // of each block of several

  __device__ __forceinline__ sample_bounds(std::uint64_t items, std::uint64_t wanted, const filter_sample& of)
      : n(items),
        sample(static_cast<std::uint32_t>(of.items())),
        rank(static_cast<std::uint32_t>(sample_rank(wanted, n == 0 ? 1 : n, sample))),
        slack(static_cast<std::uint32_t>(of.slack(rank))),
        listed(smaller(rank + slack + 1, of.most())) {}
  // Whether there are too few keys for a sample, or too few of a sample to bound anything.
  __device__ __forceinline__ bool selects_all(std::uint32_t of) const { return n <= sample || rank >= of; }
};

template <class U, int Items = sample_items>
__global__ void __launch_bounds__(select_threads)
    top_k_block_sample_kernel(top_k_arguments<U> a, sample_lists<U> lists, filter_sample of) {
  auto& shared = simt::shared_storage<sample_select_storage<U, Items>>();
  // The tiles of the next launch load keys before they wait for this launch. So this launch lets
  // them begin once it has waited for the launch before, whatever that is.
  simt::wait_for_previous_launch();
  simt::let_next_launch_begin();
  const sample_bounds bounds(a.n.get(), a.wanted(), of);
  const bool is_alone = gridDim.x == 1, is_first = blockIdx.x == 0 && simt::thread_rank() == 0;
  if (is_first) a.store_wanted(), a.state->candidates = 0;
  if (bounds.selects_all(is_alone ? bounds.sample : ~std::uint32_t{0})) {
    if (is_first) a.state->sampled = cut<U>::all();
    return;
  }
  const tile_lanes<select_threads, Items> lanes(select_threads * Items);
  const auto position_of = [&](int j) {
    return sampled_position(std::uint64_t{blockIdx.x} * (select_threads * Items) + lanes.at(j), bounds.n,
                            bounds.sample);
  };
  const auto code = shared.load_codes(a.codec, lanes, [&](int j) { return a.keys[position_of(j)]; });
  const auto last = select_in_registers<select_threads, Items, U>(
      shared, code, lanes, is_alone ? bounds.rank : bounds.listed, is_alone ? bounds.slack : 0);
  const std::uint64_t list = std::uint64_t{blockIdx.x} * bounds.listed;
  if (is_alone && last.of_equal == last_selected<U>::all) {
    if (is_first) a.state->sampled = {last.code, ~std::uint64_t{0}};
    return;
  }
  // Of keys of 8 bytes positions anew, so that nothing of them takes registers during the search.
  const std::uint64_t n = sizeof(U) == 8 ? simt::opaque(a.n.get()) : bounds.n;
  const auto put = [&](int j, std::uint32_t rank, std::uint32_t of_equal) {
    const std::uint64_t position =
        sampled_position(std::uint64_t{blockIdx.x} * (select_threads * Items) + lanes.at(j), n, bounds.sample);
    if (!is_alone) {
      lists.codes[list + rank] = code[j];
      lists.positions[list + rank] = position;
    } else if (code[j] == last.code && of_equal + 1 == last.of_equal) {
      a.state->sampled = {last.code, position + 1};
    }
  };
  rank_selected<select_threads, Items, U>(shared, code, lanes, last, put);
}

// One block: the cut of the lists of some blocks.
template <class U>
__global__ void __launch_bounds__(select_threads)
    top_k_lists_kernel(top_k_arguments<U> a, sample_lists<U> lists, filter_sample of) {
  auto& shared = simt::shared_storage<sample_select_storage<U>>();
  const sample_bounds bounds(a.n.get(), a.wanted(), of);
  simt::let_next_launch_begin();
  simt::wait_for_previous_launch();
  const tile_lanes<select_threads, sample_items> lanes(of.blocks * bounds.listed);
  if (bounds.selects_all(lanes.valid)) {
    if (simt::thread_rank() == 0) a.state->sampled = cut<U>::all();
    return;
  }
  // Ordered bits already.
  const auto code = shared.load_codes({}, lanes, [&](int j) { return lists.codes[lanes.at(j)]; });
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

// The same for each tile, by its own block: so no launch is between the sample and the tiles.
template <class U, int Threads>
struct list_cut_storage {
  static constexpr int items = most_of_lists / Threads;
  tile_select_storage<U, Threads, items> select;
  std::uint64_t end;
};
template <class U, int Threads>
__device__ __forceinline__ cut<U> cut_of_lists(list_cut_storage<U, Threads>& shared, const top_k_arguments<U>& a,
                                               const sample_lists<U>& lists, const filter_sample& of) {
  constexpr int items = list_cut_storage<U, Threads>::items;
  const sample_bounds bounds(a.n.get(), a.wanted(), of);
  const tile_lanes<Threads, items> lanes(of.blocks * bounds.listed);
  if (bounds.selects_all(lanes.valid)) return cut<U>::all();
  const auto code = shared.select.load_codes({}, lanes, [&](int j) { return lists.codes[lanes.at(j)]; });
  const auto last = select_in_registers<Threads, items, U>(shared.select, code, lanes, bounds.rank, bounds.slack);
  if (last.of_equal == last_selected<U>::all) return {last.code, ~std::uint64_t{0}};
  rank_selected<Threads, items, U>(shared.select, code, lanes, last, [&](int j, std::uint32_t, std::uint32_t of_equal) {
    if (code[j] == last.code && of_equal + 1 == last.of_equal) shared.end = lists.positions[lanes.at(j)] + 1;
  });
  simt::sync_block();
  return {last.code, shared.end};
}

}  // namespace ballot::detail
