// SPDX-License-Identifier: Apache-2.0
// Backward segmented scans against the forward loop over everything in reverse: patterns of heads,
// flags of every kind and offsets, lengths, alignment, in place, counted.
#include <ballot/segmented_scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"

#include <algorithm>

using namespace ballot;

namespace device_segmented_scan_backward {

template <class Items>
Items reversed(Items items) {
  std::reverse(items.begin(), items.end());
  return items;
}

template <class T, class Op = plus>
std::vector<T> inclusive_backward(const std::vector<T>& items, const std::vector<bool>& heads, Op op = {}) {
  return reversed(test::serial_segmented_inclusive(reversed(items), test::heads_from_end(heads), op));
}
template <class T, class Op = plus>
std::vector<T> exclusive_backward(const std::vector<T>& items, const std::vector<bool>& heads, T initial, Op op = {}) {
  return reversed(test::serial_segmented_exclusive(reversed(items), test::heads_from_end(heads), initial, op));
}

TEST_CASE_TEMPLATE("backward segmented scan: every pattern of heads, through small tiles", Shape,
                   block::tile_shape<32, 1, 1>, block::tile_shape<64, 2, 4>) {
  using T = test::affine<std::uint16_t>;
  const bool one_warp = Shape::items < 100;
  const std::size_t whole = (one_warp ? 40 : 5) * Shape::items;
  for (const std::size_t n : {whole, whole + 7}) {  // the last tile full, or with a part of a vector
    if (one_warp && n == whole) continue;           // for time
    CAPTURE(n);
    const auto items = test::random_items<T>(n, 5);
    for (const test::named_heads& pattern : test::head_patterns<Shape>(n)) {
      CAPTURE(pattern.name);
      const auto inclusive = inclusive_backward(items, pattern.heads, test::compose{}),
                 exclusive = exclusive_backward(items, pattern.heads, T{3, 4}, test::compose{});
      test::for_each_schedule([&] {
        const test::guarded<T> in(items);
        const test::guarded<std::uint8_t> bytes(test::as_bytes(pattern.heads));
        const test::guarded<std::uint32_t> bits(test::as_bits(pattern.heads));
        test::guarded<T> out(n);
        const exec where = allocating(test::test_stream());
        const auto scan = [&]<device::scan_kind Kind>(const auto& flags, const std::vector<T>& want) {
          out.fill_dirt();
          detail::segmented_scan<Kind, T, true, Shape>(where, detail::as_input(in), flags, detail::as_output(out),
                                                       T{3, 4}, test::compose{}, "test");
          CHECK(out.read() == want);
        };
        scan.template operator()<device::scan_kind::exclusive>(byte_flags{bytes}, exclusive);
        scan.template operator()<device::scan_kind::inclusive>(bit_flags{bits}, inclusive);
      });
    }
  }
}

TEST_CASE_TEMPLATE("backward segmented scan: lengths, alignment, in place, counted, by offsets", T, std::uint32_t,
                   double) {
  for (std::size_t n : test::lengths_around(detail::segmented_scan_shape<T>::items)) {
    CAPTURE(n);
    std::vector<bool> heads(n);
    std::vector<std::uint32_t> offsets;
    for (std::size_t i = 0; i < n; ++i) {
      heads[i] = i % 1777 == 1000 || i % 40 == 39 || i % 512 == 0;  // also where tiles begin
      if (heads[i]) offsets.push_back(static_cast<std::uint32_t>(i));
    }
    const auto items = test::small_items<T>(n);
    const auto inclusive = inclusive_backward(items, heads), exclusive = exclusive_backward(items, heads, T{5});
    const std::size_t some = n / 2;
    const auto front = inclusive_backward(std::vector<T>(items.begin(), items.begin() + std::ptrdiff_t(some)),
                                          std::vector<bool>(heads.begin(), heads.begin() + std::ptrdiff_t(some)));
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      const test::guarded<std::uint8_t> bytes(test::as_bytes(heads), 1);
      const test::guarded<std::uint32_t> bits(test::as_bits(heads)), begins(offsets);
      test::guarded<T> out(n), in_place(items, 1);
      const test::exact_scratch scratch(segmented_scan_scratch_bytes<T>(n)),
          with_bits(segmented_scan_by_offsets_scratch_bytes<T>(n));
      segmented_inclusive_scan_backward(scratch.where(), in, byte_flags{bytes}, out);
      CHECK(out.read() == inclusive);
      segmented_exclusive_scan_backward(scratch.where(), in_place, bit_flags{bits}, T{5}, in_place);
      CHECK(in_place.read() == exclusive);
      out.fill_dirt();
      segmented_exclusive_scan_backward(with_bits.where(), in, segment_offsets{begins}, T{5}, out);
      CHECK(out.read() == exclusive);

      test::guarded<std::uint64_t> count(1);
      count.write({some});
      out.fill_dirt();
      segmented_inclusive_scan_backward(scratch.where(), counted{in, count.data()}, bit_flags{bits}, out);
      const auto got = out.read();
      CHECK(std::equal(front.begin(), front.end(), got.begin()));
      CHECK(std::all_of(got.begin() + std::ptrdiff_t(some), got.end(), [](T x) { return test::is_dirt(x); }));
      scratch.check_guards();
      with_bits.check_guards();
    });
  }
}

TEST_CASE("backward segmented scan: bad arguments are errors before any work") {
  const std::size_t n = 100;
  const test::guarded<int> in(std::vector<int>(n, 1));
  const test::guarded<std::uint8_t> flags(std::vector<std::uint8_t>(n, 1));
  test::guarded<int> out(n), shorter(n - 1);
  const test::exact_scratch scratch(segmented_scan_scratch_bytes<int>(n));
  CHECK_THROWS_AS(segmented_inclusive_scan_backward(scratch.where(), in, byte_flags{flags}, shorter), invalid_argument);
  const byte_flags fewer{std::span(flags).first(n - 1)};
  CHECK_THROWS_AS(segmented_exclusive_scan_backward(scratch.where(), in, fewer, out), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](int x) { return test::is_dirt(x); }));
}

}  // namespace device_segmented_scan_backward
