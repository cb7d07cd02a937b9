// SPDX-License-Identifier: Apache-2.0
// Host time of a call on 1,000 items beside an empty launch; time of the first call.
#include <ballot.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void nothing() {}
static double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
template <class F>
double median_us(F f, cudaStream_t s) {
  std::vector<double> t;
  for (int r = 0; r < 30; ++r) {
    cudaStreamSynchronize(s);
    double b = now();
    for (int i = 0; i < 50; ++i) f();
    t.push_back((now() - b) / 50);
  }
  cudaStreamSynchronize(s);
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}
int main() {
  cudaFree(nullptr);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  nothing<<<1, 1, 0, s>>>();
  cudaStreamSynchronize(s);
  const size_t n = 1000;
  void *a, *b, *c, *d, *scratch;
  cudaMalloc(&a, 8 * n);
  cudaMalloc(&b, 8 * n);
  cudaMalloc(&c, 8 * n);
  cudaMalloc(&d, 8 * n);
  cudaMalloc(&scratch, 1 << 22);
  cudaMemset(a, 1, 8 * n);
  ballot_exec gpu = ballot_on(s, scratch, 1 << 22);
  ballot_array x = ballot_input(a, n, BALLOT_U32), y = ballot_output(b, n, BALLOT_U32),
               z = ballot_output(c, n, BALLOT_U32), cnt = ballot_value(d, BALLOT_U32);
  unsigned limit = 7;
  ballot_selector less = ballot_where(BALLOT_LESS, &limit), flags = ballot_by_bytes(ballot_input(c, n, BALLOT_U8));
  auto first = [&](const char* name, auto f) {
    double t = now();
    ballot_status st = f();
    double l = now();
    cudaStreamSynchronize(s);
    printf("first %-14s %8.0f us to return, %8.0f us to finish, status %d %s\n", name, l - t, now() - t, st,
           st ? ballot_last_error() : "");
  };
  first("sort", [&] { return ballot_sort(gpu, x, y, nullptr); });
  first("compact", [&] { return ballot_compact(gpu, 1, &x, less, &y, cnt); });
  first("scan", [&] { return ballot_inclusive_scan(gpu, x, BALLOT_PLUS, y, nullptr); });
  first("reduce", [&] { return ballot_reduce(gpu, x, nullptr, BALLOT_PLUS, cnt); });
  double launch = median_us([&] { nothing<<<1, 1, 0, s>>>(); }, s),
         fill = median_us([&] { cudaMemsetAsync(b, 0, 256, s); }, s);
  cudaPointerAttributes at;
  double ask = median_us([&] { cudaPointerGetAttributes(&at, a); }, s);
  int dev;
  double get = median_us([&] { cudaGetDevice(&dev); }, s);
  printf("launch %.2f us, fill %.2f us, cudaPointerGetAttributes %.3f us, cudaGetDevice %.3f us\n", launch, fill, ask,
         get);
  auto each = [&](const char* name, int launches, int fills, auto f) {
    double t = median_us(f, s);
    printf("%-16s %6.2f us a call, %6.2f us above its %d launches and %d fills\n", name, t,
           t - launches * launch - fills * fill, launches, fills);
  };
  each("sort", 1, 0, [&] { ballot_sort(gpu, x, y, nullptr); });
  each("sort_pairs", 1, 0, [&] { ballot_sort_pairs(gpu, x, x, y, z, nullptr); });
  each("argsort", 1, 0, [&] { ballot_argsort(gpu, x, ballot_nothing(), z, nullptr); });
  each("scan", 1, 0, [&] { ballot_inclusive_scan(gpu, x, BALLOT_PLUS, y, nullptr); });
  each("reduce", 1, 0, [&] { ballot_reduce(gpu, x, nullptr, BALLOT_PLUS, cnt); });
  each("compact <", 1, 1, [&] { ballot_compact(gpu, 1, &x, less, &y, cnt); });
  each("compact bytes", 1, 1, [&] { ballot_compact(gpu, 1, &x, flags, &y, cnt); });
  each("split", 2, 1, [&] { ballot_split(gpu, 1, &x, less, &y, cnt); });
  each("unique", 1, 1, [&] { ballot_unique(gpu, x, y, cnt); });
  each("count_if", 1, 1, [&] { ballot_count_if(gpu, x, less, cnt); });
  printf("%s\n", ballot_last_error());
}
