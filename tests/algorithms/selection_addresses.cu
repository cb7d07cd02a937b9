// SPDX-License-Identifier: Apache-2.0
// Selections whose ranges do not begin with an aligned vector: the first tile is shorter, so that
// the others do.
#include <ballot/compact.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/selection.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace ballot;
using detail::offset_method;
using detail::rejects;
using test::is_odd;
using test::selection;
using test::starts_with;

namespace algorithms_selection_addresses {

struct times_two {
  __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return 2 * x; }
};

// Around ends of tiles, the last of which the shift moves into one tile more.
template <class Shape>
std::vector<std::size_t> lengths_around_tiles() {
  std::vector<std::size_t> lengths;
  for (std::size_t tiles : {1, 2, 7})
    for (int more : {-4, -3, -1, 0, 1, 3}) lengths.push_back(tiles * Shape::items + static_cast<std::size_t>(more));
  return lengths;
}

template <class T>
using tiny = block::tile_shape<64, 2, block::vector_width<T>()>;

// Input and flags begin so many items behind an aligned address, and the length is on the device:
// the capacity is larger.
template <class T>
void check_selections(const selection<T>& want, std::size_t shift, std::size_t flag_shift, std::size_t capacity) {
  using shape = tiny<T>;
  const std::size_t n = want.items.size();
  CAPTURE(shift);
  CAPTURE(flag_shift);
  CAPTURE(capacity);
  std::vector<T> all = want.items;
  std::vector<std::uint8_t> all_flags = want.flags;
  all.resize(capacity, T{1});
  all_flags.resize(capacity, 1);
  const test::guarded<T> in(all, shift);
  const test::guarded<std::uint8_t> flags(all_flags, flag_shift);
  const test::guarded<std::uint32_t> bits(test::as_bits(std::vector<bool>(all_flags.begin(), all_flags.end())));
  const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{n});
  test::guarded<T> out(capacity), rest(capacity);
  test::guarded<std::uint64_t> count(1);
  const exec where = allocating(test::test_stream());
  const std::tuple inputs = detail::as_inputs(counted{in, length.data()});
  const std::tuple selected(detail::as_output(out)), rejected(detail::as_output(rest));
  const auto check = [&]<rejects Rejects, offset_method Method>(const auto& select, const auto& to_rejected) {
    out.fill_dirt(), rest.fill_dirt(), count.fill_dirt();
    detail::select_in_shape<Rejects, shape, Method>(where, inputs, select, selected, to_rejected, count.data(), "");
    CHECK(count.read()[0] == want.selected.size());
    CHECK(starts_with(out, want.selected));
    if constexpr (Rejects == rejects::second_output) CHECK(starts_with(rest, want.rejected));
    if constexpr (Rejects == rejects::after_selected) {
      const auto got = out.read();
      CHECK(std::equal(want.rejected.begin(), want.rejected.end(),
                       got.begin() + static_cast<std::ptrdiff_t>(want.selected.size())));
    }
  };
  const auto by_each_method = [&](const auto& select) {
    check.template operator()<rejects::dropped, offset_method::look_back>(select, std::tuple());
    check.template operator()<rejects::dropped, offset_method::aggregate_sum>(select, std::tuple());
    check.template operator()<rejects::second_output, offset_method::look_back>(select, rejected);
    check.template operator()<rejects::after_selected, offset_method::precomputed>(select, selected);
    check.template operator()<rejects::after_selected, offset_method::aggregate_sum>(select, selected);
  };
  by_each_method(is_odd{});
  by_each_method(byte_flags{std::span(flags.data(), capacity)});
  by_each_method(bit_flags{bits});
}

TEST_CASE_TEMPLATE("selections at every address of a vector, around ends of tiles", T, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  unsigned turn = 0;
  for (const std::size_t n : lengths_around_tiles<tiny<T>>()) {
    CAPTURE(n);
    const selection<T> want(n, 67);
    for (std::size_t shift = 0; shift < tiny<T>::width; ++shift)
      for (const std::size_t flag_shift : {shift, std::size_t{2}}) {
        const std::size_t capacity = turn % 3 == 0 ? n + 2 * tiny<T>::items : n;
        test::for_some_schedules(turn++, [&] { check_selections(want, shift, flag_shift, capacity); });
      }
  }
}

TEST_CASE("run lengths at every address of a vector, around ends of tiles") {
  using T = std::uint32_t;
  using shape = tiny<T>;
  unsigned turn = 0;
  for (const std::size_t n : lengths_around_tiles<shape>()) {
    CAPTURE(n);
    std::vector<T> items(n), values;
    std::vector<std::uint32_t> lengths;
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>((i * i / 7) % 3);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || items[i] != items[i - 1]) values.push_back(items[i]), lengths.push_back(0);
      ++lengths.back();
    }
    for (std::size_t shift = 0; shift < shape::width; ++shift) {
      CAPTURE(shift);
      test::for_some_schedules(turn++, [&] {
        const test::guarded<T> in(items, shift);
        test::guarded<T> found(n);
        test::guarded<std::uint32_t> found_lengths(n);
        test::guarded<std::uint64_t> count(1);
        const auto columns = detail::run_length_columns<shape::width>(detail::as_input(in), detail::as_output(found),
                                                                      detail::as_output(found_lengths));
        detail::launch_partition<rejects::dropped, shape, false, offset_method::look_back,
                                 detail::selected_count_and_last<std::uint32_t>>(
            allocating(test::test_stream()), detail::length{n}, columns,
            detail::head_selector<T, equal_to>{in.data(), {}}, count.data(), "test");
        CHECK(count.read()[0] == values.size());
        CHECK(starts_with(found, values));
        CHECK(starts_with(found_lengths, lengths));
      });
    }
  }
}

TEST_CASE("two columns, a view of a column, and positions, behind an aligned address") {
  using T = std::uint32_t;
  using shape = tiny<T>;
  const std::size_t n = 5 * shape::items + 2;
  const selection<T> want(n, 67);
  std::vector<T> positions, twice;
  for (std::size_t i = 0; i < n; ++i)
    if (want.flags[i] != 0) positions.push_back(static_cast<T>(i)), twice.push_back(2 * want.items[i]);
  unsigned turn = 0;
  for (std::size_t shift = 0; shift < 4; ++shift)
    for (std::size_t second = 0; second < 4; ++second) {
      CAPTURE(shift);
      CAPTURE(second);
      test::for_some_schedules(turn++, [&] {
        const test::guarded<T> in(want.items, shift), other(want.items, second);
        const test::guarded<std::uint8_t> flags(want.flags, shift);
        test::guarded<T> a(n), b(n), c(n);
        test::guarded<std::uint64_t> count(1);
        const auto doubled = transformed{other, times_two{}};
        detail::select_in_shape<rejects::dropped, shape>(
            allocating(test::test_stream()), detail::as_inputs(zip{doubled, in, ballot::positions<T>(n)}),
            byte_flags{flags}, detail::as_outputs(zip{a, b, c}), std::tuple(), count.data(), "");
        CHECK(count.read()[0] == want.selected.size());
        CHECK(starts_with(a, twice));
        CHECK(starts_with(b, want.selected));
        CHECK(starts_with(c, positions));
      });
    }
}

TEST_CASE("in place behind an aligned address, with the scratch of so many items") {
  using T = std::uint32_t;
  constexpr std::size_t tile = detail::partition_shape<rejects::dropped, T>::items;
  unsigned turn = 0;
  for (const std::size_t n : {tile, 2 * tile - 3, 2 * tile, 2 * tile + 1})
    for (const std::size_t shift : {0, 1, 3}) {
      CAPTURE(n);
      CAPTURE(shift);
      const selection<T> want(n, 67);
      test::for_some_schedules(turn++, [&] {
        test::guarded<T> items(want.items, shift);
        test::guarded<std::uint64_t> count(1);
        const test::exact_scratch scratch(detail::compact_in_place_bytes<T>(n));
        compact_in_place(scratch.where(), items, is_odd{}, count.data());
        CHECK(count.read()[0] == want.selected.size());
        CHECK(starts_with(items, want.selected));
        scratch.check_guards();
      });
    }
}

}  // namespace algorithms_selection_addresses
