// SPDX-License-Identifier: Apache-2.0
// Two sorted halves of n u32 keys merged, and of pairs.
// Bytes: each item read and written.
#include <ballot/core/namespace.hpp>

#include "merge_of.cuh"

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

operation of_pairs() {
  operation task{.name = "merge_pairs_u32",
                 .bytes_per_item = 4 * sizeof(T),
                 .input = sorted_halves<T>(keys<T>({})),
                 .second_input = positions(),
                 .output_bytes = sizeof(T),
                 .second_output_bytes = sizeof(T)};
  task.contenders.push_back(by_thrust([](const auto& policy, const arrays& a) -> count_on_host {
    const T* const middle = a.in<T>() + a.n / 2;
    thrust::merge_by_key(policy, a.in<T>(), middle, middle, a.in<T>() + a.n, a.second_in<T>(),
                         a.second_in<T>() + a.n / 2, a.out<T>(), a.second_out<T>());
    return {};
  }));
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    const int half = static_cast<int>(a.n / 2);
    return cub::DeviceMerge::MergePairs(temporary, bytes, a.in<T>(), a.second_in<T>(), half, a.in<T>() + half,
                                        a.second_in<T>() + half, a.length() - half, a.out<T>(), a.second_out<T>(),
                                        ::cuda::std::less<>{}, a.stream);
  }));
  task.contenders.push_back(by_ballot([](std::uint64_t n) { return merge_scratch_bytes<T>(n); },
                                      [](const auto& gpu, const arrays& a) {
                                        const auto all = in<T>(a), values = second_in<T>(a);
                                        merge_pairs(gpu, all.first(a.n / 2), values.first(a.n / 2),
                                                    all.subspan(a.n / 2), values.subspan(a.n / 2), out<T>(a),
                                                    second_out<T>(a));
                                      }));
  return task;
}

}  // namespace

void add_merge(std::vector<operation>& all) {
  all.push_back(merge_of<T>("u32", keys<T>({})));
  all.push_back(of_pairs());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
