// Sort within segments against a stable sort of each segment.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;

namespace {

struct record {
  unsigned char byte[12];
};

struct segments {
  std::string name;
  std::vector<std::uint64_t> offsets;
};

std::vector<segments> segmentations(std::size_t n) {
  std::vector<segments> all{{"no offsets", {}}, {"one", {0, n}}};
  segments tiny{"tiny and empty", {}}, mixed{"one large among small", {}};
  for (std::size_t at = 0; at <= n; at += at * 7 % 5) {
    tiny.offsets.push_back(at);
    if (at % 3 == 0) tiny.offsets.push_back(at++);
  }
  for (std::size_t at : {std::size_t{3}, std::size_t{3}, n / 8, n - n / 8, n - n / 9, n - 1})
    mixed.offsets.push_back(at);  // the first three items are before any offset, and the end is not given
  all.push_back(tiny);
  all.push_back(mixed);
  return all;
}

// The order of the items: each segment's sorted by itself.
template <class K>
std::vector<std::uint64_t> serial_order(const std::vector<K>& keys, std::size_t n,
                                        const std::vector<std::uint64_t>& offsets, const sort_options& options) {
  std::vector<std::uint64_t> ends(offsets), order;
  ends.push_back(n);
  std::size_t begin = 0;
  for (std::uint64_t end : ends) {
    if (end > n) end = n;
    const std::vector<K> segment(keys.begin() + std::ptrdiff_t(begin), keys.begin() + std::ptrdiff_t(end));
    for (std::uint64_t i : test::serial_argsort(segment, options)) order.push_back(begin + i);
    begin = end;
  }
  return order;
}

template <class K, class V, class Offset>
void check_segmented(std::size_t n, std::vector<sort_options> every_options) {
  auto words = test::random_items<ordered_bits_t<K>>(n, 91);
  for (std::size_t i = 0; i < n; i += 2) words[i] = static_cast<ordered_bits_t<K>>(words[i] & 0x83);  // many equal
  const auto keys = test::keys_as<K>(words);
  const auto values = test::random_items<V>(n, 92);
  for (const sort_options& options : every_options)
    for (const segments& s : segmentations(n)) {
      CAPTURE(s.name);
      CAPTURE(options.bits.low);
      const auto order = serial_order(keys, n, s.offsets, options);
      std::vector<ordered_bits_t<K>> want;
      std::vector<V> want_values;
      for (std::uint64_t i : order) want.push_back(words[i]), want_values.push_back(values[i]);
      test::for_each_schedule([&] {
        const test::guarded<K> in(keys);
        const test::guarded<V> values_in(values);
        const test::guarded<Offset> offsets(std::vector<Offset>(s.offsets.begin(), s.offsets.end()));
        test::guarded<K> out(n);
        test::guarded<V> values_out(n);
        const test::exact_scratch scratch(segmented_sort_scratch_bytes<K>(n)),
            of_pairs(segmented_sort_pairs_scratch_bytes<K, V>(n));
        test::directly_and_captured([&] { out.fill_dirt(); },
                                    [&] { segmented_sort(scratch.where(), in, offsets, out, options); },
                                    [&] { CHECK(test::as_words(out.read()) == want); });
        out.fill_dirt();
        segmented_sort_pairs(of_pairs.where(), in, values_in, offsets, out, values_out, options);
        CHECK(test::as_words(out.read()) == want);
        const auto got = values_out.read();
        CHECK(std::memcmp(got.data(), want_values.data(), n * sizeof(V)) == 0);
        scratch.check_guards();
        of_pairs.check_guards();
      });
    }
}

}  // namespace

TEST_CASE("segmented sort of u32 and of float keys, values that travel") {
  check_segmented<std::uint32_t, std::uint32_t, std::uint64_t>(2600, {{}, {direction::descending, {5, 22}}});
  check_segmented<float, std::uint32_t, std::uint32_t>(600, {{direction::descending}, {.nans = nan_order::first}});
}

TEST_CASE("segmented sort of bytes and of u64 keys, values that stay") {
  check_segmented<std::uint8_t, record, std::uint32_t>(700, {{}, {.bits = {3, 7}}});
  check_segmented<std::int64_t, record, std::uint64_t>(500, {{}, {direction::descending, {8, 40}}});
}

TEST_CASE("segmented sort of a length on the device, with as many offsets as the device says") {
  using K = std::uint32_t;
  const std::size_t capacity = 2000, n = 1300;
  const auto keys = test::random_items<K>(capacity, 93);
  const std::vector<std::uint32_t> at{0, 100, 100, 900, 1200, 1250};
  const auto order = serial_order(keys, n, {0, 100, 100, 900}, {});
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys);
    const test::guarded<std::uint32_t> offsets(at);
    const test::guarded<std::uint64_t> lengths(std::vector<std::uint64_t>{n, 4});
    test::guarded<K> out(capacity);
    const test::exact_scratch scratch(segmented_sort_scratch_bytes<K>(capacity));
    segmented_sort(scratch.where(), counted{in, lengths.data()}, counted{offsets, lengths.data() + 1}, out);
    const auto got = out.read();
    bool right = true;
    for (std::size_t i = 0; i < capacity; ++i) right &= i < n ? got[i] == keys[order[i]] : test::is_dirt(got[i]);
    CHECK(right);
  });
}

// Blocks of 1024 items and ranges of 700, so that few items have long segments and many ranges; one round of merging does for 4
// or 2 ranges, two do for 16 or 4.
using small_shape = detail::segment_sort_shape<detail::radix_finish_shape<8, 5, 10>, 700, 4>;
using small_shape_of_few = detail::segment_sort_shape<detail::radix_finish_shape<8, 5, 10>, 700, 2, 2>;

template <class Shape, class U, class V>
void sort_in_shape(const test::guarded<U>& keys, const V* values, const test::guarded<std::uint32_t>& offsets,
                   test::guarded<U>& keys_out, V* values_out, detail::length n) {
  detail::scratch_carver measure;
  detail::segment_sort_scratch<U, V, Shape>(measure, n.capacity);
  const test::exact_scratch scratch(measure.bytes());
  detail::scratch_carver carver(scratch.where().scratch().data());
  detail::segment_sort_arguments<U, std::uint32_t, V> a{};
  a.keys = keys.data();
  a.n = n;
  a.offsets = offsets.data();
  a.segments = {offsets.size(), nullptr};
  a.layout = {{}, 0, 8 * sizeof(U)};
  a.keys_out = keys_out.data();
  a.values = values;
  a.values_out = values_out;
  detail::launch_segment_sort_in_shape<Shape>(test::test_stream(), carver, a, "test");
  scratch.check_guards();
}

// Of n items, for blocks of `room` items and ranges of `range`.
std::vector<segments> long_and_short(std::size_t n, std::size_t room, std::size_t range) {
  std::vector<segments> all{{"no offsets", {}}, {"all one, and empty", {0, 0, n}}};
  segments mixed{"of all lengths", {}}, just{"as long as a block has room for, or one more", {}},
      at_ranges{"from range to range", {}};
  std::mt19937 random(7);
  for (std::size_t at = random() % 5; at < n; at += random() % (std::size_t{2} << random() % 12))
    mixed.offsets.push_back(at);
  for (std::size_t at = 3, i = 0; at < n; at += room + i++ % 2) {
    just.offsets.push_back(at);
    if (i % 3 == 2)
      for (std::size_t k = 0; k < 5; ++k) just.offsets.push_back(at += k);
  }
  for (std::size_t at = 0; at < n; at += range * (1 + random() % 3)) {
    at_ranges.offsets.push_back(at);
    if (random() % 2 == 0) at_ranges.offsets.push_back(at + 1);
    if (random() % 2 == 0) at_ranges.offsets.push_back(at + range - 1);
  }
  all.push_back(mixed), all.push_back(just), all.push_back(at_ranges);
  return all;
}

// Keys by which bins work, overflow, and have nothing to do.
template <class U>
std::vector<std::pair<std::string, std::vector<U>>> keys_of_all_kinds(std::size_t n) {
  auto random = test::random_items<U>(n, 94), few = random, low = random, skewed = random;
  for (std::size_t i = 0; i < n; ++i) {
    few[i] = static_cast<U>(few[i] % 3);
    low[i] = static_cast<U>((low[i] & 0x3fff) | U{0x5a} << (8 * sizeof(U) - 8));
    if (i % 4 != 0) skewed[i] = static_cast<U>(skewed[i] >> (4 * sizeof(U)));
  }
  return {{"all the same", std::vector<U>(n, U{77})},
          {"few", few},
          {"differing in low bits", low},
          {"random", random},
          {"skewed", skewed}};
}

template <class Shape, class U, class V>
void check_shape(std::size_t n, const std::vector<segments>& segmentations, std::size_t kinds = 5) {
  const auto positions = [&] {
    std::vector<V> at(n);
    for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<V>(7 * i);
    return at;
  }();
  const auto all_keys = keys_of_all_kinds<U>(n);
  for (std::size_t kind = 5 - kinds; kind < 5; ++kind)
    for (const segments& s : segmentations) {
      const auto& [name, keys] = all_keys[kind];
      CAPTURE(name);
      CAPTURE(s.name);
      const auto order = serial_order(keys, n, s.offsets, {});
      test::for_each_schedule([&] {
        const test::guarded<U> in(keys);
        const test::guarded<V> values(positions);
        const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(s.offsets.begin(), s.offsets.end()));
        test::guarded<U> out(n), out_alone(n), out_again(n);
        test::guarded<V> values_out(n), indices(n);
        const detail::length length{n, nullptr};
        sort_in_shape<Shape, U, V>(in, values.data(), offsets, out, values_out.data(), length);
        sort_in_shape<Shape, U, V>(in, nullptr, offsets, out_again, indices.data(), length);
        sort_in_shape<Shape, U, detail::no_value>(in, nullptr, offsets, out_alone, nullptr, length);
        const auto got = out.read(), alone = out_alone.read(), again = out_again.read();
        const auto got_values = values_out.read(), got_indices = indices.read();
        bool right = true;
        for (std::size_t i = 0; i < n; ++i)
          right &= got[i] == keys[order[i]] && alone[i] == got[i] && again[i] == got[i] &&
                   got_values[i] == positions[order[i]] && got_indices[i] == static_cast<V>(order[i]);
        CHECK(right);
      });
    }
}

TEST_CASE_TEMPLATE("segmented sort in small blocks: segments that fit, are merged once, and twice", U, std::uint32_t,
                   std::uint64_t) {
  constexpr std::size_t kinds = sizeof(U) == 4 ? 5 : 1;
  check_shape<small_shape, U, std::uint32_t>(2100, long_and_short(2100, small_shape::longest, 700), kinds);
  check_shape<small_shape, U, std::uint32_t>(5103, long_and_short(5103, small_shape::longest, 700), 1);
}

TEST_CASE_TEMPLATE("segmented sort in small blocks: segments that fit, are merged, and sorted by digits", U,
                   std::uint32_t, std::uint64_t) {
  static_assert(small_shape_of_few::merged_twice < 3103);
  check_shape<small_shape_of_few, U, std::uint32_t>(3103, long_and_short(3103, small_shape::longest, 700),
                                                    sizeof(U) == 4 ? 2 : 1);
}

TEST_CASE_TEMPLATE("segmented sort in the blocks in use", U, std::uint16_t, std::uint64_t) {
  using shape = detail::segment_sort_shape_of<U>;
  const std::size_t n = 2 * shape::longest + 777;
  auto all = long_and_short(n, shape::longest, shape::range_items);
  all.erase(all.begin(), all.begin() + 2);
  check_shape<shape, U, std::uint64_t>(n, all, 1);
}

TEST_CASE("segmented sort of a length on the device: ranges behind it have nothing to do") {
  using U = std::uint32_t;
  const std::size_t capacity = 6000;
  const auto keys = test::random_items<U>(capacity, 90);
  for (const std::size_t n : {0, 1, 699, 700, 3001}) {
    CAPTURE(n);
    const std::vector<std::uint64_t> at{5, 6, 1700, 2900, 4000};
    const auto order = serial_order(keys, n, at, {});
    test::for_each_schedule([&] {
      const test::guarded<U> in(keys);
      const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(at.begin(), at.end()));
      const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{n});
      test::guarded<U> out(capacity);
      sort_in_shape<small_shape, U, detail::no_value>(in, nullptr, offsets, out, nullptr, {capacity, count.data()});
      const auto got = out.read();
      bool right = true;
      for (std::size_t i = 0; i < capacity; ++i) right &= i < n ? got[i] == keys[order[i]] : test::is_dirt(got[i]);
      CHECK(right);
    });
  }
}

TEST_CASE("segmented sort: more empty segments in a range than are looked at one by one") {
  using U = std::uint32_t;
  constexpr std::size_t n = 3000, many = detail::offsets_at_a_time + 1;
  const auto keys = test::random_items<U>(n, 99);
  std::vector<std::uint64_t> at;
  for (std::size_t i = 0; i < n; i += 1 + i % 20) {
    at.push_back(i);
    if (i / 600 != (i + 1 + i % 20) / 600) at.insert(at.end(), i > 1200 ? many : 3, i + 1);  // not in the first range
  }
  const auto order = serial_order(keys, n, at, {});
  test::for_each_schedule([&] {
    const test::guarded<U> in(keys);
    const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(at.begin(), at.end()));
    test::guarded<U> out(n);
    sort_in_shape<small_shape, U, detail::no_value>(in, nullptr, offsets, out, nullptr, {n, nullptr});
    const auto got = out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= got[i] == keys[order[i]];
    CHECK(right);
  });
}

TEST_CASE("segmented sort by offsets that do not ascend: all items are there, whatever their order") {
  using U = std::uint32_t;
  for (const unsigned seed : {96, 97, 98}) {
    CAPTURE(seed);
    // The last ones differ from ascending ones in a few places alone.
    const std::size_t n = 5300;  // merged twice; and for the other shape, more than that
    auto at = test::random_items<U>(400, seed);
    for (U& offset : at) offset %= 2 * n;
    if (seed != 96) std::sort(at.begin(), at.end());
    if (seed == 97) std::swap(at[20], at[150]);
    if (seed == 98) std::rotate(at.begin() + 30, at.begin() + 31, at.begin() + 90);
    std::vector<U> positions(n);
    for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<U>(i);
    const auto keys = test::random_items<U>(n, 95);
    for (const bool few : {false, true})
      test::for_each_schedule([&] {
        const test::guarded<U> in(keys), values_in(positions);
        const test::guarded<std::uint32_t> offsets(at);
        test::guarded<U> out(n), values_out(n);
        if (few)
          sort_in_shape<small_shape_of_few, U, U>(in, values_in.data(), offsets, out, values_out.data(), {n, nullptr});
        else sort_in_shape<small_shape, U, U>(in, values_in.data(), offsets, out, values_out.data(), {n, nullptr});
        auto from = values_out.read();
        const auto got = out.read();
        bool right = true;
        for (std::size_t i = 0; i < n; ++i) right &= from[i] < n && got[i] == keys[from[i]];
        CHECK(right);
        std::sort(from.begin(), from.end());
        CHECK(from == positions);
      });
  }
}

TEST_CASE("segmented sort: bad arguments are errors before any work") {
  using K = std::uint32_t;
  const std::size_t n = 5000;  // more than a block takes, so that there is scratch
  const test::guarded<K> in(std::vector<K>(n, 1)), offsets(std::vector<K>{0, 10});
  test::guarded<K> out(n), shorter(n - 1), values_out(n);
  const exec where = allocating(test::test_stream());
  CHECK_THROWS_AS(segmented_sort(where, in, offsets, shorter), invalid_argument);
  CHECK_THROWS_AS(segmented_sort(where, out, offsets, out), invalid_argument);
  CHECK_THROWS_AS(segmented_sort(where, in, out, out), invalid_argument);
  CHECK_THROWS_AS(segmented_sort(where, in, offsets, out, {.bits = {0, 33}}), invalid_argument);
  CHECK_THROWS_AS(segmented_sort(where, in, std::span<const K>(static_cast<K*>(nullptr), 3), out), invalid_argument);
  CHECK_THROWS_AS(segmented_sort_pairs(where, in, in, offsets, out, shorter), invalid_argument);
  CHECK_THROWS_AS(segmented_sort_pairs(where, in, in, offsets, out, out), invalid_argument);
  const test::exact_scratch small(segmented_sort_scratch_bytes<K>(n) - 1);
  CHECK_THROWS_AS(segmented_sort(small.where(), in, offsets, out), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](K k) { return test::is_dirt(k); }));
  segmented_sort(exec(test::test_stream(), std::span<std::byte>{}), std::span<const K>{}, offsets, std::span<K>{});
}
