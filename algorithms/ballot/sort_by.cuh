// Stable sort of items by a key that a function computes from them.
//
//     ballot::sort_by(gpu, particles, cell_of{}, sorted);                     // equal cells keep their order
//     ballot::sort_by(gpu, floats, ballot::equal_zeros{}, sorted_floats);     // -0 and +0 are one key
//     ballot::argsort_by(gpu, particles, cell_of{}, order);
//
// key_of is a function object that copies to the device; key_of(item) is a radix key (core/key_order.hpp). One kernel reads
// the items, evaluates key_of once for each (for an empty bit range not at all), and writes the keys. The sort then
// compares these keys.
//
// Items are moved like the values of sort.cuh: inline or repacked if they have up to 8 bytes, otherwise indirect, by one
// gather at the end. Ranges as in sort.cuh. Inputs are not changed and may be `counted`. Stable and deterministic.
//
// Bytes moved, beside those of the sort: items read and keys written once; for repacked items two words and two items more
// each; for indirect items one index and two items more each. Launches: those of an argsort, and one to compute the keys;
// two or three more for repacked items, one for indirect items.
//
// Errors, before any work: invalid_argument for null with n > 0, different lengths, overlap, a bit range that is inverted
// or outside the key, scratch that is too small or misaligned; cuda_error from a launch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/radix_sort/computed_keys.cuh>
#include <ballot/detail/radix_sort/dispatch.cuh>

#include <type_traits>

namespace ballot {

namespace detail {

// The type of key_of(item) by detail::call, which nvcc cannot deduce from a device function on the host's side.
template <class T, class KeyOf>
using key_of_t = std::remove_cvref_t<
    typename std::conditional_t<std::is_invocable_v<const KeyOf&, const T&>, std::invoke_result<const KeyOf&, const T&>,
                                std::invoke_result<KeyOf&, const T&>>::type>;

// Computes the keys and sorts `values` by them into values_out; null: the positions.
template <class K, class W, class T, class KeyOf>
void launch_sort_by(stream_t stream, const computed_keys_scratch<ordered_bits_t<K>, W>& scratch, const input<T>& items,
                    const KeyOf& key_of, const W* values, W* values_out, const sort_options& options,
                    radix_digit_plan digits, const char* function) {
  using U = ordered_bits_t<K>;
  simt::launch(compute_keys_kernel<K, T, KeyOf>, elementwise_launch(stream, items.capacity(), function), items.data,
               items.length, key_of, scratch.keys);
  launch_radix_sort<U, W>(stream, scratch.sort, {{scratch.keys, items.length}, nullptr, values, values_out},
                          codec_of<K>(options), digits);
}

// Inline items.
template <class K, class T, class KeyOf>
void sort_by_inline(const exec& where, const input<T>& items, const KeyOf& key_of, T* out, const sort_options& options,
                    radix_digit_plan digits, const char* function) {
  using W = value_word_t<T>;
  using scratch_type = computed_keys_scratch<ordered_bits_t<K>, W>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, scratch_type::bytes(n, sort_mode::values_only), function);
  scratch_carver carver(lease.base());
  launch_sort_by<K, W, T>(where.stream(), scratch_type(carver, n, sort_mode::values_only), items, key_of,
                          reinterpret_cast<const W*>(items.data), reinterpret_cast<W*>(out), options, digits, function);
}
// Repacked items.
template <class K, class T, class KeyOf>
void sort_by_repacked(const exec& where, const input<T>& items, const KeyOf& key_of, T* out,
                      const sort_options& options, radix_digit_plan digits, const char* function) {
  using W = value_word_t<T>;
  using scratch_type = computed_keys_scratch<ordered_bits_t<K>, W>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, scratch_type::bytes(n, sort_mode::values_only_in_place, true), function);
  scratch_carver carver(lease.base());
  const scratch_type scratch(carver, n, sort_mode::values_only_in_place, true);
  W* const words = scratch.order;
  launch_repack_values(where.stream(), items.data, words, items.length, function);
  launch_sort_by<K, W, T>(where.stream(), scratch, items, key_of, words, words, options, digits, function);
  launch_unpack_values(where.stream(), words, out, items.length, function);
}

// Indirect items.
template <class K, class Index, class T, class KeyOf>
void sort_by_indirect(const exec& where, const input<T>& items, const KeyOf& key_of, T* out,
                      const sort_options& options, radix_digit_plan digits, const char* function) {
  using scratch_type = computed_keys_scratch<ordered_bits_t<K>, Index>;
  const std::uint64_t n = items.capacity();
  const scratch_lease lease(where, scratch_type::bytes(n, sort_mode::values_only, true), function);
  scratch_carver carver(lease.base());
  const scratch_type scratch(carver, n, sort_mode::values_only, true);
  launch_sort_by<K, Index, T>(where.stream(), scratch, items, key_of, nullptr, scratch.order, options, digits,
                              function);
  launch_gather(where.stream(), items.data, scratch.order, out, items.length, function);
}

}  // namespace detail

// Bytes of scratch for n items, for any options. Pure. K: the type of the keys; T: that of the items.
template <radix_key K, class T>
std::size_t sort_by_scratch_bytes(std::uint64_t n) {
  using U = ordered_bits_t<K>;
  constexpr auto target = detail::sort_mode::values_only;
  if constexpr (detail::fits_word<T>) {
    using scratch_type = detail::computed_keys_scratch<U, detail::value_word_t<T>>;
    if constexpr (detail::is_inline_value<T>) return scratch_type::bytes(n, target);
    else
      return detail::larger(scratch_type::bytes(n, detail::sort_mode::values_only_in_place, true),
                            scratch_type::bytes(n, target));
  } else {
    return n <= std::uint64_t{1} << 32 ? detail::computed_keys_scratch<U, std::uint32_t>::bytes(n, target, true)
                                       : detail::computed_keys_scratch<U, std::uint64_t>::bytes(n, target, true);
  }
}
template <radix_key K, std::unsigned_integral Index>
std::size_t argsort_by_scratch_bytes(std::uint64_t n) {
  using W = typename detail::unsigned_of_size<sizeof(Index)>::type;
  return detail::computed_keys_scratch<ordered_bits_t<K>, W>::bytes(n, detail::sort_mode::values_only);
}
// Sorts `items` into `out` by key_of(item).
template <input_range Items, class KeyOf, output_range Out>
void sort_by(const exec& where, const Items& items, const KeyOf& key_of, Out&& out, const sort_options& options = {}) {
  using T = detail::item_t<Items>;
  using K = detail::key_of_t<T, KeyOf>;
  static_assert(radix_key<K>, "key_of gives no key: see key_traits");
  constexpr const char* function = "sort_by";
  const auto in = detail::as_input(items);
  const auto to = detail::as_output(out);
  const std::uint64_t n = in.capacity();
  detail::require_readable(in, function);
  detail::require_writable(to, function);
  detail::require(to.size == n, function, "input and output have different lengths");
  detail::require_apart(in.data, n, to.data, n, function);
  detail::require_apart(in.length, to, function);
  const detail::radix_digit_plan digits = detail::plan_digits(options.bits, 8 * sizeof(K), function);
  if (n == 0) return;
  if (digits.passes() == 0) return detail::launch_copy(where.stream(), in, to.data, function);
  if constexpr (detail::fits_word<T>) {
    if (detail::are_inline<T>(in.data, to.data))
      detail::sort_by_inline<K>(where, in, key_of, to.data, options, digits, function);
    else if constexpr (!detail::is_inline_value<T>)
      detail::sort_by_repacked<K>(where, in, key_of, to.data, options, digits, function);
  } else if (n <= std::uint64_t{1} << 32) {
    detail::sort_by_indirect<K, std::uint32_t>(where, in, key_of, to.data, options, digits, function);
  } else {
    detail::sort_by_indirect<K, std::uint64_t>(where, in, key_of, to.data, options, digits, function);
  }
}

// Writes the positions of the items in the order of key_of(item), as u32 or u64. Further error: more items than the index
// type counts.
template <input_range Items, class KeyOf, output_range Indices>
void argsort_by(const exec& where, const Items& items, const KeyOf& key_of, Indices&& indices,
                const sort_options& options = {}) {
  using T = detail::item_t<Items>;
  using K = detail::key_of_t<T, KeyOf>;
  static_assert(radix_key<K>, "key_of gives no key: see key_traits");
  constexpr const char* function = "argsort_by";
  const auto in = detail::as_input(items);
  const auto out = detail::as_output(indices);
  using W = typename detail::unsigned_of_size<sizeof(typename decltype(out)::value_type)>::type;
  const std::uint64_t n = in.capacity();
  detail::require_readable(in, function);
  detail::require_indices(out, n, function);
  detail::require_apart(in.data, n, out.data, n, function);
  detail::require_apart(in.length, out, function);
  const detail::radix_digit_plan digits = detail::plan_digits(options.bits, 8 * sizeof(K), function);
  if (n == 0) return;
  if (digits.passes() == 0) return detail::launch_positions(where.stream(), out.data, in.length, function);
  using scratch_type = detail::computed_keys_scratch<ordered_bits_t<K>, W>;
  const detail::scratch_lease lease(where, scratch_type::bytes(n, detail::sort_mode::values_only), function);
  detail::scratch_carver carver(lease.base());
  detail::launch_sort_by<K, W, T>(where.stream(), scratch_type(carver, n, detail::sort_mode::values_only), in, key_of,
                                  nullptr, reinterpret_cast<W*>(out.data), options, digits, function);
}

}  // namespace ballot
