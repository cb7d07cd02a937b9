// Stable radix sort between two buffers of the caller's, without a third.
//
//     const int at = ballot::sort_ping_pong(gpu, a, b);      // keys in `a`; the sorted keys are in a (0) or in b (1)
//     const int pairs_at = ballot::sort_pairs_ping_pong(gpu, keys_a, values_a, keys_b, values_b, {.bits = {0, 24}});
//
// The number of 8-bit digits decides where the result is: in b if it is odd, in a if it is even. So the host knows without
// a read. For an empty bit range the result is in a, and nothing is launched. Passes that the device skips do not change
// this: if the parity is wrong, a copy takes the place of a pass. Keys that are in order cost no copy if the result is in
// a. The contents of the other buffer are unspecified.
//
// Stable, deterministic, any n. Keys as in sort.cuh. Values have 1, 2, 4 or 8 bytes and are aligned to their size. `count`
// is a device address, or null: only the first *count items are sorted. Scratch: about 2 KiB a tile, no buffer of items.
// Launches and errors as for sort. All ranges have the same length; no two arguments may overlap, including the count.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>

namespace ballot {

namespace detail {

template <class K, class W>
int dispatch_sort_ping_pong(const exec& where, output<K> a, output<K> b, W* values_a, W* values_b,
                            const sort_options& options, const std::uint64_t* count, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan digits = plan_digits(options.bits, 8 * sizeof(K), function);
  const bool in_b = digits.passes() % 2 == 1;
  if (a.size == 0 || digits.passes() == 0) return in_b;  // nothing to sort, or nothing to sort by
  const scratch_lease lease(where, radix_scratch_bytes<U, W>(a.size, sort_mode::double_buffer), function);
  launch_radix_sort<U, W>(
      where.stream(), lease.base(),
      {as_key_words(input<K>{a.data, {a.size, count}}), as_key_words(in_b ? b.data : a.data), values_a,
       in_b ? values_b : values_a, as_key_words(in_b ? a.data : b.data), in_b ? values_a : values_b},
      codec_of<K>(options), digits);
  return in_b;
}

}  // namespace detail

// Bytes of scratch for n items, for any options. Pure.
template <radix_key K>
std::size_t sort_ping_pong_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::sort_mode::double_buffer);
}
template <radix_key K, class V>
  requires detail::is_inline_value<V>
std::size_t sort_pairs_ping_pong_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, detail::value_word_t<V>>(n, detail::sort_mode::double_buffer);
}

// Sorts the keys in `a`. Returns 0 if the result is in `a`, 1 if it is in `b`.
template <output_range A, output_range B>
int sort_ping_pong(const exec& where, A&& a, B&& b, const sort_options& options = {},
                   const std::uint64_t* count = nullptr) {
  constexpr const char* function = "sort_ping_pong";
  const auto first = detail::as_output(a), second = detail::as_output(b);
  using K = typename decltype(first)::value_type;
  static_assert(radix_key<K>, "no key: see key_traits");
  detail::require_writable(first, function);
  detail::require_writable(second, function);
  detail::require(first.size == second.size, function, "lengths differ");
  detail::require_apart(first.data, first.size, second.data, second.size, function);
  const detail::length n{first.size, count};
  detail::require_apart(n, first, function);
  detail::require_apart(n, second, function);
  return detail::dispatch_sort_ping_pong<K, detail::no_value>(where, first, second, nullptr, nullptr, options, count,
                                                              function);
}

// The same with values, which are in `values_a`; the result is in values_a or values_b, like that of the keys.
template <output_range A, output_range ValuesA, output_range B, output_range ValuesB>
int sort_pairs_ping_pong(const exec& where, A&& a, ValuesA&& values_a, B&& b, ValuesB&& values_b,
                         const sort_options& options = {}, const std::uint64_t* count = nullptr) {
  constexpr const char* function = "sort_pairs_ping_pong";
  const auto first = detail::as_output(a), second = detail::as_output(b);
  const auto first_values = detail::as_output(values_a), second_values = detail::as_output(values_b);
  using K = typename decltype(first)::value_type;
  using V = typename decltype(first_values)::value_type;
  static_assert(radix_key<K>, "no key: see key_traits");
  static_assert(detail::is_inline_value<V>, "values are words of 1, 2, 4 or 8 bytes: sort others by sort_pairs");
  using W = detail::value_word_t<V>;
  const std::uint64_t n = first.size;
  detail::require(second.size == n && first_values.size == n && second_values.size == n, function, "lengths differ");
  const auto apart = [&](const auto& x, const auto& y) { detail::require_apart(x.data, n, y.data, n, function); };
  const auto written = [&](const auto& x) {
    detail::require_writable(x, function);
    detail::require_apart(detail::length{n, count}, x, function);
  };
  written(first);
  written(second);
  written(first_values);
  written(second_values);
  apart(first, second);
  apart(first, first_values);
  apart(first, second_values);
  apart(second, first_values);
  apart(second, second_values);
  apart(first_values, second_values);
  return detail::dispatch_sort_ping_pong<K, W>(where, first, second, reinterpret_cast<W*>(first_values.data),
                                               reinterpret_cast<W*>(second_values.data), options, count, function);
}

}  // namespace ballot
