// SPDX-License-Identifier: Apache-2.0
// libballot's time on the host: of the first calls of a process, and of calls on 1,000 items beside
// empty launches.
//
//     ballot_bench_c_library
#include <ballot.h>

#include <cuda_runtime.h>

#include <cstdio>

#include "host_time.hpp"

using ballot::bench::check;
using ballot::bench::median_us;
using ballot::bench::now_us;

namespace {

__global__ void nothing() {}

}  // namespace

int main() {
  constexpr std::size_t n = 1000, scratch_bytes = std::size_t{1} << 22;
  cudaStream_t stream = nullptr;
  void *a = nullptr, *b = nullptr, *c = nullptr, *count = nullptr, *scratch = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
    std::puts("not run: no usable GPU");
    return 77;
  }
  for (void** const memory : {&a, &b, &c, &count}) check(cudaMalloc(memory, 8 * n), "cudaMalloc");
  check(cudaMalloc(&scratch, scratch_bytes), "cudaMalloc");
  check(cudaMemset(a, 1, 8 * n), "cudaMemset");
  check(cudaMemset(c, 1, 8 * n), "cudaMemset");  // also flags
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  nothing<<<1, 1, 0, stream>>>();
  check(cudaGetLastError(), "nothing");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");

  const ballot_exec gpu = ballot_on(stream, scratch, scratch_bytes);
  const ballot_array in = ballot_input(a, n, BALLOT_U32), out = ballot_output(b, n, BALLOT_U32),
                     second = ballot_output(c, n, BALLOT_U32), counted = ballot_value(count, BALLOT_U32);
  const unsigned limit = 7;
  const ballot_selector less = ballot_where(BALLOT_LESS, &limit),
                        flags = ballot_by_bytes(ballot_input(c, n, BALLOT_U8));
  const auto sort = [&] { return ballot_sort(gpu, in, out, nullptr); };
  const auto pairs = [&] { return ballot_sort_pairs(gpu, in, in, out, second, nullptr); };
  const auto scan = [&] { return ballot_inclusive_scan(gpu, in, BALLOT_PLUS, out, nullptr); };
  const auto reduce = [&] { return ballot_reduce(gpu, in, nullptr, BALLOT_PLUS, counted); };
  const auto compact = [&] { return ballot_compact(gpu, 1, &in, less, &out, counted); };
  const auto compact_bytes = [&] { return ballot_compact(gpu, 1, &in, flags, &out, counted); };
  const auto split = [&] { return ballot_split(gpu, 1, &in, less, &out, counted); };
  const auto unique = [&] { return ballot_unique(gpu, in, out, counted); };

  int failed = 0;
  const auto first = [&](const char* name, const auto& call) {
    const double begin = now_us();
    const ballot_status status = call();
    const double returned = now_us();
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    std::printf("first %-14s %8.0f us to return, %8.0f us to finish\n", name, returned - begin, now_us() - begin);
    if (status != BALLOT_OK) ++failed, std::printf("%s\n", ballot_last_error());
  };
  first("sort", sort);
  first("compact", compact);
  first("scan", scan);
  first("reduce", reduce);

  // layers-allow: ignored-status, the launch alone is timed
  const double launch = median_us(stream, [&] { nothing<<<1, 1, 0, stream>>>(); });
  check(cudaGetLastError(), "nothing");
  const double fill = median_us(stream, [&] { check(cudaMemsetAsync(b, 0, 256, stream), "cudaMemsetAsync"); });
  std::printf("an empty launch %.2f us, a fill %.2f us\n", launch, fill);
  const auto each = [&](const char* name, int launches, int fills, const auto& call) {
    ballot_status status = BALLOT_OK;  // a call that fails takes less time
    const double time = median_us(stream, [&] {
      if (const ballot_status now = call(); now != BALLOT_OK) status = now;
    });
    if (status != BALLOT_OK) ++failed, std::printf("%s: %s\n", name, ballot_last_error());
    std::printf("%-16s %6.2f us a call, %6.2f us above %d launches and %d fills\n", name, time,
                time - launches * launch - fills * fill, launches, fills);
  };
  each("sort", 1, 0, sort);
  each("sort_pairs", 1, 0, pairs);
  each("inclusive_scan", 1, 0, scan);
  each("reduce", 1, 0, reduce);
  each("compact <", 1, 1, compact);
  each("compact by bytes", 1, 1, compact_bytes);
  each("split <", 2, 1, split);
  each("unique", 1, 1, unique);
  return failed != 0;
}
