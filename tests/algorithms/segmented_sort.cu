// SPDX-License-Identifier: Apache-2.0
// Sort within segments against a stable sort of each segment.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"

using namespace ballot;

namespace algorithms_segmented_sort {

unsigned turn = 0;  // of cases, to take the schedules in turns

struct record {
  unsigned char byte[12];
};

std::vector<test::segmentation> segmentations(std::size_t n) {
  std::vector<test::segmentation> all{{"no offsets", {}}, {"one", {0, n}}};
  test::segmentation tiny{"tiny and empty", {}}, mixed{"one large among small", {}};
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

template <class K, class V, class Offset>
void check_segmented(std::size_t n, const std::vector<sort_options>& every_options) {
  auto words = test::random_items<ordered_bits_t<K>>(n, 91);
  for (std::size_t i = 0; i < n; i += 2) words[i] = static_cast<ordered_bits_t<K>>(words[i] & 0x83);  // many equal
  const auto keys = test::keys_as<K>(words);
  const auto values = test::random_items<V>(n, 92);
  for (const sort_options& options : every_options)
    for (const test::segmentation& s : segmentations(n)) {
      CAPTURE(s.name);
      CAPTURE(options.bits.low);
      const auto order = test::serial_segmented_argsort(keys, n, s.offsets, options);
      std::vector<ordered_bits_t<K>> want;
      std::vector<V> want_values;
      for (std::uint64_t i : order) want.push_back(words[i]), want_values.push_back(values[i]);
      test::for_some_schedules(turn++, [&] {
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

TEST_CASE("segmented sort of u32 and of float keys, inline values") {
  check_segmented<std::uint32_t, std::uint32_t, std::uint64_t>(2600, {{}, {direction::descending, {5, 22}}});
  check_segmented<float, std::uint32_t, std::uint32_t>(600, {{direction::descending}, {.nans = nan_order::first}});
}

TEST_CASE("segmented sort of keys with shorter inline values") {
  check_segmented<std::uint32_t, std::uint8_t, std::uint32_t>(1300, {{}});
  check_segmented<std::uint64_t, std::uint16_t, std::uint32_t>(1300, {{direction::descending}});
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
  const auto order = test::serial_segmented_argsort(keys, n, {0, 100, 100, 900}, {});
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

TEST_CASE("segmented sort: a block that orders what begins in its range in two windows") {
  using K = std::uint64_t;
  using shape = detail::small_segment_sort_shape<K>;
  constexpr std::size_t last = shape::tile_items - 24, end = last + shape::longest - 100;
  static_assert(end > shape::longest, "too many items for one window");
  const std::size_t n = end + 300;
  const auto keys = test::random_items<K>(n, 94);
  const std::vector<std::uint64_t> at{0, 500, last, end};
  const auto order = test::serial_segmented_argsort(keys, n, at, {});
  for (int times = 0; times < 2; ++times)
    test::for_some_schedules(turn++, [&] {
      const test::guarded<K> in(keys), offsets(at);
      test::guarded<K> out(n);
      segmented_sort(allocating(test::test_stream()), in, offsets, out);
      const auto got = out.read();
      bool right = true;
      for (std::size_t i = 0; i < n; ++i) right &= got[i] == keys[order[i]];
      CHECK(right);
    });
}

TEST_CASE_TEMPLATE("segmented sort by offsets with a sign", Offset, std::int32_t, std::int64_t) {
  using K = std::uint32_t;
  auto keys = test::random_items<K>(2000, 6);
  const test::guarded<K> in(keys);
  const test::guarded<Offset> offsets(std::vector<Offset>{0, 3, 3, 700, 1999, 2000});
  test::guarded<K> out(keys.size());
  segmented_sort(allocating(test::test_stream()), in, offsets, out);
  const std::ptrdiff_t at[] = {0, 3, 700, 1999, 2000};
  for (int s = 0; s < 4; ++s) std::sort(keys.begin() + at[s], keys.begin() + at[s + 1]);
  CHECK(out.read() == keys);
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
  const test::exact_scratch small(segmented_sort_scratch_bytes<K>(n) - 257);
  CHECK_THROWS_AS(segmented_sort(small.where(), in, offsets, out), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](K k) { return test::is_dirt(k); }));
  segmented_sort(exec(test::test_stream(), std::span<std::byte>{}), std::span<const K>{}, offsets, std::span<K>{});
}

}  // namespace algorithms_segmented_sort
