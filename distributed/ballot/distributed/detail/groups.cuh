// SPDX-License-Identifier: Apache-2.0
// Keys by the splitters: which of them later levels look at, and which group each belongs to.
//
//     splitters   30    50 50
//     groups      < 30: 0   30: 1   ..: 2   50: 4 (of 3, 4, 5)   > 50: 6
//
// Even groups lie between splitters. Keys equal to a splitter are a group of their own, because
// some of them go to the left and some to the right. How many go to the left is counted from the
// group's beginning. Groups are bytes, and one pass of a radix sort by them orders keys and values.
//
// Splitters are on the device, and few. Each block brings them to shared memory.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/splitters.cuh>
#include <ballot/warp/scan.cuh>

namespace ballot::distributed::detail {

template <class U>
struct few_splitters {
  U at[most_boundaries + 1];

  // All threads; a barrier must follow.
  __device__ __forceinline__ void load(const U* splitter, int number) {
    for (int j = static_cast<int>(simt::thread_rank()); j < number; j += count_threads) at[j] = splitter[j];
  }
  // How many splitters are below the code, plus how many are below it or equal.
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

// A whole tile is aligned, because the array is.
template <int Width>
__device__ __forceinline__ void store_groups(std::uint8_t* groups, unsigned at, unsigned valid,
                                             const simt::vector<std::uint8_t, Width>& group) {
  if (at + Width <= valid) {
    simt::store_vector<std::uint8_t, Width>(groups + at, group);
  } else {
    for (int j = 0; j < Width; ++j)
      if (at + static_cast<unsigned>(j) < valid) groups[at + static_cast<unsigned>(j)] = group[j];
  }
}

template <class U>
struct group_arguments {
  const U* keys;
  std::uint64_t n;
  bool vector_aligned;
  asked_bits<U> asked;
  const U* splitter;
  int number;
  int shift;                 // below the bits that splitters have so far
  U* candidates;             // in no order
  std::uint32_t* positions;  // of the candidates; null: they are not wanted, nor are groups
  std::uint64_t* found;      // how many there are; zero at launch
  std::uint8_t* group;
  const std::uint32_t* again = nullptr;  // 0 there: candidates are known already (sampled_counts.cuh)
};

// The candidates that a warp has found and not written yet.
template <class U>
struct candidate_storage {
  using shape = count_shape<U>;
  static constexpr unsigned of_warp_tile = simt::warp_size * shape::chunks * shape::width, room = of_warp_tile;
  std::uint8_t group[level_digits];  // of a leading digit; odd: that of a splitter
  U key[shape::warps][room];
  std::uint32_t position[shape::warps][room];
};

// After the first level, one read of the keys. Keys that begin with the digit of a splitter are
// candidates, which later levels look at. For all others the group is already known. A warp
// collects its candidates and writes them together. It waits for no other.
template <class U>
__global__ void __launch_bounds__(count_threads) find_candidates_kernel(group_arguments<U> a) {
  using shape = count_shape<U>;
  using tile = block::tile<U, shape>;
  using storage = candidate_storage<U>;
  auto& shared = simt::shared_storage<storage>();
  if (a.again != nullptr && *a.again == 0) return;  // the whole grid
  const unsigned lane = simt::lane_id(), warp = simt::warp_id();
  static_assert(count_threads == level_digits, "a thread a digit");
  {
    const auto digit = static_cast<U>(simt::thread_rank());
    const int first = find_boundary(a.splitter, a.number, digit);
    const bool of_splitter = first < a.number && a.splitter[first] == digit;
    shared.group[simt::thread_rank()] = static_cast<std::uint8_t>(2 * first + (of_splitter ? 1 : 0));
  }
  simt::sync_block();
  const bool with_groups = a.positions != nullptr;
  unsigned staged = 0;  // the same in all lanes
  const auto flush = [&] {
    simt::sync_warp();  // written by other lanes
    std::uint64_t place = 0;
    if (lane == 0) place = simt::atomic_add(a.found, static_cast<std::uint64_t>(staged));
    place = simt::shuffle(place, 0);
    for (unsigned i = lane; i < staged; i += simt::warp_size) {
      a.candidates[place + i] = shared.key[warp][i];
      if (with_groups) a.positions[place + i] = shared.position[warp][i];
    }
    staged = 0;
    simt::sync_warp();  // read before the next ones come
  };
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * shape::items; begin < a.n;
       begin += static_cast<std::uint64_t>(gridDim.x) * shape::items) {
    const auto valid = static_cast<unsigned>(ballot::detail::smaller(a.n - begin, shape::items));
    typename tile::items key;
    ballot::detail::load_keys<U, shape>(a.keys + begin, valid, a.vector_aligned, key);
    unsigned candidates = 0;  // of this thread's items, a bit each
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c) {
      const unsigned at = tile::first_item(c);
      simt::vector<std::uint8_t, shape::width> group;
#pragma unroll
      for (int j = 0; j < shape::width; ++j) {
        group[j] = shared.group[static_cast<unsigned>(a.asked.of(key[c][j]) >> a.shift) & (level_digits - 1u)];
        if ((group[j] & 1u) != 0 && at + static_cast<unsigned>(j) < valid) candidates |= 1u << (c * shape::width + j);
      }
      if (with_groups) store_groups<shape::width>(a.group + begin, at, valid, group);
    }
    const unsigned own = static_cast<unsigned>(simt::popcount(candidates));
    const unsigned upto = warp::inclusive_scan(own), of_warp = simt::shuffle(upto, simt::warp_size - 1);
    if (of_warp == 0) continue;
    if (staged + of_warp > storage::room) flush();
    unsigned slot = staged + upto - own;
    staged += of_warp;
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c)
#pragma unroll
      for (int j = 0; j < shape::width; ++j)
        if ((candidates >> (c * shape::width + j) & 1u) != 0) {
          shared.key[warp][slot] = key[c][j];
          shared.position[warp][slot++] =
              static_cast<std::uint32_t>(begin + tile::first_item(c) + static_cast<unsigned>(j));
        }
  }
  if (staged != 0) flush();
}

// Finds the groups of the candidates, when the splitters are complete.
template <class U>
__global__ void __launch_bounds__(count_threads) correct_groups_kernel(group_arguments<U> a) {
  auto& shared = simt::shared_storage<few_splitters<U>>();
  shared.load(a.splitter, a.number);
  simt::sync_block();
  const std::uint64_t found = *a.found;
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * count_threads + simt::thread_rank(); i < found;
       i += static_cast<std::uint64_t>(gridDim.x) * count_threads)
    a.group[a.positions[i]] = static_cast<std::uint8_t>(shared.group(a.number, a.asked.of(a.candidates[i])));
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
    ballot::detail::load_keys<U, shape>(a.keys + begin, valid, a.vector_aligned, key);
#pragma unroll
    for (int c = 0; c < shape::chunks; ++c) {
      const unsigned at = tile::first_item(c);
      simt::vector<std::uint8_t, shape::width> group;
#pragma unroll
      for (int j = 0; j < shape::width; ++j)
        group[j] = static_cast<std::uint8_t>(shared.group(a.number, a.asked.of(key[c][j])));
      store_groups<shape::width>(a.group + begin, at, valid, group);
    }
  }
}

template <class U>
void launch_by_groups(void (*kernel)(group_arguments<U>), stream_t stream, group_arguments<U> a, std::size_t shared) {
  using shape = count_shape<U>;
  const std::uint64_t tiles = ballot::detail::ceil_div(a.n, shape::items);
  const auto blocks = static_cast<unsigned>(ballot::detail::smaller(tiles, most_count_blocks));
  if (blocks == 0) return;
  a.vector_aligned = block::is_vector_aligned<U, shape::width>(a.keys);
  simt::launch(kernel, simt::launch_config{dim3(blocks), dim3(count_threads), shared, stream}, a);
}

// The bucket function of multisplit, for items that no word holds: the same groups.
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
