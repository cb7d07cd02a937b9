// SPDX-License-Identifier: Apache-2.0
// The parts of views (views.cuh), which are read together. A part is an array or another view. Also
// the message of `transformed` about a function that does not fit the parts.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ballot {
namespace detail {

// A range as a view holds it: an array_view, or the view itself.
template <class R>
struct part_of_view {
  static_assert(!is_counted<R> && !is_counted_view<R>,
                "ballot: a counted range within a view. The length stands outside: counted{transformed{range, f}, "
                "count}.");
  using type = positions<>;
};
template <class R>
  requires(!device_range<R> && !device_view<R> && !is_counted<R> && !is_counted_view<R>)
struct part_of_view<R> {
  static consteval bool explained() {
    input_or_view_check<R>::explain();
    return false;
  }
  static constexpr bool ok = explained();
  using type = std::conditional_t<ok, void, positions<>>;
};
template <device_range R>
struct part_of_view<R> {
  using type = device::array_view<item_t<R>>;
};
template <device_view V>
struct part_of_view<V> {
  using type = V;
};
template <class R>
using part_of_view_t = typename part_of_view<std::remove_cvref_t<R>>::type;

template <class R>
part_of_view_t<R> make_part(const char* view, const R& range) {
  if constexpr (device_range<R>) {
    const auto items = span_of(range);
    return {items.data(), items.size()};
  } else if constexpr (device_view<R>) {
    if constexpr (is_positions<R>) require_positions(view, "positions", range);
    return range;
  } else {
    return positions<>(0);  // the class has said what is wrong
  }
}

// Several parts, read together.
template <class... V>
struct view_list;
template <>
struct view_list<> {
  static constexpr std::size_t bytes_read = 0, arrays = 0;
  template <int Width>
  static constexpr bool has_vectors = true;

  template <int Width>
  bool is_vector_aligned() const {
    return true;
  }
  template <int Width>
  block::aligned_vectors aligned_vectors() const {
    return {block::aligned_vectors::anywhere};
  }
  template <class Visit>
  void each_array(const Visit&) const {}
  template <class Visit>
  void each_size(const Visit&) const {}
  template <class Use, class... T>
  __device__ __forceinline__ void with_items(std::uint64_t, const Use& use, const T&... items) const {
    use(items...);
  }
  template <int Width, class Use, class... T>
  __device__ __forceinline__ void with_vectors(std::uint64_t, const Use& use, const T&... vectors) const {
    use(vectors...);
  }
};
template <class First, class... Rest>
struct view_list<First, Rest...> {
  static constexpr std::size_t bytes_read = device::bytes_read<First> + view_list<Rest...>::bytes_read;
  static constexpr std::size_t arrays = arrays_of<First> + view_list<Rest...>::arrays;
  template <int Width>
  static constexpr bool has_vectors =
      device::has_vectors<First, Width> && view_list<Rest...>::template has_vectors<Width>;
  First first;
  view_list<Rest...> rest;

  template <int Width>
  bool is_vector_aligned() const {
    return device::is_vector_aligned<Width>(first) && rest.template is_vector_aligned<Width>();
  }
  template <int Width>
  block::aligned_vectors aligned_vectors() const {
    return device::aligned_vectors_of<Width>(first).and_of(rest.template aligned_vectors<Width>());
  }
  template <class Visit>
  void each_array(const Visit& visit) const {
    if constexpr (arrays_of<First> != 0) first.each_array(visit);
    rest.each_array(visit);
  }
  template <class Visit>
  void each_size(const Visit& visit) const {
    visit(static_cast<std::uint64_t>(first.size()));
    rest.each_size(visit);
  }
  // Calls use(a, b, ...) with item i of each part, or with Width items of each.
  template <class Use, class... T>
  __device__ __forceinline__ void with_items(std::uint64_t i, const Use& use, const T&... items) const {
    const typename First::value_type item = static_cast<typename First::value_type>(first[i]);
    rest.with_items(i, use, items..., item);
  }
  template <int Width, class Use, class... T>
  __device__ __forceinline__ void with_vectors(std::uint64_t at, const Use& use, const T&... vectors) const {
    const auto loaded = device::vector_of<Width>(first, at);
    rest.template with_vectors<Width>(at, use, vectors..., loaded);
  }
};

inline view_list<> make_view_list(std::tuple<>) { return {}; }
template <class First, class... Rest>
view_list<First, Rest...> make_view_list(const std::tuple<First, Rest...>& parts) {
  return std::apply(
      [](const First& first, const Rest&... rest) {
        return view_list<First, Rest...>{first, make_view_list(std::tuple<Rest...>(rest...))};
      },
      parts);
}

// The items of a view's only part, an array; else void.
template <class... V>
struct only_array {
  using type = void;
};
template <class T>
struct only_array<device::array_view<T>> {
  using type = T;
};

// The last of several types; all others, as the parts of a view.
struct no_function {};
template <class... A>
struct ranges_and_function;
template <class F>
struct ranges_and_function<F> {
  using given = std::decay_t<F>;
  using function = std::conditional_t<function_object<given>, given, no_function>;  // nvcc knows no other in a kernel
  template <class... V>
  using parts = view_list<V...>;
};
template <class R, class... Rest>
struct ranges_and_function<R, Rest...> {
  using given = typename ranges_and_function<Rest...>::given;
  using function = typename ranges_and_function<Rest...>::function;
  template <class... V>
  using parts = typename ranges_and_function<Rest...>::template parts<V..., part_of_view_t<R>>;
};

// The result of f for items T...
template <class F, class... T>
struct transform_check {
#if defined(__CUDACC__)
  // clang-format off
  static constexpr bool hides_type =
      is_device_lambda<F> && !__nv_is_extended_device_lambda_with_preserved_return_type(F);  // layers-allow: intrinsic, a trait
  // clang-format on
#else
  static constexpr bool hides_type = false;
#endif
  static consteval auto find() {
    if constexpr (!function_check<F>::ok || hides_type) return std::type_identity<void>();
    else if constexpr (std::is_invocable_v<const F&, const T&...>)
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const F&, const T&...>>>();
    else if constexpr (std::is_invocable_v<F&, const T&...>)
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<F&, const T&...>>>();
    else return std::type_identity<void>();
  }
  using type = typename decltype(find())::type;
  static constexpr bool is_called = std::is_invocable_v<const F&, const T&...> || std::is_invocable_v<F&, const T&...>;
  static constexpr bool ok = !std::is_void_v<type> && is_item<type>;
  static consteval void explain() {
    if constexpr (!function_check<F>::ok) function_check<F>::explain();
    else {
      static_assert(!hides_type,
                    "ballot: the host's compiler does not see what this lambda returns. Write the type behind it, "
                    "[] __device__ (...) -> T {...}, or [] __host__ __device__ (...) {...}, or a struct with a "
                    "__device__ operator().");
      static_assert(hides_type || is_called,
                    "ballot: the function of transformed cannot be called with an item of each range. It stands "
                    "behind the ranges: transformed{a, b, f} is f(a[i], b[i]).");
      static_assert(hides_type || !is_called || std::is_trivially_copyable_v<type>,
                    "ballot: the function of transformed returns no trivially copyable item.");
      static_assert(hides_type || !is_called || !std::is_trivially_copyable_v<type> || ok,
                    "ballot: kernels keep items in arrays, so what the function of transformed returns needs a default "
                    "constructor and an assignment: no const members, no references.");
    }
  }
};

}  // namespace detail
}  // namespace ballot
