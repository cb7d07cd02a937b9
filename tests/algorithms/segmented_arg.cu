// SPDX-License-Identifier: Apache-2.0
// segmented_arg_min and segmented_arg_max: NaNs and equal items; into output views, and by a comparison of the caller's,
// against a loop: by offsets, rows of each length that has its own kernel, head flags.
#include <ballot/outputs.cuh>
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ballot;
using test::guarded;
using test::refused;

namespace algorithms_segmented_arg {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct index_of {
  template <class T>
  __host__ __device__ u64 operator()(const indexed<T>& found) const {
    return found.index;
  }
};
// Not callable as const: each call is made on a fresh copy.
struct index_and_one {
  u64 one = 1;
  __host__ __device__ u64 operator()(const indexed<u32>& found) { return found.index + one++; }
};

// An item without `<`, and an order of its first member alone.
struct spot {
  u32 height, id;
};
struct is_lower {
  u32 mask;
  __host__ __device__ bool operator()(const spot& a, const spot& b) const {
    return (a.height & mask) < (b.height & mask);
  }
};
struct by_low_bits {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a % 64 < b % 64; }
};

// The indices of the first items of segments such that no other one is less.
template <class T, class Less>
std::vector<u64> first_of(const std::vector<T>& items, const std::vector<u32>& begins, Less less) {
  std::vector<u64> all;
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
    const auto begin = items.begin() + begins[s], end = items.begin() + begins[s + 1];
    all.push_back(begin == end ? no_index : static_cast<u64>(std::min_element(begin, end, less) - items.begin()));
  }
  return all;
}
template <class Less>
auto reverse_of(Less less) {
  return [less](const auto& a, const auto& b) { return less(b, a); };
}
std::vector<u32> rows_of(std::size_t n, std::size_t row) {
  std::vector<u32> begins;
  for (std::size_t at = 0; at < n; at += row) begins.push_back(static_cast<u32>(at));
  begins.push_back(static_cast<u32>(n));
  return begins;
}
std::vector<u32> few_different(std::size_t n) {
  auto items = test::random_items<u32>(n, 5);
  for (u32& item : items) item %= 1'000;
  return items;
}
// n items, of several lengths, some empty.
std::vector<u32> ragged(std::size_t n) {
  const u32 lengths[] = {0, 1, 33, 512, 0, 700, 4'097, 64, 9'000, 3};
  std::vector<u32> begins{0};
  for (std::size_t i = 0; begins.back() < n; ++i)
    begins.push_back(static_cast<u32>(std::min<std::size_t>(n, begins.back() + lengths[i % 10])));
  return begins;
}
struct head_flags {
  std::vector<std::uint8_t> bytes;
  std::vector<u32> begins;  // without empty segments
  head_flags(std::size_t n, const std::vector<u32>& all) : bytes(n) {
    for (std::size_t s = 0; s + 1 < all.size(); ++s)
      if (all[s] != all[s + 1]) bytes[all[s]] = 1, begins.push_back(all[s]);
    begins.push_back(static_cast<u32>(n));
  }
};

constexpr std::size_t lengths_of_rows[] = {1, 2, 3, 4, 5, 8, 15, 16, 32, 100, 257, 1'024, 2'500, 9'000};
const auto is_less = [](u32 a, u32 b) { return a < b; };

TEST_CASE("segmented_arg_min, segmented_arg_max into output views") {
  const std::size_t n = 20'000;
  const auto items = few_different(n);
  const auto begins = ragged(n);
  const auto least = first_of(items, begins, is_less), most = first_of(items, begins, reverse_of(is_less));
  const head_flags heads(n, begins);
  const auto least_flagged = first_of(items, heads.begins, is_less),
             most_flagged = first_of(items, heads.begins, reverse_of(is_less));
  test::for_some_schedules([&] {
    const guarded<u32> in(items), offsets(begins), offset(std::vector<u32>{5});
    const guarded<std::uint8_t> flags(heads.bytes);
    guarded<u64> out(least.size()), count(1);
    guarded<indexed<u32>> behind(least.size() + 4);
    const exec gpu = allocating(test::test_stream());
    const segment_offsets segments{offsets};
    const auto check = [&](std::vector<u64> want, u64 more = 0) {
      for (u64& index : want) index += more;
      auto got = out.read();
      CHECK(std::all_of(got.begin() + static_cast<std::ptrdiff_t>(want.size()), got.end(),
                        [](u64 index) { return test::is_dirt(index); }));
      got.resize(want.size());
      CHECK(got == want);
      out.fill_dirt();
    };
    test::directly_and_captured(
        [&] { out.fill_dirt(); },
        [&] { segmented_arg_min(gpu, in, segments, converting<indexed<u32>>(out, index_of{})); },
        [&] { check(least); });
    segmented_arg_max(gpu, in, segments, converting<indexed<u32>>(out, index_and_one{}));
    check(most, 1);
    behind.fill_dirt();
    segmented_arg_min(gpu, in, segments, appended{behind, offset.data()});  // the last one does not fit
    const auto got = behind.read();
    bool same = true;
    for (std::size_t i = 0; i < got.size(); ++i) same &= i < 5 ? test::is_dirt(got[i]) : got[i].index == least[i - 5];
    CHECK(same);
    for (const std::size_t row : lengths_of_rows) {
      CAPTURE(row);
      const auto want = first_of(items, rows_of(n, row), is_less);
      guarded<u64> of_rows(want.size());
      segmented_arg_min(gpu, in, row_length(row), converting<indexed<u32>>(of_rows, index_of{}));
      CHECK(of_rows.read() == want);
      segmented_arg_max(gpu, in, row_length(row), discarded<indexed<u32>>(n));  // more room than results
    }
    segmented_arg_min(gpu, in, byte_flags{flags}, converting<indexed<u32>>(out, index_of{}), count.data());
    CHECK(count.read()[0] == least_flagged.size());
    check(least_flagged);
    segmented_arg_max(gpu, in, byte_flags{flags}, converting<indexed<u32>>(out, index_of{}), count.data());
    check(most_flagged);
  });
}

// Of a whole array by several blocks, of long segments by parts.
TEST_CASE("segmented_arg_min of long segments into output views, and by a comparison") {
  for (const std::size_t n : {detail::most_items_without_blocks + 5'000, detail::most_items_without_parts + 20'001}) {
    CAPTURE(n);
    const auto items = few_different(n);
    std::vector<u32> begins{0};
    if (n > detail::most_items_without_parts)
      for (u32 at = 0; at < n / 2; at += 20) begins.push_back(at);
    begins.push_back(static_cast<u32>(n));
    const auto least = first_of(items, begins, is_less), least_low = first_of(items, begins, by_low_bits{});
    test::for_schedules_by_size(n, [&] {
      const guarded<u32> in(items), offsets(begins);
      guarded<u64> out(least.size());
      guarded<indexed<u32>> found(least.size());
      const test::exact_scratch scratch(segmented_reduce_scratch_bytes<indexed<u32>>(n));
      segmented_arg_min(scratch.where(), in, segment_offsets{offsets}, converting<indexed<u32>>(out, index_of{}));
      CHECK(out.read() == least);
      segmented_arg_min(scratch.where(), in, segment_offsets{offsets}, by_low_bits{}, found);
      bool same = true;
      const auto got = found.read();
      for (std::size_t s = 0; s < got.size(); ++s)
        same &= got[s].index == least_low[s] && (least_low[s] == no_index || got[s].value == items[least_low[s]]);
      CHECK(same);
      scratch.check_guards();
    });
  }
}

TEST_CASE("segmented_arg_min, segmented_arg_max by a comparison") {
  const std::size_t n = 20'000;
  std::vector<spot> items;
  for (const u32 height : few_different(n)) items.push_back({height, static_cast<u32>(items.size())});
  const is_lower less{0xff};
  const auto begins = ragged(n);
  const head_flags heads(n, begins);
  const auto check = [&](const guarded<indexed<spot>>& out, const std::vector<u64>& want) {
    const auto got = out.read();
    REQUIRE(got.size() >= want.size());
    bool same = true;
    for (std::size_t s = 0; s < want.size(); ++s)
      same &= got[s].index == want[s] && got[s].value.id == (want[s] == no_index ? 0 : items[want[s]].id);
    CHECK(same);
  };
  test::for_some_schedules([&] {
    const guarded<spot> in(items);
    const guarded<u32> offsets(begins);
    const guarded<std::uint8_t> flags(heads.bytes);
    guarded<indexed<spot>> out(begins.size() - 1);
    guarded<u64> indices(begins.size() - 1), count(1);
    const exec gpu = allocating(test::test_stream());
    const segment_offsets segments{offsets};
    segmented_arg_min(gpu, in, segments, less, out);
    check(out, first_of(items, begins, less));
    segmented_arg_max(gpu, in, segments, less, out);
    check(out, first_of(items, begins, reverse_of(less)));
    segmented_arg_max(gpu, in, segments, less, converting<indexed<spot>>(indices, index_of{}));
    CHECK(indices.read() == first_of(items, begins, reverse_of(less)));
    for (const std::size_t row : lengths_of_rows) {
      CAPTURE(row);
      guarded<indexed<spot>> of_rows((n + row - 1) / row);
      segmented_arg_min(gpu, in, row_length(row), less, of_rows);
      check(of_rows, first_of(items, rows_of(n, row), less));
      segmented_arg_max(gpu, in, row_length(row), less, of_rows);
      check(of_rows, first_of(items, rows_of(n, row), reverse_of(less)));
    }
    segmented_arg_min(gpu, in, byte_flags{flags}, less, out, count.data());
    CHECK(count.read()[0] == heads.begins.size() - 1);
    check(out, first_of(items, heads.begins, less));
    segmented_arg_max(gpu, in, byte_flags{flags}, less, out, count.data());
    check(out, first_of(items, heads.begins, reverse_of(less)));
  });
}

TEST_CASE("segmented_arg_min refuses bad output views") {
  const guarded<u32> in(std::vector<u32>(300)), offset(std::vector<u32>{0});
  guarded<indexed<u32>> out(30);
  refused("room", "`out` has 29",
          [&](const exec& gpu) { segmented_arg_min(gpu, in, row_length(10), discarded<indexed<u32>>(29)); });
  refused("overlap", "overlap", [&](const exec& gpu) {
    segmented_arg_min(gpu, in, row_length(10), converting<indexed<u32>>(std::span(in.data(), 30), index_of{}));
  });
  refused("offset", "out.offset", [&](const exec& gpu) {
    segmented_arg_max(gpu, in, row_length(10), appended{out, reinterpret_cast<const u32*>(out.data())});
  });
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

}  // namespace algorithms_segmented_arg
