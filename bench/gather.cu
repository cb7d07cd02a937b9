// SPDX-License-Identifier: Apache-2.0
// n u32 gathered from, and scattered to, n places: in any order, each once; and in an order in
// which neighbours mostly stay near each other (within 1024 places), which is that of nearly sorted
// items. Bytes: items and indices once.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "generated.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/gather.cuh>

#include <thrust/gather.h>
#include <thrust/scatter.h>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

// A bijection of the places from 0 to n - 1. It is one of the least power of two from n on, applied
// again and again until the place is below n.
struct shuffled_place {
  std::uint64_t n;
  int bits;

  __host__ __device__ std::uint64_t operator()(std::uint64_t place) const {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    do {  // odd factors, and shifts to the right, are one-to-one modulo a power of two
      place = (place * 0x9e3779b97f4a7c15u + 0x7f4a7c15u) & mask;
      place ^= place >> (bits / 2 + 1);
      place = place * 0xbf58476d1ce4e5b9u & mask;
      place ^= place >> (bits / 2 + 1);
    } while (place >= n);
    return place;
  }
};
struct shuffled_in_blocks {
  static constexpr std::uint64_t block = 1024;
  std::uint64_t n;

  __host__ __device__ std::uint64_t operator()(std::uint64_t place) const {
    const std::uint64_t begin = place / block * block;
    return begin + block > n ? place : begin + shuffled_place{block, 10}(place - begin);
  }
};

template <class Place>
source places(const std::string& name, const Place& of) {
  source made{name, [](std::uint64_t n) { return static_cast<std::size_t>(n * sizeof(T)); },
              [of](void* to, std::uint64_t n, cudaStream_t stream) {
                fill<<<1024, 256, 0, stream>>>(static_cast<T*>(to), n, of(n));
                check(cudaGetLastError(), "fill");
              }};
  return made;
}
source shuffled() {
  return places("places in any order", [](std::uint64_t n) {
    int bits = 1;
    while (n >> bits != 0) ++bits;
    return shuffled_place{n, bits};
  });
}
source nearly_in_order() {
  return places("places shuffled within blocks of 1024", [](std::uint64_t n) { return shuffled_in_blocks{n}; });
}

operation moves(const std::string& name, const source& places) {
  return {.name = name,
          .bytes_per_item = 3 * sizeof(T),
          .input = keys<T>({}),
          .second_input = places,
          .output_bytes = sizeof(T)};
}

operation gathers(const std::string& name, const source& places) {
  operation task = moves("gather_u32" + name, places);
  task.contenders.push_back(by_thrust([](const auto& policy, const arrays& a) -> count_on_host {
    thrust::gather(policy, a.second_in<T>(), a.second_in<T>() + a.n, a.in<T>(), a.out<T>());
    return {};
  }));
  task.contenders.push_back(
      by_ballot([](std::uint64_t) { return std::size_t{0}; },
                [](const auto& gpu, const arrays& a) { gather(gpu, in<T>(a), second_in<T>(a), out<T>(a)); }));
  return task;
}

operation scatters(const std::string& name, const source& places) {
  operation task = moves("scatter_u32" + name, places);
  task.contenders.push_back(by_thrust([](const auto& policy, const arrays& a) -> count_on_host {
    thrust::scatter(policy, a.in<T>(), a.in<T>() + a.n, a.second_in<T>(), a.out<T>());
    return {};
  }));
  task.contenders.push_back(
      by_ballot([](std::uint64_t) { return std::size_t{0}; },
                [](const auto& gpu, const arrays& a) { scatter(gpu, in<T>(a), second_in<T>(a), out<T>(a)); }));
  return task;
}

}  // namespace

void add_gather(std::vector<operation>& all) {
  all.push_back(gathers("", shuffled()));
  all.push_back(gathers(":nearly_in_order", nearly_in_order()));
  all.push_back(scatters("", shuffled()));
  all.push_back(scatters(":nearly_in_order", nearly_in_order()));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
