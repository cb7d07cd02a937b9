// SPDX-License-Identifier: Apache-2.0
// The heads of a warp as words, from lanes with any number of items.
#include <ballot/detail/reduce_by_key/head_words.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace algorithms_head_words {

using u32 = std::uint32_t;

template <unsigned Run>
__global__ void words_kernel(const u32* heads, detail::head_words* words) {
  const unsigned at = blockIdx.x * simt::warp_size + simt::lane_id();
  words[at] = detail::words_of_heads<Run>(heads[at]);
}

template <unsigned Run>
void check(const std::vector<u32>& random) {
  const std::size_t lanes = random.size();
  std::vector<u32> heads(lanes);
  // Warps with all heads, none, one in the first lane, one in the last, and random ones.
  for (std::size_t i = 0; i < lanes; ++i) {
    const u32 all = ~u32{0} >> (32 - Run);
    const std::size_t warp = i / 32, lane = i % 32;
    heads[i] = warp == 0   ? all
               : warp == 1 ? 0
               : warp == 2 ? lane == 0
               : warp == 3 ? (lane == 31) << (Run - 1)
                           : random[i] & all;
  }
  const test::guarded<u32> from(heads);
  const test::guarded<detail::head_words> to(lanes);
  simt::launch(words_kernel<Run>,
               simt::launch_config{dim3(static_cast<unsigned>(lanes / 32)), dim3(32), 0, test::test_stream()},
               static_cast<const u32*>(from.data()), to.data());
  const std::vector<detail::head_words> got = to.read();
  for (std::size_t warp = 0; warp < lanes; warp += 32) {
    std::vector<u32> word(32, 0);
    for (u32 item = 0; item < 32 * Run; ++item)
      word[item / 32] |= (heads[warp + item / Run] >> item % Run & 1) << item % 32;
    u32 before = 0;
    for (u32 w = 0; w < 32; ++w) {
      REQUIRE(got[warp + w].word == word[w]);
      REQUIRE(got[warp + w].before == before);
      before += static_cast<u32>(__builtin_popcount(word[w]));
    }
    for (u32 w = 0; w < 32; ++w) REQUIRE(got[warp + w].count == before);
  }
}
template <unsigned... Run>
void check_each(std::integer_sequence<unsigned, Run...>) {
  const std::vector<u32> random = test::random_items<u32>(32 * 24, 11);
  (check<Run + 1>(random), ...);
}

TEST_CASE("words of heads: 1 to 32 items a lane") {
  test::for_some_schedules(0, [] { check_each(std::make_integer_sequence<unsigned, 32>()); });
}

}  // namespace algorithms_head_words
