// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "stopwatch.hpp"

#include <cstdint>

namespace ballot::bench {
namespace {

// Longer than the host takes to launch the kernels of one call, a dozen for some of them.
constexpr std::uint64_t pause_nanoseconds = 150'000;

__global__ void pause() {
  const auto now = [] {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  const std::uint64_t start = now();
  while (now() - start < pause_nanoseconds) {
  }
}

std::size_t l2_of_device() {
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

}  // namespace

stopwatch::stopwatch(cudaStream_t stream) : stream_(stream), l2_bytes_(l2_of_device()), flush_(2 * l2_bytes_) {
  check(cudaEventCreate(&begin_), "cudaEventCreate");
  check(cudaEventCreate(&end_), "cudaEventCreate");
}

stopwatch::~stopwatch() {
  (void)cudaEventDestroy(begin_);
  (void)cudaEventDestroy(end_);
}

double stopwatch::between_events() {
  check(cudaEventSynchronize(end_), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  return milliseconds / 1000.0;
}

double stopwatch::call(const work& prepare, const work& run, std::size_t bytes_moved) {
  if (prepare) prepare();
  if (flushes(bytes_moved)) {
    check(cudaMemsetAsync(flush_.data(), 0, flush_.size(), stream_), "cudaMemsetAsync");
    pause<<<1, 1, 0, stream_>>>();
    check(cudaGetLastError(), "pause");
  }
  check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
  run();
  check(cudaEventRecord(end_, stream_), "cudaEventRecord");
  return between_events();
}

double stopwatch::burst(const work& run, int calls) {
  check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
  for (int i = 0; i < calls; ++i) run();
  check(cudaEventRecord(end_, stream_), "cudaEventRecord");
  return between_events() / calls;
}

captured_graph::captured_graph(cudaStream_t stream, const std::function<void()>& run) : stream_(stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cudaGraph_t captured = nullptr;
  try {
    run();
  } catch (...) {
    // a stream that is left capturing would fail everybody after this one
    (void)cudaStreamEndCapture(stream, &captured);
    if (captured != nullptr) (void)cudaGraphDestroy(captured);
    throw;
  }
  check(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
  const cudaError_t made = cudaGraphInstantiate(&graph_, captured, 0);
  check(cudaGraphDestroy(captured), "cudaGraphDestroy");
  check(made, "cudaGraphInstantiate");
  check(cudaGraphUpload(graph_, stream), "cudaGraphUpload");
}

captured_graph::~captured_graph() {
  if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
}

void captured_graph::replay() const { check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch"); }

}  // namespace ballot::bench
