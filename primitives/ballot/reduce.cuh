// SPDX-License-Identifier: Apache-2.0
// Reductions of a device array: sum, minimum, maximum, index of the minimum or maximum, any
// associative operator.
//
//     ballot::device_value<std::uint64_t> total(stream);
//     ballot::sum(gpu, counts, total);                                     // u32 items, u64 sum
//     ballot::reduce(gpu, maps, affine::identity(), compose{}, composed);  // need not commute
//     ballot::arg_max(gpu, bodies, is_lighter{}, heaviest);                // your own comparison
//     ballot::arg_min(gpu, distances, nearest);                            // indexed<float>
//
// in        contiguous device range or view, or `counted`, of a trivially copyable type
// result    device address (or device_value) of one T, a trivially copyable type of at most 32
//           bytes. Items are converted to T when they are loaded. Also written if n = 0.
// initial   converted to T; T{} in overloads without it
// op        associative; `plus` in overloads without it. Callable on the device. It need not
//           commute. If it is known to commute (is_commutative, core/operators.hpp), the call is
//           faster. Its results are converted to T. It is applied only to `initial` and to sums of
//           adjacent items (of any items, if it commutes).
// aliasing  result must overlap neither the input nor its length on the device. The scratch must
//           not overlap any argument.
//
// Deterministic: how the operands are grouped depends only on n and the types. So a sum of floats
// has the same bits on every run, on every GPU and at every address. A NaN makes a sum NaN. minimum
// and maximum, and their indices, ignore NaNs as long as there is a number.
//
// Scratch: reduce_scratch_bytes<T>(n): at most 2640 results and 256 bytes, none for small n.
//
// Work on the stream: one kernel of one block for up to 96 KiB of items. From sm_90 on, one kernel
// of up to 16 blocks for up to 640 KiB. Else two kernels, of which the second begins while the
// first ends. Each item is read once.
//
// Errors, before any work: invalid_argument for null with n > 0, a result that is null or overlaps
// the input, or too little scratch. cuda_error from the launch.
//
// Source: Harris, Optimizing Parallel Reduction in CUDA, 2007.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/detail/explain_scans.hpp>
#include <ballot/device/detail/reduce_arg.cuh>
#include <ballot/device/detail/reduce_launch.cuh>
#include <ballot/warp/function_objects.cuh>

#include <limits>
#include <type_traits>

namespace ballot {
namespace detail {

// The minimum or maximum of no items, or of nothing but NaNs: a value than which no item is larger,
// or smaller.
template <class T>
constexpr T last_of_minimum() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  else return std::numeric_limits<T>::max();
}
template <class T>
constexpr T last_of_maximum() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
  else return std::numeric_limits<T>::lowest();
}

}  // namespace detail

// Bytes of scratch for a reduction of n items to a T, at any address. The type of the items does
// not matter. For arg_min and arg_max, T is indexed<item>. Pure.
template <class T>
std::size_t reduce_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::reduce_scratch_bytes_of<T>(detail::smallest_reduce_shape::blocks(n)));
}

namespace detail {

// Function: checks of the initial value and of the function object, where a call has them.
template <class In, class Result, class... Checks>
void explain_reduction() {
  explain<input_or_view_check<In>, Checks..., result_check<Result>,
          sum_check<known_result_t<Result>, known_item_t<In>>>();
}

template <class Result>
struct number_result_check {
  static constexpr bool ok =
      std::is_arithmetic_v<known_result_t<Result>> || std::is_same_v<known_result_t<Result>, unknown>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: the smallest or largest item is that of an arithmetic type. For other types write "
                  "ballot::reduce with an initial item of your own.");
  }
};

// The items of arg_min and arg_max.
template <class T>
concept indexable = sizeof(T) <= 24 && requires(const T& a, const T& b) { static_cast<bool>(a < b); };
template <class T>
struct indexable_check {
  static constexpr bool ok = indexable<T> || std::is_same_v<T, unknown>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: the index of the smallest or largest item is found for items of at most 24 bytes with `<`.");
  }
};
template <class T>
struct indexed_size_check {
  static constexpr bool ok = sizeof(T) <= 24;
  static consteval void explain() {
    static_assert(ok, "ballot: the index of the smallest or largest item is found for items of at most 24 bytes.");
  }
};
template <class In>
struct indexed_of {
  using type = unknown;
};
template <class In>
  requires(!std::same_as<known_item_t<In>, unknown> && sizeof(known_item_t<In>) <= 24)
struct indexed_of<In> {
  using type = indexed<item_t<In>>;
};
template <class In>
using indexed_t = typename indexed_of<In>::type;

}  // namespace detail

// result = initial op in[0] op ... op in[n - 1].
template <input_range_or_view In, class Initial, class Op, detail::sum_result_of<In> Result>
  requires operator_of<Op, detail::result_t<Result>> && std::is_convertible_v<const Initial&, detail::result_t<Result>>
void reduce(const exec& where, const In& in, const Initial& initial, const Op& op, const Result& result) {
  using T = detail::result_t<Result>;
  detail::launch_reduce<device::items_as<T>>(where, detail::as_input(in), device_result(result).address(),
                                             static_cast<T>(initial), Op(op), "reduce");
}
template <class In, class Initial, class Op, class Result>
void reduce(const exec&, const In&, const Initial&, const Op&, const Result&) {
  detail::explain_reduction<In, Result, detail::initial_check<Initial, detail::known_result_t<Result>>,
                            detail::operator_check<Op, detail::known_result_t<Result>>>();
}
// By plus.
template <input_range_or_view In, class Initial, detail::sum_result_of<In> Result>
  requires std::is_convertible_v<const Initial&, detail::result_t<Result>>
void reduce(const exec& where, const In& in, const Initial& initial, const Result& result) {
  reduce(where, in, static_cast<detail::result_t<Result>>(initial), plus{}, result);
}
template <class In, class Initial, class Result>
void reduce(const exec&, const In&, const Initial&, const Result&) {
  detail::explain_reduction<In, Result, detail::initial_check<Initial, detail::known_result_t<Result>>>();
}
// By plus, from 0.
template <input_range_or_view In, detail::sum_result_of<In> Result>
void reduce(const exec& where, const In& in, const Result& result) {
  reduce(where, in, detail::result_t<Result>{}, plus{}, result);
}
template <class In, class Result>
void reduce(const exec&, const In&, const Result&) {
  detail::explain_reduction<In, Result>();
}

// result = in[0] + ... + in[n - 1], in the type of the result; 0 for no items. Integers wrap.
template <input_range_or_view In, detail::sum_result_of<In> Result>
void sum(const exec& where, const In& in, const Result& result) {
  using T = detail::result_t<Result>;
  detail::launch_reduce<device::items_as<T>>(where, detail::as_input(in), device_result(result).address(), T{}, plus{},
                                             "sum");
}
template <class In, class Result>
void sum(const exec&, const In&, const Result&) {
  detail::explain_reduction<In, Result>();
}

// The smallest item, for arithmetic types. For no items, it is the largest integer, or NaN. If both
// -0 and +0 are smallest, it is unspecified which of them is the result.
template <input_range_or_view In, detail::sum_result_of<In> Result>
  requires std::is_arithmetic_v<detail::result_t<Result>>
void minimum_of(const exec& where, const In& in, const Result& result) {
  using T = detail::result_t<Result>;
  detail::launch_reduce<device::items_as<T>>(where, detail::as_input(in), device_result(result).address(),
                                             detail::last_of_minimum<T>(), minimum{}, "minimum_of");
}
template <class In, class Result>
void minimum_of(const exec&, const In&, const Result&) {
  detail::explain_reduction<In, Result, detail::number_result_check<Result>>();
}

// The largest item, for arithmetic types. For no items, it is the smallest integer, or NaN. If both
// -0 and +0 are largest, it is unspecified which of them is the result.
template <input_range_or_view In, detail::sum_result_of<In> Result>
  requires std::is_arithmetic_v<detail::result_t<Result>>
void maximum_of(const exec& where, const In& in, const Result& result) {
  using T = detail::result_t<Result>;
  detail::launch_reduce<device::items_as<T>>(where, detail::as_input(in), device_result(result).address(),
                                             detail::last_of_maximum<T>(), maximum{}, "maximum_of");
}
template <class In, class Result>
void maximum_of(const exec&, const In&, const Result&) {
  detail::explain_reduction<In, Result, detail::number_result_check<Result>>();
}

// The smallest item and its index, for types of at most 24 bytes with `<`. The first of equal items
// (-0 and +0 are equal). If all items are NaNs, the first of them. For no items, {no_index, 0}.
template <input_range_or_view In>
  requires detail::indexable<detail::item_t<In>>
void arg_min(const exec& where, const In& in, device_result<detail::indexed_t<In>> result) {
  using T = detail::item_t<In>;
  using first = device::first_of<T, device::is_less>;
  detail::launch_reduce<first>(where, detail::as_input(in), result.address(), indexed<T>{}, first{}, "arg_min");
}
template <class In>
void arg_min(const exec&, const In&, device_result<detail::indexed_t<In>>) {
  detail::explain<detail::input_or_view_check<In>, detail::indexable_check<detail::known_item_t<In>>>();
}
// By a comparison of your own, bool less(a, b), a strict weak order: the first item than which no
// other is less. `less` is called only with items.
template <input_range_or_view In, class Less>
  requires(relation_of<Less, detail::item_t<In>> && sizeof(detail::item_t<In>) <= 24)
void arg_min(const exec& where, const In& in, const Less& less, device_result<detail::indexed_t<In>> result) {
  using T = detail::item_t<In>;
  using first = device::first_of<T, device::is_less_by<Less>>;
  detail::launch_reduce<first>(where, detail::as_input(in), result.address(), indexed<T>{}, first{{less}}, "arg_min");
}
template <class In, class Less>
void arg_min(const exec&, const In&, const Less&, device_result<detail::indexed_t<In>>) {
  detail::explain<detail::input_or_view_check<In>, detail::relation_check<Less, detail::known_item_t<In>>,
                  detail::indexed_size_check<detail::known_item_t<In>>>();
}

// The largest item, otherwise like arg_min.
template <input_range_or_view In>
  requires detail::indexable<detail::item_t<In>>
void arg_max(const exec& where, const In& in, device_result<detail::indexed_t<In>> result) {
  using T = detail::item_t<In>;
  using first = device::first_of<T, device::is_greater>;
  detail::launch_reduce<first>(where, detail::as_input(in), result.address(), indexed<T>{}, first{}, "arg_max");
}
template <class In>
void arg_max(const exec&, const In&, device_result<detail::indexed_t<In>>) {
  detail::explain<detail::input_or_view_check<In>, detail::indexable_check<detail::known_item_t<In>>>();
}
// By a comparison of your own, a strict weak order: the first item that is less than no other.
// `less` is called only with items.
template <input_range_or_view In, class Less>
  requires(relation_of<Less, detail::item_t<In>> && sizeof(detail::item_t<In>) <= 24)
void arg_max(const exec& where, const In& in, const Less& less, device_result<detail::indexed_t<In>> result) {
  using T = detail::item_t<In>;
  using first = device::first_of<T, device::is_greater_by<Less>>;
  detail::launch_reduce<first>(where, detail::as_input(in), result.address(), indexed<T>{}, first{{less}}, "arg_max");
}
template <class In, class Less>
void arg_max(const exec&, const In&, const Less&, device_result<detail::indexed_t<In>>) {
  detail::explain<detail::input_or_view_check<In>, detail::relation_check<Less, detail::known_item_t<In>>,
                  detail::indexed_size_check<detail::known_item_t<In>>>();
}

}  // namespace ballot
