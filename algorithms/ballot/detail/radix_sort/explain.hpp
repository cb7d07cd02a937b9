// SPDX-License-Identifier: Apache-2.0
// Why a call of a sort does not compile (core/explain.hpp).
#pragma once

#include <ballot/core/explain.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>

#include <type_traits>

namespace ballot::detail {

// For a function without a twin, because callers may take its address: whether all checks hold. If
// one fails, the compilation fails with the message of the first that does.
template <class... Checks>
consteval bool explained() {
  if constexpr (!(Checks::ok && ...)) first_failure<Checks...>::type::explain();
  return (Checks::ok && ...);
}

template <class K>
struct sort_key_check {
  static constexpr bool ok = sort_key<K> || std::is_same_v<K, unknown>;
  static consteval void explain() {
    static_assert(complete_type<K>,
                  "ballot: the key's type is only declared. Include its header: <cuda_fp16.h> for __half, "
                  "<cuda_bf16.h> for __nv_bfloat16.");
    static_assert(!complete_type<K> || ok,
                  "ballot: the items are no keys. A key is a bool, an integer, float, double, __half, "
                  "__nv_bfloat16, or a type with ballot::key_traits. Sort other items by a key of theirs: "
                  "ballot::sort_by(gpu, items, key_of, out).");
  }
};
// OfRange: the check of the range itself.
template <class R, class OfRange>
struct keys_check {
  using of_key = sort_key_check<known_item_t<R>>;
  static constexpr bool ok = OfRange::ok && of_key::ok;
  static consteval void explain() {
    if constexpr (!OfRange::ok) OfRange::explain();
    else of_key::explain();
  }
};
template <class R>
using key_range_check = keys_check<R, input_check<R>>;
template <class R>
using key_range_or_view_check = keys_check<R, input_or_view_check<R>>;
template <class R>
using in_place_keys_check = keys_check<R, in_place_check<R>>;
template <class R>
struct segmented_keys_check {
  static constexpr bool ok = segmented_key_range<R>;
  static consteval void explain() {
    if constexpr (!key_range_check<R>::ok) key_range_check<R>::explain();
    else static_assert(ok, "ballot: keys of a sort within segments have up to 8 bytes.");
  }
};

template <class R>
struct value_range_check {
  static constexpr bool ok = value_range<R>;
  static constexpr bool is_counted_range = is_counted<std::remove_cvref_t<R>>;
  static consteval void explain() {
    if constexpr (!is_counted_range) input_check<R>::explain();
    else
      static_assert(!is_counted_range,
                    "ballot: only the keys are counted, and their count is that of the values. Pass the whole range of "
                    "values.");
  }
};

template <class R>
struct value_range_or_view_check {
  static constexpr bool ok = value_range_or_view<R>;
  static consteval void explain() {
    if constexpr (!input_or_view_check<R>::ok) input_or_view_check<R>::explain();
    else
      static_assert(ok,
                    "ballot: only the keys are counted, and their count is that of the values. Pass all of the "
                    "values.");
  }
};

template <class R>
struct positions_check {
  static constexpr bool ok = output_range_of_counts<R>;
  static consteval void explain() {
    if constexpr (!output_check<R>::ok) output_check<R>::explain();
    else static_assert(ok, "ballot: positions are integers of 4 or 8 bytes: u32, i32, u64 or i64.");
  }
};
template <class Index>
struct index_check {
  static constexpr bool ok = count_integer<Index>;
  static consteval void explain() {
    static_assert(ok, "ballot: positions are integers of 4 or 8 bytes: u32, i32, u64 or i64.");
  }
};
template <class R>
struct offset_range_check {
  static constexpr bool ok = offset_range<R>;
  static consteval void explain() {
    if constexpr (!input_check<R>::ok) input_check<R>::explain();
    else static_assert(ok, "ballot: segment offsets are integers of 4 or 8 bytes: u32, i32, u64 or i64.");
  }
};

template <class F, class T>
struct key_function_check {
  static constexpr bool ok = key_function_of<F, T> || (function_object<F> && std::is_same_v<T, unknown>);
  static constexpr bool is_callable = requires { typename key_of_t<T, F>; };
  static consteval void explain() {
    if constexpr (!function_check<F>::ok || function_check<F>::is_range) function_check<F>::explain();
    else {
      static_assert(!is_device_lambda<F>,
                    "ballot: the key function is a __device__ lambda, and the host has to know the key's type. Write "
                    "[] __host__ __device__ (const T& item) {...}, or a struct with a __device__ operator().");
      static_assert(is_device_lambda<F> || is_callable,
                    "ballot: the key function cannot be called with an item. Write K operator()(const T& item) const.");
      static_assert(is_device_lambda<F> || !is_callable || ok,
                    "ballot: the key function's result is no key. A key is a bool, an integer, float, double, "
                    "__half, __nv_bfloat16, or a type with ballot::key_traits.");
    }
  }
};

}  // namespace ballot::detail
