// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the CUB adapter's scans and reductions beside CUB's own, with equal results,
// whichever of both is underneath.
#include <ballot/adapters/cub.cuh>

#include "support/cub_call.hpp"
#include "support/runtime_calls.hpp"

#include <thrust/iterator/counting_iterator.h>

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
  // Sums of floats are exact in any order as long as they are whole numbers below 2^24, those of
  // sums, too.
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

TEST_CASE("adapters: 0 and NULL are the null pointers that CUB takes them for") {
  const std::size_t n = 1000;
  const guarded<int> in(ballot::test::random_below<int>(n, 100));
  guarded<int> a(n), b(n);
  std::size_t bytes = 0, same_bytes = 0;
  CHECK(ours::DeviceScan::ExclusiveSum(nullptr, bytes, in.data(), a.data(), n, stream()) == cudaSuccess);
  CHECK(ours::DeviceScan::ExclusiveSum(0, same_bytes, in.data(), a.data(), n, 0) == cudaSuccess);
  CHECK(same_bytes == bytes);
  same_bytes = 0;
  CHECK(ours::DeviceScan::ExclusiveSum(NULL, same_bytes, in.data(), a.data(), n, NULL) == cudaSuccess);
  CHECK(same_bytes == bytes);
  // Where CUB takes an environment, too, a 0 is the stream of ballot's call.
  std::size_t ours_bytes = 0, zero_bytes = 0;
  const guarded<int> count(1);
  CHECK(ours::DeviceSelect::Unique(nullptr, ours_bytes, in.data(), a.data(), count.data(), n, stream()) == cudaSuccess);
  CHECK(ours::DeviceSelect::Unique(nullptr, zero_bytes, in.data(), a.data(), count.data(), n, 0) == cudaSuccess);
  CHECK(zero_bytes == ours_bytes);
  // Of an iterator and a function; and CUB's own calls, whose sums have another type than the output.
  CHECK(ours::DeviceReduce::Sum(0, same_bytes, thrust::make_counting_iterator(0), a.data(), n, 0) == cudaSuccess);
  CHECK(ours::DeviceReduce::TransformReduce(0, same_bytes, in.data(), a.data(), n, ::cuda::std::plus<>{},
                                            ::cuda::std::negate<>{}, 0, 0) == cudaSuccess);
  const guarded<double> doubles(n);
  CHECK(ours::DeviceScan::ExclusiveSum(0, same_bytes, in.data(), doubles.data(), n, 0) == cudaSuccess);
  CHECK(ours::DeviceReduce::Reduce(NULL, same_bytes, in.data(), doubles.data(), n, ::cuda::std::plus<>{}, 0, NULL) ==
        cudaSuccess);
  // The default stream, and no other.
  const ballot::device_buffer temporary(bytes, stream());
  ballot::simt::synchronize(stream());
  CHECK(ours::DeviceScan::ExclusiveSum(temporary.data(), bytes, in.data(), a.data(), n, 0) == cudaSuccess);
  ballot::simt::synchronize(cudaStream_t{});
  CHECK(ours::DeviceScan::ExclusiveSum(temporary.data(), bytes, in.data(), a.data(), n, 1) == cudaErrorInvalidValue);
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceScan::ExclusiveSum(t, s, in.data(), b.data(), n, stream());
  });
  CHECK(same(a, b));
}
TEST_CASE("adapters: initial values on the device, by any address") {
  const std::size_t n = 5003;
  const guarded<int> in(ballot::test::random_below<int>(n, 100)), initial(std::vector<int>{41});
  guarded<int> a(n), b(n);
  const int* const address = initial.data();
  const theirs::FutureValue<int, const int*> later(address);
  const theirs::FutureValue<int> of_int(initial.data());
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceScan::ExclusiveScan(t, s, in.data(), a.data(), ::cuda::std::plus<>{}, later, n, stream());
  });
  by_cub([&](void* t, std::size_t& s) {  // not by `later`, which CUB 3.0 reads on the host
    return theirs::DeviceScan::ExclusiveScan(t, s, in.data(), b.data(), ::cuda::std::plus<>{}, of_int, n, stream());
  });
  CHECK(same(a, b));
  // Of another type than the output: CUB's, which reads it on the device.
  guarded<u64> c(n), d(n);
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceScan::ExclusiveScan(t, s, in.data(), c.data(), ::cuda::std::plus<>{}, of_int, n, stream());
  });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceScan::ExclusiveScan(t, s, in.data(), d.data(), ::cuda::std::plus<>{}, of_int, n, stream());
  });
  CHECK(same(c, d));
}
TEST_CASE("adapters: sums of 128 bits are CUB's") {
  using wide = ballot::detail::signed_of_128_bits;
  const std::size_t n = 5003;
  const guarded<wide> in(ballot::test::random_below<wide>(n, ~u64{0}));
  guarded<wide> a(n), b(n);
  by_cub(
      [&](void* t, std::size_t& s) { return ours::DeviceScan::InclusiveSum(t, s, in.data(), a.data(), n, stream()); });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceScan::InclusiveSum(t, s, in.data(), b.data(), n, stream());
  });
  CHECK(same(a, b));
}
TEST_CASE("adapters: a scan by key that is refused has launched nothing") {
  const std::size_t n = 1000;
  const guarded<int> in(ballot::test::random_below<int>(n, 100)), out(n);
  std::size_t bytes = 0;
  CHECK(ours::DeviceScan::ExclusiveSumByKey(nullptr, bytes, in.data(), in.data(), out.data(), n) == cudaSuccess);
  const ballot::device_buffer temporary(bytes, stream());
  const auto refused = [&](int* values, int* sums) {
    cudaError_t error = cudaSuccess;
    const auto work = ballot::test::runtime_calls_of([&] {
      error = ours::DeviceScan::ExclusiveSumByKey(temporary.data(), bytes, in.data(), values, sums, n,
                                                  ::cuda::std::equal_to<>{}, stream());
    });
    CHECK(error == cudaErrorInvalidValue);
    CHECK(work.launches == 0);
  };
  refused(in.data(), nullptr);
  refused(in.data(), in.data() + 1);
}

}  // namespace adapters_cub_scans
