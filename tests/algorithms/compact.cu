// SPDX-License-Identifier: Apache-2.0
// Stream compaction against a loop: predicates and both kinds of flags, item sizes, lengths,
// alignment, short outputs, errors.
#include <ballot/compact.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::is_odd;
using test::items_with_flags;

namespace algorithms_compact {

template <int Bytes>
struct record {
  unsigned char byte[Bytes];
  friend bool operator==(const record&, const record&) = default;
};

template <class T>
std::vector<T> serial_compact(const std::vector<T>& items, const std::vector<bool>& flags, bool select = true) {
  std::vector<T> selected;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (flags[i] == select) selected.push_back(items[i]);
  return selected;
}

// `out` begins with `want`, holds dirt after it, and the count is right.
template <class T>
void check_kept(const test::guarded<T>& out, const test::guarded<std::uint64_t>& count, const std::vector<T>& want) {
  REQUIRE(count.read()[0] == want.size());
  const auto got = out.read();
  const std::size_t written = std::min(want.size(), got.size());
  CHECK(std::equal(want.begin(), want.begin() + std::ptrdiff_t(written), got.begin()));
  CHECK(
      std::all_of(got.begin() + std::ptrdiff_t(written), got.end(), [](const T& item) { return test::is_dirt(item); }));
}

TEST_CASE("compact by predicate, byte flags and bit flags: every pattern at every length") {
  using T = std::uint32_t;
  for (std::size_t n :
       test::lengths_around(detail::partition_shapes<detail::rejects::dropped, false, T>::small::items)) {
    CAPTURE(n);
    const bool all_patterns = n < 4000;
    for (const test::flag_pattern& pattern : test::flag_patterns) {
      if (!all_patterns && pattern.name != "half") continue;
      CAPTURE(pattern.name);
      const auto flags = test::make_flags(pattern, n);
      const auto items = items_with_flags<T>(flags);
      const auto want = serial_compact(items, flags), rest = serial_compact(items, flags, false);
      test::for_each_schedule([&] {
        const test::guarded<T> in(items);
        const test::guarded<std::uint8_t> bytes(test::as_bytes(flags));
        const test::guarded<std::uint32_t> bits(test::as_bits(flags));
        test::guarded<T> out(n);
        test::guarded<std::uint64_t> count(1);
        const test::unaligned_scratch scratch(compact_scratch_bytes<T>(n));
        const auto before = [&] { out.fill_dirt(), count.fill_dirt(); };
        const auto check = [&] { check_kept(out, count, want); };
        const auto check_rest = [&] { check_kept(out, count, rest); };
        const exec where = scratch.where();
        test::directly_and_captured(
            before, [&] { compact(where, in, is_odd{}, out, count.data()); }, check);
        test::directly_and_captured(
            before, [&] { compact(where, in, byte_flags{bytes}, out, count.data()); }, check);
        test::directly_and_captured(
            before,
            [&] {
              compact(where, in, byte_flags{bytes, true}, out, count.data());
            },
            check_rest);
        test::directly_and_captured(
            before, [&] { compact(where, in, bit_flags{bits}, out, count.data()); }, check);
        test::directly_and_captured(
            before,
            [&] {
              compact(where, in, bit_flags{bits, true}, out, count.data());
            },
            check_rest);
        scratch.check_guards();
      });
    }
  }
}

TEST_CASE_TEMPLATE("compact items of any size", T, std::uint8_t, std::uint16_t, double, record<3>, record<12>,
                   record<16>, record<40>, record<128>) {
  const std::size_t n = 2 * detail::partition_shapes<detail::rejects::dropped, false, T>::small::items + 3;
  const auto flags = test::make_flags(test::flag_patterns[5], n);
  const auto items = items_with_flags<T>(flags);
  const auto want = serial_compact(items, flags);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    const test::guarded<std::uint8_t> bytes(test::as_bytes(flags));
    test::guarded<T> out(n);
    test::guarded<std::uint64_t> count(1);
    const test::unaligned_scratch scratch(compact_scratch_bytes<T>(n));
    if constexpr (!std::is_floating_point_v<T>) {
      compact(scratch.where(), in, is_odd{}, out, count.data());
      check_kept(out, count, want);
      out.fill_dirt();
    }
    compact(scratch.where(), in, byte_flags{bytes}, out, count.data());
    if constexpr (std::is_floating_point_v<T>) {  // compared as bits: there may be NaNs
      const auto got = out.read();
      CHECK(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0);
    } else {
      check_kept(out, count, want);
    }
  });
}

TEST_CASE("compact misaligned ranges and flags") {
  using T = std::uint16_t;
  const std::size_t n = detail::partition_shapes<detail::rejects::dropped, false, T>::small::items * 2 + 1;
  const auto flags = test::make_flags(test::flag_patterns[7], n);
  const auto items = items_with_flags<T>(flags);
  const auto want = serial_compact(items, flags);
  test::for_each_schedule([&] {
    const test::unaligned_scratch scratch(compact_scratch_bytes<T>(n));
    for (std::size_t shift : {1, 2, 3}) {
      const test::guarded<T> in(items, shift);
      const test::guarded<std::uint8_t> bytes(test::as_bytes(flags), shift);
      test::guarded<T> out(n, 3 - shift);
      test::guarded<std::uint64_t> count(1);
      compact(scratch.where(), in, byte_flags{bytes}, out, count.data());
      check_kept(out, count, want);
    }
  });
}

TEST_CASE("compact a length on the device into an output that is too short, over many tiles") {
  using T = std::uint32_t;
  using small = block::tile_shape<32, 1, 2>;
  const std::size_t capacity = small::items * 120;
  const auto flags = test::make_flags(test::flag_patterns[5], capacity);
  const auto items = items_with_flags<T>(flags);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<std::uint64_t> length(1);
    for (std::size_t n : {std::size_t{0}, std::size_t{63}, std::size_t{5000}, capacity}) {
      CAPTURE(n);
      length.write({n});
      const auto want = serial_compact(std::vector<T>(items.begin(), items.begin() + std::ptrdiff_t(n)), flags);
      for (std::size_t room : {std::size_t{0}, std::size_t{1000}, capacity}) {
        test::guarded<T> out(room);
        test::guarded<std::uint64_t> count(1);
        detail::select_in_shape<detail::rejects::dropped, small>(
            allocating(test::test_stream()), detail::as_inputs(counted{in, length.data()}), is_odd{},
            detail::as_outputs(out), std::tuple(), count.data(), "test");
        check_kept(out, count, want);
      }
    }
  });
}

TEST_CASE("compact a length on the device, of a capacity of many tiles") {
  using T = std::uint32_t;
  using small = block::tile_shape<32, 1, 1>;
  const std::size_t capacity = small::items * 300 + 3;
  const auto flags = test::make_flags(test::flag_patterns[5], capacity);
  const auto items = items_with_flags<T>(flags);
  const test::guarded<T> in(items);
  test::guarded<std::uint64_t> length(1);
  for (std::size_t n : {std::size_t{0}, std::size_t{700}, capacity}) {
    CAPTURE(n);
    length.write({n});
    const auto want = serial_compact(std::vector<T>(items.begin(), items.begin() + std::ptrdiff_t(n)), flags);
    test::guarded<T> out(capacity);
    test::guarded<std::uint64_t> count(1);
    detail::select_in_shape<detail::rejects::dropped, small>(
        allocating(test::test_stream()), detail::as_inputs(counted{in, length.data()}), is_odd{},
        detail::as_outputs(out), std::tuple(), count.data(), "test");
    check_kept(out, count, want);
  }
}

TEST_CASE("compact: bad arguments are errors before any work") {
  using T = int;
  const std::size_t n = 5000;
  const test::guarded<T> in(std::vector<T>(n, 1));
  test::guarded<T> out(n);
  test::guarded<std::uint64_t> count(1);
  const test::guarded<std::uint8_t> bytes(std::vector<std::uint8_t>(n - 1, 1));
  const test::guarded<std::uint32_t> bits(std::vector<std::uint32_t>((n - 1) / 32, 1));
  const std::size_t needed = compact_scratch_bytes<T>(n);
  const test::unaligned_scratch scratch(needed), small(needed - 2);
  const exec where = scratch.where();
  T* const null = nullptr;
  CHECK_THROWS_AS(compact(where, in, byte_flags{bytes}, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(compact(where, in, bit_flags{bits}, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(compact(where, in, is_odd{}, out, nullptr), invalid_argument);
  CHECK_THROWS_AS(compact(where, std::span<const T>(null, n), is_odd{}, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(compact(where, in, is_odd{}, std::span<T>(null, n), count.data()), invalid_argument);
  CHECK_THROWS_AS(compact(where, out, is_odd{}, out, count.data()), invalid_argument);
  const byte_flags flags_in_output{{reinterpret_cast<const std::uint8_t*>(out.data()), n}};
  CHECK_THROWS_AS(compact(where, in, flags_in_output, out, count.data()), invalid_argument);
  const bit_flags bits_in_output{{reinterpret_cast<const std::uint32_t*>(out.data()), n}};
  CHECK_THROWS_AS(compact(where, in, bits_in_output, out, count.data()), invalid_argument);
  CHECK_THROWS_AS(compact(small.where(), in, is_odd{}, out, count.data()), invalid_argument);
  CHECK(test::is_dirt(count.read()[0]));
  CHECK_THROWS_AS(compact(where, std::span<const T>{}, is_odd{}, std::span<T>{}, nullptr), invalid_argument);
  compact(exec(where.stream(), std::span<std::byte>{}), std::span<const T>{}, is_odd{}, std::span<T>{}, count.data());
  CHECK(count.read()[0] == 0);
}

}  // namespace algorithms_compact
