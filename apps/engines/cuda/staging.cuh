// SPDX-License-Identifier: Apache-2.0
// Columns between files and the GPU, through two pinned buffers in turn. This thread reads or
// writes one while the other is being copied.
//
//     read  0 | read  1 | read  2 | ...            this thread
//             | copy  0 | copy  1 | copy  2 ...    the GPU's copy engine
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/phase_clock.hpp"
#include "columns/stream.hpp"

#include <ballot/device/memory.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::app {

class staging {
 public:
  explicit staging(stream_t stream);
  ~staging();
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;

  // All of `in`, in device memory. If the count is not known before, the column arrives in pieces,
  // which are then joined.
  device_buffer upload(source& in, phase_clock& clock);
  void download(std::span<const std::byte> on_device, sink& out, phase_clock& clock);

 private:
  struct half {
    std::byte* memory = nullptr;  // pinned
    cudaEvent_t copied = nullptr;
  };

  void reserve(std::size_t bytes);  // pinning is slow: no more than the column needs
  void release();

  device_buffer upload_known(source& in, std::size_t bytes, phase_clock& clock);
  device_buffer upload_unknown(source& in, phase_clock& clock);

  stream_t stream_;
  std::size_t half_bytes_ = 0;
  half halves_[2];
};

}  // namespace ballot::app
