// SPDX-License-Identifier: Apache-2.0
// Short segments, which a block sorts by ranks, beside others that it does not, against a stable
// sort of each segment.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"

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

template <class U>
std::vector<test::segmentation> around_the_longest(std::size_t n) {
  return {of_lengths("single items", n, 1, 1), of_lengths("up to 9", n, 1, 9),
          of_lengths("up to the longest", n, 1, longest<U>), of_lengths("the longest", n, longest<U>, longest<U>),
          of_lengths("one more", n, longest<U> - 3, longest<U> + 1)};
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

// The blocks in use of many items have room for fewer chunks than items.
TEST_CASE("segmented sort: more chunks in a window than a block lists") {
  using U = std::uint32_t;
  using shape = detail::first_shape<detail::large_segment_sort_shape<U>>;
  static_assert(detail::short_segments_storage<U, shape::order>::most_chunks < shape::tile_items);
  const std::size_t n = shape::tile_items + 6500;
  const auto words = test::random_items<U>(n, 25);
  test::segmentation s = of_lengths("single items first, but segments are not too short on average", n, 50, 80);
  for (std::size_t i = 0; i < shape::tile_items; ++i) s.offsets.push_back(i);
  std::sort(s.offsets.begin(), s.offsets.end());
  const auto order = test::serial_segmented_argsort(words, n, s.offsets, {});
  test::for_some_schedules(turn++, [&] {
    const test::guarded<U> in(words), offsets(std::vector<U>(s.offsets.begin(), s.offsets.end()));
    test::guarded<U> out(n);
    detail::scratch_carver measure;
    detail::segment_sort_scratch<U, detail::no_value, shape>(measure, n);
    const test::exact_scratch scratch(measure.bytes());
    detail::scratch_carver carver(scratch.where().scratch().data());
    detail::segment_sort_arguments<U, U, detail::no_value> a{};
    a.keys = in.data();
    a.n = {n, nullptr};
    a.offsets = offsets.data();
    a.segments = {offsets.size(), nullptr};
    a.layout = {{}, 0, 32};
    a.keys_out = out.data();
    detail::launch_segment_sort_in_shape<shape>(test::test_stream(), carver, a, "test");
    const auto got = out.read();
    bool right = true;
    for (std::size_t i = 0; i < n; ++i) right &= got[i] == words[order[i]];
    CHECK(right);
    scratch.check_guards();
  });
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
