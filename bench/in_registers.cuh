// SPDX-License-Identifier: Apache-2.0
// Collectives of a block or a warp on values in registers, so that memory has no part in the time.
// These are the chapter's comparisons (docs/survey.md).
//
//     state -> value, the top bits -> collective -> answer -+-> state of the next round
//                                                           +-> sum of all answers, written once at
//                                                           the end
//
// Each round's value follows from the answer before. So no round can be left out or moved ahead of
// another, and a round lasts as long as the collective. The sums are compared like any other
// answer. "generator" is the same without a collective: its time is to be subtracted from the
// others. n is the number of threads; blocks of 512, as in the chapter.
//
// If shared memory may be written again only after a barrier, rounds take turns with two storages.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <cstdint>

namespace ballot::bench {

constexpr int threads_in_registers = 512;
constexpr int rounds_in_registers = 64;

// A sum that is not known to be one, so that no reduction of the hardware stands in: the generic
// 32-bit way.
struct generic_plus {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};

struct no_storage {};

template <int Bits, class Collective>
__global__ void __launch_bounds__(threads_in_registers) repeat_in_registers(unsigned* sums, std::uint64_t n) {
  __shared__ typename Collective::storage storage[2];
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * threads_in_registers + threadIdx.x;
  unsigned state = static_cast<unsigned>(thread) * 2654435761u + 1u, sum = 0;
#pragma unroll 2
  for (int round = 0; round < rounds_in_registers; ++round) {
    state = state * 1664525u + 1013904223u;
    const unsigned answer = Collective::of(storage[round % 2], state >> (32 - Bits));
    state += answer;
    sum += answer;
  }
  if (thread < n) sums[thread] = sum;
}

template <int Bits>
struct generator_only {
  using storage = no_storage;
  static __device__ unsigned of(storage&, unsigned value) { return value; }
};

// Collective: `storage`, and unsigned of(storage&, unsigned value), called by all threads of a
// block.
template <int Bits, class Collective>
contender in_registers(const char* name) {
  contender who;
  who.name = name;
  who.scratch_bytes = no_scratch;
  who.run = [](const arrays& a) {
    const auto blocks = static_cast<unsigned>((a.n + threads_in_registers - 1) / threads_in_registers);
    repeat_in_registers<Bits, Collective><<<blocks, threads_in_registers, 0, a.stream>>>(a.out<unsigned>(), a.n);
    check(cudaGetLastError(), "repeat_in_registers");
    return count_on_host{};
  };
  return who;
}

template <int Bits>
contender generator_of() {
  contender who = in_registers<Bits, generator_only<Bits>>("generator");
  who.answers = false;
  return who;
}

inline operation in_registers_operation(std::string name) {
  return {.name = std::move(name),
          .bytes_per_item = sizeof(unsigned),
          .input = nothing(),
          .output_bytes = sizeof(unsigned),
          .in_registers = true};
}

}  // namespace ballot::bench
