// SPDX-License-Identifier: Apache-2.0
// How many flags are set before each place: of byte flags, of bits, and before each word of bits.
// CUB: an exclusive sum over iterators that make a number of each flag, or of each word.
//
// In word_ranks an item is a word of 32 flags; of 2^28 of them more than 2^32 may be set, and then
// the ranks of all contenders wrap in the same way.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/bit_ranks.cuh>
#include <ballot/scan.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using rank = std::uint32_t;

struct is_set {
  __host__ __device__ rank operator()(std::uint8_t flag) const { return flag != 0 ? 1 : 0; }
};
struct bit_of {
  const std::uint32_t* words;
  __host__ __device__ rank operator()(unsigned i) const { return words[i / 32] >> (i % 32) & 1u; }
};
struct bits_of_word {
  __device__ rank operator()(std::uint32_t word) const { return static_cast<rank>(__popc(word)); }
};

// of_item(arrays): an iterator to how many flags each item has.
template <class Numbers>
contender cub_sum(Numbers of_item) {
  return by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, of_item(a), a.out<rank>(), a.length(), a.stream);
  });
}

operation ranks(const char* name, double flag_bytes, source flags) {
  return {.name = name,
          .bytes_per_item = flag_bytes + sizeof(rank),
          .input = std::move(flags),
          .output_bytes = sizeof(rank)};
}

operation of_bytes() {
  operation task = ranks("byte_ranks", 1, byte_flags_of_items());
  task.contenders.push_back(
      cub_sum([](const arrays& a) { return thrust::make_transform_iterator(a.in<std::uint8_t>(), is_set{}); }));
  task.contenders.push_back(by_ballot(
      [](std::uint64_t n) { return scan_scratch_bytes<rank>(n); },
      [](const auto& gpu, const arrays& a) { exclusive_scan_flags(gpu, in<std::uint8_t>(a), out<rank>(a)); }));
  return task;
}

operation of_bits() {
  operation task = ranks("bit_ranks", 1.0 / 8, bit_flags_of_items());
  task.contenders.push_back(cub_sum([](const arrays& a) {
    return thrust::make_transform_iterator(thrust::counting_iterator<unsigned>(0), bit_of{a.in<std::uint32_t>()});
  }));
  task.contenders.push_back(by_ballot(bit_ranks_scratch_bytes, [](const auto& gpu, const arrays& a) {
    bit_ranks(gpu, bit_flags{{a.in<std::uint32_t>(), a.n / 32 + (a.n % 32 != 0)}}, a.n, out<rank>(a));
  }));
  return task;
}

operation of_words() {
  operation task = ranks("word_ranks", sizeof(std::uint32_t), items());
  task.contenders.push_back(
      cub_sum([](const arrays& a) { return thrust::make_transform_iterator(a.in<std::uint32_t>(), bits_of_word{}); }));
  task.contenders.push_back(by_ballot([](std::uint64_t words) { return word_ranks_scratch_bytes(32 * words); },
                                      [](const auto& gpu, const arrays& a) {
                                        word_ranks(gpu, bit_flags{in<std::uint32_t>(a)}, 32 * a.n, out<rank>(a));
                                      }));
  return task;
}

}  // namespace

void add_ranks(std::vector<operation>& all) {
  all.push_back(of_bytes());
  all.push_back(of_bits());
  all.push_back(of_words());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
