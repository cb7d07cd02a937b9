// SPDX-License-Identifier: Apache-2.0
// Sorts by runs, in small shapes, against a serial stable sort. The lengths are around threads,
// warps, runs and groups. Every form of a call is tested, and the public calls on both sides of the
// limits.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/runtime_calls.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <ballot/detail/radix_sort/run_sort_launch.cuh>

#include <limits>

using namespace ballot;
using test::guarded;
using test::in_order;

namespace algorithms_run_sort {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Two warps a run, two items a thread; few samples, so that most of a run is searched in memory.
using small_runs = detail::run_sort_shape<64, 2>;
using small_merges = detail::merge_runs_shape<128, 16, 4>;
constexpr std::size_t run = small_runs::items;

template <class U, class V, class Runs, class Merges>
void sort_by_runs(const detail::sort_operands<U, V>& operands, key_codec<U> codec, detail::radix_digit_plan digits,
                  int merges) {
  const test::guarded<std::byte> scratch(detail::run_sort_scratch_bytes<U, V>(operands, merges), 0);
  detail::run_sort_launches<U, V, Runs, Merges>(test::test_stream(), operands, codec, digits)
      .launch(scratch.data(), merges, 1u << operands.keys.capacity() % 3);
  (void)scratch.read();
}

// Keys alone, with values, and with positions; out of place, in place, and between two buffers.
template <class K, class V, class Runs = small_runs, class Merges = small_merges>
void check(const std::vector<K>& keys, int merges, const sort_options& options = {}, std::size_t shift = 0) {
  using U = ordered_bits_t<K>;
  using detail::no_value;
  const std::size_t n = keys.size();
  CAPTURE(n);
  CAPTURE(merges);
  const auto order = test::serial_argsort(keys, options);
  const auto words = test::as_words(keys), want = in_order(words, order);
  const auto values = test::random_items<V>(n, 51);
  const auto want_values = in_order(values, order);
  const auto codec = key_codec_of<K>(options.direction, options.nans);
  const auto digits = detail::plan_digits(options.bits, 8 * sizeof(K), "test");
  test::for_some_schedules([&] {
    const guarded<U> in(words, shift);
    const guarded<V> values_in(values, shift);
    guarded<U> out(n, shift), in_place(words, shift);
    guarded<V> values_out(n, shift), values_in_place(values, shift);
    const auto sort_keys = [&](const U* from, U* to, U* spare = nullptr) {
      sort_by_runs<U, no_value, Runs, Merges>({{from, {n, nullptr}}, to, nullptr, nullptr, spare}, codec, digits,
                                              merges);
    };
    const auto sort_with = [&](const U* from, U* to, const V* values_from, V* values_to, U* spare = nullptr,
                               V* values_spare = nullptr) {
      sort_by_runs<U, V, Runs, Merges>({{from, {n, nullptr}}, to, values_from, values_to, spare, values_spare}, codec,
                                       digits, merges);
    };
    sort_keys(in.data(), out.data());
    CHECK(out.read() == want);
    sort_keys(in_place.data(), in_place.data());
    CHECK(in_place.read() == want);

    out.fill_dirt();
    sort_with(in.data(), out.data(), values_in.data(), values_out.data());
    CHECK(out.read() == want);
    CHECK(values_out.read() == want_values);
    in_place.write(words);
    sort_with(in_place.data(), in_place.data(), values_in_place.data(), values_in_place.data());
    CHECK(in_place.read() == want);
    CHECK(values_in_place.read() == want_values);
    values_in_place.write(values);
    sort_with(in.data(), nullptr, values_in_place.data(), values_in_place.data());
    CHECK(values_in_place.read() == want_values);
    if (n - 1 <= std::numeric_limits<V>::max()) {
      sort_with(in.data(), nullptr, nullptr, values_out.data());
      CHECK(values_out.read() == std::vector<V>(order.begin(), order.end()));
    }
    CHECK(in.read() == words);  // inputs are kept
    CHECK(values_in.read() == values);

    // Two buffers: the input is the output, or the other one.
    for (const bool from_output : {false, true}) {
      guarded<U> a(words, shift), b(n, shift);
      guarded<V> values_a(values, shift), values_b(n, shift);
      guarded<U>& to = from_output ? a : b;
      guarded<V>& values_to = from_output ? values_a : values_b;
      sort_keys(a.data(), to.data(), (from_output ? b : a).data());
      CHECK(to.read() == want);
      a.write(words);
      sort_with(a.data(), to.data(), values_a.data(), values_to.data(), (from_output ? b : a).data(),
                (from_output ? values_b : values_a).data());
      CHECK(to.read() == want);
      CHECK(values_to.read() == want_values);
    }
  });
}

TEST_CASE("sort by runs: lengths around warps, runs and groups") {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{31}, std::size_t{63}, std::size_t{64},
        std::size_t{65}, run - 1, run, run + 1, 2 * run, 2 * run + 1, 5 * run, 8 * run - 1, 16 * run, 16 * run + 1})
    for (const int merges : {1, 2}) {
      if (n > 16 * run && merges == 1) continue;
      check<u32, u32>(test::random_items<u32>(n, 52), merges);
      check<u64, std::uint16_t>(test::keys_of_entropy<u64>(n, 4, 53), merges, {.direction = direction::descending});
    }
}

TEST_CASE("sort by runs: patterns of keys, with equal keys in their order across runs") {
  for (const test::key_pattern& pattern : test::key_patterns)
    for (const int merges : {1, 2}) {
      CAPTURE(pattern.name);
      check<u32, u64>(test::make_keys<u32>(pattern, 7 * run + 5), merges);
      check<u64, u32>(test::make_keys<u64>(pattern, 9 * run + 77), merges, {.direction = direction::descending});
    }
}

template <class K, class V>
struct of {
  using key = K;
  using value = V;
};

TEST_CASE_TEMPLATE("sort by runs: every width of keys and values, at any address", Types,
                   of<std::uint8_t, std::uint8_t>, of<std::int16_t, u32>, of<std::int32_t, std::uint8_t>, of<u64, u64>,
                   of<float, u32>, of<double, u64>, of<detail::uint128, u32>) {
  using K = typename Types::key;
  using V = typename Types::value;
  for (const std::size_t n : {run - 3, 6 * run + 3}) {  // of one run, of several
    const auto words = test::random_items<ordered_bits_t<K>>(n, 54);
    for (const direction d : {direction::ascending, direction::descending})
      for (const std::size_t shift : {0, 1, 3})
        check<K, V>(test::keys_as<K>(words), 1 + static_cast<int>(shift % 2), {.direction = d}, shift);
  }
}

TEST_CASE("sort by runs: bit ranges, where keys that differ elsewhere keep their order") {
  for (const bit_range bits : {bit_range{0, 1}, bit_range{3, 8}, bit_range{0, 9}, bit_range{4, 27}, bit_range{31, 32},
                               bit_range{24, bit_range::full}})
    for (const direction d : {direction::ascending, direction::descending}) {
      CAPTURE(bits.low);
      CAPTURE(bits.high);
      check<u32, u32>(test::random_items<u32>(4 * run + 9, 57), 1 + bits.low % 2, {.direction = d, .bits = bits});
    }
}

TEST_CASE("sort by runs: a length on the device, none, fewer and more than the capacity") {
  const std::size_t capacity = 9 * run + 5;
  const auto keys = test::random_items<u32>(capacity, 59);
  test::for_each_schedule([&] {
    const guarded<u32> in(keys);
    for (const std::size_t asked : {std::size_t{0}, std::size_t{1}, run, 3 * run + 1, capacity, capacity + 9})
      for (const int merges : {1, 2}) {
        CAPTURE(asked);
        CAPTURE(merges);
        const std::size_t n = std::min(asked, capacity);
        const guarded<u64> length(std::vector<u64>{asked});
        const auto order = test::serial_argsort(std::vector<u32>(keys.begin(), keys.begin() + std::ptrdiff_t(n)), {});
        guarded<u32> out(capacity), indices(capacity), in_place(keys);
        sort_by_runs<u32, u32, small_runs, small_merges>(
            {{in.data(), {capacity, length.data()}}, out.data(), nullptr, indices.data()}, {}, {0, 32}, merges);
        sort_by_runs<u32, detail::no_value, small_runs, small_merges>(
            {{in_place.data(), {capacity, length.data()}}, in_place.data(), nullptr, nullptr}, {}, {0, 32}, merges);
        const auto got = out.read(), got_indices = indices.read(), got_in_place = in_place.read();
        bool right = true;
        for (std::size_t i = 0; i < capacity; ++i) {
          right &= i < n ? got[i] == keys[order[i]] && got_indices[i] == order[i]
                         : test::is_dirt(got[i]) && test::is_dirt(got_indices[i]);
          right &= got_in_place[i] == (i < n ? got[i] : keys[i]);
        }
        CHECK(right);
      }
  });
}

// Runs that all have the same keys, and runs whose keys lie apart from those of the others, in
// either order.
TEST_CASE("sort by runs: ties across runs, and runs that lie apart") {
  for (const int merges : {1, 2})
    for (const std::size_t n : {3 * run, 11 * run + 3}) {
      std::vector<u32> same(n), ascending(n), descending(n), largest(n, ~u32{0});
      for (std::size_t i = 0; i < n; ++i) {
        same[i] = static_cast<u32>(i * 5 % 7);
        ascending[i] = static_cast<u32>(i / run << 20 | i * 77 % 100);
        descending[i] = static_cast<u32>((n - i) / run << 20 | i * 77 % 100);
      }
      largest[n / 2] = 5;
      check<u32, u32>(same, merges);
      check<u32, u32>(ascending, merges);
      check<u32, u32>(descending, merges);
      check<u32, u32>(largest, merges);
      check<u32, u32>(std::vector<u32>(n, 0), merges, {.direction = direction::descending});
    }
}

// In place few long keys are sorted by runs, not by ranks. One run takes one launch, also on a GPU
// of few multiprocessors.
TEST_CASE("sort by runs: few long keys in place, of one run and of several") {
  constexpr std::size_t one = detail::run_shape::items;
  for (const unsigned multiprocessors : {4u, 128u})
    for (const std::size_t n : {std::size_t{1}, std::size_t{32}, one - 1, one, one + 1, std::size_t{4096}}) {
      CAPTURE(n);
      const test::gpu_of_multiprocessors gpu_of(multiprocessors);
      const auto keys = test::random_items<u64>(n, 67);
      const auto doubles = test::keys_as<double>(test::random_items<u64>(n, 68));
      const auto values = test::random_items<std::uint16_t>(n, 69);
      const auto order = test::serial_argsort(doubles, {.direction = direction::descending});
      test::for_some_schedules([&] {
        guarded<u64> in_place(keys);
        guarded<u64> words(test::as_words(doubles), 1);
        guarded<std::uint16_t> values_in_place(values, 1);
        const test::exact_scratch scratch(sort_in_place_scratch_bytes<u64>(n)),
            of_pairs(sort_pairs_in_place_scratch_bytes<double, std::uint16_t>(n));
        const auto has_launches = [&](auto&& call) {
          const test::runtime_calls done = test::runtime_calls_of(call);
          CHECK(done.launches == (n <= one ? 1 : 2));
          CHECK(done.fills == 0);
        };
        has_launches([&] { sort_in_place(scratch.where(), in_place); });
        CHECK(in_place.read() == test::serial_sort(keys, {}));
        has_launches([&] {
          sort_pairs_in_place(of_pairs.where(), std::span(reinterpret_cast<double*>(words.data()), n), values_in_place,
                              {.direction = direction::descending});
        });
        CHECK(words.read() == in_order(test::as_words(doubles), order));
        CHECK(values_in_place.read() == in_order(values, order));
        scratch.check_guards();
        of_pairs.check_guards();
      });
    }
}

// On both sides of the limits, with their launches.
TEST_CASE("sort by runs: the public calls, around their limits") {
  const test::gpu_of_multiprocessors many(256);
  constexpr std::size_t one = detail::most_items_by_one_merge, most = detail::most_items_by_runs;
  for (const std::size_t n : {one, one + 1, most, most + 1}) {
    CAPTURE(n);
    const u64 launches = n <= one ? 2 : 3;
    const auto keys = test::keys_of_entropy<u32>(n, 3, 60);
    std::vector<std::uint16_t> halves(n);
    for (std::size_t i = 0; i < n; ++i) halves[i] = static_cast<std::uint16_t>(keys[i] % 1000);
    const auto order = test::serial_argsort(keys, {}), order_of_halves = test::serial_argsort(halves, {});
    const std::vector<u32> want = in_order(keys, order);
    test::depth_first([&] {
      const guarded<u32> in(keys, 1);
      const guarded<std::uint16_t> halves_in(halves, 1);
      guarded<u32> out(n, 3), indices(n), in_place(keys);
      const test::exact_scratch own(sort_in_place_scratch_bytes<u32>(n)),
          of_halves(argsort_scratch_bytes<std::uint16_t, u32>(n));
      const auto has_launches = [&](u64 expected, auto&& call) {
        const test::runtime_calls done = test::runtime_calls_of(call);
        if (n <= most) CHECK((done.launches == expected && done.fills == 0));
        else CHECK((done.launches > expected && done.fills == 1));
      };
      has_launches(launches, [&] { sort(allocating(test::test_stream()), in, out); });
      CHECK(out.read() == want);
      has_launches(launches, [&] { sort_in_place(own.where(), in_place); });
      CHECK(in_place.read() == want);
      // Scratch has one buffer of short keys that are not wanted.
      const test::runtime_calls done = test::runtime_calls_of([&] { argsort(of_halves.where(), halves_in, indices); });
      CHECK(done.fills == (n <= one ? 0 : 1));
      CHECK(indices.read() == std::vector<u32>(order_of_halves.begin(), order_of_halves.end()));
      own.check_guards();
      of_halves.check_guards();
    });
  }
}

}  // namespace algorithms_run_sort
