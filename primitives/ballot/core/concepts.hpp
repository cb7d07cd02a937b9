// SPDX-License-Identifier: Apache-2.0
// Concepts of the caller's function objects.
//
// They check whether a call of the object compiles. For a device lambda of nvcc, the host's
// compiler cannot know this. So the lambda is accepted, and a mistake in it is found when the
// kernel is compiled.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace ballot {
namespace detail {

#if defined(__CUDACC__)
// An extended __device__ lambda: the host's compiler knows neither its parameters nor its result.
template <class F>
inline constexpr bool is_device_lambda =
    __nv_is_extended_device_lambda_closure_type(F);  // layers-allow: intrinsic, a trait of the compiler
#else
template <class F>
inline constexpr bool is_device_lambda = false;
#endif

template <class T>
constexpr std::string_view signature_with() {
  return __PRETTY_FUNCTION__;
}
// The closure of a lambda. There is no trait for it; its name says so: "lambda [](int)->bool" in
// nvcc's front end, "f()::<lambda(int)>" in GCC, "(lambda at f.cu:3:5)" in Clang.
template <class T>
consteval bool is_lambda_by_name() {
  std::string_view name = signature_with<T>();
  const std::size_t begin = name.find("T = ") != name.npos ? name.find("T = ") + 4 : name.find("T=") + 2;
  name = name.substr(begin);
  name = name.substr(0, name.find_first_of(";]", name.find("lambda") == name.npos ? 0 : name.find("lambda")));
  return name.starts_with("lambda [") || name.ends_with(")>") || name.starts_with("(lambda at");
}
// A lambda that is not an extended one. nvcc takes no such type for a kernel.
#if defined(__CUDACC__)
template <class F>
inline constexpr bool is_host_lambda =
    std::is_class_v<F> && is_lambda_by_name<F>() && !is_device_lambda<F> &&
    !__nv_is_extended_host_device_lambda_closure_type(F);  // layers-allow: intrinsic, a trait
#else
template <class F>
inline constexpr bool is_host_lambda = false;  // the emulator calls it
#endif

// f(items...) compiles, whether f is const or not.
template <class F, class... Items>
concept callable_with =
    is_device_lambda<F> || std::is_invocable_v<const F&, Items...> || std::is_invocable_v<F&, Items...>;

template <class Result, class F, class... Items>
consteval bool gives() {
  if constexpr (is_device_lambda<F>) return true;
  else if constexpr (std::is_invocable_v<const F&, Items...>)
    return requires(const F& f) { static_cast<Result>(f(std::declval<Items>()...)); };
  else if constexpr (std::is_invocable_v<F&, Items...>)
    return requires(F& f) { static_cast<Result>(f(std::declval<Items>()...)); };
  else return false;
}

// Kernels get a copy of the function object.
template <class F>
concept function_object = std::is_class_v<F> && std::is_trivially_copyable_v<F> && !is_host_lambda<F>;

}  // namespace detail

/// bool f(const Items&...): which items are selected.
template <class F, class... Items>
concept predicate_of = detail::function_object<F> && detail::gives<bool, F, const Items&...>();

/// bool f(const T&, const T&): whether two items are the same.
template <class F, class T>
concept relation_of = detail::function_object<F> && detail::gives<bool, F, const T&, const T&>();

/// An associative operator on T: its result is converted to T.
template <class F, class T>
concept operator_of = detail::function_object<F> && detail::gives<T, F, const T&, const T&>();

/// An integer of each item: a bucket, for example.
template <class F, class... Items>
concept integer_of = detail::function_object<F> && detail::gives<unsigned, F, const Items&...>();

}  // namespace ballot
