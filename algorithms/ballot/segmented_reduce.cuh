// SPDX-License-Identifier: Apache-2.0
// Adds a constant to every item, and counts the sums that are not zero.
//
//     ballot::segmented_reduce(gpu, offsets, 7u, moved, used);
//
// in:     contiguous device range (or `counted`) of integers; sums wrap
// addend: a number on the host, converted to the type of the items
// out:    device range of the same type, as long as the input. It must not overlap any other argument. Behind the
//         length of a counted input it is not written
// count:  device address (or device_value) of one u32, i32, u64 or i64: the number of sums that are not zero, also written for
//         n = 0. It must not overlap any other argument, including a device-side length
//
// Deterministic. Scratch: segmented_reduce_scratch_bytes<T>(n), 8 bytes a tile. Work on the stream: two kernels, for n = 0 only
// the second one. Bytes moved: each item read and written once. Errors, before any work: invalid_argument for null with
// n > 0, an output of another length, no count or one of too small a type, overlap (also of the scratch), scratch that
// is too small; cuda_error from a launch.
// Source: the first call of every introduction to CUDA.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/segmented_reduce/launch.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ballot {

// Bytes of scratch that segmented_reduce needs for n items of type T. Pure.
template <std::integral T>
std::size_t segmented_reduce_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::segmented_reduce_scratch<T>::bytes(n));
}

template <input_range In, std::convertible_to<detail::item_t<In>> Addend, output_range Out>
  requires std::integral<detail::item_t<In>> && std::same_as<detail::item_t<In>, detail::item_t<Out>>
void segmented_reduce(const exec& where, const In& in, const Addend& addend, Out&& out, device_count count) {
  using T = detail::item_t<In>;
  constexpr const char* function = "segmented_reduce";
  const auto from = detail::as_input(in);
  const auto to = detail::as_output(out);
  const auto input = detail::argument_of("in", from), length = detail::argument_of("in's length", from.length);
  const auto output = detail::argument_of("out", to), total = detail::argument_of("count", count);
  detail::require_not_null(function, {input, output});
  detail::require_same_length(function, "in", from.capacity(), "out", to.size);
  detail::require_count(function, "count", count, from.capacity());
  detail::require_apart(function, {output, total}, {input, length});
  const std::uint32_t tiles = detail::tile_count(from.capacity(), detail::segmented_reduce_shape<T>::items, function);
  const detail::scratch_lease lease(where, detail::segmented_reduce_scratch<T>::bytes(from.capacity()), function,
                                    {input, length, output, total});
  detail::launch_segmented_reduce(where.stream(), lease.base(), tiles, from, static_cast<T>(addend), to.data, count);
}
// Why a call does not compile (core/explain.hpp).
template <class In, class Addend, class Out>
void segmented_reduce(const exec&, const In&, const Addend&, Out&&, device_count) {
  detail::explain<detail::input_check<In>, detail::output_check<Out>, detail::same_items_check<Out, In>>();
}

}  // namespace ballot
