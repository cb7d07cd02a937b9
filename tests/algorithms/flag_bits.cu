// SPDX-License-Identifier: Apache-2.0
// Packed flags and counts against loops: predicates on one and several ranges, byte and bit flags,
// lengths, errors.
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::is_odd;

namespace algorithms_flag_bits {

struct sum_is_odd {
  __device__ bool operator()(std::uint32_t a, double b) const { return ((a + static_cast<unsigned>(b)) & 1u) != 0; }
};

TEST_CASE("flags become bits, and are counted") {
  using shape = detail::flag_bits_shape<std::uint32_t>;
  for (std::size_t n : test::lengths_around(shape::items)) {
    CAPTURE(n);
    const test::flag_pattern& pattern = test::flag_patterns[n % 2 == 0 ? 5 : 1];
    const auto flags = test::make_flags(pattern, n);
    auto items = test::random_items<std::uint32_t>(n, 4);
    std::vector<double> others(n);
    std::vector<std::uint8_t> bytes(n);
    std::vector<std::uint32_t> want((n + 31) / 32, 0), rest((n + 31) / 32, 0);
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < n; ++i) {
      items[i] = (items[i] & ~1u) | flags[i];
      others[i] = static_cast<double>(i % 2);
      items[i] ^= static_cast<std::uint32_t>(i % 2);  // odd by itself where the sum is not
      bytes[i] = flags[i] ? 0x40 : 0;
      (flags[i] ? want : rest)[i / 32] |= 1u << i % 32;
      set += flags[i];
    }
    test::for_each_schedule([&] {
      const test::guarded<std::uint32_t> a(items, n % 3);
      const test::guarded<double> b(others);
      const test::guarded<std::uint8_t> byte(bytes, 1);
      test::guarded<std::uint32_t> words(want.size()), inverted(want.size());
      test::guarded<std::uint64_t> count(1);
      const exec where(test::test_stream(), std::span<std::byte>{});
      const auto before = [&] { words.fill_dirt(), count.fill_dirt(); };
      const auto check = [&] {
        CHECK(words.read() == want);
        CHECK(count.read()[0] == set);
      };
      test::directly_and_captured(
          before,
          [&] {
            flag_bits(where, zip{a, b}, sum_is_odd{}, words);
            count_if(where, zip{a, b}, sum_is_odd{}, count.data());
          },
          check);
      test::directly_and_captured(
          before,
          [&] {
            flag_bits(where, positions(n), byte_flags{byte}, words);
            count_if(where, positions(n), bit_flags{words}, count.data());
          },
          check);
      flag_bits(where, positions(n), bit_flags{words, true}, inverted);
      CHECK(inverted.read() == rest);
      count_if(where, positions(n), bit_flags{words, true}, count.data());
      CHECK(count.read()[0] == n - set);
    });
  }
}

// One tile is one launch, which stores the count. More are two, of which the first clears it.
TEST_CASE("count_if of one tile and of more, into counts of 4 and 8 bytes") {
  using shape = detail::partition_shape<detail::rejects::dropped, std::uint32_t>;
  std::vector<std::size_t> lengths{1};
  detail::with_shape_of_gpu<shape>([&]<class Own>(std::type_identity<Own>) {
    for (const std::size_t n : {Own::items - 1, Own::items, Own::items + 1, 9 * Own::items + 3}) lengths.push_back(n);
  });
  unsigned turn = 0;
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const auto items = test::random_items<std::uint32_t>(n, 9);
    std::uint64_t odd = 0;
    for (const std::uint32_t item : items) odd += item % 2;
    test::for_some_schedules(turn++, [&] {
      const test::guarded<std::uint32_t> in(items);
      test::guarded<std::uint32_t> narrow(1);
      test::guarded<std::int64_t> wide(1);
      const exec where(test::test_stream(), std::span<std::byte>{});
      test::directly_and_captured([&] { narrow.fill_dirt(), wide.fill_dirt(); },
                                  [&] {
                                    count_if(where, in, is_odd{}, narrow.data());
                                    count_if(where, in, is_odd{}, wide.data());
                                  },
                                  [&] {
                                    CHECK(narrow.read()[0] == odd);
                                    CHECK(wide.read()[0] == static_cast<std::int64_t>(odd));
                                  });
    });
  }
}

TEST_CASE("flags of a length on the device; bad arguments are errors before any work") {
  const std::size_t n = 6000, there = 4111;
  const auto items = test::random_items<std::uint32_t>(n, 8);
  std::uint64_t set = 0;
  for (std::size_t i = 0; i < there; ++i) set += items[i] & 1u;
  test::for_each_schedule([&] {
    test::guarded<std::uint32_t> in(items), words((n + 31) / 32);
    test::guarded<std::uint64_t> count(1), length(std::vector<std::uint64_t>{there});
    const exec where(test::test_stream(), std::span<std::byte>{});
    const auto refused = [&](const auto& call) { CHECK_THROWS_AS(call(), invalid_argument); };
    const std::span<std::uint32_t> null(static_cast<std::uint32_t*>(nullptr), n);
    refused([&] { flag_bits(where, in, is_odd{}, std::span(words.data(), n / 32)); });
    refused([&] { flag_bits(where, in, is_odd{}, in); });
    refused([&] { flag_bits(where, null, is_odd{}, words); });
    refused([&] { flag_bits(where, in, is_odd{}, null); });
    refused([&] { flag_bits(where, positions(n), bit_flags{words}, words); });
    refused([&] { count_if(where, in, is_odd{}, nullptr); });
    refused([&] { count_if(where, null, is_odd{}, count.data()); });
    refused([&] {
      count_if(where, positions(n + 1), byte_flags{std::span(static_cast<const std::uint8_t*>(nullptr), n)},
               count.data());
    });
    CHECK(test::is_dirt(words.read()[0]));
    CHECK(test::is_dirt(count.read()[0]));
    flag_bits(where, counted{in, length.data()}, is_odd{}, words);
    count_if(where, counted{in, length.data()}, is_odd{}, count.data());
    CHECK(count.read()[0] == set);
    const auto got = words.read();
    std::uint64_t bits = 0;
    for (std::size_t w = 0; w < (there + 31) / 32; ++w) bits += static_cast<std::uint64_t>(std::popcount(got[w]));
    CHECK(bits == set);
    CHECK(test::is_dirt(got.back()));
  });
}

}  // namespace algorithms_flag_bits
