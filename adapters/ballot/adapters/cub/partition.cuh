// SPDX-License-Identifier: Apache-2.0
// cub::DevicePartition over ballot's split_to_both_ends, which writes the rejected items in reverse
// as CUB does: If into two groups, and Flagged. Three groups are CUB's.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/split.cuh>

#include <cub/device/device_partition.cuh>

namespace ballot::adapters::calls {

struct DevicePartition {
 private:
  template <class In, class Out>
  static constexpr bool copies = std::same_as<std::remove_const_t<In>, Out> && detail::plain<Out> && sizeof(Out) <= 128;
  template <class Flag>
  static constexpr bool is_flag = sizeof(Flag) == 1 && std::integral<Flag>;

  template <class T, class Count, class Select>
  static cudaError_t by(void* temporary, std::size_t& bytes, const T* in, T* out, Count* count, std::uint64_t n,
                        const Select& select, cudaStream_t stream) {
    return detail::two_phases(
        temporary, bytes, [&] { return split_scratch_bytes<T>(n); }, stream,
        [&](const exec& where) { split_to_both_ends(where, std::span(in, n), select, std::span(out, n), count); });
  }

 public:
  template <class In, class Out, detail::count_integer Count, std::integral N, predicate_of<Out> Select>
    requires copies<In, Out>
  static cudaError_t If(void* temporary, std::size_t& bytes, In* in, Out* out, Count* count, N items, Select select,
                        cudaStream_t stream = nullptr) {
    return by<Out>(temporary, bytes, in, out, count, detail::items_of(items), select, stream);
  }
  template <class In, class Flag, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && is_flag<Flag>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, In* in, Flag* flags, Out* out, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return by<Out>(temporary, bytes, in, out, count, n,
                   byte_flags{std::span(reinterpret_cast<const std::uint8_t*>(flags), n)}, stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DevicePartition, by ballot where it can: arrays into two groups, the rejected items in
/// reverse.
struct DevicePartition : ::cub::DevicePartition {
  BALLOT_ADAPTERS_CALL(DevicePartition, If)
  BALLOT_ADAPTERS_CALL(DevicePartition, Flagged)
};

}  // namespace ballot::adapters::cub
