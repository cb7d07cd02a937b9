// SPDX-License-Identifier: Apache-2.0
// The host's time of calls, for programs that measure what a call costs before the GPU has it.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cuda_runtime.h>

#include "cuda.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace ballot::bench {

inline double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Microseconds of a call: the median of 31 batches of 50 calls, each on an idle stream.
template <class F>
double median_us(cudaStream_t stream, const F& call) {
  std::vector<double> times;
  for (int round = 0; round < 31; ++round) {
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const double begin = now_us();
    for (int i = 0; i < 50; ++i) call();
    times.push_back((now_us() - begin) / 50);
  }
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace ballot::bench
