// SPDX-License-Identifier: Apache-2.0
// Binary scans of a warp against a loop over its lanes, for full and partial masks.
#include <ballot/warp/binary_scan.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace warp_binary_scan {

struct results {
  unsigned count, inclusive, exclusive, backward_inclusive, backward_exclusive, rank, total;
};

template <int = 0>
__global__ void scan_flags(const unsigned* flags, unsigned mask, results* out) {
  const unsigned lane = simt::lane_id();
  if ((mask >> lane & 1u) == 0) return;
  const bool flag = (flags[blockIdx.x] >> lane & 1u) != 0;
  namespace warp = ballot::warp;
  const auto both = warp::binary_rank(flag, mask);
  out[blockIdx.x * 32 + lane] = {warp::binary_count(flag, mask),
                                 warp::binary_inclusive_scan(flag, mask),
                                 warp::binary_exclusive_scan(flag, mask),
                                 warp::binary_inclusive_scan_backward(flag, mask),
                                 warp::binary_exclusive_scan_backward(flag, mask),
                                 both.rank,
                                 both.total};
}

template <int Width>
__global__ void rank_vectors(const unsigned* flags, unsigned* rank, unsigned* total) {
  const unsigned thread = blockIdx.x * 32 + threadIdx.x;
  const auto both = ballot::warp::binary_rank_of_vector<Width>(flags[thread] & ((1u << Width) - 1u));
  rank[thread] = both.rank;
  total[thread] = both.total;
}

TEST_CASE("warp binary scans and count") {
  auto flags = ballot::test::random_items<unsigned>(60, 1);
  for (unsigned word : {0u, ~0u, 1u, 0x80000000u, 0x55555555u, 0xffff0000u}) flags.push_back(word);
  ballot::test::for_each_schedule([&] {
    for (unsigned mask : {~0u, 1u, 0x80000000u, 0xffffu, 0xf0f0f0f0u, 0x7fffffffu}) {
      CAPTURE(mask);
      ballot::test::guarded<unsigned> in(flags);
      ballot::test::guarded<results> out(flags.size() * 32);
      simt::launch(scan_flags<>,
                   simt::launch_config{dim3(unsigned(flags.size())), dim3(32), 0, ballot::test::test_stream()},
                   in.data(), mask, out.data());
      const auto got = out.read();
      bool right = true;
      for (std::size_t w = 0; w < flags.size(); ++w) {
        const unsigned votes = flags[w] & mask;
        unsigned total = 0;
        for (unsigned l = 0; l < 32; ++l) total += votes >> l & 1u;
        for (unsigned l = 0, below = 0; l < 32; ++l) {
          const unsigned own = votes >> l & 1u;
          if (mask >> l & 1u) {
            const results& r = got[w * 32 + l];
            right &= r.count == total && r.exclusive == below && r.inclusive == below + own &&
                     r.backward_inclusive == total - below && r.backward_exclusive == total - below - own &&
                     r.rank == below && r.total == total;
          }
          below += own;
        }
      }
      CHECK(right);
    }
  });
}

TEST_CASE_TEMPLATE("warp binary rank of vectors", W, std::integral_constant<int, 1>, std::integral_constant<int, 2>,
                   std::integral_constant<int, 4>) {
  constexpr int width = W::value;
  const auto flags = ballot::test::random_items<unsigned>(32 * 20, 2);
  ballot::test::for_each_schedule([&] {
    ballot::test::guarded<unsigned> in(flags), rank(flags.size()), total(flags.size());
    simt::launch(rank_vectors<width>, simt::launch_config{dim3(20), dim3(32), 0, ballot::test::test_stream()},
                 in.data(), rank.data(), total.data());
    const auto ranks = rank.read(), totals = total.read();
    bool right = true;
    for (unsigned w = 0; w < 20; ++w) {
      unsigned below = 0;
      for (unsigned l = 0; l < 32; ++l) {
        right &= ranks[w * 32 + l] == below;
        for (int j = 0; j < width; ++j) below += flags[w * 32 + l] >> j & 1u;
      }
      for (unsigned l = 0; l < 32; ++l) right &= totals[w * 32 + l] == below;
    }
    CHECK(right);
  });
}

}  // namespace warp_binary_scan
