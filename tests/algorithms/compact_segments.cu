// SPDX-License-Identifier: Apache-2.0
// Compaction of segments against a loop: empty, short and long ones, over many tiles, flags, zips,
// lengths on the device.
#include <ballot/compact_segments.cuh>

#include "support/device_data.hpp"
#include "support/odd_items.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;
using test::is_odd;

namespace algorithms_compact_segments {

// Segments of 0 to `longest` items that cover n.
template <class Index>
std::vector<Index> make_offsets(std::size_t n, std::size_t longest) {
  const auto random = test::random_items<std::uint32_t>(n + 2, 11);
  std::vector<Index> offsets{0};
  for (std::size_t s = 0; offsets.back() < n; ++s)
    offsets.push_back(static_cast<Index>(std::min<std::size_t>(n, offsets.back() + random[s % n] % (longest + 1))));
  return offsets;
}
template <class Index>
std::vector<Index> kept_before(const std::vector<bool>& flags, const std::vector<Index>& offsets) {
  std::vector<Index> before, of_position(flags.size() + 1, 0);
  for (std::size_t i = 0; i < flags.size(); ++i) of_position[i + 1] = of_position[i] + flags[i];
  for (Index o : offsets) before.push_back(of_position[std::min<std::size_t>(o, flags.size())]);
  return before;
}

TEST_CASE("segments over many tiles") {
  using T = std::uint32_t;
  using small = block::tile_shape<64, 1, 2>;
  const std::size_t n = small::items * 40 + 17;
  const auto items = test::random_items<T>(n, 5);
  std::vector<bool> flags(n);
  std::vector<T> want;
  for (std::size_t i = 0; i < n; ++i)
    if ((flags[i] = items[i] % 2 != 0)) want.push_back(items[i]);
  for (std::size_t longest : {std::size_t{3}, std::size_t{200}, n}) {
    CAPTURE(longest);
    const auto offsets = make_offsets<std::uint32_t>(n, longest);
    const auto want_offsets = kept_before(flags, offsets);
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      const test::guarded<std::uint32_t> begin(offsets);
      test::guarded<T> out(n);
      test::guarded<std::uint32_t> new_begin(offsets.size());
      detail::launch_compact_segments<small>(allocating(test::test_stream()), detail::as_inputs(in),
                                             detail::as_input(begin), is_odd{}, detail::as_outputs(out),
                                             new_begin.data(), "test");
      const auto got = out.read();
      CHECK(std::equal(want.begin(), want.end(), got.begin()));
      CHECK(new_begin.read() == want_offsets);
    });
  }
}

TEST_CASE("segments at every length: by predicate, flags, of zips, of a length on the device") {
  using T = std::uint32_t;
  using shape = detail::partition_shape<detail::rejects::dropped, T>;
  for (std::size_t n : test::lengths_around(shape::items)) {
    CAPTURE(n);
    const auto flags = test::make_flags(test::flag_patterns[n % 2 == 0 ? 5 : 1], n);
    auto items = test::random_items<T>(n + 40, 5);
    std::vector<std::uint8_t> bytes(n);
    std::vector<T> want;
    for (std::size_t i = 0; i < n; ++i) {
      items[i] = (items[i] & ~1u) | flags[i];
      if ((bytes[i] = flags[i]) != 0) want.push_back(items[i]);
    }
    auto offsets = make_offsets<std::uint64_t>(n, 37);
    const auto want_offsets = kept_before(flags, offsets);
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      const test::guarded<std::uint8_t> byte(bytes);
      const test::guarded<std::uint64_t> begin(offsets), length(std::vector<std::uint64_t>{n});
      test::guarded<T> out(n), positions_out(n);
      test::guarded<std::uint64_t> new_begin(offsets.size());
      const auto before = [&] { out.fill_dirt(), new_begin.fill_dirt(); };
      const auto check = [&] {
        const auto got = out.read();
        CHECK(std::equal(want.begin(), want.end(), got.begin()));
        CHECK(new_begin.read() == want_offsets);
      };
      const test::unaligned_scratch scratch(compact_segments_scratch_bytes<T>(n + 40));
      test::directly_and_captured(
          before,
          [&] {
            compact_segments(scratch.where(), counted{in, length.data()}, begin, is_odd{}, out, new_begin);
          },
          check);
      const std::span<const T> first_n(in.data(), n);
      compact_segments(allocating(test::test_stream()), zip{first_n, positions(n)}, begin, byte_flags{byte},
                       zip{out, positions_out}, new_begin);
      check();
      scratch.check_guards();
    });
  }
}

TEST_CASE("segments of no items, and offsets behind the length on the device") {
  using T = std::uint32_t;
  const std::size_t n = 1000, there = 700;
  const std::vector<T> items(n, 1);  // all are selected
  test::for_each_schedule([&] {
    const test::guarded<T> in(items), begin(std::vector<T>{0, 650, 800, 1000});
    const test::guarded<std::uint64_t> length(std::vector<std::uint64_t>{there});
    test::guarded<T> out(n), new_begin(4);
    const exec where = allocating(test::test_stream());
    compact_segments(where, counted{in, length.data()}, begin, is_odd{}, out, new_begin);
    CHECK(new_begin.read() == std::vector<T>{0, 650, there, there});
    new_begin.fill_dirt();
    compact_segments(where, std::span<const T>(), begin, is_odd{}, std::span<T>(), new_begin);
    CHECK(new_begin.read() == std::vector<T>{0, 0, 0, 0});
  });
}

TEST_CASE("segments: bad arguments are errors before any work") {
  using T = std::uint32_t;
  const std::size_t n = 1000;
  const test::guarded<T> in(std::vector<T>(n, 1)), begin(std::vector<T>{0, 500, 1000});
  test::guarded<T> out(n), new_begin(3);
  const exec where = allocating(test::test_stream());
  const test::unaligned_scratch small(compact_segments_scratch_bytes<T>(n) - 2);
  const std::span<T> null(static_cast<T*>(nullptr), 3);
  const auto refused = [&](const auto& call) { CHECK_THROWS_AS(call(), invalid_argument); };
  refused([&] { compact_segments(where, in, null, is_odd{}, out, new_begin); });
  refused([&] { compact_segments(where, in, null.subspan(0, 0), is_odd{}, out, null.subspan(0, 0)); });
  refused([&] { compact_segments(where, in, begin, is_odd{}, out, null); });
  refused([&] { compact_segments(where, in, begin, is_odd{}, out, std::span(new_begin.data(), 2)); });
  refused([&] { compact_segments(where, in, begin, is_odd{}, out, std::span(out.data(), 3)); });
  refused([&] { compact_segments(where, in, std::span(new_begin.data(), 3), is_odd{}, out, new_begin); });
  refused([&] { compact_segments(where, in, begin, is_odd{}, in, new_begin); });
  refused([&] { compact_segments(where, in, begin, byte_flags{}, out, new_begin); });
  refused([&] { compact_segments(small.where(), in, begin, is_odd{}, out, new_begin); });
  CHECK(test::is_dirt(out.read()[0]));
  CHECK(test::is_dirt(new_begin.read()[0]));
}

}  // namespace algorithms_compact_segments
