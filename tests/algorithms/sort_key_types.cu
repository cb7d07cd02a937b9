// SPDX-License-Identifier: Apache-2.0
// Sorts of keys that are not plain words of C++: 16-bit floats, 128-bit integers, floats with their NaNs elsewhere.
#include <ballot/sort.cuh>

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

TEST_CASE("sort of floats with NaNs last, first and by their bits") {
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
