// SPDX-License-Identifier: Apache-2.0
// Segmented scans whose ranges do not begin with an aligned vector: the first tile is shorter, so
// that the others do.
#include <ballot/segmented_scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"

#include <cstdint>
#include <vector>

using namespace ballot;

namespace device_segmented_scan_addresses {

using tiny = block::tile_shape<64, 2, 4>;

// How many items behind an aligned address each range begins.
struct addresses {
  std::size_t in, out, flags;
};

template <class T, class Shape, class Op>
void check_scans(const std::vector<T>& items, const std::vector<bool>& heads, const addresses& at, std::size_t capacity,
                 T initial, Op op) {
  CAPTURE(at.in);
  CAPTURE(at.out);
  CAPTURE(at.flags);
  CAPTURE(capacity);
  const std::size_t n = items.size();
  const auto inclusive = test::serial_segmented_inclusive(items, heads, op),
             exclusive = test::serial_segmented_exclusive(items, heads, initial, op);
  std::vector<T> all = items;
  std::vector<bool> all_heads = heads;
  all.resize(capacity);
  all_heads.resize(capacity, true);
  std::vector<std::uint32_t> begins;
  for (std::size_t i = 0; i < n; ++i)
    if (heads[i]) begins.push_back(static_cast<std::uint32_t>(i));
  const test::guarded<T> in(all, at.in);
  const test::guarded<std::uint8_t> bytes(test::as_bytes(all_heads), at.flags);
  const test::guarded<std::uint32_t> bits(test::as_bits(all_heads)), offsets(begins);
  const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{n});
  test::guarded<T> out(capacity, at.out);
  const auto from = detail::as_input(counted{in, length.data()});
  const auto is = [&](const std::vector<T>& want) {
    auto got = out.read();
    got.resize(n);
    CHECK(got == want);
  };
  {
    const test::exact_scratch scratch(detail::segmented_scan_bytes<T, Shape>(capacity));
    const auto scan = [&]<device::scan_kind Kind>(const auto& flags, const std::vector<T>& want) {
      out.fill_dirt();
      detail::segmented_scan<Kind, T, false, Shape>(scratch.where(), from, flags, detail::as_output(out), initial, op,
                                                    "test", 1);
      is(want);
    };
    scan.template operator()<device::scan_kind::inclusive>(byte_flags{bytes}, inclusive);
    scan.template operator()<device::scan_kind::exclusive>(byte_flags{bytes}, exclusive);
    scan.template operator()<device::scan_kind::exclusive>(bit_flags{bits}, exclusive);
    scratch.check_guards();
  }
  const test::exact_scratch scratch(detail::segmented_scan_by_offsets_bytes<T, Shape>(capacity));
  out.fill_dirt();
  detail::segmented_scan<device::scan_kind::inclusive, T, false, Shape>(
      scratch.where(), from, segment_offsets{offsets}, detail::as_output(out), initial, op, "test", std::uint64_t{0});
  is(inclusive);
  scratch.check_guards();
}

TEST_CASE("segmented scan at every address of a vector, around ends of tiles") {
  using T = std::uint32_t;
  unsigned turn = 0;
  for (const std::size_t tiles : {2, 3, 8})
    for (const int more : {-4, -3, -1, 0, 1, 3}) {
      const std::size_t n = tiles * tiny::items + static_cast<std::size_t>(more);
      CAPTURE(n);
      const auto items = test::small_items<T>(n);
      for (std::size_t shift = 0; shift < tiny::width; ++shift) {
        const auto heads = test::make_flags(test::flag_patterns[turn % 8], n);
        const addresses at[] = {{shift, shift, shift}, {shift, shift, 1}, {shift, 0, shift}, {2, shift, 2}};
        const std::size_t capacity = turn % 3 == 0 ? n + 2 * tiny::items : n;
        test::for_some_schedules(turn, [&] {
          check_scans<T, tiny>(items, heads, at[turn % 4], capacity, T{5}, plus{});
          check_scans<T, tiny>(items, heads, at[0], capacity, T{5}, plus{});
        });
        ++turn;
      }
    }
}

// The states of 32 tiles fill their part of the scratch.
TEST_CASE("segmented scan of as many tiles as a piece of scratch has states for, and one that the shift adds") {
  using T = std::uint32_t;
  const std::size_t n = 32 * tiny::items;
  const auto items = test::small_items<T>(n);
  const auto heads = test::make_flags(test::flag_patterns[5], n);
  unsigned turn = 0;
  for (std::size_t shift = 1; shift < tiny::width; ++shift)
    test::for_some_schedules(turn++, [&] {
      check_scans<T, tiny>(items, heads, {shift, shift, shift}, n, T{5}, plus{});
    });
}

TEST_CASE("segmented scan of no items, by the length on the device: nothing is read") {
  using T = std::uint32_t;
  const std::size_t capacity = 5 * tiny::items;
  test::for_each_schedule([&] {
    const test::guarded<T> in(capacity, 1);
    const test::guarded<std::uint8_t> bytes(capacity, 1);
    const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{0});
    const test::guarded<T> out(capacity, 1);
    const auto before = out.read();
    detail::segmented_scan<device::scan_kind::inclusive, T, false, tiny>(
        allocating(test::test_stream()), detail::as_input(counted{in, length.data()}), byte_flags{bytes},
        detail::as_output(out), T{}, plus{}, "test", 1);
    CHECK(out.read() == before);
  });
}

TEST_CASE("segmented scan behind an aligned address by an operator that does not commute") {
  using T = test::affine<std::uint16_t>;
  using shape = block::tile_shape<64, 2, block::vector_width<T>()>;
  const std::size_t n = 5 * shape::items;
  const auto items = test::random_items<T>(n, 8);
  const auto heads = test::make_flags(test::flag_patterns[5], n);
  for (std::size_t shift = 1; shift < shape::width; ++shift)
    test::for_each_schedule([&] {
      check_scans<T, shape>(items, heads, {shift, shift, shift}, n, T{3, 4}, test::compose{});
    });
}

}  // namespace device_segmented_scan_addresses
