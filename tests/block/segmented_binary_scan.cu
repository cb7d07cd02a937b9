// Segmented binary scans of a block in their four forms, segments shorter and longer than warps, blocks of any shape.
#include <ballot/block/segmented_binary_scan.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace {

template <int = 0>
__global__ void scan_segments(const unsigned char* flags, const unsigned char* heads,
                              test::four_scans<unsigned>* ranks) {
  using scan = block::segmented_binary_scan;
  auto& shared = simt::shared_storage<scan::storage>();
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z, i = blockIdx.x * threads + simt::thread_rank();
  const bool flag = flags[i] != 0, head = heads[i] != 0;
  const unsigned inclusive = scan::inclusive(shared, flag, head);
  simt::sync_block();  // the storage serves again
  const unsigned exclusive = scan::exclusive(shared, flag, head);
  simt::sync_block();
  const unsigned inclusive_reverse = scan::inclusive_reverse(shared, flag, head);
  simt::sync_block();
  ranks[i] = {inclusive, exclusive, inclusive_reverse, scan::exclusive_reverse(shared, flag, head)};
}

}  // namespace

TEST_CASE("segmented block binary scan, any block shape") {
  test::for_each_schedule([&] {
    for (const dim3& shape : test::block_shapes) {
      // A block for each pattern of heads, those with few of them first in 1000 threads: segments over many warps.
      const unsigned threads = test::threads_of(shape), blocks = std::size(test::flag_patterns);
      CAPTURE(threads);
      const auto bits = test::make_flags(test::flag_patterns[5], blocks * threads);
      const std::vector<unsigned> flags(bits.begin(), bits.end());
      std::vector<unsigned char> heads;
      for (const auto& pattern : test::flag_patterns)
        for (bool head : test::make_flags(pattern, threads)) heads.push_back(head);
      const test::guarded<unsigned char> in(std::vector<unsigned char>(bits.begin(), bits.end())), head(heads);
      test::guarded<test::four_scans<unsigned>> out(flags.size());
      simt::launch(
          scan_segments<>,
          simt::launch_config{dim3(blocks), shape, sizeof(block::segmented_binary_scan::storage), test::test_stream()},
          in.data(), head.data(), out.data());
      const auto got = out.read();
      for (unsigned b = 0; b < blocks; ++b) {
        CAPTURE(test::flag_patterns[b].name);
        const auto is_head = [&](std::size_t i) { return heads[b * threads + i] != 0; };
        const auto want = test::serial_scans(&flags[b * threads], threads, is_head, 0u);
        CHECK(std::equal(want.begin(), want.end(), got.begin() + b * threads));
      }
    }
  });
}
