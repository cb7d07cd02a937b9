// SPDX-License-Identifier: Apache-2.0
// Short segments, which a block sorts by ranks, beside others that it does not, against a stable
// sort of each segment.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"

#include <algorithm>

using namespace ballot;

namespace algorithms_segmented_sort_short {

unsigned turn = 0;  // of cases, to take the schedules in turns

template <class U>
constexpr std::size_t longest = detail::longest_short_segment<U>;

// Segments of `least` to `most` items.
test::segmentation of_lengths(std::string name, std::size_t n, std::size_t least, std::size_t most) {
  test::segmentation made{std::move(name), {}};
  std::mt19937 random(11);
  for (std::size_t at = 0; at < n; at += least + random() % (most - least + 1)) made.offsets.push_back(at);
  return made;
}

// As values, the caller's and positions.
template <class K>
void check(std::size_t n, const std::vector<ordered_bits_t<K>>& words, const std::vector<test::segmentation>& all,
           const sort_options& options = {}) {
  using V = std::uint16_t;
  const auto keys = test::keys_as<K>(words);
  std::vector<V> positions(n);
  for (std::size_t i = 0; i < n; ++i) positions[i] = static_cast<V>(3 * i);
  for (const test::segmentation& s : all) {
    CAPTURE(s.name);
    const auto order = test::serial_segmented_argsort(keys, n, s.offsets, options);
    test::for_some_schedules(turn++, [&] {
      const test::guarded<K> in(keys);
      const test::guarded<V> values(positions);
      const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(s.offsets.begin(), s.offsets.end()));
      test::guarded<K> out(n), alone(n);
      test::guarded<V> values_out(n);
      const exec where = allocating(test::test_stream());
      segmented_sort_pairs(where, in, values, offsets, out, values_out, options);
      segmented_sort(where, in, offsets, alone, options);
      const auto got = test::as_words(out.read()), got_alone = test::as_words(alone.read());
      const auto got_values = values_out.read();
      bool right = true;
      for (std::size_t i = 0; i < n; ++i)
        right &= got[i] == words[order[i]] && got_alone[i] == got[i] && got_values[i] == positions[order[i]];
      CHECK(right);
    });
  }
}

// Empty segments at the end, so that segments are short on average.
void add_empty(test::segmentation& s, std::size_t n) { s.offsets.insert(s.offsets.end(), n / 30, n); }

template <class U>
std::vector<test::segmentation> around_the_longest(std::size_t n) {
  std::vector<test::segmentation> all{of_lengths("single items", n, 1, 1),
                                      of_lengths("up to 9", n, 1, 9),
                                      of_lengths("of 9 to 12", n, 9, 12),
                                      of_lengths("up to 130", n, 1, 130),
                                      of_lengths("up to the longest", n, 1, longest<U>),
                                      of_lengths("the longest", n, longest<U>, longest<U>),
                                      of_lengths("one more", n, longest<U> - 3, longest<U> + 1)};
  for (test::segmentation& s : all) add_empty(s, n);
  return all;
}

TEST_CASE_TEMPLATE("segmented sort: short segments of keys of all sizes", U, std::uint8_t, std::uint32_t,
                   std::uint64_t) {
  const std::size_t n = 2300;
  check<U>(n, test::random_items<U>(n, 21), around_the_longest<U>(n));
}

// A bound that is one above such a key is zero.
TEST_CASE_TEMPLATE("segmented sort: short segments of equal keys, and of the largest", U, std::uint32_t,
                   std::uint64_t) {
  const std::size_t n = 1500;
  auto words = test::random_items<U>(n, 22);
  for (U& word : words) word = static_cast<U>(word % 3 - 2);  // the two largest, and 0
  check<U>(n, words, around_the_longest<U>(n));
}

TEST_CASE("segmented sort: short segments of floats and by some bits of keys") {
  const std::size_t n = 1500;
  const auto words = test::random_items<std::uint32_t>(n, 23);
  check<float>(n, words, around_the_longest<std::uint32_t>(n), {direction::descending});
  check<std::int32_t>(n, words, {of_lengths("up to 20", n, 0, 20)}, {direction::descending, {7, 12}});
}

// Many items are sorted by two kernels: one for the tiles all of whose segments are short, and one
// for those that it leaves.
template <class shape, class U, class V>
void check_in_shape(const std::vector<U>& words, const test::segmentation& s) {
  const std::size_t n = words.size();
  CAPTURE(s.name);
  const auto order = test::serial_segmented_argsort(words, n, s.offsets, {});
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(s.offsets.begin(), s.offsets.end()));
    test::guarded<U> out(n);
    test::guarded<V> values_out(n);
    detail::scratch_carver measure;
    detail::segment_sort_scratch<U, V, shape>(measure, n);
    const test::exact_scratch scratch(measure.bytes());
    detail::scratch_carver carver(scratch.where().scratch().data());
    detail::segment_sort_arguments<U, std::uint32_t, V> a{};
    a.keys = in.data();
    a.n = {n, nullptr};
    a.offsets = offsets.data();
    a.segments = {offsets.size(), nullptr};
    a.layout = {{}, 0, 8 * sizeof(U)};
    a.keys_out = out.data();
    a.values_out = values_out.data();
    REQUIRE(detail::are_short_on_average(a));
    detail::launch_segment_sort_in_shape<shape>(test::test_stream(), carver, a, "test");
    const auto got = out.read();
    const auto got_values = values_out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= got[i] == words[order[i]] && got_values[i] == order[i];
    CHECK(right);
    scratch.check_guards();
  });
}
template <class U, class V>
void check_in_shape_of_many(const std::vector<U>& words, const test::segmentation& s) {
  check_in_shape<detail::first_shape<detail::large_segment_sort_shape<U>>, U, V>(words, s);
}
TEST_CASE_TEMPLATE("segmented sort: many short segments, and tiles with others", U, std::uint32_t, std::uint64_t) {
  constexpr std::size_t tile = detail::first_shape<detail::large_segment_sort_shape<U>>::tile_items;
  const std::size_t n = 3 * tile + 123;
  const auto words = test::random_items<U>(n, 25);
  auto tiny = of_lengths("of up to 9 items", n, 0, 9), most = of_lengths("of up to the longest", n, 1, longest<U>),
       single = of_lengths("of one item", n, 1, 1);
  add_empty(most, n);
  check_in_shape_of_many<U, std::uint32_t>(words, tiny);
  check_in_shape_of_many<U, std::uint32_t>(words, most);
  check_in_shape_of_many<U, std::uint32_t>(words, single);
  check_in_shape_of_many<U, std::uint32_t>(words, of_lengths("of 12 items", n, 12, 12));
  check_in_shape_of_many<U, std::uint32_t>(words, of_lengths("of 13 items", n, 13, 13));
  // One tile has a segment that is too long, and one has none.
  auto some = tiny, none = tiny;
  std::erase_if(some.offsets, [&](std::uint64_t at) { return at > tile + 400 && at <= tile + 400 + longest<U>; });
  std::erase_if(none.offsets, [&](std::uint64_t at) { return at > tile - 5 && at < 2 * tile + 7; });
  check_in_shape_of_many<U, std::uint32_t>(words, some);
  check_in_shape_of_many<U, std::uint32_t>(words, none);
}

// Some of one tile, some that a block has room for, some that are merged, and some sorted by digits.
TEST_CASE("segmented sort: many short segments, and a few long ones in small blocks") {
  using U = std::uint32_t;
  using shape = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 4>;
  const std::size_t n = 17'000;
  const auto words = test::random_items<U>(n, 27);
  for (const std::size_t gap : {40, 700, 1500}) {
    test::segmentation s = of_lengths("long ones among others", n, 0, 9);
    std::size_t at = 200;
    for (const std::size_t length : {600, 1000, 1100, 2200, 3000, 5200}) {
      std::erase_if(s.offsets, [&](std::uint64_t o) { return o > at && o < at + length; });
      at += length + gap / 2;
    }
    check_in_shape<shape, U, std::uint32_t>(words, s);
  }
}

// Offsets that do not ascend here and there, within tiles and across them, and fewer items than the
// launch is for: all items are there, whatever their order, and none is written behind them.
TEST_CASE("segmented sort: many short segments by offsets that do not ascend, of a length on the device") {
  using U = std::uint32_t;
  using V = std::uint32_t;
  using shape = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 4>;
  std::mt19937 random(31);
  for (const std::size_t n : {std::size_t{8'000}, std::size_t{17'000}}) {  // merged twice; or sorted by digits
    for (unsigned turns = 0; turns < 5; ++turns) {
      CAPTURE(n);
      CAPTURE(turns);
      const std::size_t length = turns == 0 ? n : turns == 1 ? 0 : n - 900 - random() % 3000;
      auto at = of_lengths("short ones", n, 0, 19).offsets;
      if (turns != 1) std::erase_if(at, [&](std::uint64_t o) { return o > 3100 && o < 4300; });  // one is merged
      for (unsigned swaps = 0; swaps + 6 < 3 * turns; ++swaps) {
        const std::size_t i = random() % at.size(),
                          j = swaps % 3 == 0 ? random() % at.size() : std::min(i + 1, at.size() - 1);
        std::swap(at[i], at[j]);
      }
      // Segments of one item and of two, listed by different warps, begin at the same places.
      for (std::size_t i = 100; turns == 4 && i < 140; i += 4) {
        at[i + 1] = at[i] + 1;
        at[i + 50] = at[i];
        at[i + 51] = at[i] + 1 + i / 4 % 2;
      }
      const bool ascends = std::is_sorted(at.begin(), at.end());
      const auto words = test::random_items<U>(n, 32 + turns);
      const std::vector<U> head(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
      test::for_some_schedules(turn++, [&] {
        const test::guarded<U> in(words);
        const test::guarded<std::uint32_t> offsets(std::vector<std::uint32_t>(at.begin(), at.end()));
        const test::guarded<std::uint64_t> counts(std::vector<std::uint64_t>{length, at.size()});
        test::guarded<U> out(n);
        test::guarded<V> values_out(n);
        detail::scratch_carver measure;
        detail::segment_sort_scratch<U, V, shape>(measure, n);
        const test::exact_scratch scratch(measure.bytes());
        detail::scratch_carver carver(scratch.where().scratch().data());
        detail::segment_sort_arguments<U, std::uint32_t, V> a{};
        a.keys = in.data();
        a.n = {n, counts.data()};
        a.offsets = offsets.data();
        a.segments = {offsets.size(), counts.data() + 1};
        a.layout = {{}, 0, 8 * sizeof(U)};
        a.keys_out = out.data();
        a.values_out = values_out.data();
        REQUIRE(detail::are_short_on_average(a));
        detail::launch_segment_sort_in_shape<shape>(test::test_stream(), carver, a, "test");
        const auto got = out.read();
        const auto got_values = values_out.read();
        std::vector<bool> seen(n);
        bool right = true;
        for (std::size_t i = 0; i < length; ++i) {
          const V from = got_values[i];
          right = right && from < length && !seen[from] && got[i] == words[from];
          if (right) seen[from] = true;
        }
        for (std::size_t i = length; i < n; ++i) right = right && test::is_dirt(got[i]) && test::is_dirt(got_values[i]);
        CHECK(right);
        if (ascends) {
          std::vector<std::uint64_t> within(at);
          for (std::uint64_t& o : within) o = std::min<std::uint64_t>(o, length);
          const auto order = test::serial_segmented_argsort(head, length, within, {});
          CHECK(std::equal(order.begin(), order.end(), got_values.begin()));
        }
        scratch.check_guards();
      });
    }
  }
}

// A search begins near where the offset would lie. So the one for a tile's end may end before the
// one for its begin, after all offsets.
TEST_CASE("segmented sort: offsets that do not ascend, and none is read after the last") {
  using U = std::uint32_t;
  using shape = detail::segment_sort_shape<detail::block_sort_shape<8, 5, 10>, 700, 4>;
  constexpr std::size_t n = 8000, end_of_tile = 4200;
  std::vector<std::uint32_t> at(3000);
  REQUIRE(at.size() >= detail::least_guessed_offsets);
  at[(end_of_tile - 1) * at.size() / n] = n;  // looked at first; of the others, all begin before the tile
  const auto words = test::random_items<U>(n, 33);
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words);
    const test::guarded<std::uint32_t> offsets(at);
    test::guarded<U> out(n);
    detail::scratch_carver measure;
    detail::segment_sort_scratch<U, detail::no_value, shape>(measure, n);
    const test::exact_scratch scratch(measure.bytes());
    detail::scratch_carver carver(scratch.where().scratch().data());
    detail::segment_sort_arguments<U, std::uint32_t, detail::no_value> a{};
    a.keys = in.data();
    a.n = {n, nullptr};
    a.offsets = offsets.data();
    a.segments = {offsets.size(), nullptr};
    a.layout = {{}, 0, 8 * sizeof(U)};
    a.keys_out = out.data();
    REQUIRE(detail::are_short_on_average(a));
    detail::launch_segment_sort_in_shape<shape>(test::test_stream(), carver, a, "test");
    CHECK(out.read() == words);
    scratch.check_guards();
  });
}

// Words in registers have no room for all bits.
TEST_CASE_TEMPLATE("segmented sort: short segments of keys that agree in leading bits", U, std::uint32_t,
                   std::uint64_t) {
  const std::size_t n = 2047;
  auto words = test::random_items<U>(n, 26);
  for (std::size_t i = 0; i < n; ++i)
    words[i] =
        static_cast<U>((words[i] % 5) | (i % 3 == 0 ? U{1} << (8 * sizeof(U) - 1) : U{0}) | (words[i] & U{96}) << 20);
  check<U>(n, words, around_the_longest<U>(n));
}

// A search begins where it would end if all segments had one length. Here it would not.
TEST_CASE("segmented sort: offsets that are unevenly spread, and many") {
  using U = std::uint16_t;
  const std::size_t n = 5200;
  test::segmentation early{"many at the begin", {}}, late{"many at the end", {}}, even{"even", {}};
  for (std::size_t i = 0; i < 2600; ++i) early.offsets.push_back(i / 2), late.offsets.push_back(n - 1300 + i / 2);
  for (std::size_t i = 1300; i < n; i += 400) early.offsets.push_back(i);
  late.offsets.insert(late.offsets.begin(), {0, 700, 1500, 2400, 2433, 3100, 3890});
  for (std::size_t i = 0; i < n; i += 2) even.offsets.push_back(i);
  for (const test::segmentation* s : {&early, &late, &even})
    REQUIRE(s->offsets.size() >= detail::least_guessed_offsets);
  check<U>(n, test::random_items<U>(n, 24), {early, late, even});
}

}  // namespace algorithms_segmented_sort_short
