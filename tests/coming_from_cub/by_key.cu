// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: what CUB and Thrust do by key, with a function on the way or from an initial
// value. Each is compared with the recipe that docs/coming-from-cub.md has for it, and the results
// are equal. (recipes.cu compares the recipes with serial references.)
#include <ballot/compact.cuh>
#include <ballot/reduce.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>

#include <thrust/extrema.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_by_key {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 100'003;

struct larger {
  __host__ __device__ u32 operator()(u32 a, u32 b) const { return a < b ? b : a; }
};
struct added {
  __host__ __device__ u64 operator()(u64 a, u64 b) const { return a + b; }
};
struct square {
  __host__ __device__ u64 operator()(u32 x) const { return u64{x} * x; }
};
struct is_long {
  __host__ __device__ bool operator()(u32 length) const { return length > 1; }
};

std::vector<u32> some_runs() {
  std::vector<u32> runs = test::random_below<u32>(n, n / 2);
  std::sort(runs.begin(), runs.end());
  return runs;
}

TEST_CASE("DeviceScan::*ByKey with an operator and an initial value") {
  const guarded<u32> keys(some_runs()), in(test::random_below<u32>(n, 1000));
  guarded<u32> theirs(n), ours(n), begins(n + 1);
  const device_value<u64> runs(test::test_stream());
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);
  const ::cuda::std::equal_to<> equal;
  run_offsets(gpu, keys, std::span<u32>{}, begins, runs);
  const segment_offsets of_runs{counted{begins, runs}};

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, keys.data(), in.data(), theirs.data(), n, equal,
                                              stream);
  });
  segmented_inclusive_scan(gpu, in, of_runs, ours);
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScanByKey(temporary, bytes, keys.data(), in.data(), theirs.data(), larger{}, n,
                                               equal, stream);
  });
  segmented_inclusive_scan(gpu, in, of_runs, larger{}, ours);
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScanByKey(temporary, bytes, keys.data(), in.data(), theirs.data(), larger{},
                                               u32{7}, n, equal, stream);
  });
  segmented_exclusive_scan(gpu, in, of_runs, u32{7}, larger{}, ours);
  CHECK(same(ours, theirs));

  thrust::exclusive_scan_by_key(test::on_stream(), keys.begin(), keys.end(), in.begin(), theirs.begin(), u32{7});
  segmented_exclusive_scan(gpu, in, of_runs, u32{7}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceReduce::ReduceByKey, thrust::reduce_by_key, DeviceRunLengthEncode::NonTrivialRuns") {
  const guarded<u32> keys(some_runs()), values(test::random_below<u32>(n, 1000));
  guarded<u32> their_keys(n), our_keys(n), theirs(n), ours(n), begins(n + 1), lengths(n);
  const device_value<u64> runs(test::test_stream()), their_count(test::test_stream()), our_count(test::test_stream());
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);

  reduce_by_key(gpu, keys, values, larger{}, our_keys, ours, our_count);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(temporary, bytes, keys.data(), their_keys.data(), values.data(),
                                          theirs.data(), their_count.address(), larger{}, n, stream);
  });
  REQUIRE(our_count.read(stream) == their_count.read(stream));
  CHECK(same(our_keys, their_keys, our_count.read(stream)));
  CHECK(same(ours, theirs, our_count.read(stream)));

  reduce_by_key(gpu, keys, values, our_keys, ours, our_count);
  const auto ends = thrust::reduce_by_key(test::on_stream(), keys.begin(), keys.end(), values.begin(),
                                          their_keys.begin(), theirs.begin());
  REQUIRE(our_count.read(stream) == static_cast<u64>(ends.first - their_keys.begin()));
  CHECK(same(our_keys, their_keys, our_count.read(stream)));
  CHECK(same(ours, theirs, our_count.read(stream)));

  guarded<u32> our_begins(n), our_lengths(n), their_begins(n), their_lengths(n);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::NonTrivialRuns(temporary, bytes, keys.data(), their_begins.data(),
                                                      their_lengths.data(), their_count.address(), static_cast<int>(n),
                                                      stream);
  });
  run_offsets(gpu, keys, std::span<u32>{}, begins, runs);
  run_length_encode(gpu, keys, std::span<u32>{}, lengths, runs);
  compact(gpu, zip{counted{lengths, runs}, std::span(begins).first(n)}, on_first{is_long{}},
          zip{our_lengths, our_begins}, our_count);
  REQUIRE(our_count.read(stream) == their_count.read(stream));
  CHECK(same(our_begins, their_begins, our_count.read(stream)));
  CHECK(same(our_lengths, their_lengths, our_count.read(stream)));
}

TEST_CASE(
    "DeviceReduce::TransformReduce, thrust::transform_reduce, transform_inclusive_scan, transform_exclusive_scan") {
  const guarded<u32> in(test::random_below<u32>(n, 100'000));
  guarded<u64> theirs(n), ours(n);
  const guarded<u64> their_sum(1), our_sum(1);
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);
  const transformed squares{in, square{}};

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(temporary, bytes, in.data(), their_sum.data(), n, added{}, square{},
                                              u64{0}, stream);
  });
  sum(gpu, squares, our_sum.data());
  CHECK(same(our_sum, their_sum));
  CHECK(our_sum.read()[0] ==
        thrust::transform_reduce(test::on_stream(), in.begin(), in.end(), square{}, u64{0}, added{}));

  thrust::transform_inclusive_scan(test::on_stream(), in.begin(), in.end(), theirs.begin(), square{}, added{});
  inclusive_scan(gpu, squares, ours);
  CHECK(same(ours, theirs));
  thrust::transform_exclusive_scan(test::on_stream(), in.begin(), in.end(), theirs.begin(), square{}, u64{5}, added{});
  exclusive_scan(gpu, squares, u64{5}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceScan::InclusiveScanInit, FutureValue") {
  const guarded<u32> in(test::random_below<u32>(n, 1'000'000'000)), initial(std::vector<u32>{500'000'000});
  guarded<u32> theirs(n), ours(n);
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScanInit(temporary, bytes, in.data(), theirs.data(), larger{}, u32{500'000'000}, n,
                                              stream);
  });
  inclusive_scan(gpu, in, u32{500'000'000}, larger{}, ours);
  CHECK(same(ours, theirs));
  inclusive_scan(gpu, in, on_device{initial.data()}, larger{}, ours);
  CHECK(same(ours, theirs));
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(temporary, bytes, in.data(), theirs.data(), larger{},
                                          cub::FutureValue<u32>(initial.data()), n, stream);
  });
  exclusive_scan(gpu, in, on_device{initial.data()}, larger{}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceScan in place, thrust::inclusive_scan, exclusive_scan with an operator") {
  const std::vector<u32> items = test::random_below<u32>(n, 1000);
  const guarded<u32> in(items);
  guarded<u32> theirs(items), ours(items);
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temporary, bytes, theirs.data(), n, stream);
  });
  inclusive_scan(gpu, ours, ours);
  CHECK(same(ours, theirs));
  theirs.write(items), ours.write(items);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, theirs.data(), n, stream);
  });
  exclusive_scan(gpu, ours, ours);
  CHECK(same(ours, theirs));

  thrust::inclusive_scan(test::on_stream(), in.begin(), in.end(), theirs.begin());
  inclusive_scan(gpu, in, ours);
  CHECK(same(ours, theirs));
  thrust::inclusive_scan(test::on_stream(), in.begin(), in.end(), theirs.begin(), larger{});
  inclusive_scan(gpu, in, larger{}, ours);
  CHECK(same(ours, theirs));
  thrust::exclusive_scan(test::on_stream(), in.begin(), in.end(), theirs.begin(), u32{7}, larger{});
  exclusive_scan(gpu, in, u32{7}, larger{}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceReduce::ArgMax, thrust::max_element, minmax_element") {
  const guarded<u32> in(test::random_below<u32>(n, 5000));  // several are the smallest, and the largest
  const guarded<u32> their_value(1);
  const guarded<::cuda::std::int64_t> their_index(1);
  const device_value<indexed<u32>> least(test::test_stream()), most(test::test_stream());
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::ArgMax(temporary, bytes, in.data(), their_value.data(), their_index.data(), n, stream);
  });
  arg_min(gpu, in, least);
  arg_max(gpu, in, most);
  const indexed<u32> smallest = least.read(stream), largest = most.read(stream);
  CHECK(largest.value == their_value.read()[0]);
  CHECK(largest.index == static_cast<u64>(their_index.read()[0]));
  CHECK(largest.index == static_cast<u64>(thrust::max_element(test::on_stream(), in.begin(), in.end()) - in.begin()));
  const std::vector<u32> items = in.read();
  const auto both = thrust::minmax_element(test::on_stream(), in.begin(), in.end());
  CHECK(smallest.index == static_cast<u64>(both.first - in.begin()));
  CHECK(largest.value == items[static_cast<std::size_t>(both.second - in.begin())]);
}

}  // namespace coming_from_cub_by_key
