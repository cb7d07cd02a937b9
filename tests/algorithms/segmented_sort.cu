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

// Segments as long as those that are sorted where their composites are made, one less and one more, at all places about
// the end of a tile.
TEST_CASE("segmented sort: short segments across the ends of tiles") {
  using K = std::uint32_t;
  constexpr std::size_t end_of_tile = detail::key_tile, n = end_of_tile + 200;
  const auto keys = test::random_items<K>(n, 94);
  const auto values = test::random_items<K>(n, 95);
  for (const std::size_t length : {31, 32, 33})
    for (const std::size_t before : {0, 1, 17, 31, 32, 33}) {
      CAPTURE(length);
      CAPTURE(before);
      const std::size_t begin = end_of_tile - before;
      const std::vector<std::uint64_t> at{begin - 40, begin - 39, begin, begin + length, begin + 2 * length, n - 1};
      const auto order = serial_order(keys, n, at, {});
      const test::guarded<K> in(keys), values_in(values);
      const test::guarded<std::uint64_t> offsets(at);
      test::guarded<K> out(n), values_out(n);
      segmented_sort_pairs(allocating(test::test_stream()), in, values_in, offsets, out, values_out);
      const auto got = out.read(), got_values = values_out.read();
      bool right = true;
      for (std::size_t i = 0; i < n; ++i) right &= got[i] == keys[order[i]] && got_values[i] == values[order[i]];
      CHECK(right);
    }
}

TEST_CASE_TEMPLATE("composites of short segments are in order as they are made", U, std::uint32_t, std::uint64_t) {
  const std::size_t n = 3 * detail::key_tile + 77;
  auto keys = test::random_items<U>(n, 96);
  for (std::size_t i = 0; i < n; i += 3) keys[i] &= 3;  // many equal
  std::vector<std::uint32_t> at;
  for (std::size_t i = 0; i < n; i += i % 33) at.push_back(static_cast<std::uint32_t>(i++));  // up to 33 items
  std::vector<std::uint32_t> longest(at);                                                     // but 32
  for (std::size_t s = 1; s < at.size(); ++s)
    if (at[s] - at[s - 1] > detail::short_segment) longest.push_back(at[s] - 1);
  std::sort(longest.begin(), longest.end());
  const detail::composite_layout<U> layout{{}, 0, 8 * sizeof(U)};
  test::for_each_schedule([&] {
    const test::guarded<U> in(keys);
    const test::guarded<std::uint32_t> offsets(longest);
    test::guarded<detail::composite_of_t<U>> composites(n);
    test::guarded<std::uint32_t> order(n);
    simt::launch_config config = detail::key_launch(test::test_stream(), n, "test");
    config.shared_bytes = sizeof(detail::segment_composites_storage<U>);
    simt::launch(detail::make_composites_kernel<U, std::uint32_t, std::uint32_t>, config, in.data(),
                 detail::length{n, nullptr}, offsets.data(), detail::length{longest.size(), nullptr}, layout,
                 composites.data(), static_cast<const std::uint32_t*>(nullptr), order.data());
    const auto made = composites.read();
    const auto from = order.read();
    bool in_order = true, stable = true;
    for (std::size_t i = 0; i < n; ++i) {
      in_order &= layout.key(made[i]) == keys[from[i]];
      if (i > 0) in_order &= made[i - 1] <= made[i];
      if (i > 0 && made[i - 1] == made[i]) stable &= from[i - 1] < from[i];
    }
    CHECK(in_order);
    CHECK(stable);
  });
}

TEST_CASE("segmented sort: more empty segments in a tile than leave marks") {
  using K = std::uint32_t;
  constexpr std::size_t n = 3 * detail::key_tile + 9, many = detail::offsets_of_tile::most_marks + 1;
  const auto keys = test::random_items<K>(n, 99);
  std::vector<std::uint64_t> at;
  for (std::size_t i = 0; i < n; i += 1 + i % 20) {
    at.push_back(i);
    if (i / 600 != (i + 1 + i % 20) / 600) at.insert(at.end(), i > 1200 ? many : 3, i + 1);  // not in the first tile
  }
  const auto order = serial_order(keys, n, at, {});
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys);
    const test::guarded<std::uint64_t> offsets(at);
    test::guarded<K> out(n);
    segmented_sort(allocating(test::test_stream()), in, offsets, out);
    const auto got = out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= got[i] == keys[order[i]];
    CHECK(right);
  });
}

TEST_CASE("segmented sort by offsets that do not ascend: all items are there, whatever their order") {
  using K = std::uint32_t;
  const std::size_t n = 2 * detail::key_tile + 300;
  const auto keys = test::random_items<K>(n, 97);
  auto at = test::random_items<K>(400, 98);
  for (K& offset : at) offset %= 2 * n;
  std::vector<K> positions(n);
  for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<K>(i);
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys), values_in(positions), offsets(at);
    test::guarded<K> out(n), values_out(n);
    segmented_sort_pairs(allocating(test::test_stream()), in, values_in, offsets, out, values_out);
    auto from = values_out.read();
    const auto got = out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= from[i] < n && got[i] == keys[from[i]];
    CHECK(right);
    std::sort(from.begin(), from.end());
    CHECK(from == positions);
  });
}

TEST_CASE("segmented sort: bad arguments are errors before any work") {
  using K = std::uint32_t;
  const std::size_t n = 300;
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
