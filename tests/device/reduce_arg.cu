// SPDX-License-Identifier: Apache-2.0
// The positions of the smallest and the largest item, against a loop: ties, NaNs, zeros of both
// signs, nothing at all.
#include <ballot/reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <bit>
#include <cmath>
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
    if constexpr (std::is_floating_point_v<T>)  // the item itself: a zero of its sign
      CHECK((value != 0 || std::signbit(got.value) == std::signbit(value)));
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

TEST_CASE_TEMPLATE("arg_min and arg_max: few distinct items, so that most tie", T, std::int32_t, double, std::int8_t,
                   std::uint16_t, std::uint64_t, float) {
  for (std::size_t n : {0, 1, 31, 33, 63, 64, 65, 191, 192, 193, 64 * 10 + 1, 64 * 23 + 5,
                        64 * 83 + 5}) {  // the last: two tiles a warp
    CAPTURE(n);
    std::vector<T> items(n);
    std::mt19937 random(static_cast<unsigned>(n));
    for (unsigned distinct : {1u, 3u, 1000u}) {
      CAPTURE(distinct);
      for (T& item : items) item = static_cast<T>(static_cast<int>(random() % distinct) - 500);
      test::for_each_schedule([&] { check_both<tiny>(items, n % 4); });
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
  auto& nans = cases.emplace_back(n, nan);  // of any bits: the first is the answer
  for (std::size_t i = 0; i < n; ++i) nans[i] = std::bit_cast<float>(0x7fc00000u + static_cast<unsigned>(n - i));
  auto& zeros = cases.emplace_back(n, 0.0f);
  for (std::size_t i = 1; i < n; i += 2) zeros[i] = -0.0f;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    test::for_each_schedule([&] { check_both<tiny>(cases[i], i % 4); });
  }
}

// One warp: the first of the pairs of its first lanes.
template <class T, class Order>
__global__ void warp_kernel(const indexed<T>* in, unsigned lanes, indexed<T>* out) {
  const unsigned lane = simt::lane_id();
  const device::first_of<T, Order> op{};
  out[lane] = lanes == 32 ? warp::reduce(in[lane], op) : warp::reduce(in[lane], op, warp::first_items{lanes});
}

TEST_CASE_TEMPLATE("arg_min and arg_max of a warp: indices of 64 bits in any order, lanes without an item", T,
                   std::int8_t, std::uint32_t, std::int64_t, float, double) {
  using limits = std::numeric_limits<T>;
  const T extremes[] = {
      limits::lowest(),      limits::max(), T{0},
      static_cast<T>(-T{0}), T{1},          limits::has_quiet_NaN ? limits::quiet_NaN() : limits::max()};
  std::mt19937_64 random(7);
  for (int turn = 0; turn < 60; ++turn) {
    std::vector<indexed<T>> items(32);
    for (auto& one : items) {
      one.index = turn % 3 == 0 ? random() % 4 << 32 | random() % 3 : turn % 3 == 1 ? random() : random() % 2;
      if (random() % 8 == 0) one.index = no_index;
      one.value = turn % 2 == 0 ? extremes[random() % 6] : static_cast<T>(random() % 3);
    }
    const unsigned lanes = turn % 4 == 0 ? 32 : static_cast<unsigned>(random() % 32 + 1);
    const auto check = [&](auto order, auto before) {
      using first = decltype(order);
      indexed<T> want = items[0];
      for (unsigned i = 0; i < lanes; ++i) {
        const indexed<T>& one = items[i];
        if (one.index == no_index) continue;
        if (want.index == no_index || before(one.value, want.value) ||
            (!before(want.value, one.value) && one.index < want.index))
          want = one;
      }
      const test::guarded<indexed<T>> in(items);
      test::guarded<indexed<T>> out(32);
      simt::launch(warp_kernel<T, first>, simt::launch_config{dim3(1), dim3(32), 0, test::test_stream()}, in.data(),
                   lanes, out.data());
      for (const indexed<T>& got : out.read()) {
        CHECK(got.index == want.index);
        if (want.index != no_index)
          CHECK((got.value == want.value || (got.value != got.value && want.value != want.value)));
      }
    };
    CAPTURE(turn);
    check(device::is_less{}, [](T a, T b) { return b != b ? a == a : a < b; });
    check(device::is_greater{}, [](T a, T b) { return b != b ? a == a : a > b; });
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
