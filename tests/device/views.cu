// SPDX-License-Identifier: Apache-2.0
// Scans, segmented scans and reductions of views against loops over the same items.
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/views.cuh>

#include "support/refused.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

#include <algorithm>

using namespace ballot;
using test::guarded;
using test::refused;

namespace device_views {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned tile = detail::small_scan_shape<u32>::items;

TEST_CASE("scans of each kind of view") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{tile - 1}, std::size_t{tile}, std::size_t{2 * tile + 5}})
    for (const std::size_t shift : {0, 1}) {
      CAPTURE(n);
      CAPTURE(shift);
      test::for_some_schedules([&] {
        test::for_each_view(n, shift, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
          CAPTURE(name);
          const std::size_t m = items.size();
          std::vector<u32> sums(m), sums_back(m);
          u32 sum = 0;
          for (std::size_t i = 0; i < m; ++i) sums[i] = sum += items[i];
          sum = 9;
          for (std::size_t i = m; i-- > 0; sum += items[i]) sums_back[i] = sum;
          guarded<u32> out(m, shift), total(1);
          const test::unaligned_scratch scratch(scan_scratch_bytes<u32>(m));
          inclusive_scan(scratch.where(), view, out);
          CHECK(out.read() == sums);
          exclusive_scan(scratch.where(), view, 9, out, {.total = total.data(), .order = scan_order::backward});
          CHECK(out.read() == sums_back);
          CHECK(total.read()[0] == sum);
          scratch.check_guards();
        });
      });
    }
}

struct widened {
  __device__ u64 operator()(u8 x) const { return u64{x} << 40 | x; }
};

// Sums of other types than the view's items, in tiles of the large shape, too.
template <class T, class View, class Item>
void check_scan_to(const View& view, Item item) {
  const std::size_t n = view.size();
  std::vector<T> sums(n);
  T sum{};
  for (std::size_t i = 0; i < n; ++i) sums[i] = sum = static_cast<T>(sum + static_cast<T>(item(i)));
  test::for_some_schedules([&] {
    guarded<T> out(n);
    const test::unaligned_scratch scratch(scan_scratch_bytes<T>(n));
    inclusive_scan(scratch.where(), view, out);
    CHECK(out.read() == sums);
    out.fill_dirt();
    const auto call = detail::scan_of_items(detail::as_input(view), detail::as_output(out), T{}, plus{}, {}, "test");
    using large = detail::scan_shape<T>;
    detail::launch_scan<device::scan_kind::inclusive, T, large, detail::reproducible_scan_shape<T>, large>(
        allocating(test::test_stream()), call);
    CHECK(out.read() == sums);
  });
}

TEST_CASE("scans of views into sums of another type") {
  const std::size_t n = 5 * detail::scan_shape<u32>::items + 77;
  const auto host = test::random_items<u8>(n, 1);
  const auto host_64 = test::random_items<u64>(n, 2);
  const guarded<u8> in(host);
  const guarded<u64> in_64(host_64);
  const guarded<u8> odd(host, 1);
  check_scan_to<u64>(transformed{in, widened{}}, [&](std::size_t i) { return u64{host[i]} << 40 | host[i]; });
  check_scan_to<u64>(transformed{odd, widened{}}, [&](std::size_t i) { return u64{host[i]} << 40 | host[i]; });
  check_scan_to<u8>(transformed{in_64, test::by_17{n}}, [&](std::size_t i) { return u32(host_64[i]) * u64{17} % n; });
  check_scan_to<u8>(transformed{in, test::shifts_itself{3}}, [&](std::size_t i) { return host[i] * 7u + 3; });
  check_scan_to<u32>(positions<u64>(n), [](std::size_t i) { return i; });
  check_scan_to<int>(constant{short{-3}, n}, [](std::size_t) { return -3; });
}

struct times_three_and_one {
  __host__ __device__ u32 operator()(u32 x) const { return x * 3 + 1; }
};

// Where input and output lie alike, all tiles but the first begin with a vector.
TEST_CASE("scans of views at every address, forward and backward") {
  using large = detail::scan_shape<u32>;
  unsigned turn = 0;
  for (const std::size_t n :
       {std::size_t{large::items} - 1, std::size_t{large::items} + 1, 3 * std::size_t{large::items} - 2}) {
    const auto host = test::random_items<u32>(n, 3);
    for (std::size_t shift = 0; shift < 4; ++shift)
      for (std::size_t out_shift = 0; out_shift < 4; ++out_shift) {
        CAPTURE(n);
        CAPTURE(shift);
        CAPTURE(out_shift);
        const scan_order order = turn % 2 == 0 ? scan_order::forward : scan_order::backward;
        const auto check = [&](const auto& view, const auto& item) {
          std::vector<u32> sums(n);
          u32 sum = 0;
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = order == scan_order::forward ? i : n - 1 - i;
            sums[at] = sum += item(at);
          }
          guarded<u32> out(n, out_shift);
          const test::unaligned_scratch scratch(scan_scratch_bytes<u32>(n));
          scan_options<u32> options;
          options.order = order;
          detail::launch_scan<device::scan_kind::inclusive, u32, large, detail::reproducible_scan_shape<u32>, large>(
              scratch.where(),
              detail::scan_of_items(detail::as_input(view), detail::as_output(out), u32{}, plus{}, options, "test"));
          CHECK(out.read() == sums);
        };
        test::for_some_schedules(turn++, [&] {
          const guarded<u32> in(host, shift);
          check(transformed{in, times_three_and_one{}}, [&](std::size_t i) { return host[i] * 3 + 1; });
          check(positions<u32>(static_cast<u32>(n)), [](std::size_t i) { return static_cast<u32>(i); });
        });
      }
  }
}

// Kept from what is not there; not commutative.
struct affine {
  u32 a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct compose {
  __host__ __device__ affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct as_affine {
  __host__ __device__ affine operator()(u32 x) const { return {x | 1u, x >> 3}; }
};

TEST_CASE("scans and reductions of views by an operator that does not commute") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{70'000}}) {
    CAPTURE(n);
    const auto host = test::random_items<u32>(n, 4);
    std::vector<affine> want(n);
    affine sum{1, 0};
    for (std::size_t i = 0; i < n; ++i) want[i] = sum = compose{}(sum, as_affine{}(host[i]));
    test::for_some_schedules([&] {
      const guarded<u32> in(host);
      guarded<affine> out(n), result(1);
      const exec gpu = allocating(test::test_stream());
      inclusive_scan(gpu, transformed{in, as_affine{}}, compose{}, out);
      CHECK(out.read() == want);
      reduce(gpu, transformed{in, as_affine{}}, affine{1, 0}, compose{}, result.data());
      CHECK(result.read()[0] == want.back());
      std::vector<u32> backward(host.rbegin(), host.rend());
      const guarded<u32> reversed_in(backward);
      result.fill_dirt();
      reduce(gpu, transformed{reversed{reversed_in}, as_affine{}}, affine{1, 0}, compose{}, result.data());
      CHECK(result.read()[0] == want.back());
    });
  }
}

TEST_CASE("reductions of each kind of view") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{4096}, std::size_t{150'001}})
    for (const std::size_t shift : {0, 1}) {
      if (n > 100'000 && shift != 0) continue;
      CAPTURE(n);
      CAPTURE(shift);
      test::for_some_schedules([&] {
        test::for_each_view(n, shift, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
          CAPTURE(name);
          guarded<u64> total(1);
          guarded<u32> least(1);
          guarded<indexed<u32>> most(1);
          const test::unaligned_scratch scratch(reduce_scratch_bytes<indexed<u32>>(items.size()));
          u64 want = 0;
          for (const u32 x : items) want += x;
          sum(scratch.where(), view, total.data());
          CHECK(total.read()[0] == want);
          minimum_of(scratch.where(), view, least.data());
          CHECK(least.read()[0] == *std::min_element(items.begin(), items.end()));
          arg_max(scratch.where(), view, most.data());
          const auto at = std::max_element(items.begin(), items.end());
          CHECK(most.read()[0].index == u64(at - items.begin()));
          CHECK(most.read()[0].value == *at);
          scratch.check_guards();
        });
      });
    }
}

TEST_CASE("segmented scans of each kind of view") {
  const std::size_t items_of_tile = detail::segmented_scan_shape<u32>::items;
  for (const std::size_t n : {std::size_t{1}, items_of_tile, 2 * items_of_tile + 5}) {
    CAPTURE(n);
    test::for_some_schedules([&] {
      test::for_each_view(n, 0, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
        CAPTURE(name);
        const std::size_t m = items.size();
        const auto flags = test::make_flags(test::flag_patterns[6], m);
        std::vector<u64> offsets{0};
        for (std::size_t i = 1; i < m; ++i)
          if (flags[i]) offsets.push_back(i);
        const guarded<u8> heads(test::as_bytes(flags));
        const guarded<u64> begins(offsets);
        guarded<u32> out(m);
        const exec gpu = allocating(test::test_stream());
        std::vector<u32> forward(m), backward(m);
        for (std::size_t i = 0; i < m; ++i)
          forward[i] = i == 0 || flags[i] ? items[i] : std::max(forward[i - 1], items[i]);
        for (std::size_t i = m; i-- > 0;) backward[i] = i + 1 == m || flags[i + 1] ? 7 : backward[i + 1] + items[i + 1];
        segmented_inclusive_scan(gpu, view, byte_flags{heads}, maximum{}, out);
        CHECK(out.read() == forward);
        segmented_exclusive_scan_backward(gpu, view, segment_offsets{begins}, 7, out);
        CHECK(out.read() == backward);
      });
    });
  }
}

TEST_CASE("scans and reductions of views with a length on the device") {
  const std::size_t n = 4000;
  const auto host = test::random_items<u32>(n, 11);
  for (const u64 there : {u64{0}, u64{1}, u64{3333}, u64{n}, u64{n + 1}}) {
    CAPTURE(there);
    const std::size_t m = std::min<u64>(there, n);
    std::vector<u32> sums(m);
    u32 total = 0;
    for (std::size_t i = 0; i < m; ++i) sums[i] = total += host[n - 1 - i] * 3 + 1;
    test::for_some_schedules([&] {
      const guarded<u32> in(host);
      const guarded<u64> length(std::vector<u64>{there});
      guarded<u32> out(n), result(1);
      const exec gpu = allocating(test::test_stream());
      const counted view{transformed{reversed{in}, test::thrice_and_one{}}, length.data()};
      inclusive_scan(gpu, view, out);
      auto got = out.read();
      CHECK(std::equal(sums.begin(), sums.end(), got.begin()));
      CHECK((m == n || test::is_dirt(got[m])));
      out.fill_dirt();
      segmented_inclusive_scan(gpu, view, byte_flags{guarded<u8>(std::vector<u8>(n))}, out);
      got = out.read();
      CHECK(std::equal(sums.begin(), sums.end(), got.begin()));
      guarded<u32> offsets(n + 1);
      counts_to_offsets(gpu, view, offsets);
      CHECK(offsets.read()[m] == total);
      reduce(gpu, view, 0, result.data());
      CHECK(result.read()[0] == total);
    });
  }
}

TEST_CASE("what scans and reductions refuse of views") {
  const guarded<u32> in(100), other(99), result(1);
  const guarded<u64> indices(100), heads(100);
  const std::span<const u32> nowhere(static_cast<const u32*>(nullptr), 100);
  const auto view = transformed{gathered{in, indices}, test::thrice_and_one{}};
  const auto on_indices = device_span(reinterpret_cast<u32*>(indices.data()), 100);
  guarded<u32> out(100), long_out(101);
  refused("a scan's output", "inclusive_scan: output `out`", [&](const exec& gpu) { inclusive_scan(gpu, view, in); });
  refused("a scan's indices", "overlaps input `in`", [&](const exec& gpu) { inclusive_scan(gpu, view, on_indices); });
  refused("a scan's total", "output `total`",
          [&](const exec& gpu) { exclusive_scan(gpu, view, 0, out, {.total = in.data() + 4}); });
  refused("a scan's length", "`out` has 99 items", [&](const exec& gpu) { inclusive_scan(gpu, view, other); });
  refused("offsets", "overlaps input `counts`",
          [&](const exec& gpu) { counts_to_offsets(gpu, reversed{device_span(long_out.data(), 100)}, long_out); });
  refused("scratch", "output `scratch`", [&](const exec& gpu) {
    const auto bytes = std::span(reinterpret_cast<std::byte*>(indices.data()), 800);
    inclusive_scan(exec(gpu.stream(), bytes), view, out);
  });
  refused("a result", "sum: output `result`", [&](const exec& gpu) { sum(gpu, view, in.data()); });
  refused("a result on the indices", "overlaps input `in`",
          [&](const exec& gpu) { sum(gpu, view, on_indices.data() + 8); });
  refused("null", "`in` is null and has 400 bytes",
          [&](const exec& gpu) { sum(gpu, reversed{nowhere}, result.data()); });
  refused("positions", "more positions than their type counts",
          [&](const exec& gpu) { sum(gpu, positions<u8>(257), result.data()); });
  refused("a segmented scan's output", "overlaps input `in`",
          [&](const exec& gpu) { segmented_inclusive_scan(gpu, view, segment_offsets{heads}, on_indices); });
}

}  // namespace device_views
