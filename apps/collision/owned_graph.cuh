// SPDX-License-Identifier: Apache-2.0
// Launches on a stream, captured once as a CUDA graph and replayed.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::app::collision {

class owned_graph {
 public:
  owned_graph() = default;
  ~owned_graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  }
  owned_graph(const owned_graph&) = delete;
  owned_graph& operator=(const owned_graph&) = delete;

  bool is_there() const { return executable_ != nullptr; }
  // Captures what launch() puts on the stream.
  template <class Launch>
  void capture(cudaStream_t stream, const Launch& launch) {
    cudaGraph_t graph = nullptr;
    simt::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    try {
      launch();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    simt::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    simt::check(made, "cudaGraphInstantiate");
  }
  void replay(cudaStream_t stream) const { simt::check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace ballot::app::collision
