// SPDX-License-Identifier: Apache-2.0
// Prefix sums of every row of a matrix: forward, backward, or forward and then backward over the
// rounded result.
//
//     const ballot::batch traces{.rows = 10'000, .length = 10'000};
//     using ballot::scan_directions;
//     ballot::batched_scan(gpu, samples, sums, traces, scan_directions::forward_then_backward);
//     ballot::batched_scan<ballot::double_float>(gpu, samples, samples, traces,
//                                                scan_directions::backward);
//
// For each row x of `length` items (inclusive sums):
//     forward                 y[i] = x[0] + ... + x[i]
//     backward                y[i] = x[i] + ... + x[length - 1]
//     forward_then_backward   backward of (forward of x, rounded to the item type): as two calls
//
// in, out      contiguous device ranges of the same item type: an integer type (sums wrap), float
//              or double. Row r begins at item r * pitch (r * out_pitch) of its range, which may be
//              longer than its rows. Items between length and pitch are neither read nor written.
//              No views: rows are moved in vectors (blockwise_scan.cuh takes views)
// aliasing     in and out may be the same range with the same pitch (in place). Else their rows,
//              from the first item to the last, may not overlap.
// Accumulator  same_as_items; for float also double, or double_float (core/double_float.hpp, with
//              its error bound). The sum of a row is kept in this type, and is rounded where an
//              item is written. Example: forward sums of 3 rows of 10,000 floats in [0, 1)
//              (tests/algorithms/batched_scan_accuracy.cu prints them). With float they are at most
//              3.8 ulps off, with a relative error of 5.0e-8 root mean square; with double_float
//              and double 0.5 ulps and 2.6e-8.
//
// Deterministic: the length and the item size determine the order of the additions
// (detail/batched_scan/shape.hpp). So the bits are the same on every run and every GPU, for every
// number of rows and every alignment.
//
// Work on the stream: one kernel if a row fits the shared memory of a block. It reads and writes
// each item once, in one direction or both. A row fits if it has up to 60 KiB; on sm_90, up to 226
// KiB. Longer rows are spread over any number of blocks. They take three kernels for one direction
// (items are read twice and written once), and five for both (items are read three times and
// written twice). Nothing is launched for rows = 0 or length = 0. The call is fastest if rows begin
// at multiples of 16 bytes.
//
// Scratch: batched_scan_scratch_bytes: none for rows of up to 60 KiB, else a sum per 36 KiB of a
// row.
//
// Errors, before any work: invalid_argument for a pitch smaller than the length, rows times pitch
// beyond the address space, or more rows than one grid covers. Also for a range that is too short
// or null, for partial overlap, and for scratch that is too small or overlaps an argument.
// cuda_error from a launch.
//
// Use: the forward and backward sums of seismic traces before an anti-alias filter.
//
// Source: Blelloch, Prefix Sums and Their Applications, 1990, for the three phases of long rows.
#pragma once

#include <ballot/core/double_float.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/batched_scan/launch.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot {

// The rows of a matrix. The pitch is the number of items from the start of a row to the start of
// the next one. By default rows are packed, and the output has the pitch of the input.
struct batch {
  std::uint64_t rows;
  std::uint64_t length;
  std::uint64_t pitch = length;
  std::uint64_t out_pitch = pitch;
};

/// In which direction the sums of a row are taken.
enum class scan_directions { forward, backward, forward_then_backward };

// Bytes of scratch of batched_scan<Accumulator> for rows of T, in any direction. Pure.
template <class T, class Accumulator = same_as_items>
std::size_t batched_scan_scratch_bytes(std::uint64_t rows, std::uint64_t length) {
  return detail::bytes_at_any_address(
      detail::batched_scan_bytes<T, detail::accumulator_t<T, Accumulator>>(rows, length));
}

namespace detail {

// Integers, float and double.
template <class T>
concept row_item = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;
template <class R>
concept rows_range = device_range<R> && row_item<item_t<R>>;

// Checks that rows may have items of the type that R has.
template <class R>
struct rows_check {
  static constexpr bool ok = rows_range<R>;
  static constexpr bool is_counted_input = is_counted<std::remove_cvref_t<R>>;
  static consteval void explain() {
    if constexpr (!input_check<R>::ok) input_check<R>::explain();
    else {
      static_assert(!is_counted_input, "ballot: rows are not counted. Pass the whole range, and its rows as a batch.");
      static_assert(ok || is_counted_input, "ballot: rows are of integers, float or double.");
    }
  }
};

}  // namespace detail

template <class Accumulator = same_as_items, detail::rows_range In, output_range Out>
  requires std::is_same_v<detail::item_t<Out>, detail::item_t<In>>
void batched_scan(const exec& where, const In& in, Out&& out, const batch& rows, scan_directions directions) {
  using T = detail::item_t<In>;
  const detail::output<T> target = detail::as_output(out);
  detail::launch_batched_scan<detail::accumulator_t<T, Accumulator>>(
      where, detail::as_input(in), {rows.rows, rows.length, rows.pitch}, target,
      {rows.rows, rows.length, rows.out_pitch}, directions != scan_directions::backward,
      directions != scan_directions::forward, "batched_scan");
}
template <class Accumulator = same_as_items, class In, class Out>
void batched_scan(const exec&, const In&, Out&&, const batch&, scan_directions) {
  detail::explain<detail::rows_check<In>, detail::output_check<Out>, detail::same_items_check<Out, In>>();
}

}  // namespace ballot
