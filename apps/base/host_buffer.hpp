// SPDX-License-Identifier: Apache-2.0
// Host memory that grows without copying and is not cleared: a column may take most of the
// machine's memory. A small buffer is one of malloc(): to map and unmap pages for it takes longer
// than to fill them.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <span>
#include <utility>

namespace ballot::app {

class host_buffer {
 public:
  host_buffer() = default;
  explicit host_buffer(std::size_t bytes) { resize(bytes); }
  ~host_buffer();
  host_buffer(host_buffer&& other) noexcept { swap(other); }
  host_buffer& operator=(host_buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  void resize(std::size_t bytes);  // keeps the contents; throws failure if there is no memory
  void append(std::span<const std::byte> bytes);

  std::size_t size() const { return size_; }
  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data_), size_ / sizeof(T)};
  }

 private:
  void swap(host_buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  void grow(std::size_t bytes);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;  // small, or mapped
};

}  // namespace ballot::app
