// SPDX-License-Identifier: Apache-2.0
// The shape, the arguments and the shared memory of the histogram of a radix sort
// (histogram_kernel.cuh).
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/determined_digits.cuh>
#include <ballot/detail/radix_sort/leading_digits.cuh>
#include <ballot/detail/radix_sort/majority_counts.hpp>
#include <ballot/detail/radix_sort/pass_arguments.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Columns: how many copies of the counts shared memory has, a power of two up to 32. Blocks: the
// most blocks (device/grids.cuh). Each block adds its counts to the device's once. So more blocks
// than are resident would only cost more additions.
template <int Threads, int Chunks, int Width, int Columns, class Blocks>
struct radix_histogram_shape : block::tile_shape<Threads, Chunks, Width> {
  static constexpr int columns = Columns;
  using blocks = Blocks;
  static_assert(Columns >= 1 && Columns <= 32 && (Columns & (Columns - 1)) == 0);
  static_assert(Threads >= radix_digits, "one thread a digit");
};

template <class U>
struct radix_histogram_arguments {
  const U* keys;
  length n;
  key_codec<U> codec;
  radix_digit_plan digits;
  radix_step_rule rule;
  bool may_be_unstable;  // the first pass need not be stable (all_digits_plan)
  bool vector_aligned;
  // Zero at launch:
  std::uint64_t* digit_offsets;    // [pass][digit]: gets the number of keys with a smaller digit
  std::uint32_t* finished_blocks;  // blocks
  std::uint32_t* findings;         // radix_histogram_finding
  launch_action* actions;          // [launch], written
  // Not 0: the keys are sorted by leading bits in two passes, and nothing is left to decide. May be
  // null.
  const std::uint32_t* approved = nullptr;
  // For a sort that takes the last digit as its leading bits: the most keys of a bucket that the
  // local sort takes; the offsets of the buckets, which the kernel writes; and the action of the
  // local sort. The action is zero at launch.
  std::uint32_t max_bucket_items = 0;
  std::uint32_t* bucket_offsets = nullptr;  // [digit], and the number of keys; null: no such sort
  launch_action* local_sort = nullptr;
  // For a sort by leading digits: its limits; the number of digits that a sample asks for; the
  // actions of the local sort and of the rounds. These are zero at launch.
  leading_digits_limits leading_limits = {};
  std::uint32_t* leading_digits = nullptr;
  launch_action* tile_sort = nullptr;
  launch_action* rounds = nullptr;
  // For digits that others determine: the merged table of determined_digits. It is zero at launch
  // and afterwards. Null: the histogram does not look for such digits.
  U* merged_keys = nullptr;
  // For a sort of items with nearly always the same key (majority_sort.cuh): the most keys with
  // another digit, in each pass; what gets the key; the action of the local sort. Both are zero at
  // launch. Null: no such sort.
  std::uint32_t most_others = 0;
  majority_counts* majority = nullptr;
  launch_action* majority_sort = nullptr;
  bool overlaps = false;      // the launch before, which is a kernel
  bool may_be_empty = false;  // often there are no keys; there is no sort but by all digits
};

// What the plan of a sort needs to know of the digits of a pass.
struct counted_digits {
  std::uint32_t frequent;  // the digit that most keys have, if these are more than a quarter of all; or radix_digits
  std::uint32_t used;      // how many digits occur
  std::uint32_t largest;   // how many keys the most frequent digit has; 2^32 - 1 for more
};

template <class U, class Shape>
struct radix_histogram_storage {
  static constexpr int max_passes = static_cast<int>(sizeof(U));
  using sample = leading_digits_sample<Shape::threads, 4, requires { Shape::is_for_few_keys; } ? 8192 : 32768>;
  static constexpr bool has_sample = radix_passes_in_rounds<U>;
  union {
    std::uint32_t count[max_passes][radix_digits][Shape::columns];
    std::conditional_t<has_sample, typename sample::storage, std::uint32_t> sampled;
  };
  counted_digits counted[max_passes];  // [pass]
  std::conditional_t<finds_determined_digits<U, Shape>, typename determined_digits<U>::storage, std::uint32_t>
      determined;
  bool last_block;
};

}  // namespace ballot::detail
