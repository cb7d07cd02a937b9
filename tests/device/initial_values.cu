// SPDX-License-Identifier: Apache-2.0
// Scans from an initial value: of the host, on the device, of each segment; with totals, backward,
// reproducible, of no items; and what is refused.
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"

#include <algorithm>

using namespace ballot;

namespace device_initial_values {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct affine {
  u32 a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {  // does not commute
  BALLOT_HOST_DEVICE affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
std::vector<affine> maps(std::size_t n) {
  const auto random = test::random_items<u32>(2 * n, 8);
  std::vector<affine> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {random[2 * i], random[2 * i + 1]};
  return all;
}

template <class T, class Op>
std::vector<T> serial(std::vector<T> items, T sum, bool exclusive, bool backward, Op op, T& total) {
  if (backward) std::reverse(items.begin(), items.end());
  for (T& item : items) {
    const T before = sum;
    sum = op(sum, item);
    item = exclusive ? before : sum;
  }
  total = sum;
  if (backward) std::reverse(items.begin(), items.end());
  return items;
}

template <class T, class Op>
void check(const std::vector<T>& items, T initial, Op op, bool backward, bool reproducible) {
  const std::size_t n = items.size();
  CAPTURE(n);
  T total_in, total_ex;
  const auto inclusive = serial(items, initial, false, backward, op, total_in),
             exclusive = serial(items, initial, true, backward, op, total_ex);
  test::for_schedules_by_size(n, [&] {
    const test::guarded<T> in(items, 1), from(std::vector<T>{initial});
    test::guarded<T> out(n), total(1);
    const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
    const scan_options<T> options{.total = total.data(),
                                  .order = backward ? scan_order::backward : scan_order::forward,
                                  .reproducible = reproducible};
    const auto leaves = [&](const std::vector<T>& want, const T& sum, auto call) {
      test::directly_and_captured([&] { out.fill_dirt(), total.fill_dirt(); }, call,
                                  [&] {
                                    CHECK(out.read() == want);
                                    CHECK(total.read()[0] == sum);
                                  });
    };
    const exec gpu = scratch.where();
    leaves(inclusive, total_in, [&] { inclusive_scan(gpu, in, initial, op, out, options); });
    leaves(inclusive, total_in, [&] { inclusive_scan(gpu, in, on_device{from.data()}, op, out, options); });
    leaves(exclusive, total_ex, [&] { exclusive_scan(gpu, in, initial, op, out, options); });
    leaves(exclusive, total_ex, [&] { exclusive_scan(gpu, in, on_device{from.data()}, op, out, options); });
    scratch.check_guards();
  });
}

TEST_CASE("scans from an initial value, of the host and on the device") {
  for (const std::size_t n : {0, 1, 33, 2000, 50'001})
    for (const bool backward : {false, true}) {
      check(maps(n), affine{5, 6}, compose{}, backward, n == 2000);
      check(test::random_items<u32>(n, 4), 77u, plus{}, backward, false);
    }
}

TEST_CASE("scans from an initial value: by plus, converted, from a device_value") {
  const std::vector<std::uint8_t> bytes = test::random_items<std::uint8_t>(1000, 3);
  const test::guarded<std::uint8_t> in(bytes);
  test::guarded<u64> out(1000);
  std::vector<u64> wide(bytes.begin(), bytes.end());
  u64 total;
  const exec gpu = allocating(test::test_stream());
  inclusive_scan(gpu, in, 100, out);
  CHECK(out.read() == serial(wide, u64{100}, false, false, plus{}, total));
  device_value<u64> carry(test::test_stream());
  carry.write(test::test_stream(), u64{1} << 40);
  inclusive_scan(gpu, in, on_device{carry}, out);
  CHECK(out.read() == serial(wide, u64{1} << 40, false, false, plus{}, total));
  exclusive_scan(gpu, in, on_device{carry}, out);
  CHECK(out.read() == serial(wide, u64{1} << 40, true, false, plus{}, total));
}

TEST_CASE("scans from an initial value on the device: refusals") {
  test::guarded<u32> in(100), out(100);
  test::refused("no address", "`initial` has no address",
                [&](const exec& gpu) { inclusive_scan(gpu, in, on_device<u32>(nullptr), out); });
  test::refused("within the output", "overlaps input `initial`",
                [&](const exec& gpu) { exclusive_scan(gpu, in, on_device{out.data() + 99}, out); });
  test::refused("where the total is left", "overlaps input `initial`", [&](const exec& gpu) {
    inclusive_scan(gpu, in, on_device{in.data() + 3}, out, {.total = in.data() + 3});
  });
}

template <class T, class Op>
void check_segments(const std::vector<T>& items, T initial, Op op, u32 one_in) {
  const std::size_t n = items.size();
  CAPTURE(n);
  const auto random = test::random_items<u32>(n, 6);
  std::vector<std::uint8_t> bytes(n);
  std::vector<u32> offsets;
  for (std::size_t i = 0; i < n; ++i) {
    bytes[i] = i == 0 || random[i] % one_in == 0;
    if (bytes[i] != 0) offsets.push_back(static_cast<u32>(i));
  }
  std::vector<T> forward(n), backward(n);
  T sum{};
  for (std::size_t i = 0; i < n; ++i) forward[i] = sum = op(bytes[i] != 0 ? initial : sum, items[i]);
  for (std::size_t i = n; i-- != 0;) backward[i] = sum = op(i + 1 == n || bytes[i + 1] != 0 ? initial : sum, items[i]);
  test::for_schedules_by_size(n, [&] {
    const test::guarded<T> in(items, 1);
    const test::guarded<std::uint8_t> flags(bytes, 3);
    const test::guarded<u32> begins(offsets);
    test::guarded<T> out(n);
    const test::exact_scratch scratch(segmented_scan_scratch_bytes<T>(n)),
        by_offsets(segmented_scan_by_offsets_scratch_bytes<T>(n));
    segmented_inclusive_scan(scratch.where(), in, byte_flags{flags}, initial, op, out);
    CHECK(out.read() == forward);
    segmented_inclusive_scan_backward(scratch.where(), in, byte_flags{flags}, initial, op, out);
    CHECK(out.read() == backward);
    out.fill_dirt();
    segmented_inclusive_scan(by_offsets.where(), in, segment_offsets{begins}, initial, op, out);
    CHECK(out.read() == forward);
  });
}
TEST_CASE("segmented_inclusive_scan from an initial value") {
  for (const std::size_t n : {1, 32, 1000, 20'000, 40'011})
    for (const u32 one_in : {1u, 6u, 4000u}) {
      check_segments(maps(n), affine{5, 6}, compose{}, one_in);
      check_segments(test::random_items<u32>(n, 4), 77u, plus{}, one_in);
      check_segments(test::random_items<u32>(n, 4), 1u << 30, maximum{}, one_in);
    }
}
TEST_CASE("segmented_inclusive_scan from an initial value, by plus") {
  const test::guarded<u32> in(std::vector<u32>{1, 2, 3, 4});
  const test::guarded<std::uint8_t> flags(std::vector<std::uint8_t>{1, 0, 1, 0});
  test::guarded<u32> out(4);
  const exec gpu = allocating(test::test_stream());
  segmented_inclusive_scan(gpu, in, byte_flags{flags}, 10, out);
  CHECK(out.read() == std::vector<u32>{11, 13, 13, 17});
  segmented_inclusive_scan_backward(gpu, in, byte_flags{flags}, 10, out);
  CHECK(out.read() == std::vector<u32>{13, 12, 17, 14});
}

}  // namespace device_initial_values
