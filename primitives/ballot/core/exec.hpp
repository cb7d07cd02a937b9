// SPDX-License-Identifier: Apache-2.0
// Where a call runs and what memory it may use.
#pragma once

#include <ballot/core/error.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/stream.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

// The same in CUDA sources and host sources (namespace.hpp).
namespace BALLOT_VERSION_NAMESPACE {

/// A stream and scratch memory on its device. It owns nothing and is cheap to copy.
///
/// One scratch serves one stream at a time. Calls on the same stream may share it, one after the
/// other. Its bytes may have any value before a call and are unspecified after it. Its address may
/// have any alignment: sizes from `*_scratch_bytes` leave room to align it.
class exec {
 public:
  /// Work on `stream`, with this scratch.
  exec(stream_t stream, std::span<std::byte> scratch) : stream_(stream), scratch_(scratch) {}
  /// `bytes` bytes of device memory at `scratch`.
  exec(stream_t stream, void* scratch, std::size_t bytes)
      : exec(stream, std::span<std::byte>(static_cast<std::byte*>(scratch), bytes)) {}

  /// Any contiguous range of writable bytes on the device, a device_buffer for example.
  template <class R>
    requires std::convertible_to<decltype(std::span(std::declval<R&>())), std::span<std::byte>>
  exec(stream_t stream, R& scratch) : exec(stream, std::span<std::byte>(scratch)) {}

  stream_t stream() const { return stream_; }
  std::span<std::byte> scratch() const { return scratch_; }
  bool allocates() const { return allocates_; }

 private:
  friend exec allocating(stream_t);
  explicit exec(stream_t stream) : stream_(stream), allocates_(true) {}

  stream_t stream_;
  std::span<std::byte> scratch_;
  bool allocates_ = false;
};

/// An exec without scratch. Each call allocates its scratch with the stream-ordered allocator and
/// frees it in stream order. This is convenient, but costs one allocation per call. If the call is
/// captured, the graph owns that memory.
inline exec allocating(stream_t stream) { return exec(stream); }

}  // namespace BALLOT_VERSION_NAMESPACE

namespace ballot {
using BALLOT_VERSION_NAMESPACE::allocating;
using BALLOT_VERSION_NAMESPACE::exec;
}  // namespace ballot
