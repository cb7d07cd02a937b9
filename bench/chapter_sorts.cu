// SPDX-License-Identifier: Apache-2.0
// The chapter's radix sorts by one-bit splits (docs/survey.md), of all 32 bits of u32 keys. Binary
// and generic ranks share the rest of the text. They are named as in chapter_selections.cu.
//
//   chapter_split_sort   the whole array, 32 passes; beside it the library's sort and CUB's, which
//                        take a few
//   chapter_block_sort   every 2048 keys by themselves, in one block; beside it CUB's sort of a
//                        block, four bits a pass
//
// 128 launches are more than the pause before a small call lets queue up (stopwatch.cu). So for
// small arrays `graph` is the device's time of the split sort, and `call` that of the host.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/sort.cuh>
#include <ballot/survey/chapter/block_split_sort.cuh>
#include <ballot/survey/chapter/split_sort.cuh>

#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_radix_sort.cuh>

namespace ballot::bench {
namespace {

using K = std::uint32_t;
using survey::binary_ranks;
using survey::generic_ranks;
using survey::items_by_four;
using survey::single_items;

operation sort_of_keys(const char* name) {
  return {.name = name, .bytes_per_item = 2 * sizeof(K), .input = keys<K>({}), .output_bytes = sizeof(K)};
}

template <class Ranks, class Shape>
contender split_sort_with(const char* name) {
  return named(name, by_ballot(survey::split_sort_with_scratch_bytes<K, Shape>, [](const exec& gpu, const arrays& a) {
                 survey::split_sort_with<Ranks, Shape>(gpu, in<K>(a), out<K>(a));
               }));
}

operation split_sort() {
  operation task = sort_of_keys("chapter_split_sort");
  task.contenders = {by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
                       return cub::DeviceRadixSort::SortKeys(temporary, bytes, a.in<K>(), a.out<K>(), a.length(), 0, 32,
                                                             a.stream);
                     }),
                     by_ballot([](std::uint64_t n) { return sort_scratch_bytes<K>(n); },
                               [](const exec& gpu, const arrays& a) { sort(gpu, in<K>(a), out<K>(a)); }),
                     split_sort_with<binary_ranks, single_items>("binary"),
                     split_sort_with<generic_ranks, single_items>("generic"),
                     split_sort_with<binary_ranks, items_by_four>("binary_by_four"),
                     split_sort_with<generic_ranks, items_by_four>("generic_by_four")};
  return task;
}

constexpr int threads = single_items::threads, keys_each = single_items::items / threads;
static_assert(items_by_four::items == single_items::items, "all contenders sort the same tiles");

// Missing keys are the largest there are, and are not stored.
__global__ void __launch_bounds__(threads) sort_tiles_by_cub(const K* in, K* out, std::uint64_t n) {
  using sort_of_block = cub::BlockRadixSort<K, threads, keys_each>;
  __shared__ typename sort_of_block::TempStorage storage;
  const std::uint64_t begin = std::uint64_t{blockIdx.x} * single_items::items;
  const int valid = static_cast<int>(n - begin < single_items::items ? n - begin : single_items::items);
  K key[keys_each];
  cub::LoadDirectStriped<threads>(threadIdx.x, in + begin, key, valid, ~K{0});
  sort_of_block(storage).SortBlockedToStriped(key);
  cub::StoreDirectStriped<threads>(threadIdx.x, out + begin, key, valid);
}

contender tiles_by_cub() {
  contender cub;
  cub.name = "cub";
  cub.scratch_bytes = no_scratch;
  cub.run = [](const arrays& a) {
    const auto blocks = static_cast<unsigned>((a.n + single_items::items - 1) / single_items::items);
    sort_tiles_by_cub<<<blocks, threads, 0, a.stream>>>(a.in<K>(), a.out<K>(), a.n);
    check(cudaGetLastError(), "sort_tiles_by_cub");
    return count_on_host{};
  };
  return cub;
}

template <class Ranks, class Shape>
contender block_sort_with(const char* name) {
  return named(name, by_ballot([](std::uint64_t) { return std::size_t{0}; },
                               [](const exec& gpu, const arrays& a) {
                                 survey::block_split_sort_with<Ranks, Shape>(gpu, in<K>(a), out<K>(a));
                               }));
}

operation block_sort() {
  operation task = sort_of_keys("chapter_block_sort");
  task.contenders = {tiles_by_cub(), block_sort_with<binary_ranks, single_items>("binary"),
                     block_sort_with<generic_ranks, single_items>("generic"),
                     block_sort_with<binary_ranks, items_by_four>("binary_by_four"),
                     block_sort_with<generic_ranks, items_by_four>("generic_by_four")};
  return task;
}

}  // namespace

void add_chapter_sorts(std::vector<operation>& all) {
  all.push_back(split_sort());
  all.push_back(block_sort());
}

}  // namespace ballot::bench
