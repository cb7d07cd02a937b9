// SPDX-License-Identifier: Apache-2.0
// Calls that docs/adapters.md says are CUB's: each does not compile where CUB's own may not be used
// (only_ballot_test.py), and the first error names it. Without the macro all of them compile.
#include <ballot/adapters/cub.cuh>

#include <thrust/iterator/discard_iterator.h>

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

namespace adapters_only_ballot_refused {
namespace cub = ballot::adapters::cub;

struct is_small {
  __host__ __device__ bool operator()(int x) const { return x < 300; }
};
__host__ __device__ bool is_odd(int x) { return x % 2 != 0; }
struct large {  // more bytes than ballot moves or takes as a key
  int number[40];
  friend __host__ __device__ bool operator==(const large& a, const large& b) { return a.number[0] == b.number[0]; }
};
struct by_number {
  __host__ __device__ bool operator()(const large& a, const large& b) const { return a.number[0] < b.number[0]; }
  __host__ __device__ bool operator()(const large& x) const { return x.number[0] < 300; }
};
struct numbered {  // without a default constructor
  __host__ __device__ explicit numbered(int n) : number(n) {}
  __host__ __device__ numbered(const numbered&) = default;
  int number;
};
struct has_number {
  __host__ __device__ bool operator()(const numbered& x) const { return x.number != 0; }
};
struct coloured {
  int number;
  unsigned colour;
};
struct decomposed {
  __host__ __device__ ::cuda::std::tuple<int&> operator()(coloured& x) const { return {x.number}; }
};

void* t;        // temporary storage
std::size_t s;  // its bytes
int n;

numbered *numbers, *numbers_out;
bool *bools, *bools_out;
int *in, *values, *out, *count;
__int128 *wide, *wide_out;
float *floats, *floats_out;
double* doubles;
__half *halves, *halves_out;
large *larges, *larges_out;
coloured *colours, *colours_out;
cub::KeyValuePair<int, int>* pair;
const int *begins, *ends;

// One call a line: the compiler says the line.
void calls() {
  cub::DeviceRadixSort::SortKeys(t, s, colours, colours_out, n, decomposed{});
  cub::DeviceRadixSort::SortPairsDescending(t, s, colours, colours_out, in, out, n, decomposed{}, 0, 8);
  cub::DeviceScan::ExclusiveSum(t, s, in, doubles, n);
  cub::DeviceScan::InclusiveSum(t, s, wide, wide_out, n);
  cub::DeviceScan::ExclusiveScan(t, s, in, doubles, ::cuda::std::plus<>{}, cub::FutureValue<int>(values), n);
  cub::DeviceReduce::Reduce(t, s, in, doubles, n, ::cuda::std::plus<>{}, 0);
  cub::DeviceReduce::Min(t, s, halves, halves_out, n);
  cub::DeviceReduce::ArgMin(t, s, floats, floats_out, out, std::int64_t{n});
  cub::DeviceReduce::ArgMax(t, s, in, pair, n);
  cub::DeviceReduce::ReduceByKey(t, s, larges, larges_out, in, out, count, ::cuda::std::plus<>{}, n);
  cub::DeviceSegmentedReduce::ArgMin(t, s, in, pair, 10, begins, ends);
  cub::DeviceSegmentedReduce::ArgMax(t, s, in, pair, 10, begins, ends);
  cub::DeviceSelect::If(t, s, in, thrust::discard_iterator<>{}, count, n, is_small{});
  cub::DeviceSelect::If(t, s, in, out, count, n, is_odd);
  cub::DeviceSelect::If(t, s, larges, larges_out, count, n, by_number{});
  cub::DeviceSelect::Flagged(t, s, in, halves, out, count, n);
  cub::DeviceSelect::If(t, s, numbers, numbers_out, count, n, has_number{});
  cub::DevicePartition::If(t, s, in, out, values, values, count, n, is_small{}, is_small{});
  cub::DevicePartition::Flagged(t, s, in, halves, out, count, n);
  cub::DeviceRunLengthEncode::Encode(t, s, larges, larges_out, out, count, n);
  cub::DeviceRunLengthEncode::NonTrivialRuns(t, s, in, out, values, count, n);
  cub::DeviceMerge::MergeKeys(t, s, larges, n, larges, n, larges_out, by_number{});
  cub::DeviceHistogram::HistogramEven(t, s, bools, count, 3, 0, 2, n);
  cub::DeviceHistogram::HistogramEven(t, s, floats, count, 11, 0.0f, 10.0f, n, 5, std::size_t{4096});
  cub::DeviceHistogram::HistogramRange(t, s, halves, count, 11, halves, n);
}
void calls_of_several_channels(const unsigned char* pixels, int* (&counts)[3], int (&levels)[3],
                               unsigned char (&lower)[3], unsigned char (&upper)[3],
                               const unsigned char* (&ranges)[3]) {
  cub::DeviceHistogram::MultiHistogramEven<4, 3>(t, s, pixels, counts, levels, lower, upper, n);
  cub::DeviceHistogram::MultiHistogramRange<4, 3>(t, s, pixels, counts, levels, ranges, n);
}

#if __has_include(<cub/device/device_topk.cuh>)
void calls_of_top_k() {
  const auto how = ::cuda::std::execution::env{::cuda::execution::require(
      ::cuda::execution::determinism::not_guaranteed, ::cuda::execution::output_ordering::unsorted)};
  cub::DeviceTopK::MaxKeys(t, s, halves, halves_out, n, 10, how);
  cub::DeviceTopK::MinPairs(t, s, floats, floats_out, in, out, n, 10, how);
}
#endif
#if __has_include(<cub/device/device_segmented_scan.cuh>)
void calls_of_segmented_scans() {
  cub::DeviceSegmentedScan::ExclusiveSegmentedSum(t, s, in, out, begins, ends, 10);
  cub::DeviceSegmentedScan::InclusiveSegmentedSum(t, s, in, out, begins, ends, 10);
  cub::DeviceSegmentedScan::ExclusiveSegmentedScan(t, s, in, out, begins, ends, 10, ::cuda::std::plus<>{}, 0);
  cub::DeviceSegmentedScan::InclusiveSegmentedScan(t, s, in, out, begins, ends, 10, ::cuda::std::plus<>{});
  cub::DeviceSegmentedScan::InclusiveSegmentedScanInit(t, s, in, out, begins, ends, 10, ::cuda::std::plus<>{}, 0);
}
#endif

}  // namespace adapters_only_ballot_refused
