// SPDX-License-Identifier: Apache-2.0
// The example of several lists, against serial references, replayed with other data.
#include "examples/several_lists.cuh"

#include "support/step.hpp"

#include <random>

using namespace ballot;
using test::exact_scratch;
using test::guarded;

namespace examples_selections {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 10000;

template <class T>
std::vector<T> first_of(const guarded<T>& items, std::size_t count) {
  std::vector<T> all = items.read();
  all.resize(count);
  return all;
}

TEST_CASE("example: four arrays by one decision") {
  guarded<float> x(n), y(n), speed(n), x2(n), y2(n), speed2(n);
  guarded<u32> id(n), id2(n);
  const device_value<u64> count(test::test_stream());
  const exact_scratch scratch(examples::keep_inside_scratch_bytes(n));
  std::vector<float> now(n);
  std::vector<u32> ids(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < n; ++i) now[i] = static_cast<float>(random() % 100), ids[i] = static_cast<u32>(i);
        x.write(now), y.write(now), speed.write(now), id.write(ids);
      },
      [&] {
        examples::keep_inside(scratch.where(), {x, y, speed, id}, {20, 50}, {x2, y2, speed2, id2}, count.address());
      },
      [&] {
        std::vector<float> kept;
        std::vector<u32> kept_ids;
        for (u32 i = 0; i < n; ++i)
          if (20 <= now[i] && now[i] < 50) kept.push_back(now[i]), kept_ids.push_back(i);
        REQUIRE(count.read(test::test_stream()) == kept.size());
        CHECK(first_of(x2, kept.size()) == kept);
        CHECK(first_of(y2, kept.size()) == kept);
        CHECK(first_of(speed2, kept.size()) == kept);
        CHECK(first_of(id2, kept.size()) == kept_ids);
      });
}

TEST_CASE("example: four lists of one pass") {
  guarded<std::uint8_t> kind(n), kinds_out(n);
  guarded<u32> lists(n);
  guarded<u64> offsets(examples::kinds + 1);
  const exact_scratch scratch(examples::lists_of_kinds_scratch_bytes(n));
  std::vector<std::uint8_t> now(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (auto& k : now) k = static_cast<std::uint8_t>(random() % 5);
        kind.write(now);
      },
      [&] {
        const std::span<const std::uint8_t> in{kind};
        examples::lists_of_kinds(scratch.where(), in, kinds_out, lists, offsets);
      },
      [&] {
        std::vector<u32> want;
        std::vector<u64> begins{0};
        for (unsigned k = 0; k < examples::kinds; ++k) {
          for (u32 i = 0; i < n; ++i)
            if (now[i] == k) want.push_back(i);
          begins.push_back(want.size());
        }
        CHECK(offsets.read() == begins);
        CHECK(first_of(lists, want.size()) == want);
      });
}

TEST_CASE("example: four lists that share items") {
  guarded<std::uint8_t> flags(n);
  guarded<u32> a(n), b(n), c(n), d(n);
  guarded<u64> counts(4);
  const exact_scratch scratch(examples::lists_of_bits_scratch_bytes(n));
  std::vector<std::uint8_t> now(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (auto& f : now) f = static_cast<std::uint8_t>(random() % 16);
        flags.write(now);
      },
      [&] {
        const std::span<u32> lists[] = {a, b, c, d};
        const std::span<const std::uint8_t> in{flags};
        examples::lists_of_bits(scratch.where(), in, lists, counts.data());
      },
      [&] {
        const std::vector<u64> found = counts.read();
        const guarded<u32>* lists[] = {&a, &b, &c, &d};
        for (unsigned bit = 0; bit < 4; ++bit) {
          std::vector<u32> want;
          for (u32 i = 0; i < n; ++i)
            if (now[i] >> bit & 1u) want.push_back(i);
          REQUIRE(found[bit] == want.size());
          CHECK(first_of(*lists[bit], want.size()) == want);
        }
      });
}

}  // namespace examples_selections
