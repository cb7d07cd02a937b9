// SPDX-License-Identifier: Apache-2.0
// Minima, maxima and their positions among CUDA's floats of 16 bits: NaNs come last, as of other
// floats. The emulator has a float of its own in their place.
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/simt/short_floats.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#if BALLOT_EMULATED
struct __half {
  std::uint16_t bits;
  float wide() const { return ballot::simt::detail::widen_half(bits); }
  friend bool operator<(__half a, __half b) { return a.wide() < b.wide(); }
  friend bool operator==(__half a, __half b) { return a.wide() == b.wide(); }
  friend bool operator!=(__half a, __half b) { return a.wide() != b.wide(); }
};
#else
#  include <cuda_fp16.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace ballot;

namespace device_short_floats {

__half half_of(float x) {
  const std::uint16_t bits = simt::detail::round_to_half(x);
  __half half;
  std::memcpy(static_cast<void*>(&half), &bits, sizeof half);  // __half's own constructor rounds
  return half;
}
float wide(__half x) {
  std::uint16_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return simt::detail::widen_half(bits);
}

TEST_CASE("a NaN gives way to any 16-bit float") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::size_t n : {std::size_t{2}, std::size_t{4}, std::size_t{100}, std::size_t{6'001}}) {
    CAPTURE(n);
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<float> items{nan, 1};
    if (n == 4) items = {2, 3, nan, 1};
    while (items.size() < n) items.push_back(random() % 3 == 0 ? nan : static_cast<float>(random() % 1000) - 300);
    std::vector<__half> narrow(n);
    std::transform(items.begin(), items.end(), narrow.begin(), half_of);
    std::vector<float> least(n);
    for (std::size_t i = 0; i < n; ++i) least[i] = i == 0 ? items[i] : std::fmin(least[i - 1], items[i]);
    const auto is_before = [](float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); };
    const auto is_behind = [](float a, float b) { return b < a || (std::isnan(b) && !std::isnan(a)); };
    const auto first = std::min_element(items.begin(), items.end(), is_before);
    const auto largest = std::min_element(items.begin(), items.end(), is_behind);
    test::for_some_schedules([&] {
      const test::guarded<__half> in(narrow, 1);
      test::guarded<__half> out(n), result(1);
      test::guarded<indexed<__half>> place(1);
      const exec gpu = allocating(test::test_stream());
      inclusive_scan(gpu, in, minimum{}, out);
      const auto got = out.read();
      bool same = true;
      for (std::size_t i = 0; i < n; ++i)
        same &= wide(got[i]) == least[i] || (std::isnan(wide(got[i])) && std::isnan(least[i]));
      CHECK(same);
      reduce(gpu, in, half_of(std::numeric_limits<float>::infinity()), minimum{}, result.data());
      CHECK(wide(result.read()[0]) == *first);
      reduce(gpu, in, half_of(-std::numeric_limits<float>::infinity()), maximum{}, result.data());
      CHECK(wide(result.read()[0]) == *largest);
      arg_min(gpu, in, place.data());
      CHECK(place.read()[0].index == static_cast<std::uint64_t>(first - items.begin()));
      arg_max(gpu, in, place.data());
      CHECK(place.read()[0].index == static_cast<std::uint64_t>(largest - items.begin()));
    });
  }
}

}  // namespace device_short_floats
