// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: scans and reductions of CUB and Thrust, each beside the call of ballot that
// docs/coming-from-cub.md names, with equal results.
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/unique.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <thrust/extrema.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>

#include <functional>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_scans {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 100'003;

struct larger {
  __host__ __device__ u32 operator()(u32 a, u32 b) const { return a < b ? b : a; }
};

TEST_CASE("DeviceScan") {
  const guarded<u32> in(test::random_below<u32>(n, 1000));
  guarded<u32> theirs(n), ours(n);
  const cudaStream_t stream = test::test_stream();
  const test::exact_scratch scratch(scan_scratch_bytes<u32>(n));
  const exec gpu = scratch.where();

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, in.data(), theirs.data(), n, stream);
  });
  exclusive_scan(gpu, in, ours);
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(temporary, bytes, in.data(), theirs.data(), n, stream);
  });
  inclusive_scan(gpu, in, ours);
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(temporary, bytes, in.data(), theirs.data(), larger{}, u32{7}, n, stream);
  });
  exclusive_scan(gpu, in, u32{7}, larger{}, ours);
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveScan(temporary, bytes, in.data(), theirs.data(), larger{}, n, stream);
  });
  inclusive_scan(gpu, in, larger{}, ours);
  CHECK(same(ours, theirs));

  thrust::exclusive_scan(test::on_stream(), in.begin(), in.end(), theirs.begin(), u32{5});
  exclusive_scan(gpu, in, u32{5}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceScan::*ByKey, thrust::*_scan_by_key") {
  std::vector<u32> runs = test::random_below<u32>(n, n / 9);
  std::sort(runs.begin(), runs.end());
  const guarded<u32> keys(runs), in(test::random_below<u32>(n, 1000));
  guarded<u32> theirs(n), ours(n), begins(n + 1);
  const device_value<u64> run_count(test::test_stream());
  const exec gpu = allocating(test::test_stream());

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSumByKey(temporary, bytes, keys.data(), in.data(), theirs.data(), n,
                                              ::cuda::std::equal_to<>{}, test::test_stream());
  });
  run_offsets(gpu, keys, std::span<u32>{}, begins, run_count);  // the keys themselves are not wanted
  segmented_exclusive_scan(gpu, in, segment_offsets{counted{begins, run_count}}, ours);
  CHECK(same(ours, theirs));

  thrust::inclusive_scan_by_key(test::on_stream(), keys.begin(), keys.end(), in.begin(), theirs.begin());
  segmented_inclusive_scan(gpu, in, segment_offsets{counted{begins, run_count}}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceReduce, thrust::reduce") {
  const guarded<u32> in(test::random_below<u32>(n, 1'000'000));
  const guarded<u32> theirs(1), ours(1);
  const guarded<::cuda::std::int64_t> their_index(1);
  const device_value<indexed<u32>> our_index(test::test_stream());
  const cudaStream_t stream = test::test_stream();
  const test::exact_scratch scratch(std::max(reduce_scratch_bytes<u32>(n), reduce_scratch_bytes<indexed<u32>>(n)));
  const exec gpu = scratch.where();

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(temporary, bytes, in.data(), theirs.data(), n, stream);
  });
  sum(gpu, in, ours.data());
  CHECK(same(ours, theirs));
  CHECK(thrust::reduce(test::on_stream(), in.begin(), in.end(), u32{0}) == ours.read()[0]);

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(temporary, bytes, in.data(), theirs.data(), n, larger{}, u32{7}, stream);
  });
  reduce(gpu, in, u32{7}, larger{}, ours.data());
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::Min(temporary, bytes, in.data(), theirs.data(), n, stream);
  });
  minimum_of(gpu, in, ours.data());
  CHECK(same(ours, theirs));
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::Max(temporary, bytes, in.data(), theirs.data(), n, stream);
  });
  maximum_of(gpu, in, ours.data());
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::ArgMin(temporary, bytes, in.data(), theirs.data(), their_index.data(), n, stream);
  });
  arg_min(gpu, in, our_index);
  const indexed<u32> least = our_index.read(stream);
  CHECK(least.value == theirs.read()[0]);
  CHECK(least.index == static_cast<u64>(their_index.read()[0]));
  CHECK(static_cast<u64>(thrust::min_element(test::on_stream(), in.begin(), in.end()) - in.begin()) == least.index);
}

TEST_CASE("DeviceSegmentedReduce::Sum, Max, ArgMin; segments of one size") {
  std::vector<u32> begin = test::random_below<u32>(1000, n);  // some are empty
  begin.push_back(0), begin.push_back(n);
  std::sort(begin.begin(), begin.end());
  const std::size_t segments = begin.size() - 1;
  const guarded<u32> offsets(begin), in(test::random_below<u32>(n, 1000));
  guarded<u32> theirs(segments), ours(segments);
  const exec gpu = allocating(test::test_stream());
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, in.data(), theirs.data(), static_cast<int>(segments),
                                           offsets.data(), offsets.data() + 1, test::test_stream());
  });
  segmented_reduce(gpu, in, segment_offsets{offsets}, ours);
  CHECK(ours.read() == theirs.read());
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Max(temporary, bytes, in.data(), theirs.data(), static_cast<int>(segments),
                                           offsets.data(), offsets.data() + 1, test::test_stream());
  });
  segmented_reduce(gpu, in, segment_offsets{offsets}, 0, maximum{}, ours);
  CHECK(ours.read() == theirs.read());

  guarded<cub::KeyValuePair<int, u32>> their_least(segments);
  guarded<indexed<u32>> our_least(segments);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::ArgMin(temporary, bytes, in.data(), their_least.data(),
                                              static_cast<int>(segments), offsets.data(), offsets.data() + 1,
                                              test::test_stream());
  });
  segmented_arg_min(gpu, in, segment_offsets{offsets}, our_least);
  const auto theirs_at = their_least.read();
  const auto ours_at = our_least.read();
  bool same = true;
  for (std::size_t s = 0; s < segments; ++s)
    same &= begin[s] == begin[s + 1] ? ours_at[s].index == no_index
                                     : ours_at[s].index == begin[s] + static_cast<u64>(theirs_at[s].key) &&
                                           ours_at[s].value == theirs_at[s].value;
  CHECK(same);

  const std::size_t rows = n / 100;
  guarded<u32> their_rows(rows), our_rows(rows);
#if CUB_VERSION >= 300500
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, in.data(), their_rows.data(),
                                           static_cast<std::int64_t>(rows), 100, test::test_stream());
  });
#else  // the toolkit's has no segments of one size: by offsets
  std::vector<u32> row_begins(rows + 1);
  for (std::size_t r = 0; r <= rows; ++r) row_begins[r] = static_cast<u32>(100 * r);
  const guarded<u32> row_offsets(row_begins);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, in.data(), their_rows.data(), static_cast<int>(rows),
                                           row_offsets.data(), row_offsets.data() + 1, test::test_stream());
  });
#endif
  segmented_reduce(gpu, std::span<const u32>(in.data(), rows * 100), row_length(100), our_rows);
  CHECK(our_rows.read() == their_rows.read());
}

}  // namespace coming_from_cub_scans
