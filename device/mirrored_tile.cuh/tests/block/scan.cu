// Block scans: binary for blocks of any shape, generic with an operator that does not commute.
#include <ballot/block/binary_scan.cuh>
#include <ballot/block/scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace {

template <int = 0>
__global__ void scan_flags(const unsigned char* flags, unsigned* ranks, unsigned* totals) {
  auto& shared = simt::shared_storage<block::binary_scan::storage>();
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z, i = blockIdx.x * threads + simt::thread_rank();
  const auto first = block::binary_scan::exclusive(shared, flags[i] != 0);
  simt::sync_block();  // the storage serves again: of the complement
  const auto second = block::binary_scan::exclusive(shared, flags[i] == 0);
  ranks[i] = first.rank * 4096 + second.rank;
  totals[i] = first.total * 4096 + second.total;
}

template <class T, int Threads>
__global__ void scan_items(const T* in, T* inclusive, T* exclusive, T* totals) {
  using scan = block::scan<T, Threads>;
  auto& shared = simt::shared_storage<typename scan::storage>();
  const unsigned i = blockIdx.x * Threads + simt::thread_rank();
  T total;
  inclusive[i] = scan::inclusive(shared, in[i], total, test::compose{});
  simt::sync_block();
  exclusive[i] = scan::exclusive(shared, in[i], in[0], totals[i], test::compose{});
}

}  // namespace

TEST_CASE("block binary scan, any block shape") {
  const dim3 shapes[] = {dim3(1),   dim3(31),   dim3(32),      dim3(33),       dim3(100),
                         dim3(256), dim3(1024), dim3(5, 4, 2), dim3(16, 9, 3), dim3(7, 1, 31)};
  test::for_each_schedule([&] {
    for (const dim3& shape : shapes) {
      const unsigned threads = shape.x * shape.y * shape.z, blocks = 3;
      CAPTURE(threads);
      std::vector<unsigned char> flags(blocks * threads);
      const auto bits = test::make_flags(test::flag_patterns[5], flags.size());
      for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = bits[i];
      test::guarded<unsigned char> in(flags);
      test::guarded<unsigned> ranks(flags.size()), totals(flags.size());
      simt::launch(scan_flags<>,
                   simt::launch_config{dim3(blocks), shape, sizeof(block::binary_scan::storage), test::test_stream()},
                   in.data(), ranks.data(), totals.data());
      const auto rank = ranks.read(), total = totals.read();
      bool right = true;
      for (unsigned b = 0; b < blocks; ++b) {
        unsigned set = 0;
        for (unsigned t = 0; t < threads; ++t) {
          right &= rank[b * threads + t] == set * 4096 + (t - set);
          set += flags[b * threads + t];
        }
        for (unsigned t = 0; t < threads; ++t) right &= total[b * threads + t] == set * 4096 + (threads - set);
      }
      CHECK(right);
    }
  });
}

TEST_CASE_TEMPLATE("block scan", Threads, std::integral_constant<int, 32>, std::integral_constant<int, 224>,
                   std::integral_constant<int, 1024>) {
  using T = test::affine<std::uint32_t>;
  constexpr int threads = Threads::value;
  const std::size_t n = threads * 3;
  const auto items = test::random_items<T>(n, 8);
  test::for_each_schedule([&] {
    test::guarded<T> in(items), inclusive(n), exclusive(n), totals(n);
    simt::launch(scan_items<T, threads>,
                 simt::launch_config{dim3(3), dim3(threads), sizeof(typename block::scan<T, threads>::storage),
                                     test::test_stream()},
                 in.data(), inclusive.data(), exclusive.data(), totals.data());
    const auto inc = inclusive.read(), exc = exclusive.read(), tot = totals.read();
    const test::compose op;
    bool right = true;
    for (std::size_t b = 0; b < n; b += threads) {
      T sum = items[b], before = items[0];
      for (std::size_t i = b; i < b + threads; ++i) {
        if (i != b) sum = op(sum, items[i]);
        right &= inc[i] == sum && exc[i] == before;
        before = op(before, items[i]);
      }
      for (std::size_t i = b; i < b + threads; ++i) right &= tot[i] == sum;
    }
    CHECK(right);
  });
}
