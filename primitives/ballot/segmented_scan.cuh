// SPDX-License-Identifier: Apache-2.0
// Prefix sums of the segments of a device array in a single pass: each segment is scanned
// separately.
//
//     ballot::segmented_inclusive_scan(gpu, prices, ballot::byte_flags{is_new_day},
//                                      ballot::maximum{}, high_so_far);
//     ballot::segmented_exclusive_scan(gpu, sizes, ballot::bit_flags{heads}, offsets);
//     ballot::segmented_exclusive_scan(gpu, sizes, ballot::segment_offsets{row_begin}, offsets);
//
// in        contiguous device range or view, or `counted`, of a trivially copyable T of at most 32
//           bytes
// segments  byte_flags or bit_flags: a head flag for every item, set at the first item of a segment
//           (inverted: clear). Or segment_offsets: the indices of these items
//           (device/segment_offsets.hpp). Item 0 always begins a segment.
// initial   converted to T; the sums of each segment start from it. Exclusive scans without it
//           begin with T{}, inclusive ones with the segment's first item
// out       device range of T as long as the input (its capacity), or an output view of T
//           (outputs.cuh) with room for that many
// op        associative; `plus` in overloads without it. Callable on the device; need not commute.
//           Its results are converted to T; sums of integers wrap. It is applied only to sums of
//           adjacent items of a segment and to `initial` (core/operators.hpp).
// aliasing  in and out may be the same range (in place). No other argument may overlap out, nor may
//           lengths on the device or the offset of an output view. The scratch must not overlap any
//           argument.
//
// Backward: each segment is scanned from its last item to its first, with the operands in that
// order.
//
// The cost does not depend on the segments. Each item and flag is read once, each sum is written
// once. Deterministic for integers. Sums of floats in segments that cross tiles depend on the
// timing of the tiles. Sums of floats may also depend on the address modulo 16.
//
// Scratch: segmented_scan_scratch_bytes<T>(n): 8 bytes per tile for T of up to 4 bytes, 16 for up
// to 12, 32 for larger. By offsets: segmented_scan_by_offsets_scratch_bytes<T>(n), which adds n
// bits.
//
// Work on the stream: one kernel for one tile, and for up to 16 from sm_90 on. Else two, of which
// the second begins while the first ends. For up to 256 small tiles the first reads the items, too;
// for more it clears the tile states. By offsets there are three kernels: one clears states and
// head bits, one sets the bits, one scans. Few items with few offsets, at most 8192, take as many
// kernels as by flags. Nothing for n = 0.
//
// Errors, before any work: invalid_argument for null with n > 0, an output of another length (a
// view: too little room), too few flags, overlap, or too little scratch. cuda_error from the
// launch.
//
// Sources: Sengupta, Harris, Zhang and Owens, Scan Primitives for GPU Computing, 2007. Merrill and
// Garland 2016.
#pragma once

#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/detail/explain_scans.hpp>
#include <ballot/device/detail/segment_offsets_launch.cuh>
#include <ballot/device/detail/segmented_scan_launch.cuh>

namespace ballot {

// Bytes of scratch for segmented scans of n items by flags, at any address. Pure.
template <class T>
std::size_t segmented_scan_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::segmented_scan_bytes<T>(n));
}

// The same by offsets. Pure.
template <class T>
std::size_t segmented_scan_by_offsets_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::segmented_scan_by_offsets_bytes<T>(n));
}

namespace detail {

// Function: checks of the initial value and of the function object, where a call has them.
template <class In, class Segments, class Out, class... Function>
void explain_segmented() {
  explain<input_or_view_check<In>, segments_check<Segments>, Function..., output_or_view_check<Out>,
          same_items_check<Out, In>, sums_check<Out, In>>();
}

}  // namespace detail

// out[i] = in[h] op ... op in[i], h: the nearest head at or before i.
template <input_range_or_view In, detail::segments_argument Segments, class Op, detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>>
void segmented_inclusive_scan(const exec& where, const In& in, const Segments& segments, const Op& op, Out&& out) {
  using T = detail::item_t<In>;
  detail::segmented_scan<device::scan_kind::inclusive, T>(where, detail::as_input(in), segments, detail::as_output(out),
                                                          T{}, Op(op), "segmented_inclusive_scan");
}
template <class In, class Segments, class Op, class Out>
void segmented_inclusive_scan(const exec&, const In&, const Segments&, const Op&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, detail::segments_argument Segments, detail::items_or_view_of<In> Out>
void segmented_inclusive_scan(const exec& where, const In& in, const Segments& segments, Out&& out) {
  segmented_inclusive_scan(where, in, segments, plus{}, out);
}
template <class In, class Segments, class Out>
void segmented_inclusive_scan(const exec&, const In&, const Segments&, Out&&) {
  detail::explain_segmented<In, Segments, Out>();
}
// From an initial value: out[i] = initial op the items of the segment up to i.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, class Op,
          detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>> && std::is_convertible_v<const Initial&, detail::item_t<In>>
void segmented_inclusive_scan(const exec& where, const In& in, const Segments& segments, const Initial& initial,
                              const Op& op, Out&& out) {
  using T = detail::item_t<In>;
  detail::segmented_scan<device::scan_kind::inclusive_initial, T>(where, detail::as_input(in), segments,
                                                                  detail::as_output(out), static_cast<T>(initial),
                                                                  Op(op), "segmented_inclusive_scan");
}
template <class In, class Segments, class Initial, class Op, class Out>
void segmented_inclusive_scan(const exec&, const In&, const Segments&, const Initial&, const Op&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::initial_check<Initial, detail::known_item_t<In>>,
                            detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, detail::items_or_view_of<In> Out>
  requires(std::is_convertible_v<const Initial&, detail::item_t<In>> && !operator_of<Initial, detail::item_t<In>>)
void segmented_inclusive_scan(const exec& where, const In& in, const Segments& segments, const Initial& initial,
                              Out&& out) {
  segmented_inclusive_scan(where, in, segments, initial, plus{}, out);
}

// out[i] = initial op in[h] op ... op in[i - 1], h: the nearest head at or before i; `initial`
// where i is a head.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, class Op,
          detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>> && std::is_convertible_v<const Initial&, detail::item_t<In>>
void segmented_exclusive_scan(const exec& where, const In& in, const Segments& segments, const Initial& initial,
                              const Op& op, Out&& out) {
  using T = detail::item_t<In>;
  detail::segmented_scan<device::scan_kind::exclusive, T>(where, detail::as_input(in), segments, detail::as_output(out),
                                                          static_cast<T>(initial), Op(op), "segmented_exclusive_scan");
}
template <class In, class Segments, class Initial, class Op, class Out>
void segmented_exclusive_scan(const exec&, const In&, const Segments&, const Initial&, const Op&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::initial_check<Initial, detail::known_item_t<In>>,
                            detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, detail::items_or_view_of<In> Out>
  requires std::is_convertible_v<const Initial&, detail::item_t<In>>
void segmented_exclusive_scan(const exec& where, const In& in, const Segments& segments, const Initial& initial,
                              Out&& out) {
  segmented_exclusive_scan(where, in, segments, static_cast<detail::item_t<In>>(initial), plus{}, out);
}
template <class In, class Segments, class Initial, class Out>
void segmented_exclusive_scan(const exec&, const In&, const Segments&, const Initial&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::initial_check<Initial, detail::known_item_t<In>>>();
}
// By plus, from 0.
template <input_range_or_view In, detail::segments_argument Segments, detail::items_or_view_of<In> Out>
void segmented_exclusive_scan(const exec& where, const In& in, const Segments& segments, Out&& out) {
  segmented_exclusive_scan(where, in, segments, detail::item_t<In>{}, plus{}, out);
}
template <class In, class Segments, class Out>
void segmented_exclusive_scan(const exec&, const In&, const Segments&, Out&&) {
  detail::explain_segmented<In, Segments, Out>();
}

// out[i] = in[e] op ... op in[i], e: the last item of the segment of i.
template <input_range_or_view In, detail::segments_argument Segments, class Op, detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>>
void segmented_inclusive_scan_backward(const exec& where, const In& in, const Segments& segments, const Op& op,
                                       Out&& out) {
  using T = detail::item_t<In>;
  detail::segmented_scan<device::scan_kind::inclusive, T, true>(
      where, detail::as_input(in), segments, detail::as_output(out), T{}, Op(op), "segmented_inclusive_scan_backward");
}
template <class In, class Segments, class Op, class Out>
void segmented_inclusive_scan_backward(const exec&, const In&, const Segments&, const Op&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, detail::segments_argument Segments, detail::items_or_view_of<In> Out>
void segmented_inclusive_scan_backward(const exec& where, const In& in, const Segments& segments, Out&& out) {
  segmented_inclusive_scan_backward(where, in, segments, plus{}, out);
}
template <class In, class Segments, class Out>
void segmented_inclusive_scan_backward(const exec&, const In&, const Segments&, Out&&) {
  detail::explain_segmented<In, Segments, Out>();
}
// From an initial value: out[i] = initial op the items of the segment up to i in scan order.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, class Op,
          detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>> && std::is_convertible_v<const Initial&, detail::item_t<In>>
void segmented_inclusive_scan_backward(const exec& where, const In& in, const Segments& segments,
                                       const Initial& initial, const Op& op, Out&& out) {
  using T = detail::item_t<In>;
  detail::segmented_scan<device::scan_kind::inclusive_initial, T, true>(where, detail::as_input(in), segments,
                                                                        detail::as_output(out), static_cast<T>(initial),
                                                                        Op(op), "segmented_inclusive_scan_backward");
}
template <class In, class Segments, class Initial, class Op, class Out>
void segmented_inclusive_scan_backward(const exec&, const In&, const Segments&, const Initial&, const Op&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::initial_check<Initial, detail::known_item_t<In>>,
                            detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, detail::items_or_view_of<In> Out>
  requires(std::is_convertible_v<const Initial&, detail::item_t<In>> && !operator_of<Initial, detail::item_t<In>>)
void segmented_inclusive_scan_backward(const exec& where, const In& in, const Segments& segments,
                                       const Initial& initial, Out&& out) {
  segmented_inclusive_scan_backward(where, in, segments, initial, plus{}, out);
}

// out[i] = initial op in[e] op ... op in[i + 1], e: the last item of the segment of i; `initial`
// where i is e.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, class Op,
          detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>> && std::is_convertible_v<const Initial&, detail::item_t<In>>
void segmented_exclusive_scan_backward(const exec& where, const In& in, const Segments& segments,
                                       const Initial& initial, const Op& op, Out&& out) {
  using T = detail::item_t<In>;
  detail::segmented_scan<device::scan_kind::exclusive, T, true>(where, detail::as_input(in), segments,
                                                                detail::as_output(out), static_cast<T>(initial), Op(op),
                                                                "segmented_exclusive_scan_backward");
}
template <class In, class Segments, class Initial, class Op, class Out>
void segmented_exclusive_scan_backward(const exec&, const In&, const Segments&, const Initial&, const Op&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::initial_check<Initial, detail::known_item_t<In>>,
                            detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, detail::segments_argument Segments, class Initial, detail::items_or_view_of<In> Out>
  requires std::is_convertible_v<const Initial&, detail::item_t<In>>
void segmented_exclusive_scan_backward(const exec& where, const In& in, const Segments& segments,
                                       const Initial& initial, Out&& out) {
  segmented_exclusive_scan_backward(where, in, segments, static_cast<detail::item_t<In>>(initial), plus{}, out);
}
template <class In, class Segments, class Initial, class Out>
void segmented_exclusive_scan_backward(const exec&, const In&, const Segments&, const Initial&, Out&&) {
  detail::explain_segmented<In, Segments, Out, detail::initial_check<Initial, detail::known_item_t<In>>>();
}
// By plus, from 0.
template <input_range_or_view In, detail::segments_argument Segments, detail::items_or_view_of<In> Out>
void segmented_exclusive_scan_backward(const exec& where, const In& in, const Segments& segments, Out&& out) {
  segmented_exclusive_scan_backward(where, in, segments, detail::item_t<In>{}, plus{}, out);
}
template <class In, class Segments, class Out>
void segmented_exclusive_scan_backward(const exec&, const In&, const Segments&, Out&&) {
  detail::explain_segmented<In, Segments, Out>();
}

}  // namespace ballot
