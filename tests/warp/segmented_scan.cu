// SPDX-License-Identifier: Apache-2.0
// Segmented scans of a warp in their four forms, one and several items a lane, with an operator
// that does not commute; full and partial warps, and warps that lack lanes.
#include <ballot/warp/segmented_scan.cuh>
#include <ballot/warp/segmented_scan_items.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace warp_segmented_scan {

template <class T>
struct results {
  test::four_scans<T> scans;
  T total;  // of the segment
};

template <class T, class Extent>
__device__ results<T> scan_segments(T item, bool head, unsigned mask, T initial, Extent extent) {
  const test::strict_compose op;
  const warp::segment_heads heads = warp::heads_of(head, mask);
  return {{warp::segmented_inclusive_scan(item, heads, op, extent),
           warp::segmented_exclusive_scan(item, heads, initial, op, extent),
           warp::segmented_inclusive_scan_backward(item, heads, op, extent),
           warp::segmented_exclusive_scan_backward(item, heads, initial, op, extent)},
          warp::segmented_reduce(item, heads, op, extent)};
}

// A warp a block, of `lanes` lanes; heads: a word a warp. valid == 0: the warps are full.
template <class T>
__global__ void scan_warps(const T* in, const unsigned* heads, unsigned valid, results<T>* out) {
  const unsigned lane = threadIdx.x, mask = blockDim.x == 32 ? simt::full_mask : (1u << blockDim.x) - 1;
  const T item = valid == 0 || lane < valid ? in[blockIdx.x * 32 + lane] : T{};
  const bool head = (heads[blockIdx.x] >> lane & 1u) != 0;
  if (valid == 0) {
    out[blockIdx.x * 32 + lane] = scan_segments(item, head, mask, in[0], warp::all_items{});
  } else {
    const results<T> r = scan_segments(item, head, mask, in[0], warp::first_items{valid, mask});
    if (lane < valid) out[blockIdx.x * 32 + lane] = r;
  }
}

template <class T, int Items, class Extent>
__device__ void scan_warp_items(const T* in, const unsigned char* heads, unsigned count, Extent extent,
                                test::four_scans<T>* out) {
  const unsigned first = threadIdx.x * Items;
  const test::strict_compose op;
  T items[4][Items];
  bool head[Items];
  for (int j = 0; j < Items; ++j) {
    for (auto& copy : items) copy[j] = first + j < count ? in[first + j] : T{};
    head[j] = heads[first + j] != 0;  // of items that are not there too: they must not matter
  }
  warp::segmented_inclusive_scan_items(items[0], head, op, extent);
  warp::segmented_exclusive_scan_items(items[1], head, in[0], op, extent);
  warp::segmented_inclusive_scan_items_backward(items[2], head, op, extent);
  warp::segmented_exclusive_scan_items_backward(items[3], head, in[0], op, extent);
  for (int j = 0; j < Items; ++j)
    if (first + j < count) out[first + j] = {items[0][j], items[1][j], items[2][j], items[3][j]};
}

template <class T, int Items>
__global__ void scan_items(const T* in, const unsigned char* heads, unsigned count, test::four_scans<T>* out) {
  const unsigned mask = blockDim.x == 32 ? simt::full_mask : (1u << blockDim.x) - 1;
  if (count == 32 * Items) scan_warp_items<T, Items>(in, heads, count, warp::all_items{}, out);
  else scan_warp_items<T, Items>(in, heads, count, warp::first_items{count, mask}, out);
}

TEST_CASE_TEMPLATE("segmented warp scans", Word, std::uint16_t, std::uint64_t) {
  using T = test::affine<Word>;
  std::vector<unsigned> heads = test::random_items<unsigned>(6, 14);
  heads[1] &= heads[2] & heads[3];
  for (unsigned word : {0u, ~0u, 1u, 0x80000000u, 0x80000001u, 2u, 0x10100u}) heads.push_back(word);
  const unsigned warps = static_cast<unsigned>(heads.size());
  const auto items = test::random_operands<T>(32 * warps, 15);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    const test::guarded<unsigned> head(heads);
    for (unsigned valid : {0u, 1u, 9u, 31u}) {
      for (unsigned lanes : {valid == 0 ? 32u : valid, 32u}) {
        CAPTURE(valid);
        CAPTURE(lanes);
        test::guarded<results<T>> out(items.size());
        simt::launch(scan_warps<T>, simt::launch_config{dim3(warps), dim3(lanes), 0, test::test_stream()}, in.data(),
                     head.data(), valid, out.data());
        const auto got = out.read();
        bool right = true;
        for (unsigned w = 0; w < warps; ++w) {
          const std::size_t n = valid == 0 ? 32 : valid;
          const auto is_head = [&](std::size_t i) { return (heads[w] >> i & 1u) != 0; };
          const auto want = test::serial_scans(&items[w * 32], n, is_head, items[0], test::compose{});
          T total{};
          for (std::size_t i = n; i-- > 0;) {
            if (i + 1 == n || is_head(i + 1)) total = want[i].inclusive;
            right &= got[w * 32 + i].scans == want[i] && got[w * 32 + i].total == total;
          }
        }
        CHECK(right);
      }
    }
  });
}

TEST_CASE("segmented warp scans of items") {
  using T = test::affine<std::uint64_t>;
  constexpr int items_a_lane = 3;
  const auto items = test::random_operands<T>(32 * items_a_lane, 16);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    for (const auto& pattern : test::flag_patterns) {
      const std::vector<bool> heads = test::make_flags(pattern, items.size());
      const test::guarded<unsigned char> head(std::vector<unsigned char>(heads.begin(), heads.end()));
      for (unsigned count : {1u, 2u, 47u, 48u, 95u, 96u}) {
        for (unsigned lanes : {(count + 2) / 3, 32u}) {
          CAPTURE(pattern.name);
          CAPTURE(count);
          CAPTURE(lanes);
          test::guarded<test::four_scans<T>> out(count);
          simt::launch(scan_items<T, items_a_lane>, simt::launch_config{dim3(1), dim3(lanes), 0, test::test_stream()},
                       in.data(), head.data(), count, out.data());
          const auto is_head = [&](std::size_t i) { return bool{heads[i]}; };
          CHECK(out.read() == test::serial_scans(items.data(), count, is_head, items[0], test::compose{}));
        }
      }
    }
  });
}

}  // namespace warp_segmented_scan
