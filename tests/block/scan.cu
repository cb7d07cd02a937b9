// SPDX-License-Identifier: Apache-2.0
// Generic block scans, one item a thread, with an operator that does not commute and with one that
// the hardware reduces; blocks of any shape, full and partial.
#include <ballot/block/scan.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace block_scan {

template <class T, int Threads, class Op, class Extent>
__device__ void scan_block(const T* in, Extent extent, unsigned count, test::four_scans<T>* out, T* totals) {
  using scan = block::scan<T, Threads>;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned i = simt::thread_rank();
  const T item = i < count ? in[i] : T{}, initial = in[0];
  const test::strictly<Op> op;
  T total[4];
  test::four_scans<T> scans;
  scans.inclusive = scan::inclusive(shared, item, total[0], op, extent);
  simt::sync_block();  // the storage serves again
  scans.exclusive = scan::exclusive(shared, item, initial, total[1], op, extent);
  simt::sync_block();
  scans.inclusive_backward = scan::inclusive_backward(shared, item, total[2], op, extent);
  simt::sync_block();
  scans.exclusive_backward = scan::exclusive_backward(shared, item, initial, total[3], op, extent);
  if (i < count) out[i] = scans;
  for (int t = 0; t < 4; ++t) totals[i * 4 + static_cast<unsigned>(t)] = total[t];
}

template <class T, int Threads, class Op>
__global__ void __launch_bounds__(Threads)
    scan_items(const T* in, unsigned count, test::four_scans<T>* out, T* totals) {
  if (count == Threads) scan_block<T, Threads, Op>(in, block::all_items{}, count, out, totals);
  else scan_block<T, Threads, Op>(in, block::first_items{count}, count, out, totals);
}

// As the tiles' kernels use it: the scan within warps is the caller's.
template <class T, int Threads>
__global__ void __launch_bounds__(Threads) scan_across_warps(const T* in, test::four_scans<T>* out, T* totals) {
  using scan = block::scan<T, Threads>;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned i = simt::thread_rank();
  const T in_warp = warp::inclusive_scan(in[i], test::compose{});
  const block::warp_prefix<T> prefix = scan::across_warps(shared, in_warp, test::compose{});
  out[i].inclusive = prefix.has_value ? test::compose{}(prefix.value, in_warp) : in_warp;
  totals[i] = prefix.total;
}

template <class T, class Shape, class Op>
void check_scans() {
  constexpr unsigned threads = Shape::threads;
  const auto items = test::random_operands<T>(threads, 21);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    for (unsigned count : {1u, threads / 2, threads - 1, threads}) {
      if (count == 0) continue;
      CAPTURE(count);
      test::guarded<test::four_scans<T>> out(count);
      test::guarded<T> totals(threads * 4);
      simt::launch(scan_items<T, Shape::threads, Op>,
                   simt::launch_config{dim3(1), Shape::dimensions(),
                                       sizeof(typename block::scan<T, Shape::threads>::storage), test::test_stream()},
                   in.data(), count, out.data(), totals.data());
      const auto want = test::serial_scans(items.data(), count, test::no_heads, items[0], Op{});
      CHECK(out.read() == want);
      bool right = true;
      for (const T& total : totals.read()) right &= total == want.back().inclusive;
      CHECK(right);
    }
  });
}

TEST_CASE_TEMPLATE("block scan", Shape, test::static_shape<1, 1, 1>, test::static_shape<31, 1, 1>,
                   test::static_shape<32, 1, 1>, test::static_shape<5, 4, 2>, test::static_shape<16, 2, 7>,
                   test::static_shape<1000, 1, 1>, test::static_shape<1024, 1, 1>) {
  check_scans<test::affine<std::uint64_t>, Shape, test::compose>();  // 16 bytes
}

TEST_CASE_TEMPLATE("block scan where the hardware reduces", Shape, test::static_shape<1, 1, 1>,
                   test::static_shape<37, 1, 1>, test::static_shape<8, 8, 4>, test::static_shape<993, 1, 1>) {
  check_scans<unsigned, Shape, plus>();
  check_scans<std::int16_t, Shape, minimum>();
}

TEST_CASE_TEMPLATE("block scan across warps", Shape, test::static_shape<32, 1, 1>, test::static_shape<224, 1, 1>,
                   test::static_shape<1024, 1, 1>) {
  using T = test::affine<std::uint32_t>;
  constexpr int threads = Shape::threads;
  const auto items = test::random_operands<T>(threads, 8);
  const auto sums = test::serial_inclusive(items, test::compose{});
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<test::four_scans<T>> out(threads);
    test::guarded<T> totals(threads);
    simt::launch(scan_across_warps<T, threads>,
                 simt::launch_config{dim3(1), dim3(threads), sizeof(typename block::scan<T, threads>::storage),
                                     test::test_stream()},
                 in.data(), out.data(), totals.data());
    const auto got = out.read();
    const auto total = totals.read();
    bool right = true;
    for (std::size_t i = 0; i < sums.size(); ++i) right &= got[i].inclusive == sums[i] && total[i] == sums.back();
    CHECK(right);
  });
}

}  // namespace block_scan
