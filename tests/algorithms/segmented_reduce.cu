// SPDX-License-Identifier: Apache-2.0
// segmented_reduce against a loop: lengths of segments, empty ones, offsets that do not ascend,
// rows, head flags, operators that do not commute, arg_min and arg_max, results of up to 32 bytes.
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace ballot;

namespace algorithms_segmented_reduce {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class T, class V, class Op>
T reduce_of(const std::vector<V>& in, std::size_t begin, std::size_t end, T initial, Op op) {
  T sum = initial;
  for (std::size_t i = begin; i < end; ++i) sum = static_cast<T>(op(sum, static_cast<T>(in[i])));
  return sum;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// There are `items` of the input and `entries` of the offsets, which may be fewer than their
// capacities.
template <class T, class V, class Offset, class Op = plus>
void check(const std::vector<V>& values, const std::vector<Offset>& offsets, std::size_t items, std::size_t entries,
           T initial = {}, Op op = {}) {
  const std::size_t n = values.size(), room = offsets.size() - 1;
  CAPTURE(n);
  CAPTURE(room);
  std::vector<T> want;
  for (std::size_t s = 0; s + 1 < entries; ++s) {
    const auto at = [&](std::size_t i) { return std::min<u64>(static_cast<u64>(offsets[i]), items); };
    want.push_back(reduce_of(values, at(s), at(s + 1), initial, op));
  }
  test::for_schedules_by_size(n, [&] {
    const test::guarded<V> in(values, n % 3);
    const test::guarded<Offset> begins(offsets, 1);
    test::guarded<T> out(room, n % 2);
    test::guarded<u64> length(std::vector<u64>{items, entries});
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<T>(n));
    test::directly_and_captured([&] { out.fill_dirt(); },
                                [&] {
                                  if (items == n && entries == offsets.size())
                                    segmented_reduce(scratch.where(), in, segment_offsets{begins}, initial, op, out);
                                  else
                                    segmented_reduce(scratch.where(), counted{in, length.data()},
                                                     segment_offsets{counted{begins, length.data() + 1}}, initial, op,
                                                     out);
                                },
                                [&] {
                                  const std::vector<T> got = out.read();
                                  bool same = true, clean = true;
                                  for (std::size_t s = 0; s < room; ++s) {
                                    if (s < want.size()) same &= std::memcmp(&got[s], &want[s], sizeof(T)) == 0;
                                    else clean &= test::is_dirt(got[s]);
                                  }
                                  CHECK(same);
                                  CHECK(clean);
                                });
    scratch.check_guards();
  });
}

// Offsets of segments whose lengths are drawn from `lengths`, up to n items.
template <class Offset>
std::vector<Offset> offsets_of(std::size_t n, const std::vector<u32>& lengths, u32 seed) {
  std::vector<Offset> offsets{0};
  const auto random = test::random_items<u32>(1000, seed);
  for (std::size_t i = 0; static_cast<std::size_t>(offsets.back()) < n; ++i)
    offsets.push_back(static_cast<Offset>(std::min<std::size_t>(
        n, static_cast<std::size_t>(offsets.back()) + lengths[random[i % 1000] % lengths.size()])));
  return offsets;
}

TEST_CASE("segmented_reduce: lengths of segments") {
  const std::vector<std::vector<u32>> mixes = {
      {1},        {0, 1, 2},       {5, 9, 0},    {16, 40, 3},     {31, 32, 33, 64},
      {100, 130}, {511, 513, 200}, {1, 3000, 0}, {4096, 4097, 1}, {9000}};
  for (const auto& lengths : mixes) {
    const std::size_t n = 20'000;
    check<u32>(test::random_items<u32>(n, 1), offsets_of<u32>(n, lengths, 2), n, offsets_of<u32>(n, lengths, 2).size());
    // Sums that the hardware does not reduce.
    check<u64>(test::random_items<u32>(n, 1), offsets_of<u32>(n, lengths, 2), n, offsets_of<u32>(n, lengths, 2).size());
  }
  check<u64>(test::random_items<u32>(1, 1), std::vector<u32>{0, 1}, 1, 2);
}

// The operands of bytes are added as int.
struct promoting_plus {
  BALLOT_HOST_DEVICE int operator()(std::uint8_t a, std::uint8_t b) const { return a + b; }
};
TEST_CASE("segmented_reduce: an operator that gives another type") {
  const std::size_t n = 9'000;
  for (const std::vector<u32>& lengths : {std::vector<u32>{0, 1, 2}, {5, 40, 3000}}) {
    const auto offsets = offsets_of<u32>(n, lengths, 2);
    check<std::uint8_t>(test::random_items<std::uint8_t>(n, 1), offsets, n, offsets.size(), 0, promoting_plus{});
  }
}

struct affine {
  u32 a, b;
};
struct compose {  // does not commute
  BALLOT_HOST_DEVICE affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
template <class T>
std::vector<T> as_items(const std::vector<u32>& random) {
  std::vector<T> items(random.size() * sizeof(u32) / sizeof(T));
  std::memcpy(static_cast<void*>(items.data()), random.data(), items.size() * sizeof(T));
  return items;
}
TEST_CASE("segmented_reduce: an operator that does not commute, in order") {
  for (const std::size_t n : {1, 33, 30'000, 300'007}) {
    const auto values = as_items<affine>(test::random_items<u32>(2 * n, 8));
    for (const std::vector<u32>& lengths :
         {std::vector<u32>{0, 7, 20}, {100, 1, 63}, {900, 2049, 0}, {5000, 1}, {1'000'000}}) {
      const auto offsets = offsets_of<std::int32_t>(n, lengths, 5);
      check<affine>(values, offsets, n, offsets.size(), affine{3, 4}, compose{});
    }
  }
}

struct last {  // does not commute
  template <class T>
  BALLOT_HOST_DEVICE T operator()(const T&, const T& b) const {
    return b;
  }
};

// Each way to reduce segments, whatever their lengths are. The results depend on the way alone, not
// on timing.
template <class T, class V, class Op>
void check_plan(const std::vector<V>& values, const std::vector<u32>& offsets, detail::segment_plan plan, Op op) {
  const std::size_t n = values.size(), segments = offsets.size() - 1;
  CAPTURE(static_cast<int>(plan.form));
  CAPTURE(plan.size);
  CAPTURE(segments);
  std::vector<T> want;
  for (std::size_t s = 0; s < segments; ++s)
    want.push_back(reduce_of(values, std::min<std::size_t>(offsets[s], n), std::min<std::size_t>(offsets[s + 1], n),
                             static_cast<T>(values[1]), op));
  test::for_schedules_by_size(n, [&] {
    const test::guarded<V> in(values, 1);
    const test::guarded<u32> begins(offsets);
    test::guarded<T> out(segments);
    out.fill_dirt();
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<T>(n));
    const exec gpu = scratch.where();
    const detail::scratch_lease lease(gpu, detail::segmented_reduce_bytes<T>(n), "test");
    detail::launch_segmented_reduce<device::items_as<T>>(
        gpu.stream(), lease.base(), detail::as_input(in),
        detail::segments_by_offsets<u32>{begins.data(), detail::length{offsets.size()}}, segments,
        static_cast<T>(values[1]), op, detail::as_output(out), "test", &plan);
    CHECK(same_bits(out.read(), want));
    scratch.check_guards();
  });
}
TEST_CASE("segmented_reduce: each way to reduce, of any lengths") {
  using enum detail::segment_form;
  const std::size_t n = detail::most_items_without_blocks + 8000;
  const auto numbers = test::random_items<u32>(n, 6);
  const auto maps = as_items<affine>(test::random_items<u32>(2 * n, 8));
  std::vector<std::vector<u32>> mixes = {
      {0, 0, 1, 1, 33, 34, 546, 1059, 4096 + 1059, 2 * 4096 + 1060, 2 * 4096 + 1060, static_cast<u32>(n)},
      {static_cast<u32>(n), 50, 7, 40'000, 1, 900'000, 35'000}};  // over each other
  mixes.push_back(offsets_of<u32>(n, {0, 1, 31, 32, 33, 127, 128, 129, 1000, 4100}, 7));
  for (const auto& offsets : mixes)
    for (const detail::segment_plan plan : {detail::segment_plan{group, 1, false},
                                            {group, 4, false},
                                            {group, 32, false},
                                            {block, 128, false},
                                            {block, 256, false},
                                            {block, 512, false},
                                            {blocks, 1, false},
                                            {blocks, 3, false},
                                            {blocks, 8, false}}) {
      if (plan.form == blocks && plan.size * (offsets.size() - 1) > detail::most_segment_results) continue;
      check_plan<u32>(numbers, offsets, plan, plus{});
      check_plan<u64>(numbers, offsets, plan, minimum{});
      check_plan<affine>(maps, offsets, plan, compose{});
    }
}

TEST_CASE("segmented_reduce: long segments in parts, beside short ones") {
  using enum detail::segment_form;
  const std::size_t n = detail::most_items_without_list + 70'001;
  const auto values = test::random_items<std::uint8_t>(n, 3);
  // So many long segments, over each other, that the list of parts is full, and that its last
  // entries are no parts.
  std::vector<u32> again;
  for (int i = 0; i < 9; ++i) again.push_back(0), again.push_back(static_cast<u32>(n - 2 * 8192));
  const std::vector<std::vector<u32>> mixes = {{0, static_cast<u32>(n)},
                                               {0, 3, 3, 100'000, 100'001, 150'000, static_cast<u32>(n)},
                                               offsets_of<u32>(n, {20, 8192, 8193, 1, 0, 30'000}, 3),
                                               again};
  for (const auto& offsets : mixes)
    for (const detail::segment_plan plan :
         {detail::segment_plan{group, 1, true}, {group, 32, true}, {block, 128, true}, {block, 512, true}}) {
      check_plan<u32>(values, offsets, plan, plus{});
      if (plan.size == 32 || plan.size == 128) check_plan<u64>(values, offsets, plan, last{});
    }
  // As the call chooses: many short segments and a long one.
  auto offsets = offsets_of<u32>(n / 2, {1, 2, 20}, 3);
  offsets.push_back(static_cast<u32>(n));
  check<u32>(values, offsets, n, offsets.size());
}

TEST_CASE("segmented_reduce: lengths on the device; offsets that do not ascend or lie outside") {
  const std::size_t n = 5000;
  const auto values = test::random_items<u32>(n, 4);
  const auto offsets = offsets_of<u64>(n, {10, 3, 0, 500}, 1);
  check<u64>(values, offsets, 4000, offsets.size() - 3, u64{7}, plus{});
  check<u32>(values, offsets, 0, offsets.size());
  check<u32>(values, offsets, n, 1);
  check<u32>(values, offsets, n, 0);
  check<u32>(values, std::vector<std::int32_t>{100, 50, -1, 7, 9999, 5000, 4990, 4999}, n, 8, 5u, bit_xor{});
}

struct four {
  u64 x[4];
};
struct add_and_turn {
  BALLOT_HOST_DEVICE four operator()(const four& a, const four& b) const {
    return {{a.x[0] * b.x[0], b.x[0] * a.x[1] + b.x[1], a.x[2] + b.x[2], b.x[3]}};
  }
};
TEST_CASE("segmented_reduce: results of 32 bytes") {
  const std::size_t n = 4001;
  const auto values = as_items<four>(test::random_items<u32>(8 * n, 5));
  const auto offsets = offsets_of<u32>(n, {2, 300, 0, 1100}, 6);
  check<four>(values, offsets, n, offsets.size(), four{{1, 2, 3, 4}}, add_and_turn{});
}

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

}  // namespace algorithms_segmented_reduce

template <>
inline constexpr bool
    ballot::is_commutative<algorithms_segmented_reduce::join_rows, algorithms_segmented_reduce::items_of_row> = true;

namespace algorithms_segmented_reduce {

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

template <class Flags>
void check_flags(std::size_t n, u32 one_in, std::size_t room) {
  CAPTURE(n);
  CAPTURE(one_in);
  const auto values = test::random_items<u32>(n, 1), random = test::random_items<u32>(n, 2);
  std::vector<std::uint8_t> bytes(n);
  std::vector<u32> words((n + 31) / 32);
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < n; ++i) {
    bytes[i] = random[i] % one_in == 0;
    if (bytes[i] != 0) words[i / 32] |= 1u << (i % 32);
    if (bytes[i] != 0 || i == 0) begins.push_back(i);
  }
  std::vector<u64> want;
  std::vector<indexed<u32>> first;
  for (std::size_t s = 0; s < begins.size(); ++s) {
    const std::size_t end = s + 1 < begins.size() ? begins[s + 1] : n;
    want.push_back(reduce_of(values, begins[s], end, u64{9}, plus{}));
    const auto least = std::min_element(values.begin() + static_cast<std::ptrdiff_t>(begins[s]),
                                        values.begin() + static_cast<std::ptrdiff_t>(end));
    first.push_back({static_cast<u64>(least - values.begin()), *least});
  }
  test::for_schedules_by_size(n, [&] {
    const test::guarded<u32> in(values), bits(words);
    const test::guarded<std::uint8_t> flags(bytes, 1);
    test::guarded<u64> out(std::min(room, n)), count(1);
    test::guarded<indexed<u32>> least(n);
    out.fill_dirt(), count.fill_dirt();
    const test::exact_scratch scratch(segmented_reduce_by_flags_scratch_bytes<u64>(n)),
        of_arg(segmented_reduce_by_flags_scratch_bytes<indexed<u32>>(n));
    const auto segments = [&] {
      if constexpr (std::is_same_v<Flags, byte_flags>) return byte_flags{flags};
      else return bit_flags{bits};
    }();
    segmented_reduce(scratch.where(), in, segments, u64{9}, plus{}, out, count.data());
    CHECK(count.read()[0] == want.size());
    std::vector<u64> front = want;
    front.resize(std::min(front.size(), out.read().size()));
    std::vector<u64> got = out.read();
    got.resize(front.size());
    CHECK(got == front);
    segmented_arg_min(of_arg.where(), in, segments, least, count.data());
    const auto found = least.read();
    bool same = count.read()[0] == first.size();
    for (std::size_t s = 0; s < first.size(); ++s)
      same &= found[s].index == first[s].index && found[s].value == first[s].value;
    CHECK(same);
    scratch.check_guards();
  });
}

// One row, whose items take more bytes than a number counts.
TEST_CASE("segmented_reduce: rows that are longer than any memory") {
  for (const u64 items : {u64{1} << 61, u64{1} << 62, (u64{1} << 62) + 4, u64{1} << 63, ~u64{0}})
    for (const std::size_t n : {1, 1000, 50'003}) {
      check_rows<u32, u32>(n, items, 3u, plus{});
      check_rows<u64, u64>(n, items, u64{3}, plus{});
    }
}

TEST_CASE("segmented_reduce: by head flags") {
  for (const std::size_t n : {1, 32, 1000, 20'000, 50'003})
    for (const u32 one_in : {1u, 5u, 3000u, 10'000'000u}) {
      check_flags<byte_flags>(n, one_in, n);
      check_flags<bit_flags>(n, one_in, 17);
    }
}

TEST_CASE("segmented_arg_min, segmented_arg_max: the first of equal items, NaNs last, empty segments") {
  std::vector<float> values(3000);
  const auto random = test::random_items<u32>(values.size(), 3);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = random[i] % 9 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(random[i] % 50);
  const std::vector<u32> offsets{0, 0, 1, 7, 40, 41, 41, 900, 901, 3000};
  const test::guarded<float> in(values);
  const test::guarded<u32> begins(offsets);
  const auto check_arg = [&](auto better, const std::vector<indexed<float>>& got, u64 row) {
    bool same = true;
    for (std::size_t s = 0; s < got.size(); ++s) {
      const u64 begin = row != 0 ? s * row : offsets[s],
                end = row != 0 ? std::min<u64>(begin + row, 3000) : offsets[s + 1];
      u64 best = begin;
      for (u64 i = begin; i < end; ++i)
        if (better(values[i], values[best]) || (std::isnan(values[best]) && !std::isnan(values[i]))) best = i;
      if (begin == end) best = no_index;
      same &= got[s].index == best;
    }
    CHECK(same);
  };
  test::for_each_schedule([&] {
    test::guarded<indexed<float>> out(9), of_rows(30);
    const exec gpu = allocating(test::test_stream());
    segmented_arg_min(gpu, in, segment_offsets{begins}, out);
    check_arg([](float a, float b) { return a < b; }, out.read(), 0);
    segmented_arg_max(gpu, in, segment_offsets{begins}, out);
    check_arg([](float a, float b) { return a > b; }, out.read(), 0);
    segmented_arg_max(gpu, in, row_length(100), of_rows);
    check_arg([](float a, float b) { return a > b; }, of_rows.read(), 100);
  });
}

TEST_CASE("segmented_reduce: sums of floats have the same bits on every run") {
  const std::size_t n = 400'000;
  std::vector<float> items(n);
  const auto random = test::random_items<u32>(n, 3);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<float>(random[i]) * 1e-3f - 1e6f;
  const test::guarded<float> in(items);
  const test::guarded<u32> begins(std::vector<u32>{0, 10, 5000, 300'000, static_cast<u32>(n)});
  test::guarded<float> out(4);
  std::vector<float> first;
  test::for_each_schedule([&] {
    segmented_reduce(allocating(test::test_stream()), in, segment_offsets{begins}, out);
    if (first.empty()) first = out.read();
    CHECK(same_bits(out.read(), first));
  });
}

}  // namespace algorithms_segmented_reduce
