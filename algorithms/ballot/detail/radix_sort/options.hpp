// SPDX-License-Identifier: Apache-2.0
// The options of sorts, and the digits that follow from them.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/plan.hpp>

#include <concepts>
#include <string>
#include <type_traits>

namespace ballot {

// bits: the range of the ordered bits that is compared, by default all. nans: see
// core/key_order.hpp.
struct sort_options {
  ballot::direction direction = ballot::direction::ascending;
  bit_range bits = {};
  nan_order nans = nan_order::last;
};

/// Options of a sort to which -0 and +0 are equal, so that they keep their order among themselves:
///     ballot::sort(gpu, keys, sorted, ballot::with_equal_zeros{});
///     ballot::sort_pairs(gpu, depths, ids, depths_out, ids_out,
///                        ballot::with_equal_zeros{{.direction = descending}});
/// For keys that are no floats it changes nothing. A call with it has kernels of its own, and makes
/// all passes: it does not sort by leading bits.
struct with_equal_zeros : sort_options {};

/// sort_options or with_equal_zeros. A braced list is the former.
template <class O>
concept options_of_sort = std::same_as<O, sort_options> || std::same_as<O, with_equal_zeros>;
template <class T>
concept no_sort_options = !options_of_sort<std::remove_cvref_t<T>>;

namespace detail {

// The type that keys K are sorted as.
template <class K, class Options>
struct sorted_key {
  using type = K;
};
template <class K>
  requires(key_traits<K>::kind == key_kind::floating)
struct sorted_key<K, with_equal_zeros> {
  using type = equal_zeros_key<K>;
};
template <class K, class Options>
using sorted_key_t = typename sorted_key<K, Options>::type;

// The same memory as keys of that type.
template <class Options, class K>
sorted_key_t<K, Options>* as_sorted(K* keys) {
  return reinterpret_cast<sorted_key_t<K, Options>*>(keys);
}
template <class Options, class K>
input<sorted_key_t<K, Options>> as_sorted(const input<K>& keys) {
  return {reinterpret_cast<const sorted_key_t<K, Options>*>(keys.data), keys.length};
}

// An empty bit range, and so a plan without passes, is valid: it orders nothing, and every sort
// keeps the order.
[[gnu::noinline, gnu::cold]] inline radix_digit_plan plan_digits(bit_range bits, int key_bits, const char* function) {
  const int high = bits.high == bit_range::full ? key_bits : bits.high;
  if (bits.low < 0 || bits.low > high || high > key_bits)
    fail(function, joined({"the bit range [", std::to_string(bits.low), ", ", std::to_string(high),
                           ") is inverted or outside the key, which has ", std::to_string(key_bits), " bits"}));
  return {bits.low, high};
}

}  // namespace detail
}  // namespace ballot
