// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of warps and blocks apply an operator only to sums of adjacent items and to
// `initial`. They do not apply it to the values of lanes without items, nor to values that no
// result depends on.
#include <ballot/block/reduce.cuh>
#include <ballot/block/scan.cuh>
#include <ballot/block/segmented_scan.cuh>
#include <ballot/warp/reduce.cuh>
#include <ballot/warp/scan.cuh>
#include <ballot/warp/scan_items.cuh>
#include <ballot/warp/segmented_scan.cuh>
#include <ballot/warp/segmented_scan_items.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/schedules.hpp"
#include "support/stretches.hpp"

using namespace ballot;

namespace block_adjacent_operands {

using word = std::uint32_t;
using item = test::stretch<word>;
using forward = test::join_adjacent<word>;
using backward = test::join_adjacent<word, true>;

// Heads at every `period` items, also among invalid items.
struct segments {
  unsigned period;
  __device__ bool head(unsigned i) const { return i % period == 0; }
};

// Every form once. `first`: of this thread's items. next(items) makes them anew; an invalid item is
// no stretch.
template <int Items, class Next, class Extent>
__device__ item all_of_warp(Next next, const bool (&heads)[Items], unsigned mask, forward op, backward back,
                            Extent extent) {
  const item initial = test::initial_stretch<word>();
  item items[Items], last{};
  if constexpr (Items == 1) {
    const warp::segment_heads head = warp::heads_of(heads[0], mask);
    next(items);
    warp::exclusive_scan(items[0], initial, op, extent);
    warp::inclusive_scan_backward(items[0], back, extent);
    warp::exclusive_scan_backward(items[0], initial, back, extent);
    warp::segmented_inclusive_scan(items[0], head, op, extent);
    warp::segmented_exclusive_scan(items[0], head, initial, op, extent);
    warp::segmented_inclusive_scan_backward(items[0], head, back, extent);
    warp::segmented_exclusive_scan_backward(items[0], head, initial, back, extent);
    warp::segmented_reduce(items[0], head, op, extent);
    warp::inclusive_scan(items[0], op, extent);
    last = warp::reduce(items[0], op, extent);
  } else {
    next(items), warp::exclusive_scan_items(items, initial, op, extent);
    next(items), warp::inclusive_scan_items_backward(items, back, extent);
    next(items), warp::exclusive_scan_items_backward(items, initial, back, extent);
    next(items), warp::segmented_inclusive_scan_items(items, heads, op, extent);
    next(items), warp::segmented_exclusive_scan_items(items, heads, initial, op, extent);
    next(items), warp::segmented_inclusive_scan_items_backward(items, heads, back, extent);
    next(items), warp::segmented_exclusive_scan_items_backward(items, heads, initial, back, extent);
    next(items), warp::inclusive_scan_items(items, op, extent);
    next(items), last = warp::reduce_items(items, op, extent);
  }
  return last;
}

template <int Items, class Extent>
__device__ void in_warp(unsigned count, segments in, word limit, unsigned* strangers, Extent extent, unsigned mask,
                        item* out) {
  const unsigned first = simt::lane_id() * Items;
  bool heads[Items];
  for (int j = 0; j < Items; ++j) heads[j] = in.head(first + j);
  const auto next = [&](item(&items)[Items]) {
    for (unsigned j = 0; j < Items; ++j) items[j] = first + j < count ? item{first + j, first + j + 1} : item{7, 7};
  };
  const item all = all_of_warp(next, heads, mask, forward{limit, strangers}, backward{limit, strangers}, extent);
  if (simt::lane_id() == 0) *out = all;
}

template <int Items>
__global__ void all_forms_of_warp(unsigned count, segments in, unsigned* strangers, item* out) {
  const unsigned mask = blockDim.x == 32 ? simt::full_mask : (1u << blockDim.x) - 1u;
  if (count == 32 * Items) in_warp<Items>(count, in, count, strangers, warp::all_items{}, mask, out);
  else in_warp<Items>(count, in, count, strangers, warp::first_items{count, mask}, mask, out);
}

template <int Threads>
union block_storage {
  typename block::scan<item, Threads>::storage scan;
  typename block::segmented_scan<item, Threads>::storage segmented;
  typename block::reduction<item, Threads>::storage reduction;
};

template <int Threads, int Items, class Extent>
__device__ void in_block(unsigned count, segments in, word limit, unsigned* strangers, Extent extent, item* out) {
  using scan = block::scan<item, Threads>;
  using segmented = block::segmented_scan<item, Threads>;
  auto& shared = simt::shared_storage<block_storage<Threads>>();
  const item initial = test::initial_stretch<word>();
  const forward op{limit, strangers};
  const backward back{limit, strangers};
  const unsigned first = simt::thread_rank() * Items;
  bool heads[Items];
  for (int j = 0; j < Items; ++j) heads[j] = in.head(first + j);
  item items[Items];
  const auto next = [&] {
    simt::sync_block();  // the storage serves again
    for (unsigned j = 0; j < Items; ++j) items[j] = first + j < count ? item{first + j, first + j + 1} : item{7, 7};
  };
  if constexpr (Items == 1) {
    item total;
    scan::inclusive(shared.scan, (next(), items)[0], total, op, extent);
    scan::exclusive(shared.scan, (next(), items)[0], initial, total, op, extent);
    scan::inclusive_backward(shared.scan, (next(), items)[0], total, back, extent);
    scan::exclusive_backward(shared.scan, (next(), items)[0], initial, total, back, extent);
  }
  scan::inclusive_items(shared.scan, (next(), items), op, extent);
  scan::exclusive_items(shared.scan, (next(), items), initial, op, extent);
  scan::inclusive_items_backward(shared.scan, (next(), items), back, extent);
  scan::exclusive_items_backward(shared.scan, (next(), items), initial, back, extent);
  segmented::inclusive_items(shared.segmented, (next(), items), heads, op, extent);
  segmented::exclusive_items(shared.segmented, (next(), items), heads, initial, op, extent);
  segmented::inclusive_items_backward(shared.segmented, (next(), items), heads, back, extent);
  segmented::exclusive_items_backward(shared.segmented, (next(), items), heads, initial, back, extent);
  const item all = block::reduction<item, Threads>::of_items(shared.reduction, (next(), items), op, extent);
  if (simt::thread_rank() == 0) *out = all;
}

template <int Threads, int Items>
__global__ void __launch_bounds__(Threads)
    all_forms_of_block(unsigned count, segments in, unsigned* strangers, item* out) {
  if (count == Threads * Items) in_block<Threads, Items>(count, in, count, strangers, block::all_items{}, out);
  else in_block<Threads, Items>(count, in, count, strangers, block::first_items{count}, out);
}

template <int Items>
void check_warp(unsigned count, unsigned lanes, unsigned period) {
  CAPTURE(count);
  CAPTURE(lanes);
  CAPTURE(period);
  const test::guarded<unsigned> strangers(std::vector<unsigned>{0});
  const test::guarded<item> all(1);
  simt::launch(all_forms_of_warp<Items>, simt::launch_config{dim3(1), dim3(lanes), 0, test::test_stream()}, count,
               segments{period}, strangers.data(), all.data());
  CHECK(strangers.read()[0] == 0);
  CHECK(all.read()[0] == item{0, count});
}

TEST_CASE("scans and reductions of warps apply an operator to adjacent items alone") {
  test::for_each_schedule([&] {
    for (const unsigned count : {1u, 2u, 5u, 16u, 17u, 31u, 32u})
      for (const unsigned lanes : {count, 32u})
        for (const unsigned period : {1u, 3u, 8u, 100u}) check_warp<1>(count, lanes, period);
    for (const unsigned count : {1u, 2u, 3u, 4u, 47u, 48u, 95u, 96u})
      for (const unsigned lanes : {(count + 2) / 3, 32u})
        for (const unsigned period : {1u, 4u, 9u, 100u}) check_warp<3>(count, lanes, period);
  });
}

TEST_CASE_TEMPLATE("scans and reductions of blocks apply an operator to adjacent items alone", Shape,
                   test::static_shape<1, 1, 1>, test::static_shape<31, 1, 1, 2>, test::static_shape<8, 8, 4>,
                   test::static_shape<16, 8, 1, 3>, test::static_shape<9, 5, 3>, test::static_shape<40, 4, 2, 2>) {
  constexpr unsigned all = Shape::threads * Shape::items;
  test::for_each_schedule([&] {
    for (const unsigned count : {1u, 2u, 33u, all / 2, all / 2 + 1, all - 1, all}) {
      if (count == 0 || count > all) continue;
      for (const unsigned period : {1u, 7u, 50u, 2000u}) {
        CAPTURE(count);
        CAPTURE(period);
        const test::guarded<unsigned> strangers(std::vector<unsigned>{0});
        const test::guarded<item> sum(1);
        simt::launch(all_forms_of_block<Shape::threads, Shape::items>,
                     simt::launch_config{dim3(1), Shape::dimensions(), sizeof(block_storage<Shape::threads>),
                                         test::test_stream()},
                     count, segments{period}, strangers.data(), sum.data());
        CHECK(strangers.read()[0] == 0);
        CHECK(sum.read()[0] == item{0, count});
      }
    }
  });
}

}  // namespace block_adjacent_operands
