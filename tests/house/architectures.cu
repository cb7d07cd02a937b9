// SPDX-License-Identifier: Apache-2.0
// A small program that has a kernel of each family: architectures_test.py compiles it for several
// GPUs at once. It is not run.
#include <ballot/batched_top_k.cuh>
#include <ballot/compact.cuh>
#include <ballot/gather.cuh>
#include <ballot/histogram.cuh>
#include <ballot/merge.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/reduce.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/scan.cuh>
#include <ballot/search.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/split.cuh>
#include <ballot/top_k.cuh>
#include <ballot/unique.cuh>

namespace {
struct is_odd {
  __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};
struct bucket_of {
  __device__ unsigned operator()(unsigned x) const { return x % 7; }
};
// The caller's operator. It must not be applied to missing items, which takes registers.
struct add {
  __device__ unsigned operator()(unsigned a, unsigned b) const { return a + b; }
};
}  // namespace

int main() {
  const std::size_t n = 1000;
  ballot::device_array<unsigned> in(n, nullptr), out(n, nullptr);
  ballot::device_array<unsigned char> flags(n, nullptr);
  ballot::device_value<std::uint64_t> count(nullptr);
  const ballot::exec gpu = ballot::allocating(nullptr);
  ballot::inclusive_scan(gpu, in, out);
  ballot::inclusive_scan(gpu, in, add{}, out);
  ballot::segmented_exclusive_scan(gpu, in, ballot::byte_flags{flags}, 0, add{}, out);
  ballot::histogram(gpu, in, ballot::key_digit{}, out, count);
  ballot::top_k(gpu, in, 1u, out, count);
  ballot::merge(gpu, in, in, out);
  ballot::lower_bound(gpu, in, in, out);
  ballot::is_sorted(gpu, in, count);
  ballot::batched_top_k(gpu, in, ballot::row_layout{1, 2}, 1, out);
  ballot::gather(gpu, in, in, out, count);
  ballot::device_array<unsigned> sums(n, nullptr);
  ballot::reduce_by_key(gpu, in, in, out, sums, count);
  ballot::segmented_reduce(gpu, in, ballot::row_length(10), ballot::device_array<unsigned>(100, nullptr));
  ballot::compact(gpu, in, is_odd{}, out, count);
  ballot::split(gpu, in, is_odd{}, out, count);
  ballot::unique(gpu, in, out, count);
  ballot::sum(gpu, in, count);
  ballot::device_array<std::uint64_t> offsets(8, nullptr);
  ballot::multisplit(gpu, in, bucket_of{}, 7, out, offsets);
  ballot::sort(gpu, in, out);
  ballot::segmented_sort(gpu, in, offsets, out);
}
