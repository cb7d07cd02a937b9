// SPDX-License-Identifier: Apache-2.0
// Binary scans of a block in their four forms, for blocks of any shape.
#include <ballot/block/binary_scan.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace block_binary_scan {

template <int Threads>
__global__ void scan_flags(const unsigned char* flags, test::four_scans<unsigned>* ranks, unsigned* totals) {
  using scan = block::binary_scan<Threads>;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned i = blockIdx.x * Threads + simt::thread_rank();
  const bool flag = flags[i] != 0;
  const auto inclusive = scan::inclusive(shared, flag);
  simt::sync_block();  // the storage serves again
  const auto exclusive = scan::exclusive(shared, flag);
  simt::sync_block();
  const auto inclusive_backward = scan::inclusive_backward(shared, flag);
  simt::sync_block();
  const auto exclusive_backward = scan::exclusive_backward(shared, flag);
  ranks[i] = {inclusive.rank, exclusive.rank, inclusive_backward.rank, exclusive_backward.rank};
  const bool same = inclusive.total == exclusive.total && inclusive.total == inclusive_backward.total &&
                    inclusive.total == exclusive_backward.total;
  totals[i] = same ? inclusive.total : ~0u;
}

TEST_CASE_TEMPLATE("block binary scan", Shape, BALLOT_TEST_BLOCK_SHAPES) {
  constexpr unsigned threads = Shape::threads, blocks = 3;
  const auto bits = test::make_flags(test::flag_patterns[5], blocks * threads);
  const std::vector<unsigned> flags(bits.begin(), bits.end());
  test::for_each_schedule([&] {
    const test::guarded<unsigned char> in(std::vector<unsigned char>(bits.begin(), bits.end()));
    test::guarded<test::four_scans<unsigned>> ranks(flags.size());
    test::guarded<unsigned> totals(flags.size());
    simt::launch(scan_flags<Shape::threads>,
                 simt::launch_config{dim3(blocks), Shape::dimensions(),
                                     sizeof(typename block::binary_scan<Shape::threads>::storage), test::test_stream()},
                 in.data(), ranks.data(), totals.data());
    const auto rank = ranks.read();
    const auto total = totals.read();
    bool right = true;
    for (unsigned b = 0; b < blocks; ++b) {
      const auto want = test::serial_scans(&flags[b * threads], threads, test::no_heads, 0u);
      for (unsigned t = 0; t < threads; ++t)
        right &= rank[b * threads + t] == want[t] && total[b * threads + t] == want.back().inclusive;
    }
    CHECK(right);
  });
}

}  // namespace block_binary_scan
