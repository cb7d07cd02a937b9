// SPDX-License-Identifier: Apache-2.0
// Reproducible scans: sums of floats with the same bits under every schedule, those of a serial
// walk along the same tree.
#include <ballot/scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_call.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

#include <set>

using namespace ballot;

namespace device_scan_reproducible {

using warp_tiles = block::tile_shape<32, 1, 1>;  // an item a lane
using device::scan_kind;

// Values whose sums round differently for every grouping.
std::vector<float> rough_items(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<float> items(n);
  for (float& item : items)
    item = (static_cast<float>(random() % 20001) - 10000.0f) * (random() % 50 == 0 ? 1.0e4f : 1.0e-3f);
  return items;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& items) {
  std::vector<std::uint32_t> bits(items.size());
  if (!items.empty()) std::memcpy(bits.data(), items.data(), items.size() * sizeof(float));
  return bits;
}

// The scan of a warp, as its lanes group it: in steps of 1, 2, 4, 8 and 16.
template <class T, class Op>
std::vector<T> in_steps(std::vector<T> lanes, Op op) {
  for (std::size_t distance = 1; distance < 32; distance *= 2)
    for (std::size_t lane = lanes.size(); lane-- > distance;) lanes[lane] = op(lanes[lane - distance], lanes[lane]);
  return lanes;
}

// The sum before tile k: whole groups of the highest level, then of the lower ones, then tiles.
template <class T, class Op>
T tile_exclusive(const std::vector<std::vector<T>>& levels, std::size_t k, Op op) {
  T prefix{};
  bool has_prefix = false;
  for (std::size_t l = 0; k != 0; ++l, k /= 32) {
    if (k % 32 == 0) continue;
    const auto first = levels[l].begin() + std::ptrdiff_t(k - k % 32);
    const T part = in_steps(std::vector<T>(first, first + std::ptrdiff_t(k % 32)), op).back();
    prefix = has_prefix ? op(part, prefix) : part;
    has_prefix = true;
  }
  return prefix;
}

// The scan over tiles of a warp, serially: inclusive, or exclusive if there is an `initial`.
// `first` items are in the first tile; only a backward scan has fewer than 32 there. The total
// stands behind the exclusive sums.
template <class T, class Op = plus>
std::vector<T> along_the_tree(const std::vector<T>& items, std::size_t first, std::type_identity_t<const T*> initial,
                              Op op = {}) {
  std::vector<std::vector<T>> tiles;
  for (std::size_t begin = 0; begin < items.size();) {
    const std::size_t end = std::min(items.size(), begin + (begin == 0 ? first : 32));
    tiles.emplace_back(items.begin() + std::ptrdiff_t(begin), items.begin() + std::ptrdiff_t(end));
    begin = end;
  }
  std::vector<std::vector<T>> levels(1);
  for (const auto& tile : tiles) {
    const auto sums = in_steps(tile, op);
    levels[0].push_back(tile.size() < 32 && tile.size() > 1 ? op(sums[tile.size() - 2], tile.back()) : sums.back());
  }
  while (levels.back().size() >= 32) {
    std::vector<T> above;
    for (std::size_t g = 0; g + 32 <= levels.back().size(); g += 32) {
      const auto begin = levels.back().begin() + std::ptrdiff_t(g);
      above.push_back(in_steps(std::vector<T>(begin, begin + 32), op).back());
    }
    levels.push_back(above);
  }
  std::vector<T> sums;
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    T before = tile_exclusive(levels, k, op);
    if (initial != nullptr) before = k == 0 ? *initial : op(*initial, before);
    const bool has_before = initial != nullptr || k != 0;
    const auto in_tile = in_steps(tiles[k], op);
    for (std::size_t i = 0; i < in_tile.size(); ++i) {
      // The sum before the item: before the tile, then before the item in it.
      T left = before;
      if (i != 0) left = has_before ? op(before, in_tile[i - 1]) : in_tile[i - 1];
      const T inclusive = has_before || i != 0 ? op(left, tiles[k][i]) : tiles[k][i];
      sums.push_back(initial != nullptr ? left : inclusive);
      if (initial != nullptr && k + 1 == tiles.size() && i + 1 == in_tile.size()) sums.push_back(inclusive);
    }
  }
  return sums;
}

template <scan_kind Kind, class T, class Op>
void launch(const exec& where, const test::guarded<T>& in, test::guarded<T>& out, T initial, Op op,
            const scan_options<T>& options) {
  // As of many items: by look-back.
  detail::launch_scan<Kind, T, warp_tiles, warp_tiles>(where, test::scan_of(in, out, initial, op, options),
                                                       detail::scan_method::look_back);
}

TEST_CASE("reproducible scan: the bits are those of the tree, over three levels of it") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{32 * 33}, std::size_t{32 * 1030 + 5}}) {
    CAPTURE(n);
    const auto items = rough_items(n);
    const std::vector<float> reversed(items.rbegin(), items.rend());
    const float start = 0.37f;
    const auto inclusive = along_the_tree(items, 32, nullptr);
    auto backward = along_the_tree(reversed, n % 32 == 0 ? 32 : n % 32, &start);
    const float total = backward.back();
    backward.pop_back();
    std::reverse(backward.begin(), backward.end());
    test::for_each_schedule([&] {
      const test::guarded<float> in(items);
      test::guarded<float> out(n), sum(1);
      const test::exact_scratch scratch(detail::scan_bytes<float, warp_tiles, warp_tiles>(n));
      launch<scan_kind::inclusive>(scratch.where(), in, out, 0.0f, plus{}, {.total = sum.data(), .reproducible = true});
      CHECK(bits_of(out.read()) == bits_of(inclusive));
      CHECK(bits_of(sum.read()) == bits_of(std::vector<float>{inclusive.back()}));
      launch<scan_kind::exclusive>(scratch.where(), in, out, start, plus{},
                                   {.total = sum.data(), .order = scan_order::backward, .reproducible = true});
      CHECK(bits_of(out.read()) == bits_of(backward));
      CHECK(bits_of(sum.read()) == bits_of(std::vector<float>{total}));
      scratch.check_guards();
    });
  }
}

TEST_CASE_TEMPLATE("reproducible scan by an operator that does not commute", Word, std::uint16_t, std::uint64_t) {
  using T = test::affine<Word>;
  const std::size_t n = 32 * 70 + 5;
  const auto items = test::random_items<T>(n, 17);
  const T start = items[7];
  const auto inclusive = test::serial_inclusive(items, test::compose{});
  const auto exclusive = test::serial_exclusive(items, start, test::compose{});
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<T> out(n);
    const exec where = allocating(test::test_stream());
    launch<scan_kind::inclusive>(where, in, out, start, test::compose{}, {.reproducible = true});
    CHECK(out.read() == inclusive);
    launch<scan_kind::exclusive>(where, in, out, start, test::compose{}, {.reproducible = true});
    CHECK(out.read() == exclusive);
  });
}

TEST_CASE("float sums differ between schedules, reproducible ones do not") {
  const std::size_t n = 32 * 100;
  const auto items = rough_items(n);
  std::set<std::vector<std::uint32_t>> plain, reproducible;
  for (int run = 0; run < (BALLOT_EMULATED ? 1 : 20); ++run)
    test::for_all_schedules([&] {
      const test::guarded<float> in(items);
      test::guarded<float> out(n);
      const exec where = allocating(test::test_stream());
      launch<scan_kind::inclusive>(where, in, out, 0.0f, plus{}, {});
      plain.insert(bits_of(out.read()));
      launch<scan_kind::inclusive>(where, in, out, 0.0f, plus{}, {.reproducible = true});
      reproducible.insert(bits_of(out.read()));
    });
  CHECK(reproducible.size() == 1);
#if BALLOT_EMULATED
  CHECK(plain.size() > 1);  // a GPU may happen to repeat itself
#endif
}

TEST_CASE("reproducible scan: default tiles, any scratch, a length on the device") {
  constexpr std::size_t tile = detail::reproducible_scan_shape<float>::items;
  const std::size_t capacity = 2 * tile + 77;
  const auto items = rough_items(capacity);
  for (const std::size_t n : {std::size_t{1}, tile, tile + 1, capacity}) {
    CAPTURE(n);
    const std::vector<float> some(items.begin(), items.begin() + std::ptrdiff_t(n));
    std::set<std::vector<std::uint32_t>> sums;
    test::for_all_schedules([&] {
      const test::exact_scratch scratch(scan_scratch_bytes<float>(n));
      for (std::size_t shift : {0, 1}) {
        const test::guarded<float> in(some, shift);
        test::guarded<float> out(n);
        exclusive_scan(scratch.where(), in, 1.5f, out, {.reproducible = true});
        sums.insert(bits_of(out.read()));
      }
      scratch.check_guards();

      const test::guarded<float> in(items);
      test::guarded<float> out(capacity), total(1);
      const test::guarded<std::uint64_t> count(std::vector<std::uint64_t>{n});
      exclusive_scan(allocating(test::test_stream()), counted{in, count.data()}, 1.5f, out,
                     {.total = total.data(), .reproducible = true});
      auto counted_sums = out.read();
      counted_sums.resize(n);
      sums.insert(bits_of(counted_sums));
    });
    CHECK(sums.size() == 1);
    // Not only the same: the sums.
    std::vector<float> got(n);
    std::memcpy(got.data(), sums.begin()->data(), n * sizeof(float));
    double sum = 1.5, largest = 1.5;
    bool near = true;
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(sum));
      near &= std::abs(double(got[i]) - sum) <= 1e-4 * (largest + 1e8);
      sum += double(some[i]);
    }
    CHECK(near);
  }
}

TEST_CASE("reproducible scans of integers are what they are anyway") {
  static_assert(detail::is_exact<std::uint32_t, plus>);
  static_assert(!detail::is_exact<float, plus>);
  static_assert(!detail::is_exact<test::affine<std::uint16_t>, test::compose>);
  const std::vector<int> items(5000, 3);
  test::for_each_schedule([&] {
    const test::guarded<int> in(items);
    test::guarded<int> out(items.size());
    inclusive_scan(allocating(test::test_stream()), in, out, {.reproducible = true});
    CHECK(out.read() == test::serial_inclusive(items));
  });
}

}  // namespace device_scan_reproducible
