// SPDX-License-Identifier: Apache-2.0
// Device reductions against loops: types, conversion, lengths, alignment, order, counted,
// determinism, the contract.
#include <ballot/reduce.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace ballot;

namespace device_reduce {

// Warp tiles of 64 items, 2 warps, one block up to 3 tiles, at most 5 blocks: everything there is
// happens at small sizes.
template <int Width>
using tiny = device::reduce_shape<64, 2, Width, 3, 5>;

template <class Values, class Shape, class Item, class T, class Op>
void reduce_with(const exec& where, const test::guarded<Item>& in, const test::guarded<T>& result, T initial, Op op) {
  detail::launch_reduce<Values, Item, Shape>(where, detail::as_input(in), result.data(), initial, op, "test");
}

template <class T, class Item, class Op>
T serial_reduce(const std::vector<Item>& items, T result, Op op) {
  for (const Item& item : items) result = op(result, static_cast<T>(item));
  return result;
}

// 0, 1, and around a lane, a chunk, a warp tile, one block, and the largest grid.
std::vector<std::size_t> lengths_around_runs(std::size_t warp_tile) {
  std::vector<std::size_t> lengths{0, 1, 2, 31, 32, 33};
  for (std::size_t halves : {1, 2, 4, 6, 7, 8, 9, 10, 11, 12, 18, 20, 22, 46})
    for (std::size_t n : {halves * warp_tile / 2 - 1, halves * warp_tile / 2, halves * warp_tile / 2 + 1})
      lengths.push_back(n);
  return lengths;
}

TEST_CASE_TEMPLATE("reduce: one block and many, with an operator that does not commute", Word, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
  using T = test::affine<Word>;  // items of 4, 8 and 16 bytes
  constexpr int width = 16 / sizeof(T);
  static_assert(!is_commutative<test::compose, T>);
  for (std::size_t n : lengths_around_runs(tiny<width>::warp_items)) {
    CAPTURE(n);
    const auto items = test::random_items<T>(n, 11);
    const T whole = serial_reduce(items, T{3, 4}, test::compose{});
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      test::guarded<T> result(1);
      const test::exact_scratch scratch(detail::reduce_scratch_bytes_of<T>(tiny<width>::blocks(n)));
      reduce_with<device::items_as<T>, tiny<width>>(scratch.where(), in, result, T{3, 4}, test::compose{});
      CHECK(result.read().front() == whole);
      scratch.check_guards();
    });
  }
}

// Items of 12 bytes and more have vectors of several accesses. Maps of floats: each result rounds, so
// it shows how the operands are grouped.
template <int Words>
struct wide_map {
  float scale, offset, rest[Words - 2];
};
struct compose_wide {
  template <int Words>
  BALLOT_HOST_DEVICE wide_map<Words> operator()(const wide_map<Words>& first, const wide_map<Words>& then) const {
    wide_map<Words> both{first.scale * then.scale, first.offset * then.scale + then.offset, {}};
    for (int w = 0; w < Words - 2; ++w) both.rest[w] = first.rest[w] + then.rest[w];
    return both;
  }
};

TEST_CASE_TEMPLATE("reduce: wide items, in order, with the same bits at every address", T, wide_map<3>, wide_map<4>,
                   wide_map<5>, wide_map<6>, wide_map<8>) {
  using shape = detail::reduce_shape<T>;
  static_assert(sizeof(T) == 12 || sizeof(T) == 20 ||
                (device::is_in_pieces(shape::width * sizeof(T)) && shape::width * sizeof(T) <= 64));
  static_assert(sizeof(T) != 12 || shape::width == 4);
  constexpr std::size_t tile = shape::warp_items, one_block = shape::one_block_tiles * tile;
  unsigned turn = 0;
  for (const std::size_t n : {std::size_t{1}, tile - 1, tile, 3 * tile + 5, one_block, one_block + 7 * tile + 1}) {
    CAPTURE(n);
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) {
      items[i] = {i % 3 == 0 ? -1.0f : 1.0f, static_cast<float>(i % 13) - 6, {}};  // exact
      for (float& rest : items[i].rest) rest = 1.0f / static_cast<float>(1 + i % 7);
    }
    const T whole = serial_reduce(items, T{1, 2, {}}, compose_wide{});
    test::for_some_schedules(turn++, [&] {
      T first{};
      for (const std::size_t shift : {0, 1, 2}) {
        CAPTURE(shift);
        const test::guarded<T> in(items, shift);
        const test::guarded<T> result(1);
        reduce(allocating(test::test_stream()), in, T{1, 2, {}}, compose_wide{}, result.data());
        const T got = result.read()[0];
        CHECK(got.scale == whole.scale);
        CHECK(got.offset == whole.offset);
        for (int w = 0; w < static_cast<int>(sizeof(T) / 4) - 2; ++w)
          CHECK(got.rest[w] == doctest::Approx(whole.rest[w]).epsilon(1e-3));
        if (shift == 0) first = got;
        CHECK(std::memcmp(&got, &first, sizeof(T)) == 0);
      }
    });
  }
}

TEST_CASE("reduce: more blocks than the last of them has threads") {
  using shape = device::reduce_shape<32, 1, 1, 3, 70>;
  using T = test::affine<std::uint16_t>;
  for (std::size_t n : {32 * 32 + 1, 32 * 69, 32 * 70 - 1, 32 * 70 * 2 + 5}) {
    CAPTURE(n);
    const auto items = test::random_items<T>(n, 12);
    const T whole = serial_reduce(items, T{3, 4}, test::compose{});
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      test::guarded<T> result(1);
      const test::exact_scratch scratch(detail::reduce_scratch_bytes_of<T>(shape::blocks(n)));
      reduce_with<device::items_as<T>, shape>(scratch.where(), in, result, T{3, 4}, test::compose{});
      CHECK(result.read().front() == whole);
      scratch.check_guards();
    });
  }
}

TEST_CASE("reduce: one block and many, of items that may come in any order, at odd addresses too") {
  using shape = tiny<4>;
  for (std::size_t n : lengths_around_runs(shape::warp_items)) {
    CAPTURE(n);
    const auto items = test::small_items<std::uint32_t>(n);
    const auto total = serial_reduce(items, std::uint64_t{5}, plus{});
    test::for_each_schedule([&] {
      const test::exact_scratch scratch(detail::reduce_scratch_bytes_of<std::uint64_t>(shape::blocks(n)));
      for (std::size_t shift : {0, 1, 3}) {  // with 3 and with 1 items before the first vector
        CAPTURE(shift);
        const test::guarded<std::uint32_t> in(items, shift);
        test::guarded<std::uint64_t> result(1);
        reduce_with<device::items_as<std::uint64_t>, shape>(scratch.where(), in, result, std::uint64_t{5}, plus{});
        CHECK(result.read().front() == total);
      }
      scratch.check_guards();
    });
  }
}

TEST_CASE_TEMPLATE("sum, minimum and maximum of all types, directly and captured", T, std::uint8_t, std::int32_t,
                   std::uint64_t, float, double) {
  using shape = detail::reduce_shape<T>;
  for (std::size_t n : {std::size_t{0}, std::size_t{33}, std::size_t{2 * shape::warp_items + 7}}) {
    CAPTURE(n);
    const auto items = test::small_items<T>(n);
    const auto smallest = serial_reduce(items, detail::last_of_minimum<T>(), minimum{});
    const auto largest = serial_reduce(items, detail::last_of_maximum<T>(), maximum{});
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      test::guarded<T> result(1);
      const test::exact_scratch scratch(reduce_scratch_bytes<T>(n));
      const auto is = [&](T want) {
        const T got = result.read().front();
        CHECK((got == want || (got != got && want != want)));
      };
      test::directly_and_captured([&] { result.fill_dirt(); }, [&] { sum(scratch.where(), in, result.data()); },
                                  [&] { is(serial_reduce(items, T{}, plus{})); });
      minimum_of(scratch.where(), in, result.data());
      is(smallest);
      maximum_of(scratch.where(), in, result.data());
      is(largest);
    });
  }
}

TEST_CASE("sum in the tuned shape by several blocks, into a wider type, into a device_value") {
  using shape = detail::reduce_shape<std::uint8_t>;
  const std::size_t n = shape::warp_items * (shape::one_block_tiles + 1) + 9;
  REQUIRE(shape::blocks(n) > 1);
  const std::vector<std::uint8_t> items(n, 255);
  const test::guarded<std::uint8_t> in(items);
  const test::exact_scratch scratch(reduce_scratch_bytes<std::uint64_t>(n));
  const device_value<std::uint64_t> total(test::test_stream());
  test::directly_and_captured([] {}, [&] { sum(scratch.where(), in, total); },
                              [&] { CHECK(total.read(test::test_stream()) == 255u * n); });
  scratch.check_guards();
}

// One block divides chunks of vectors among its warps: none to eight each, and a part of one.
TEST_CASE("reduce in the tuned shape of every number of chunks") {
  using T = test::affine<std::uint32_t>;
  using shape = detail::reduce_shape<T>;
  static_assert(shape::chunks == 8 && sizeof(T) == sizeof(std::uint64_t));
  constexpr std::size_t round = shape::warps * shape::chunk_items;  // a chunk for each warp
  unsigned turn = 0;
  for (std::size_t chunks = 1; chunks <= 9; ++chunks)
    for (const std::size_t n : {chunks * round - shape::chunk_items - 1, chunks * round - 3, chunks * round}) {
      CAPTURE(n);
      const auto maps = test::random_items<T>(n, 5);
      const auto numbers = test::random_items<std::uint64_t>(n, 6);
      const T composed = serial_reduce(maps, T{3, 4}, test::compose{});
      const std::uint64_t total = serial_reduce(numbers, std::uint64_t{0}, plus{});
      const auto least = static_cast<std::uint64_t>(std::min_element(numbers.begin(), numbers.end()) - numbers.begin());
      test::for_some_schedules(turn++, [&] {
        const test::guarded<T> in_maps(maps), map(1);
        const test::guarded<std::uint64_t> in_numbers(numbers), sum_of(1);
        const test::guarded<indexed<std::uint64_t>> where(1);
        const exec gpu = allocating(test::test_stream());
        reduce(gpu, in_maps, T{3, 4}, test::compose{}, map.data());
        sum(gpu, in_numbers, sum_of.data());
        arg_min(gpu, in_numbers, where.data());
        CHECK(map.read()[0] == composed);
        CHECK(sum_of.read()[0] == total);
        CHECK(where.read()[0].index == least);
      });
    }
}

TEST_CASE("sum in the tuned shape of as many items as one cluster takes, and one more") {
  using shape = detail::reduce_shape<std::uint64_t>;
  constexpr std::size_t most = std::size_t{detail::most_cluster_reduce_tiles} * shape::warp_items;
  unsigned turn = 0;
  for (const std::size_t n : {std::size_t{16 * shape::warps} * shape::warp_items + 1, most, most + 1}) {
    CAPTURE(n);
    const auto numbers = test::random_items<std::uint64_t>(n, 7);
    test::for_some_schedules(turn++, [&] {
      const test::guarded<std::uint64_t> in(numbers), total(1);
      sum(allocating(test::test_stream()), in, total.data());
      CHECK(total.read()[0] == serial_reduce(numbers, std::uint64_t{0}, plus{}));
    });
  }
}

// Narrow items one by one: not all vectors of a lane at once.
TEST_CASE_TEMPLATE("sum in the tuned shape at every address", T, std::uint8_t, std::uint16_t, std::uint64_t) {
  using shape = detail::reduce_shape<T>;
  unsigned turn = 0;
  for (const std::size_t n : {std::size_t{5}, std::size_t{shape::warp_items} - 1,
                              9 * std::size_t{shape::warp_items} + 77}) {  // whole tiles, too
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(i * 37 + i / 251);
    const std::uint64_t want = std::accumulate(items.begin(), items.end(), std::uint64_t{0});
    for (std::size_t shift = 0; shift < 16 / sizeof(T); ++shift) {
      CAPTURE(n);
      CAPTURE(shift);
      test::for_some_schedules(turn++, [&] {
        const test::guarded<T> in(items, shift);
        const test::guarded<std::uint64_t> total(1);
        sum(allocating(test::test_stream()), in, total.data());
        CHECK(total.read()[0] == want);
        if constexpr (sizeof(T) == 1) {  // into floats, whose order is that of the items; these sums are exact
          const test::guarded<float> rounded(1);
          sum(allocating(test::test_stream()), in, rounded.data());
          CHECK(rounded.read()[0] == static_cast<float>(want));
        }
      });
    }
  }
}

TEST_CASE("reduce: the same bits on every run, at every address, for every capacity") {
  using shape = tiny<4>;
  const std::size_t n = 23 * shape::warp_items + 13, capacity = 2 * n;
  auto items = test::random_items<float>(capacity, 5);
  for (float& item : items) item = item != item ? 1.0f : std::clamp(item, -1e6f, 1e6f);
  const std::vector<float> valid(items.begin(), items.begin() + std::ptrdiff_t(n));
  std::vector<float> sums;
  test::for_each_schedule([&] {
    const exec where = allocating(test::test_stream());
    test::guarded<float> result(1);
    for (std::size_t shift : {0, 1, 2}) {
      const test::guarded<float> in(valid, shift);
      reduce_with<device::items_as<float>, shape>(where, in, result, 0.0f, plus{});
      sums.push_back(result.read().front());
    }
    const test::guarded<float> in(items);
    test::guarded<std::uint64_t> count(1);
    count.write({n});
    detail::launch_reduce<device::items_as<float>, float, shape>(where, detail::as_input(counted{in, count.data()}),
                                                                 result.data(), 0.0f, plus{}, "test");
    sums.push_back(result.read().front());
  });
  for (float s : sums) CHECK(std::memcmp(&s, &sums.front(), sizeof s) == 0);
}

TEST_CASE("reduce of a length on the device") {
  using shape = tiny<4>;
  using T = test::affine<std::uint16_t>;
  const std::size_t capacity = 23 * shape::warp_items + 5;
  const auto items = test::random_items<T>(capacity, 4);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<std::uint64_t> count(1);
    test::guarded<T> result(1);
    const test::exact_scratch scratch(detail::reduce_scratch_bytes_of<T>(shape::blocks(capacity)));
    for (std::uint64_t asked : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3 * shape::warp_items + 1},
                                std::uint64_t{capacity}, std::uint64_t{capacity} * 3}) {
      CAPTURE(asked);
      count.write({asked});
      result.fill_dirt();
      detail::launch_reduce<device::items_as<T>, T, shape>(scratch.where(), detail::as_input(counted{in, count.data()}),
                                                           result.data(), T{3, 4}, test::compose{}, "test");
      const auto n = std::ptrdiff_t(std::min<std::uint64_t>(asked, capacity));
      CHECK(result.read().front() ==
            serial_reduce(std::vector<T>(items.begin(), items.begin() + n), T{3, 4}, test::compose{}));
    }
  });
}

TEST_CASE("reduce: how many blocks") {
  using shape = detail::reduce_shape<std::int32_t>;
  static_assert(shape::warp_items == 1024);
  CHECK(shape::blocks(0) == 1);
  CHECK(shape::blocks(24 * 1024) == 1);
  CHECK(shape::blocks(24 * 1024 + 1) == 4);
  CHECK(shape::blocks(128 * 1024) == 16);
  CHECK(shape::blocks(160 * 1024) == 16);  // one cluster
  CHECK(shape::blocks(160 * 1024 + 1) == 21);
  // The scratch of any type is enough for each.
  for (std::uint64_t n = 1; n < std::uint64_t{1} << 34; n += 1 + n / 7) {
    const std::size_t enough = reduce_scratch_bytes<double>(n);
    CHECK(enough >= detail::reduce_scratch_bytes_of<double>(detail::reduce_shape<std::uint8_t>::blocks(n)));
    CHECK(enough >= detail::reduce_scratch_bytes_of<double>(shape::blocks(n)));
    CHECK(enough >= detail::reduce_scratch_bytes_of<double>(detail::reduce_shape<double>::blocks(n)));
    CHECK(enough >=
          detail::reduce_scratch_bytes_of<double>(detail::reduce_shape<test::affine<std::uint64_t>>::blocks(n)));
  }
  CHECK(shape::blocks(std::uint64_t{1} << 40) == 2640);
  CHECK(reduce_scratch_bytes<std::int32_t>(0) == 0);
  CHECK(reduce_scratch_bytes<indexed<double>>(std::uint64_t{1} << 40) ==
        256 + (2640 * 16 + 255) / 256 * 256);  // the address, the partial results
}

TEST_CASE("reduce: bad arguments are errors before any work") {
  const std::size_t n = 5000;
  test::guarded<int> in(std::vector<int>(n, 1));
  test::guarded<int> result(1);
  const std::size_t bytes = reduce_scratch_bytes<int>(1 << 20);
  const test::exact_scratch scratch(bytes), small(bytes - 257), large(bytes + 1);
  const exec where = scratch.where();
  CHECK_THROWS_AS(sum(where, std::span<const int>(static_cast<const int*>(nullptr), n), result.data()),
                  invalid_argument);
  CHECK_THROWS_AS(sum(where, in, static_cast<int*>(nullptr)), invalid_argument);
  CHECK_THROWS_AS(arg_min(where, in, nullptr), invalid_argument);
  CHECK_THROWS_AS(sum(where, in, in.data() + n - 1), invalid_argument);
  const test::guarded<int> many(std::vector<int>((1 << 16) + 1, 1));
  const exec none(where.stream(), std::span<std::byte>{});
  const exec misaligned(where.stream(), large.where().scratch().subspan(1));
  CHECK_THROWS_AS(sum(none, many, result.data()), invalid_argument);
  CHECK(test::is_dirt(result.read().front()));
  CHECK(in.read() == std::vector<int>(n, 1));
  sum(misaligned, many, result.data());
  CHECK(result.read().front() == (1 << 16) + 1);
  sum(none, in, result.data());  // one block needs no scratch
  CHECK(result.read().front() == int(n));
  sum(none, std::span<const int>{}, result.data());
  CHECK(result.read().front() == 0);
}

}  // namespace device_reduce
