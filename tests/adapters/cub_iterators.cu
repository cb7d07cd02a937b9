// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the CUB adapter's calls of iterators that are no pointers, beside CUB's own.
#include <ballot/adapters/cub.cuh>

#include "support/cub_call.hpp"

#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#if __has_include(<cuda/iterator>)
#  include <cuda/iterator>
#else
#  include <thrust/iterator/constant_iterator.h>
#endif

using ballot::test::by_cub;
using ballot::test::guarded;
using ballot::test::same;

namespace adapters_cub_iterators {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
namespace calls = ballot::adapters::calls;
namespace ours = ballot::adapters::cub;
namespace theirs = ::cub;

constexpr std::size_t sizes[] = {0, 1, 1000, 100'003};

cudaStream_t stream() { return ballot::test::test_stream(); }

struct square {
  __host__ __device__ u32 operator()(u32 x) const { return x * x; }
};
struct widened {
  __host__ __device__ u64 operator()(u32 x) const { return u64{x} << 20; }
};
struct tens {
  __host__ __device__ u32 operator()(u32 x) const { return x / 10; }
};
struct sum_of_pair {
  template <class Pair>
  __host__ __device__ u32 operator()(const Pair& pair) const {
    return thrust::get<0>(pair) + 3 * thrust::get<1>(pair);
  }
};
struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 30'000; }
};

using counting = thrust::counting_iterator<u32>;
#if __has_include(<cuda/iterator>)
using constant = ::cuda::constant_iterator<u32>;  // Thrust's is deprecated
#else
using constant = thrust::constant_iterator<u32>;
#endif
using squares_of_array = thrust::transform_iterator<square, const u32*>;
using pairs = thrust::zip_iterator<thrust::tuple<const u32*, const u32*>>;

// Whether a call is ballot's, and not by chance CUB's.
template <class... A>
constexpr bool sum =
    requires { calls::DeviceReduce::Sum(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...); };
template <class... A>
constexpr bool inclusive_sum = requires {
  calls::DeviceScan::InclusiveSum(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool select_if =
    requires { calls::DeviceSelect::If(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...); };
template <class... A>
constexpr bool encode = requires {
  calls::DeviceRunLengthEncode::Encode(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool reduce_by_key = requires {
  calls::DeviceReduce::ReduceByKey(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool transform_reduce = requires {
  calls::DeviceReduce::TransformReduce(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool segmented_sum = requires {
  calls::DeviceSegmentedReduce::Sum(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
template <class... A>
constexpr bool sum_by_key = requires {
  calls::DeviceScan::InclusiveSumByKey(std::declval<void*>(), std::declval<std::size_t&>(), std::declval<A>()...);
};
static_assert(sum<counting, u32*, int> && sum<squares_of_array, u32*, int, cudaStream_t>);
static_assert(sum<constant, u32*, int> && sum<thrust::device_vector<u32>::iterator, u32*, int>);
static_assert(sum<thrust::permutation_iterator<const u32*, const u32*>, u32*, int>);
static_assert(inclusive_sum<squares_of_array, u32*, std::size_t, cudaStream_t>);
static_assert(select_if<counting, u32*, int*, int, is_small, cudaStream_t>);
static_assert(encode<squares_of_array, u32*, int*, int*, int>);
static_assert(reduce_by_key<squares_of_array, u32*, counting, u32*, int*, ::cuda::std::plus<>, int>);
static_assert(transform_reduce<const u32*, u64*, int, ::cuda::std::plus<>, widened, u64>);
static_assert(segmented_sum<squares_of_array, u32*, int, const int*, const int*>);
static_assert(segmented_sum<squares_of_array, u32*, int, int, cudaStream_t>);
static_assert(sum_by_key<squares_of_array, counting, u32*, int>);
#if __has_include(<cuda/iterator>)
static_assert(sum<::cuda::counting_iterator<u32>, u32*, int>);
static_assert(sum<::cuda::transform_iterator<square, const u32*>, u32*, int>);
#endif
// Sums of another type than the output's, and pairs, which are tuples of references.
static_assert(!inclusive_sum<squares_of_array, u64*, int> && !inclusive_sum<squares_of_array, float*, int>);
static_assert(!select_if<pairs, thrust::tuple<u32, u32>*, int*, int, is_small>);

#define BOTH(CALL, OURS, THEIRS)                                    \
  by_cub([&](void* t, std::size_t& s) { return ours::CALL OURS; }); \
  by_cub([&](void* t, std::size_t& s) { return theirs::CALL THEIRS; })

template <class Iterator>
void check_sums(const Iterator& in, std::size_t n) {
  guarded<u32> a(n), b(n);
  const guarded<u32> ra(1), rb(1);
  BOTH(DeviceScan::ExclusiveSum, (t, s, in, a.data(), n, stream()), (t, s, in, b.data(), n, stream()));
  CHECK(same(a, b));
  BOTH(DeviceReduce::Sum, (t, s, in, ra.data(), n, stream()), (t, s, in, rb.data(), n, stream()));
  CHECK(same(ra, rb));
}
TEST_CASE("adapters: sums of counting, constant, transform, permutation and zip iterators, and of a vector") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const guarded<u32> in(ballot::test::random_below<u32>(n, 1000)),
        second(ballot::test::random_below<u32>(n, 1000, 2));
    const guarded<u32> indices(ballot::test::random_below<u32>(n, std::max<std::size_t>(n, 1), 3));
    const u32 *const x = in.data(), *const y = second.data(), *const at = indices.data();
    check_sums(counting(5), n);
    check_sums(constant(7), n);
    check_sums(squares_of_array(x, square{}), n);
    check_sums(thrust::make_permutation_iterator(x, at), n);
    check_sums(thrust::make_transform_iterator(thrust::make_zip_iterator(x, y), sum_of_pair{}), n);
    const thrust::device_vector<u32> vector(in.read());
    check_sums(vector.begin(), n);
    check_sums(thrust::make_permutation_iterator(vector.begin(), at), n);
  }
}

TEST_CASE("adapters: scans, reductions, selections and runs of what a function makes of an array") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const guarded<u32> array(ballot::test::random_below<u32>(n, 1000)), runs(ballot::test::random_below<u32>(n, 30, 2));
    const squares_of_array in(array.data(), square{});
    const auto keys = thrust::make_transform_iterator(static_cast<const u32*>(runs.data()), tens{});
    const auto wide = thrust::make_transform_iterator(static_cast<const u32*>(array.data()), widened{});
    guarded<u32> a(n), b(n), x(n), y(n);
    guarded<u64> wa(n), wb(n);
    const guarded<u32> ra(1), rb(1);
    const guarded<u64> sa(1), sb(1);
    const guarded<int> ca(1), cb(1);
    const auto items = static_cast<int>(n);
    BOTH(DeviceScan::InclusiveScan, (t, s, in, a.data(), ::cuda::maximum<>{}, n, stream()),
         (t, s, in, b.data(), ::cuda::maximum<>{}, n, stream()));
    CHECK(same(a, b));
    BOTH(DeviceScan::ExclusiveScan, (t, s, wide, wa.data(), ::cuda::std::plus<>{}, u64{3}, n, stream()),
         (t, s, wide, wb.data(), ::cuda::std::plus<>{}, u64{3}, n, stream()));
    CHECK(same(wa, wb));
    BOTH(DeviceReduce::Max, (t, s, in, ra.data(), n, stream()), (t, s, in, rb.data(), n, stream()));
    CHECK(same(ra, rb));
    BOTH(DeviceReduce::TransformReduce,
         (t, s, array.data(), sa.data(), items, ::cuda::std::plus<>{}, widened{}, u64{3}, stream()),
         (t, s, array.data(), sb.data(), items, ::cuda::std::plus<>{}, widened{}, u64{3}, stream()));
    CHECK(same(sa, sb));

    const auto check = [&](const guarded<u32>& p, const guarded<u32>& q) {
      REQUIRE(same(ca, cb));
      CHECK(same(p, q, static_cast<std::size_t>(ca.read()[0])));
    };
    BOTH(DeviceSelect::If, (t, s, in, a.data(), ca.data(), n, is_small{}, stream()),
         (t, s, in, b.data(), cb.data(), n, is_small{}, stream()));
    check(a, b);
    BOTH(DeviceSelect::Unique, (t, s, keys, a.data(), ca.data(), n, stream()),
         (t, s, keys, b.data(), cb.data(), n, stream()));
    check(a, b);
    BOTH(DevicePartition::If, (t, s, in, a.data(), ca.data(), n, is_small{}, stream()),
         (t, s, in, b.data(), cb.data(), n, is_small{}, stream()));
    CHECK(same(ca, cb));
    CHECK(same(a, b));
    BOTH(DeviceRunLengthEncode::Encode, (t, s, keys, a.data(), x.data(), ca.data(), items, stream()),
         (t, s, keys, b.data(), y.data(), cb.data(), items, stream()));
    check(a, b);
    check(x, y);
    BOTH(DeviceReduce::ReduceByKey, (t, s, keys, a.data(), in, x.data(), ca.data(), ::cuda::std::plus<>{}, n, stream()),
         (t, s, keys, b.data(), in, y.data(), cb.data(), ::cuda::std::plus<>{}, n, stream()));
    check(a, b);
    check(x, y);
    BOTH(DeviceScan::ExclusiveSumByKey, (t, s, keys, in, a.data(), n, ::cuda::std::equal_to<>{}, stream()),
         (t, s, keys, in, b.data(), n, ::cuda::std::equal_to<>{}, stream()));
    CHECK(same(a, b));
  }
}

TEST_CASE("adapters: segmented reductions of what a function makes of an array") {
  const std::size_t n = 100'003;
  const guarded<u32> array(ballot::test::random_below<u32>(n, 1000));
  const squares_of_array in(array.data(), square{});
  std::vector<int> begins{0, 0, 5, 40, 70'000};
  for (int at = 70'000; at < static_cast<int>(n); at += 100) begins.push_back(at);
  begins.push_back(static_cast<int>(n));
  const guarded<int> offsets(begins);
  const int* const from = offsets.data();
  const auto segments = static_cast<i64>(begins.size() - 1);
  guarded<u32> a(begins.size() - 1), b(begins.size() - 1);
  BOTH(DeviceSegmentedReduce::Sum, (t, s, in, a.data(), segments, from, from + 1, stream()),
       (t, s, in, b.data(), segments, from, from + 1, stream()));
  CHECK(same(a, b));
  // Segments of one length: CUB's have a serial reference, as in cub_segments.cu.
  const std::vector<u32> items = array.read();
  for (const int length : {0, 1, 7, 5000, 30'000}) {
    CAPTURE(length);
    const std::size_t rows = 3;
    std::vector<u32> sums(rows);
    for (std::size_t i = 0; i < rows * static_cast<std::size_t>(length); ++i)
      sums[i / static_cast<std::size_t>(length)] += items[i] * items[i];
    guarded<u32> out(rows);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSegmentedReduce::Sum(t, s, in, out.data(), static_cast<i64>(rows), length, stream());
    });
    CHECK(out.read() == sums);
  }
}

// An iterator hides that its array is the output, which CUB allows.
TEST_CASE("adapters: scans in place through an iterator") {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{100'003}, std::size_t{3'000'017}}) {
    CAPTURE(n);
    const std::vector<u32> items = ballot::test::random_below<u32>(n, 3);
    const guarded<u32> a(items), b(items), x(items), y(items);
    BOTH(DeviceScan::InclusiveSum, (t, s, squares_of_array(a.data(), square{}), a.data(), n, stream()),
         (t, s, squares_of_array(b.data(), square{}), b.data(), n, stream()));
    CHECK(same(a, b));
    // The keys, too, may be where the sums are.
    BOTH(DeviceScan::ExclusiveSumByKey,
         (t, s, x.data(), squares_of_array(x.data(), square{}), x.data(), n, ::cuda::std::equal_to<>{}, stream()),
         (t, s, y.data(), squares_of_array(y.data(), square{}), y.data(), n, ::cuda::std::equal_to<>{}, stream()));
    CHECK(same(x, y));
  }
}

}  // namespace adapters_cub_iterators
