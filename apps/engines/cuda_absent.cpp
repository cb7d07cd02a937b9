// SPDX-License-Identifier: Apache-2.0
// Stands in for the cuda engine in a program built without nvcc.
#include <ballot/core/namespace.hpp>
#include "base/failure.hpp"
#include "engines/engine.hpp"

namespace ballot::app {
namespace {

constexpr auto absent = "this program was built without CUDA (" BALLOT_APP_NO_CUDA_REASON ")";

}  // namespace

cuda_status list_cuda_devices() {
  cuda_status status;
  status.reason = absent;
  return status;
}

cuda_status probe_cuda(int) { return list_cuda_devices(); }

void add_free_memory(cuda_status&) {}

std::unique_ptr<engine> make_cuda_engine() {
  throw failure(std::string("the cuda engine is not available: ") + absent);
}

}  // namespace ballot::app
