// SPDX-License-Identifier: Apache-2.0
// The C library's runs, against loops.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <array>

namespace ballot::test::c {
namespace runs {

using point = std::array<float, 3>;

// The begins of runs, with n behind the last one. A NaN equals nothing.
template <class T>
std::vector<std::size_t> run_begins(const std::vector<T>& items, std::size_t n) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < n; ++i)
    if (i == 0 || !(items[i] == items[i - 1])) begins.push_back(i);
  begins.push_back(n);
  return begins;
}

template <class T>
std::vector<T> items_in_runs(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 5);
  std::vector<T> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    items[i] = i != 0 && random() % 4 != 0 ? items[i - 1] : static_cast<T>(static_cast<int>(random() % 5) - 2);
    if constexpr (std::is_floating_point_v<T>) {
      if (random() % 10 == 0) items[i] = std::numeric_limits<T>::quiet_NaN();
      if (items[i] == 0 && random() % 2 == 0) items[i] = T(-0.0);
    }
  }
  return items;
}

template <class T, class Index>
void check_runs(std::size_t n, bool is_counted) {
  CAPTURE(code<T>);
  CAPTURE(n);
  const auto items = items_in_runs<T>(n);
  const std::size_t used = is_counted ? n / 2 : n;
  const auto begins = run_begins(items, used);
  const std::size_t expected = begins.size() - 1;
  const guarded<T> from(items), heads(n);
  const guarded<u32> length(std::vector<u32>{static_cast<u32>(used)});
  const guarded<u64> count(1);
  const guarded<Index> further(n + 1);
  const ballot_array source = is_counted ? counted(from, length) : in(from);
  const auto check_heads = [&] {
    CHECK(value_at(count) == expected);
    const auto found = heads.read();
    for (std::size_t r = 0; r < expected; ++r) REQUIRE(std::memcmp(&found[r], &items[begins[r]], sizeof(T)) == 0);
  };
  run(bytes_of([&](std::size_t* b) { return ballot_runs_scratch_bytes(code<T>, BALLOT_NONE, n, b); }),
      [&](ballot_exec gpu) { return ballot_unique(gpu, source, out(heads), out(count)); });
  check_heads();
  {
    const guarded<T> changed(items);
    const std::size_t bytes_in_place =
        bytes_of([&](std::size_t* b) { return ballot_unique_in_place_scratch_bytes(code<T>, n, b); });
    const guarded<std::byte> scratch(bytes_in_place);  // once: the call changes its items
    ok(ballot_unique_in_place(ballot_on(test_stream(), scratch.data(), scratch.size()),
                              is_counted ? counted(changed, length) : in(changed), out(count)));
    CHECK(value_at(count) == expected);
    const auto found = changed.read();
    for (std::size_t r = 0; r < expected; ++r) REQUIRE(std::memcmp(&found[r], &items[begins[r]], sizeof(T)) == 0);
    scratch.read();
  }
  const std::size_t bytes =
      bytes_of([&](std::size_t* b) { return ballot_runs_scratch_bytes(code<T>, code<Index>, n, b); });
  run(bytes, [&](ballot_exec gpu) { return ballot_run_offsets(gpu, source, out(heads), out(further), out(count)); });
  check_heads();
  auto found = further.read();
  for (std::size_t r = 0; r <= expected; ++r) REQUIRE(static_cast<std::size_t>(found[r]) == begins[r]);
  run(bytes,
      [&](ballot_exec gpu) { return ballot_run_length_encode(gpu, source, out(heads), out(further), out(count)); });
  check_heads();
  found = further.read();
  for (std::size_t r = 0; r < expected; ++r) REQUIRE(static_cast<std::size_t>(found[r]) == begins[r + 1] - begins[r]);

  const auto points = random_items<point>(n, 2);
  const auto bytes_of_items = random_items<u8>(n, 3);
  const guarded<point> from_points(points), to_points(n);
  const guarded<u8> from_bytes(bytes_of_items), to_bytes(n / 2);
  const guarded<u32> to_positions(n);
  const ballot_array values[] = {in(from_points), in(from_bytes), ballot_input(nullptr, n, BALLOT_POSITIONS_U32)};
  const ballot_array values_out[] = {out(to_points), out(to_bytes), out(to_positions)};
  run(bytes_of([&](std::size_t* b) { return ballot_unique_by_key_scratch_bytes(code<T>, n, b); }),
      [&](ballot_exec gpu) {
        return ballot_unique_by_key(gpu, source, 3, values, out(heads), values_out, out(count));
      });
  check_heads();
  const auto found_points = to_points.read();
  const auto found_bytes = to_bytes.read();
  const auto found_positions = to_positions.read();
  for (std::size_t r = 0; r < expected; ++r) {
    REQUIRE(std::memcmp(&found_points[r], &points[begins[r]], sizeof(point)) == 0);
    if (r < n / 2) REQUIRE(found_bytes[r] == bytes_of_items[begins[r]]);
    REQUIRE(found_positions[r] == begins[r]);
  }
}

TEST_CASE("runs") {
  for (const std::size_t n : sizes)
    for (const bool is_counted : {false, true}) {
      check_runs<i32, u32>(n, is_counted);
      check_runs<float, i64>(n, is_counted);
      if (n > 5000) continue;
      check_runs<u8, i32>(n, is_counted);
      check_runs<i16, u64>(n, is_counted);
      check_runs<double, u32>(n, is_counted);
      check_runs<i128, u32>(n, is_counted);
    }
}

}  // namespace runs
}  // namespace ballot::test::c
