// SPDX-License-Identifier: Apache-2.0
// Passes that are skipped: the plan by itself, and sorts of keys that need few passes or none, in
// every kind of buffer.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;
using detail::launch_action;

namespace algorithms_radix_steps {

struct large {
  std::uint64_t a, b, c;
  bool operator==(const large&) const = default;
};

// Runs a plan over named buffers: where the items end, and whether every step read what the one
// before wrote.
enum class place { input, output, spare };
struct outcome {
  place at = place::input;
  int passes = 0, copies = 0;
  bool coded_once = true, read_what_was_written = true, ranks_as_planned = true;
};

outcome follow(std::uint32_t trivial, const detail::radix_step_rule& rule) {
  const detail::all_digits_plan plan(trivial, rule, true);
  outcome o;
  int encoded = 0, decoded = 0;
  for (int l = 0; l < rule.launches; ++l) {
    // Every third digit is spread, of the others one value is frequent.
    const std::uint32_t frequent = l % 3 == 0 ? detail::radix_digits : 255u - static_cast<unsigned>(l);
    const launch_action r = plan.action(l, frequent);
    if (r.bits == 0) continue;
    const place from = r.has(launch_action::first_step)  ? place::input
                       : r.has(launch_action::to_output) ? place::spare
                                                         : place::output;
    o.read_what_was_written &= from == o.at && r.has(launch_action::first_step) == (o.passes + o.copies == 0);
    o.at = r.has(launch_action::to_output) ? place::output : place::spare;
    if (r.has(launch_action::pass)) {
      o.read_what_was_written &= (trivial >> l & 1u) == 0 && r.has(launch_action::odd_pass) == (o.passes % 2 != 0);
      o.coded_once &= r.has(launch_action::first_pass) == (o.passes == 0) && decoded == 0;
      o.ranks_as_planned &=
          r.frequent_digit() == frequent && r.has(launch_action::unstable) == (o.passes == 0 && l % 3 == 0);
      encoded += r.has(launch_action::first_pass), decoded += r.has(launch_action::last_pass);
      ++o.passes;
    } else {
      ++o.copies;
    }
  }
  o.coded_once &= encoded == (o.passes != 0) && decoded == (o.passes != 0);
  return o;
}

template <class U>
struct trivial_case {
  std::string name;
  std::vector<U> keys;
};

// Keys with constant digits in every combination of a few, and keys in order.
std::vector<trivial_case<std::uint32_t>> trivial_cases(std::size_t n) {
  using U = std::uint32_t;
  std::vector<trivial_case<U>> cases;
  const auto random = test::random_items<U>(n, 51);
  for (U mask : {0x00000000u, 0x00ff0000u, 0xff0000ffu, 0xffffff00u}) {
    std::vector<U> keys(random);
    for (U& k : keys) k = (k & mask) | (0x5a5a5a5au & ~mask);
    cases.push_back({"varying bits " + std::to_string(mask), keys});
  }
  std::vector<U> sorted(random);
  std::sort(sorted.begin(), sorted.end());
  cases.push_back({"in order", sorted});
  std::vector<U> last = sorted;
  if (n > 1) std::swap(last[n - 2], last[n - 1]);
  cases.push_back({"in order except the last", last});
  return cases;
}

TEST_CASE("the plan of a sort by leading bits: two passes or one, into every kind of buffer") {
  using rule = detail::radix_step_rule;
  for (int passes : {4, 8})
    for (int leading_passes : {1, 2})
      for (const rule& r :
           {rule{passes, 1, rule::any_parity}, rule{passes, 0, 0}, rule{passes, 2, 0}, rule{passes + 1, 1, 1}})
        for (std::uint32_t frequent_digit : {std::uint32_t{detail::radix_digits}, 7u}) {
          CAPTURE(passes);
          CAPTURE(leading_passes);
          CAPTURE(r.min_steps);
          const detail::leading_bits_plan plan(passes, leading_passes, r, true);
          const launch_action local_sort = plan.local_sort();
          place at = place::input;
          for (int l = 0; l < r.launches; ++l) {
            const int pass = l - (passes - leading_passes);
            const launch_action action = plan.action(l, frequent_digit);
            CAPTURE(l);
            CHECK(action.has(launch_action::pass) == (pass >= 0 && l < passes));
            if (!action.has(launch_action::pass)) {
              CHECK(action.bits == 0);
              continue;
            }
            const place from = action.has(launch_action::first_step)  ? place::input
                               : action.has(launch_action::to_output) ? place::spare
                                                                      : place::output;
            CHECK(from == at);
            at = action.has(launch_action::to_output) ? place::output : place::spare;
            CHECK(action.has(launch_action::by_leading_bits));
            CHECK(action.has(launch_action::first_pass) == (pass == 0));
            CHECK(action.has(launch_action::odd_pass) == (pass == 1));
            // The keys are not done, so they are neither decoded nor left out.
            CHECK_FALSE(action.has(launch_action::last_pass));
            CHECK_FALSE(action.has(launch_action::last_step));
            CHECK(action.has(launch_action::unstable) == (pass == 0 && frequent_digit == detail::radix_digits));
            CHECK(action.frequent_digit() == frequent_digit);
          }
          CHECK(local_sort.has(launch_action::local_sort));
          CHECK(local_sort.has(launch_action::from_spare) == (at == place::spare));
          // In place, no pass may write what it reads.
          const int steps = leading_passes + local_sort.has(launch_action::from_spare);
          CHECK(steps >= r.min_steps);
          CHECK((r.parity == rule::any_parity || steps % 2 == r.parity));
        }
}

TEST_CASE("the plan of steps, for every set of trivial launches") {
  using rule = detail::radix_step_rule;
  for (int launches = 1; launches <= 6; ++launches)
    for (std::uint32_t trivial = 0; trivial < 1u << launches; ++trivial) {
      CAPTURE(launches);
      CAPTURE(trivial);
      const outcome any = follow(trivial, {launches, 1, rule::any_parity});
      CHECK(any.at == place::output);
      CHECK(any.passes == launches - std::popcount(trivial));
      CHECK(any.copies == (any.passes == 0));
      CHECK((any.coded_once && any.read_what_was_written && any.ranks_as_planned));
      // Even where there is a trivial launch to spare: then the items end in the output, or are not
      // touched.
      if (launches % 2 == 0) {
        const outcome even = follow(trivial, {launches, 0, 0});
        CHECK((even.passes + even.copies) % 2 == 0);
        CHECK(even.copies <= 1);
        CHECK((even.at == place::output || even.passes == 0));
        CHECK((even.coded_once && even.read_what_was_written));
        const outcome twice = follow(trivial, {launches, 2, 0});
        CHECK(twice.at == place::output);
        CHECK((twice.coded_once && twice.read_what_was_written));
      } else {
        const outcome odd = follow(trivial, {launches, 0, 1});
        CHECK(odd.at == place::output);
        CHECK((odd.coded_once && odd.read_what_was_written));
      }
    }
}

TEST_CASE("sort: constant digits and keys in order, out of place and in place") {
  const test::sorts_by_passes by_passes;
  using K = std::uint32_t;
  constexpr std::size_t tile = detail::smallest_radix_shape<K, detail::no_value>::items;
  constexpr std::size_t many = (test::many_blocks_keys<K> + tile - 2) / tile * tile + 35;
  for (std::size_t n : {std::size_t{2}, many})
    for (const auto& c : trivial_cases(n))
      for (bit_range bits : {bit_range{}, bit_range{0, 24}}) {
        if (n == 2 && bits.high == 24) continue;
        CAPTURE(n);
        CAPTURE(c.name);
        CAPTURE(bits.high);
        // Descending orders the flipped bits: keys in order are then reversed, and the codec is not
        // the identity.
        const sort_options options{c.name == "in order" ? direction::ascending : direction::descending, bits};
        const auto want = test::serial_sort(c.keys, options);
        test::for_some_schedules([&] {
          const test::guarded<K> in(c.keys, 1);
          test::guarded<K> out(n), in_place(c.keys);
          const test::exact_scratch scratch(sort_scratch_bytes<K>(n)), own(sort_in_place_scratch_bytes<K>(n));
          test::directly_and_captured([&] { out.fill_dirt(); }, [&] { sort(scratch.where(), in, out, options); },
                                      [&] { CHECK(out.read() == want); });
          sort_in_place(own.where(), in_place, options);
          CHECK(in_place.read() == want);
        });
      }
}

// One key in the first, a middle or the last tile, whose digit is smaller or larger; the other
// digits are spread, or the same in all keys.
TEST_CASE("sort: a digit that all keys but one share") {
  const test::sorts_by_passes by_passes;
  using K = std::uint32_t;
  constexpr std::size_t tile = detail::smallest_radix_shape<K, detail::no_value>::items;
  const std::size_t n = (test::many_blocks_keys<K> / tile + 1) * tile + 35;
  const auto random = test::random_items<K>(n, 53);
  const std::size_t places[] = {0, tile + 7, n - 1};
  unsigned turn = 0;
  for (const int digit : {0, 1, 2, 3})
    for (const std::size_t at : places)
      for (const bool spread : {false, true}) {
        CAPTURE(digit);
        CAPTURE(at);
        CAPTURE(spread);
        // Neither kind is at its place yet.
        const K shared = 0x7fu << 8 * digit, own = (at < n / 2 ? 0x80u : 0x7eu) << 8 * digit, mask = 0xffu << 8 * digit;
        std::vector<K> keys(n, shared);
        if (spread)
          for (std::size_t i = 0; i < n; ++i) keys[i] |= random[i] & ~mask;
        keys[at] = (keys[at] & ~mask) | own;
        const auto want = test::serial_sort(keys, {});
        const auto order = test::serial_argsort(keys, {});
        test::for_some_schedules(turn++, [&] {
          const test::guarded<K> in(keys);
          test::guarded<K> out(n), indices(n);
          sort(allocating(test::test_stream()), in, out);
          CHECK(out.read() == want);
          if (spread || digit != 1) return;
          argsort(allocating(test::test_stream()), in, indices);
          const auto got = indices.read();
          CHECK(std::equal(order.begin(), order.end(), got.begin()));
        });
      }
}

TEST_CASE("argsort and pairs: constant digits and keys in order") {
  const test::sorts_by_passes by_passes;
  using K = std::uint32_t;
  const std::size_t n = test::many_blocks_keys<K> + 35;
  const auto values = test::random_items<large>(n, 52);
  for (const auto& c : trivial_cases(n)) {
    CAPTURE(c.name);
    const auto order = test::serial_argsort(c.keys, {});
    std::vector<large> want_values;
    for (std::uint64_t i : order) want_values.push_back(values[i]);
    const auto want = test::serial_sort(c.keys, {});
    test::for_some_schedules([&] {
      const test::guarded<K> in(c.keys);
      test::guarded<K> out(n), in_place(c.keys);
      test::guarded<std::uint32_t> indices(n);
      test::guarded<large> values_in_place(values);
      const exec where = allocating(test::test_stream());
      argsort(where, in, indices);
      const auto got = indices.read();
      CHECK(std::equal(order.begin(), order.end(), got.begin()));
      sort_pairs_in_place(where, in_place, values_in_place);  // by an index, keys in place
      CHECK(in_place.read() == want);
      CHECK(values_in_place.read() == want_values);
      in_place.write(c.keys);
      indices.write(c.keys);
      sort_pairs_in_place(where, in_place, indices);  // inline
      CHECK(in_place.read() == want);
      CHECK(indices.read() == want);
    });
  }
}

// How many passes a histogram of two blocks plans for the first `length` keys.
using order_shape = detail::radix_histogram_shape<detail::radix_digits, 2, 2, 1, detail::blocks_on_every_gpu<64>>;
int planned_passes(const std::vector<std::uint64_t>& keys, std::size_t length,
                   const key_codec<std::uint64_t>& codec = {}) {
  using K = std::uint64_t;
  const test::guarded<K> in(keys);
  test::guarded<std::uint64_t> digit_offsets(std::vector<std::uint64_t>(8 * detail::radix_digits, 0));
  test::guarded<std::uint32_t> flags(std::vector<std::uint32_t>{0, 0});
  test::guarded<launch_action> actions(detail::max_radix_launches);
  simt::launch(detail::radix_histogram_kernel<K, order_shape>,
               simt::launch_config{dim3(2), dim3(order_shape::threads),
                                   sizeof(detail::radix_histogram_storage<K, order_shape>), test::test_stream()},
               detail::radix_histogram_arguments<K>{in.data(),
                                                    {length, nullptr},
                                                    codec,
                                                    {0, 64},
                                                    {8, 1, detail::radix_step_rule::any_parity},
                                                    true,
                                                    true,
                                                    digit_offsets.data(),
                                                    flags.data(),
                                                    flags.data() + 1,
                                                    actions.data()});
  int passes = 0;
  const auto got = actions.read();
  for (std::size_t l = 0; l < 8; ++l) passes += got[l].has(launch_action::pass);
  return passes;
}

TEST_CASE("order is noticed across vectors, warps, tiles and blocks, and its end in any of them") {
  const std::size_t n = order_shape::items * 3 + 71;
  std::vector<std::uint64_t> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i] = i / 3;
  test::for_some_schedules([&] { CHECK(planned_passes(sorted, n) == 0); });
  // One key smaller than the one before it, and all else in order: within a vector, between lanes,
  // chunks, warps, tiles, and at the end.
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}, std::size_t{64}, std::size_t{128},
                               std::size_t{order_shape::items}, std::size_t{2 * order_shape::items}, n - 70, n - 1}) {
    CAPTURE(at);
    auto unsorted = sorted;
    unsorted[at] = sorted[at - 1];
    unsorted[at - 1] = sorted[at - 1] + 1;
    test::for_some_schedules([&] {
      CHECK(planned_passes(unsorted, n) > 0);
      CHECK(planned_passes(unsorted, at) == 0);
    });
  }
}

// Where a warp's last key is followed by another warp's first one. The keys of large numbers are
// small ones.
TEST_CASE("order is that of the keys' ordered bits, also across warps") {
  const std::size_t n = order_shape::items + 5, at = order_shape::warp_items;
  const auto descending = key_codec_of<std::uint64_t>(direction::descending);
  std::vector<std::uint64_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = ~std::uint64_t{0} - i / 3;
  CHECK(planned_passes(keys, n, descending) == 0);
  keys[at] = keys[at - 1] + 1;
  CHECK(planned_passes(keys, n, descending) > 0);
}

}  // namespace algorithms_radix_steps
