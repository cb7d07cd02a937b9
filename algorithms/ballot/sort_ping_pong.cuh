// SPDX-License-Identifier: Apache-2.0
// Stable radix sort between two buffers of the caller, without a third one.
//
//     // Keys in `a`; the sorted keys are in a (0) or in b (1).
//     const int at = ballot::sort_ping_pong(gpu, a, b);
//     const int pairs_at = ballot::sort_pairs_ping_pong(gpu, keys_a, values_a, keys_b, values_b,
//                                                       {.bits = {0, 24}});
//
// The number of 8-bit digits decides where the result is: in b if it is odd, in a if it is even. So
// the host knows this without reading anything from the device. Passes that the device skips do not
// change this: if the parity would be wrong, a copy takes the place of a pass. So keys that are in
// order cost no copy if the result is in a. For an empty bit range the result is in a, and nothing
// is launched. The contents of the other buffer are unspecified.
//
// Stable, deterministic, any n. Keys as in sort.cuh. `a` may be `counted`. Then only the first
// *count items are sorted. Values have 1, 2, 4 or 8 bytes and are aligned to their size. All ranges
// have the same length; no two arguments may overlap, including the count. No views: passes write
// what later passes read.
//
// Scratch: about 2 KiB a tile, no buffer of items. Launches and errors as for sort.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/detail/radix_sort/explain.hpp>

namespace ballot {

/// Values between two buffers: words of 1, 2, 4 or 8 bytes.
template <class R>
concept ping_pong_values = output_range<R> && detail::is_inline_value<detail::item_t<R>>;

namespace detail {

template <class K, class W>
int dispatch_sort_ping_pong(const exec& where, const input<K>& a, K* b, W* values_a, W* values_b,
                            const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan digits = plan_digits(options.bits, 8 * sizeof(K), function);
  const bool in_b = digits.passes() % 2 == 1;
  if (a.capacity() == 0 || digits.passes() == 0) return in_b;  // nothing to sort, or nothing to sort by
  const scratch_lease lease(where, radix_scratch_bytes<U, W>(a.capacity(), sort_mode::double_buffer), function);
  U* const first = as_key_words(const_cast<K*>(a.data));
  U* const second = as_key_words(b);
  launch_radix_sort<U, W>(where.stream(), lease.base(),
                          {{first, a.length},
                           in_b ? second : first,
                           values_a,
                           in_b ? values_b : values_a,
                           in_b ? first : second,
                           in_b ? values_a : values_b},
                          codec_of<K>(options), digits);
  return in_b;
}

template <class V>
struct ping_pong_value_check {
  static constexpr bool ok = is_inline_value<V>;
  static consteval void explain() {
    static_assert(ok,
                  "ballot: values between two buffers are words: of 1, 2, 4 or 8 bytes and aligned to their size. Sort "
                  "others by ballot::sort_pairs.");
  }
};
template <class R>
struct ping_pong_values_check {
  static constexpr bool ok = ping_pong_values<R>;
  static consteval void explain() {
    if constexpr (!output_check<R>::ok) output_check<R>::explain();
    else ping_pong_value_check<item_t<R>>::explain();
  }
};

}  // namespace detail

// Bytes of scratch for n items, for any options. Pure.
template <class K>
std::size_t sort_ping_pong_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(
        detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::sort_mode::double_buffer));
  else return 0;
}
template <class K, class V>
std::size_t sort_pairs_ping_pong_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>, detail::ping_pong_value_check<V>>())
    return detail::bytes_at_any_address(
        detail::radix_scratch_bytes<ordered_bits_t<K>, detail::value_word_t<V>>(n, detail::sort_mode::double_buffer));
  else return 0;
}

// Sorts the keys in `a`. Returns 0 if the result is in `a`, 1 if it is in `b`.
template <in_place_key_range A, output_range_of<A> B, options_of_sort Options = sort_options>
int sort_ping_pong(const exec& where, A&& a, B&& b, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "sort_ping_pong";
  using K = sorted_key_t<item_t<A>, Options>;
  const auto [first, length] = as_in_place(a);
  const auto second = as_output(b);
  require_same_lengths(function, {"a", first.size}, {{"b", second.size}});
  require_arguments(function, where, {argument_of("a", first), argument_of("b", second)},
                    {argument_of("a.length", length)});
  return dispatch_sort_ping_pong<K, no_value>(where, {as_sorted<Options>(first.data), length},
                                              as_sorted<Options>(second.data), nullptr, nullptr, options, function);
}

// The same with values, which are in `values_a`. If the sorted keys are in `a`, the values are in
// `values_a`, else in `values_b`.
template <in_place_key_range A, ping_pong_values ValuesA, output_range_of<A> B, output_range_of<ValuesA> ValuesB,
          options_of_sort Options = sort_options>
int sort_pairs_ping_pong(const exec& where, A&& a, ValuesA&& values_a, B&& b, ValuesB&& values_b,
                         const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "sort_pairs_ping_pong";
  using K = sorted_key_t<item_t<A>, Options>;
  using W = value_word_t<item_t<ValuesA>>;
  const auto [first, length] = as_in_place(a);
  const auto second = as_output(b);
  const auto first_values = as_output(values_a);
  const auto second_values = as_output(values_b);
  require_same_lengths(function, {"a", first.size},
                       {{"values_a", first_values.size}, {"b", second.size}, {"values_b", second_values.size}});
  require_arguments(function, where,
                    {argument_of("a", first), argument_of("values_a", first_values), argument_of("b", second),
                     argument_of("values_b", second_values)},
                    {argument_of("a.length", length)});
  return dispatch_sort_ping_pong<K, W>(where, {as_sorted<Options>(first.data), length}, as_sorted<Options>(second.data),
                                       reinterpret_cast<W*>(first_values.data),
                                       reinterpret_cast<W*>(second_values.data), options, function);
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class A, class B, options_of_sort Options = sort_options>
int sort_ping_pong(const exec&, A&&, B&&, const Options& = {}) {
  return detail::explain<detail::in_place_keys_check<A>, detail::output_check<B>, detail::same_items_check<B, A>>(), 0;
}
template <class A, class ValuesA, class B, class ValuesB, options_of_sort Options = sort_options>
int sort_pairs_ping_pong(const exec&, A&&, ValuesA&&, B&&, ValuesB&&, const Options& = {}) {
  return detail::explain<detail::in_place_keys_check<A>, detail::ping_pong_values_check<ValuesA>,
                         detail::output_check<B>, detail::output_check<ValuesB>, detail::same_items_check<B, A>,
                         detail::same_items_check<ValuesB, ValuesA>>(),
         0;
}

}  // namespace ballot
