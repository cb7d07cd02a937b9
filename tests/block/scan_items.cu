// SPDX-License-Identifier: Apache-2.0
// Generic block scans with several items a thread, with an operator that does not commute; blocks
// of any shape, full and partial.
#include <ballot/block/scan.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace block_scan_items {

template <class T, int Threads, int Items, class Extent>
__device__ void scan_block(const T* in, Extent extent, unsigned count, test::four_scans<T>* out, T* totals) {
  using scan = block::scan<T, Threads>;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned first = simt::thread_rank() * Items;
  const test::strict_compose op;
  T items[4][Items], total[4];
  for (auto& copy : items)
    for (int j = 0; j < Items; ++j) copy[j] = first + j < count ? in[first + j] : T{};
  total[0] = scan::inclusive_items(shared, items[0], op, extent);
  simt::sync_block();  // the storage serves again
  total[1] = scan::exclusive_items(shared, items[1], in[0], op, extent);
  simt::sync_block();
  total[2] = scan::inclusive_items_backward(shared, items[2], op, extent);
  simt::sync_block();
  total[3] = scan::exclusive_items_backward(shared, items[3], in[0], op, extent);
  for (int j = 0; j < Items; ++j)
    if (first + j < count) out[first + j] = {items[0][j], items[1][j], items[2][j], items[3][j]};
  for (int t = 0; t < 4; ++t) totals[simt::thread_rank() * 4 + static_cast<unsigned>(t)] = total[t];
}

template <class T, int Threads, int Items>
__global__ void __launch_bounds__(Threads)
    scan_items(const T* in, unsigned count, test::four_scans<T>* out, T* totals) {
  if (count == Threads * Items) scan_block<T, Threads, Items>(in, block::all_items{}, count, out, totals);
  else scan_block<T, Threads, Items>(in, block::first_items{count}, count, out, totals);
}

TEST_CASE_TEMPLATE("block scan of items", Shape, test::static_shape<1, 1, 1, 3>, test::static_shape<32, 1, 1, 4>,
                   test::static_shape<7, 5, 2, 2>, test::static_shape<16, 16, 1, 3>, test::static_shape<999, 1, 1, 2>) {
  using T = test::affine<std::uint32_t>;
  constexpr unsigned threads = Shape::threads, all = threads * Shape::items;
  const auto items = test::random_operands<T>(all, 22);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    for (unsigned count : {1u, 31u * Shape::items + 1, 32u * Shape::items, all / 2 + 1, all - 1, all}) {
      if (count > all) continue;
      CAPTURE(count);
      test::guarded<test::four_scans<T>> out(count);
      test::guarded<T> totals(threads * 4);
      simt::launch(scan_items<T, Shape::threads, Shape::items>,
                   simt::launch_config{dim3(1), Shape::dimensions(),
                                       sizeof(typename block::scan<T, Shape::threads>::storage), test::test_stream()},
                   in.data(), count, out.data(), totals.data());
      const auto want = test::serial_scans(items.data(), count, test::no_heads, items[0], test::compose{});
      CHECK(out.read() == want);
      bool right = true;
      for (const T& total : totals.read()) right &= total == want.back().inclusive;
      CHECK(right);
    }
  });
}

}  // namespace block_scan_items
