// SPDX-License-Identifier: Apache-2.0
// A chain of calls, planned once for the largest n: finds the pairs that touch, sorts them by their
// island, and finds where each island begins.
//
// Before: buffers that grew when a count read from the device demanded it, and a wait before each
// launch whose size depends on a count.
//
// Every length between the calls is a device address. Launches are sized for the capacity; blocks
// without items exit at once. Items that do not fit an output are dropped, but the count includes
// them. So a host that reads the count from time to time notices in time.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/compact.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/sort.cuh>
#include <ballot/unique.cuh>

#include <algorithm>
#include <cstdint>
#include <span>

namespace examples {

struct is_touching {
  __device__ bool operator()(float depth) const { return depth > 0.0f; }
};

class contact_step {
 public:
  // All allocations of the program.
  contact_step(std::uint64_t capacity, int island_bits, ballot::stream_t stream)
      : island_bits_(island_bits),
        islands_(capacity, stream),
        ids_(capacity, stream),
        sorted_islands_(capacity, stream),
        sorted_ids_(capacity, stream),
        active_(capacity, stream),
        begins_(capacity + 1, stream),
        touching_(stream),
        active_count_(stream),
        scratch_(scratch_bytes(capacity), stream),
        gpu_(stream, scratch_) {}

  // Launches only. `candidates`: the device address of the number of items in depth and island, at
  // most the capacity.
  void enqueue(std::span<const float> depth, std::span<const std::uint32_t> island, const std::uint64_t* candidates) {
    ballot::compact(gpu_, ballot::zip{ballot::counted{depth, candidates}, island, ballot::positions(depth.size())},
                    ballot::on_first{is_touching{}}, ballot::zip{depths(), islands_, ids_}, touching_);
    ballot::sort_pairs(gpu_, ballot::counted{islands_, touching_}, ids_, sorted_islands_, sorted_ids_,
                       {.bits = {0, island_bits_}});
    ballot::run_offsets(gpu_, ballot::counted{sorted_islands_, touching_}, active_, begins_, active_count_);
  }

  // Island active()[i] has the contacts sorted()[begins()[i]] to sorted()[begins()[i + 1]]; i below
  // *active_count().
  const ballot::device_array<std::uint32_t>& sorted() const { return sorted_ids_; }
  const ballot::device_array<std::uint32_t>& active() const { return active_; }
  const ballot::device_array<std::uint32_t>& begins() const { return begins_; }
  const ballot::device_value<std::uint64_t>& touching() const { return touching_; }
  const ballot::device_value<std::uint64_t>& active_count() const { return active_count_; }

 private:
  static std::size_t scratch_bytes(std::uint64_t n) {
    using u32 = std::uint32_t;
    return std::max({ballot::compact_scratch_bytes<float, u32, u32>(n), ballot::sort_pairs_scratch_bytes<u32, u32>(n),
                     ballot::run_offsets_scratch_bytes<u32, u32>(n)});
  }
  // The depths of the other contacts are not needed: an output may be shorter than the selected
  // items.
  static std::span<float> depths() { return {}; }

  int island_bits_;
  ballot::device_array<std::uint32_t> islands_, ids_, sorted_islands_, sorted_ids_, active_, begins_;
  ballot::device_value<std::uint64_t> touching_, active_count_;
  ballot::device_buffer scratch_;
  ballot::exec gpu_;
};

}  // namespace examples
