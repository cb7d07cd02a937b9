// SPDX-License-Identifier: Apache-2.0
// The kernels of top_k beside the compaction: the sample, the digits of a selection by many blocks,
// and the selection by one block.
//
// The sample: keys at random places, one of each stretch of the input. The positions alone decide
// the places. The sample is cut at some more keys than are expected to be among the selected items.
// This cut bounds the selected items: the items that it selects are the candidates. Neither the
// distribution of the keys nor equal keys matter, since equal keys differ by their positions.
//
// The candidates may be fewer than wanted, or more than there is room for. Then one block selects
// from the whole input instead; the result is the same. (By chance that happens less than once in
// 10^7 calls. Keys could be arranged so that it happens.)
// Source: Floyd and Rivest, Expected Time Bounds for Selection, 1975.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/key_tile.cuh>
#include <ballot/detail/top_k/cut.cuh>
#include <ballot/device/last_block.cuh>
#include <ballot/simt/simt.cuh>

#include <cmath>
#include <cstdint>

namespace ballot::detail {

inline constexpr int select_threads = 512;
inline constexpr std::uint64_t sample_of_block = 8192, list_of_block = 512;

// What the kernels of one call hand on to each other.
template <class U>
struct top_k_state {
  std::uint64_t selected;    // how many there will be
  std::uint64_t candidates;  // how many the sample's cut selects
  std::uint64_t compacted;   // how many the exact cut selects
  cut<U> sampled, exact;
  cut_search<U> search;
  std::uint32_t finished[32];  // blocks of each launch; zero at first
};

// For the k smallest of n items: at how many items of a sample to cut. It is the expected number
// and five standard deviations more.
BALLOT_HOST_DEVICE std::uint64_t sample_rank(std::uint64_t k, std::uint64_t n, std::uint64_t sample) {
  const double expected = static_cast<double>(k) * static_cast<double>(sample) / static_cast<double>(n);
  return static_cast<std::uint64_t>(expected + 5 * std::sqrt(expected + 1)) + 8;
}
BALLOT_HOST_DEVICE std::uint64_t sample_slack(std::uint64_t rank) { return rank / 4 + 2; }
// The slack if each tile's block finds the cut. It ends the search sooner for keys with few
// different digits.
BALLOT_HOST_DEVICE std::uint64_t slack_of_tiles(std::uint64_t rank) { return rank / 2 + 2; }

template <class U>
struct top_k_arguments {
  const U* keys;
  length n;
  key_codec<U> codec;
  std::uint64_t k;
  top_k_state<U>* state;
  device_count count;  // of a kernel that leaves the number of selected items; else none

  __device__ __forceinline__ std::uint64_t wanted() const { return smaller(k, n.get()); }
  __device__ __forceinline__ void store_wanted() const {
    state->selected = wanted();
    if (count.address() != nullptr) count.store(wanted());
  }
};

// Where the blocks of a sample store their smallest keys: list_of_block of each.
template <class U>
struct sample_lists {
  U* codes;
  std::uint64_t* positions;
};

// One key of each of `sample` stretches of n items: a power of two.
BALLOT_HOST_DEVICE std::uint64_t sampled_position(std::uint64_t i, std::uint64_t n, std::uint64_t sample) {
  const std::uint64_t each = n / sample, rest = n & (sample - 1);  // the first `rest` stretches have one more
  const std::uint64_t begin = i * each + smaller(i, rest), items = each + (i < rest ? 1 : 0);
  // Stretches are shorter than 2^32.
  std::uint64_t random = (i + 1) * 0x9e3779b97f4a7c15u;  // splitmix64
  random = (random ^ random >> 30) * 0xbf58476d1ce4e5b9u;
  random = (random ^ random >> 27) * 0x94d049bb133111ebu;
  return begin + ((random ^ random >> 31) >> 32) * items / (std::uint64_t{1} << 32);
}

struct sample_storage {
  digit_search_storage<select_threads> search;
  std::uint32_t listed;
  bool last_block;
};

template <class U>
__global__ void __launch_bounds__(select_threads) top_k_sample_kernel(top_k_arguments<U> a, sample_lists<U> lists) {
  auto& shared = simt::shared_storage<sample_storage>();
  const std::uint64_t n = a.n.get(), sample = gridDim.x * sample_of_block;
  const unsigned thread = simt::thread_rank();
  if (blockIdx.x == 0 && thread == 0) a.store_wanted();
  if (n <= sample) {
    if (blockIdx.x == 0 && thread == 0) a.state->sampled = cut<U>::all();
    return;
  }
  const select_plan plan{8 * static_cast<int>(sizeof(U)), 64 - static_cast<int>(simt::leading_zeros(n))};
  const std::uint64_t rank = sample_rank(a.wanted(), n, sample), slack = sample_slack(rank);
  const std::uint64_t first = blockIdx.x * sample_of_block;
  const auto position_of = [&](std::uint64_t i) { return sampled_position(first + i, n, sample); };
  const auto code_of = [&](std::uint64_t i) { return a.codec.encode(a.keys[position_of(i)]); };
  if (gridDim.x == 1) {
    const cut<U> found =
        select_in_block<select_threads, U>(shared.search, plan, sample, rank, slack, code_of, position_of);
    if (thread == 0) a.state->sampled = found;
    return;
  }

  // The smallest of the block; the smallest of all are among them.
  const std::uint64_t of_block = smaller(rank + slack + 1, list_of_block / 2);  // see sample_bounds
  const cut<U> smallest = select_in_block<select_threads, U>(shared.search, plan, sample_of_block, of_block,
                                                             list_of_block / 2, code_of, position_of);
  if (thread == 0) shared.listed = 0;
  simt::sync_block();
  const std::uint64_t list = blockIdx.x * list_of_block;
  for (std::uint64_t i = thread; i < sample_of_block; i += select_threads) {
    const std::uint64_t at = position_of(i);
    const U code = a.codec.encode(a.keys[at]);
    if (!smallest.selects(code, at)) continue;
    const std::uint32_t to = simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.listed, 1u);
    lists.codes[list + to] = code;
    lists.positions[list + to] = at;
  }
  simt::sync_block();
  for (std::uint64_t i = shared.listed + thread; i < list_of_block; i += select_threads) {  // none: after all others
    lists.codes[list + i] = static_cast<U>(~U{0});
    lists.positions[list + i] = n + blockIdx.x * list_of_block + i;
  }
  if (!device::is_last_block(&a.state->finished[0], shared.last_block)) return;
  const cut<U> found = select_in_block<select_threads, U>(
      shared.search, {plan.code_bits, plan.position_bits + 1}, gridDim.x * list_of_block, rank, slack,
      [&](std::uint64_t i) { return lists.codes[i]; }, [&](std::uint64_t i) { return lists.positions[i]; });
  if (thread == 0) a.state->sampled = found;
}

// The items from which many blocks select: the input, or the candidates if they are enough and not
// too many.
template <class U>
struct select_source {
  const U* keys;
  length n;
  bool is_of_candidates;

  __device__ __forceinline__ bool is_usable(const top_k_arguments<U>& a) const {
    return !is_of_candidates || (a.state->candidates <= n.capacity && a.state->candidates >= a.wanted());
  }
};

template <class Shape>
struct digit_storage {
  digit_search_storage<Shape::threads> search;
  bool last_block;
};

// One digit of the search for the exact cut. counts: those of this pass's digits, zero at launch.
template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    top_k_digit_kernel(top_k_arguments<U> a, select_source<U> source, select_plan plan, int pass, bool vector_aligned,
                       std::uint64_t* counts) {
  using tile = block::tile<U, Shape>;
  auto& shared = simt::shared_storage<digit_storage<Shape>>();
  const unsigned thread = simt::thread_rank();
  simt::let_next_launch_begin();
  simt::wait_for_previous_launch();  // the digits before
  const std::uint64_t n = source.n.get(), wanted = a.wanted();
  cut_search<U> search{U{0}, 0, wanted, 0};
  if (pass == 0) {
    const bool is_usable = source.is_usable(a);
    if (!is_usable || wanted == 0 || wanted >= n) {  // nothing to search
      if (blockIdx.x == 0 && thread == 0) {
        a.store_wanted();
        a.state->exact = is_usable && wanted != 0 ? cut<U>::all() : cut<U>::none();
        a.state->search.is_done = 1;
      }
      return;
    }
  } else {
    search = a.state->search;
    if (search.is_done != 0) return;
  }
  for (unsigned d = thread; d < select_digits; d += Shape::threads) shared.search.counts[d] = 0;
  simt::sync_block();
  for (std::uint64_t begin = std::uint64_t{blockIdx.x} * Shape::items; begin < n;
       begin += std::uint64_t{gridDim.x} * Shape::items) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    typename tile::items key;
    load_keys<U, Shape>(source.keys + begin, valid, vector_aligned, key);
    encode_keys(a.codec, key);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        const unsigned item = tile::first_item(c) + static_cast<unsigned>(j);
        add_row(shared.search.counts, item < valid && search.has_item(plan, pass, key[c][j], begin + item),
                search.digit(plan, pass, key[c][j], begin + item));
      }
  }
  simt::sync_block();
  // Relaxed: released and acquired by is_last_block.
  for (unsigned d = thread; d < select_digits; d += Shape::threads)
    if (const std::uint32_t count = shared.search.counts[d]; count != 0)
      simt::atomic_add(counts + d, std::uint64_t{count});
  if (!device::is_last_block(&a.state->finished[1 + pass], shared.last_block)) return;
  for (unsigned d = thread; d < select_digits; d += Shape::threads)
    shared.search.totals[d] = simt::load_relaxed(counts + d);
  simt::sync_block();
  take_digit<Shape::threads>(shared.search, shared.search.totals, plan, pass, 0, search);
  if (thread != 0) return;
  if (pass == 0) a.store_wanted();  // after a sample once more, the same
  a.state->search = search;
  if (search.is_done != 0) a.state->exact = search.result();
}

// The items from which one block selects, and where it stores them.
template <class U, class Index>
struct top_k_block_arguments {
  const U* candidate_keys;  // null: there are none
  const Index* candidate_positions;
  std::uint64_t capacity;  // of the candidates
  bool only_unusable;      // candidates that can be used are left to others
  int position_bits;       // of the input
  U* keys_out;
  Index* positions_out;  // null: not wanted
};

// At least 1.
template <class U>
__device__ __forceinline__ int bits_of(U code) {
  if constexpr (sizeof(U) == 16) {
    const auto high = static_cast<std::uint64_t>(code >> 64);
    return high != 0 ? 64 + bits_of(high) : bits_of(static_cast<std::uint64_t>(code));
  } else {
    return 64 - static_cast<int>(simt::leading_zeros(static_cast<std::uint64_t>(code | 1u)));
  }
}

template <int Threads>
struct top_k_block_storage {
  digit_search_storage<Threads> search;
  typename block::scan<std::uint32_t, Threads>::storage scan;
};

// One block selects from n keys, and stores in order of position. positions: null if they are those
// in `keys`. code_bits: no key's ordered bits have more bits.
template <int Threads, class U, class Index>
__device__ __forceinline__ void select_from_range(top_k_block_storage<Threads>& shared, const top_k_arguments<U>& a,
                                                  const U* keys, std::uint64_t n, const Index* positions,
                                                  std::uint64_t wanted, int code_bits, int position_bits, U* keys_out,
                                                  Index* positions_out) {
  const unsigned thread = simt::thread_rank();
  const auto code_of = [&](std::uint64_t i) { return a.codec.encode(keys[i]); };
  const cut<U> found = select_in_block<Threads, U>(shared.search, {code_bits, position_bits}, n, wanted, 0, code_of,
                                                   [](std::uint64_t i) { return i; });
  constexpr unsigned each = 4;
  std::uint64_t before = 0;
#pragma unroll 1
  for (std::uint64_t base = 0; base < n && before < wanted; base += Threads * each) {
    U key[each]{};
    std::uint32_t mine = 0;
    const std::uint64_t first = base + thread * each;
#pragma unroll
    for (unsigned j = 0; j < each; ++j)
      if (first + j < n) {
        key[j] = keys[first + j];
        if (found.selects(a.codec.encode(key[j]), first + j)) mine |= 1u << j;
      }
    std::uint32_t total;
    std::uint64_t to = before + block::scan<std::uint32_t, Threads>::exclusive(
                                    shared.scan, static_cast<std::uint32_t>(simt::popcount(mine)), 0u, total);
#pragma unroll
    for (unsigned j = 0; j < each; ++j) {
      if ((mine >> j & 1u) == 0) continue;
      keys_out[to] = key[j];
      if (positions_out != nullptr)
        positions_out[to] = positions != nullptr ? positions[first + j] : static_cast<Index>(first + j);
      ++to;
    }
    before += total;
    simt::sync_block();  // the scan's memory is used again
  }
}

}  // namespace ballot::detail
