// SPDX-License-Identifier: Apache-2.0
// Device-wide scans and reductions apply an operator to sums of adjacent items and to `initial`
// alone.
#include <ballot/blockwise_scan.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_call.hpp"
#include "support/schedules.hpp"
#include "support/segments.hpp"
#include "support/stretches.hpp"

#include <algorithm>

using namespace ballot;

namespace device_adjacent_operands {

using test::after_initial;
using test::initial_stretch;
using test::join_adjacent;
using test::stretch;
using test::stretches;

// The result of a commutative operator on some of the items, in any order. An invalid item has
// another mark.
struct heap {
  static constexpr std::uint32_t real = 0x5ea1;
  std::uint32_t mark, items;
  friend bool operator==(const heap&, const heap&) = default;
};
struct pile_up {
  unsigned* strangers;

  __device__ heap operator()(const heap& a, const heap& b) const {
    if (a.mark != heap::real || b.mark != heap::real)
      simt::atomic_add(strangers, 1u);  // relaxed: read behind the kernel
    return {heap::real, a.items + b.items};
  }
};

}  // namespace device_adjacent_operands

template <>
inline constexpr bool ballot::is_commutative<device_adjacent_operands::pile_up, device_adjacent_operands::heap> = true;

namespace device_adjacent_operands {

// Runs call(op) and returns how many strangers the operator has counted.
template <class Word, class Call>
unsigned strangers_of(std::size_t n, Call call) {
  const test::guarded<unsigned> strangers(std::vector<unsigned>{0});
  call(join_adjacent<Word>{static_cast<Word>(n), strangers.data()});
  return strangers.read()[0];
}

// One item to a tile and more: around a lane's items, a warp's, a tile's.
template <class Shape>
std::vector<std::size_t> lengths_in_tiles() {
  std::vector<std::size_t> lengths{1, 2, 3, 5, 31, 32, 33};
  const std::size_t lane = Shape::chunks * Shape::width;
  for (const std::size_t around : {lane, 2 * lane, std::size_t{Shape::warp_items}, std::size_t{Shape::items}})
    for (const std::size_t n : {around - 1, around, around + 1})
      if (n != 0) lengths.push_back(n);
  lengths.push_back(3 * Shape::items + 7);
  lengths.push_back(37 * Shape::items + Shape::warp_items + 3);  // more than a warp's tiles
  return lengths;
}

// Segments as [begin of the segment of i] for each i.
std::vector<std::size_t> heads_of_items(const std::vector<bool>& heads) {
  std::vector<std::size_t> head(heads.size());
  for (std::size_t i = 1; i < heads.size(); ++i) head[i] = heads[i] ? i : head[i - 1];
  return head;
}

template <class Word>
struct segmented_sums {
  std::vector<stretch<Word>> inclusive, exclusive;
};
// heads: in the order of the scan.
template <class Word>
segmented_sums<Word> sums_of_segments(const std::vector<bool>& heads, bool backward) {
  segmented_sums<Word> sums;
  const std::vector<std::size_t> head = heads_of_items(heads);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    sums.inclusive.push_back({static_cast<Word>(head[i]), static_cast<Word>(i + 1)});
    sums.exclusive.push_back(after_initial<Word>(head[i], i));
  }
  if (backward) {
    std::reverse(sums.inclusive.begin(), sums.inclusive.end());
    std::reverse(sums.exclusive.begin(), sums.exclusive.end());
  }
  return sums;
}

template <class Word, class Shape>
void check_scans(std::size_t n, const scan_options<stretch<Word>>& asked, unsigned turn,
                 detail::scan_method few = detail::scan_method::in_cluster) {
  if (few == detail::scan_method::in_cluster) {
    check_scans<Word, Shape>(n, asked, turn, detail::scan_method::aggregates_first);
    check_scans<Word, Shape>(n, asked, turn, detail::scan_method::look_back);
  }
  using T = stretch<Word>;
  const bool backward = asked.order == scan_order::backward;
  const auto sums = sums_of_segments<Word>(std::vector<bool>(n), backward);
  test::for_some_schedules(turn, [&] {
    const test::guarded<T> in(stretches<Word>(n, backward));
    test::guarded<T> out(n), total(1);
    const test::exact_scratch scratch(detail::scan_bytes<T, Shape, Shape>(n));
    auto options = asked;
    options.total = total.data();
    const auto launch = [&]<device::scan_kind Kind>() {
      return strangers_of<Word>(n, [&](auto op) {
        detail::launch_scan<Kind, T, Shape, Shape>(scratch.where(),
                                                   test::scan_of(in, out, initial_stretch<Word>(), op, options), few);
      });
    };
    CHECK(launch.template operator()<device::scan_kind::inclusive>() == 0);
    CHECK(out.read() == sums.inclusive);
    CHECK(total.read()[0] == T{0, static_cast<Word>(n)});
    CHECK(launch.template operator()<device::scan_kind::exclusive>() == 0);
    CHECK(out.read() == sums.exclusive);
    CHECK(total.read()[0] == after_initial<Word>(0, n));
  });
}

TEST_CASE("reductions apply a commutative operator to valid items alone") {
  using shape = device::reduce_shape<64, 2, 2, 3, 5>;
  unsigned turn = 0;
  for (const std::size_t n : lengths_in_tiles<shape>()) {
    CAPTURE(n);
    test::for_some_schedules(turn++, [&] {
      const test::guarded<heap> in(std::vector<heap>(n, {heap::real, 1}));
      const test::guarded<heap> result(1);
      const test::guarded<unsigned> strangers(std::vector<unsigned>{0});
      const test::exact_scratch scratch(detail::reduce_scratch_bytes_of<heap>(shape::blocks(n)));
      detail::launch_reduce<device::items_as<heap>, heap, shape>(
          scratch.where(), detail::as_input(in), result.data(), heap{heap::real, 7}, pile_up{strangers.data()}, "test");
      CHECK(strangers.read()[0] == 0);
      CHECK(result.read()[0] == heap{heap::real, static_cast<std::uint32_t>(n) + 7});
    });
  }
}

TEST_CASE_TEMPLATE("scans apply an operator to adjacent items alone", Word, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  using shape = block::tile_shape<64, 3, block::vector_width<stretch<Word>>()>;
  unsigned turn = 0;
  for (const std::size_t n : lengths_in_tiles<shape>()) {
    for (const scan_order order : {scan_order::forward, scan_order::backward}) {
      for (const bool reproducible : {false, true}) {
        const bool backward = order == scan_order::backward;
        CAPTURE(n);
        CAPTURE(backward);
        CAPTURE(reproducible);
        check_scans<Word, shape>(n, {.order = order, .reproducible = reproducible}, turn++);
      }
    }
  }
}

TEST_CASE("scans in the shapes that users get apply an operator to adjacent items alone") {
  using T = stretch<std::uint32_t>;
  const std::size_t tile = detail::small_scan_shape<T>::items;
  for (const std::size_t n : {std::size_t{5}, tile - 1, tile, 3 * tile + 7}) {
    CAPTURE(n);
    const auto sums = sums_of_segments<std::uint32_t>(std::vector<bool>(n), false);
    test::depth_first([&] {
      const test::guarded<T> in(stretches<std::uint32_t>(n));
      test::guarded<T> out(n);
      const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
      CHECK(strangers_of<std::uint32_t>(n, [&](auto op) { inclusive_scan(scratch.where(), in, op, out); }) == 0);
      CHECK(out.read() == sums.inclusive);
    });
  }
}

TEST_CASE_TEMPLATE("reductions apply an operator to adjacent items alone", Word, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
  using T = stretch<Word>;
  using shape = device::reduce_shape<64, 2, 16 / sizeof(T), 3, 5>;
  unsigned turn = 0;
  for (const std::size_t n : lengths_in_tiles<shape>()) {
    for (const std::size_t shift : {0, 1}) {
      CAPTURE(n);
      CAPTURE(shift);
      test::for_some_schedules(turn++, [&] {
        const test::guarded<T> in(stretches<Word>(n), shift);
        test::guarded<T> result(1);
        const test::exact_scratch scratch(detail::reduce_scratch_bytes_of<T>(shape::blocks(n)));
        CHECK(strangers_of<Word>(n, [&](auto op) {
                detail::launch_reduce<device::items_as<T>, T, shape>(
                    scratch.where(), detail::as_input(in), result.data(), initial_stretch<Word>(), op, "test");
              }) == 0);
        CHECK(result.read()[0] == after_initial<Word>(0, n));
      });
    }
  }
}

TEST_CASE_TEMPLATE("segmented scans apply an operator to adjacent items alone", Word, std::uint16_t, std::uint64_t) {
  using T = stretch<Word>;
  using shape = block::tile_shape<64, 3, block::vector_width<T>()>;
  unsigned turn = 0;
  for (const std::size_t n : lengths_in_tiles<shape>()) {
    for (const test::named_heads& pattern : test::head_patterns<shape>(n)) {
      for (const bool backward : {false, true}) {
        if (n > 4 * shape::items && turn % 4 != 0) {
          ++turn;
          continue;
        }
        CAPTURE(n);
        CAPTURE(pattern.name);
        CAPTURE(backward);
        auto heads = backward ? test::heads_from_end(pattern.heads) : pattern.heads;
        const auto sums = sums_of_segments<Word>(heads, backward);
        test::for_some_schedules(turn++, [&] {
          const test::guarded<T> in(stretches<Word>(n, backward));
          const test::guarded<std::uint8_t> flags(
              std::vector<std::uint8_t>(pattern.heads.begin(), pattern.heads.end()));
          test::guarded<T> out(n);
          const test::exact_scratch scratch(detail::segmented_scan_bytes<T, shape>(n));
          const auto scan = [&]<device::scan_kind Kind, bool Backward>() {
            return strangers_of<Word>(n, [&](auto op) {
              detail::segmented_scan<Kind, T, Backward, shape>(scratch.where(), detail::as_input(in), byte_flags{flags},
                                                               detail::as_output(out), initial_stretch<Word>(), op,
                                                               "test");
            });
          };
          constexpr auto inclusive = device::scan_kind::inclusive, exclusive = device::scan_kind::exclusive;
          CHECK((backward ? scan.template operator()<inclusive, true>()
                          : scan.template operator()<inclusive, false>()) == 0);
          CHECK(out.read() == sums.inclusive);
          CHECK((backward ? scan.template operator()<exclusive, true>()
                          : scan.template operator()<exclusive, false>()) == 0);
          CHECK(out.read() == sums.exclusive);
        });
      }
    }
  }
}

TEST_CASE_TEMPLATE("block-wise scans apply an operator to adjacent items alone", Word, std::uint16_t, std::uint64_t) {
  using T = stretch<Word>;
  using shape = block::tile_shape<64, 3, block::vector_width<T>()>;
  using long_shape = block::tile_shape<64, 2, block::vector_width<T>()>;
  unsigned turn = 0;
  for (const std::size_t n : lengths_in_tiles<shape>()) {
    for (const std::uint64_t block_items : {1u, 2u, 5u, 32u, 33u, shape::chunk_items, 100u, shape::warp_items,
                                            shape::items - 1, shape::items, shape::items + 1, 3 * shape::items + 1}) {
      if (n > 4 * shape::items && turn % 3 != 0) {
        ++turn;
        continue;
      }
      CAPTURE(n);
      CAPTURE(block_items);
      std::vector<bool> heads(n);
      for (std::size_t i = 0; i < n; ++i) heads[i] = i % block_items == 0;
      const auto sums = sums_of_segments<Word>(heads, false);
      test::for_some_schedules(turn++, [&] {
        const test::guarded<T> in(stretches<Word>(n));
        test::guarded<T> out(n);
        const test::exact_scratch scratch(detail::blockwise_scan_bytes<T, shape, long_shape>(n, block_items));
        const auto scan = [&]<device::scan_kind Kind>() {
          return strangers_of<Word>(n, [&](auto op) {
            detail::blockwise_scan<Kind, T, shape, long_shape>(scratch.where(), detail::as_input(in),
                                                               detail::as_output(out), block_items,
                                                               initial_stretch<Word>(), op, "test");
          });
        };
        CHECK(scan.template operator()<device::scan_kind::inclusive>() == 0);
        CHECK(out.read() == sums.inclusive);
        CHECK(scan.template operator()<device::scan_kind::exclusive>() == 0);
        CHECK(out.read() == sums.exclusive);
      });
    }
  }
}

}  // namespace device_adjacent_operands
