// SPDX-License-Identifier: Apache-2.0
// Reductions over the lanes of whole and partial masks.
#include <support/schedules.hpp>

#include <simt/items.hpp>
#include <simt/masks.hpp>

#include <algorithm>

namespace simt_reductions {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct reduced {
  unsigned add, min, max, and_, or_, xor_;
  int signed_add, signed_min, signed_max;
};

template <int = 0>
__global__ void reduce(const unsigned* in, reduced* out, unsigned mask) {
  const unsigned t = simt::thread_rank(), v = in[t];
  if (!(mask & simt::lanemask_eq())) return;
  out[t] = {simt::reduce_add(v, mask),      simt::reduce_min(v, mask),      simt::reduce_max(v, mask),
            simt::reduce_and(v, mask),      simt::reduce_or(v, mask),       simt::reduce_xor(v, mask),
            simt::reduce_add(int(v), mask), simt::reduce_min(int(v), mask), simt::reduce_max(int(v), mask)};
}

TEST_CASE("reductions") {
  constexpr unsigned threads = 96;
  std::vector<unsigned> v(threads);
  for (unsigned i = 0; i < threads; i++) v[i] = i < 32 ? i * 2654435761u : i < 64 ? 0x80000000u + i : i % 3;
  device_items<unsigned> in(v);
  for (const unsigned mask : ballot_test_masks::all) {
    CAPTURE(mask);
    ballot::test::for_each_schedule([&] {
      device_items<reduced> out(threads);
      simt::launch(reduce<>, {.block = threads}, in.data(), out.data(), mask);
      const auto got = out.read();
      bool right = true;
      for (unsigned t = 0; t < threads; t++) {
        if (!(mask >> t % 32 & 1)) continue;
        reduced want{0, ~0u, 0, ~0u, 0, 0, 0, 0x7fffffff, -0x7fffffff - 1};
        for (unsigned l = 0; l < 32; l++) {
          if (!(mask >> l & 1)) continue;
          const unsigned x = v[t / 32 * 32 + l];
          want.add += x;
          want.min = std::min(want.min, x);
          want.max = std::max(want.max, x);
          want.and_ &= x;
          want.or_ |= x;
          want.xor_ ^= x;
          want.signed_min = std::min(want.signed_min, int(x));
          want.signed_max = std::max(want.signed_max, int(x));
        }
        const reduced& g = got[t];
        right &= g.add == want.add && g.min == want.min && g.max == want.max && g.and_ == want.and_ &&
                 g.or_ == want.or_ && g.xor_ == want.xor_;
        right &= g.signed_add == int(want.add) && g.signed_min == want.signed_min && g.signed_max == want.signed_max;
      }
      CHECK(right);
    });
  }
}

}  // namespace simt_reductions
