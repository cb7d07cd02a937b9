// Prefix sums of a device array in a single pass.
//
//     ballot::exclusive_scan(gpu, counts, places);                   // places[i] = counts[0] + ... + counts[i - 1]
//     ballot::inclusive_scan(gpu, heights, highest, ballot::maximum{});
//     ballot::inclusive_scan(gpu, x, sums, ballot::plus{}, {.total = sum, .order = ballot::scan_order::backward});
//     ballot::counts_to_offsets(gpu, counts, offsets);               // offsets[n] is the total
//     ballot::exclusive_scan_flags(gpu, kept, ranks);                // kept: bytes; ranks[i]: how many are set before i
//
// in       a contiguous device range, which may be `counted`: then only so many leading items of the output are written.
// out      as long as the input (its capacity); counts_to_offsets: one longer, and the total is where the input ends.
// types    of the items: trivially copyable. Sums are taken in the OUTPUT's item type T, of at most 16 bytes; items
//          are converted to it (static_cast) when loaded: counts of 32 bits give offsets of 64, bytes give sums of 32.
// op       associative, need not commute, callable on the device, applied in T: what it gives is made a T again. Called
//          on sums of neighbouring items and on `initial` alone (core/operators.hpp). Sums of integers wrap in T: bytes
//          summed into bytes wrap at 256, also where op gives an int.
// overlap  in and out may be the same range (in place) where their types are the same; else nothing overlaps.
// options  `total`: op of all items, for the exclusive scan of `initial` before them, left on the device; of floats
//          it may differ from the inclusive sum of the last item in its last bits. `order`: device/scan_options.hpp;
//          exclusive backward, out[n - 1] is `initial`. A range of no items: the exclusive scan's total is `initial`, the
//          inclusive scan's is not written.
//
// Scratch: scan_scratch_bytes<T>(n), T the type of the sums; 8 bytes a tile for T of up to 4 bytes, 16 for up to 12, 32
// for larger, and 1/31 more. Work on the stream: a fill of the tile states and one kernel; nothing where n = 0, but one
// block where a total is wanted. Reads and writes each item once; linear.
// Deterministic where op is truly associative, as for integers. Sums of floats are associated differently from run to
// run, by the timing of the tiles; with `reproducible` they have the same bits on every run and every GPU, for the same
// n, types, order and function: tiles are added up along a fixed tree (device/tree_look_back.cuh). Those bits belong to
// this version's tile shape (reproducible_scan_shape in device/detail/scan_launch.cuh), and the kernel must be compiled with
// the same rules of floating point (-fmad does not matter to sums).
// Vectors of 16 bytes are used where in and out are aligned to them; from other addresses items move one by one.
// Errors (before any work): invalid_argument for null with n > 0, an output of another length, overlap (also of the
// total, or of a count on the device with what is written), scratch too small or misaligned; cuda_error from the launch.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/detail/scan_launch.cuh>
#include <ballot/device/scan_options.hpp>

namespace ballot {
namespace detail {

template <class R>
using output_item_t = typename decltype(as_output(std::declval<R>()))::value_type;

template <device::scan_kind Kind, class In, class T, class Op>
void scan_items(const exec& where, const input<In>& in, const output<T>& out, T initial, Op op,
                const scan_options<T>& options, const char* function) {
  launch_scan<Kind>(
      where, scan_call<T, device::input_items<In>, Op>{{in.data}, in.length, out, initial, op, options, function});
}

template <device::scan_kind Kind, class Flag, class T>
void scan_flags(const exec& where, const input<Flag>& flags, const output<T>& ranks, const scan_options<T>& options,
                const char* function) {
  static_assert(sizeof(Flag) == 1, "flags are bytes");
  static_assert(std::is_unsigned_v<T> && !std::is_same_v<T, bool>, "ranks are unsigned integers");
  const device::input_flags in{reinterpret_cast<const std::uint8_t*>(flags.data)};
  launch_scan<Kind>(where,
                    scan_call<T, device::input_flags, plus>{in, flags.length, ranks, T{}, plus{}, options, function});
}

}  // namespace detail

// Bytes of scratch that each of these functions needs for n items and sums of type T, whatever its options. Pure.
template <class T>
std::size_t scan_scratch_bytes(std::uint64_t n) {
  return detail::scan_bytes<T>(n);
}

// out[i] = in[0] op ... op in[i].
template <detail::input_range In, detail::output_range Out, class Op = plus>
void inclusive_scan(const exec& where, const In& in, Out&& out, Op op = {},
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  using T = detail::output_item_t<Out>;
  detail::scan_items<device::scan_kind::inclusive>(where, detail::as_input(in), detail::as_output(out), T{}, op,
                                                   options, "inclusive_scan");
}

// out[0] = initial, out[i] = initial op in[0] op ... op in[i - 1].
template <detail::input_range In, detail::output_range Out, class Op = plus>
void exclusive_scan(const exec& where, const In& in, Out&& out, detail::output_item_t<Out> initial = {}, Op op = {},
                    const scan_options<detail::output_item_t<Out>>& options = {}) {
  detail::scan_items<device::scan_kind::exclusive>(where, detail::as_input(in), detail::as_output(out), initial, op,
                                                   options, "exclusive_scan");
}

// offsets[i] = counts[0] + ... + counts[i - 1] for i = 0 to n: where each group begins, and in offsets[n] where the last
// one ends (the row offsets of a CSR matrix). `offsets` has an item more than `counts`; of `counted` counts the total is
// in offsets[number on the device]. It can be left in `total` as well.
template <detail::input_range In, detail::output_range Out>
void counts_to_offsets(const exec& where, const In& counts, Out&& offsets,
                       device_result<detail::output_item_t<Out>> total = {}) {
  using T = detail::output_item_t<Out>;
  const auto in = detail::as_input(counts);
  using input_type = device::input_items<detail::item_t<In>>;
  detail::launch_scan<device::scan_kind::exclusive>(
      where,
      detail::scan_call<T, input_type, plus>{
          {in.data}, in.length, detail::as_output(offsets), T{}, plus{}, {.total = total}, "counts_to_offsets", true});
}

// ranks[i]: how many of flags[0] to flags[i] are set. Flags: items of one byte, set where they are not 0. Ranks: of any
// unsigned type; in 32 bits they wrap where 2^32 are set.
template <detail::input_range In, detail::output_range Out>
void inclusive_scan_flags(const exec& where, const In& flags, Out&& ranks,
                          const scan_options<detail::output_item_t<Out>>& options = {}) {
  detail::scan_flags<device::scan_kind::inclusive>(where, detail::as_input(flags), detail::as_output(ranks), options,
                                                   "inclusive_scan_flags");
}

// ranks[i]: how many of the flags before flags[i] are set.
template <detail::input_range In, detail::output_range Out>
void exclusive_scan_flags(const exec& where, const In& flags, Out&& ranks,
                          const scan_options<detail::output_item_t<Out>>& options = {}) {
  detail::scan_flags<device::scan_kind::exclusive>(where, detail::as_input(flags), detail::as_output(ranks), options,
                                                   "exclusive_scan_flags");
}

}  // namespace ballot
