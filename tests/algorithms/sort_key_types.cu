// SPDX-License-Identifier: Apache-2.0
// Sorts of keys that are not plain words of C++: bool, 16-bit floats, 128-bit integers, floats with
// their NaNs elsewhere.
#include <ballot/reduce_by_key.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/top_k.cuh>
#include <ballot/unique.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#if !BALLOT_EMULATED
#  include <cuda_bf16.h>
#  include <cuda_fp16.h>
#endif

using namespace ballot;

namespace algorithms_sort_key_types {

#if BALLOT_EMULATED
struct half {
  std::uint16_t bits;
};
struct bfloat16 {
  std::uint16_t bits;
};
#else
using half = __half;
using bfloat16 = __nv_bfloat16;
#endif

}  // namespace algorithms_sort_key_types

#if BALLOT_EMULATED
namespace ballot {
template <>
struct key_traits<algorithms_sort_key_types::half> : key_traits<__half> {};
template <>
struct key_traits<algorithms_sort_key_types::bfloat16> : key_traits<__nv_bfloat16> {};
}  // namespace ballot
#endif

namespace algorithms_sort_key_types {

TEST_CASE_TEMPLATE("sort and argsort of 16-bit floats and 128-bit integers", K, half, bfloat16, detail::uint128,
                   detail::int128) {
  const test::each_way_of_sorting ways;
  using U = ordered_bits_t<K>;
  const std::size_t n = test::many_blocks_keys<K> + 50;
  auto words = test::random_items<U>(n, 61);
  if constexpr (sizeof(K) == 16) {  // few digits differ: the passes that are skipped are tested elsewhere
    const U varying = static_cast<U>(0x80ff000000000103u) << 56 | 0x70f;
    for (U& w : words) w &= varying;
  }
  const auto keys = test::keys_as<K>(words);
  for (direction d : {direction::ascending, direction::descending}) {
    const sort_options options{.direction = d};
    const auto order = test::serial_argsort(keys, options);
    std::vector<U> want;
    for (std::uint64_t i : order) want.push_back(words[i]);
    test::for_some_schedules([&] {
      const test::guarded<K> in(keys);
      test::guarded<K> out(n), in_place(keys);
      test::guarded<std::uint32_t> indices(n);
      const test::exact_scratch scratch(sort_scratch_bytes<K>(n)), own(sort_in_place_scratch_bytes<K>(n));
      sort(scratch.where(), in, out, options);
      CHECK(test::as_words(out.read()) == want);
      sort_in_place(own.where(), in_place, options);
      CHECK(test::as_words(in_place.read()) == want);
      if (d == direction::ascending) return;
      const test::exact_scratch of_order(argsort_scratch_bytes<K, std::uint32_t>(n));
      argsort(of_order.where(), in, indices, options);
      const auto got = indices.read();
      CHECK(std::equal(order.begin(), order.end(), got.begin()));
    });
  }
}

struct is_even {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x % 2 == 0; }
};

TEST_CASE("bool keys: sorts, segments, the k best, runs") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, test::many_blocks_keys<bool> + 50}) {
    CAPTURE(n);
    const auto random = test::random_items<std::uint32_t>(n, 63);
    std::vector<std::uint8_t> words(n), runs;  // of the keys; vectors of bool have no memory of their own
    std::vector<std::uint32_t> even_first, odd_first, sums;
    for (std::size_t i = 0; i < n; ++i) words[i] = is_even{}(random[i] / 3);
    for (const bool first : {false, true})
      for (std::size_t i = 0; i < n; ++i)
        if ((words[i] != 0) == first) odd_first.push_back(static_cast<std::uint32_t>(i));
    for (const bool first : {true, false})
      for (std::size_t i = 0; i < n; ++i)
        if ((words[i] != 0) == first) even_first.push_back(static_cast<std::uint32_t>(i));
    auto sorted = words;
    std::stable_sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || words[i] != words[i - 1]) runs.push_back(words[i]), sums.push_back(0);
      sums.back() += static_cast<std::uint32_t>(random[i]);
    }
    test::for_some_schedules([&] {
      const test::guarded<std::uint8_t> bytes(words);
      const test::guarded<std::uint32_t> values(random), offsets(std::vector<std::uint32_t>{0});
      const auto keys = device_span(reinterpret_cast<const bool*>(bytes.data()), n);
      test::guarded<std::uint8_t> out_bytes(n), first_bytes(n);
      test::guarded<std::uint32_t> order(n), moved(n);
      test::guarded<std::uint64_t> count(1);
      const auto out = device_span(reinterpret_cast<bool*>(out_bytes.data()), n);
      const auto first = device_span(reinterpret_cast<bool*>(first_bytes.data()), n);
      const exec gpu = allocating(test::test_stream());
      sort(gpu, keys, out);
      CHECK(out_bytes.read() == sorted);
      argsort(gpu, keys, order);
      CHECK(order.read() == odd_first);
      argsort(gpu, keys, order, {.direction = direction::descending});
      CHECK(order.read() == even_first);
      sort_pairs(gpu, keys, values, out, moved);
      const auto got = moved.read();
      for (std::size_t i = 0; i < n; ++i) REQUIRE(got[i] == random[odd_first[i]]);
      out_bytes.fill_dirt();
      segmented_sort(gpu, keys, offsets, out);
      CHECK(out_bytes.read() == sorted);
      argsort_by(gpu, values, is_even{}, order);
      const auto by_function = order.read();
      CHECK(std::is_sorted(by_function.begin(), by_function.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(is_even{}(random[a]), a) < std::pair(is_even{}(random[b]), b);
      }));
      const std::size_t k = n / 4;
      top_k(gpu, keys, k, first.first(k), count.data());
      const auto best = first_bytes.read();
      const auto all_true = static_cast<std::size_t>(std::count(words.begin(), words.end(), 1));
      for (std::size_t i = 0; i < k; ++i) REQUIRE(best[i] == (i < all_true));
      first_bytes.fill_dirt();
      unique(gpu, keys, first, count.data());
      CHECK(count.read()[0] == runs.size());
      auto heads = first_bytes.read();
      CHECK(std::equal(runs.begin(), runs.end(), heads.begin()));
      reduce_by_key(gpu, keys, values, first, moved, count.data());
      heads = first_bytes.read();
      CHECK(std::equal(runs.begin(), runs.end(), heads.begin()));
      const auto of_runs = moved.read();
      CHECK(std::equal(sums.begin(), sums.end(), of_runs.begin()));
    });
  }
}

TEST_CASE("sort of floats with NaNs last, first and by their bits") {
  const test::each_way_of_sorting ways;
  using K = float;
  const std::size_t n = test::many_blocks_keys<K>;
  auto words = test::random_items<std::uint32_t>(n, 62);
  for (std::size_t i = 0; i < n; i += 3)  // NaNs, zeros and infinities of both signs
    words[i] = words[i] % 4 == 0 ? words[i] | 0x7f800000u : words[i] & (words[i] % 2 == 0 ? 0x80000000u : 0xff800000u);
  const auto keys = test::keys_as<K>(words);
  for (direction d : {direction::ascending, direction::descending})
    for (nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits}) {
      const sort_options options{.direction = d, .nans = nans};
      const auto want = test::as_words(test::serial_sort(keys, options));
      test::for_some_schedules([&] {
        const test::guarded<K> in(keys);
        test::guarded<K> out(n);
        sort(allocating(test::test_stream()), in, out, options);
        CHECK(test::as_words(out.read()) == want);
      });
    }
}

}  // namespace algorithms_sort_key_types
