// SPDX-License-Identifier: Apache-2.0
// Other ways to ask for a scan.
//
//   scan_f32_reproducible   the same bits on every run. CUB's sum has not, nor has ours by default
//                           ("ballot_any_order")
//   scan_i32_backward       CUB: by reverse iterators
//   counts_to_offsets       u32 counts to n + 1 offsets of u64. CUB: the exclusive scan of one item
//                           more, which is there
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/scan.cuh>

#include <thrust/iterator/reverse_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

template <class T>
operation sums(const char* name) {
  return {.name = name, .bytes_per_item = 2 * sizeof(T), .input = small_numbers<T>(), .output_bytes = sizeof(T)};
}

template <class T, class Call>
contender ballot_scan(Call call) {
  return by_ballot([](std::uint64_t n) { return scan_scratch_bytes<T>(n); }, call);
}

operation reproducible() {
  using T = float;
  operation scan = sums<T>("scan_f32_reproducible");
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, a.in<T>(), a.out<T>(), a.length(), a.stream);
  }));
  scan.contenders.push_back(ballot_scan<T>(
      [](const auto& gpu, const arrays& a) { exclusive_scan(gpu, in<T>(a), out<T>(a), {.reproducible = true}); }));
  scan.contenders.push_back(named("ballot_any_order", ballot_scan<T>([](const auto& gpu, const arrays& a) {
                                    exclusive_scan(gpu, in<T>(a), out<T>(a));
                                  })));
  return scan;
}

operation backward() {
  using T = std::int32_t;
  operation scan = sums<T>("scan_i32_backward");
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, thrust::make_reverse_iterator(a.in<T>() + a.n),
                                         thrust::make_reverse_iterator(a.out<T>() + a.n), a.length(), a.stream);
  }));
  scan.contenders.push_back(ballot_scan<T>([](const auto& gpu, const arrays& a) {
    exclusive_scan(gpu, in<T>(a), out<T>(a), {.order = scan_order::backward});
  }));
  return scan;
}

operation offsets() {
  using Count = std::uint32_t;
  using Offset = std::uint64_t;
  operation scan{.name = "counts_to_offsets",
                 .bytes_per_item = sizeof(Count) + sizeof(Offset),
                 .input = counts(),
                 .output_bytes = sizeof(Offset),
                 .items_beyond = 1};
  scan.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveScan(temporary, bytes, a.in<Count>(), a.out<Offset>(), ::cuda::std::plus<>{},
                                          Offset{0}, a.length() + 1, a.stream);
  }));
  scan.contenders.push_back(ballot_scan<Offset>([](const auto& gpu, const arrays& a) {
    counts_to_offsets(gpu, in<Count>(a), std::span(a.out<Offset>(), a.n + 1));
  }));
  return scan;
}

}  // namespace

void add_scan_variants(std::vector<operation>& all) {
  all.push_back(reproducible());
  all.push_back(backward());
  all.push_back(offsets());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
