// Keys by the splitters: which of them later levels look at, and which group each belongs to.
//
//     splitters    30    50 50        groups   < 30: 0   30: 1   ..: 2   50: 4 (of 3, 4, 5)   > 50: 6
//
// Even groups lie between splitters; keys equal to one are apart, because some of them go to the left and some to the right:
// so many from the group's beginning. Groups are bytes, and one pass of a radix sort by them orders keys and values.
//
// Splitters are on the device, and few; each block brings them to shared memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/splitters.cuh>

namespace ballot::distributed::detail {

template <class U>
struct few_splitters {
  U at[most_boundaries + 1];

  // All threads, and a barrier behind.
  __device__ __forceinline__ void load(const U* splitter, int number) {
    for (int j = static_cast<int>(simt::thread_rank()); j < number; j += count_threads) at[j] = splitter[j];
  }
  // How many are below the code; and how many are below it or equal.
  __device__ __forceinline__ int below(int number, U code) const {
    if (number > 8) return find_boundary(at, number, code);
    int smaller = 0;
    for (int j = 0; j < number; ++j) smaller += at[j] < code ? 1 : 0;
    return smaller;
  }
  __device__ __forceinline__ unsigned group(int number, U code) const {
    if (number > 8) {
      const int first = find_boundary(at, number, code);
      int upto = first;
      while (upto < number && at[upto] == code) ++upto;
      return static_cast<unsigned>(first + upto);
    }
    unsigned both = 0;
    for (int j = 0; j < number; ++j) both += (at[j] < code ? 1u : 0u) + (at[j] <= code ? 1u : 0u);
    return both;
  }
};

template <class U>
struct group_arguments {
  const U* keys;
  std::uint64_t n;
  bool whole_vectors;
  asked_bits<U> asked;
  const U* splitter;
  int number;
  int shift;               // of candidates: below the bits that splitters have so far
  U* candidates;           // in no order
  std::uint64_t* found;    // how many there are; zero at launch
  std::uint8_t* group;
};

template <class U>
struct candidate_storage {
  few_splitters<U> splitters;
  std::uint32_t staged;
  std::uint64_t place;
  U keys[count_shape<U>::items];
};

// The keys that begin like a splitter. A tile's are collected in shared memory, and written together.
template <class U>
__global__ void __launch_bounds__(count_threads) find_candidates_kernel(group_arguments<U> a) {
  using shape = count_shape<U>;
  using tile = block::tile<U, shape>;
  auto& shared = simt::shared_storage<candidate_storage<U>>();
  const unsigned thread = simt::thread_rank(), lane = simt::lane_id();
  shared.splitters.load(a.splitter, a.number);
  if (thread == 0) shared.staged = 0;
  simt::sync_block();
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * shape::items; begin < a.n;
       begin += static_cast<std::uint64_t>(gridDim.x) * shape::items) {
    const auto valid = static_cast<unsigned>(ballot::detail::smaller(a.n - begin, shape::items));
    typename tile::items key;
    ballot::detail::load_keys<U, shape>(a.keys + begin, valid, a.whole_vectors, key);
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < shape::width; ++j) {
        const U leading = static_cast<U>(a.asked.of(key[c][j]) >> a.shift);
        const int first = shared.splitters.below(a.number, leading);
        const bool there = tile::first_item(c) + static_cast<unsigned>(j) < valid && first < a.number &&
                           shared.splitters.at[first] == leading;
        const unsigned votes = simt::ballot(there);
        if (votes == 0) continue;
        const auto leader = static_cast<unsigned>(simt::find_first(votes));
        std::uint32_t base = 0;
        // Relaxed: read behind the barrier.
        if (lane == leader)
          base = simt::atomic_add<simt::order::relaxed, simt::scope::block>(
              &shared.staged, static_cast<std::uint32_t>(simt::popcount(votes)));
        base = simt::shuffle(base, leader);
        if (there) shared.keys[base + static_cast<unsigned>(simt::popcount(votes & simt::lanemask_lt()))] = key[c][j];
      }
    simt::sync_block();
    const std::uint32_t staged = shared.staged;
    if (thread == 0 && staged != 0) shared.place = simt::atomic_add(a.found, static_cast<std::uint64_t>(staged));
    simt::sync_block();
    for (unsigned i = thread; i < staged; i += count_threads) a.candidates[shared.place + i] = shared.keys[i];
    if (thread == 0) shared.staged = 0;
    simt::sync_block();
  }
}

template <class U>
__global__ void __launch_bounds__(count_threads) find_groups_kernel(group_arguments<U> a) {
  using shape = count_shape<U>;
  using tile = block::tile<U, shape>;
  auto& shared = simt::shared_storage<few_splitters<U>>();
  shared.load(a.splitter, a.number);
  simt::sync_block();
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * shape::items; begin < a.n;
       begin += static_cast<std::uint64_t>(gridDim.x) * shape::items) {
    const auto valid = static_cast<unsigned>(ballot::detail::smaller(a.n - begin, shape::items));
    typename tile::items key;
    ballot::detail::load_keys<U, shape>(a.keys + begin, valid, a.whole_vectors, key);
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c) {
      const unsigned at = tile::first_item(c);
      simt::vector<std::uint8_t, shape::width> group;
#pragma unroll
      for (int j = 0; j < shape::width; ++j)
        group[j] = static_cast<std::uint8_t>(shared.group(a.number, a.asked.of(key[c][j])));
      if (valid == shape::items) {
        simt::store_vector<std::uint8_t, shape::width>(a.group + begin + at, group);  // aligned: so is the array
      } else {
        for (int j = 0; j < shape::width; ++j)
          if (at + static_cast<unsigned>(j) < valid) a.group[begin + at + static_cast<unsigned>(j)] = group[j];
      }
    }
  }
}

template <class U>
void launch_by_groups(void (*kernel)(group_arguments<U>), stream_t stream, group_arguments<U> a, std::size_t shared) {
  using shape = count_shape<U>;
  const std::uint64_t tiles = ballot::detail::ceil_div(a.n, shape::items);
  const auto blocks = static_cast<unsigned>(ballot::detail::smaller(tiles, most_count_blocks));
  if (blocks == 0) return;
  a.whole_vectors = block::whole_vectors_at<U, shape::width>(a.keys);
  simt::launch(kernel, simt::launch_config{dim3(blocks), dim3(count_threads), shared, stream}, a);
}

// Of multisplit, for items that no word holds: the same groups.
template <class U, class K>
struct group_of {
  asked_bits<U> asked;
  const U* splitter;
  int number;

  __device__ __forceinline__ unsigned operator()(const K& key) const {
    const U code = asked.of(__builtin_bit_cast(U, key));
    const int below = find_boundary(splitter, number, code);
    int upto = below;
    while (upto < number && splitter[upto] == code) ++upto;
    return static_cast<unsigned>(below + upto);
  }
};

}  // namespace ballot::distributed::detail
