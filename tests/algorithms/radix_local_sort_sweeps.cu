// SPDX-License-Identifier: Apache-2.0
// The sweeps of the local sort by themselves: they sort every order of words within bins.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/leading_bits.hpp"

#include <algorithm>
#include <numeric>
#include <random>

using namespace ballot;

namespace algorithms_radix_local_sort_sweeps {

using namespace test::leading_bits;

// Each warp sweeps a window of 32 * Items words, so often.
template <int Items>
__global__ void sweep_kernel(u32* words, int sweeps) {
  u32* const own = words + (simt::warp_id() * simt::warp_size + simt::lane_id()) * Items;
  u32 word[Items];
  for (int j = 0; j < Items; ++j) word[j] = own[j];
  for (int s = 0; s < sweeps; ++s) detail::odd_even_sweep(word);
  for (int j = 0; j < Items; ++j) own[j] = word[j];
}

// Orders of zeros and ones in bins of `size` words, at every offset to the lanes, are sorted by so
// many sweeps. Exchanges that do not depend on the words, and sort all of these orders, sort
// everything (the 0-1 principle).
template <int Items>
void check_sweeps(unsigned size, int sweeps, const std::vector<u32>& orders) {
  constexpr unsigned window = 32 * Items;
  std::vector<u32> words, want;
  for (unsigned offset = 0; offset < Items; ++offset)
    for (std::size_t next = 0; next < orders.size();) {
      for (unsigned i = 0; i < window; ++i) {  // bins behind each other, 2 * bin + a bit of its order
        const unsigned bin = i < offset ? 0 : 1 + (i - offset) / size;
        const u32 order = bin == 0 ? 0 : orders[std::min(next + bin - 1, orders.size() - 1)];
        words.push_back(2 * bin + (bin == 0 ? 0 : order >> (i - offset) % size & 1));
      }
      next += (window - offset) / size;
    }
  while (words.size() % (8 * window) != 0) words.push_back(u32(~0u));
  want = words;
  for (std::size_t begin = 0; begin < want.size(); begin += window)
    std::sort(want.begin() + static_cast<std::ptrdiff_t>(begin),
              want.begin() + static_cast<std::ptrdiff_t>(begin + window));
  for (std::size_t begin = 0; begin < words.size(); begin += 8 * window) {
    const auto at = [&](const std::vector<u32>& v) { return v.begin() + static_cast<std::ptrdiff_t>(begin); };
    test::guarded<u32> of_block(std::vector<u32>(at(words), at(words) + 8 * window));
    simt::launch(sweep_kernel<Items>, simt::launch_config{dim3(1), dim3(256), 0, test::test_stream()}, of_block.data(),
                 sweeps);
    REQUIRE(of_block.read() == std::vector<u32>(at(want), at(want) + 8 * window));
  }
}

// Items: words a lane takes, of the local sorts in use and of those of this file.
TEST_CASE_TEMPLATE("sweeps order bins, however they lie to the lanes", Shape, small_local_sort<8>::narrow,
                   local_sort_in_use::narrow) {
  std::vector<u32> of_seven(1 << 7), of_sixteen(1 << 16);
  std::iota(of_seven.begin(), of_seven.end(), 0u);
  std::iota(of_sixteen.begin(), of_sixteen.end(), 0u);
#if BALLOT_EMULATED  // all are many for it: some, and those that have the farthest to go, ones before zeros
  std::shuffle(of_sixteen.begin(), of_sixteen.end(), std::mt19937(5));
  of_sixteen.resize(2000);
  for (int ones = 1; ones < 16; ++ones)
    for (int begin = 0; begin + ones <= 16; ++begin) of_sixteen.push_back(((1u << ones) - 1u) << begin);
#endif
  check_sweeps<Shape::lane_items>(Shape::few_in_bin, Shape::few_sweeps, of_seven);
  check_sweeps<Shape::lane_items>(Shape::max_in_bin, Shape::sweeps, of_sixteen);
}

}  // namespace algorithms_radix_local_sort_sweeps
