// Generic scans and reductions of a warp, with an operator that does not commute, for items of 4 to 16 bytes.
#include <ballot/warp/match.cuh>
#include <ballot/warp/scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace {

template <class T>
__global__ void scan_items(const T* in, T* inclusive, T* exclusive, T* total) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const T item = in[i], initial = in[0];
  inclusive[i] = warp::inclusive_scan(item, test::compose{});
  exclusive[i] = warp::exclusive_scan(item, initial, test::compose{});
  total[i] = warp::reduce(item, test::compose{});
}

template <int Bits>
__global__ void match_digits(const unsigned* digits, unsigned* peers) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  peers[i] = warp::match_digit<Bits>(digits[i]);
}

}  // namespace

TEST_CASE_TEMPLATE("warp scan and reduction", Word, std::uint16_t, std::uint32_t, std::uint64_t) {
  using T = test::affine<Word>;
  const std::size_t n = 96 * 4;
  const auto items = test::random_items<T>(n, 5);
  test::for_each_schedule([&] {
    test::guarded<T> in(items), inclusive(n), exclusive(n), total(n);
    simt::launch(scan_items<T>, simt::launch_config{dim3(4), dim3(96), 0, test::test_stream()}, in.data(),
                 inclusive.data(), exclusive.data(), total.data());
    const auto inc = inclusive.read(), exc = exclusive.read(), tot = total.read();
    const test::compose op;
    bool right = true;
    for (std::size_t w = 0; w < n; w += 32) {
      T sum = items[w], before = items[0];
      for (std::size_t i = w; i < w + 32; ++i) {
        if (i != w) sum = op(sum, items[i]);
        right &= inc[i] == sum && exc[i] == before;
        before = op(before, items[i]);
      }
      for (std::size_t i = w; i < w + 32; ++i) right &= tot[i] == sum;
    }
    CHECK(right);
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
