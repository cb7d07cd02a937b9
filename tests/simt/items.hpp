// SPDX-License-Identifier: Apache-2.0
// Items in device memory, with nothing of the library above the vocabulary.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

#include <vector>

namespace ballot::test {

// Device memory for n items, or for the items of a vector. With `uninitialized`, it is not
// initialised; else it is zero.
template <class T = unsigned>
class device_items {
 public:
  struct uninitialized {};
  device_items(std::size_t n, uninitialized)
      : data_(static_cast<T*>(simt::allocate(nullptr, n * sizeof(T)))), size_(n) {}
  explicit device_items(std::size_t n) : device_items(n, uninitialized{}) {
    simt::fill_bytes(nullptr, data_, 0, n * sizeof(T));
  }
  explicit device_items(const std::vector<T>& v) : device_items(v.size(), uninitialized{}) {
    simt::copy_bytes(nullptr, data_, v.data(), v.size() * sizeof(T));
  }
  device_items(const device_items&) = delete;
  device_items& operator=(const device_items&) = delete;
  ~device_items() { simt::release_from_destructor(nullptr, data_); }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<T> read() const {
    std::vector<T> v(size_);
    simt::copy_bytes(nullptr, v.data(), data_, size_ * sizeof(T));
    simt::synchronize(nullptr);
    return v;
  }

 private:
  T* data_;
  std::size_t size_;
};

}  // namespace ballot::test
