// SPDX-License-Identifier: Apache-2.0
// Runs against std::unique and a loop: heads, values with keys, offsets, lengths, in place; run
// lengths from one to many tiles.
#include <ballot/unique.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <numeric>
#include <random>

using namespace ballot;

namespace algorithms_unique {

// It is not symmetric, and not equality, so the order of its arguments shows.
struct rises_by_less_than_3 {
  template <class T>
  BALLOT_HOST_DEVICE bool operator()(const T& before, const T& item) const {
    return item >= before && item < before + 3;
  }
};

struct record {
  std::uint32_t word[6];  // more than a shuffle takes
  friend BALLOT_HOST_DEVICE bool operator==(const record& a, const record& b) {
    return a.word[0] == b.word[0] && a.word[5] == b.word[5];
  }
};

struct runs {
  std::vector<std::uint64_t> begin, length;
};

template <class T, class Same>
runs runs_of(const std::vector<T>& items, const Same& same) {
  runs r;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i == 0 || !same(items[i - 1], items[i])) r.begin.push_back(i), r.length.push_back(0);
    ++r.length.back();
  }
  return r;
}

// Items in runs of about `mean` items.
std::vector<std::uint32_t> items_in_runs(std::size_t n, std::size_t mean) {
  const auto random = test::random_items<std::uint32_t>(n, static_cast<unsigned>(n + mean));
  std::vector<std::uint32_t> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = i != 0 && random[i] % mean != 0 ? items[i - 1] : random[i] % 1000;
  return items;
}

template <class A, class B>
bool begins_with(const test::guarded<A>& out, const std::vector<B>& want) {
  const auto got = out.read();
  const std::size_t there = std::min(got.size(), want.size());
  return std::equal(want.begin(), want.begin() + std::ptrdiff_t(there), got.begin(),
                    [](const B& a, const A& b) { return static_cast<A>(a) == b; }) &&
         std::all_of(got.begin() + std::ptrdiff_t(there), got.end(), [](const A& item) { return test::is_dirt(item); });
}

template <class T>
std::vector<T> at(const std::vector<T>& items, const std::vector<std::uint64_t>& where) {
  std::vector<T> picked;
  for (std::uint64_t i : where) picked.push_back(items[i]);
  return picked;
}

// Run lengths of the first `there` of the items, in tiles of this shape, with room for `values` and
// `lengths`.
template <class Shape, class Index>
void check_run_lengths(const std::vector<std::uint32_t>& items, std::size_t there, std::size_t values_room,
                       std::size_t lengths_room) {
  using T = std::uint32_t;
  CAPTURE(there);
  CAPTURE(lengths_room);
  const std::vector<T> first(items.begin(), items.begin() + std::ptrdiff_t(there));
  const runs want = runs_of(first, equal_to{});
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<T> values(values_room);
    test::guarded<Index> lengths(lengths_room);
    test::guarded<std::uint64_t> count(1), length(std::vector<std::uint64_t>{there});
    const auto columns = detail::run_length_columns<Shape::width>(
        detail::as_input(counted{in, length.data()}), detail::as_output(values), detail::as_output(lengths));
    const auto check = [&]<detail::offset_method Method>(std::integral_constant<detail::offset_method, Method>) {
      values.fill_dirt(), lengths.fill_dirt(), count.fill_dirt();
      detail::launch_partition<detail::rejects::dropped, Shape, false, Method, detail::selected_count_and_last<Index>>(
          allocating(test::test_stream()), detail::length_of_count(items.size(), length.data()), columns,
          detail::head_selector<T, equal_to>{in.data(), {}}, count.data(), "test");
      CHECK(count.read()[0] == want.begin.size());
      CHECK(begins_with(values, at(first, want.begin)));
      CHECK(begins_with(lengths, want.length));
    };
    check(std::integral_constant<detail::offset_method, detail::offset_method::look_back>{});
    if constexpr (sizeof(Index) == 4)
      check(std::integral_constant<detail::offset_method, detail::offset_method::aggregate_sum>{});
  });
}

TEST_CASE_TEMPLATE("run lengths and heads over many small tiles", Index, std::uint32_t, std::uint64_t) {
  using small = block::tile_shape<64, 1, 2>;
  const std::size_t n = small::items * 60 + 9;
  for (std::size_t mean : {std::size_t{1}, std::size_t{3}, std::size_t{50}, std::size_t{700}, n * 100}) {
    CAPTURE(mean);
    const auto items = items_in_runs(n, mean);
    const std::size_t found = runs_of(items, equal_to{}).begin.size();
    check_run_lengths<small, Index>(items, n, n, n);
    check_run_lengths<small, Index>(items, n, found / 2, found - found / 3);
  }
}

// A tile of three warps whose lanes have more flags than a word.
TEST_CASE("run lengths: runs that begin and end beside the borders of tiles, and of warps") {
  using shape = block::tile_shape<96, 9, 4>;
  const std::size_t tile = shape::items, warp = shape::warp_items;
  for (std::size_t n : {3 * tile, 3 * tile + 1}) {
    CAPTURE(n);
    for (std::size_t every : {std::size_t{1}, warp, tile, 2 * tile, n, 5 * tile}) {
      CAPTURE(every);
      for (std::size_t ahead : {std::size_t{0}, std::size_t{1}, every - 1}) {
        CAPTURE(ahead);
        std::vector<std::uint32_t> items(n);
        for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::uint32_t>((i + ahead) / every);
        const std::size_t found = runs_of(items, equal_to{}).begin.size();
        check_run_lengths<shape, std::uint32_t>(items, n, n, found);
      }
    }
  }
}

TEST_CASE("run lengths of a length on the device, and too short an output") {
  using small = block::tile_shape<64, 1, 2>;
  const std::size_t tile = small::items, n = 5 * tile;
  std::vector<std::uint32_t> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::uint32_t>((i + 40) / 100 + i / (2 * tile));
  for (std::size_t there : {std::size_t{0}, std::size_t{1}, tile - 1, tile, tile + 1, 3 * tile, n - 1})
    check_run_lengths<small, std::uint32_t>(items, there, n, n);
  const std::size_t found = runs_of(items, equal_to{}).begin.size();
  for (std::size_t room = 0; room <= found; ++room) check_run_lengths<small, std::uint32_t>(items, n, n, room);
}

TEST_CASE("unique, by key, offsets and lengths at every length") {
  using T = std::uint32_t;
  constexpr std::size_t tile = detail::unique_shapes<T>::small::items;
  auto lengths_there = test::lengths_around(tile);
  const std::size_t many = 33 * tile + 1;  // its tile states take more than scratch is aligned to
  lengths_there.push_back(many);
  for (const std::size_t n : lengths_there) {
    CAPTURE(n);
    const auto items = items_in_runs(n, 5);
    const runs want = runs_of(items, equal_to{});
    const auto values = test::random_items<std::uint64_t>(n, 3);
    auto ends = want.begin;
    ends.push_back(n);
    const auto check_calls = [&] {
      const test::guarded<T> in(items, n % 2);
      const test::guarded<std::uint64_t> value_in(values);
      test::guarded<T> out(n);
      test::guarded<std::uint64_t> count(1), values_out(n), offsets(n + 1), lengths(n);
      const test::unaligned_scratch for_unique(unique_scratch_bytes<T>(n)),
          for_pairs(unique_scratch_bytes<T, std::uint64_t>(n)),
          for_offsets(run_offsets_scratch_bytes<T, std::uint64_t>(n)),
          for_lengths(run_length_encode_scratch_bytes<T, std::uint64_t>(n));
      const auto before = [&] {
        out.fill_dirt(), count.fill_dirt(), values_out.fill_dirt(), offsets.fill_dirt(), lengths.fill_dirt();
      };
      const auto check = [&] {
        CHECK(count.read()[0] == want.begin.size());
        CHECK(begins_with(out, at(items, want.begin)));
      };
      test::directly_and_captured(
          before, [&] { unique(for_unique.where(), in, out, count.data()); }, check);
      test::directly_and_captured(
          before, [&] { unique_by_key(for_pairs.where(), in, value_in, out, values_out, count.data()); },
          [&] {
            check();
            CHECK(begins_with(values_out, at(values, want.begin)));
          });
      test::directly_and_captured(
          before, [&] { run_offsets(for_offsets.where(), in, out, offsets, count.data()); },
          [&] {
            check();
            CHECK(begins_with(offsets, ends));
          });
      test::directly_and_captured(
          before, [&] { run_length_encode(for_lengths.where(), in, out, lengths, count.data()); },
          [&] {
            check();
            CHECK(begins_with(lengths, want.length));
          });
      for_unique.check_guards(), for_pairs.check_guards(), for_offsets.check_guards(), for_lengths.check_guards();
    };
    if (n == many) test::depth_first(check_calls);
    else test::for_some_schedules(check_calls);
  }
}

TEST_CASE("run offsets: the end is written where there is room for it") {
  using T = std::uint32_t;
  const std::size_t n = 2 * detail::unique_shapes<T, std::uint64_t>::small::items + 9;
  const auto items = items_in_runs(n, 40);
  auto want = runs_of(items, equal_to{}).begin;
  const std::size_t found = want.size();
  want.push_back(n);
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, found - 1, found, found + 1}) {
    CAPTURE(room);
    test::for_some_schedules([&] {
      const test::guarded<T> in(items);
      test::guarded<T> values(n);
      test::guarded<std::uint64_t> offsets(found + 2), count(1);  // more memory than the call is given
      run_offsets(allocating(test::test_stream()), in, values, std::span(offsets.data(), room), count.data());
      CHECK(count.read()[0] == found);
      const auto got = offsets.read();
      const auto end = got.begin() + std::ptrdiff_t(room);
      CHECK(std::equal(got.begin(), end, want.begin()));
      CHECK(std::all_of(end, got.end(), test::is_dirt<std::uint64_t>));
    });
  }
}

// Capacities at which one tile more takes scratch more, in tiles of every kind; of few items, so
// that tiles have nothing to do.
TEST_CASE("runs: scratch for a capacity of so many tiles suffices") {
  using T = std::uint32_t;
  using shapes = detail::run_length_shapes<T>;
  std::vector<std::size_t> capacities;
  for (const std::size_t tiles : {32, 64, 128, 160, 255}) capacities.push_back(tiles * shapes::small::items + 8);
  for (const std::size_t tiles : {160, 255}) capacities.push_back(tiles * shapes::large::items + 8);
  for (const std::size_t tiles : {352, 416}) capacities.push_back(tiles * shapes::many::items + 8);
  const test::guarded<T> in(*std::max_element(capacities.begin(), capacities.end()));  // all the same
  const std::uint64_t there = 1000;
  const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{there});
  test::guarded<T> out(3);
  test::guarded<std::uint64_t> count(1), second(3);
  for (const std::size_t n : capacities) {
    CAPTURE(n);
    const counted items{std::span<const T>(in.data(), n), length.data()};
    const auto check = [&](std::size_t bytes, const auto& call, const std::vector<std::uint64_t>& want) {
      test::depth_first([&] {
        out.fill_dirt(), count.fill_dirt(), second.fill_dirt();
        const test::unaligned_scratch scratch(bytes);
        call(scratch.where());
        CHECK(count.read()[0] == 1);
        CHECK(begins_with(second, want));
        scratch.check_guards();
      });
    };
    check(unique_scratch_bytes<T>(n), [&](const exec& gpu) { unique(gpu, items, out, count.data()); }, {});
    check(run_offsets_scratch_bytes<T, std::uint64_t>(n),
          [&](const exec& gpu) { run_offsets(gpu, items, out, second, count.data()); }, {0, there});
    check(run_length_encode_scratch_bytes<T, std::uint64_t>(n),
          [&](const exec& gpu) { run_length_encode(gpu, items, out, second, count.data()); }, {there});
  }
}

TEST_CASE("unique in place, by a relation, of large items, of a length on the device") {
  using T = std::uint32_t;
  const std::size_t n = 3 * detail::unique_shapes<T>::small_in_place::items + 7, there = n - 1000;
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(i * 7919 % 6 + i / 3);
  const std::vector<T> first(items.begin(), items.begin() + std::ptrdiff_t(there));
  const runs want = runs_of(first, rises_by_less_than_3{});
  std::vector<record> records(1500);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = {{static_cast<T>(i / 3), 0, 0, static_cast<T>(i), 0, static_cast<T>(i / 5)}};
  const runs want_records = runs_of(records, equal_to{});
  test::for_each_schedule([&] {
    const exec where = allocating(test::test_stream());
    test::guarded<T> data(items), out(n);
    test::guarded<std::uint64_t> count(1), length(std::vector<std::uint64_t>{there});
    unique(where, counted{data, length.data()}, rises_by_less_than_3{}, out, count.data());
    CHECK(count.read()[0] == want.begin.size());
    CHECK(begins_with(out, at(first, want.begin)));
    unique_in_place(where, counted{data, length.data()}, rises_by_less_than_3{}, count.data());
    CHECK(count.read()[0] == want.begin.size());
    const auto front = at(first, want.begin), got = data.read();
    CHECK(std::equal(front.begin(), front.end(), got.begin()));
    CHECK(std::equal(items.begin() + std::ptrdiff_t(there), items.end(), got.begin() + std::ptrdiff_t(there)));

    const test::guarded<record> in(records);
    test::guarded<record> heads(records.size());
    unique(where, in, heads, count.data());
    CHECK(count.read()[0] == want_records.begin.size());
    CHECK(begins_with(heads, at(records, want_records.begin)));
  });
}

// Heads of bytes are found four at a time, and counted by vectors. As so many bytes have vectors of 16
// (unique_shapes), from any address.
TEST_CASE_TEMPLATE("unique of bytes in vectors of 16", T, std::uint8_t, std::int8_t) {
  const auto check = [&]<class Shape>(std::type_identity<Shape>, std::size_t n, std::size_t longest, unsigned from) {
    CAPTURE(n);
    CAPTURE(longest);
    CAPTURE(from);
    std::mt19937 random(static_cast<unsigned>(n + longest));
    std::vector<T> items(n);
    for (std::size_t i = 0, left = 0; i < n; ++i, --left) {
      if (left == 0) left = 1 + random() % longest;
      // Neighbours differ in one bit, or in the highest one alone.
      items[i] = i == 0 ? T{} : static_cast<T>(left == 1 ? items[i - 1] ^ (1 << random() % 8) : items[i - 1]);
    }
    const runs want = runs_of(items, equal_to{});
    const runs want_rising = runs_of(items, rises_by_less_than_3{});
    test::for_some_schedules([&] {
      const test::guarded<T> in(items, from);
      test::guarded<T> out(n);
      test::guarded<std::uint64_t> count(1);
      const auto select = [&](auto same) {
        const std::tuple inputs = detail::as_inputs(in);
        detail::launch_partition<detail::rejects::dropped, Shape, false>(
            allocating(test::test_stream()), std::get<0>(inputs).length,
            detail::make_device_columns<Shape::width>(inputs, std::tuple(detail::as_output(out)), std::tuple()),
            detail::head_selector<T, decltype(same)>{in.data(), same}, count.data(), "test");
      };
      select(equal_to{});
      CHECK(count.read()[0] == want.begin.size());
      CHECK(begins_with(out, at(items, want.begin)));
      out.fill_dirt();
      select(rises_by_less_than_3{});
      CHECK(count.read()[0] == want_rising.begin.size());
      CHECK(begins_with(out, at(items, want_rising.begin)));
      out.fill_dirt();
      {
        const std::tuple inputs = detail::as_inputs(in);
        detail::launch_partition<detail::rejects::dropped, Shape, false, detail::offset_method::aggregate_sum>(
            allocating(test::test_stream()), std::get<0>(inputs).length,
            detail::make_device_columns<Shape::width>(inputs, std::tuple(detail::as_output(out)), std::tuple()),
            detail::head_selector<T, equal_to>{in.data(), {}}, count.data(), "test");
        CHECK(count.read()[0] == want.begin.size());
        CHECK(begins_with(out, at(items, want.begin)));
      }
      test::guarded<T> both(items, from);
      const auto in_both = detail::as_inputs(both);
      detail::launch_partition<detail::rejects::dropped, Shape, true>(
          allocating(test::test_stream()), std::get<0>(in_both).length,
          detail::make_device_columns<Shape::width>(in_both, detail::as_outputs(both), std::tuple()),
          detail::head_selector<T, equal_to>{both.data(), {}}, count.data(), "test");
      CHECK(count.read()[0] == want.begin.size());
      const auto front = at(items, want.begin), got = both.read();
      CHECK(std::equal(front.begin(), front.end(), got.begin()));
    });
  };
  using even = block::tile_shape<64, 2, 16>;
  using odd = block::tile_shape<64, 3, 8>;
  for (const unsigned from : {0, 1, 4, 15}) check(std::type_identity<even>(), 3 * even::items + 5, 9, from);
  for (const std::size_t longest : {1, 2, 300}) check(std::type_identity<even>(), 2 * even::items, longest, 0);
  for (const std::size_t n : {1, 15, 17}) check(std::type_identity<even>(), n, 3, 0);
  for (const unsigned from : {0, 3}) check(std::type_identity<odd>(), 2 * odd::items + 100, 40, from);
}

TEST_CASE("unique in place where nothing repeats, or only at the end: many small tiles") {
  using T = std::uint32_t;
  using small = block::tile_shape<64, 1, 2>;
  const std::size_t n = small::items * 50 + 3;
  for (std::size_t distinct : {n, n / 2, std::size_t{1}}) {
    CAPTURE(distinct);
    std::vector<T> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(std::min(i, distinct - 1));
    test::for_some_schedules([&] {
      test::guarded<T> data(items);
      test::guarded<std::uint64_t> count(1);
      const auto in = detail::as_inputs(data);
      detail::launch_partition<detail::rejects::dropped, small, true>(
          allocating(test::test_stream()), std::get<0>(in).length,
          detail::make_device_columns<small::width>(in, detail::as_outputs(data), std::tuple()),
          detail::head_selector<T, equal_to>{data.data(), {}}, count.data(), "test");
      CHECK(count.read()[0] == distinct);
      const auto got = data.read();
      CHECK(std::equal(items.begin(), items.begin() + std::ptrdiff_t(distinct), got.begin()));
    });
  }
}

TEST_CASE("unique in place of so many items that its tiles take more scratch than those of unique") {
  using T = std::uint32_t;
  using shapes = detail::unique_shapes<T>;
  const std::size_t n =
      40 * shapes::small_in_place::items;  // the states of 40 tiles take 512 bytes, of fewer than 33 half of it
  static_assert(shapes::small_in_place::items < shapes::many::items);
  const std::size_t tiles_of_many = detail::ceil_div(n, shapes::many::items);
  REQUIRE(tiles_of_many <= 32);
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(i / 3);
  test::depth_first([&] {
    test::guarded<T> data(items);
    test::guarded<std::uint64_t> count(1);
    const test::unaligned_scratch scratch(unique_scratch_bytes<T>(n));
    unique_in_place(scratch.where(), data, count.data());
    CHECK(count.read()[0] == (n + 2) / 3);
    CHECK(data.read()[1] == 1);
    scratch.check_guards();
  });
}

TEST_CASE("runs: bad arguments are errors before any work") {
  using T = std::uint32_t;
  const std::size_t n = 5000;
  test::guarded<T> in(std::vector<T>(n, 1)), out(n), other(n);
  test::guarded<std::uint64_t> count(1);
  const exec where = allocating(test::test_stream());
  const test::unaligned_scratch none(0);
  const std::span<T> null(static_cast<T*>(nullptr), n);
  const auto refused = [&](const auto& call) { CHECK_THROWS_AS(call(), invalid_argument); };
  refused([&] { unique(where, in, out, nullptr); });
  refused([&] { unique(where, null, out, count.data()); });
  refused([&] { unique(where, in, in, count.data()); });
  refused([&] { unique(none.where(), in, out, count.data()); });
  refused([&] { unique_in_place(where, in, nullptr); });
  refused([&] { unique_in_place(where, counted{in, count.data()}, count.data()); });
  refused([&] { unique_by_key(where, in, std::span<const T>(in.data(), n - 1), out, other, count.data()); });
  refused([&] { unique_by_key(where, in, in, out, out, count.data()); });
  refused([&] { run_offsets(where, in, out, out, count.data()); });
  refused([&] { run_offsets(where, in, out, null, count.data()); });
  refused([&] { run_offsets(none.where(), in, out, other, count.data()); });
  refused([&] { run_length_encode(where, in, out, in, count.data()); });
  refused([&] { run_length_encode(none.where(), in, out, other, count.data()); });
  const std::span<const T> huge(in.data(), std::size_t{1} << 32);
  refused([&] { run_length_encode(where, huge, null.subspan(0, 0), null.subspan(0, 0), count.data()); });
  CHECK(test::is_dirt(count.read()[0]));
  CHECK(test::is_dirt(out.read()[0]));
  CHECK(test::is_dirt(other.read()[0]));
}

}  // namespace algorithms_unique
