// SPDX-License-Identifier: Apache-2.0
// The examples made of scans, each against a serial reference, replayed with other data.
#include "examples/next_cell.cuh"
#include "examples/offsets_of_counts.cuh"
#include "examples/places_of_flags.cuh"

#include "support/step.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace ballot;
using test::exact_scratch;
using test::guarded;

namespace examples_scans {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 20000;

TEST_CASE("example: places of flags, and the list of them") {
  guarded<std::uint8_t> flags(n);
  guarded<u32> places(n), list(n);
  const device_value<u32> total(test::test_stream());
  const device_value<u64> count(test::test_stream());
  const exact_scratch scratch(
      std::max(examples::places_of_flags_scratch_bytes(n), examples::list_of_flags_scratch_bytes(n)));
  std::vector<std::uint8_t> now(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (auto& flag : now) flag = random() % 3 == 0;
        flags.write(now);
      },
      [&] {
        const std::span<const std::uint8_t> in{flags};
        examples::places_of_flags(scratch.where(), in, places, total.address());
        examples::list_of_flags(scratch.where(), in, list, count.address());
      },
      [&] {
        std::vector<u32> want(n), set;
        std::exclusive_scan(now.begin(), now.end(), want.begin(), 0u);
        for (u32 i = 0; i < n; ++i)
          if (now[i] != 0) set.push_back(i);
        CHECK(places.read() == want);
        CHECK(total.read(test::test_stream()) == set.size());
        CHECK(count.read(test::test_stream()) == set.size());
        std::vector<u32> listed = list.read();
        listed.resize(set.size());
        CHECK(listed == set);
      });
}

TEST_CASE("example: offsets of counts") {
  guarded<u32> counts(n);
  guarded<u64> offsets(n + 1);
  const exact_scratch scratch(examples::offsets_of_counts_scratch_bytes(n));
  std::vector<u32> now(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& c : now) c = static_cast<u32>(random());  // the sums pass 2^32
        counts.write(now);
      },
      [&] { examples::offsets_of_counts(scratch.where(), counts, offsets); },
      [&] {
        std::vector<u64> want(n + 1);
        std::inclusive_scan(now.begin(), now.end(), want.begin() + 1, std::plus{}, u64{0});
        CHECK(offsets.read() == want);
      });
}

TEST_CASE("example: the next cell that is not empty") {
  guarded<u32> first(n + 1);
  const exact_scratch scratch(examples::next_cell_scratch_bytes(n + 1));
  std::vector<u32> now(n + 1);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        u32 body = 0;
        for (u32& f : now) {
          const u32 here = random() % 2 == 0 ? 0 : static_cast<u32>(random()) % 4;
          f = here == 0 ? examples::no_body : body;
          body += here;
        }
        now.back() = body;
        first.write(now);
      },
      [&] { examples::next_cell(scratch.where(), std::span(first.data(), first.size())); },
      [&] {
        for (std::size_t c = n; c-- > 0;) now[c] = std::min(now[c], now[c + 1]);
        CHECK(first.read() == now);
      });
}

}  // namespace examples_scans
