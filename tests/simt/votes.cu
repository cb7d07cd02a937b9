// SPDX-License-Identifier: Apache-2.0
// Votes and matches against their definitions, under whole and partial masks.
#include <support/schedules.hpp>

#include <simt/items.hpp>
#include <simt/masks.hpp>

#include <cstdint>
#include <cstring>

namespace simt_votes {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct votes {
  unsigned ballot, any, all, active, match_any, match_all;
};

template <class T>
__global__ void vote(const T* in, votes* out, unsigned mask, unsigned threshold) {
  const unsigned t = simt::thread_rank();
  if (!(mask & simt::lanemask_eq())) return;
  const T v = in[t];
  const bool p = (t * 7 + 3) % 32 < threshold;
  out[t].ballot = simt::ballot(p, mask);
  out[t].any = simt::any(p, mask);
  out[t].all = simt::all(p, mask);
  out[t].active = simt::active_mask();
  out[t].match_any = simt::match_any(v, mask);
  out[t].match_all = simt::match_all(v, mask);
}

template <class T>
T value(unsigned i) {
  T v;
  unsigned char bytes[sizeof(T)] = {};
  bytes[sizeof(T) - 1] = static_cast<unsigned char>(i + 1);  // in the highest byte, so that none is left out
  std::memcpy(&v, bytes, sizeof(T));
  return v;
}

TEST_CASE_TEMPLATE("votes and matches", T, std::uint8_t, std::int16_t, unsigned, float, std::uint64_t, double) {
  constexpr unsigned threads = 64;
  for (const unsigned mask : ballot_test_masks::all)
    for (const unsigned threshold : {0u, 1u, 16u, 32u})
      for (const unsigned distinct : {1u, 3u, 32u}) {
        CAPTURE(mask);
        std::vector<T> v(threads);
        for (unsigned t = 0; t < threads; t++) v[t] = value<T>(t * 5 % distinct);
        device_items<T> in(v);
        ballot::test::for_each_schedule([&] {
          device_items<votes> out(threads);
          simt::launch(vote<T>, {.block = threads}, in.data(), out.data(), mask, threshold);
          const auto got = out.read();
          bool right = true;
          for (unsigned t = 0; t < threads; t++) {
            if (!(mask >> t % 32 & 1)) continue;
            unsigned votes_for = 0, same = 0;
            for (unsigned l = 0; l < 32; l++) {
              const unsigned u = t / 32 * 32 + l;
              if (!(mask >> l & 1)) continue;
              votes_for |= unsigned((u * 7 + 3) % 32 < threshold) << l;
              same |= unsigned(std::memcmp(&v[t], &v[u], sizeof(T)) == 0) << l;
            }
            right &= got[t].ballot == votes_for && got[t].any == unsigned(votes_for != 0) &&
                     got[t].all == unsigned(votes_for == mask);
            right &= (got[t].active >> t % 32 & 1) == 1;
            right &= got[t].match_any == same && got[t].match_all == (same == mask ? mask : 0);
          }
          CHECK(right);
        });
      }
}

template <int = 0>
__global__ void vote_here(unsigned* out) {
  out[simt::thread_rank()] = simt::ballot(simt::lane_id() % 2 == 1);
}

TEST_CASE("votes of all lanes in blocks of any shape; lanes that do not exist say nothing") {
  for (const dim3 block : {dim3(64), dim3(8, 4, 2), dim3(5, 4, 3), dim3(33)}) {
    const unsigned threads = block.x * block.y * block.z;
    CAPTURE(threads);
    device_items<unsigned> out(threads);
    ballot::test::for_each_schedule([&] {
      simt::launch(vote_here<>, {.block = block}, out.data());
      const auto got = out.read();
      bool right = true;
      for (unsigned t = 0; t < threads; t++) {
        const unsigned lanes = threads - t / 32 * 32;
        right &= got[t] == (0xaaaaaaaau & (lanes >= 32 ? ~0u : (1u << lanes) - 1));
      }
      CHECK(right);
    });
  }
}

}  // namespace simt_votes
