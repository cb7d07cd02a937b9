// SPDX-License-Identifier: Apache-2.0
// Reduction of each segment of a device array: by sums, by any associative operator, or to the
// smallest or largest item and its index.
//
//     using ballot::segment_offsets;
//     ballot::segmented_reduce(gpu, weights, segment_offsets{row_begin}, sums);
//     ballot::segmented_reduce(gpu, weights, segment_offsets{row_begin}, 0.0f, ballot::maximum{},
//                              largest);
//     ballot::segmented_reduce(gpu, pixels, ballot::row_length{1024}, sums);  // rows of 1024
//     ballot::segmented_reduce(gpu, prices, ballot::byte_flags{is_new_day}, sums, days);
//     ballot::segmented_arg_min(gpu, distances, segment_offsets{begins}, nearest);
//     // The index alone, and by a comparison.
//     ballot::segmented_arg_min(gpu, distances, segment_offsets{begins},
//                               ballot::converting<ballot::indexed<float>>(nearest_ids, index_of{}));
//     ballot::segmented_arg_max(gpu, distances, segment_offsets{begins}, is_nearer{}, farthest);
//     ballot::segmented_reduce(gpu, ballot::gathered{weights, ids}, segment_offsets{row_begin},
//                              sums);
//
// in        contiguous device range or view, or `counted`, of a trivially copyable type
// segments  segment_offsets: n + 1 ascending integers of 4 or 8 bytes, signed or not, for n
//           segments. Segment s has the items from offsets[s] to offsets[s + 1] - 1. The offsets
//           may be `counted`, and segments need not cover all items. Or row_length{m}: segments of
//           m items, of which the last one may be shorter. Or byte_flags or bit_flags: a head flag
//           for every item, set where a segment begins. Item 0 always begins one
// initial   converted to T, the type of the results; T{} in overloads without it. It is the result
//           of an empty segment
// op        associative; `plus` in overloads without it. It need not commute. The call is faster
//           if op is known to commute (is_commutative, core/operators.hpp). Its results are
//           converted to T. It is applied only to `initial` and to sums of items of one segment
// out       out[s] = initial op the items of segment s. A device range with one T for each segment;
//           T has at most 32 bytes. Or an output view (outputs.cuh) with room for at least that
//           many. Items are converted to T when they are loaded. If segments are given by flags,
//           `out` may be shorter than needed: results that do not fit are dropped.
//           segmented_arg_min, segmented_arg_max: a range or an output view of indexed<item>, for
//           items of up to 8 bytes. The index counts from the start of `in`, not of the segment
// count     by flags: device address (or device_value) of one integer of 4 or 8 bytes: the number
//           of segments
// aliasing  outputs must not overlap any other argument, and the scratch must not overlap any
//           argument
//
// Balanced: the cost depends on the number of items and segments, not on their lengths. There are
// two exceptions. With up to 2^20 items (2^17 in segments of up to 64 items on average), there is
// no launch for long segments, and one block reduces even the longest segment, as in CUB. With up
// to 2^23 items, 9 to 32 segments of more than 2^15 items on average get 32 to 60 blocks each.
//
// Offsets that do not ascend are no error. An offset that is negative or larger than the number of
// items counts as the number of items. A segment that would end before it begins is empty.
//
// Deterministic: how the operands are grouped depends only on the lengths of the input and the
// output, on the types, and on the length of the segment (if segments are given by flags: on its
// place). So sums of floats have the same bits on every run and every GPU, for one version of the
// library. This holds for offsets that ascend. With others, sums of long segments may depend on
// timing, or on the other offsets. NaNs: as for reduce.cuh.
//
// Scratch: segmented_reduce_scratch_bytes<T>(n) for n items. None up to 2^15 items, then 1024 T.
// Above 2^17 items a list of long segments takes its place if the list is larger: 20 + sizeof(T)
// bytes for every 4096 items; above 2^23 items 2050 such entries, or one for every 16,384 items if
// those are more. For segments by flags:
// segmented_reduce_by_flags_scratch_bytes<T>(n). For segmented_arg_min and segmented_arg_max, T is
// indexed<item>.
//
// Work on the stream, by offsets: one kernel up to 2^20 items (2^17 in segments of up to 64 items
// on average). Above that two kernels, or three if segments have up to 400 items on average. Two
// kernels for few segments of more than 2^15 items on average. By rows, with an operator that is
// known to commute: one kernel, except for few rows of more than 2^15 items. By flags: two kernels.
// Each item is read once; by flags twice, if there are few items.
//
// Errors (before any work): invalid_argument for null with n > 0, an output of another length, rows
// of no items, too few flags, overlap, or too little scratch; cuda_error from the launch.
//
// Source: Harris, Optimizing Parallel Reduction in CUDA, 2007.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/common/require_arguments.hpp>
#include <ballot/detail/reduce_by_key/heads.cuh>
#include <ballot/detail/reduce_by_key/results.cuh>
#include <ballot/detail/reduce_by_key/values.cuh>
#include <ballot/detail/segmented_reduce/arguments.cuh>
#include <ballot/detail/segmented_reduce/launch.cuh>
#include <ballot/device/detail/reduce_arg.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/segment_offsets.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot {

/// Bytes of scratch for n items with results of type T, by offsets and by rows, at any address.
/// Pure.
template <class T>
std::size_t segmented_reduce_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::segmented_reduce_bytes<T>(n));
}
/// The same by head flags. Pure.
template <class T>
std::size_t segmented_reduce_by_flags_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::reduce_runs_bytes<void, T>(n));
}

namespace detail {

// In: input<...> or view_input<...>.
template <class Values, class In, class Offset, class Op, class Out>
void reduce_segments(const exec& where, const In& in, const segment_offsets<Offset>& segments,
                     const typename Values::value_type& initial, const Op& op, const Out& out, const char* function) {
  const input<Offset>& offsets = segments.offsets;
  require_items_of_view(function, "in", in);
  const std::uint64_t results = offsets.capacity() == 0 ? 0 : offsets.capacity() - 1;
  if ((offsets.capacity() != 0 || out.size != 0) && !(is_view_output<Out> && out.size >= results))
    require_same_length(function, "out", out.size + 1, "segments", offsets.capacity());
  const std::size_t bytes = segmented_reduce_bytes<typename Values::value_type>(in.capacity());
  require_arguments(function, where, bytes, {arguments_of("out", out)},
                    {arguments_of("in", in), argument_of("in", in.length), argument_of("segments", offsets),
                     argument_of("segments", offsets.length), lengths_of("out.offset", out)});
  const scratch_lease lease(where, bytes, function);
  launch_segmented_reduce<Values>(where.stream(), lease.base(), in,
                                  segments_by_offsets<Offset>{offsets.data, offsets.length}, results, initial, op, out,
                                  function);
}
template <class Values, class In, class Op, class Out>
void reduce_segments(const exec& where, const In& in, const row_length& rows,
                     const typename Values::value_type& initial, const Op& op, const Out& out, const char* function) {
  require_items_of_view(function, "in", in);
  require(rows.items != 0, function, "`segments` are rows of no items");
  const std::uint64_t results = ceil_div(in.capacity(), rows.items);
  if (!(is_view_output<Out> && out.size >= results))
    require_same_length(function, "out", out.size, "rows of in", results);
  const std::size_t bytes = segmented_reduce_bytes<typename Values::value_type>(in.capacity());
  require_arguments(function, where, bytes, {arguments_of("out", out)},
                    {arguments_of("in", in), argument_of("in", in.length), lengths_of("out.offset", out)});
  const scratch_lease lease(where, bytes, function);
  launch_segmented_reduce<Values>(where.stream(), lease.base(), in,
                                  segments_by_length{rows.items, in.capacity(), results}, results, initial, op, out,
                                  function);
}

template <class Values, class In, class Flags, class Op, class Out>
void reduce_flagged(const exec& where, const In& in, const Flags& flags, const typename Values::value_type& initial,
                    const Op& op, const Out& out, const device_count& count, const char* function) {
  using T = typename Values::value_type;
  const std::uint64_t n = in.capacity();
  require_items_of_view(function, "in", in);
  require_flags(function, "segments", flags, n);
  require_count(function, "count", count, n);
  require_arguments(function, where, reduce_runs_bytes<void, T>(n),
                    {arguments_of("out", out), argument_of("count", count)},
                    {arguments_of("in", in), argument_of("in", in.length), argument_of("segments", flags),
                     lengths_of("out.offset", out)});
  tile_count(n, runs_shapes<void, T>::many::items, function);
  const scratch_lease lease(where, reduce_runs_bytes<void, T>(n), function);
  const auto reader = make_flag_reader(flags);
  const auto make_heads = [&]<class Shape>(std::type_identity<Shape>) {
    return heads_by_flag<std::remove_const_t<decltype(reader)>>{{reader}};
  };
  launch_runs<true, void, T>(where.stream(), lease.base(), in.length, make_heads, make_flagged_values<Values>(in),
                             initial, as_operator<T>(op), make_results_of(out), count, function);
}

// Order: is_less, is_greater, or an order by the caller's comparison
// (device/detail/reduce_arg.cuh).
template <class Order, class In, class Segments, class Out>
void find_first(const exec& where, const In& in, const Segments& segments, const Order& order, Out& out,
                const char* function) {
  using first = device::first_of<item_t<In>, Order>;
  reduce_segments<first>(where, as_input(in), segments, item_t<Out>{}, first{order}, as_output(out), function);
}
template <class Order, class In, class Flags, class Out>
void find_first_flagged(const exec& where, const In& in, const Flags& flags, const Order& order, Out& out,
                        const device_count& count, const char* function) {
  using first = device::first_of<item_t<In>, Order>;
  reduce_flagged<first>(where, as_input(in), flags, item_t<Out>{}, first{order}, as_output(out), count, function);
}

}  // namespace detail

/// out[s] = initial op the items of segment s.
template <input_range_or_view In, detail::counted_segments Segments, class Initial, class Op,
          detail::sums_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<Out>> && std::is_convertible_v<const Initial&, detail::item_t<Out>>
void segmented_reduce(const exec& where, const In& in, const Segments& segments, const Initial& initial, const Op& op,
                      Out&& out) {
  using T = detail::item_t<Out>;
  detail::reduce_segments<device::items_as<T>>(where, detail::as_input(in), segments, static_cast<T>(initial), op,
                                               detail::as_output(out), "segmented_reduce");
}
template <input_range_or_view In, detail::counted_segments Segments, class Initial, detail::sums_or_view_of<In> Out>
  requires std::is_convertible_v<const Initial&, detail::item_t<Out>>
void segmented_reduce(const exec& where, const In& in, const Segments& segments, const Initial& initial, Out&& out) {
  segmented_reduce(where, in, segments, initial, plus{}, out);
}
template <input_range_or_view In, detail::counted_segments Segments, detail::sums_or_view_of<In> Out>
void segmented_reduce(const exec& where, const In& in, const Segments& segments, Out&& out) {
  segmented_reduce(where, in, segments, detail::item_t<Out>{}, plus{}, out);
}

/// By head flags: also how many segments there are.
template <input_range_or_view In, detail::flags_argument Flags, class Initial, class Op,
          detail::sums_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<Out>> && std::is_convertible_v<const Initial&, detail::item_t<Out>>
void segmented_reduce(const exec& where, const In& in, const Flags& segments, const Initial& initial, const Op& op,
                      Out&& out, device_count count) {
  using T = detail::item_t<Out>;
  detail::reduce_flagged<device::items_as<T>>(where, detail::as_input(in), segments, static_cast<T>(initial), op,
                                              detail::as_output(out), count, "segmented_reduce");
}
template <input_range_or_view In, detail::flags_argument Flags, class Initial, detail::sums_or_view_of<In> Out>
  requires std::is_convertible_v<const Initial&, detail::item_t<Out>>
void segmented_reduce(const exec& where, const In& in, const Flags& segments, const Initial& initial, Out&& out,
                      device_count count) {
  segmented_reduce(where, in, segments, initial, plus{}, out, count);
}
template <input_range_or_view In, detail::flags_argument Flags, detail::sums_or_view_of<In> Out>
void segmented_reduce(const exec& where, const In& in, const Flags& segments, Out&& out, device_count count) {
  segmented_reduce(where, in, segments, detail::item_t<Out>{}, plus{}, out, count);
}

/// The smallest item of each segment and its index in `in`; the first of equal items. An empty
/// segment: {no_index, 0}.
template <input_range_or_view In, detail::counted_segments Segments, detail::indexed_items_of<In> Out>
void segmented_arg_min(const exec& where, const In& in, const Segments& segments, Out&& out) {
  detail::find_first<device::is_less>(where, in, segments, {}, out, "segmented_arg_min");
}
/// The largest item of each segment, otherwise like segmented_arg_min.
template <input_range_or_view In, detail::counted_segments Segments, detail::indexed_items_of<In> Out>
void segmented_arg_max(const exec& where, const In& in, const Segments& segments, Out&& out) {
  detail::find_first<device::is_greater>(where, in, segments, {}, out, "segmented_arg_max");
}
/// By head flags: also how many segments there are.
template <input_range_or_view In, detail::flags_argument Flags, detail::indexed_items_of<In> Out>
void segmented_arg_min(const exec& where, const In& in, const Flags& segments, Out&& out, device_count count) {
  detail::find_first_flagged<device::is_less>(where, in, segments, {}, out, count, "segmented_arg_min");
}
template <input_range_or_view In, detail::flags_argument Flags, detail::indexed_items_of<In> Out>
void segmented_arg_max(const exec& where, const In& in, const Flags& segments, Out&& out, device_count count) {
  detail::find_first_flagged<device::is_greater>(where, in, segments, {}, out, count, "segmented_arg_max");
}
/// By a comparison of your own, bool less(a, b), a strict weak order. arg_min gives the first item
/// than which no other is less; arg_max gives the first that is less than no other. `less` is
/// called only with items.
template <input_range_or_view In, detail::counted_segments Segments, class Less,
          detail::indexed_items_by_relation_of<In> Out>
  requires relation_of<Less, detail::item_t<In>>
void segmented_arg_min(const exec& where, const In& in, const Segments& segments, const Less& less, Out&& out) {
  detail::find_first<device::is_less_by<Less>>(where, in, segments, {less}, out, "segmented_arg_min");
}
template <input_range_or_view In, detail::counted_segments Segments, class Less,
          detail::indexed_items_by_relation_of<In> Out>
  requires relation_of<Less, detail::item_t<In>>
void segmented_arg_max(const exec& where, const In& in, const Segments& segments, const Less& less, Out&& out) {
  detail::find_first<device::is_greater_by<Less>>(where, in, segments, {less}, out, "segmented_arg_max");
}
template <input_range_or_view In, detail::flags_argument Flags, class Less,
          detail::indexed_items_by_relation_of<In> Out>
  requires relation_of<Less, detail::item_t<In>>
void segmented_arg_min(const exec& where, const In& in, const Flags& segments, const Less& less, Out&& out,
                       device_count count) {
  detail::find_first_flagged<device::is_less_by<Less>>(where, in, segments, {less}, out, count, "segmented_arg_min");
}
template <input_range_or_view In, detail::flags_argument Flags, class Less,
          detail::indexed_items_by_relation_of<In> Out>
  requires relation_of<Less, detail::item_t<In>>
void segmented_arg_max(const exec& where, const In& in, const Flags& segments, const Less& less, Out&& out,
                       device_count count) {
  detail::find_first_flagged<device::is_greater_by<Less>>(where, in, segments, {less}, out, count, "segmented_arg_max");
}

// What is wrong with a call that does not compile.
template <class In, class Segments, class Initial, class Op, class Out>
  requires(!detail::segmented_reduce_checks<In, Segments, Initial, Op, Out>::ok &&
           !(detail::flags_argument<Segments> && std::is_convertible_v<Out, device_count>))  // by flags, without op
void segmented_reduce(const exec&, const In&, const Segments&, const Initial&, const Op&, Out&&) {
  detail::segmented_reduce_checks<In, Segments, Initial, Op, Out>::failing::explain();
}
template <class In, class Segments, class Out>
  requires(!detail::segmented_reduce_checks<In, Segments, int, plus, Out>::ok)
void segmented_reduce(const exec&, const In&, const Segments&, Out&&) {
  detail::segmented_reduce_checks<In, Segments, int, plus, Out>::failing::explain();
}
template <class In, class Segments, class Out>
  requires(!detail::segmented_arg_checks<In, Segments, Out>::ok)
void segmented_arg_min(const exec&, const In&, const Segments&, Out&&) {
  detail::segmented_arg_checks<In, Segments, Out>::failing::explain();
}
template <class In, class Segments, class Out>
  requires(!detail::segmented_arg_checks<In, Segments, Out>::ok)
void segmented_arg_max(const exec&, const In&, const Segments&, Out&&) {
  detail::segmented_arg_checks<In, Segments, Out>::failing::explain();
}
template <class In, class Segments, class Less, class Out>
  requires(!detail::segmented_arg_by_checks<In, Segments, Less, Out>::ok && !detail::flags_argument<Segments>)
void segmented_arg_min(const exec&, const In&, const Segments&, const Less&, Out&&) {
  detail::segmented_arg_by_checks<In, Segments, Less, Out>::failing::explain();
}
template <class In, class Segments, class Less, class Out>
  requires(!detail::segmented_arg_by_checks<In, Segments, Less, Out>::ok && !detail::flags_argument<Segments>)
void segmented_arg_max(const exec&, const In&, const Segments&, const Less&, Out&&) {
  detail::segmented_arg_by_checks<In, Segments, Less, Out>::failing::explain();
}

}  // namespace ballot
