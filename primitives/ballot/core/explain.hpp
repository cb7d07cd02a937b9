// SPDX-License-Identifier: Apache-2.0
// Why a call does not compile, said in one message.
//
// Each public function has a twin: an overload with the same parameters but without constraints.
// Overload resolution takes the twin only if the function itself does not fit. The twin has a check
// for each argument. The first check that fails says what is wrong and what to write instead:
//
//     template <input_range In, output_range Out>
//     void f(const exec& where, const In& in, Out&& out) { ... }
//     template <class In, class Out>
//     void f(const exec&, const In&, Out&&) {
//       detail::explain<detail::input_check<In>, detail::output_check<Out>>();
//     }
#pragma once

#include <ballot/core/concepts.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/view.hpp>

#include <type_traits>
#include <utility>

namespace ballot::detail {

template <class... T>
inline constexpr bool never = false;

template <class R>
inline constexpr bool is_pointer_like = std::is_pointer_v<R> || requires(const R& p) { raw_pointer(p); };
// The concepts of <iterator> are not used, because the header would cost every includer compile
// time. Here an iterator is what can be dereferenced and incremented.
template <class R>
inline constexpr bool is_iterator_like = requires(R& i) {
  *i;
  ++i;
};
template <class F>
inline constexpr bool is_range_like =
    device_range<F> || is_counted<std::remove_cvref_t<F>> || host_container<F> || input_view<F>;

// The items of any class that has data() and size(). Nothing else is known of it.
template <class R>
inline constexpr bool has_trivial_items = [] {
  if constexpr (requires { typename element_t<R>; }) return std::is_trivially_copyable_v<element_t<R>>;
  else return true;
}();
template <class R>
inline constexpr bool has_stored_items = [] {
  if constexpr (requires { typename element_t<R>; }) return is_stored<element_t<R>>;
  else return true;
}();
template <class R>
inline constexpr bool has_const_items = [] {
  if constexpr (device_range<R>) return std::is_const_v<typename decltype(span_of(std::declval<R&>()))::element_type>;
  else if constexpr (requires { typename element_t<R>; }) return std::is_const_v<element_t<R>>;
  else return false;
}();

// The mistakes that inputs and outputs have in common.
template <class R>
struct range_check {
  using plain = std::remove_cvref_t<R>;
  static constexpr bool is_pointer = is_pointer_like<plain>;
  static constexpr bool is_number = std::is_arithmetic_v<plain>;
  static constexpr bool is_host = host_container<plain>;
  static constexpr bool is_iterator = !is_pointer && is_iterator_like<plain>;
  static constexpr bool is_function =
      !is_range_like<R> && !is_pointer && !is_iterator && std::is_class_v<plain> && std::is_empty_v<plain>;
  static constexpr bool is_trivial = has_trivial_items<R>;
  static constexpr bool is_stored = has_stored_items<R>;
  static constexpr bool is_one =
      is_pointer || is_number || is_host || is_iterator || is_function || !is_trivial || !is_stored;

  static consteval void explain() {
    static_assert(!is_pointer,
                  "ballot: a pointer does not know its length. Write ballot::device_span(pointer, items) or "
                  "std::span(pointer, items).");
    static_assert(!is_number, "ballot: a number stands where a range is expected. See the order of arguments above.");
    static_assert(!is_host,
                  "ballot: a std::vector or std::array lies in the host's memory. Copy it into a ballot::device_array "
                  "or another container of the device.");
    static_assert(!is_iterator,
                  "ballot: an iterator is not accepted, because ranges are contiguous memory. Write "
                  "ballot::device_span(pointer, items), or ballot::view{iterator, items} where a call takes views.");
    static_assert(!is_function,
                  "ballot: a function object stands where a range is expected. The order is: inputs, function object, "
                  "outputs, counts, options.");
    static_assert(is_trivial,
                  "ballot: items are copied byte by byte, so their type must be trivially copyable (std::string is "
                  "not).");
    static_assert(!is_trivial || is_stored,
                  "ballot: kernels keep items in arrays, so their type needs a default constructor and an assignment: "
                  "no const members, no references. The constructor may leave the members as they are.");
  }
};

template <class R>
struct input_check {
  static constexpr bool ok = input_range<R>;
  static consteval void explain() {
    if constexpr (range_check<R>::is_one) range_check<R>::explain();
    else {
      static_assert(!input_view<R>,
                    "ballot: this argument is read as contiguous memory and takes no view (docs/reference.md has the "
                    "calls that do). Write the view's items to memory first, for example by ballot::compact with "
                    "nothing rejected, or pass the range below it.");
      static_assert(input_view<R>,
                    "ballot: the input is no contiguous range of the device. It needs data() and size(): std::span, "
                    "ballot::device_array, thrust::device_vector, or ballot::counted{range, count}.");
    }
  }
};
// For calls that take views.
template <class R>
struct input_or_view_check : input_check<R> {
  static constexpr bool ok = input_range_or_view<R>;
};

template <class R>
struct output_check {
  static constexpr bool ok = output_range<R>;
  static constexpr bool is_counted_output = is_counted<std::remove_cvref_t<R>>;
  static consteval void explain() {
    if constexpr (range_check<R>::is_one) range_check<R>::explain();
    else if constexpr (input_view<R>)
      static_assert(never<R>,
                    "ballot: a view is no output: its items are computed where they are read. Pass a range of the "
                    "device that can be written.");
    else if constexpr (output_view<R>)
      static_assert(never<R>,
                    "ballot: this argument is written as contiguous memory and takes no output view "
                    "(docs/reference.md has the calls that do). Pass a range of the device.");
    else {
      static_assert(!has_const_items<R>, "ballot: the output is const. Pass a range of items that can be written.");
      static_assert(!is_counted_output,
                    "ballot: an output is not counted. Pass the whole range; the call leaves the count.");
      static_assert(has_const_items<R> || is_counted_output,
                    "ballot: the output is no contiguous range of the device. It needs data() and size(): std::span, "
                    "ballot::device_array or thrust::device_vector.");
    }
  }
};

// For calls that take output views.
template <class R>
struct output_or_view_check : output_check<R> {
  static constexpr bool ok = output_range_or_view<R>;
};

template <class R>
struct in_place_check {
  static constexpr bool ok = in_place_range<R>;
  static consteval void explain() {
    if constexpr (range_check<R>::is_one) range_check<R>::explain();
    else if constexpr (input_view<R>)
      static_assert(never<R>, "ballot: a view cannot be changed in place: its items are computed where they are read.");
    else {
      static_assert(!has_const_items<R>, "ballot: a range that is changed in place must not be const.");
      static_assert(has_const_items<R>,
                    "ballot: the range is no contiguous range of the device. It needs data() and size(): std::span, "
                    "ballot::device_array, thrust::device_vector, or ballot::counted{range, count}.");
    }
  }
};

// The items of a range; `unknown` if the argument is not a range, which another check explains.
struct unknown {};
template <class R>
struct known_item {
  using type = unknown;
};
template <class R>
  requires requires { typename element_t<R>; }
struct known_item<R> {
  using type = item_t<R>;
};
template <class R>
using known_item_t = typename known_item<R>::type;

template <class Out, class In>
struct same_items_check {
  static constexpr bool ok = std::is_same_v<known_item_t<Out>, known_item_t<In>>;
  static consteval void explain() {
    static_assert(ok, "ballot: the output's items have another type than the input's. They must be the same.");
  }
};

// The mistakes that every function object may have.
template <class F>
struct function_check {
  static constexpr bool is_range = is_range_like<F>;
  static constexpr bool ok = function_object<F> && !is_range;
  static constexpr bool is_pointer = std::is_pointer_v<std::decay_t<F>>;
  static constexpr bool is_scalar = std::is_scalar_v<F> && !is_pointer;
  static consteval void explain() {
    static_assert(!is_range,
                  "ballot: a range stands where a function object is expected. The order is: inputs, function object, "
                  "outputs, counts, options.");
    static_assert(
        !is_pointer,
        "ballot: a pointer stands where a function object is expected. A host's function cannot be called by a "
        "kernel: write a struct with a __device__ operator(), or a range as ballot::device_span(pointer, n).");
    static_assert(!is_scalar,
                  "ballot: a number stands where a function object is expected. Write a struct with a __device__ "
                  "operator(), or one of ballot's operators such as ballot::plus{}.");
    static_assert(!is_host_lambda<F>,
                  "ballot: a lambda of the host cannot be called by a kernel. Write [] __host__ __device__ (...) {...} "
                  "and compile with --extended-lambda, or a struct with a __device__ operator().");
    static_assert(
        is_range || is_pointer || is_scalar || is_host_lambda<F> || std::is_trivially_copyable_v<F>,
        "ballot: a function object is copied to the device byte by byte, so it must be trivially copyable. It "
        "cannot hold a std::vector or a std::function; let it hold a pointer to device memory.");
    static_assert(is_range || is_pointer || is_scalar || is_host_lambda<F> || !std::is_trivially_copyable_v<F> ||
                      std::is_class_v<F>,
                  "ballot: a function object is expected here: a struct with a __device__ operator().");
  }
};

template <class F, class... Items>
struct predicate_check {
  static constexpr bool ok =
      predicate_of<F, Items...> || (function_object<F> && (std::is_same_v<Items, unknown> || ...));
  static consteval void explain() {
    if constexpr (!function_check<F>::ok) function_check<F>::explain();
    else
      static_assert(
          ok,
          "ballot: the predicate cannot be called with an item (of a zip: with an item of each range), or its "
          "result is no bool. Write bool operator()(const T& item) const. For the first range of a zip alone, "
          "write ballot::on_first{predicate}.");
  }
};

template <class F, class T>
struct relation_check {
  static constexpr bool ok = relation_of<F, T> || (function_object<F> && std::is_same_v<T, unknown>);
  static consteval void explain() {
    if constexpr (!function_check<F>::ok) function_check<F>::explain();
    else
      static_assert(ok,
                    "ballot: the relation cannot be called with two items, or its result is no bool. Write "
                    "bool operator()(const T& a, const T& b) const.");
  }
};

template <class F, class T>
struct operator_check {
  static constexpr bool ok = operator_of<F, T> || (function_object<F> && std::is_same_v<T, unknown>);
  static consteval void explain() {
    if constexpr (!function_check<F>::ok) function_check<F>::explain();
    else
      static_assert(ok,
                    "ballot: the operator cannot be called with two sums, or its result does not convert to a sum. The "
                    "type of a sum is the output's. Write T operator()(const T& a, const T& b) const.");
  }
};

// The first check that fails. It is a member type, so that a compiler's trace names only that
// check.
template <class... Checks>
struct first_failure {
  using type = void;
};
template <class First, class... Rest>
struct first_failure<First, Rest...> : first_failure<Rest...> {};
template <class First, class... Rest>
  requires(!First::ok)
struct first_failure<First, Rest...> {
  using type = First;
};

// Fails with the message of the first check that fails.
template <class... Checks>
void explain() {
  static_assert(!(Checks::ok && ...),
                "ballot: no overload takes these arguments. See the declaration that this message is from.");
  if constexpr (!(Checks::ok && ...)) first_failure<Checks...>::type::explain();
}

}  // namespace ballot::detail
