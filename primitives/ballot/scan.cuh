// SPDX-License-Identifier: Apache-2.0
// Prefix sums of a device array in a single pass.
//
//     // offsets[i] = counts[0] + ... + counts[i - 1]
//     ballot::exclusive_scan(gpu, counts, offsets);
//     ballot::exclusive_scan(gpu, counts, 100, offsets);  // offsets[0] = 100
//     ballot::inclusive_scan(gpu, heights, ballot::maximum{}, highest);
//     // From an initial value, and from one that the device has.
//     ballot::inclusive_scan(gpu, heights, floor, ballot::maximum{}, highest);
//     ballot::exclusive_scan(gpu, counts, ballot::on_device{used}, offsets, {.total = now});
//     ballot::inclusive_scan(gpu, x, sums, {.total = sum, .order = ballot::scan_order::backward});
//     ballot::counts_to_offsets(gpu, counts, row_offsets);  // row_offsets[n] is the total
//     // ranks[i]: set bytes before selected[i]
//     ballot::exclusive_scan_flags(gpu, selected, ranks);
//
// in        contiguous device range or view, or `counted`: then only the first *count items of the
//           output are written. Flags are a contiguous range.
// out       device range as long as the input (its capacity), or an output view (outputs.cuh) with
//           room for that many. counts_to_offsets: a range one item longer; the total is stored
//           after the offsets of the items.
// types     Items are trivially copyable. Sums have the item type T of the OUTPUT (of an output
//           view: the type that it takes), of at most 32 bytes and not __int128. Items are
//           converted to T (static_cast) when they are loaded. So counts of 32 bits can give
//           offsets of 64 bits, and bytes can give sums of 32 bits.
// initial   Converted to T. Or on_device{address}: one T on the device, read when the scan runs.
//           Exclusive scans without it begin with 0 (T{}), inclusive ones with the first item.
// op        Associative; `plus` in overloads without it. Callable on the device; need not commute.
//           Its results are converted to T. It is applied only to sums of adjacent items and to
//           `initial` (core/operators.hpp). Sums of integers wrap in T: bytes summed into bytes
//           wrap at 256, also if op returns an int.
// aliasing  in and out may be the same range (in place) if their types are the same. No other
//           argument may overlap what is written. The scratch must not overlap any argument.
// total     An option: op of all items, preceded by `initial` where there is one; stored on the
//           device. For floats its last bits may differ from the inclusive sum of the last item. A
//           total of integers of 4 or 8 bytes serves as the length of a `counted` range in the next
//           call. With no items, the total is `initial`; of an inclusive scan without `initial` it
//           is not written.
// order     An option: forward or backward (device/scan_options.hpp). In an exclusive backward scan
//           out[n - 1] is `initial`.
//
// Deterministic if op is exactly associative, as for integers. Sums of floats depend on the timing
// of the tiles, unless `reproducible` is set. Then they have the same bits on every run and every
// GPU, for the same n, types, order and function. Tiles are added along a fixed tree
// (device/tree_look_back.cuh). These bits belong to this version's tile shape
// (reproducible_scan_shape in device/detail/scan_launch.cuh). The kernel must be compiled with the
// same floating-point options; -fmad does not matter to sums.
//
// Scratch: scan_scratch_bytes<T>(n), T the type of the sums. It is 8 bytes per tile for T of up to
// 4 bytes, 16 for up to 12, 32 for larger, and 1/31 more.
//
// Work on the stream: one kernel for one tile, and for up to 16 from sm_90 on. Otherwise two
// kernels, of which the second begins while the first ends. Up to 8 MiB of sums (16 MiB for sums of
// 4 bytes, 12 MiB for sums of 8 bytes), both kernels read the items. For more, and with
// `reproducible`, the first kernel clears the tile states. For n = 0: nothing, or one block if a
// total is wanted.
//
// Complexity: linear. If there are many items, each is read once and written once. Fastest if `in`
// and `out` begin at the same item of a vector of 16 bytes; else items are moved one by one.
//
// Errors, before any work: invalid_argument for null with n > 0, an output of another length,
// overlap, or too little scratch. cuda_error from the launch. Overlap is an error, too, between an
// output and the total or a count on the device, and between the scratch and any argument.
//
// Source: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/detail/explain_scans.hpp>
#include <ballot/device/detail/scan_launch.cuh>
#include <ballot/device/scan_options.hpp>

#include <type_traits>

namespace ballot {
namespace detail {

template <class R>
using output_item_t = known_item_t<R>;

template <class In, class Out, class Op, class T = typename Out::value_type>
scan_call<T, device::input_items<In>, Op, Out> scan_of_items(const input<In>& in, const Out& out,
                                                             std::type_identity_t<T> initial, Op op,
                                                             const scan_options<T>& options, const char* function) {
  return {{in.data}, in.length, out, initial, op, options, function};
}

template <class V, class Out, class Op, class T = typename Out::value_type>
scan_call<T, device::input_of_view<V>, Op, Out> scan_of_items(const view_input<V>& in, const Out& out,
                                                              std::type_identity_t<T> initial, Op op,
                                                              const scan_options<T>& options, const char* function) {
  return {device::make_input_of_view(in.view), in.length, out, initial, op, options, function};
}

// Signed ranks are counted as unsigned ones, so that both types share a kernel.
template <class Flag, class Rank, class T = std::make_unsigned_t<Rank>>
scan_call<T, device::input_flags, plus> scan_of_flags(const input<Flag>& flags, const output<Rank>& ranks,
                                                      const scan_options<Rank>& options, const char* function) {
  return {.in = {reinterpret_cast<const std::uint8_t*>(flags.data)},
          .length = flags.length,
          .out = {reinterpret_cast<T*>(ranks.data), ranks.size},
          .initial = T{},
          .op = plus{},
          .options = {.total = reinterpret_cast<T*>(options.total.address()),
                      .order = options.order,
                      .reproducible = options.reproducible},
          .function = function,
          .in_name = "flags",
          .out_name = "ranks"};
}

}  // namespace detail

// Bytes of scratch for n items and sums of type T, at any address; enough for each of these
// functions and all options. Pure.
template <class T>
std::size_t scan_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::scan_bytes<T>(n));
}

// out[i] = in[0] op ... op in[i].
template <input_range_or_view In, class Op, detail::sums_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<Out>>
void inclusive_scan(const exec& where, const In& in, const Op& op, Out&& out,
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  using T = detail::item_t<Out>;
  detail::launch_scan<device::scan_kind::inclusive>(
      where, detail::scan_of_items(detail::as_input(in), detail::as_output(out), T{}, op, options, "inclusive_scan"));
}
template <class In, class Op, detail::no_options Out>
void inclusive_scan(const exec&, const In&, const Op&, Out&&, const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::input_or_view_check<In>, detail::operator_check<Op, detail::known_item_t<Out>>,
                  detail::output_or_view_check<Out>, detail::sums_check<Out, In>>();
}
// By plus.
template <input_range_or_view In, detail::sums_or_view_of<In> Out>
void inclusive_scan(const exec& where, const In& in, Out&& out,
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  inclusive_scan(where, in, plus{}, out, options);
}
template <class In, detail::no_options Out>
void inclusive_scan(const exec&, const In&, Out&&, const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::input_or_view_check<In>, detail::output_or_view_check<Out>, detail::sums_check<Out, In>>();
}

// From an initial value: out[i] = initial op in[0] op ... op in[i].
template <input_range_or_view In, class Op, detail::sums_or_view_of<In> Out, class Initial = detail::item_t<Out>>
  requires operator_of<Op, detail::item_t<Out>> && detail::initial_of<Initial, detail::item_t<Out>>
void inclusive_scan(const exec& where, const In& in, const Initial& initial, const Op& op, Out&& out,
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  using T = detail::item_t<Out>;
  detail::launch_scan_from<device::scan_kind::inclusive_initial, device::scan_kind::inclusive_device_initial>(
      where, detail::scan_of_items(detail::as_input(in), detail::as_output(out), T{}, op, options, "inclusive_scan"),
      initial);
}
template <class In, class Op, detail::no_options Out, class Initial = detail::known_item_t<Out>>
void inclusive_scan(const exec&, const In&, const Initial&, const Op&, Out&&,
                    const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::input_or_view_check<In>, detail::initial_check<Initial, detail::known_item_t<Out>>,
                  detail::operator_check<Op, detail::known_item_t<Out>>, detail::output_or_view_check<Out>,
                  detail::sums_check<Out, In>>();
}
// By plus.
template <input_range_or_view In, class Initial, detail::sums_or_view_of<In> Out>
  requires(detail::initial_of<Initial, detail::item_t<Out>> && !operator_of<Initial, detail::item_t<Out>>)
void inclusive_scan(const exec& where, const In& in, const Initial& initial, Out&& out,
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  inclusive_scan(where, in, initial, plus{}, out, options);
}

// out[0] = initial, out[i] = initial op in[0] op ... op in[i - 1].
template <input_range_or_view In, class Op, detail::sums_or_view_of<In> Out, class Initial = detail::item_t<Out>>
  requires operator_of<Op, detail::item_t<Out>> && detail::initial_of<Initial, detail::item_t<Out>>
void exclusive_scan(const exec& where, const In& in, const Initial& initial, const Op& op, Out&& out,
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  using T = detail::item_t<Out>;
  detail::launch_scan_from<device::scan_kind::exclusive, device::scan_kind::exclusive_device_initial>(
      where, detail::scan_of_items(detail::as_input(in), detail::as_output(out), T{}, op, options, "exclusive_scan"),
      initial);
}
template <class In, class Op, detail::no_options Out, class Initial = detail::known_item_t<Out>>
void exclusive_scan(const exec&, const In&, const Initial&, const Op&, Out&&,
                    const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::input_or_view_check<In>, detail::initial_check<Initial, detail::known_item_t<Out>>,
                  detail::operator_check<Op, detail::known_item_t<Out>>, detail::output_or_view_check<Out>,
                  detail::sums_check<Out, In>>();
}
// By plus.
template <input_range_or_view In, detail::sums_or_view_of<In> Out, class Initial = detail::item_t<Out>>
  requires detail::initial_of<Initial, detail::item_t<Out>>
void exclusive_scan(const exec& where, const In& in, const Initial& initial, Out&& out,
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  exclusive_scan(where, in, initial, plus{}, out, options);
}
template <class In, detail::no_options Out, class Initial = detail::known_item_t<Out>>
void exclusive_scan(const exec&, const In&, const Initial&, Out&&,
                    const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::input_or_view_check<In>, detail::initial_check<Initial, detail::known_item_t<Out>>,
                  detail::output_or_view_check<Out>, detail::sums_check<Out, In>>();
}
// By plus, from 0.
template <input_range_or_view In, detail::sums_or_view_of<In> Out>
void exclusive_scan(const exec& where, const In& in, Out&& out,
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  exclusive_scan(where, in, detail::item_t<Out>{}, plus{}, out, options);
}
template <class In, detail::no_options Out>
void exclusive_scan(const exec&, const In&, Out&&, const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::input_or_view_check<In>, detail::output_or_view_check<Out>, detail::sums_check<Out, In>>();
}

// offsets[i] = counts[0] + ... + counts[i - 1] for i = 0 to n. Group i begins at offsets[i]; the
// last group ends at offsets[n] (the row offsets of a CSR matrix). `offsets` has one item more than
// `counts`; if `counts` is `counted`, the total is at the index given by its length on the device.
// `total` receives it too.
template <input_range_or_view In, detail::sums_of<In> Out>
void counts_to_offsets(const exec& where, const In& counts, Out&& offsets,
                       device_result<detail::output_item_t<Out>> total = {}) {
  using T = detail::item_t<Out>;
  auto call = detail::scan_of_items(detail::as_input(counts), detail::as_output(offsets), T{}, plus{},
                                    scan_options<T>{.total = total}, "counts_to_offsets");
  call.appends_total = true;
  call.in_name = "counts";
  call.out_name = "offsets";
  detail::launch_scan<device::scan_kind::exclusive>(where, call);
}
template <class In, class Out>
void counts_to_offsets(const exec&, const In&, Out&&, device_result<detail::output_item_t<Out>> = {}) {
  detail::explain<detail::input_or_view_check<In>, detail::output_check<Out>, detail::sums_check<Out, In>>();
}

// ranks[i]: the number of set flags among flags[0] to flags[i]. Flags: items of one byte, set if
// not 0. Ranks: integers of any size, signed or not; 32 bits wrap at 2^32 set flags.
template <detail::byte_sized_flags In, detail::rank_range Out>
void inclusive_scan_flags(const exec& where, const In& flags, Out&& ranks,
                          const scan_options<detail::output_item_t<Out>>& options = {}) {
  detail::launch_scan<device::scan_kind::inclusive>(
      where, detail::scan_of_flags(detail::as_input(flags), detail::as_output(ranks), options, "inclusive_scan_flags"));
}
template <class In, class Out>
void inclusive_scan_flags(const exec&, const In&, Out&&, const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::byte_flags_check<In>, detail::ranks_check<Out>>();
}

// ranks[i]: the number of set flags before flags[i].
template <detail::byte_sized_flags In, detail::rank_range Out>
void exclusive_scan_flags(const exec& where, const In& flags, Out&& ranks,
                          const scan_options<detail::output_item_t<Out>>& options = {}) {
  detail::launch_scan<device::scan_kind::exclusive>(
      where, detail::scan_of_flags(detail::as_input(flags), detail::as_output(ranks), options, "exclusive_scan_flags"));
}
template <class In, class Out>
void exclusive_scan_flags(const exec&, const In&, Out&&, const scan_options<detail::output_item_t<Out>>& = {}) {
  detail::explain<detail::byte_flags_check<In>, detail::ranks_check<Out>>();
}

}  // namespace ballot
