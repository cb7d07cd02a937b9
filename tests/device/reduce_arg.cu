// SPDX-License-Identifier: Apache-2.0
// Where the smallest and the largest item is, against a loop: ties, NaNs, zeros of both signs, nothing at all.
#include <ballot/reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <limits>

using namespace ballot;

namespace device_reduce_arg {

using tiny = device::reduce_shape<64, 2, 4, 3, 5>;

// The first index whose item no other comes before; the order is told by a function of its own.
template <class T, class Before>
std::uint64_t serial_arg(const std::vector<T>& items, Before before) {
  std::uint64_t best = no_index;
  for (std::uint64_t i = 0; i < items.size(); ++i)
    if (best == no_index || before(items[i], items[best])) best = i;
  return best;
}
template <class T>
std::uint64_t serial_arg_min(const std::vector<T>& items) {
  return serial_arg(items, [](T a, T b) { return b != b ? a == a : a < b; });
}
template <class T>
std::uint64_t serial_arg_max(const std::vector<T>& items) {
  return serial_arg(items, [](T a, T b) { return b != b ? a == a : a > b; });
}

template <class Shape, class T>
void check_both(const std::vector<T>& items, std::size_t shift = 0) {
  const exec where = allocating(test::test_stream());
  const test::guarded<T> in(items, shift);
  const device_value<indexed<T>> result(test::test_stream());
  const auto is = [&](std::uint64_t index) {
    const indexed<T> got = result.read(test::test_stream());
    CHECK(got.index == index);
    const T value = index == no_index ? T{} : items[index];
    CHECK((got.value == value || (got.value != got.value && value != value)));
  };
  const auto run = [&](auto first) {
    using values = decltype(first);
    detail::launch_reduce<values, T, Shape>(where, detail::as_input(in), result.address(), indexed<T>{}, first, "test");
  };
  run(device::first_of<T, device::is_less>{});
  is(serial_arg_min(items));
  run(device::first_of<T, device::is_greater>{});
  is(serial_arg_max(items));
}

// Else min and max of pairs would be taken in order.
static_assert(is_commutative<device::first_of<double, device::is_less>, indexed<double>>);
static_assert(is_commutative<device::first_of<float, device::is_less>, indexed<float>> && sizeof(indexed<float>) == 16);

TEST_CASE_TEMPLATE("arg_min and arg_max: few distinct items, so that most tie", T, std::int32_t, double) {
  for (std::size_t n : {0, 1, 31, 33, 63, 64, 65, 191, 192, 193, 64 * 10 + 1, 64 * 23 + 5}) {
    CAPTURE(n);
    std::vector<T> items(n);
    std::mt19937 random(static_cast<unsigned>(n));
    for (unsigned distinct : {1u, 3u, 1000u}) {
      CAPTURE(distinct);
      for (T& item : items) item = static_cast<T>(static_cast<int>(random() % distinct) - 500);
      test::for_each_schedule([&] { check_both<tiny>(items, n % 2); });
    }
  }
}

TEST_CASE("arg_min and arg_max: NaNs come after every number, zeros of both signs are equal") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const std::size_t n = 64 * 11 + 3;
  std::vector<std::vector<float>> cases;
  cases.push_back(std::vector<float>(n, nan));
  cases.emplace_back(n, nan)[n / 2] = 3.0f;
  cases.emplace_back(n, nan)[n - 1] = -infinite;
  cases.emplace_back(n, nan)[70] = infinite;
  cases.emplace_back(n, 1.0f)[0] = nan;
  auto& zeros = cases.emplace_back(n, 0.0f);
  for (std::size_t i = 1; i < n; i += 2) zeros[i] = -0.0f;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    test::for_each_schedule([&] { check_both<tiny>(cases[i]); });
  }
}

TEST_CASE("minimum and maximum of floats leave NaNs aside") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> items(300, nan);
  for (std::size_t i = 5; i < 300; i += 7) items[i] = static_cast<float>(i);
  test::for_each_schedule([&] {
    const exec where = allocating(test::test_stream());
    const test::guarded<float> in(items), only(std::vector<float>(40, nan));
    test::guarded<float> result(1);
    minimum_of(where, in, result.data());
    CHECK(result.read().front() == 5.0f);
    maximum_of(where, in, result.data());
    CHECK(result.read().front() == 299.0f);
    minimum_of(where, only, result.data());
    CHECK(result.read().front() != result.read().front());
    sum(where, in, result.data());
    CHECK(result.read().front() != result.read().front());
  });
}

TEST_CASE("arg_min and arg_max in the tuned shape, by the public functions") {
  using shape = detail::reduce_shape<std::uint32_t>;
  const std::size_t n = shape::warp_items * (shape::one_block_tiles + 2) + 11;
  std::vector<std::uint32_t> items(n, 7);
  items[n / 3] = items[n / 3 + 1] = 3;
  items[n - 5] = items[n - 2] = 9;
  const test::guarded<std::uint32_t> in(items);
  const test::exact_scratch scratch(reduce_scratch_bytes<indexed<std::uint32_t>>(n));
  const device_value<indexed<std::uint32_t>> result(test::test_stream());
  test::directly_and_captured([] {}, [&] { arg_min(scratch.where(), in, result); },
                              [&] {
                                CHECK(result.read(test::test_stream()).index == n / 3);
                                CHECK(result.read(test::test_stream()).value == 3);
                              });
  arg_max(scratch.where(), in, result);
  CHECK(result.read(test::test_stream()).index == n - 5);
  CHECK(result.read(test::test_stream()).value == 9);
  scratch.check_guards();
}

}  // namespace device_reduce_arg
