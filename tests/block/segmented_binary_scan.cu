// SPDX-License-Identifier: Apache-2.0
// Segmented binary scans of a block in their four forms, segments shorter and longer than warps,
// blocks of any shape.
#include <ballot/block/segmented_binary_scan.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace block_segmented_binary_scan {

template <int Threads>
__global__ void scan_segments(const unsigned char* flags, const unsigned char* heads,
                              test::four_scans<unsigned>* ranks) {
  using scan = block::segmented_binary_scan<Threads>;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned i = blockIdx.x * Threads + simt::thread_rank();
  const bool flag = flags[i] != 0, head = heads[i] != 0;
  const unsigned inclusive = scan::inclusive(shared, flag, head);
  simt::sync_block();  // the storage serves again
  const unsigned exclusive = scan::exclusive(shared, flag, head);
  simt::sync_block();
  const unsigned inclusive_backward = scan::inclusive_backward(shared, flag, head);
  simt::sync_block();
  ranks[i] = {inclusive, exclusive, inclusive_backward, scan::exclusive_backward(shared, flag, head)};
}

TEST_CASE_TEMPLATE("segmented block binary scan", Shape, BALLOT_TEST_BLOCK_SHAPES) {
  // A block for each pattern of heads; those with few of them make segments over many warps.
  constexpr unsigned threads = Shape::threads, blocks = static_cast<unsigned>(std::size(test::flag_patterns));
  const auto bits = test::make_flags(test::flag_patterns[5], blocks * threads);
  const std::vector<unsigned> flags(bits.begin(), bits.end());
  std::vector<unsigned char> heads;
  for (const auto& pattern : test::flag_patterns)
    for (bool head : test::make_flags(pattern, threads)) heads.push_back(head);
  test::for_each_schedule([&] {
    const test::guarded<unsigned char> in(std::vector<unsigned char>(bits.begin(), bits.end())), head(heads);
    test::guarded<test::four_scans<unsigned>> out(flags.size());
    simt::launch(scan_segments<Shape::threads>,
                 simt::launch_config{dim3(blocks), Shape::dimensions(),
                                     sizeof(typename block::segmented_binary_scan<Shape::threads>::storage),
                                     test::test_stream()},
                 in.data(), head.data(), out.data());
    const auto got = out.read();
    for (unsigned b = 0; b < blocks; ++b) {
      CAPTURE(test::flag_patterns[b].name);
      const auto is_head = [&](std::size_t i) { return heads[b * threads + i] != 0; };
      const auto want = test::serial_scans(&flags[b * threads], threads, is_head, 0u);
      CHECK(std::equal(want.begin(), want.end(), got.begin() + b * threads));
    }
  });
}

}  // namespace block_segmented_binary_scan
