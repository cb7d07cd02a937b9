// SPDX-License-Identifier: Apache-2.0
// The runtime calls of multisplit and the functions on runs, against docs/reference.md.
#include <ballot/multisplit.cuh>
#include <ballot/unique.cuh>

#include "support/runtime_calls.hpp"

using namespace ballot;
using test::check_contract;
using test::guarded;

namespace contract_runs_and_buckets {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 20000;  // several tiles

std::vector<u32> runs_of_seven() {
  std::vector<u32> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<u32>(i / 7);
  return items;
}

struct low_bits {
  __device__ u32 operator()(u32 x) const { return x % 5; }
};

TEST_CASE("contract: runs") {
  const guarded<u32> in(runs_of_seven());
  guarded<u32> out(n), second(n), in_place(runs_of_seven());
  guarded<u32> begins(n + 1);
  device_value<u64> count(test::test_stream());
  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("unique", unique_scratch_bytes<u32>(n), {launches},
                   [&](const exec& gpu) { unique(gpu, in, out, count); });
  });
  check_contract("unique_in_place", unique_scratch_bytes<u32>(n), {2},
                 [&](const exec& gpu) { unique_in_place(gpu, in_place, count); });
  test::with_and_without_clusters([&](std::uint64_t launches) {
    check_contract("unique_by_key", unique_scratch_bytes<u32, u32>(n), {launches},
                   [&](const exec& gpu) { unique_by_key(gpu, in, positions(n), out, second, count); });
    check_contract("run_offsets", run_offsets_scratch_bytes<u32, u32>(n), {launches, 1},
                   [&](const exec& gpu) { run_offsets(gpu, in, out, begins, count); });
    check_contract("run_length_encode", run_length_encode_scratch_bytes<u32, u32>(n), {launches},
                   [&](const exec& gpu) { run_length_encode(gpu, in, out, second, count); });
  });
}

TEST_CASE("contract: runs of one tile") {
  constexpr std::size_t few = 1000;
  const guarded<u32> in(std::vector<u32>(few, 7));
  guarded<u32> out(few), lengths(few), begins(few + 1);
  device_value<u64> count(test::test_stream());
  check_contract("unique", unique_scratch_bytes<u32>(few), {1}, [&](const exec& gpu) { unique(gpu, in, out, count); });
  check_contract("run_offsets", run_offsets_scratch_bytes<u32, u32>(few), {1, 1},
                 [&](const exec& gpu) { run_offsets(gpu, in, out, begins, count); });
  check_contract("run_length_encode", run_length_encode_scratch_bytes<u32, u32>(few), {1},
                 [&](const exec& gpu) { run_length_encode(gpu, in, out, lengths, count); });
}

TEST_CASE("contract: multisplit") {
  const guarded<u32> in(runs_of_seven());
  guarded<u32> out(n);
  guarded<u64> offsets(6);
  check_contract("multisplit", multisplit_scratch_bytes<u32>(n, 5), {3},
                 [&](const exec& gpu) { multisplit(gpu, in, low_bits{}, 5, out, offsets); });
  const std::span<const u32> few(in.data(), 1000);
  check_contract("multisplit of one tile", multisplit_scratch_bytes<u32>(few.size(), 5), {1},
                 [&](const exec& gpu) { multisplit(gpu, few, low_bits{}, 5, out, offsets); });
}

}  // namespace contract_runs_and_buckets
