// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the CUB adapter's scans and reductions beside CUB's own, with equal results, whichever of both is
// underneath.
#include <ballot/adapters/cub.cuh>

#include "support/cub_call.hpp"

using ballot::test::by_cub;
using ballot::test::guarded;
using ballot::test::lengths_beside_cub;
using ballot::test::same;

namespace adapters_cub_scans {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
namespace ours = ballot::adapters::cub;
namespace theirs = ::cub;

cudaStream_t stream() { return ballot::test::test_stream(); }

// Scans of In into Out by every operator, and in place.
template <class In, class Out, class Op, class Initial>
void check_scans(Op op, Initial initial) {
  // Sums of floats are exact in any order as long as they are whole numbers below 2^24, those of sums, too.
  constexpr bool exact = std::is_integral_v<Out>;
  for (const std::size_t n : lengths_beside_cub) {
    if (!exact && n > 5003) continue;
    CAPTURE(n);
    const guarded<In> in(ballot::test::random_below<In>(n, exact ? 100 : 2));
    guarded<Out> a(n), b(n);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceScan::ExclusiveScan(t, s, in.data(), a.data(), op, initial, n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceScan::ExclusiveScan(t, s, in.data(), b.data(), op, initial, n, stream());
    });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceScan::InclusiveScan(t, s, in.data(), a.data(), op, n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceScan::InclusiveScan(t, s, in.data(), b.data(), op, n, stream());
    });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceScan::ExclusiveSum(t, s, in.data(), a.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceScan::ExclusiveSum(t, s, in.data(), b.data(), n, stream());
    });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceScan::InclusiveSum(t, s, a.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceScan::InclusiveSum(t, s, b.data(), n, stream()); });
    CHECK(same(a, b));
    const guarded<Out> ra(1), rb(1);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceReduce::Reduce(t, s, in.data(), ra.data(), n, op, initial, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceReduce::Reduce(t, s, in.data(), rb.data(), n, op, initial, stream());
    });
    CHECK(same(ra, rb));
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceReduce::Sum(t, s, in.data(), ra.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceReduce::Sum(t, s, in.data(), rb.data(), n, stream()); });
    CHECK(same(ra, rb));
  }
}
TEST_CASE("adapters: DeviceScan, DeviceReduce") {
  check_scans<int, int>(::cuda::std::plus<>{}, 5);
  check_scans<u8, u8>(::cuda::std::plus<>{}, u8{3});
  check_scans<u8, u32>(::cuda::std::plus<>{}, u32{3});
  check_scans<u32, u64>(::cuda::std::plus<>{}, u64{3});  // InclusiveSum of u32 wraps in CUB
  check_scans<int, int>(::cuda::maximum<>{}, -1);
  check_scans<u32, u32>(::cuda::std::bit_xor<>{}, 7u);
  check_scans<double, double>(::cuda::minimum<>{}, 5.0);
  check_scans<float, float>(::cuda::std::plus<>{}, 1.0f);
}
TEST_CASE("adapters: sums that CUB takes in a narrower type wrap as there") {
  const std::size_t n = 100'000;
  const guarded<u32> in(std::vector<u32>(n, 0x4000'0001u));
  guarded<u64> a(n), b(n);
  by_cub(
      [&](void* t, std::size_t& s) { return ours::DeviceScan::InclusiveSum(t, s, in.data(), a.data(), n, stream()); });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceScan::InclusiveSum(t, s, in.data(), b.data(), n, stream());
  });
  CHECK(same(a, b));
}
TEST_CASE_TEMPLATE("adapters: DeviceReduce::Min, Max", T, u8, int, u64, float, double) {
  for (const std::size_t n : lengths_beside_cub) {
    CAPTURE(n);
    std::vector<T> items = ballot::test::random_below<T>(n, 100);
    const guarded<T> in(items);
    const guarded<T> a(1), b(1);
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceReduce::Min(t, s, in.data(), a.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceReduce::Min(t, s, in.data(), b.data(), n, stream()); });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceReduce::Max(t, s, in.data(), a.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceReduce::Max(t, s, in.data(), b.data(), n, stream()); });
    CHECK(same(a, b));
  }
}

}  // namespace adapters_cub_scans
