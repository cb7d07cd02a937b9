// SPDX-License-Identifier: Apache-2.0
// Counts, votes and sums by the reducing barriers, for blocks of any shape.
#include <ballot/block/binary_reduce.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace block_binary_reduce {

struct results {
  unsigned count, any, all, sum;
};

template <int Bits>
__global__ void reduce_block(const unsigned* values, results* out) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z, i = blockIdx.x * threads + simt::thread_rank();
  const bool flag = (values[i] & 1u) != 0;
  const unsigned count = block::binary_count(flag);
  const bool any = block::binary_any(flag), all = block::binary_all(flag);
  out[i] = {count, any, all, block::bitwise_sum<Bits>(values[i])};
}

TEST_CASE_TEMPLATE("block count, any, all and sum by bits", Shape, BALLOT_TEST_BLOCK_SHAPES) {
  constexpr int bits = 3;
  constexpr unsigned threads = Shape::threads, blocks = 5;
  auto values = test::random_items<unsigned>(blocks * threads, 20);
  for (unsigned t = 0; t < threads; ++t) {  // none, all, all but the last, only the last; and random ones
    values[t] &= ~1u;
    values[threads + t] |= 1u;
    values[2 * threads + t] = (values[2 * threads + t] & ~1u) | (t + 1 != threads);
    values[3 * threads + t] = (values[3 * threads + t] & ~1u) | (t + 1 == threads);
  }
  test::for_each_schedule([&] {
    const test::guarded<unsigned> in(values);
    test::guarded<results> out(values.size());
    simt::launch(reduce_block<bits>, simt::launch_config{dim3(blocks), Shape::dimensions(), 0, test::test_stream()},
                 in.data(), out.data());
    const auto got = out.read();
    bool right = true;
    for (unsigned b = 0; b < blocks; ++b) {
      unsigned count = 0, sum = 0;
      for (unsigned t = 0; t < threads; ++t) {
        count += values[b * threads + t] & 1u;
        sum += values[b * threads + t] & ((1u << bits) - 1u);
      }
      for (unsigned t = 0; t < threads; ++t) {
        const results& r = got[b * threads + t];
        right &= r.count == count && r.any == (count != 0) && r.all == (count == threads) && r.sum == sum;
      }
    }
    CHECK(right);
  });
}

}  // namespace block_binary_reduce
