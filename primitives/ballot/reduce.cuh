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
//           commute, and is faster if it is known to (is_commutative, core/operators.hpp). Its
//           results are converted to T. It is applied only to `initial` and to sums of adjacent
//           items (of any items, if it commutes).
// aliasing  result may overlap neither the input nor its length on the device. The scratch overlaps
//           no argument.
//
// Deterministic: the association of the operands depends on n and the types alone. So a sum of
// floats has the same bits on every run, on every GPU and at every address. A NaN makes a sum NaN.
// minimum and maximum, and their indices, ignore NaNs as long as there is a number.
//
// Scratch: reduce_scratch_bytes<T>(n): at most 1848 results and 256 bytes, none for small n.
//
// Work on the stream: one kernel of one block for up to 96 KiB of items; from sm_90 on, one of up
// to 16 blocks for up to 512 KiB. Else two kernels, of which the second begins while the first
// ends. Each item is read once.
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
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/warp/function_objects.cuh>

#include <limits>
#include <type_traits>

namespace ballot {
namespace detail {

// 256 threads with 8 vectors of 16 bytes each. So a block has up to 32 KiB of loads in flight, and
// four of them on a multiprocessor 128 KiB. An H200 needs some 40 KiB on each. One block reduces up
// to 24 warp tiles, 96 KiB: more take longer than a second launch. H200, 2026-11-23, us in a graph,
// f64, of 1000, 65537, 1000003, 5000011 and 50000017 items: 2.5 4.2 5.0 9.3 93.1; at most 7392
// blocks: 103.5 for the last; 512 threads: 2.8 4.6 5.3 9.8 94.3; CUB: 2.4 3.9 4.8 9.6 93.3.
//
// The shape and the number of blocks determine the association of a sum. So they are the same on
// every GPU and are not tuned for one. At most so many blocks. They are several rounds of those
// that a GPU holds at a time, so that the load is even at the end. It is not a power of two: the
// ranges of a power of two of items then do not begin at powers of two.
inline constexpr unsigned most_reduce_blocks = 1848;
template <class Item>
using reduce_shape =
    device::reduce_shape<256,
                         sizeof(Item) <= 16   ? 8
                         : sizeof(Item) <= 64 ? 2
                                              : 1,
                         block::vector_width<Item>(16), sizeof(Item) <= 16 ? 24 : 64, most_reduce_blocks>;
// Of a view: as many bytes of its arrays in flight. The items of a vector have up to 16 bytes in
// each array.
template <class V>
struct view_reduce_width {
  static constexpr int value = [] {
    if constexpr (device::bytes_read<V> == 0) return block::vector_width<typename V::value_type>(16);
    constexpr auto fits = []<int Width>(std::integral_constant<int, Width>) {
      return device::has_vectors<V, Width> && Width * device::bytes_read<V> <= 16 * arrays_of<V>;
    };
    return fits(std::integral_constant<int, 16>{})  ? 16
           : fits(std::integral_constant<int, 8>{}) ? 8
           : fits(std::integral_constant<int, 4>{}) ? 4
           : fits(std::integral_constant<int, 2>{}) ? 2
                                                    : 1;
  }();
};
constexpr int reduce_chunks_of(std::size_t vector_bytes) {
  return vector_bytes <= 16 ? 8 : vector_bytes <= 32 ? 4 : vector_bytes <= 64 ? 2 : 1;
}
template <class V>
inline constexpr int view_reduce_chunks = reduce_chunks_of(view_reduce_width<V>::value * device::loaded_bytes<V>);
template <class V>
using view_reduce_shape = device::reduce_shape<256, view_reduce_chunks<V>, view_reduce_width<V>::value,
                                               view_reduce_chunks<V> == 8 ? 24 : 64, most_reduce_blocks>;
using smallest_reduce_shape = device::reduce_shape<256, 1, 1, 64, most_reduce_blocks>;  // the most blocks of all

template <class T>
struct reduce_scratch {
  T* partials;

  reduce_scratch(scratch_carver& carver, unsigned blocks) : partials(carver.take<T>(blocks)) {}
};

template <class T>
std::size_t reduce_scratch_bytes_of(unsigned blocks) {
  if (blocks == 1) return 0;
  scratch_carver measure;
  reduce_scratch<T>(measure, blocks);
  return measure.bytes();
}

// All arguments are checked but the scratch, which must not overlap `others`. In: a pointer or a
// view. Result: that of Values, or what it is converted to.
template <class Values, class Shape, class In, class Op, class Result>
void launch_reduce_blocks(const exec& where, const In& in, const length& n, bool vector_aligned, Result* result,
                          typename Values::value_type initial, Op op, const char* function,
                          std::initializer_list<argument> others) {
  using T = typename Values::value_type;
  const device::reduce_division division = device::divide_items<Shape>(n.capacity);
  const unsigned blocks = division.blocks;
  const std::size_t bytes = reduce_scratch_bytes_of<T>(blocks);
  const scratch_lease lease(where, bytes, function, others);
  scratch_carver carver(lease.base());
  const reduce_scratch<T> scratch(carver, blocks);

  const auto applied = as_operator<T>(op);
  using applied_op = std::remove_const_t<decltype(applied)>;
  simt::launch_config config{dim3(blocks), dim3(Shape::threads), sizeof(device::reduce_storage<T, Shape::warps>),
                             where.stream()};
  constexpr auto kernel = device::reduce_kernel<Shape, Values, In, applied_op, Result>;
  config.is_cluster =
      blocks > 1 && blocks <= simt::most_cluster_blocks && blocks <= simt::largest_cluster(kernel, config);
  simt::launch(kernel, config, in, n, division, applied, initial, vector_aligned,
               config.is_cluster ? nullptr : scratch.partials, result);
  if (blocks == 1 || config.is_cluster) return;
  config.grid = dim3(1);
  config.block =
      dim3(static_cast<unsigned>(smaller(simt::warp_size * ceil_div(blocks, simt::warp_size), Shape::threads)));
  config.overlaps_previous_launch = true;
  simt::launch(device::reduce_partials_kernel<Shape, T, applied_op, Result>, config, n, blocks, applied, initial,
               static_cast<const T*>(scratch.partials), result);
}

// Shape: only tests choose another than the tuned one.
template <class Values, class Item, class Shape = reduce_shape<Item>, class Op, class Result>
void launch_reduce(const exec& where, const input<Item>& in, Result* result, typename Values::value_type initial, Op op,
                   const char* function) {
  using T = typename Values::value_type;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= most_sum_bytes,
                "results have at most 32 bytes, to be copied as such");
  const argument from = argument_of("in", in), count = argument_of("in", in.length),
                 to{"result", result, result == nullptr ? 0 : sizeof(Result)};
  require_not_null(function, {from});
  require(result != nullptr, function, "`result` has no address");
  require_apart(function, {to}, {from, count});
  launch_reduce_blocks<Values, Shape>(where, in.data, in.length, block::is_vector_aligned<Item, Shape::width>(in.data),
                                      result, initial, op, function, {from, count, to});
}
// Of a view. The number keeps the overload out where item and shape are given.
template <class Values, int = 0, class V, class Op>
void launch_reduce(const exec& where, const view_input<V>& in, typename Values::value_type* result,
                   typename Values::value_type initial, Op op, const char* function) {
  using T = typename Values::value_type;
  using shape = view_reduce_shape<V>;
  const argument count = argument_of("in", in.length), to = argument_of("result", device_result<T>(result));
  require(result != nullptr, function, "`result` has no address");
  require_apart(function, {to}, {count});
  require_view(function, where, "in", in, {to});
  launch_reduce_blocks<Values, shape>(where, in.view, in.length, device::is_vector_aligned<shape::width>(in.view),
                                      result, initial, op, function, {count, to});
}

// The minimum or maximum of no items, or of NaNs alone: no item is larger, or smaller.
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

// Bytes of scratch for a reduction of n items of any type to a T, at any address; T is
// indexed<item> for arg_min and arg_max. Pure.
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

// The smallest item, for arithmetic types. No items: the largest integer, or NaN. -0 or +0:
// unspecified.
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

// The largest item, for arithmetic types. No items: the smallest integer, or NaN. -0 or +0:
// unspecified.
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
// (-0 and +0 are equal). NaNs alone: the first of them. No items: {no_index, 0}.
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
// By a comparison of your own, bool less(a, b): the first item such that no other is less.
// A strict weak order; `less` is called on items alone.
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
// By a comparison of your own: the first item that is less than no other.
// A strict weak order; `less` is called on items alone.
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
