// SPDX-License-Identifier: Apache-2.0
// The extent of a warp's scan (which lanes have items) and its direction. The scans of a warp
// differ only in these two.
//
//     lane       0 1 2 3 4 5 6 7 ...         forward: a lane adds the lanes below it
//     items      a b c d e . . .             backward: a lane adds the lanes above it
//     first_items{5}: lanes 0..4 hold items  either way the operands stay in the order of the items
//
// A lane's `reach` is the number of lanes that precede it in the scan's direction and belong to its
// sum. These are all lanes that hold items, or only those of its segment. The reach is 0 for lanes
// without an item, so the operator is never applied to their values. Results of the operator are
// converted to the items' type (function_objects.cuh).
//
// all_items is a compile-time constant and costs nothing. first_items costs a comparison, and
// backward a select, because a lane outside the mask must not be read.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

namespace ballot::warp {

// All 32 lanes call, and each holds all of its items.
struct all_items {
  static constexpr bool partial = false;
  static constexpr unsigned mask = simt::full_mask;

  template <int Items>
  static __device__ __forceinline__ constexpr unsigned lanes() {
    return simt::warp_size;
  }
  template <int Items>
  static __device__ __forceinline__ constexpr unsigned of_lane() {
    return Items;
  }
};

// Only the first `count` items of the warp are valid, at least one. Lane 0 holds the first, and
// only the last lane with items may hold fewer than the others. `mask` has the lanes that call: the
// lowest ones, among them all with items. Lanes without an item pass any value. Their results are
// unspecified, but totals are valid in every lane.
struct first_items {
  static constexpr bool partial = true;
  unsigned count;
  unsigned mask = simt::full_mask;

  // How many lanes hold items, where a lane may hold up to `Items`.
  template <int Items>
  __device__ __forceinline__ unsigned lanes() const {
    return (count + Items - 1) / Items;
  }
  // How many of them this lane holds.
  template <int Items>
  __device__ __forceinline__ unsigned of_lane() const {
    const unsigned before = simt::lane_id() * Items;
    return count <= before ? 0 : count - before < Items ? count - before : Items;
  }
};

// From the first item to the last.
struct forward {
  // The k-th of n in scan order.
  static __device__ __forceinline__ constexpr int nth(int k, int) { return k; }
  static __device__ __forceinline__ constexpr unsigned previous(unsigned a) { return a - 1; }
  static __device__ __forceinline__ constexpr bool precedes(unsigned a, unsigned b) { return a < b; }

  /// Joins what precedes with the item.
  template <class T, class Op>
  static __device__ __forceinline__ T combine(Op op, const T& before, const T& item) {
    return ballot::detail::combine(op, before, item);
  }
  /// How many lanes a lane can look at.
  template <class Extent>
  static __device__ __forceinline__ unsigned reach(unsigned lanes, Extent) {
    const unsigned lane = simt::lane_id();
    return !Extent::partial || lane < lanes ? lane : 0;
  }
  // The value of the lane that precedes this one by `distance`; only for lanes whose reach is at
  // least that.
  template <class T, class Extent>
  static __device__ __forceinline__ T from(const T& value, unsigned distance, unsigned, Extent extent) {
    return simt::shuffle_up(value, distance, extent.mask);
  }
};

// From the last item to the first.
struct backward {
  /// The index of the k-th of n in this direction.
  static __device__ __forceinline__ constexpr int nth(int k, int n) { return n - 1 - k; }
  /// The neighbour that precedes.
  static __device__ __forceinline__ constexpr unsigned previous(unsigned a) { return a + 1; }
  /// Whether a precedes b.
  static __device__ __forceinline__ constexpr bool precedes(unsigned a, unsigned b) { return a > b; }

  /// Joins the item with what precedes it in this direction, in the order of the items.
  template <class T, class Op>
  static __device__ __forceinline__ T combine(Op op, const T& before, const T& item) {
    return ballot::detail::combine(op, item, before);
  }
  /// How many lanes a lane can look at.
  template <class Extent>
  static __device__ __forceinline__ unsigned reach(unsigned lanes, Extent) {
    const unsigned lane = simt::lane_id();
    return !Extent::partial || lane < lanes ? lanes - 1u - lane : 0;
  }
  /// The value of the lane `distance` before this one in this direction.
  template <class T, class Extent>
  static __device__ __forceinline__ T from(const T& value, unsigned distance, unsigned reach, Extent extent) {
    if constexpr (!Extent::partial) return simt::shuffle_down(value, distance);
    else return simt::shuffle(value, simt::lane_id() + (reach >= distance ? distance : 0u), extent.mask);
  }
};

// The first and the last of 0 to n - 1 in scan order. The last one has the total.
template <class Direction>
__device__ __forceinline__ unsigned first_of(unsigned n) {
  return static_cast<unsigned>(Direction::nth(0, static_cast<int>(n)));
}
template <class Direction>
__device__ __forceinline__ unsigned last_of(unsigned n) {
  return static_cast<unsigned>(Direction::nth(static_cast<int>(n) - 1, static_cast<int>(n)));
}

}  // namespace ballot::warp
