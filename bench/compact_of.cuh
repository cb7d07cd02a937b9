// SPDX-License-Identifier: Apache-2.0
// Compaction of items of a type, half of them selected: by a predicate on their first field, and by
// byte flags. Thrust's copy_if is CUB's with a wait, so it does not run. Bytes: every item and its
// flag read, the selected ones written.
#pragma once

#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "operations.hpp"
#include "structs.hpp"

#include <ballot/compact.cuh>

#include <cub/device/device_select.cuh>

#include <string>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {

template <class T>
operation half_of(const std::string& name, double flag_bytes, std::optional<source> flags) {
  return {.name = name,
          .bytes_per_item = 1.5 * sizeof(T) + flag_bytes,
          .input = uniform_items<T>(),
          .second_input = std::move(flags),
          .output_bytes = sizeof(T),
          .counts = true,
          .shape = result_shape::kept};
}

template <class T, class Select>
contender ballot_selecting(Select select) {
  return by_ballot([](std::uint64_t n) { return compact_scratch_bytes<T>(n); },
                   [=](const auto& gpu, const arrays& a) { compact(gpu, in<T>(a), select(a), out<T>(a), a.count); });
}

template <class T>
void add_compactions_of(std::vector<operation>& all, const std::string& type) {
  operation by_predicate = half_of<T>("compact_if_" + type, 0, {});
  by_predicate.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::If(temporary, bytes, a.in<T>(), a.out<T>(), a.count, a.length(), is_in_lower_half{},
                                 a.stream);
  }));
  by_predicate.contenders.push_back(ballot_selecting<T>([](const arrays&) { return is_in_lower_half{}; }));
  all.push_back(std::move(by_predicate));

  operation by_bytes = half_of<T>("compact_bytes_" + type, 1, byte_flags_of_items());
  by_bytes.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceSelect::Flagged(temporary, bytes, a.in<T>(), a.second_in<std::uint8_t>(), a.out<T>(), a.count,
                                      a.length(), a.stream);
  }));
  by_bytes.contenders.push_back(
      ballot_selecting<T>([](const arrays& a) { return ballot::byte_flags{second_in<std::uint8_t>(a)}; }));
  all.push_back(std::move(by_bytes));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
