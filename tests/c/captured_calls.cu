// SPDX-License-Identifier: Apache-2.0
// What a call of the C library puts into a graph, for tests/support/runtime_calls.hpp. The library
// has a CUDA runtime of its own inside, whose calls the linker's counters do not see. Allocations
// that are not in stream order, and waits, end the capture with an error.
#include "support/runtime_calls.hpp"

#include <cuda_runtime.h>

namespace ballot::test {

// The nodes of the graph that is captured now. Outside of a capture there are none to count.
runtime_calls runtime_calls_so_far() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  simt::check(cudaStreamGetCaptureInfo(test_stream(), &status, &id, &graph), "cudaStreamGetCaptureInfo");
#else
  simt::check(cudaStreamGetCaptureInfo_v2(test_stream(), &status, &id, &graph), "cudaStreamGetCaptureInfo_v2");
#endif
  runtime_calls so_far;
  if (status != cudaStreamCaptureStatusActive) return so_far;
  std::size_t count = 0;
  simt::check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  simt::check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    simt::check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    switch (type) {
      case cudaGraphNodeTypeKernel:
        ++so_far.launches;
        break;
      case cudaGraphNodeTypeMemset:
        ++so_far.fills;
        break;
      case cudaGraphNodeTypeMemcpy:
        ++so_far.copies;
        break;
      case cudaGraphNodeTypeMemAlloc:
        ++so_far.allocations;
        break;
      case cudaGraphNodeTypeMemFree:
        ++so_far.releases;
        break;
      case cudaGraphNodeTypeEmpty:
        break;
      default:
        ++so_far.waits;  // for the host, an event or a semaphore
    }
  }
  return so_far;
}

}  // namespace ballot::test
