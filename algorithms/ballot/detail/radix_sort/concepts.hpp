// SPDX-License-Identifier: Apache-2.0
// Concepts of the arguments of sorts.
#pragma once

#include <ballot/core/concepts.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/common/output_concepts.hpp>

#include <concepts>
#include <type_traits>

namespace ballot {
namespace detail {

template <class T>
concept complete_type = requires { sizeof(T); };

// The type of key_of(item) as kernels call it: const where that compiles. nvcc cannot deduce it
// from a device lambda on the host's side.
template <class F, class T>
struct key_of_item {};
template <class F, class T>
  requires(!is_device_lambda<F> && std::is_invocable_v<const F&, const T&>)
struct key_of_item<F, T> {
  using type = std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>;
};
template <class F, class T>
  requires(!is_device_lambda<F> && !std::is_invocable_v<const F&, const T&> && std::is_invocable_v<F&, const T&>)
struct key_of_item<F, T> {
  using type = std::remove_cvref_t<std::invoke_result_t<F&, const T&>>;
};
template <class T, class F>
using key_of_t = typename key_of_item<F, T>::type;

}  // namespace detail

/// A type that sorts compare: it has key_traits and is complete (the 16-bit floats of CUDA have
/// headers of their own).
template <class K>
concept sort_key = detail::complete_type<K> && radix_key<K>;

/// Keys to read; may be `counted`.
template <class R>
concept key_range = input_range<R> && sort_key<detail::item_t<R>>;

/// The same, or a view of keys.
template <class R>
concept key_range_or_view = input_range_or_view<R> && sort_key<detail::item_t<R>>;

/// Keys to sort in place; may be `counted`.
template <class R>
concept in_place_key_range = in_place_range<R> && sort_key<detail::item_t<R>>;

/// Keys that a sort within segments takes: of up to 8 bytes.
template <class R>
concept segmented_key_range = key_range<R> && sizeof(detail::item_t<R>) <= 8;

/// Values to read: as many as keys. The count of the keys is theirs, too.
template <class R>
concept value_range = device_range<R> && input_range<R>;

/// The same, or a view of values.
template <class R>
concept value_range_or_view = value_range<R> || (device_view<R> && input_view<R>);

/// Where segments begin: integers of 4 or 8 bytes, signed or not; may be `counted`.
template <class R>
concept offset_range = input_range<R> && count_integer<detail::item_t<R>>;

/// K f(const T&): the key of an item. The host has to know its type.
template <class F, class T>
concept key_function_of = detail::function_object<F> && requires {
  typename detail::key_of_t<T, F>;
  requires sort_key<detail::key_of_t<T, F>>;
};

}  // namespace ballot
