// SPDX-License-Identifier: Apache-2.0
// What the kernel that counts keys by leading bits is told, and its shared memory
// (leading_bits_histogram_kernel.cuh).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/device/grids.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// Chunks: vectors a thread. Width: items a vector. Blocks: how many at most (device/grids.cuh).
// Samples: sampled keys a thread, of many keys.
template <int Threads, int Chunks, int Width, class Blocks, int Samples>
struct leading_bits_histogram_shape : block::tile_shape<Threads, Chunks, Width> {
  using blocks = Blocks;
  static constexpr int samples = Samples;
  // A sample of few keys is smaller: it takes 0.7 us for each key of a thread (H200), and less is
  // lost if it misleads.
  static constexpr std::uint64_t many_items = std::uint64_t{1} << 24;
  BALLOT_HOST_DEVICE static constexpr int samples_of(std::uint64_t n) {
    return n >= many_items || Samples == 1 ? Samples : Samples / 2;
  }
  static constexpr unsigned all_samples_of(std::uint64_t n) { return static_cast<unsigned>(Threads * samples_of(n)); }
  static_assert(Threads >= radix_digits, "one thread a digit");
};

template <class U>
struct leading_bits_histogram_arguments {
  const U* keys;
  length n;  // less than 2^32
  key_codec<U> codec;
  leading_bits leading;            // of two passes
  std::uint32_t max_bucket_items;  // the most keys that the local sort takes
  radix_step_rule rule;
  int max_common_bits;   // in front of the leading ones, at most
  int passes;            // of the sort by all digits
  bool may_be_unstable;  // the first pass need not be stable (leading_bits_plan)
  bool vector_aligned;
  // Zero at launch:
  std::uint32_t* bucket_offsets;   // [bucket], and one more; written if approved
  std::uint32_t* finished_blocks;  // blocks
  std::uint32_t* findings;         // leading_bits_finding
  std::uint32_t* approved;         // becomes 1
  // Written if approved:
  std::uint64_t* digit_offsets;  // [pass][digit], those of the last two passes
  launch_action* actions;        // [launch]
  launch_action* local_sort;
};

struct leading_bits_finding {
  enum bit : std::uint32_t { unordered = 1, overflow = 2 };
};

template <class Shape>
struct leading_bits_histogram_storage {
  std::uint32_t digit[2][radix_digits];  // counts of the sample, and then of the lower digit
  std::uint32_t differing_bits[2];       // of the sample, lower and upper: in which a key differs from the first one
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  bool last_block;
  // After it: std::uint32_t count[buckets / 2].

  static std::size_t bytes(leading_bits leading) {
    return sizeof(leading_bits_histogram_storage) + (std::size_t{2} << leading.count);
  }
  __device__ __forceinline__ std::uint32_t* counts() { return reinterpret_cast<std::uint32_t*>(this + 1); }
};

// Where the leading bits are: after the bits that all keys of the sample share. `base` has the
// shared bits.
template <class U>
struct found_leading_bits {
  bool spread;
  int common, shift;
  U base;
};

}  // namespace ballot::detail
