// SPDX-License-Identifier: Apache-2.0
// Scratch of several streams: one buffer for each stream, as large as the largest call on any of
// them needs.
//
// Before: a cache of some two hundred lines that kept temporaries by stream, grew them, and waited
// before freeing.
//
// Scratch may be dirty, so calls on one stream share it one after the other. All sizes are known
// when the program is set up.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/core/exec.hpp>
#include <ballot/device/memory.cuh>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace examples {

class scratch_of_streams {
 public:
  // `bytes`: the maximum of the *_scratch_bytes of the calls to be made.
  scratch_of_streams(std::span<const ballot::stream_t> streams, std::size_t bytes) {
    for (const ballot::stream_t stream : streams) buffers_.emplace_back(ballot::device_buffer(bytes, stream), stream);
  }

  // The exec for calls on the stream with that index.
  ballot::exec on(std::size_t stream) const { return {buffers_[stream].second, buffers_[stream].first}; }

 private:
  std::vector<std::pair<ballot::device_buffer, ballot::stream_t>> buffers_;
};

}  // namespace examples
