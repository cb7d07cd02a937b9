// SPDX-License-Identifier: Apache-2.0
// The chapter's prefix sums and compaction of whole arrays (docs/survey.md), with binary and with
// generic ranks in what is the same text otherwise; beside them the library's own and CUB's, which
// do the same in one pass.
//
//   binary, generic                   an item a lane at a time, each with a vote or a scan of its
//                                     own: the chapter's
//   binary_by_four, generic_by_four   four neighbouring items a lane: four votes, or one scan of
//                                     their sum
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/compact.cuh>
#include <ballot/scan.cuh>
#include <ballot/survey/chapter/binary_prefix_sums.cuh>
#include <ballot/survey/chapter/compaction.cuh>

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace ballot::bench {
namespace {

using T = std::uint32_t;
using survey::binary_ranks;
using survey::generic_ranks;
using survey::items_by_four;
using survey::single_items;

struct number_of_flag {
  __host__ __device__ T operator()(std::uint8_t flag) const { return flag != 0 ? 1 : 0; }
};

template <class Ranks, class Shape>
contender sums_with(const char* name) {
  return named(name, by_ballot(survey::prefix_sums_with_scratch_bytes<Shape>, [](const exec& gpu, const arrays& a) {
                 survey::prefix_sums_with<Ranks, Shape>(gpu, in<std::uint8_t>(a), out<T>(a));
               }));
}

operation prefix_sums() {
  operation task{.name = "chapter_prefix_sums",
                 .bytes_per_item = 1 + sizeof(T),
                 .input = byte_flags_of_items(),
                 .output_bytes = sizeof(T)};
  task.contenders = {
      by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
        const auto numbers = thrust::make_transform_iterator(a.in<std::uint8_t>(), number_of_flag{});
        return cub::DeviceScan::ExclusiveSum(temporary, bytes, numbers, a.out<T>(), a.length(), a.stream);
      }),
      by_ballot([](std::uint64_t n) { return scan_scratch_bytes<T>(n); },
                [](const exec& gpu, const arrays& a) { exclusive_scan_flags(gpu, in<std::uint8_t>(a), out<T>(a)); }),
      sums_with<binary_ranks, single_items>("binary"),
      sums_with<generic_ranks, single_items>("generic"),
      sums_with<binary_ranks, items_by_four>("binary_by_four"),
      sums_with<generic_ranks, items_by_four>("generic_by_four")};
  return task;
}

template <class Ranks, class Shape>
contender compaction_with(const char* name) {
  return named(name, by_ballot(survey::compact_with_scratch_bytes<Shape>, [](const exec& gpu, const arrays& a) {
                 survey::compact_with<Ranks, Shape>(gpu, in<T>(a), is_kept{}, out<T>(a), a.count);
               }));
}

operation compaction() {
  operation task{.name = "chapter_compaction",
                 .bytes_per_item = 1.5 * sizeof(T),
                 .input = items(),
                 .output_bytes = sizeof(T),
                 .counts = true,
                 .shape = result_shape::kept};
  task.contenders = {
      by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
        return cub::DeviceSelect::If(temporary, bytes, a.in<T>(), a.out<T>(), a.count, a.length(), is_kept{}, a.stream);
      }),
      by_ballot([](std::uint64_t n) { return compact_scratch_bytes<T>(n); },
                [](const exec& gpu, const arrays& a) { compact(gpu, in<T>(a), is_kept{}, out<T>(a), a.count); }),
      compaction_with<binary_ranks, single_items>("binary"),
      compaction_with<generic_ranks, single_items>("generic"),
      compaction_with<binary_ranks, items_by_four>("binary_by_four"),
      compaction_with<generic_ranks, items_by_four>("generic_by_four")};
  return task;
}

}  // namespace

void add_chapter_selections(std::vector<operation>& all) {
  all.push_back(prefix_sums());
  all.push_back(compaction());
}

}  // namespace ballot::bench
