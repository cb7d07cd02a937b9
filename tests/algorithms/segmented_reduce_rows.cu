// SPDX-License-Identifier: Apache-2.0
// segmented_reduce by rows of one length against a loop: each kernel of rows, at any address, a last
// row that is short, rows that are longer than any memory.
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_reduce.hpp"

#include <algorithm>

using namespace ballot;

namespace algorithms_segmented_reduce_rows {

using namespace ballot::test::reductions_of_segments;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T, class V, class Op>
void check_rows(std::size_t n, u64 items, T initial, Op op) {
  CAPTURE(n);
  CAPTURE(items);
  const auto values = test::random_items<V>(n, 1);
  std::vector<T> want;
  for (std::size_t i = 0; i < n; i += items)
    want.push_back(reduce_of(values, i, std::min<u64>(n, i + items), initial, op));
  test::for_schedules_by_size(n, [&] {
    const test::guarded<V> in(values, 1);
    test::guarded<T> out(want.size());
    out.fill_dirt();
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<T>(n));
    segmented_reduce(scratch.where(), in, row_length(items), initial, op, out);
    CHECK(same_bits(out.read(), want));
    scratch.check_guards();
  });
}
// Rows of each kind that launch_rows knows, at any address, the last one short, of fewer items than
// the capacity.
template <class T, class V, class Op>
void check_rows_of_length(std::size_t n, std::size_t there, u64 items, T initial, Op op) {
  const auto values = test::random_items<V>(n, static_cast<unsigned>(items));
  std::vector<T> want;
  for (std::size_t at = 0; at < there; at += items)
    want.push_back(reduce_of(values, at, std::min<std::size_t>(there, at + items), initial, op));
  const std::size_t room = (n + items - 1) / items;
  CAPTURE(n);
  CAPTURE(there);
  CAPTURE(items);
  test::for_some_schedules([&] {
    for (const std::size_t shift : {0, 1, 2, 3}) {
      const test::guarded<V> in(values, shift);
      const test::guarded<u64> length(std::vector<u64>{there});
      test::guarded<T> out(room, shift % 2);
      out.fill_dirt();
      const test::exact_scratch scratch(segmented_reduce_scratch_bytes<T>(n));
      const auto check_out = [&] {
        const auto got = out.read();
        CHECK(same_bits(std::vector<T>(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(want.size())), want));
        for (std::size_t i = want.size(); i < room; ++i) CHECK(test::is_dirt(got[i]));
      };
      if (shift == 1 && there == n) segmented_reduce(scratch.where(), in, row_length(items), initial, op, out);
      else segmented_reduce(scratch.where(), counted{in, length.data()}, row_length(items), initial, op, out);
      check_out();
      // As if there were many.
      out.fill_dirt();
      if (detail::launch_rows<device::items_as<T>>(scratch.where().stream(),
                                                   detail::as_input(counted{in, length.data()}), items,
                                                   detail::as_operator<T>(op), initial, room, out.data(), "test", 0))
        check_out();
    }
  });
}

// Of a row: which of its items are in a sum.
struct items_of_row {
  u64 row, items;
};
constexpr u64 no_row = ~u64{0};
// Fails the kernel where a sum of another row is added, or one for the second time.
struct join_rows {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const {
    if (a.row == no_row) return b;  // the initial value
    if (a.row != b.row || (a.items & b.items) != 0) simt::trap();
    return {a.row, a.items | b.items};
  }
};

}  // namespace algorithms_segmented_reduce_rows

template <>
inline constexpr bool ballot::is_commutative<algorithms_segmented_reduce_rows::join_rows,
                                             algorithms_segmented_reduce_rows::items_of_row> = true;

namespace algorithms_segmented_reduce_rows {

TEST_CASE("segmented_reduce: operands are sums of items of one row") {
  for (const std::size_t items : {3, 8, 31, 32, 33, 63, 64})
    for (const std::size_t rows : {std::size_t{7}, 2'100 / items}) {
      CAPTURE(items);
      CAPTURE(rows);
      std::vector<items_of_row> all(rows * items);
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = {i / items, u64{1} << i % items};
      all.pop_back();  // the last row is shorter
      test::for_some_schedules([&] {
        const test::guarded<items_of_row> in(all);
        test::guarded<items_of_row> out(rows);
        segmented_reduce(allocating(test::test_stream()), in, row_length(items), items_of_row{no_row, 0}, join_rows{},
                         out);
        const auto got = out.read();
        bool same = true;
        for (std::size_t r = 0; r < rows; ++r) {
          const std::size_t there = items - (r + 1 == rows ? 1 : 0);
          same &= got[r].row == r && got[r].items == ~u64{0} >> (64 - there);
        }
        CHECK(same);
      });
    }
}

TEST_CASE("segmented_reduce: rows of many lengths") {
  for (const u64 items : {1, 2, 3, 4, 5, 8, 15, 16, 31, 33, 64, 100, 127, 128, 252}) {
    const std::size_t of_block = items < 64 ? 256 * 8 * items + 1 : 20 * items + 7;
    check_rows_of_length<u32, u32>(of_block, of_block, items, 7u, plus{});
    check_rows_of_length<u32, u32>(of_block + 3 * items, of_block, items, ~0u, minimum{});
  }
  for (const u64 items :
       {255, 256, 257, 333, 516, 600, 700, 1'023, 1'024, 4'095, 4'096, 4'097, 8'191, 8'192, 8'196, 9'000}) {
    check_rows_of_length<u64, u32>(2 * items + 5, 2 * items + 5, items, u64{3}, plus{});
    check_rows_of_length<u32, std::uint8_t>(3 * items, 2 * items + 1, items, ~0u, minimum{});
  }
  for (const u64 items : {256, 260, 1'024, 2'048}) {
    check_rows_of_length<u32, u32>(1'025 * items, 1'025 * items, items, 0u, plus{});  // too many rows for blocks
    check_rows_of_length<u64, u64>(64 * items, 64 * items, items, u64{0}, plus{});
  }
  for (const u64 items : {61, 255, 257, 301, 340, 513})  // of 8 bytes, and no whole vectors
    for (const u64 rows : {3, 1'030})
      check_rows_of_length<u64, u64>(rows * items - 1, rows * items - 1, items, u64{0}, plus{});
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}})
    for (const u64 items : {3, 8, 5'000}) check_rows_of_length<u32, u32>(9 * items, n, items, 0u, plus{});
  for (const u64 items : {5, 12, 300, 700})  // fewer vectors than lanes
    check_rows_of_length<u32, u32>(5 * items, 5 * items, items, ~0u, minimum{});
  check_rows_of_length<float, float>(4'000, 4'000, 16, 0.0f, maximum{});
}

TEST_CASE("segmented_reduce: rows") {
  for (const u64 items : {1, 2, 9, 32, 100, 257, 3000, 10'000}) check_rows<u64, u32>(10'000, items, u64{5}, plus{});
  check_rows<u32, u32>(10'001, 10'000, 0u, maximum{});
  check_rows<u32, std::uint16_t>(300'000, 100'000, 0u, plus{});
  check_rows<u32, u32>(5, ~u64{0}, 0u, plus{});
}

// One row, whose items take more bytes than a number counts.
TEST_CASE("segmented_reduce: rows that are longer than any memory") {
  for (const u64 items : {u64{1} << 61, u64{1} << 62, (u64{1} << 62) + 4, u64{1} << 63, ~u64{0}})
    for (const std::size_t n : {1, 1000, 50'003}) {
      check_rows<u32, u32>(n, items, 3u, plus{});
      check_rows<u64, u64>(n, items, u64{3}, plus{});
    }
}

}  // namespace algorithms_segmented_reduce_rows
