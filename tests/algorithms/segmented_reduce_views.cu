// SPDX-License-Identifier: Apache-2.0
// segmented_reduce and segmented_arg_min of each kind of view against a loop: each way to reduce
// segments, rows of each length that has its own kernel, head flags. Also floats of views, whose
// sums have the bits of those in memory.
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace ballot;

namespace algorithms_segmented_reduce_views {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Begins of segments of these lengths, in turn, up to n items.
std::vector<u32> begins_of(std::size_t n, const std::vector<u32>& lengths) {
  std::vector<u32> begins{0};
  for (std::size_t i = 0; begins.back() < n; ++i)
    begins.push_back(static_cast<u32>(std::min<std::size_t>(n, begins.back() + lengths[i % lengths.size()])));
  return begins;
}
std::size_t at_most(u32 begin, std::size_t n) { return std::min<std::size_t>(begin, n); }

template <class T, class V, class Op>
std::vector<T> reduced(const std::vector<V>& items, const std::vector<u32>& begins, std::size_t there, T initial,
                       Op op) {
  std::vector<T> all;
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    T sum = initial;
    for (std::size_t i = at_most(begins[s], there); i < at_most(begins[s + 1], there); ++i)
      sum = op(sum, static_cast<T>(items[i]));
    all.push_back(sum);
  }
  return all;
}
std::vector<u64> least_of(const std::vector<u32>& items, const std::vector<u32>& begins) {
  std::vector<u64> all;
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    const auto begin = items.begin() + begins[s], end = items.begin() + begins[s + 1];
    all.push_back(begin == end ? no_index : static_cast<u64>(std::min_element(begin, end) - items.begin()));
  }
  return all;
}
bool has_indices(const std::vector<indexed<u32>>& found, const std::vector<u64>& indices) {
  bool same = found.size() >= indices.size();
  for (std::size_t i = 0; same && i < indices.size(); ++i) same = found[i].index == indices[i];
  return same;
}

struct affine {
  u32 a, b;
};
bool operator==(const affine& f, const affine& g) { return f.a == g.a && f.b == g.b; }
struct compose {  // does not commute
  BALLOT_HOST_DEVICE affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
struct as_affine {
  __host__ __device__ affine operator()(u32 x) const { return {2 * x + 1, x >> 3}; }
};

// By offsets, as the call chooses, with lengths on the device, and in each other way.
TEST_CASE("segmented_reduce: each kind of view, by offsets") {
  using enum detail::segment_form;
  const std::size_t n = detail::most_items_without_blocks + 4000;
  const auto begins = begins_of(n, {0, 1, 33, 512, 700, 4097, 64, 9000, 3});
  test::for_each_view(n, 1, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
    CAPTURE(name);
    const std::size_t there = items.size() / 2, segments = begins.size() - 1;
    const auto clipped = [&](u32 begin) { return static_cast<u32>(at_most(begin, items.size())); };
    auto of_items = begins;
    for (u32& begin : of_items) begin = clipped(begin);
    const auto sums = reduced(items, begins, items.size(), u64{7}, plus{}),
               front = reduced(items, begins, there, u64{7}, plus{});
    const auto least = least_of(items, of_items);
    std::vector<affine> maps;
    for (const u32 x : items) maps.push_back(as_affine{}(x));
    const auto composed = reduced(maps, begins, items.size(), affine{3, 4}, compose{});
    test::for_schedules_by_size(n, [&] {
      const test::guarded<u32> offsets(begins);
      const test::guarded<u64> length(std::vector<u64>{there});
      test::guarded<u64> out(segments);
      test::guarded<affine> maps_out(segments);
      test::guarded<indexed<u32>> found(segments);
      const test::exact_scratch scratch(segmented_reduce_scratch_bytes<u64>(items.size())),
          of_arg(segmented_reduce_scratch_bytes<indexed<u32>>(items.size()));
      test::directly_and_captured(
          [&] { out.fill_dirt(); },
          [&] { segmented_reduce(scratch.where(), view, segment_offsets{offsets}, u64{7}, plus{}, out); },
          [&] { CHECK(out.read() == sums); });
      segmented_reduce(scratch.where(), counted{view, length.data()}, segment_offsets{offsets}, u64{7}, out);
      CHECK(out.read() == front);
      segmented_reduce(scratch.where(), transformed{view, as_affine{}}, segment_offsets{offsets}, affine{3, 4},
                       compose{}, maps_out);
      CHECK(maps_out.read() == composed);
      segmented_arg_min(of_arg.where(), view, segment_offsets{offsets}, found);
      CHECK(has_indices(found.read(), least));
      const detail::scratch_lease lease(scratch.where(), detail::segmented_reduce_bytes<u64>(items.size()), "test");
      for (const detail::segment_plan plan : {detail::segment_plan{group, 1, false},
                                              {group, 8, false},
                                              {block, 128, false},
                                              {block, 256, false},
                                              {block, 512, false},
                                              {blocks, 3, false}}) {
        if (plan.form == blocks && items.size() <= detail::most_items_without_blocks) continue;
        CAPTURE(static_cast<int>(plan.form));
        CAPTURE(plan.size);
        out.fill_dirt();
        detail::launch_segmented_reduce<device::items_as<u64>>(
            test::test_stream(), lease.base(), detail::as_input(view),
            detail::segments_by_offsets<u32>{offsets.data(), detail::length{begins.size()}}, segments, u64{7}, plus{},
            detail::as_output(out), "test", &plan);
        CHECK(out.read() == sums);
      }
      scratch.check_guards();
    });
  });
}

TEST_CASE("segmented_reduce: long segments of a view in parts") {
  const std::size_t n = detail::most_items_without_parts + 20'001;
  const auto numbers = test::random_items<u32>(n, 4);
  auto begins = begins_of(n / 2, {1, 2, 20});
  begins.push_back(static_cast<u32>(n));
  std::vector<u32> items(numbers.rbegin(), numbers.rend());
  for (u32& item : items) item = test::thrice_and_one{}(item);
  const auto sums = reduced(items, begins, n, u64{0}, plus{});
  test::for_schedules_by_size(n, [&] {
    const test::guarded<u32> in(numbers), offsets(begins);
    test::guarded<u64> out(sums.size());
    const test::exact_scratch scratch(segmented_reduce_scratch_bytes<u64>(n));
    segmented_reduce(scratch.where(), transformed{reversed{in}, test::thrice_and_one{}}, segment_offsets{offsets}, out);
    CHECK(out.read() == sums);
  });
}

// Rows of a view, at any address of its arrays, the last one short; as if there were few rows, and
// many.
template <class View, class Op>
void check_rows(const View& view, const std::vector<u32>& items, u64 row, u32 initial, Op op) {
  CAPTURE(row);
  const std::size_t n = items.size(), rows = (n + row - 1) / row;
  std::vector<u32> begins;
  for (std::size_t at = 0; at < n + row; at += row) begins.push_back(static_cast<u32>(std::min<std::size_t>(at, n)));
  begins.resize(rows + 1);
  const auto want = reduced(items, begins, n, initial, op);
  const test::guarded<u64> length(std::vector<u64>{n});
  test::guarded<u32> out(rows);
  const test::exact_scratch scratch(segmented_reduce_scratch_bytes<u32>(n));
  segmented_reduce(scratch.where(), view, row_length(row), initial, op, out);
  CHECK(out.read() == want);
  for (const u64 most_of_few : {u64{0}, ~u64{0}}) {
    out.fill_dirt();
    if (detail::launch_rows<device::items_as<u32>>(test::test_stream(), detail::as_input(counted{view, length.data()}),
                                                   row, detail::as_operator<u32>(op), initial, rows, out.data(), "test",
                                                   most_of_few))
      CHECK(out.read() == want);
  }
}
TEST_CASE("segmented_reduce: each kind of view, by rows") {
  for (const std::size_t shift : {0, 1})
    for (const u64 row : {1, 2, 3, 4, 5, 8, 15, 31, 32, 100, 252, 257, 1'024, 2'500, 8'196}) {
      const std::size_t n = row < 64 ? 256 * 2 * row + 1 : 3 * row + 7;
      test::for_each_view(n, shift, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
        CAPTURE(name);
        test::for_some_schedules([&] { check_rows(view, items, row, 7u, plus{}); });
      });
    }
}
TEST_CASE("segmented_reduce: rows of a view by several blocks, and by an operator that does not commute") {
  const std::size_t n = detail::most_items_without_blocks + 5000;
  const auto numbers = test::random_items<u32>(n, 4);
  for (const std::size_t shift : {0, 1})
    test::for_schedules_by_size(n, [&] {
      const test::guarded<u32> in(numbers, shift);
      test::guarded<u32> sum(1);
      const std::vector<u32> all{0, static_cast<u32>(n)};
      std::vector<u32> items;
      std::vector<affine> maps;
      for (const u32 x : numbers) items.push_back(test::thrice_and_one{}(x)), maps.push_back(as_affine{}(x));
      const test::exact_scratch scratch(segmented_reduce_scratch_bytes<affine>(n));
      segmented_reduce(scratch.where(), transformed{in, test::thrice_and_one{}}, row_length(n), sum);
      CHECK(sum.read() == reduced(items, all, n, 0u, plus{}));
      for (const u64 row : {u64{40}, u64{900}, u64{n}}) {
        const auto begins = begins_of(n, {static_cast<u32>(row)});
        test::guarded<affine> out(begins.size() - 1);
        segmented_reduce(scratch.where(), transformed{in, as_affine{}}, row_length(row), affine{3, 4}, compose{}, out);
        CHECK(out.read() == reduced(maps, begins, n, affine{3, 4}, compose{}));
      }
    });
}

TEST_CASE("segmented_reduce: each kind of view, by head flags") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{700}, std::size_t{20'001}})
    test::for_each_view(n, 1, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
      CAPTURE(name);
      CAPTURE(n);
      const auto begins = begins_of(items.size(), {1, 5, 3000, 40});
      std::vector<std::uint8_t> heads(items.size());
      std::vector<u32> bits((items.size() + 31) / 32);
      for (std::size_t s = 0; s + 1 < begins.size(); ++s)
        heads[begins[s]] = 1, bits[begins[s] / 32] |= 1u << begins[s] % 32;
      const auto sums = reduced(items, begins, items.size(), u64{9}, plus{});
      const auto least = least_of(items, begins);
      test::for_some_schedules([&] {
        const test::guarded<std::uint8_t> bytes(heads, 1);
        const test::guarded<u32> words(bits);
        const test::guarded<u64> length(std::vector<u64>{items.size()});
        test::guarded<u64> out(sums.size()), count(1);
        test::guarded<indexed<u32>> found(sums.size());
        const test::exact_scratch scratch(segmented_reduce_by_flags_scratch_bytes<u64>(items.size())),
            of_arg(segmented_reduce_by_flags_scratch_bytes<indexed<u32>>(items.size()));
        segmented_reduce(scratch.where(), view, byte_flags{bytes}, u64{9}, plus{}, out, count.data());
        CHECK(count.read()[0] == sums.size());
        CHECK(out.read() == sums);
        out.fill_dirt();
        segmented_reduce(scratch.where(), counted{view, length.data()}, bit_flags{words}, u64{9}, out, count.data());
        CHECK(out.read() == sums);
        count.fill_dirt();
        segmented_arg_min(of_arg.where(), view, bit_flags{words}, found, count.data());
        CHECK(count.read()[0] == sums.size());
        CHECK(has_indices(found.read(), least));
      });
    });
}

struct as_float {
  // One rounding, so that host and device agree: a product and a difference may become one
  // operation on the device.
  __host__ __device__ float operator()(u32 x) const { return static_cast<float>(x) * 0x1p-10f; }
};
// The association depends on the lengths and the types, not on where items come from.
TEST_CASE("segmented_reduce: sums of floats of a view have the bits of those in memory") {
  const std::size_t n = 100'000;
  const auto numbers = test::random_items<u32>(n, 3);
  std::vector<float> floats;
  for (const u32 x : numbers) floats.push_back(as_float{}(x));
  const std::vector<u32> begins{0, 10, 5000, 60'000, static_cast<u32>(n)};
  test::for_schedules_by_size(n, [&] {
    const test::guarded<u32> numbers_in(numbers, 1), offsets(begins);
    const test::guarded<float> in(floats);
    const transformed view{numbers_in, as_float{}};
    const exec gpu = allocating(test::test_stream());
    const auto same_bits = [](const test::guarded<float>& a, const test::guarded<float>& b) {
      return std::memcmp(a.read().data(), b.read().data(), a.read().size() * sizeof(float)) == 0;
    };
    test::guarded<float> out(4), of_view(4);
    segmented_reduce(gpu, in, segment_offsets{offsets}, out);
    segmented_reduce(gpu, view, segment_offsets{offsets}, of_view);
    CHECK(same_bits(out, of_view));
    for (const u64 row : {5, 16, 100, 1'024, 50'000}) {
      test::guarded<float> rows((n + row - 1) / row), rows_of_view((n + row - 1) / row);
      segmented_reduce(gpu, in, row_length(row), rows);
      segmented_reduce(gpu, view, row_length(row), rows_of_view);
      CHECK(same_bits(rows, rows_of_view));
    }
  });
}

}  // namespace algorithms_segmented_reduce_views
