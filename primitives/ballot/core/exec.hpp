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

// A stream and scratch memory on its device: owns nothing, copies freely. One scratch serves one stream at a time; it
// may be dirty, and calls on the same stream can share it, one after the other. Its address must be a multiple of 256,
// which every allocation of the CUDA runtime is.
class exec {
 public:
  exec(stream_t stream, std::span<std::byte> scratch) : stream_(stream), scratch_(scratch) {}

  // Any contiguous range of writable bytes on the device, a device_buffer for example.
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

// An exec without scratch of its own: each call takes what it needs from the stream-ordered allocator and gives it back
// in stream order. Convenient, and one allocation a call slower. Under capture the graph owns that memory.
inline exec allocating(stream_t stream) { return exec(stream); }

}  // namespace BALLOT_VERSION_NAMESPACE

namespace ballot {
using BALLOT_VERSION_NAMESPACE::allocating;
using BALLOT_VERSION_NAMESPACE::exec;
}  // namespace ballot
