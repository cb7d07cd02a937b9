// SPDX-License-Identifier: Apache-2.0
// Scans and reductions of a warp with several items a lane, full, partial and lacking lanes, with
// an operator that does not commute.
#include <ballot/warp/scan_items.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace warp_scan_items {

// The forms, each on a copy of the items: `scan` takes the array and returns the total, which must
// be the same each time.
template <class T, int Items, class Extent>
__device__ void scan_warp(const T* in, unsigned count, Extent extent, test::four_scans<T>* out, T* totals) {
  const unsigned first = simt::lane_id() * Items;
  const test::strict_compose op;
  T items[4][Items], total[5];
  for (auto& copy : items)
    for (int j = 0; j < Items; ++j) copy[j] = first + j < count ? in[first + j] : T{};
  total[0] = warp::reduce_items(items[0], op, extent);
  total[1] = warp::inclusive_scan_items(items[0], op, extent);
  total[2] = warp::exclusive_scan_items(items[1], in[0], op, extent);
  total[3] = warp::inclusive_scan_items_backward(items[2], op, extent);
  total[4] = warp::exclusive_scan_items_backward(items[3], in[0], op, extent);
  for (int j = 0; j < Items; ++j) {
    if (first + j < count) out[first + j] = {items[0][j], items[1][j], items[2][j], items[3][j]};
    else
      for (auto& copy : items)
        if (!(copy[j] == T{})) simt::trap();  // items that are not there are left alone
  }
  for (int t = 0; t < 5; ++t) totals[simt::lane_id() * 5 + t] = total[t];
}

template <class T, int Items>
__global__ void scan_full_warp(const T* in, test::four_scans<T>* out, T* totals) {
  scan_warp<T, Items>(in, 32 * Items, warp::all_items{}, out, totals);
}

template <class T, int Items>
__global__ void scan_partial_warp(const T* in, unsigned count, unsigned lanes, test::four_scans<T>* out, T* totals) {
  const unsigned mask = lanes == 32 ? simt::full_mask : (1u << lanes) - 1;
  scan_warp<T, Items>(in, count, warp::first_items{count, mask}, out, totals);
}

template <class T>
void check(const std::vector<T>& items, unsigned count, const test::guarded<test::four_scans<T>>& out,
           const test::guarded<T>& totals) {
  const auto want = test::serial_scans(items.data(), count, test::no_heads, items[0], test::compose{});
  CHECK(out.read() == want);
  bool right = true;
  for (const T& total : totals.read()) right &= total == want.back().inclusive;
  CHECK(right);
}

template <class Word, int N>
struct shape {
  using T = test::affine<Word>;
  static constexpr int items = N;
};

TEST_CASE_TEMPLATE("warp scans of items", S, shape<std::uint32_t, 1>, shape<std::uint64_t, 3>) {
  using T = typename S::T;
  const auto items = test::random_operands<T>(32 * S::items, 9);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    {
      test::guarded<test::four_scans<T>> out(items.size());
      test::guarded<T> totals(32 * 5);
      simt::launch(scan_full_warp<T, S::items>, simt::launch_config{dim3(1), dim3(32), 0, test::test_stream()},
                   in.data(), out.data(), totals.data());
      check(items, 32 * S::items, out, totals);
    }
    for (unsigned count : {1u, 2u, 3u, 4u, 16u * S::items, 31u * S::items + 1, 32u * S::items - 1, 32u * S::items}) {
      const unsigned with_items = (count + S::items - 1) / S::items;
      for (unsigned lanes : {with_items, 32u}) {
        CAPTURE(count);
        CAPTURE(lanes);
        if (with_items > 32) continue;
        test::guarded<test::four_scans<T>> out(count);
        test::guarded<T> totals(lanes * 5);
        simt::launch(scan_partial_warp<T, S::items>, simt::launch_config{dim3(1), dim3(lanes), 0, test::test_stream()},
                     in.data(), count, lanes, out.data(), totals.data());
        check(items, count, out, totals);
      }
    }
  });
}

}  // namespace warp_scan_items
