// SPDX-License-Identifier: Apache-2.0
// The host's part of the public sorts. Keys are passed on as unsigned words of their size. Values
// are inline, repacked or indirect (values.cuh), and each case has a scratch of its own.
//
// Inline and repacked values move through every pass beside their keys. Indirect values stay where
// they are: the passes move their positions, and one gather at the end moves the values, whatever
// their size.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/launch.cuh>
#include <ballot/detail/radix_sort/values.cuh>

#include <type_traits>

namespace ballot {
namespace detail {

template <class K>
key_codec<ordered_bits_t<K>> codec_of(const sort_options& options) {
  return key_codec_of<K>(options.direction, options.nans);
}

template <class K>
input<ordered_bits_t<K>> as_key_words(const input<K>& keys) {
  return {reinterpret_cast<const ordered_bits_t<K>*>(keys.data), keys.length};
}
template <class K>
ordered_bits_t<K>* as_key_words(K* keys) {
  return reinterpret_cast<ordered_bits_t<K>*>(keys);
}

inline sort_mode keys_mode(bool in_place) { return in_place ? sort_mode::in_place : sort_mode::out_of_place; }

// For indirect values.
template <class K, class V, class Index>
struct indirect_pairs_scratch {
  std::byte* sort;
  Index* order;
  V* values;  // in place: a copy of the values

  indirect_pairs_scratch(scratch_carver& carver, std::uint64_t n, bool in_place)
      : sort(carver.take<std::byte>(radix_scratch_bytes<ordered_bits_t<K>, Index>(n, keys_mode(in_place)))),
        order(carver.take<Index>(n)),
        values(in_place ? carver.take<V>(n) : nullptr) {}
};

// For repacked values: the sort alternates between words and spare.
template <class K, class V>
struct repacked_pairs_scratch {
  using U = ordered_bits_t<K>;
  using W = value_word_t<V>;
  std::byte* sort;
  U* keys;  // spare
  W* words;
  W* spare;

  repacked_pairs_scratch(scratch_carver& carver, std::uint64_t n)
      : sort(carver.take<std::byte>(radix_scratch_bytes<U, W>(n, sort_mode::double_buffer))),
        keys(carver.take<U>(n)),
        words(carver.take<W>(n)),
        spare(carver.take<W>(n)) {}
};

template <class K, class V>
std::size_t pairs_scratch_bytes(std::uint64_t n, bool in_place) {
  if (n == 0) return 0;
  if constexpr (fits_word<V>) {
    const std::size_t bytes = radix_scratch_bytes<ordered_bits_t<K>, value_word_t<V>>(n, keys_mode(in_place));
    if constexpr (is_inline_value<V>) {
      return bytes;
    } else {
      scratch_carver measure;
      repacked_pairs_scratch<K, V>(measure, n);
      return larger(measure.bytes(), bytes);
    }
  } else {
    scratch_carver measure;
    if (n <= std::uint64_t{1} << 32) indirect_pairs_scratch<K, V, std::uint32_t>(measure, n, in_place);
    else indirect_pairs_scratch<K, V, std::uint64_t>(measure, n, in_place);
    return measure.bytes();
  }
}

template <class Index, class K, class V>
void sort_pairs_indirect(const exec& where, const scratch_lease& lease, const input<K>& keys, K* keys_out,
                         const V* values, V* values_out, const sort_options& options, radix_digit_plan plan,
                         const char* function) {
  using U = ordered_bits_t<K>;
  const bool in_place = values == values_out;
  scratch_carver carver(lease.base());
  const indirect_pairs_scratch<K, V, Index> scratch(carver, keys.capacity(), in_place);
  if (in_place) {
    simt::copy_bytes(where.stream(), scratch.values, values, keys.capacity() * sizeof(V));
    values = scratch.values;
  }
  launch_radix_sort<U, Index>(where.stream(), scratch.sort,
                              {as_key_words(keys), as_key_words(keys_out), nullptr, scratch.order},
                              codec_of<K>(options), plan);
  launch_gather(where.stream(), values, scratch.order, values_out, keys.length, function);
}

template <class K, class V>
void sort_pairs_repacked(const exec& where, const scratch_lease& lease, const input<K>& keys, K* keys_out,
                         const V* values, V* values_out, const sort_options& options, radix_digit_plan plan,
                         const char* function) {
  using U = ordered_bits_t<K>;
  using W = value_word_t<V>;
  scratch_carver carver(lease.base());
  const repacked_pairs_scratch<K, V> scratch(carver, keys.capacity());
  // Out of place, the values are in the spare words at first. The first step reads these words, and
  // the second step overwrites them.
  W* const from = keys.data == keys_out ? scratch.words : scratch.spare;
  launch_repack_values(where.stream(), values, from, keys.length, function);
  launch_radix_sort<U, W>(
      where.stream(), scratch.sort,
      {as_key_words(keys), as_key_words(keys_out), from, scratch.words, scratch.keys, scratch.spare},
      codec_of<K>(options), plan);
  launch_unpack_values(where.stream(), scratch.words, values_out, keys.length, function);
}

template <class K, class V>
void dispatch_sort_pairs(const exec& where, const input<std::type_identity_t<K>>& keys, K* keys_out, const V* values,
                         V* values_out, const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan plan = plan_digits(options.bits, 8 * sizeof(K), function);
  const std::uint64_t n = keys.capacity();
  if (n == 0) return;
  if (plan.passes() == 0) {
    if (keys.data != keys_out) launch_copy(where.stream(), keys, keys_out, function);
    if (values != values_out) launch_copy(where.stream(), input<V>{values, keys.length}, values_out, function);
    return;
  }
  const scratch_lease lease(where, pairs_scratch_bytes<K, V>(n, values == values_out), function);
  if constexpr (fits_word<V>) {
    using W = value_word_t<V>;
    if (are_inline(values, values_out)) {
      launch_radix_sort<U, W>(where.stream(), lease.base(),
                              {as_key_words(keys), as_key_words(keys_out), reinterpret_cast<const W*>(values),
                               reinterpret_cast<W*>(values_out)},
                              codec_of<K>(options), plan);
    } else if constexpr (!is_inline_value<V>) {
      sort_pairs_repacked(where, lease, keys, keys_out, values, values_out, options, plan, function);
    }
  } else if (n <= std::uint64_t{1} << 32) {
    sort_pairs_indirect<std::uint32_t>(where, lease, keys, keys_out, values, values_out, options, plan, function);
  } else {
    sort_pairs_indirect<std::uint64_t>(where, lease, keys, keys_out, values, values_out, options, plan, function);
  }
}

template <class K>
void dispatch_sort(const exec& where, const input<std::type_identity_t<K>>& keys, K* keys_out,
                   const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan plan = plan_digits(options.bits, 8 * sizeof(K), function);
  if (keys.capacity() == 0) return;
  if (plan.passes() == 0) {
    if (keys.data != keys_out) launch_copy(where.stream(), keys, keys_out, function);
    return;
  }
  const scratch_lease lease(where, radix_scratch_bytes<U, no_value>(keys.capacity(), keys_mode(keys.data == keys_out)),
                            function);
  launch_radix_sort<U, no_value>(where.stream(), lease.base(),
                                 {as_key_words(keys), as_key_words(keys_out), nullptr, nullptr}, codec_of<K>(options),
                                 plan);
}

// keys_out may be null if only the order is wanted. W: u32 or u64.
template <class K, class W>
void dispatch_argsort(const exec& where, const input<K>& keys, std::type_identity_t<K*> keys_out, W* positions,
                      const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan plan = plan_digits(options.bits, 8 * sizeof(K), function);
  if (keys.capacity() == 0) return;
  if (plan.passes() == 0) {
    if (keys_out != nullptr) launch_copy(where.stream(), keys, keys_out, function);
    launch_positions(where.stream(), positions, keys.length, function);
    return;
  }
  const sort_mode mode = keys_out == nullptr ? sort_mode::values_only : sort_mode::out_of_place;
  const scratch_lease lease(where, radix_scratch_bytes<U, W>(keys.capacity(), mode), function);
  launch_radix_sort<U, W>(where.stream(), lease.base(),
                          {as_key_words(keys), as_key_words(keys_out), nullptr, positions}, codec_of<K>(options), plan);
}

}  // namespace detail
}  // namespace ballot
