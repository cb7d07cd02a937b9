// SPDX-License-Identifier: Apache-2.0
// Compaction of u32, half of them selected: by predicate, by byte flags, by bit flags. Only ballot
// takes bit flags; the peers' counterpart is compact_by_bytes, on the same items with the same
// selection.
//
// Bytes: every item and its flag read, selected items written. Thrust returns the end of the
// output, so each of its calls waits.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/compact.cuh>

#include <thrust/copy.h>
#include <cub/device/device_select.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

struct is_set {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};

template <class Flags>
contender ballot_with(Flags flags) {
  return by_ballot([](std::uint64_t n) { return compact_scratch_bytes<T>(n); },
                   [=](const auto& gpu, const arrays& a) { compact(gpu, in<T>(a), flags(a), out<T>(a), a.count); });
}
contender ballot_by_bits() {
  return ballot_with([](const arrays& a) {
    return bit_flags{{a.second_in<std::uint32_t>(), a.n / 32 + (a.n % 32 != 0)}};
  });
}

operation compaction(const char* by, double flag_bytes, std::optional<source> flags) {
  return {.name = std::string("compact_") + by,
          .bytes_per_item = sizeof(T) + flag_bytes + 0.5 * sizeof(T),
          .input = items(),
          .second_input = std::move(flags),
          .output_bytes = sizeof(T),
          .counts = true,
          .shape = result_shape::kept};
}

contender cub_if() {
  return by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::If(temporary, bytes, a.in<T>(), a.out<T>(), a.count, a.length(), is_kept{}, a.stream);
  });
}

operation by_predicate() {
  operation compact = compaction("if", 0, {});
  compact.contenders.push_back(cub_if());
  compact.contenders.push_back(ballot_with([](const arrays&) { return is_kept{}; }));
  contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
    return static_cast<std::uint64_t>(thrust::copy_if(policy, a.in<T>(), a.in<T>() + a.n, a.out<T>(), is_kept{}) -
                                      a.out<T>());
  });
  thrust_.waits = true;
  compact.contenders.push_back(std::move(thrust_));
  return compact;
}

operation by_byte_flags() {
  operation compact = compaction("bytes", 1, byte_flags_of_items());
  compact.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::Flagged(temporary, bytes, a.in<T>(), a.second_in<std::uint8_t>(), a.out<T>(), a.count,
                                      a.length(), a.stream);
  }));
  compact.contenders.push_back(ballot_with([](const arrays& a) { return byte_flags{second_in<std::uint8_t>(a)}; }));
  contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
    return static_cast<std::uint64_t>(
        thrust::copy_if(policy, a.in<T>(), a.in<T>() + a.n, a.second_in<std::uint8_t>(), a.out<T>(), is_set{}) -
        a.out<T>());
  });
  thrust_.waits = true;
  compact.contenders.push_back(std::move(thrust_));
  return compact;
}

operation by_bit_flags() {
  operation compact = compaction("bits", 1.0 / 8, bit_flags_of_items());
  // The same answer from another question: it is the reference, and is not timed here.
  contender reference = cub_if();
  reference.only_reference = true;
  compact.contenders.push_back(std::move(reference));
  compact.contenders.push_back(ballot_by_bits());
  return compact;
}

}  // namespace

void add_compactions(std::vector<operation>& all) {
  all.push_back(by_predicate());
  all.push_back(by_byte_flags());
  all.push_back(by_bit_flags());
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
