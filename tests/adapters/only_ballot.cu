// SPDX-License-Identifier: Apache-2.0
// Calls of CUB that docs/adapters.md says are ballot's. They compile where CUB's own may not be used
// (only_ballot_test.py). What they compute: cub.cu and others beside it.
#define BALLOT_ADAPTERS_ONLY_BALLOT
#include <ballot/adapters/cub.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>

namespace adapters_only_ballot {
namespace cub = ballot::adapters::cub;

struct is_small {
  __host__ __device__ bool operator()(int x) const { return x < 300; }
};
struct same_tens {
  __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};
struct twice {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

void* t;        // temporary storage
std::size_t s;  // its bytes
cudaStream_t stream;
int n;

bool* bools;
std::uint8_t *bytes, *more_bytes;
int *in, *values, *out, *values_out, *count;
std::uint64_t *wide, *wide_out, *wide_count;
float *floats, *floats_out, *results;
double* doubles;
const int *begins, *ends;

void radix_sorts() {
  cub::DeviceRadixSort::SortKeys(t, s, in, out, n);
  cub::DeviceRadixSort::SortKeys(t, s, bools, bools, n, 0, 1, stream);
  cub::DeviceRadixSort::SortKeys(t, s, floats, floats_out, n, 3, 9, stream);
  cub::DeviceRadixSort::SortKeysDescending(t, s, floats, floats_out, n);
  cub::DeviceRadixSort::SortKeysDescending(t, s, in, out, n, 4, 12, stream);
  cub::DeviceRadixSort::SortPairs(t, s, wide, wide_out, values, values_out, n, 0, 64, stream);
  cub::DeviceRadixSort::SortPairsDescending(t, s, in, out, wide, wide_out, n);
  cub::DoubleBuffer<int> keys(in, out);
  cub::DoubleBuffer<float> both(floats, floats_out);
  cub::DeviceRadixSort::SortKeys(t, s, keys, n);
  cub::DeviceRadixSort::SortPairs(t, s, keys, both, n);
  cub::DeviceRadixSort::SortKeysDescending(t, s, keys, n);
  cub::DeviceRadixSort::SortPairsDescending(t, s, keys, both, n);
}

// Lengths and bits that bind to no reference, or are of types that are compared with care.
struct packed {
  int items : 20, begin : 6, end : 6;
  static const int most = 1000;  // without a definition
  char few;
};
struct named_buffer : ::cub::DoubleBuffer<int> {
  using ::cub::DoubleBuffer<int>::DoubleBuffer;
};
void lengths(packed& of, unsigned char small, char16_t unit) {
  cub::DoubleBuffer<int> keys(in, out);
  cub::DoubleBuffer<float> both(floats, floats_out);
  named_buffer named(in, out);
  cub::DeviceRadixSort::SortKeys(t, s, in, out, of.items, of.begin, of.end, stream);
  cub::DeviceRadixSort::SortKeys(t, s, keys, of.items, of.begin, of.end);
  cub::DeviceRadixSort::SortKeys(t, s, named, of.items);
  cub::DeviceRadixSort::SortPairs(0, s, keys, both, of.items, of.begin, of.end, NULL);
  cub::DeviceScan::ExclusiveSum(t, s, in, out, of.items);
  cub::DeviceScan::InclusiveSum(t, s, in, out, of.few);
  cub::DeviceScan::InclusiveSum(t, s, in, out, packed::most, 0);
  cub::DeviceSelect::If(NULL, s, in, out, count, small, is_small{});
  cub::DeviceReduce::Sum(t, s, in, out, unit);
  cub::DeviceReduce::ReduceByKey(t, s, in, out, values, values_out, count, cuda::std::plus<>{}, of.items);
  cub::DeviceHistogram::HistogramEven(t, s, in, count, 257, 0, 256, of.few);
  cub::DeviceMerge::MergeKeys(t, s, in, of.few, values, of.items, out);
}

// Which library's they are shows at run time.
template <class Sorts>
void segmented_sorts() {
  Sorts::SortKeys(t, s, in, out, n, 10, begins, begins + 1);
  Sorts::SortKeysDescending(t, s, floats, floats_out, n, 10, begins, ends);
  Sorts::SortPairs(t, s, wide, wide_out, values, values_out, n, 10, begins, begins + 1);
  Sorts::SortPairsDescending(t, s, in, out, values, values_out, n, 10, begins, begins + 1);
}
void segmented_sorts_of_all_classes() {
  segmented_sorts<cub::DeviceSegmentedSort>();
  segmented_sorts<cub::DeviceSegmentedRadixSort>();
  cub::DeviceSegmentedSort::StableSortKeys(t, s, in, out, n, 10, begins, begins + 1);
  cub::DeviceSegmentedSort::StableSortKeysDescending(t, s, in, out, n, 10, begins, begins + 1);
  cub::DeviceSegmentedSort::StableSortPairs(t, s, in, out, values, values_out, n, 10, begins, begins + 1);
  cub::DeviceSegmentedSort::StableSortPairsDescending(t, s, in, out, values, values_out, n, 10, begins, begins + 1);
}

void scans() {
  const auto counting = thrust::make_counting_iterator(0);
  cub::DeviceScan::ExclusiveSum(t, s, in, out, n, stream);
  cub::DeviceScan::ExclusiveSum(t, s, in, n);
  cub::DeviceScan::InclusiveSum(t, s, floats, floats_out, n);
  cub::DeviceScan::InclusiveSum(t, s, thrust::make_transform_iterator(counting, twice{}), out, n);
  cub::DeviceScan::InclusiveSum(t, s, in, bytes, n);  // integers, and the output is narrower
  cub::DeviceScan::ExclusiveScan(t, s, in, out, ::cuda::std::plus<>{}, 7, n);
  cub::DeviceScan::ExclusiveScan(t, s, in, out, ::cuda::maximum<>{}, cub::FutureValue<int>(values), n);
  cub::DeviceScan::InclusiveScan(t, s, in, out, ::cuda::minimum<>{}, n);
  cub::DeviceScan::InclusiveScan(
      t, s, in, out, [] __device__(int a, int b) -> int { return a < b ? b : a; }, n);
  cub::DeviceScan::InclusiveScanInit(t, s, in, out, ::cuda::std::plus<>{}, 7, n);
  cub::DeviceScan::ExclusiveSumByKey(t, s, in, values, out, n);
  cub::DeviceScan::ExclusiveScanByKey(t, s, in, values, out, ::cuda::std::plus<>{}, 7, n);
  cub::DeviceScan::InclusiveSumByKey(t, s, in, values, out, n, same_tens{});
  cub::DeviceScan::InclusiveScanByKey(t, s, in, values, out, ::cuda::std::plus<>{}, n);
}

void reductions() {
  const auto counting = thrust::make_counting_iterator(0);
  cub::DeviceReduce::Sum(t, s, in, out, n);
  cub::DeviceReduce::Sum(t, s, thrust::make_permutation_iterator(in, counting), out, n);
  cub::DeviceReduce::Min(t, s, floats, floats_out, n);
  cub::DeviceReduce::Max(t, s, counting, out, n);
  cub::DeviceReduce::Reduce(t, s, in, out, n, ::cuda::std::bit_xor<>{}, 0, stream);
  cub::DeviceReduce::TransformReduce(t, s, in, out, n, ::cuda::std::plus<>{}, twice{}, 0);
  cub::DeviceReduce::ReduceByKey(t, s, in, out, floats, floats_out, count, ::cuda::std::plus<>{}, n);
  cub::DeviceReduce::ArgMin(t, s, in, out, count, std::int64_t{n});
  cub::DeviceReduce::ArgMax(t, s, wide, wide_out, count, std::int64_t{n});
  cub::DeviceSegmentedReduce::Sum(t, s, in, out, 10, begins, ends);
  cub::DeviceSegmentedReduce::Sum(t, s, counting, out, 10, begins, begins + 1);
  cub::DeviceSegmentedReduce::Min(t, s, in, out, 10, begins, begins + 1);
  cub::DeviceSegmentedReduce::Max(t, s, doubles, doubles, 10, begins, begins + 1);
  cub::DeviceSegmentedReduce::Reduce(t, s, in, out, 10, begins, begins + 1, ::cuda::std::plus<>{}, 0);
#if CUB_VERSION >= 300100
  cub::DeviceSegmentedReduce::Sum(t, s, in, out, std::int64_t{10}, 100);
#endif
}

void selections() {
  const auto counting = thrust::make_counting_iterator(0);
  cub::DeviceSelect::If(t, s, in, out, count, n, is_small{}, stream);
  cub::DeviceSelect::If(t, s, in, count, n, is_small{});
  cub::DeviceSelect::If(t, s, counting, out, wide_count, n, is_small{});
  cub::DeviceSelect::Flagged(t, s, in, bytes, out, count, n);
  cub::DeviceSelect::Flagged(t, s, in, floats, out, count, n);
  cub::DeviceSelect::Flagged(t, s, in, bytes, count, n);
  cub::DeviceSelect::FlaggedIf(t, s, in, values, out, count, n, is_small{});
  cub::DeviceSelect::FlaggedIf(t, s, in, values, count, n, is_small{});
  cub::DeviceSelect::Unique(t, s, in, out, count, n);
  cub::DeviceSelect::UniqueByKey(t, s, in, values, out, values_out, count, n);
  cub::DeviceSelect::UniqueByKey(t, s, in, values, in, values, count, n, same_tens{}, stream);
  cub::DevicePartition::If(t, s, in, out, count, n, is_small{});
  cub::DevicePartition::Flagged(t, s, counting, bytes, out, count, n);
  cub::DeviceRunLengthEncode::Encode(t, s, in, out, values_out, count, n);
}

void sorted_arrays_and_bins() {
  cub::DeviceMerge::MergeKeys(t, s, in, n, values, n, out);
  cub::DeviceMerge::MergePairs(t, s, in, floats, n, values, results, n, out, floats_out, ::cuda::std::greater<>{});
  cub::DeviceHistogram::HistogramEven(t, s, floats, count, 11, 0.0f, 10.0f, n);
  cub::DeviceHistogram::HistogramRange(t, s, in, count, 11, values, n);
#if __has_include(<cub/device/device_topk.cuh>)
  const auto how = ::cuda::std::execution::env{::cuda::execution::require(
      ::cuda::execution::determinism::not_guaranteed, ::cuda::execution::output_ordering::unsorted)};
  cub::DeviceTopK::MaxKeys(t, s, in, out, n, 10, how);
  cub::DeviceTopK::MinKeys(t, s, in, out, n, 10, how);
  cub::DeviceTopK::MaxPairs(t, s, in, out, floats, floats_out, n, 10, how);
  cub::DeviceTopK::MinPairs(t, s, in, out, floats, floats_out, n, 10, how);
#endif
}

}  // namespace adapters_only_ballot
