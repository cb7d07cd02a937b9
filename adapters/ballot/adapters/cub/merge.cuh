// SPDX-License-Identifier: Apache-2.0
// cub::DeviceMerge over ballot's merges.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/merge.cuh>

#include <cub/device/device_merge.cuh>

namespace ballot::adapters::calls {

struct DeviceMerge {
 private:
  template <class A, class B, class Out>
  static constexpr bool moves = std::same_as<std::remove_const_t<A>, Out> &&
                                std::same_as<std::remove_const_t<B>, Out> && detail::plain<Out> && sizeof(Out) <= 128;

 public:
  template <class A, class B, class Out, class Less = ::cuda::std::less<>>
    requires(moves<A, B, Out> && std::is_class_v<Less> && relation_of<Less, Out>)
  static cudaError_t MergeKeys(void* temporary, std::size_t& bytes, A* first, std::int64_t first_items, B* second,
                               std::int64_t second_items, Out* out, Less less = {}, cudaStream_t stream = nullptr) {
    const std::uint64_t a = detail::items_of(first_items), b = detail::items_of(second_items);
    return detail::two_phases(
        temporary, bytes, [&] { return merge_scratch_bytes<Out>(a + b); }, stream,
        [&](const exec& where) {
          merge(where, std::span(first, a), std::span(second, b), less, std::span(out, a + b));
        });
  }
  template <class A, class VA, class B, class VB, class Out, class ValuesOut, class Less = ::cuda::std::less<>>
    requires(moves<A, B, Out> && moves<VA, VB, ValuesOut> && detail::plain_values<ValuesOut> && std::is_class_v<Less> &&
             relation_of<Less, Out>)
  static cudaError_t MergePairs(void* temporary, std::size_t& bytes, A* first, VA* first_values,
                                std::int64_t first_items, B* second, VB* second_values, std::int64_t second_items,
                                Out* out, ValuesOut* values_out, Less less = {}, cudaStream_t stream = nullptr) {
    const std::uint64_t a = detail::items_of(first_items), b = detail::items_of(second_items);
    return detail::two_phases(
        temporary, bytes, [&] { return merge_scratch_bytes<Out>(a + b); }, stream,
        [&](const exec& where) {
          merge_pairs(where, std::span(first, a), std::span(first_values, a), std::span(second, b),
                      std::span(second_values, b), less, std::span(out, a + b), std::span(values_out, a + b));
        });
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceMerge, by ballot where it can: arrays, by any comparison.
struct DeviceMerge : ::cub::DeviceMerge {
  BALLOT_ADAPTERS_CALL(DeviceMerge, MergeKeys)
  BALLOT_ADAPTERS_CALL(DeviceMerge, MergePairs)
};

}  // namespace ballot::adapters::cub
