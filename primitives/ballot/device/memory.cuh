// SPDX-License-Identifier: Apache-2.0
// Device memory for callers. A program allocates it once and then uses it in many calls: the
// library's calls never allocate, except with an exec made by `allocating`.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ballot {

// Uninitialised items on the device, allocated and released in the order of a stream. Move-only.
// Contiguous range of T. Throws cuda_error if the allocation fails.
//
// The destructor, and a move into the array, release without throwing, because they may run while
// another error is thrown. If the runtime refuses the release, the memory stays allocated, and the
// error remains the runtime's last one (cudaGetLastError). If the context is broken, every later
// call of the runtime returns the error too. `release` throws instead.
template <class T>
class device_array {
 public:
  device_array() = default;
  /// `items` items, allocated in the order of `stream`.
  device_array(std::size_t items, stream_t stream)
      : data_(items == 0 ? nullptr : static_cast<T*>(simt::allocate(stream, bytes_of(items)))),
        size_(items),
        stream_(stream) {}
  device_array(device_array&& other) noexcept { swap(other); }
  device_array& operator=(device_array&& other) noexcept {
    device_array(std::move(other)).swap(*this);
    return *this;
  }
  ~device_array() { simt::release_from_destructor(stream_, data_); }

  // Releases the memory in stream order. The array is empty afterwards, also if this throws:
  // cuda_error if the runtime refuses.
  void release() {
    T* const data = std::exchange(data_, nullptr);
    size_ = 0;
    simt::release(stream_, data);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

  // Copy from and to host memory in stream order, and wait for the copy.
  void write(const std::vector<T>& items) {
    if (items.size() != size_) throw invalid_argument("ballot::device_array::write: lengths differ");
    if (size_ == 0) return;
    simt::copy_bytes(stream_, data_, items.data(), size_ * sizeof(T));
    simt::synchronize(stream_);  // layers-allow: synchronises, the caller asked for the value
  }
  std::vector<T> read() const {
    std::vector<T> items(size_);
    if (size_ == 0) return items;
    simt::copy_bytes(stream_, items.data(), data_, size_ * sizeof(T));
    simt::synchronize(stream_);  // layers-allow: synchronises, the caller asked for the value
    return items;
  }

 private:
  static std::size_t bytes_of(std::size_t items) {
    if (items > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw invalid_argument("ballot::device_array: that many items exceed the address space");
    return items * sizeof(T);
  }
  void swap(device_array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(stream_, other.stream_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  stream_t stream_ = nullptr;
};

// Scratch memory.
using device_buffer = device_array<std::byte>;

// One value on the device: a count, for example, that one call writes and another one reads.
template <class T>
class device_value {
 public:
  /// One value, allocated in the order of `stream`.
  explicit device_value(stream_t stream) : memory_(1, stream) {}
  T* address() const { return memory_.data(); }
  // Waits for all work on the stream, and reads.
  T read(stream_t stream) const {
    T value;
    simt::copy_bytes(stream, &value, address(), sizeof(T));
    simt::synchronize(stream);  // layers-allow: synchronises, the caller asked for the value
    return value;
  }
  // In stream order. Waits, so that `value` may go out of scope.
  void write(stream_t stream, T value) {
    simt::copy_bytes(stream, address(), &value, sizeof(T));
    simt::synchronize(stream);  // layers-allow: synchronises, the caller asked for the value
  }
  // As device_array::release. Afterwards there is no value.
  void release() { memory_.release(); }

 private:
  device_array<T> memory_;
};

namespace detail {

// The scratch of one call, aligned to 256 bytes: a part of the exec's scratch, or, for an
// allocating exec, memory of the stream-ordered allocator. Such memory is freed in stream order
// after the call has launched everything, without throwing.
class scratch_lease {
 public:
  // `bytes` are needed at an aligned address. The scratch must not overlap the call's other
  // arguments.
  scratch_lease(const exec& where, std::size_t bytes, const char* function,
                std::initializer_list<argument> others = {}) {
    if (where.allocates()) {
      if (bytes != 0) own_ = device_buffer(bytes, where.stream());
      base_ = own_.data();
      return;
    }
    if (bytes == 0) return;
    const auto address = reinterpret_cast<std::uintptr_t>(where.scratch().data());
    const std::size_t skipped = (scratch_alignment - address % scratch_alignment) % scratch_alignment;
    if (where.scratch().size() < bytes + skipped || address == 0)
      fail_for_size(function, where.scratch().size(), bytes + skipped, skipped == 0 ? "" : " at its address");
    const argument scratch{"scratch", where.scratch().data(), where.scratch().size()};
    require_apart(function, {scratch}, others);
    base_ = where.scratch().data() + skipped;
  }
  std::byte* base() const { return base_; }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] static void fail_for_size(const char* function, std::size_t has,
                                                                   std::size_t needed, const char* where) {
    fail(function, joined({"the scratch has ", decimal(has), " bytes, ", decimal(needed), " are needed", where}));
  }

  device_buffer own_;
  std::byte* base_ = nullptr;
};

}  // namespace detail
}  // namespace ballot
