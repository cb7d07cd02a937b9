// SPDX-License-Identifier: Apache-2.0
// Segmented scans by flags against a loop that restarts: patterns of heads, flags as bytes and
// bits, lengths, alignment. Also in place, counted, operators, the contract's errors.
#include <ballot/segmented_scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"

using namespace ballot;

namespace device_segmented_scan {

using lanes_of_one = block::tile_shape<32, 1, 1>;   // many tiles, one warp each
using small_vectors = block::tile_shape<64, 2, 4>;  // several chunks, several warps

// Both scans of `items` by the heads, one by bytes and one by bits, through tiles of this shape.
template <class Shape, class T, class Op>
void check_shape(const std::vector<T>& items, const std::vector<bool>& heads, T initial, Op op) {
  const auto inclusive = test::serial_segmented_inclusive(items, heads, op),
             exclusive = test::serial_segmented_exclusive(items, heads, initial, op);
  const test::guarded<T> in(items);
  const test::guarded<std::uint8_t> bytes(test::as_bytes(heads));
  const test::guarded<std::uint32_t> bits(test::as_bits(heads));
  test::guarded<T> out(items.size());
  const test::exact_scratch scratch(detail::segmented_scan_bytes<T, Shape>(items.size()));
  const auto scan = [&]<device::scan_kind Kind>(const auto& flags, const std::vector<T>& want) {
    for (const std::uint32_t few : {1u, detail::few_tiles}) {
      out.fill_dirt();
      detail::segmented_scan<Kind, T, false, Shape>(scratch.where(), detail::as_input(in), flags,
                                                    detail::as_output(out), initial, op, "test", few);
      CHECK(out.read() == want);
    }
  };
  scan.template operator()<device::scan_kind::inclusive>(byte_flags{bytes}, inclusive);
  scan.template operator()<device::scan_kind::exclusive>(bit_flags{bits}, exclusive);
  scratch.check_guards();
}

TEST_CASE_TEMPLATE("segmented scan: every pattern of heads, through small tiles", Shape, lanes_of_one, small_vectors) {
  using T = test::affine<std::uint16_t>;
  const std::size_t n = (Shape::items < 100 ? 40 : 5) * Shape::items + 7;
  const auto items = test::random_items<T>(n, 5);
  for (const test::named_heads& pattern : test::head_patterns<Shape>(n)) {
    CAPTURE(pattern.name);
    test::for_each_schedule([&] { check_shape<Shape>(items, pattern.heads, T{3, 4}, test::compose{}); });
  }
}

TEST_CASE_TEMPLATE("segmented scan of items of 8 and 16 bytes: tile states of 16 and 32 bytes", Word, std::uint32_t,
                   std::uint64_t) {
  using T = test::affine<Word>;
  using shape = block::tile_shape<64, 2, block::vector_width<T>()>;
  const std::size_t n = 9 * shape::items + 31;
  const auto items = test::random_items<T>(n, 6);
  for (const test::named_heads& pattern : test::head_patterns<shape>(n)) {
    if (pattern.name != "one in 50" && pattern.name != "sparse" && pattern.name != "none") continue;
    CAPTURE(pattern.name);
    test::for_each_schedule([&] { check_shape<shape>(items, pattern.heads, T{3, 4}, test::compose{}); });
  }
}

TEST_CASE("segmented scan: lengths around the tile, directly and captured") {
  using T = std::uint32_t;
  static_assert(detail::small_segmented_scan_shape<T>::items < detail::segmented_scan_shape<T>::items);
  auto lengths = test::lengths_around(detail::segmented_scan_shape<T>::items);
  for (std::size_t n : test::lengths_around(detail::small_segmented_scan_shape<T>::items)) lengths.push_back(n);
  for (std::size_t n : lengths) {
    CAPTURE(n);
    std::vector<bool> heads(n);
    for (std::size_t i = 0; i < n; ++i) heads[i] = i % 1777 == 1000 || i % 40 == 39;
    const auto items = test::small_items<T>(n);
    const auto inclusive = test::serial_segmented_inclusive(items, heads),
               exclusive = test::serial_segmented_exclusive(items, heads, T{5});
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      const test::guarded<std::uint8_t> bytes(test::as_bytes(heads));
      const test::guarded<std::uint32_t> bits(test::as_bits(heads));
      test::guarded<T> out(n);
      const test::exact_scratch scratch(segmented_scan_scratch_bytes<T>(n));
      const auto before = [&] { out.fill_dirt(); };
      test::directly_and_captured(
          before, [&] { segmented_inclusive_scan(scratch.where(), in, byte_flags{bytes}, out); },
          [&] { CHECK(out.read() == inclusive); });
      test::directly_and_captured(
          before, [&] { segmented_exclusive_scan(scratch.where(), in, bit_flags{bits}, T{5}, out); },
          [&] { CHECK(out.read() == exclusive); });
      for (const std::uint32_t few : {0u, 1u}) {  // by the shape for many items
        out.fill_dirt();
        detail::segmented_scan<device::scan_kind::inclusive, T>(
            scratch.where(), detail::as_input(in), byte_flags{bytes}, detail::as_output(out), T{}, plus{}, "test", few);
        CHECK(out.read() == inclusive);
      }
      scratch.check_guards();
    });
  }
}

TEST_CASE("segmented scan, in place, from misaligned ranges and flags, and by inverted flags") {
  using T = std::uint32_t;
  const std::size_t n = detail::segmented_scan_shape<T>::items + 1007;
  const auto items = test::small_items<T>(n);
  const auto heads = test::make_flags(test::flag_patterns[6], n);
  auto clear = heads;
  clear.flip();
  const auto inclusive = test::serial_segmented_inclusive(items, heads),
             exclusive = test::serial_segmented_exclusive(items, heads, T{});
  test::for_each_schedule([&] {
    const test::exact_scratch scratch(segmented_scan_scratch_bytes<T>(n));
    const exec where = scratch.where();
    for (std::size_t shift : {0, 1, 2, 3}) {
      CAPTURE(shift);
      const test::guarded<std::uint8_t> bytes(test::as_bytes(heads), shift), no_bytes(test::as_bytes(clear), 3 - shift);
      const test::guarded<std::uint32_t> no_bits(test::as_bits(clear), shift);
      test::guarded<T> in_place(items, shift), again(items, 3 - shift), out(n, 3 - shift);
      const test::guarded<T> in(items, shift);
      segmented_inclusive_scan(where, in_place, byte_flags{bytes}, in_place);
      CHECK(in_place.read() == inclusive);
      segmented_exclusive_scan(where, again, bit_flags{no_bits, true}, again);
      CHECK(again.read() == exclusive);
      segmented_exclusive_scan(where, in, byte_flags{no_bytes, true}, out);
      CHECK(out.read() == exclusive);
    }
  });
}

TEST_CASE("segmented scan of a length on the device: the rest of the output is not touched") {
  using T = float;
  const std::size_t capacity = detail::segmented_scan_shape<T>::items + 700;
  const auto items = test::small_items<T>(capacity);
  const auto heads = test::make_flags(test::flag_patterns[6], capacity);
  const auto want = test::serial_segmented_inclusive(items, heads);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    const test::guarded<std::uint8_t> bytes(test::as_bytes(heads));
    const test::exact_scratch scratch(segmented_scan_scratch_bytes<T>(capacity));
    test::guarded<std::uint64_t> count(1);
    for (std::uint64_t asked : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{capacity} * 3}) {
      CAPTURE(asked);
      const auto n = std::ptrdiff_t(std::min<std::uint64_t>(asked, capacity));
      count.write({asked});
      test::guarded<T> out(capacity);
      segmented_inclusive_scan(scratch.where(), counted{in, count.data()}, byte_flags{bytes}, out);
      const auto got = out.read();
      CHECK(std::equal(want.begin(), want.begin() + n, got.begin()));
      CHECK(std::all_of(got.begin() + n, got.end(), [](T x) { return test::is_dirt(x); }));
    }
  });
}

TEST_CASE("segmented scan: bad arguments are errors before any work") {
  const std::size_t n = 6000;
  const test::guarded<int> in(std::vector<int>(n, 1));
  const test::guarded<std::uint8_t> flags(std::vector<std::uint8_t>(n, 1));
  const test::guarded<std::uint32_t> bits(std::vector<std::uint32_t>((n + 31) / 32, 1u));
  test::guarded<int> out(n), shorter(n - 1);
  const std::size_t bytes = segmented_scan_scratch_bytes<int>(n);
  const test::exact_scratch scratch(bytes), small(bytes - 257), large(bytes + 1);
  const exec where = scratch.where();
  const byte_flags heads{flags};
  CHECK_THROWS_AS(segmented_inclusive_scan(where, in, heads, shorter), invalid_argument);
  CHECK_THROWS_AS(segmented_exclusive_scan(where, in, heads, shorter), invalid_argument);
  CHECK_THROWS_AS(
      segmented_inclusive_scan(where, std::span<const int>(static_cast<const int*>(nullptr), n), heads, out),
      invalid_argument);
  CHECK_THROWS_AS(segmented_inclusive_scan(where, in, heads, std::span<int>(static_cast<int*>(nullptr), n)),
                  invalid_argument);
  CHECK_THROWS_AS(segmented_inclusive_scan(where, in, byte_flags{std::span(flags).first(n - 1)}, out),
                  invalid_argument);
  CHECK_THROWS_AS(segmented_inclusive_scan(where, in, bit_flags{std::span(bits).first(bits.size() - 1)}, out),
                  invalid_argument);
  CHECK_THROWS_AS(
      segmented_inclusive_scan(where, in, byte_flags{std::span(static_cast<const std::uint8_t*>(nullptr), n)}, out),
      invalid_argument);
  CHECK_THROWS_AS(
      segmented_inclusive_scan(where, in, bit_flags{std::span(static_cast<const std::uint32_t*>(nullptr), n)}, out),
      invalid_argument);
  // flags that lie in the output
  const std::span<const std::uint8_t> in_out(reinterpret_cast<const std::uint8_t*>(out.data()), n);
  CHECK_THROWS_AS(segmented_inclusive_scan(where, in, byte_flags{in_out}, out), invalid_argument);
  CHECK_THROWS_AS(segmented_inclusive_scan(small.where(), in, heads, out), invalid_argument);
  const exec misaligned(where.stream(), large.where().scratch().subspan(1));
  CHECK_THROWS_AS(segmented_inclusive_scan(where, std::span<const int>(out.data(), n - 1), heads,
                                           std::span<int>(out.data() + 1, n - 1)),
                  invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
  CHECK(segmented_scan_scratch_bytes<int>(0) == 0);
  segmented_inclusive_scan(misaligned, in, heads, out);  // a segment each
  CHECK(out.read() == in.read());
  segmented_inclusive_scan(exec(where.stream(), std::span<std::byte>{}), std::span<const int>{}, byte_flags{},
                           std::span<int>{});  // n = 0 needs nothing
}

}  // namespace device_segmented_scan
