// SPDX-License-Identifier: Apache-2.0
// Structures of arrays and positions: several ranges compacted and split by one selection, and the
// indices of what is selected, against loops over records.
#include <ballot/compact.cuh>
#include <ballot/split.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::is_odd;

namespace algorithms_compact_zip {

struct triple {  // 12 bytes: no vector access has its size
  std::uint32_t a, b, c;
  friend bool operator==(const triple&, const triple&) = default;
};

// Asks every range, so that a mixed-up one shows.
struct sum_is_odd {
  __device__ bool operator()(std::uint32_t key, const triple& t, std::uint8_t small, double weight) const {
    return ((key + t.a + t.c + small + (weight > 0.5 ? 1u : 0u)) & 1u) != 0;
  }
};
struct is_third {
  __device__ bool operator()(std::uint64_t position) const { return position % 3 == 0; }
};

struct table {
  std::vector<std::uint32_t> key;
  std::vector<triple> value;
  std::vector<std::uint8_t> small;
  std::vector<double> weight;

  explicit table(std::size_t n) : key(test::random_items<std::uint32_t>(n, 5)), small(n), weight(n) {
    for (std::size_t i = 0; i < n; ++i) {
      value.push_back({key[i] * 3, static_cast<std::uint32_t>(i), key[i] >> 7});
      small[i] = static_cast<std::uint8_t>(key[i] >> 11);
      weight[i] = static_cast<double>(key[i] % 1000) / 1000;
    }
  }
  bool odd_sum(std::size_t i) const {
    return ((key[i] + value[i].a + value[i].c + small[i] + (weight[i] > 0.5 ? 1u : 0u)) & 1u) != 0;
  }
};

template <class T>
std::vector<T> chosen(const std::vector<T>& items, const std::vector<bool>& flags, bool select) {
  std::vector<T> selected;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (flags[i] == select) selected.push_back(items[i]);
  return selected;
}
template <class T>
bool begins_with(const test::guarded<T>& out, const std::vector<T>& want) {
  const auto got = out.read();
  return std::equal(want.begin(), want.begin() + std::ptrdiff_t(std::min(want.size(), got.size())), got.begin()) &&
         std::all_of(got.begin() + std::ptrdiff_t(std::min(want.size(), got.size())), got.end(),
                     [](const T& item) { return test::is_dirt(item); });
}

TEST_CASE("compact and split four arrays of different types by one selection") {
  using shape = detail::partition_shape<detail::rejects::dropped, std::uint32_t, triple, std::uint8_t, double>;
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, shape::items * 2 + std::size_t{7}}) {
    CAPTURE(n);
    const table of(n);
    std::vector<bool> flags(n);
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = flags[i] = of.odd_sum(i);
    const auto selected_count = static_cast<std::size_t>(std::count(flags.begin(), flags.end(), true));
    test::for_each_schedule([&] {
      const test::guarded<std::uint32_t> key(of.key);
      const test::guarded<triple> value(of.value, 1);
      const test::guarded<std::uint8_t> small(of.small, 3), flag(bytes, 1);
      const test::guarded<double> weight(of.weight);
      test::guarded<std::uint32_t> key1(n), key2(n);
      test::guarded<triple> value1(n), value2(n / 2);  // a short output beside long ones
      test::guarded<std::uint8_t> small1(n), small2(n);
      test::guarded<double> weight1(n), weight2(n);
      test::guarded<std::uint64_t> count(1);
      const zip in{key, value, small, weight};
      const zip out{key1, value1, small1, weight1}, rest{key2, value2, small2, weight2};
      const auto before = [&] {
        key1.fill_dirt(), value1.fill_dirt(), small1.fill_dirt(), weight1.fill_dirt(), count.fill_dirt();
        key2.fill_dirt(), value2.fill_dirt(), small2.fill_dirt(), weight2.fill_dirt();
      };
      const auto check_kept = [&] {
        CHECK(count.read()[0] == selected_count);
        CHECK(begins_with(key1, chosen(of.key, flags, true)));
        CHECK(begins_with(value1, chosen(of.value, flags, true)));
        CHECK(begins_with(small1, chosen(of.small, flags, true)));
        CHECK(begins_with(weight1, chosen(of.weight, flags, true)));
      };
      const test::unaligned_scratch scratch(compact_scratch_bytes<std::uint32_t, triple, std::uint8_t, double>(n));
      test::directly_and_captured(
          before, [&] { compact(scratch.where(), in, sum_is_odd{}, out, count.data()); }, check_kept);
      test::directly_and_captured(
          before, [&] { compact(scratch.where(), in, byte_flags{flag}, out, count.data()); }, check_kept);
      const test::unaligned_scratch for_split(split_scratch_bytes<std::uint32_t, triple, std::uint8_t, double>(n));
      test::directly_and_captured(
          before, [&] { split(for_split.where(), in, sum_is_odd{}, out, rest, count.data()); },
          [&] {
            check_kept();
            CHECK(begins_with(key2, chosen(of.key, flags, false)));
            CHECK(begins_with(value2, chosen(of.value, flags, false)));
            CHECK(begins_with(small2, chosen(of.small, flags, false)));
            CHECK(begins_with(weight2, chosen(of.weight, flags, false)));
          });
      scratch.check_guards(), for_split.check_guards();
    });
  }
}

TEST_CASE("split pairs by their keys into one output, with positions as values") {
  const std::size_t n = 9001;
  const table of(n);
  std::vector<std::uint32_t> position(n), want_key = of.key;
  for (std::size_t i = 0; i < n; ++i) position[i] = static_cast<std::uint32_t>(i);
  std::stable_partition(position.begin(), position.end(), [&](std::uint32_t i) { return (of.key[i] & 1u) != 0; });
  const auto middle = std::stable_partition(want_key.begin(), want_key.end(), [](auto k) { return (k & 1u) != 0; });
  test::for_each_schedule([&] {
    const test::guarded<std::uint32_t> key(of.key);
    test::guarded<std::uint32_t> key1(n), where_from(n);
    test::guarded<std::uint64_t> count(1);
    const test::unaligned_scratch scratch(split_scratch_bytes<std::uint32_t, std::uint32_t>(n));
    split(scratch.where(), zip{key, positions(n)}, on_first{is_odd{}}, zip{key1, where_from}, count.data());
    CHECK(count.read()[0] == static_cast<std::uint64_t>(middle - want_key.begin()));
    CHECK(key1.read() == want_key);
    CHECK(where_from.read() == position);
    scratch.check_guards();
  });
}

TEST_CASE("indices of the selected items: by items, by flags, by position, of a length on the device") {
  for (std::size_t n : {std::size_t{0}, std::size_t{31}, std::size_t{12'301}}) {
    CAPTURE(n);
    const table of(n + 50);
    std::vector<std::uint64_t> want, thirds;
    std::vector<std::uint32_t> words((n + 50 + 31) / 32, 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (of.key[i] % 2 != 0) want.push_back(i), words[i / 32] |= 1u << i % 32;
      if (i % 3 == 0) thirds.push_back(i);
    }
    test::for_each_schedule([&] {
      const test::guarded<std::uint32_t> key(of.key), bits(words);
      test::guarded<std::uint64_t> count(1), length(std::vector<std::uint64_t>{n}), index(n);
      test::guarded<std::uint32_t> index32(n);
      const std::size_t room = of.key.size();
      const test::unaligned_scratch scratch(compact_indices_scratch_bytes<std::uint64_t, std::uint32_t>(room));
      compact_indices(scratch.where(), counted{key, length.data()}, is_odd{}, index, count.data());
      CHECK(count.read()[0] == want.size());
      CHECK(begins_with(index, want));
      compact_indices(scratch.where(), counted{positions(room), length.data()}, bit_flags{bits}, index32, count.data());
      CHECK(count.read()[0] == want.size());
      CHECK(begins_with(index32, std::vector<std::uint32_t>(want.begin(), want.end())));
      index.fill_dirt();
      compact_indices(scratch.where(), positions<std::uint64_t>(n), is_third{}, index, count.data());
      CHECK(count.read()[0] == thirds.size());
      CHECK(begins_with(index, thirds));
      index.fill_dirt();
      compact(scratch.where(), positions<std::uint64_t>(n), is_third{}, index,
              count.data());  // the items are positions
      CHECK(count.read()[0] == thirds.size());
      CHECK(begins_with(index, thirds));
      scratch.check_guards();
    });
  }
}

TEST_CASE("flags that are clear leave their items unread") {
  // If no flag is set, the input may be memory that was never written. The checked build would
  // report a read of it.
  const std::size_t n = 20'000, hole = 4096;
  std::vector<std::uint8_t> bytes(n, 0);
  std::vector<std::uint32_t> tail(n - hole);
  for (std::size_t i = hole; i < n; ++i) bytes[i] = i % 64 < 8, tail[i - hole] = static_cast<std::uint32_t>(i);
  std::vector<std::uint32_t> want;
  for (std::size_t i = hole; i < n; ++i)
    if (bytes[i] != 0) want.push_back(static_cast<std::uint32_t>(i));
  test::for_each_schedule([&] {
    const device_array<std::uint32_t> in(n, test::test_stream());
    simt::copy_bytes(test::test_stream(), in.data() + hole, tail.data(), tail.size() * sizeof(std::uint32_t));
    const test::guarded<std::uint8_t> flags(bytes);
    test::guarded<std::uint32_t> out(n), out2(n);
    test::guarded<std::uint64_t> count(1);
    compact(allocating(test::test_stream()), zip{in, in}, byte_flags{flags}, zip{out, out2}, count.data());
    CHECK(count.read()[0] == want.size());
    CHECK(begins_with(out, want));
    CHECK(begins_with(out2, want));
  });
}

TEST_CASE("zips: bad arguments are errors before any work") {
  const std::size_t n = 3000;
  const test::guarded<std::uint32_t> a(std::vector<std::uint32_t>(n, 1)), shorter(std::vector<std::uint32_t>(n - 1, 1));
  test::guarded<std::uint32_t> x(n), y(n);
  test::guarded<std::uint64_t> count(1), length(std::vector<std::uint64_t>{n});
  const exec where = allocating(test::test_stream());
  const std::span<std::uint32_t> null(static_cast<std::uint32_t*>(nullptr), n);
  const auto refused = [&](const auto& in, const auto& out) {
    CHECK_THROWS_AS(compact(where, in, on_first{is_odd{}}, out, count.data()), invalid_argument);
    CHECK_THROWS_AS(split(where, in, on_first{is_odd{}}, out, count.data()), invalid_argument);
  };
  refused(zip{a, shorter}, zip{x, y});
  refused(zip{a, counted{a, length.data()}}, zip{x, y});
  refused(zip{a, null}, zip{x, y});
  refused(zip{a, a}, zip{x, null});
  refused(zip{a, x}, zip{x, y});
  refused(zip{a, a}, zip{x, x});
  CHECK_THROWS_AS(split(where, zip{a, a}, on_first{is_odd{}}, zip{x, y}, zip{y, x}, count.data()), invalid_argument);
  CHECK_THROWS_AS(split(where, zip{a, a}, on_first{is_odd{}}, zip{x, std::span(y.data(), n - 1)}, count.data()),
                  invalid_argument);
  CHECK_THROWS_AS(compact_indices(where, a, is_odd{}, x, nullptr), invalid_argument);
  CHECK_THROWS_AS(compact_indices(where, x, is_odd{}, x, count.data()), invalid_argument);
  CHECK_THROWS_AS(compact_indices(where, positions((std::uint64_t{1} << 32) + 1), is_third{}, x, count.data()),
                  invalid_argument);
  CHECK(test::is_dirt(count.read()[0]));
  CHECK(test::is_dirt(x.read()[0]));
  CHECK(test::is_dirt(y.read()[0]));
}

}  // namespace algorithms_compact_zip
