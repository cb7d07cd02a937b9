// SPDX-License-Identifier: Apache-2.0
// The same test text on ranks of both kinds: those of the emulator, and GPUs under NCCL.
#pragma once

#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include <support/device_data.hpp>
#include <support/schedules.hpp>

#if BALLOT_EMULATED
#  include <ballot/ranks.hpp>
#else
#  include "nccl_ranks.hpp"
#endif

#include <numeric>
#include <span>
#include <vector>

namespace ballot::test {

#if BALLOT_EMULATED

using rank = emulator::rank_communicator;

/// How many ranks tests take, and as how many a count of theirs is to be run: here every number is.
inline std::vector<int> rank_counts() { return {1, 2, 3, 8}; }

/// Runs the body for each of so many ranks, under seeded orders of arrival.
template <class Body>
void on_ranks(int ranks, Body&& body, std::uint64_t seed = 1, std::size_t most_message_bytes = std::size_t{1} << 30,
              bool shares_memory = false) {
  emulator::run_ranks({ranks, seed, most_message_bytes, shares_memory}, body);
}
template <class Before, class Call, class Check>
void directly_and_captured_on_ranks(Before&& before, Call&& call, Check&& check) {
  directly_and_captured(before, call, check);
}
/// The same under one schedule of the kernels, and under another one in the plain flavour. Each has
/// its own order of arrival. In some of them the ranks share their memory. If BALLOT_SEEDS asks for
/// more, all schedules run.
template <class Body>
void on_ranks_under_some_schedules(int ranks, unsigned turn, Body&& body) {
  std::uint64_t seed = turn * 7 + emulator::left_unchecked();
  for_some_schedules(turn, [&] {
    ++seed;
    on_ranks(ranks, body, seed, std::size_t{1} << 30, seed % 2 == 0);
  });
}

#endif

/// So many items for each rank, in blocks that differ; the first rank may be empty.
enum class blocks { equal, uneven, one_empty, all_on_last, fewer_than_ranks };
inline std::vector<std::size_t> block_sizes(blocks kind, std::size_t items, int ranks) {
  const auto r = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> sizes(r, 0);
  if (kind == blocks::all_on_last) {
    sizes[r - 1] = items;
  } else if (kind == blocks::fewer_than_ranks) {
    for (std::size_t i = 0; i < r / 2; ++i) sizes[2 * i] = 1;
  } else {
    const std::size_t first = kind == blocks::one_empty && r > 1 ? 1 : 0;
    std::size_t weights = 0, given = 0;
    const auto weight = [&](std::size_t i) { return kind == blocks::uneven ? 1 + (i * 7 + 3) % 5 : std::size_t{1}; };
    for (std::size_t i = first; i < r; ++i) weights += weight(i);
    for (std::size_t i = first; i < r; ++i) given += sizes[i] = items * weight(i) / weights;
    sizes[r - 1] += items - given;
  }
  return sizes;
}
inline std::size_t total(const std::vector<std::size_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

/// The part of `all` that belongs to a rank.
template <class T>
std::vector<T> block_of(const std::vector<T>& all, const std::vector<std::size_t>& sizes, int rank) {
  std::size_t begin = 0;
  for (int r = 0; r < rank; ++r) begin += sizes[static_cast<std::size_t>(r)];
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::vector<T>(first, first + static_cast<std::ptrdiff_t>(sizes[static_cast<std::size_t>(rank)]));
}

}  // namespace ballot::test
