// SPDX-License-Identifier: Apache-2.0
// cub::DevicePartition over ballot's split_to_both_ends, which writes the rejected items in reverse
// as CUB does: If into two groups, and Flagged (flags: flags.cuh). Three groups are CUB's.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/adapters/cub/flags.cuh>
#include <ballot/adapters/cub/input.cuh>
#include <ballot/outputs.cuh>
#include <ballot/split.cuh>

#include <cub/device/device_partition.cuh>

namespace ballot::adapters::calls {

struct DevicePartition {
 private:
  template <class In, class Out>
  static constexpr bool copies = std::same_as<detail::item_of<In>, Out> && detail::plain<Out> && sizeof(Out) <= 128;

  template <class In, class Out, class Count, class Select>
  static cudaError_t by(void* temporary, std::size_t& bytes, const In& in, Out* out, Count* count, std::uint64_t n,
                        const Select& select, cudaStream_t stream) {
    return detail::two_phases(
        temporary, bytes, [&] { return split_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          split_to_both_ends(where, detail::input_of(in, n), select, std::span(out, n), count);
        });
  }

 public:
  template <class In, class Out, detail::count_integer Count, std::integral N, class Select>
    requires(copies<In, Out> && predicate_of<Select, Out>)
  static cudaError_t If(void* temporary, std::size_t& bytes, In in, Out* out, Count* count, N items, Select select,
                        cudaStream_t stream = nullptr) {
    return by(temporary, bytes, in, out, count, detail::items_of(items), select, stream);
  }
  template <class In, class Flags, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && detail::are_bytes<Flags>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, In in, Flags flags, Out* out, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return by(temporary, bytes, in, out, count, n, detail::flags_of_bytes(flags, n), stream);
  }
  template <class In, class Flags, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && detail::are_numbers<Flags>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, In in, Flags flags, Out* out, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    using flag = detail::item_of<Flags>;
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return split_scratch_bytes<flag, Out>(n); }, stream,
        [&](const exec& where) {
          split_to_both_ends(where, zip{detail::input_of(flags, n), detail::input_of(in, n)},
                             on_first{detail::is_not_zero{}}, zip{discarded<flag>(n), std::span(out, n)}, count);
        });
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DevicePartition, by ballot where it can: into two groups, the rejected items in reverse.
struct DevicePartition : ::cub::DevicePartition {
  BALLOT_ADAPTERS_CALL(DevicePartition, If)
  BALLOT_ADAPTERS_CALL(DevicePartition, Flagged)
};

}  // namespace ballot::adapters::cub
