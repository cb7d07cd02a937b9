// SPDX-License-Identifier: Apache-2.0
// The calls of the CUDA runtime that the benchmarks need, with errors as exceptions. Memory comes
// from cudaMalloc and not from the library under test.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace ballot::bench {

inline void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

// Device memory that only grows; what was in it is lost when it does.
class device_memory {
 public:
  device_memory() = default;
  explicit device_memory(std::size_t bytes) { grow(bytes); }
  device_memory(device_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  device_memory& operator=(device_memory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~device_memory() { (void)cudaFree(data_); }

  void* grow(std::size_t bytes) {
    if (bytes <= size_) return data_;
    check(cudaFree(std::exchange(data_, nullptr)), "cudaFree");
    size_ = 0;
    check(cudaMalloc(&data_, bytes), "cudaMalloc");
    size_ = bytes;
    return data_;
  }
  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ballot::bench
