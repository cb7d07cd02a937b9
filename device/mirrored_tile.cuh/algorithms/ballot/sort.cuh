// LSD radix sort, stable: keys, keys with values, and the order alone (argsort).
//
//     ballot::sort(gpu, keys, sorted, {.direction = ballot::direction::descending});
//     ballot::sort_pairs(gpu, cells, ids, sorted_cells, sorted_ids, {.bits = {0, 18}});
//     ballot::argsort(gpu, keys, order);                          // keys[order[0]], keys[order[1]], ... is sorted
//
// Keys: integers of 1, 2, 4 and 8 bytes, float, double. Their order is that of their ordered bits (core/key_order.hpp):
// floats -inf < ... < -0 < +0 < ... < +inf, NaNs last in both directions. `bits` limits the comparison to a range of the
// ordered bits; fewer bits are fewer passes (one for 8 bits). Values: any trivially copyable type; those of 4 and 8
// bytes that are aligned like words of that size travel with the keys, others follow by an index (alignas(8) on a struct
// of two floats makes it travel).
//
// Ranges are contiguous device ranges; keys (where they are only read) may be `counted`, and then so many leading items
// of the other ranges take part. All ranges of a call are equally long and apart from each other. Inputs that are not
// written are kept.
//
// Stable and deterministic, for any n that fits the memory. Scratch: *_scratch_bytes<K>(n), for any
// options: about one more buffer of keys (two for argsort) and of values, and 2 KiB a tile. Work on the stream: a fill,
// a histogram (reads the keys once), and a kernel a pass of 8 bits (reads and writes keys and values once). Errors
// (before any work): invalid_argument for null with n > 0, lengths that differ, overlap, a bit range that is empty or
// outside the key, scratch too small or misaligned; cuda_error from a launch.
// Sources: Adinets and Merrill, Onesweep, 2022; Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/gather.cuh>
#include <ballot/detail/radix_launch.cuh>

#include <limits>

namespace ballot {
namespace detail {

template <class K>
input<ordered_bits_t<K>> as_key_words(const input<K>& keys) {
  return {reinterpret_cast<const ordered_bits_t<K>*>(keys.data), keys.length};
}
template <class K>
ordered_bits_t<K>* as_key_words(K* keys) {
  return reinterpret_cast<ordered_bits_t<K>*>(keys);
}

inline radix_target keys_target(bool in_place) { return in_place ? radix_target::in_place : radix_target::other_range; }

// The scratch of a sort of pairs whose values follow by an index.
template <class K, class V, class Index>
struct indexed_pairs_scratch {
  std::byte* sort;
  Index* order;
  V* values;  // in place: the values as they were

  indexed_pairs_scratch(scratch_carver& carver, std::uint64_t n, bool in_place)
      : sort(carver.take<std::byte>(radix_scratch_bytes<ordered_bits_t<K>, Index>(n, keys_target(in_place)))),
        order(carver.take<Index>(n)),
        values(in_place ? carver.take<V>(n) : nullptr) {}
};

template <class K, class V>
std::size_t pairs_scratch_bytes(std::uint64_t n, bool in_place) {
  if (n == 0) return 0;
  if constexpr (travels_as_word<V>) {
    return radix_scratch_bytes<ordered_bits_t<K>, typename unsigned_of_size<sizeof(V)>::type>(n, keys_target(in_place));
  } else {
    scratch_carver measure;
    if (n <= std::uint64_t{1} << 32) indexed_pairs_scratch<K, V, std::uint32_t>(measure, n, in_place);
    else indexed_pairs_scratch<K, V, std::uint64_t>(measure, n, in_place);
    return measure.bytes();
  }
}

template <class Index, class K, class V>
void sort_pairs_by_index(const exec& where, const scratch_lease& lease, const input<K>& keys, K* keys_out,
                         const V* values, V* values_out, const sort_options& options, radix_digit_plan plan,
                         const char* function) {
  using U = ordered_bits_t<K>;
  const bool in_place = values == values_out;
  scratch_carver carver(lease.base());
  const indexed_pairs_scratch<K, V, Index> scratch(carver, keys.capacity(), in_place);
  if (in_place) {
    simt::copy_bytes(where.stream(), scratch.values, values, keys.capacity() * sizeof(V));
    values = scratch.values;
  }
  launch_radix_sort<U, Index>(where.stream(), scratch.sort,
                              {as_key_words(keys), as_key_words(keys_out), nullptr, scratch.order},
                              key_codec_of<K>(options.direction), plan);
  launch_gather(where.stream(), values, scratch.order, values_out, keys.length, function);
}

template <class K, class V>
void sort_pairs_checked(const exec& where, const input<K>& keys, K* keys_out, const V* values, V* values_out,
                        const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan plan = plan_digits(options.bits, 8 * sizeof(K), function);
  const std::uint64_t n = keys.capacity();
  if (n == 0) return;
  const scratch_lease lease(where, pairs_scratch_bytes<K, V>(n, values == values_out), function);
  if constexpr (travels_as_word<V>) {
    using W = typename unsigned_of_size<sizeof(V)>::type;
    launch_radix_sort<U, W>(where.stream(), lease.base(),
                            {as_key_words(keys), as_key_words(keys_out), reinterpret_cast<const W*>(values),
                             reinterpret_cast<W*>(values_out)},
                            key_codec_of<K>(options.direction), plan);
  } else if (n <= std::uint64_t{1} << 32) {
    sort_pairs_by_index<std::uint32_t>(where, lease, keys, keys_out, values, values_out, options, plan, function);
  } else {
    sort_pairs_by_index<std::uint64_t>(where, lease, keys, keys_out, values, values_out, options, plan, function);
  }
}

template <class K>
void sort_checked(const exec& where, const input<K>& keys, K* keys_out, const sort_options& options,
                  const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan plan = plan_digits(options.bits, 8 * sizeof(K), function);
  if (keys.capacity() == 0) return;
  const scratch_lease lease(
      where, radix_scratch_bytes<U, no_value>(keys.capacity(), keys_target(keys.data == keys_out)), function);
  launch_radix_sort<U, no_value>(where.stream(), lease.base(),
                                 {as_key_words(keys), as_key_words(keys_out), nullptr, nullptr},
                                 key_codec_of<K>(options.direction), plan);
}

}  // namespace detail

// Bytes of scratch for n items, whatever the options. Pure.
template <radix_key K>
std::size_t sort_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::radix_target::other_range);
}
template <radix_key K, class V>
std::size_t sort_pairs_scratch_bytes(std::uint64_t n) {
  return detail::pairs_scratch_bytes<K, V>(n, false);
}
template <radix_key K>
std::size_t sort_in_place_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::radix_target::in_place);
}
template <radix_key K, class V>
std::size_t sort_pairs_in_place_scratch_bytes(std::uint64_t n) {
  return detail::pairs_scratch_bytes<K, V>(n, true);
}
template <radix_key K, std::unsigned_integral Index>
std::size_t argsort_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, Index>(n, detail::radix_target::order_only);
}

// Sorts `keys` into `keys_out`; `keys` is kept.
template <detail::input_range Keys, detail::output_range KeysOut>
void sort(const exec& where, const Keys& keys, KeysOut&& keys_out, const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  static_assert(radix_key<K>, "keys are integers of up to 8 bytes, float or double");
  const auto in = detail::as_input(keys);
  const auto out = detail::as_output(keys_out);
  detail::require_readable(in, "sort");
  detail::require_writable(out, "sort");
  detail::require(out.size == in.capacity(), "sort", "input and output have different lengths");
  detail::require_apart(in.data, in.capacity(), out.data, out.size, "sort");
  detail::sort_checked<K>(where, in, out.data, options, "sort");
}

// Sorts `keys` where they are. `count` (a device address, or none) limits the sort to the first *count of them.
template <detail::output_range Keys>
void sort_in_place(const exec& where, Keys&& keys, const sort_options& options = {},
                   const std::uint64_t* count = nullptr) {
  const auto out = detail::as_output(keys);
  using K = typename decltype(out)::value_type;
  static_assert(radix_key<K>, "keys are integers of up to 8 bytes, float or double");
  detail::require_writable(out, "sort_in_place");
  detail::sort_checked<K>(where, detail::input<K>{out.data, {out.size, count}}, out.data, options, "sort_in_place");
}

// Sorts `keys` into `keys_out` and moves `values` to `values_out` with them; `keys` and `values` are kept.
template <detail::input_range Keys, detail::device_range Values, detail::output_range KeysOut,
          detail::output_range ValuesOut>
void sort_pairs(const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out, ValuesOut&& values_out,
                const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  using V = detail::item_t<Values>;
  static_assert(radix_key<K>, "keys are integers of up to 8 bytes, float or double");
  constexpr const char* function = "sort_pairs";
  const auto in = detail::as_input(keys);
  const auto values_in = detail::as_input(values);
  const auto out = detail::as_output(keys_out);
  const auto second = detail::as_output(values_out);
  detail::require_readable(in, function);
  detail::require_readable(values_in, function);
  detail::require_writable(out, function);
  detail::require_writable(second, function);
  const std::uint64_t n = in.capacity();
  detail::require(values_in.capacity() == n && out.size == n && second.size == n, function, "lengths differ");
  detail::require_apart(in.data, n, out.data, n, function);
  detail::require_apart(in.data, n, second.data, n, function);
  detail::require_apart(values_in.data, n, out.data, n, function);
  detail::require_apart(values_in.data, n, second.data, n, function);
  detail::require_apart(out.data, n, second.data, n, function);
  detail::sort_pairs_checked<K, V>(where, in, out.data, values_in.data, second.data, options, function);
}

// Sorts `keys` where they are, and `values` with them. `count` as for sort_in_place.
template <detail::output_range Keys, detail::output_range Values>
void sort_pairs_in_place(const exec& where, Keys&& keys, Values&& values, const sort_options& options = {},
                         const std::uint64_t* count = nullptr) {
  constexpr const char* function = "sort_pairs_in_place";
  const auto out = detail::as_output(keys);
  const auto second = detail::as_output(values);
  using K = typename decltype(out)::value_type;
  using V = typename decltype(second)::value_type;
  static_assert(radix_key<K>, "keys are integers of up to 8 bytes, float or double");
  detail::require_writable(out, function);
  detail::require_writable(second, function);
  detail::require(out.size == second.size, function, "lengths differ");
  detail::require_apart(out.data, out.size, second.data, second.size, function);
  detail::sort_pairs_checked<K, V>(where, detail::input<K>{out.data, {out.size, count}}, out.data, second.data,
                                   second.data, options, function);
}

// The positions of the keys in sorted order: u32 (for up to 2^32 keys) or u64. No array of indices is read, no key is
// written.
template <detail::input_range Keys, detail::output_range Indices>
void argsort(const exec& where, const Keys& keys, Indices&& indices, const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  using U = ordered_bits_t<K>;
  static_assert(radix_key<K>, "keys are integers of up to 8 bytes, float or double");
  constexpr const char* function = "argsort";
  const auto in = detail::as_input(keys);
  const auto out = detail::as_output(indices);
  using Index = typename decltype(out)::value_type;
  static_assert(std::unsigned_integral<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8), "indices are u32 or u64");
  using W = typename detail::unsigned_of_size<sizeof(Index)>::type;
  detail::require_readable(in, function);
  detail::require_writable(out, function);
  const std::uint64_t n = in.capacity();
  detail::require(out.size == n, function, "keys and indices have different lengths");
  detail::require(n == 0 || n - 1 <= std::numeric_limits<Index>::max(), function,
                  "more keys than the index type counts");
  detail::require_apart(in.data, n, out.data, n, function);
  const detail::radix_digit_plan plan = detail::plan_digits(options.bits, 8 * sizeof(K), function);
  if (n == 0) return;
  const detail::scratch_lease lease(where, detail::radix_scratch_bytes<U, W>(n, detail::radix_target::order_only),
                                    function);
  detail::launch_radix_sort<U, W>(where.stream(), lease.base(),
                                  {detail::as_key_words(in), nullptr, nullptr, reinterpret_cast<W*>(out.data)},
                                  key_codec_of<K>(options.direction), plan);
}

}  // namespace ballot
