// SPDX-License-Identifier: Apache-2.0
// A list of segments that are too long for a block to sort beside others, but that have room in a
// block of their own (block_segment_kernel.cuh). The block in whose tile such a segment begins puts
// it on the list. The order of the list is arbitrary, but the result does not depend on it.
//
// There are two classes of lengths. Their blocks have different numbers of threads. So they are two
// lists, which grow towards each other:
//
//     segments    short 0, short 1, short 2, ... long 1, long 0
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

struct listed_segment {
  std::uint64_t begin, end;
};

struct listed_segments {
  static constexpr unsigned classes = 2;
  std::uint64_t longest[classes] = {};  // of each class; 0: no segment is listed
  std::uint64_t capacity = 0;
  // Zero at launch:
  std::uint32_t* counts = nullptr;  // of each class
  std::uint32_t* taken = nullptr;   // of each class, after those that blocks begin with
  std::uint32_t* is_complete = nullptr;
  std::uint32_t* disordered = nullptr;  // not 0: offsets do not ascend
  // Written:
  listed_segment* segments = nullptr;

  static constexpr std::size_t zeroed_words = 2 * classes + 2;
  void zeroed_at(std::uint32_t* words) {
    counts = words, taken = words + classes, is_complete = taken + classes, disordered = is_complete + 1;
  }

  BALLOT_HOST_DEVICE bool has(std::uint64_t length) const { return length <= longest[classes - 1]; }

  // One thread.
  __device__ __forceinline__ void add(const listed_segment& segment) const {
    const unsigned of = segment.end - segment.begin <= longest[0] ? 0 : 1;
    // Relaxed: later launches read it.
    const std::uint32_t at = simt::atomic_add(counts + of, 1u);
    // Offsets that do not ascend may list more than there is room for. Then nothing is sorted.
    if (at < capacity) segments[place_of(of, at)] = segment;
  }
  // After a launch that added.
  __device__ __forceinline__ std::uint64_t count(unsigned of) const {
    return counts[of] < capacity ? counts[of] : capacity;
  }
  __device__ __forceinline__ listed_segment segment(unsigned of, std::uint64_t at) const {
    return segments[place_of(of, at)];
  }

 private:
  __device__ __forceinline__ std::uint64_t place_of(unsigned of, std::uint64_t at) const {
    return of == 0 ? at : capacity - 1 - at;
  }
};

}  // namespace ballot::detail
