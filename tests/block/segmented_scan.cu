// SPDX-License-Identifier: Apache-2.0
// Segmented block scans in their four forms, one and several items a thread, with an operator that
// does not commute; segments shorter and longer than warps; blocks of any shape, full and partial.
#include <ballot/block/segmented_scan.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace block_segmented_scan {

template <class T, int Threads, int Items, class Extent>
__device__ void scan_block(const T* in, const unsigned char* heads, unsigned count, Extent extent,
                           test::four_scans<T>* out) {
  using scan = block::segmented_scan<T, Threads>;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned first = simt::thread_rank() * Items;
  const test::strict_compose op;
  const T initial = in[0];
  T items[4][Items];
  bool head[Items];
  for (int j = 0; j < Items; ++j) {
    for (auto& copy : items) copy[j] = first + j < count ? in[first + j] : T{};
    head[j] = first + j >= count || heads[first + j] != 0;  // heads of items that are not there must not matter
  }
  if constexpr (Items == 1) {
    items[0][0] = scan::inclusive(shared, items[0][0], head[0], op, extent);
    simt::sync_block();  // the storage serves again
    items[1][0] = scan::exclusive(shared, items[1][0], head[0], initial, op, extent);
    simt::sync_block();
    items[2][0] = scan::inclusive_backward(shared, items[2][0], head[0], op, extent);
    simt::sync_block();
    items[3][0] = scan::exclusive_backward(shared, items[3][0], head[0], initial, op, extent);
  } else {
    scan::inclusive_items(shared, items[0], head, op, extent);
    simt::sync_block();
    scan::exclusive_items(shared, items[1], head, initial, op, extent);
    simt::sync_block();
    scan::inclusive_items_backward(shared, items[2], head, op, extent);
    simt::sync_block();
    scan::exclusive_items_backward(shared, items[3], head, initial, op, extent);
  }
  for (int j = 0; j < Items; ++j)
    if (first + j < count) out[first + j] = {items[0][j], items[1][j], items[2][j], items[3][j]};
}

template <class T, int Threads, int Items>
__global__ void __launch_bounds__(Threads)
    scan_segments(const T* in, const unsigned char* heads, unsigned count, test::four_scans<T>* out) {
  if (count == Threads * Items) scan_block<T, Threads, Items>(in, heads, count, block::all_items{}, out);
  else scan_block<T, Threads, Items>(in, heads, count, block::first_items{count}, out);
}

TEST_CASE_TEMPLATE("segmented block scan", Shape, test::static_shape<1, 1, 1, 2>, test::static_shape<9, 5, 3>,
                   test::static_shape<16, 8, 1, 3>, test::static_shape<40, 4, 2>) {
  using T = test::affine<std::uint64_t>;
  constexpr unsigned threads = Shape::threads, all = threads * Shape::items;
  const auto items = test::random_operands<T>(all, 24);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    for (const auto& pattern : test::flag_patterns) {
      const auto heads = test::make_flags(pattern, all);
      const test::guarded<unsigned char> head(std::vector<unsigned char>(heads.begin(), heads.end()));
      for (unsigned count : {all / 2 + 1, all}) {
        CAPTURE(pattern.name);
        CAPTURE(count);
        test::guarded<test::four_scans<T>> out(count);
        simt::launch(scan_segments<T, Shape::threads, Shape::items>,
                     simt::launch_config{dim3(1), Shape::dimensions(),
                                         sizeof(typename block::segmented_scan<T, Shape::threads>::storage),
                                         test::test_stream()},
                     in.data(), head.data(), count, out.data());
        const auto is_head = [&](std::size_t i) { return bool{heads[i]}; };
        CHECK(out.read() == test::serial_scans(items.data(), count, is_head, items[0], test::compose{}));
      }
    }
  });
}

}  // namespace block_segmented_scan
