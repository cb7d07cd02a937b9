// SPDX-License-Identifier: Apache-2.0
// gather and scatter against a loop: sizes, types of items and indices, indices outside, lengths on
// the device.
#include <ballot/gather.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

#include <numeric>

using namespace ballot;

namespace algorithms_gather {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct wide {
  u64 a[5];
};

// Indices are a permutation of n places; every seventh one lies outside.
template <class T, class Index>
void check(std::size_t n, std::size_t there, std::size_t shift) {
  CAPTURE(n);
  CAPTURE(there);
  const auto items = test::random_items<T>(n, 1);
  std::vector<Index> indices(n);
  std::iota(indices.begin(), indices.end(), Index{0});
  std::shuffle(indices.begin(), indices.end(), std::mt19937(5));
  for (std::size_t i = 3; i < n; i += 7)
    indices[i] = i % 2 == 0 ? static_cast<Index>(~Index{0}) : static_cast<Index>(n + i);
  u64 outside = 0;
  for (std::size_t i = 0; i < there; ++i) outside += static_cast<u64>(indices[i]) >= n;
  test::for_some_schedules([&] {
    const test::guarded<T> in(items, shift);
    const test::guarded<Index> at(indices, (shift + 1) % 3);
    test::guarded<T> gathered(n, (shift + 2) % 3), scattered(n);
    test::guarded<u64> counts(2);
    const test::guarded<u64> length(std::vector<u64>{there});
    const exec gpu(test::test_stream(), {});
    test::directly_and_captured([&] { gathered.fill_dirt(), scattered.fill_dirt(), counts.fill_dirt(); },
                                [&] {
                                  const counted now{at, length.data()};
                                  gather(gpu, in, now, gathered, counts.data());
                                  if (there == n) scatter(gpu, in, at, scattered, counts.data() + 1);
                                  else scatter(gpu, counted{in, length.data()}, at, scattered, counts.data() + 1);
                                },
                                [&] {
                                  const auto got = gathered.read(), to = scattered.read();
                                  std::vector<bool> is_written(n);
                                  bool same = true;
                                  for (std::size_t i = 0; i < n; ++i) {
                                    const auto place = static_cast<u64>(indices[i]);
                                    if (i >= there || place >= n) {
                                      same &= test::is_dirt(got[i]);
                                      continue;
                                    }
                                    is_written[place] = true;
                                    same &= std::memcmp(&got[i], &items[place], sizeof(T)) == 0;
                                    same &= std::memcmp(&to[place], &items[i], sizeof(T)) == 0;
                                  }
                                  for (std::size_t i = 0; i < n; ++i) same &= is_written[i] || test::is_dirt(to[i]);
                                  CHECK(same);
                                  CHECK(counts.read() == std::vector<u64>{outside, outside});
                                });
  });
}

TEST_CASE("gather, scatter: sizes around a tile") {
  for (const std::size_t n : test::lengths_around(detail::gather_threads * detail::items_of_few))
    check<u32, u32>(n, n, n % 3);
}

TEST_CASE("gather, scatter: more items of a thread, from some on") {
  for (const std::size_t n : {detail::few_moves, detail::few_moves + 1, detail::few_moves + 1'025})
    check<u32, u32>(n, n, n % 3);
}

TEST_CASE("gather, scatter: types, lengths on the device") {
  check<std::uint8_t, std::int32_t>(5'000, 4'321, 1);
  check<u64, u64>(5'000, 0, 0);
  check<wide, std::int64_t>(3'000, 2'999, 1);
}

TEST_CASE("gather: from a range of another length, which the device knows") {
  const test::guarded<u32> in(std::vector<u32>{10, 11, 12, 13}), at(std::vector<u32>{3, 0, 2, 2, 4, 1});
  const test::guarded<u32> length(std::vector<u32>{3});
  test::guarded<u32> out(6);
  device_value<u32> outside(test::test_stream());
  out.write(std::vector<u32>(6, 7));
  gather(exec(test::test_stream(), {}), counted{in, length.data()}, at, out, outside);
  CHECK(out.read() == std::vector<u32>{7, 10, 12, 12, 7, 11});
  CHECK(outside.read(test::test_stream()) == 2);
}

struct within {
  u32 modulus;
  __host__ __device__ std::int32_t operator()(u32 x) const { return static_cast<std::int32_t>(x % modulus) - 3; }
};

// Items, and indices, of which some lie outside, on both sides.
TEST_CASE("gather, scatter: each kind of view as items and as indices") {
  for (const std::size_t n : {std::size_t{33}, std::size_t{2 * detail::gather_threads * detail::items_of_few + 5}})
    test::for_each_schedule([&] {
      const auto modulus = static_cast<u32>(n + 5);
      std::vector<u32> order(n), items_of_range(n);
      std::iota(order.begin(), order.end(), 0u);
      std::iota(items_of_range.begin(), items_of_range.end(), 1'000u);
      std::shuffle(order.begin(), order.end(), std::mt19937(5));
      const test::guarded<u32> at(order), range(items_of_range);
      test::guarded<u32> out(n);
      test::guarded<u64> outside(1);
      const exec gpu(test::test_stream(), {});
      test::for_each_view(n, 1, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
        CAPTURE(name);
        const std::size_t there = items.size(), moved = there - 4;
        const test::guarded<u64> length(std::vector<u64>{moved});
        bool same = true;
        out.fill_dirt();
        gather(gpu, view, at, out);
        auto got = out.read();
        for (std::size_t i = 0; i < n; ++i)
          same &= order[i] < there ? got[i] == items[order[i]] : test::is_dirt(got[i]);
        out.fill_dirt();
        scatter(gpu, counted{view, length.data()}, std::span(at).first(there), out);
        got = out.read();
        for (std::size_t i = 0; i < there; ++i)
          same &= i < moved ? got[order[i]] == items[i] : test::is_dirt(got[order[i]]);
        out.fill_dirt();
        gather(gpu, range, transformed{view, within{modulus}}, std::span(out).first(there), outside.data());
        got = out.read();
        u64 left_out = 0;
        for (std::size_t i = 0; i < there; ++i) {
          const std::int64_t place = within{modulus}(items[i]);
          const bool is_inside = place >= 0 && place < static_cast<std::int64_t>(n);
          left_out += is_inside ? 0 : 1;
          same &= is_inside ? got[i] == items_of_range[static_cast<std::size_t>(place)] : test::is_dirt(got[i]);
        }
        CHECK(same);
        CHECK(outside.read()[0] == left_out);
      });
    });
}

}  // namespace algorithms_gather
