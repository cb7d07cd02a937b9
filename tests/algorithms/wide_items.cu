// SPDX-License-Identifier: Apache-2.0
// Selections of items that no access of the hardware moves: of more than 16 bytes, or of a size
// that is no power of two. They begin at every address that their type allows.
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
#include <array>
#include <cstdint>
#include <vector>

using namespace ballot;
using detail::offset_method;
using detail::rejects;
using test::is_odd;
using test::starts_with;

namespace algorithms_wide_items {

template <int Bytes, int Alignment>
struct alignas(Alignment) wide {
  unsigned char bytes[Bytes];
  friend bool operator==(const wide&, const wide&) = default;
};
template <class T>
struct is_same {
  __device__ bool operator()(const T& a, const T& b) const {
    return a.bytes[0] == b.bytes[0] && a.bytes[9] == b.bytes[9];
  }
};

template <class T>
struct wide_selection {
  std::vector<T> items, selected, rejected;
  std::vector<std::uint8_t> flags;

  explicit wide_selection(const std::vector<bool>& set) : items(test::items_with_flags<T>(set)) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      flags.push_back(set[i] ? 7 : 0);
      (set[i] ? selected : rejected).push_back(items[i]);
    }
  }
};
inline std::vector<bool> some_flags(std::size_t n, unsigned one_of) {
  const auto random = test::random_items<std::uint32_t>(n, 5);
  std::vector<bool> set(n);
  for (std::size_t i = 0; i < n; ++i) set[i] = random[i] % one_of == 0;
  return set;
}

template <class Shape, offset_method Method, class T>
void check_in_shape(const wide_selection<T>& want, std::size_t shift, std::size_t out_shift) {
  const std::size_t n = want.items.size();
  CAPTURE(n);
  CAPTURE(shift);
  CAPTURE(out_shift);
  auto both = want.selected;
  both.insert(both.end(), want.rejected.begin(), want.rejected.end());
  const test::guarded<T> in(want.items, shift);
  const test::guarded<std::uint8_t> flags(want.flags);
  test::guarded<T> out(n, out_shift), rest(n, out_shift);
  test::guarded<std::uint64_t> count(1);
  const exec where = allocating(test::test_stream());
  const std::tuple inputs = detail::as_inputs(in);
  const std::tuple to(detail::as_output(out)), rejected_to(detail::as_output(rest));
  const auto check = [&](const std::vector<T>& all) {
    CHECK(count.read()[0] == want.selected.size());
    CHECK(starts_with(out, all));
    out.fill_dirt(), count.fill_dirt();
  };
  using detail::select_in_shape;
  select_in_shape<rejects::dropped, Shape, Method>(where, inputs, is_odd{}, to, std::tuple(), count.data(), "");
  check(want.selected);
  select_in_shape<rejects::dropped, Shape, Method>(where, inputs, byte_flags{flags}, to, std::tuple(), count.data(),
                                                   "");
  check(want.selected);
  select_in_shape<rejects::second_output, Shape, Method>(where, inputs, is_odd{}, to, rejected_to, count.data(), "");
  CHECK(starts_with(rest, want.rejected));
  check(want.selected);
  if constexpr (Method == offset_method::aggregate_sum) {
    select_in_shape<rejects::after_selected, Shape, Method>(where, inputs, byte_flags{flags}, to, to, count.data(), "");
    check(both);
  }
}

TEST_CASE_TEMPLATE("wide items: around warps and tiles, at every address", T, wide<12, 4>, wide<20, 4>, wide<32, 4>,
                   wide<24, 8>, wide<48, 16>, wide<34, 2>, wide<33, 1>) {
  using shape = block::tile_shape<64, 2, 1>;
  for (const unsigned one_of : {1u, 2u, 9u})
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{65}, std::size_t{shape::items - 1},
                                std::size_t{shape::items}, std::size_t{3 * shape::items + 33}}) {
      const wide_selection<T> want(some_flags(n, one_of));
      test::for_some_schedules([&] {
        check_in_shape<shape, offset_method::look_back>(want, n % 3, 0);
        check_in_shape<shape, offset_method::aggregate_sum>(want, 0, one_of % 2);
        check_in_shape<shape, offset_method::look_back>(want, 1, 1);
      });
    }
}

TEST_CASE_TEMPLATE("wide items: all calls, with other columns, with less room and in place", T, wide<12, 4>,
                   wide<32, 4>, wide<40, 8>) {
  for (const std::size_t n : {std::size_t{40}, std::size_t{1300}, std::size_t{5000}}) {
    CAPTURE(n);
    const wide_selection<T> want(some_flags(n, 2));
    std::vector<std::uint32_t> numbers(n), of_selected;
    for (std::size_t i = 0; i < n; ++i) {
      numbers[i] = static_cast<std::uint32_t>(i * 7);
      if (want.flags[i] != 0) of_selected.push_back(numbers[i]);
    }
    auto both = want.selected;
    both.insert(both.end(), want.rejected.begin(), want.rejected.end());
    std::vector<T> heads;
    std::vector<T> runs(n);
    for (std::size_t i = 0; i < n; ++i) runs[i] = want.items[i / 3];
    const auto same = [](const T& a, const T& b) { return a.bytes[0] == b.bytes[0] && a.bytes[9] == b.bytes[9]; };
    for (std::size_t i = 0; i < n; ++i)
      if (i == 0 || !same(runs[i - 1], runs[i])) heads.push_back(runs[i]);
    test::for_some_schedules([&] {
      const test::guarded<T> in(want.items), in_runs(runs);
      const test::guarded<std::uint8_t> flags(want.flags);
      const test::guarded<std::uint32_t> number(numbers);
      test::guarded<T> out(n), rest(n), less(want.selected.size() / 2);
      test::guarded<std::uint32_t> number_out(n);
      test::guarded<std::uint64_t> count(1);
      const exec where = allocating(test::test_stream());
      const auto check = [&](const test::guarded<T>& got, const std::vector<T>& all, std::size_t how_many) {
        CHECK(count.read()[0] == how_many);
        CHECK(starts_with(got, all));
        out.fill_dirt(), rest.fill_dirt(), number_out.fill_dirt(), count.fill_dirt();
      };
      const std::size_t selected = want.selected.size();
      compact(where, zip{in, number}, byte_flags{flags}, zip{out, number_out}, count.data());
      CHECK(starts_with(number_out, of_selected));
      check(out, want.selected, selected);
      compact(where, zip{number, in}, byte_flags{flags}, zip{number_out, out}, count.data());
      CHECK(starts_with(number_out, of_selected));
      check(out, want.selected, selected);
      compact(where, in, is_odd{}, less, count.data());
      CHECK(count.read()[0] == selected);
      CHECK(std::equal(want.selected.begin(), want.selected.begin() + static_cast<std::ptrdiff_t>(less.size()),
                       less.read().begin()));
      split(where, zip{in, number}, byte_flags{flags}, zip{out, number_out}, count.data());
      check(out, both, selected);
      unique(where, in_runs, is_same<T>{}, out, count.data());
      check(out, heads, heads.size());
      test::guarded<T> in_place(want.items, 1);
      compact_in_place(where, in_place, is_odd{}, count.data());
      check(in_place, want.selected, selected);
      in_place.write(want.items);
      compact_in_place(where, in_place, byte_flags{flags}, count.data());
      check(in_place, want.selected, selected);
    });
  }
}

}  // namespace algorithms_wide_items
