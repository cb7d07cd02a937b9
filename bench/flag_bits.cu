// SPDX-License-Identifier: Apache-2.0
// The flags of a predicate on u32, packed. An item of this operation is a word of 32 flags. No peer:
// CUB has no such function. With Thrust a thread makes a word of 32 items in a row, whose loads are
// not coalesced: that is the reference, and no rival. Bytes: items read, words written.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/flag_bits.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct word_of_flags {
  const T* items;
  __host__ __device__ std::uint32_t operator()(std::uint32_t word) const {
    std::uint32_t bits = 0;
    for (unsigned j = 0; j < 32; ++j)
      bits |= static_cast<std::uint32_t>(is_kept{}(items[std::uint64_t{word} * 32 + j])) << j;
    return bits;
  }
};

source items_of_words() {
  const source one = items();
  return {"items of words", [=](std::uint64_t words) { return one.bytes(32 * words); },
          [=](void* to, std::uint64_t words, cudaStream_t stream) { one.fill(to, 32 * words, stream); }};
}

}  // namespace

void add_flag_bits(std::vector<operation>& all) {
  operation task{.name = "flag_bits",
                 .bytes_per_item = 32 * sizeof(T) + sizeof(std::uint32_t),
                 .input = items_of_words(),
                 .output_bytes = sizeof(std::uint32_t),
                 .items = [](std::uint64_t n) { return n / 32; }};
  contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
    const auto first = thrust::counting_iterator<std::uint32_t>(0);
    thrust::transform(policy, first, first + static_cast<std::uint32_t>(a.n), a.out<std::uint32_t>(),
                      word_of_flags{a.in<T>()});
    return count_on_host{};
  });
  thrust_.only_reference = true;
  task.contenders.push_back(std::move(thrust_));
  task.contenders.push_back(by_ballot([](std::uint64_t) { return std::size_t{0}; },
                                      [](const auto& gpu, const arrays& a) {
                                        flag_bits(gpu, std::span(a.in<T>(), 32 * a.n), is_kept{},
                                                  out<std::uint32_t>(a));
                                      }));
  all.push_back(std::move(task));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
