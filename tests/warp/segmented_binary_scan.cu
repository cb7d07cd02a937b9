// SPDX-License-Identifier: Apache-2.0
// Segmented binary scans of a warp against a loop that restarts at heads.
#include <ballot/warp/segmented_binary_scan.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace warp_segmented_binary_scan {

struct results {
  unsigned inclusive, exclusive, backward_inclusive, backward_exclusive, count;
  friend bool operator==(const results&, const results&) = default;
};

// By the lane's own head flag, or by the word of all of them.
template <class Heads>
__device__ results scan_by(bool flag, Heads heads) {
  return {warp::segmented_binary_inclusive_scan(flag, heads), warp::segmented_binary_exclusive_scan(flag, heads),
          warp::segmented_binary_inclusive_scan_backward(flag, heads),
          warp::segmented_binary_exclusive_scan_backward(flag, heads), warp::segmented_binary_count(flag, heads)};
}

// A word is no flag, and a flag no word: neither is taken for the other.
template <class Heads>
concept heads_argument = requires(Heads heads) { warp::segmented_binary_count(true, heads); };
static_assert(heads_argument<bool> && heads_argument<warp::segment_heads>);
static_assert(!heads_argument<unsigned> && !heads_argument<int>);

template <int = 0>
__global__ void scan_segments(const unsigned* flags, const unsigned* heads, results* by_flag, results* by_word) {
  const unsigned lane = simt::lane_id(), i = blockIdx.x * 32 + lane;
  const bool flag = (flags[blockIdx.x] >> lane & 1u) != 0, head = (heads[blockIdx.x] >> lane & 1u) != 0;
  by_flag[i] = scan_by(flag, head);
  by_word[i] = scan_by(flag, warp::segment_heads{heads[blockIdx.x]});
}

TEST_CASE("segmented warp binary scans, by head flags") {
  auto flags = test::random_items<unsigned>(100, 3), heads = test::random_items<unsigned>(100, 4);
  for (std::size_t i = 0; i < 40; ++i) heads[i] &= heads[i + 40] & heads[i + 60];  // fewer heads, longer segments
  const unsigned corners[] = {0u, ~0u, 1u, 0x80000000u, 0x80000001u, 2u};
  for (unsigned f : corners)
    for (unsigned h : corners) flags.push_back(f), heads.push_back(h);
  test::for_each_schedule([&] {
    test::guarded<unsigned> in(flags), head(heads);
    test::guarded<results> out(flags.size() * 32), by_word(flags.size() * 32);
    simt::launch(scan_segments<>, simt::launch_config{dim3(unsigned(flags.size())), dim3(32), 0, test::test_stream()},
                 in.data(), head.data(), out.data(), by_word.data());
    const auto got = out.read();
    CHECK((by_word.read() == got));
    bool right = true;
    for (std::size_t w = 0; w < flags.size(); ++w) {
      for (unsigned l = 0, run = 0; l < 32; ++l) {
        if (heads[w] >> l & 1u) run = 0;
        const unsigned own = flags[w] >> l & 1u;
        right &= got[w * 32 + l].exclusive == run && got[w * 32 + l].inclusive == run + own;
        run += own;
      }
      for (unsigned l = 32, run = 0, count = 0; l-- > 0;) {
        const unsigned own = flags[w] >> l & 1u;
        if (l == 31 || (heads[w] >> (l + 1) & 1u)) count = got[w * 32 + l].inclusive;  // which the loop above checked
        right &= got[w * 32 + l].count == count;
        right &= got[w * 32 + l].backward_exclusive == run && got[w * 32 + l].backward_inclusive == run + own;
        run += own;
        if (heads[w] >> l & 1u) run = 0;
      }
    }
    CHECK(right);
  });
}

}  // namespace warp_segmented_binary_scan
