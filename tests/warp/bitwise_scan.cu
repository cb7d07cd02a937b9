// SPDX-License-Identifier: Apache-2.0
// Scans and sums of small integers by bits, against a loop over the lanes, for full and partial
// masks.
#include <ballot/warp/bitwise_scan.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace warp_bitwise_scan {

struct results {
  unsigned sum, inclusive, exclusive, inclusive_backward, exclusive_backward;
};

template <int Bits>
__global__ void scan_values(const unsigned* values, unsigned mask, results* out) {
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  if ((mask >> threadIdx.x & 1u) == 0) return;
  out[i] = {warp::bitwise_sum<Bits>(values[i], mask), warp::bitwise_inclusive_scan<Bits>(values[i], mask),
            warp::bitwise_exclusive_scan<Bits>(values[i], mask),
            warp::bitwise_inclusive_scan_backward<Bits>(values[i], mask),
            warp::bitwise_exclusive_scan_backward<Bits>(values[i], mask)};
}

TEST_CASE_TEMPLATE("warp scans by bits", Bits, std::integral_constant<int, 1>, std::integral_constant<int, 2>,
                   std::integral_constant<int, 5>, std::integral_constant<int, 8>, std::integral_constant<int, 32>) {
  constexpr int bits = Bits::value;
  constexpr unsigned width = bits == 32 ? ~0u : (1u << bits) - 1u;
  constexpr unsigned warps = 8;
  auto values =
      test::random_items<unsigned>(32 * warps, 13);  // the bits above the width are set, and not to be counted
  for (std::size_t i = 0; i < 32; ++i) values[i] = ~0u, values[32 + i] = ~width;
  test::for_each_schedule([&] {
    for (unsigned mask : {~0u, 1u, 0x80000000u, 0x7fffu, 0xf0f0f0f0u}) {
      CAPTURE(mask);
      test::guarded<unsigned> in(values);
      test::guarded<results> out(values.size());
      simt::launch(scan_values<bits>, simt::launch_config{dim3(warps), dim3(32), 0, test::test_stream()}, in.data(),
                   mask, out.data());
      const auto got = out.read();
      bool right = true;
      for (std::size_t w = 0; w < warps; ++w) {
        unsigned total = 0, below = 0;
        for (unsigned l = 0; l < 32; ++l) total += (mask >> l & 1u) * (values[w * 32 + l] & width);
        for (unsigned l = 0; l < 32; ++l) {
          if ((mask >> l & 1u) == 0) continue;
          const unsigned own = values[w * 32 + l] & width;
          const results& r = got[w * 32 + l];
          right &= r.sum == total && r.exclusive == below && r.inclusive == below + own &&
                   r.inclusive_backward == total - below && r.exclusive_backward == total - below - own;
          below += own;
        }
      }
      CHECK(right);
    }
  });
}

}  // namespace warp_bitwise_scan
