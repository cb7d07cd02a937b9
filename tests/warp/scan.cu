// SPDX-License-Identifier: Apache-2.0
// Generic scans of a warp in their four forms, with an operator that does not commute. Items have 4
// to 16 bytes; warps are full, partial, or lack lanes.
#include <ballot/warp/match.cuh>
#include <ballot/warp/scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace warp_scan {

template <class T, class Extent>
__device__ test::four_scans<T> scan_all_ways(T item, T initial, Extent extent) {
  const test::strict_compose op;
  return {warp::inclusive_scan(item, op, extent), warp::exclusive_scan(item, initial, op, extent),
          warp::inclusive_scan_backward(item, op, extent), warp::exclusive_scan_backward(item, initial, op, extent)};
}

template <class T>
__global__ void scan_full_warps(const T* in, test::four_scans<T>* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scan_all_ways(in[i], in[0], warp::all_items{});
}

// One warp of `lanes` lanes, of which `valid` hold items; only those write.
template <class T>
__global__ void scan_partial_warp(const T* in, unsigned valid, unsigned lanes, test::four_scans<T>* out) {
  const unsigned lane = threadIdx.x, mask = lanes == 32 ? simt::full_mask : (1u << lanes) - 1;
  const T item = lane < valid ? in[lane] : T{};
  const auto scans = scan_all_ways(item, in[0], warp::first_items{valid, mask});
  if (lane < valid) out[lane] = scans;
}

template <int Bits>
__global__ void match_digits(const unsigned* digits, unsigned* peers) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  peers[i] = warp::match_digit<Bits>(digits[i]);
}

TEST_CASE_TEMPLATE("warp scans", Word, std::uint16_t, std::uint32_t, std::uint64_t) {
  using T = test::affine<Word>;
  const std::size_t n = 96 * 4;
  const auto items = test::random_operands<T>(n, 5);
  test::for_each_schedule([&] {
    test::guarded<T> in(items);
    test::guarded<test::four_scans<T>> out(n);
    simt::launch(scan_full_warps<T>, simt::launch_config{dim3(4), dim3(96), 0, test::test_stream()}, in.data(),
                 out.data());
    const auto got = out.read();
    bool right = true;
    for (std::size_t w = 0; w < n; w += 32) {
      const auto want = test::serial_scans(&items[w], 32, test::no_heads, items[0], test::compose{});
      right &= std::equal(want.begin(), want.end(), got.begin() + static_cast<std::ptrdiff_t>(w));
    }
    CHECK(right);
  });
}

TEST_CASE_TEMPLATE("warp scans of partial warps", Word, std::uint16_t, std::uint64_t) {
  using T = test::affine<Word>;
  const auto items = test::random_operands<T>(32, 6);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    for (unsigned valid : {1u, 2u, 5u, 16u, 17u, 31u, 32u}) {
      for (unsigned lanes : {valid, (valid + 32) / 2, 32u}) {
        CAPTURE(valid);
        CAPTURE(lanes);
        test::guarded<test::four_scans<T>> out(valid);
        simt::launch(scan_partial_warp<T>, simt::launch_config{dim3(1), dim3(lanes), 0, test::test_stream()}, in.data(),
                     valid, lanes, out.data());
        CHECK(out.read() == test::serial_scans(items.data(), valid, test::no_heads, items[0], test::compose{}));
      }
    }
  });
}

TEST_CASE("warp match by votes") {
  auto digits = test::random_items<unsigned>(32 * 30, 6);
  for (std::size_t i = 0; i < digits.size(); ++i) digits[i] &= i < 320 ? 0xffu : i < 640 ? 3u : 0x80u;
  test::for_each_schedule([&] {
    test::guarded<unsigned> in(digits), peers(digits.size());
    simt::launch(match_digits<8>, simt::launch_config{dim3(15), dim3(64), 0, test::test_stream()}, in.data(),
                 peers.data());
    const auto got = peers.read();
    bool right = true;
    for (std::size_t i = 0; i < digits.size(); ++i)
      for (std::size_t l = 0; l < 32; ++l) right &= (got[i] >> l & 1u) == (digits[i / 32 * 32 + l] == digits[i]);
    CHECK(right);
  });
}

}  // namespace warp_scan
