// SPDX-License-Identifier: Apache-2.0
// How many leading digits a sample asks for, and when they are worth it.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"
#include "support/sort_by_leading_digits.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace ballot;

namespace algorithms_radix_leading_digits_choice {

using namespace test::leading_digits;

TEST_CASE("how many digits are leading, of a few keys of each kind") {
  const std::size_t n = 5003;
  // a twelfth of what a block holds
  check_once({"fewer companions", even_buckets(n, 70), way::tiles}, 2);
  check_once({"more companions", even_buckets(n, 110), way::tiles}, 3);
  check_once({"heavy keys and rare ones", heavy_and_rare(n, 7), way::tiles});
  check_once({"few distinct, and many others", few_and_unseen(n, 5), way::other});
  // More than determined_digits.cuh has an answer for.
  check_once({"a hundred distinct", few(n, 100), way::tiles});
  check_once({"a hundred distinct, and many others", few_and_unseen(n, 100), way::other});
  check_once({"frequent digits that the sample does not show", crowded(n, 0x4711, 2300, 0, false), way::tiles}, 3);
}

// An average key has few companions.
TEST_CASE("one bucket that is too large, and that the sample shows") {
  auto keys = random_keys(16003, 12);
  for (std::size_t i = 0; i < keys.size(); i += 15) keys[i] = keys[i] >> 16 | u64{0x4711} << 48;
  check_once({"a bucket in 15", keys, way::tiles}, 3);
}

struct of_few_items : by_digits {
  static constexpr u64 many_items_by_leading_digits = detail::any_number;
};

TEST_CASE("of few keys, five passes have to be saved") {
  auto keys = normal(4003);
  for (u64& key : keys) key = key * 0x9e3779b97f4a7c15 >> 8;
  for (const int digits : {6, 7}) {
    const bit_range bits{0, 8 * digits};
    check_keys<>({"three of " + std::to_string(digits), keys, way::tiles, bits}, keys.size());
    check_keys<of_few_items>({std::to_string(digits), keys, digits == 6 ? way::other : way::tiles, bits}, keys.size());
  }
}

struct of_very_many_items : by_digits {
  static constexpr u64 very_many_items_by_leading_digits = 4003;
};

TEST_CASE("of very many keys, two passes that are saved are enough, unless only some bits are compared") {
  for (const std::size_t n : {4002u, 4003u}) {
    const auto keys = masked(random_keys(n, 21), ~0u, u64{0x4711} << 40);
    check_keys<>({"four digits differ", keys, way::other}, n);
    check_keys<of_very_many_items>({"very many", keys, n < 4003 ? way::other : way::tiles}, n);
    check_keys<of_very_many_items>({"very many, some bits", keys, way::other, {0, 32}}, n);
  }
}

struct histogram_of_few : histogram {
  static constexpr bool is_for_few_keys = true;
};

TEST_CASE("a histogram of few keys: by leading digits, unless the sample is in order") {
  auto in_order = normal(4003);
  std::sort(in_order.begin(), in_order.end());
  std::swap(in_order[1000], in_order[1001]);
  auto moved = in_order;
  std::rotate(moved.begin(), moved.begin() + 2000, moved.end());
  for (const auto& [keys, expected] : {std::pair(normal(4003), way::tiles), std::pair(in_order, way::other),
                                       std::pair(moved, way::tiles), std::pair(few(4003, 16), way::other)}) {
    const std::size_t n = keys.size();
    const test::guarded<u64> in(keys);
    test::guarded<u64> out(n);
    auto scratch = scratch_for<u64, no_value, by_digits>(n, sort_mode::out_of_place);
    detail::launch_radix_sort_in_shape<u64, no_value, passes, histogram_of_few, by_digits>(
        test::test_stream(), scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {}, {0, 64});
    CHECK(out.read() == test::serial_sort(keys, {}));
    CHECK(way_of<no_value>(scratch, n, sort_mode::out_of_place) == expected);
  }
}

}  // namespace algorithms_radix_leading_digits_choice
