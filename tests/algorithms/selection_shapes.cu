// SPDX-License-Identifier: Apache-2.0
// Compact and split in the tiles that more items than tests usually have are cut into, and from few
// items to many.
#include <ballot/compact.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/selection.hpp"

#include <algorithm>
#include <set>
#include <tuple>

using namespace ballot;
using detail::offset_method;
using detail::rejects;
using test::is_odd;
using test::selection;
using test::starts_with;

namespace algorithms_selection_shapes {

TEST_CASE_TEMPLATE("compact and split: the tiles of many items", T, std::uint8_t, std::uint32_t, std::uint64_t) {
  using by_predicate = detail::partition_shape<rejects::dropped, T>;
  using by_flags = typename detail::partition_shapes<rejects::dropped, true, T>::many;
  using two_outputs = detail::partition_shape<rejects::second_output, T>;
  using large = typename detail::partition_shapes<rejects::dropped, false, T>::large;
  const std::size_t n = 2 * std::size_t{std::max(by_predicate::items, large::items)} + 77;
  const selection<T> want(n, 61);
  test::for_each_schedule([&] {
    const test::guarded<T> in(want.items);
    const test::guarded<std::uint8_t> flags(want.flags);
    test::guarded<T> out(n), rest(n);
    test::guarded<std::uint64_t> count(1);
    const exec where = allocating(test::test_stream());
    const std::tuple inputs = detail::as_inputs(in);
    const std::tuple selected(detail::as_output(out));
    const std::tuple rejected(detail::as_output(rest));
    detail::select_in_shape<rejects::dropped, by_predicate>(where, inputs, is_odd{}, selected, std::tuple(),
                                                            count.data(), "");
    CHECK(count.read()[0] == want.selected.size());
    CHECK(starts_with(out, want.selected));
    out.fill_dirt();
    detail::select_in_shape<rejects::dropped, by_flags>(where, inputs, byte_flags{flags}, selected, std::tuple(),
                                                        count.data(), "");
    CHECK(starts_with(out, want.selected));
    out.fill_dirt();
    detail::select_in_shape<rejects::second_output, two_outputs>(where, inputs, is_odd{}, selected, rejected,
                                                                 count.data(), "");
    CHECK(starts_with(out, want.selected));
    CHECK(starts_with(rest, want.rejected));
    out.fill_dirt();
    detail::select_in_shape<rejects::dropped, large, offset_method::aggregate_sum>(
        where, inputs, byte_flags{flags}, selected, std::tuple(), count.data(), "");
    CHECK(starts_with(out, want.selected));
    detail::select_in_shape<rejects::after_selected, large, offset_method::aggregate_sum>(
        where, inputs, is_odd{}, selected, selected, count.data(), "");
    CHECK(out.read() == want.selected_then_rejected());
  });
}

// The emulator runs a few blocks at a time, and the GPU cannot run all 9000 at once. So tiles need
// the fallback, which recomputes missing aggregates. Tiles of one window, and of several.
TEST_CASE("compact and split: tiles whose aggregates are published late") {
  using T = std::uint32_t;
  using shape = block::tile_shape<64, 1, 2>;
  constexpr std::size_t window =
      detail::aggregate_sum_offsets<shape, rejects::after_selected, detail::selected_count>::window;
  for (const std::size_t tiles : {window, 2 * window + 3, BALLOT_EMULATED ? window + 1 : std::size_t{9000}}) {
    CAPTURE(tiles);
    const std::size_t n = tiles * shape::items - 3;
    const selection<T> want(n, 61);
    test::for_some_schedules([&] {
      const test::guarded<T> in(want.items);
      test::guarded<T> out(n);
      test::guarded<std::uint64_t> count(1);
      const exec where = allocating(test::test_stream());
      const std::tuple inputs = detail::as_inputs(in);
      const std::tuple target(detail::as_output(out));
      detail::select_in_shape<rejects::after_selected, shape, offset_method::aggregate_sum>(
          where, inputs, is_odd{}, target, target, count.data(), "");
      CHECK(count.read()[0] == want.selected.size());
      CHECK(out.read() == want.selected_then_rejected());
      out.fill_dirt();
      detail::select_in_shape<rejects::dropped, shape, offset_method::aggregate_sum>(where, inputs, is_odd{}, target,
                                                                                     std::tuple(), count.data(), "");
      CHECK(count.read()[0] == want.selected.size());
      CHECK(starts_with(out, want.selected));
    });
  }
}

// Blocks have as many threads as few items need: around each number of items at which that changes,
// directly and where a length on the device leaves tiles without items.
struct item_24 {
  std::uint64_t words[3];
  item_24() = default;
  BALLOT_HOST_DEVICE item_24(std::uint64_t x) : words{x, ~x, x * 3} {}
  friend bool operator==(const item_24&, const item_24&) = default;
};
template <class T>
struct is_odd_item {
  __host__ __device__ bool operator()(const T& x) const {
    if constexpr (sizeof(T) == 24) return x.words[0] % 2 != 0;
    else return x % 2 != 0;
  }
};
TEST_CASE_TEMPLATE("selections: blocks of fewer threads", T, std::uint8_t, std::uint32_t, std::uint64_t, item_24) {
  using shape = typename detail::partition_shapes<rejects::dropped, false, T>::small;
  static_assert(detail::may_have_fewer_threads<shape>);
  const std::size_t least = 128 * shape::items_per_thread;
  std::set<unsigned> threads;
  std::vector<std::size_t> lengths{1,         least / 2 + 1, least,      least + 1,     2 * least, 2 * least + 1,
                                   4 * least, 4 * least + 1, 16 * least, 16 * least + 1};
  if (!BALLOT_EMULATED) lengths.insert(lengths.end(), {320 * least, 320 * least + 1});
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    threads.insert(detail::threads_for<shape>(n));
    const auto random = test::random_items<std::uint32_t>(n, 9);
    const std::vector<T> items(random.begin(), random.end());
    std::vector<T> selected, rejected;
    std::vector<std::uint8_t> set(n);
    for (std::size_t i = 0; i < n; ++i) {
      set[i] = is_odd_item<T>{}(items[i]);
      (set[i] ? selected : rejected).push_back(items[i]);
    }
    auto both = selected;
    both.insert(both.end(), rejected.begin(), rejected.end());
    test::for_some_schedules([&] {
      const test::guarded<T> in(items);
      const test::guarded<std::uint8_t> flags(set);
      const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{n});
      test::guarded<T> out(n), rest(n);
      test::guarded<std::uint32_t> indices(n);
      test::guarded<std::uint64_t> count(1);
      const auto check = [&](const std::vector<T>& want) {
        CHECK(count.read()[0] == selected.size());
        CHECK(starts_with(out, want));
        out.fill_dirt(), count.fill_dirt();
      };
      const exec where = allocating(test::test_stream());
      compact(where, in, is_odd_item<T>{}, out, count.data());
      check(selected);
      compact(where, zip{in, in}, byte_flags{flags}, zip{rest, out}, count.data());
      CHECK(starts_with(rest, selected));
      check(selected);
      split(where, in, is_odd_item<T>{}, out, count.data());
      check(both);
      split(where, in, byte_flags{flags}, out, rest, count.data());
      CHECK(starts_with(rest, rejected));
      check(selected);
      compact_indices(where, in, is_odd_item<T>{}, indices, count.data());
      const auto places = indices.read();
      bool same = true;
      for (std::size_t i = 0; i < selected.size(); ++i) same &= items[places[i]] == selected[i];
      CHECK(same);
      // As many items as before, where there is room for more.
      std::vector<T> longer(items);
      longer.resize(n + 5 * least, T(1));
      const test::guarded<T> more(longer);
      test::guarded<T> room(longer.size());
      compact(where, counted{more, length.data()}, is_odd_item<T>{}, room, count.data());
      CHECK(starts_with(room, selected));
      split(where, counted{more, length.data()}, is_odd_item<T>{}, room, count.data());
      CHECK(starts_with(room, both));
      CHECK(count.read()[0] == selected.size());
    });
  }
  CHECK(threads.size() == 3);
}
TEST_CASE_TEMPLATE("runs: blocks of fewer threads", T, std::uint8_t, std::uint32_t, std::uint64_t) {
  using shape = typename detail::run_length_shapes<T>::small;
  static_assert(detail::may_have_fewer_threads<shape>);
  const std::size_t least = 128 * shape::items_per_thread;
  for (const std::size_t n : {least, least + 1, 2 * least, 4 * least + 1, 16 * least, 16 * least + 1}) {
    CAPTURE(n);
    std::vector<T> items(n), values;
    std::vector<std::uint32_t> begins, lengths;
    for (std::size_t i = 0; i < n; ++i) {
      items[i] = static_cast<T>(i * i / (n + 100));
      if (i == 0 || items[i] != items[i - 1]) {
        values.push_back(items[i]), lengths.push_back(0), begins.push_back(static_cast<std::uint32_t>(i));
      }
      ++lengths.back();
    }
    test::for_some_schedules([&] {
      const test::guarded<T> in(items);
      test::guarded<T> out(n);
      test::guarded<std::uint32_t> runs(n), offsets(n + 1);
      test::guarded<std::uint64_t> count(1);
      const exec where = allocating(test::test_stream());
      run_length_encode(where, in, out, runs, count.data());
      CHECK(count.read()[0] == values.size());
      CHECK(starts_with(out, values));
      CHECK(starts_with(runs, lengths));
      out.fill_dirt();
      unique(where, in, out, count.data());
      CHECK(starts_with(out, values));
      run_offsets(where, in, out, offsets, count.data());
      CHECK(starts_with(offsets, begins));
      CHECK(offsets.read()[values.size()] == n);
    });
  }
}

TEST_CASE("selections: more items never need less scratch") {
  std::size_t before[2]{};
  for (std::uint64_t n = 0; n < (std::uint64_t{1} << 23); n += 1021) {
    const std::size_t now[]{compact_scratch_bytes<std::uint32_t>(n), split_scratch_bytes<std::uint64_t>(n)};
    CHECK_MESSAGE((now[0] >= before[0] && now[1] >= before[1]), n);
    std::copy_n(now, 2, before);
  }
}

#if !BALLOT_EMULATED
TEST_CASE_TEMPLATE("compact and split: from few items to many", T, std::uint32_t, std::uint64_t) {
  using shapes = detail::partition_shapes<rejects::dropped, false, T>;
  constexpr std::size_t few = shapes::most_small * shapes::small::items,
                        more = shapes::most_large * shapes::large::items;
  for (const std::size_t n : {few - 1, few, few + 1, more / 2 - 1, more, more + 1}) {
    CAPTURE(n);
    const selection<T> want(n, 61);
    const test::guarded<T> in(want.items);
    const test::guarded<std::uint8_t> flags(want.flags);
    test::guarded<T> out(n), rest(n);
    test::guarded<std::uint32_t> indices(n);
    test::guarded<std::uint64_t> count(1);
    {
      const test::unaligned_scratch scratch(compact_scratch_bytes<T>(n));
      compact(scratch.where(), in, is_odd{}, out, count.data());
      CHECK(starts_with(out, want.selected));
      out.fill_dirt();
      compact(scratch.where(), in, byte_flags{flags}, out, count.data());
      CHECK(starts_with(out, want.selected));
      scratch.check_guards();
    }
    {
      const test::unaligned_scratch scratch(compact_indices_scratch_bytes<std::uint32_t, T>(n));
      compact_indices(scratch.where(), in, is_odd{}, indices, count.data());
      const auto at = indices.read();
      bool right = true;
      for (std::size_t i = 0; i < want.selected.size(); ++i)
        right &= want.items[at[i]] == want.selected[i] && (i == 0 || at[i - 1] < at[i]);
      CHECK(right);
      scratch.check_guards();
    }
    const test::unaligned_scratch scratch(split_scratch_bytes<T>(n));
    split(scratch.where(), in, is_odd{}, out, rest, count.data());
    CHECK(starts_with(out, want.selected));
    CHECK(starts_with(rest, want.rejected));
    split(scratch.where(), in, is_odd{}, out, count.data());
    CHECK(out.read() == want.selected_then_rejected());
    scratch.check_guards();
  }
}
#endif

}  // namespace algorithms_selection_shapes
