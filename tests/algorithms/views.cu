// SPDX-License-Identifier: Apache-2.0
// Selections of views against loops over the same items: every kind of view, alignments, lengths,
// zips, lengths on the device; and what is refused.
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/odd_items.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

using namespace ballot;
using test::guarded;
using test::is_odd;
using test::refused;

namespace algorithms_views {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

using shapes = detail::partition_shapes<detail::rejects::dropped, false, u32>;

template <class T>
std::vector<T> first(const guarded<T>& of, std::size_t n) {
  auto items = of.read();
  REQUIRE(n <= items.size());
  CHECK(std::all_of(items.begin() + std::ptrdiff_t(n), items.end(), [](const T& item) { return test::is_dirt(item); }));
  items.resize(n);
  return items;
}
template <class T, class F>
std::vector<T> kept(const std::vector<T>& items, F keep) {
  std::vector<T> all;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (keep(i)) all.push_back(items[i]);
  return all;
}

TEST_CASE("compact each kind of view by a predicate and by flags") {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{33}, std::size_t{shapes::small::items}, std::size_t{2 * shapes::small::items + 5}})
    for (const std::size_t shift : {0, 1}) {
      CAPTURE(n);
      CAPTURE(shift);
      const auto flags = test::make_flags(test::flag_patterns[6], n);
      test::for_each_schedule([&] {
        const guarded<u32> bits(test::as_bits(flags));
        guarded<u32> out(n);
        guarded<u64> count(1);
        const test::unaligned_scratch scratch(compact_scratch_bytes<u32>(n));
        test::for_each_view(n, shift, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
          CAPTURE(name);
          const auto odd = kept(items, [&](std::size_t i) { return items[i] % 2 != 0; });
          out.fill_dirt();
          compact(scratch.where(), view, is_odd{}, out, count.data());
          CHECK(count.read()[0] == odd.size());
          CHECK(first(out, odd.size()) == odd);
          const auto flagged = kept(items, [&](std::size_t i) { return flags[i]; });
          out.fill_dirt();
          compact(scratch.where(), view, bit_flags{bits}, out, count.data());
          CHECK(count.read()[0] == flagged.size());
          CHECK(first(out, flagged.size()) == flagged);
        });
        scratch.check_guards();
      });
    }
}

TEST_CASE("compact views of every number of tiles, in the tiles of each way to find offsets") {
  for (const std::size_t n : test::lengths_around(shapes::many::items)) {
    CAPTURE(n);
    const auto host = test::random_items<u32>(n, 8);
    std::vector<u32> odd;
    for (const u32 x : host)
      if ((3 * x + 1) % 2 != 0) odd.push_back(3 * x + 1);
    test::for_some_schedules([&] {
      const guarded<u32> in(host);
      guarded<u32> out(n);
      guarded<u64> count(1);
      const test::unaligned_scratch scratch(compact_scratch_bytes<u32>(n));
      const exec where = scratch.where();
      const transformed view{in, test::thrice_and_one{}};
      const auto inputs = detail::as_inputs(view);
      const auto outputs = detail::as_outputs(out);
      const auto check = [&] {
        CHECK(count.read()[0] == odd.size());
        CHECK(first(out, odd.size()) == odd);
        out.fill_dirt();
      };
      using detail::offset_method, detail::rejects;
      detail::launch_partition<rejects::dropped, typename shapes::many>(
          where, detail::length{n}, detail::make_device_columns<shapes::many::width>(inputs, outputs, std::tuple()),
          detail::make_selector<shapes::many::width, true>(is_odd{}, inputs), count.data(), "compact");
      check();
      detail::launch_partition<rejects::dropped, typename shapes::large, false, offset_method::aggregate_sum>(
          where, detail::length{n}, detail::make_device_columns<shapes::large::width>(inputs, outputs, std::tuple()),
          detail::make_selector<shapes::large::width, true>(is_odd{}, inputs), count.data(), "compact");
      check();
    });
  }
}

struct widened {
  __device__ u64 operator()(u8 x) const { return u64{x} << 40 | x; }
};
struct narrowed {
  __device__ u8 operator()(u64 x) const { return static_cast<u8>(x >> 3); }
};
struct record {
  u64 words[5];
  friend bool operator==(const record&, const record&) = default;
};
struct to_record {
  __device__ record operator()(u64 x) const { return {{x, x + 1, x * 3, ~x, 5}}; }
};

// By a predicate and by flags, in two groups.
template <class T, class In, class F, class Host>
void check_types(const std::vector<In>& host, F f, Host host_f) {
  const std::size_t n = host.size();
  const auto flags = test::make_flags(test::flag_patterns[5], n);
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = host_f(host[i]);
  const auto is_kept = [&](std::size_t i) { return (reinterpret_cast<const unsigned char&>(items[i]) & 1) != 0; };
  test::for_some_schedules([&] {
    const guarded<In> in(host);
    const guarded<u8> bytes(test::as_bytes(flags));
    guarded<T> out(n), rest(n);
    guarded<u64> count(1);
    const test::unaligned_scratch scratch(split_scratch_bytes<T>(n));
    split(scratch.where(), transformed{in, f}, is_odd{}, out, rest, count.data());
    const auto selected = kept(items, is_kept), rejected = kept(items, [&](std::size_t i) { return !is_kept(i); });
    CHECK(first(out, selected.size()) == selected);
    CHECK(first(rest, rejected.size()) == rejected);
    out.fill_dirt();
    split(scratch.where(), transformed{in, f}, is_odd{}, out, count.data());
    auto both = selected;
    both.insert(both.end(), rejected.begin(), rejected.end());
    CHECK(out.read() == both);
    out.fill_dirt();
    compact(scratch.where(), transformed{in, f}, byte_flags{bytes}, out, count.data());
    const auto flagged = kept(items, [&](std::size_t i) { return flags[i]; });
    CHECK(first(out, flagged.size()) == flagged);
    CHECK(count.read()[0] == flagged.size());
  });
}

TEST_CASE("split and compact views whose items are larger or smaller than the array's") {
  const std::size_t n = 5000;
  check_types<u64>(test::random_items<u8>(n, 4), widened{}, [](u8 x) { return u64{x} << 40 | x; });
  check_types<u8>(test::random_items<u64>(n, 5), narrowed{}, [](u64 x) { return static_cast<u8>(x >> 3); });
  check_types<record>(test::random_items<u64>(n, 6), to_record{}, [](u64 x) {
    return record{{x, x + 1, x * 3, ~x, 5}};
  });
}

struct both_odd {
  __device__ bool operator()(u32 a, u32 b) const { return a % 2 != 0 && b % 2 != 0; }
};
struct small {
  __device__ u32 operator()(u32 x) const { return x % 50 / 9; }
};
struct digit {
  __device__ u32 operator()(u32 x) const { return x % 10; }
};

TEST_CASE("every selection of a view") {
  const std::size_t n = 3000, rows = 6, width = n / rows;
  const auto host = test::random_items<u32>(n, 7);
  std::vector<u32> items(n), places(n);
  for (std::size_t i = 0; i < n; ++i) {
    items[i] = host[n - 1 - i] % 50 / 9;
    places[i] = static_cast<u32>(i);
  }
  const auto is_kept = [&](std::size_t i) { return items[i] % 2 != 0; };
  test::for_some_schedules([&] {
    const guarded<u32> in(host);
    const transformed view{reversed{in}, small{}};
    const exec gpu = allocating(test::test_stream());
    guarded<u32> out(n), others(n), words(n);
    guarded<u64> counts(n + 1);
    const auto reset = [&] { out.fill_dirt(), others.fill_dirt(), words.fill_dirt(), counts.fill_dirt(); };
    const auto odd = kept(items, is_kept);

    count_if(gpu, view, is_odd{}, counts.data());
    CHECK(counts.read()[0] == odd.size());
    compact_indices(gpu, view, is_odd{}, out, counts.data());
    CHECK(first(out, odd.size()) == kept(places, is_kept));
    flag_bits(gpu, view, is_odd{}, words);
    std::vector<bool> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = is_kept(i);
    auto bits = test::as_bits(flags);
    bits.back() &= (1u << n % 32) - 1;
    CHECK(first(words, bits.size()) == bits);

    reset();
    compact(gpu, zip{view, positions(n), in}, on_first{is_odd{}}, zip{out, others, words}, counts.data());
    CHECK(first(out, odd.size()) == odd);
    CHECK(first(others, odd.size()) == kept(places, is_kept));
    CHECK(first(words, odd.size()) == kept(host, is_kept));
    reset();
    compact(gpu, zip{in, view}, both_odd{}, zip{out, others}, counts.data());
    const auto are_odd = [&](std::size_t i) { return host[i] % 2 != 0 && is_kept(i); };
    CHECK(first(out, counts.read()[0]) == kept(host, are_odd));
    CHECK(first(others, counts.read()[0]) == kept(items, are_odd));

    reset();
    compact_rows(gpu, view, {.rows = rows, .width = width}, is_odd{}, out, counts);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::vector<u32> row(items.begin() + std::ptrdiff_t(r * width),
                                 items.begin() + std::ptrdiff_t((r + 1) * width));
      const auto want = kept(row, [&](std::size_t i) { return row[i] % 2 != 0; });
      REQUIRE(counts.read()[r] == want.size());
      CHECK(std::equal(want.begin(), want.end(), out.read().begin() + std::ptrdiff_t(r * width)));
    }
    reset();
    const guarded<u64> offsets(std::vector<u64>{0, 100, 100, 2500, n});
    guarded<u64> new_offsets(5);
    compact_segments(gpu, view, offsets, is_odd{}, out, new_offsets);
    CHECK(first(out, odd.size()) == odd);
    for (std::size_t s = 0; s < 5; ++s) {
      u64 before = 0;
      for (std::size_t i = 0; i < offsets.read()[s]; ++i) before += is_kept(i);
      CHECK(new_offsets.read()[s] == before);
    }

    std::vector<u32> begins, heads, lengths;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || items[i] != items[i - 1]) begins.push_back(u32(i)), heads.push_back(items[i]), lengths.push_back(0);
      ++lengths.back();
    }
    reset();
    unique(gpu, view, out, counts.data());
    CHECK(first(out, heads.size()) == heads);
    reset();
    unique_by_key(gpu, view, reversed{positions(n)}, out, others, counts.data());
    CHECK(first(out, heads.size()) == heads);
    const auto values = first(others, heads.size());
    for (std::size_t r = 0; r < heads.size(); ++r) REQUIRE(values[r] == n - 1 - begins[r]);
    reset();
    guarded<u32> ends(n + 1);
    run_offsets(gpu, view, out, ends, counts.data());
    begins.push_back(n);
    CHECK(first(ends, begins.size()) == begins);
    reset();
    run_length_encode(gpu, view, out, others, counts.data());
    CHECK(first(out, heads.size()) == heads);
    CHECK(first(others, heads.size()) == lengths);

    reset();
    multisplit(gpu, view, digit{}, 6, out, counts);
    std::vector<u32> by_bucket;
    for (u32 b = 0; b < 6; ++b) {
      REQUIRE(counts.read()[b] == by_bucket.size());
      const auto bucket = kept(items, [&](std::size_t i) { return items[i] == b; });
      by_bucket.insert(by_bucket.end(), bucket.begin(), bucket.end());
    }
    CHECK(out.read() == by_bucket);
  });
}

TEST_CASE("a view's length on the device") {
  const std::size_t n = 9000;
  const auto host = test::random_items<u32>(n, 11);
  for (const u64 there : {u64{0}, u64{1}, u64{4000}, u64{n}, u64{n + 5}}) {
    CAPTURE(there);
    std::vector<u32> odd;
    for (std::size_t i = 0; i < std::min<u64>(there, n); ++i)
      if ((3 * host[i] + 1) % 2 != 0) odd.push_back(3 * host[i] + 1);
    test::for_some_schedules([&] {
      const guarded<u32> in(host);
      const guarded<u64> length(std::vector<u64>{there});
      guarded<u32> out(n);
      guarded<u32> count(1);
      const exec gpu = allocating(test::test_stream());
      const counted view{transformed{in, test::thrice_and_one{}}, length.data()};
      compact(gpu, view, is_odd{}, out, count.data());
      CHECK(first(out, odd.size()) == odd);
      out.fill_dirt();
      compact(gpu, zip{view, positions(n)}, on_first{is_odd{}}, zip{out, guarded<u32>(n)}, count.data());
      CHECK(first(out, odd.size()) == odd);
      count_if(gpu, view, is_odd{}, count.data());
      CHECK(count.read()[0] == odd.size());
      count_if(gpu, counted{gathered{in, positions(n)}, length.data()}, is_odd{}, count.data());
      u32 want = 0;
      for (std::size_t i = 0; i < std::min<u64>(there, n); ++i) want += host[i] % 2;
      CHECK(count.read()[0] == want);
    });
  }
}

TEST_CASE("a view of no items") {
  const exec gpu = allocating(test::test_stream());
  const guarded<u32> in(0);
  guarded<u32> out(3);
  guarded<u64> count(1);
  compact(gpu, transformed{in, test::thrice_and_one{}}, is_odd{}, out, count.data());
  CHECK(count.read()[0] == 0);
  count.fill_dirt();
  unique(gpu, reversed{in}, out, count.data());
  CHECK(count.read()[0] == 0);
  CHECK(strided{in, 5}.size() == 0);
}

TEST_CASE("what is refused of views") {
  const guarded<u32> in(100), other(99), words(4);
  const guarded<u64> indices(100);
  guarded<u64> count(1);
  const std::span<const u32> nowhere(static_cast<const u32*>(nullptr), 100);
  const auto view = transformed{gathered{in, indices}, test::thrice_and_one{}};
  const auto first_99 = device_span(in.data(), 99);
  const auto on_indices = device_span(reinterpret_cast<u32*>(indices.data()), 100);
  // Of every array below a view.
  refused("the array", "output `out`", [&](const exec& gpu) { compact(gpu, view, is_odd{}, in, count.data()); });
  refused("the array", "overlaps input `in`", [&](const exec& gpu) { compact(gpu, view, is_odd{}, in, count.data()); });
  refused("the indices", "overlaps input `in`",
          [&](const exec& gpu) { compact(gpu, view, is_odd{}, on_indices, count.data()); });
  refused("the count", "overlaps input `in`",
          [&](const exec& gpu) { count_if(gpu, view, is_odd{}, indices.data() + 5); });
  refused("in a zip", "overlaps input `in` column 1", [&](const exec& gpu) {
    compact(gpu, zip{other, reversed{first_99}}, on_first{is_odd{}}, zip{words, in}, count.data());
  });
  refused("keys", "overlaps input `keys`",
          [&](const exec& gpu) { unique_by_key(gpu, view, positions(100), in, words, count.data()); });
  refused("null", "`in` is null and has 400 bytes",
          [&](const exec& gpu) { count_if(gpu, reversed{nowhere}, is_odd{}, count.data()); });
  refused("lengths of a zip", "has 100 items, column 0 has 99", [&](const exec& gpu) {
    compact(gpu, zip{other, view}, on_first{is_odd{}}, zip{words, words}, count.data());
  });
  // Where the view is made.
  refused("lengths", "ballot::transformed: `range 0` has 100 items, `another range` has 99", [&](const exec&) {
    (void)transformed{in, other, test::mixed{}};
  });
  refused("stride", "ballot::strided: `stride` is 0", [&](const exec&) { (void)strided{in, 0}; });
  refused("positions", "more positions than their type counts",
          [&](const exec&) { (void)reversed{positions<u8>(257)}; });
}

}  // namespace algorithms_views
