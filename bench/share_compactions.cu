// SPDX-License-Identifier: Apache-2.0
// Compaction of u32 at shares from nothing to everything: by predicate, by byte flags, and by bit
// flags. CUB gets bit flags by an iterator over their numbers. Bytes: every item and its flag read,
// the selected ones written.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "operations.hpp"
#include "shares.hpp"

#include <ballot/compact.cuh>

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_select.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

constexpr share shares[] = {{"0", 0, false},    {"0.01", 0.01, false}, {"0.01", 0.01, true}, {"0.1", 0.1, false},
                            {"0.1", 0.1, true}, {"0.5", 0.5, false},   {"0.5", 0.5, true},   {"0.9", 0.9, false},
                            {"0.9", 0.9, true}, {"0.99", 0.99, false}, {"0.99", 0.99, true}, {"1", 1, false}};

struct bit_of {
  const std::uint32_t* words;
  __host__ __device__ bool operator()(unsigned i) const { return (words[i / 32] >> (i % 32) & 1u) != 0; }
};

operation compaction(const char* by, double flag_bytes, const share& selected, std::optional<source> flags) {
  return {.name = std::string("compact_") + by + ":" + selected.name(),
          .bytes_per_item = sizeof(T) + flag_bytes + selected.of * sizeof(T),
          .input = items(selected),
          .second_input = std::move(flags),
          .output_bytes = sizeof(T),
          .counts = true,
          .shape = result_shape::kept};
}

template <class Flags>
contender ballot_with(Flags flags) {
  return by_ballot([](std::uint64_t n) { return compact_scratch_bytes<T>(n); },
                   [=](const auto& gpu, const arrays& a) { compact(gpu, in<T>(a), flags(a), out<T>(a), a.count); });
}

operation by_predicate(const share& selected) {
  operation task = compaction("if", 0, selected, {});
  const is_below keep{selected.limit()};
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::If(temporary, bytes, a.in<T>(), a.out<T>(), a.count, a.length(), keep, a.stream);
  }));
  task.contenders.push_back(ballot_with([=](const arrays&) { return keep; }));
  contender thrust_ = by_thrust([=](const auto& policy, const arrays& a) {
    return static_cast<std::uint64_t>(thrust::copy_if(policy, a.in<T>(), a.in<T>() + a.n, a.out<T>(), keep) -
                                      a.out<T>());
  });
  thrust_.waits = true;
  task.contenders.push_back(std::move(thrust_));
  return task;
}

operation by_bytes(const share& selected) {
  operation task = compaction("bytes", 1, selected, byte_flags(selected));
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::Flagged(temporary, bytes, a.in<T>(), a.second_in<std::uint8_t>(), a.out<T>(), a.count,
                                      a.length(), a.stream);
  }));
  task.contenders.push_back(
      ballot_with([](const arrays& a) { return ballot::byte_flags{second_in<std::uint8_t>(a)}; }));
  return task;
}

operation by_bits(const share& selected) {
  operation task = compaction("bits", 1.0 / 8, selected, bit_flags(selected));
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    const auto flags =
        thrust::make_transform_iterator(thrust::counting_iterator<unsigned>(0), bit_of{a.second_in<std::uint32_t>()});
    return cub::DeviceSelect::Flagged(temporary, bytes, a.in<T>(), flags, a.out<T>(), a.count, a.length(), a.stream);
  }));
  task.contenders.push_back(ballot_with([](const arrays& a) {
    return ballot::bit_flags{{a.second_in<std::uint32_t>(), a.n / 32 + (a.n % 32 != 0)}};
  }));
  return task;
}

}  // namespace

void add_share_compactions(std::vector<operation>& all) {
  for (const share& selected : shares) all.push_back(by_predicate(selected));
  for (const share& selected : shares) all.push_back(by_bytes(selected));
  for (const share& selected : shares) all.push_back(by_bits(selected));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
