// Radix sort, stable: keys, keys with values, and the order alone (argsort).
//
//     ballot::sort(gpu, keys, sorted, {.direction = ballot::direction::descending});
//     ballot::sort_pairs(gpu, cells, ids, sorted_cells, sorted_ids, {.bits = {0, 18}});
//     ballot::argsort(gpu, keys, order);                          // keys[order[0]], keys[order[1]], ... is sorted
//     ballot::argsort(gpu, cells, sorted_cells, objects);         // and the sorted keys
//
// Keys: integers of 1 to 16 bytes, float, double, __half, __nv_bfloat16, and types with key_traits. Their order is
// that of their ordered bits (core/key_order.hpp): floats -inf < ... < -0 < +0 < ... < +inf, NaNs last in both
// directions, or where `nans` says (by_bits with both zeros apart is totalOrder of IEEE 754; for -0 equal to +0 see
// equal_zeros and sort_by.cuh). `bits` limits the comparison to a range of the ordered bits; fewer bits are fewer
// passes (one for 8 bits). A range of no bits, {k, k}, orders nothing: everything keeps its place, and what is left
// is to copy it (in place nothing), without any of the scratch.
//
// Values: any trivially copyable type. Those of up to 8 bytes travel with the keys, as words: where they lie if they have
// 1, 2, 4 or 8 bytes and lie at multiples of that, else made words before the sort, and values again after it. Longer ones
// stay, follow by an index and are gathered once at the end, so that large ones are moved once.
//
// Passes that would change nothing are found out on the device and skipped: digits that all keys share, and all of them
// where the keys are in order already. Such input costs the read of the histogram, and a copy (in place not even that).
// Many whole keys of 4 and 8 bytes that are spread need two passes at most, by their leading bits: what agrees in those
// is put in order in shared memory (detail/radix_sort/local_sort_kernel.cuh). That too is found out on the device.
//
// Ranges are contiguous device ranges; keys (where they are only read) may be `counted`, and then so many leading items
// of the other ranges take part. All ranges of a call are equally long and apart from each other, and that count from
// what is written. Inputs that are not written are kept.
//
// Stable and deterministic, for any n that fits the memory. Scratch: *_scratch_bytes<K>(n), for any options: about one
// more buffer of keys (two for argsort) and of values that travel, two of words for values that may have to be made
// such, two of indices for values that stay (in place a copy of the values, too), 2 KiB a tile, and up to 256 KiB for
// the counts of leading bits. Work on the stream: a fill, a histogram (reads the keys once), and a kernel a digit of 8
// bits (each reads and writes keys and values once, or leaves at once); in place, an odd number of digits takes one
// launch more; many whole keys of 4 and 8 bytes take one or two more; values made words take two or three more, values
// that stay one for the gather, and in place a copy on the device. 2^30 items or more are several launches a digit,
// and so are many items where a block may not have 113 KB of shared memory. Errors (before any work): invalid_argument
// for null with n > 0, lengths that differ, overlap, a bit range that is inverted or outside the key, scratch too small
// or misaligned; cuda_error from a launch.
// Sources: Adinets and Merrill, Onesweep, 2022; Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on
// GPUs, 2017; Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>

namespace ballot {

// Bytes of scratch for n items, whatever the options. Pure.
template <radix_key K>
std::size_t sort_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::sort_mode::out_of_place);
}
template <radix_key K, class V>
std::size_t sort_pairs_scratch_bytes(std::uint64_t n) {
  return detail::pairs_scratch_bytes<K, V>(n, false);
}
template <radix_key K>
std::size_t sort_in_place_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::sort_mode::in_place);
}
template <radix_key K, class V>
std::size_t sort_pairs_in_place_scratch_bytes(std::uint64_t n) {
  return detail::pairs_scratch_bytes<K, V>(n, true);
}
template <radix_key K, std::unsigned_integral Index>
std::size_t argsort_scratch_bytes(std::uint64_t n) {
  return detail::radix_scratch_bytes<ordered_bits_t<K>, Index>(n, detail::sort_mode::values_only);
}

// Sorts `keys` into `keys_out`; `keys` is kept.
template <detail::input_range Keys, detail::output_range KeysOut>
void sort(const exec& where, const Keys& keys, KeysOut&& keys_out, const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  static_assert(radix_key<K>, "no key: see key_traits");
  const auto in = detail::as_input(keys);
  const auto out = detail::as_output(keys_out);
  detail::require_readable(in, "sort");
  detail::require_writable(out, "sort");
  detail::require(out.size == in.capacity(), "sort", "input and output have different lengths");
  detail::require_apart(in.data, in.capacity(), out.data, out.size, "sort");
  detail::require_apart(in.length, out, "sort");
  detail::dispatch_sort<K>(where, in, out.data, options, "sort");
}

// Sorts `keys` where they are. `count` (a device address, or none) limits the sort to the first *count of them.
template <detail::output_range Keys>
void sort_in_place(const exec& where, Keys&& keys, const sort_options& options = {},
                   const std::uint64_t* count = nullptr) {
  const auto out = detail::as_output(keys);
  using K = typename decltype(out)::value_type;
  static_assert(radix_key<K>, "no key: see key_traits");
  const detail::input<K> in{out.data, {out.size, count}};
  detail::require_writable(out, "sort_in_place");
  detail::require_apart(in.length, out, "sort_in_place");
  detail::dispatch_sort<K>(where, in, out.data, options, "sort_in_place");
}

// Sorts `keys` into `keys_out` and moves `values` to `values_out` with them; `keys` and `values` are kept.
template <detail::input_range Keys, detail::device_range Values, detail::output_range KeysOut,
          detail::output_range ValuesOut>
void sort_pairs(const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out, ValuesOut&& values_out,
                const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  using V = detail::item_t<Values>;
  static_assert(radix_key<K>, "no key: see key_traits");
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
  detail::require_apart(in.length, out, function);
  detail::require_apart(in.length, second, function);
  detail::dispatch_sort_pairs<K, V>(where, in, out.data, values_in.data, second.data, options, function);
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
  static_assert(radix_key<K>, "no key: see key_traits");
  detail::require_writable(out, function);
  detail::require_writable(second, function);
  detail::require(out.size == second.size, function, "lengths differ");
  const detail::input<K> in{out.data, {out.size, count}};
  detail::require_apart(out.data, out.size, second.data, second.size, function);
  detail::require_apart(in.length, out, function);
  detail::require_apart(in.length, second, function);
  detail::dispatch_sort_pairs<K, V>(where, in, out.data, second.data, second.data, options, function);
}

// The positions of the keys in sorted order: u32 (for up to 2^32 keys) or u64. No array of indices is read, no key is
// written.
template <detail::input_range Keys, detail::output_range Indices>
void argsort(const exec& where, const Keys& keys, Indices&& indices, const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  static_assert(radix_key<K>, "no key: see key_traits");
  constexpr const char* function = "argsort";
  const auto in = detail::as_input(keys);
  const auto out = detail::as_output(indices);
  detail::require_readable(in, function);
  detail::require_indices(out, in.capacity(), function);
  detail::require_apart(in.data, in.capacity(), out.data, out.size, function);
  detail::require_apart(in.length, out, function);
  detail::dispatch_argsort<K>(where, in, static_cast<K*>(nullptr), out, options, function);
}

// The same, and the sorted keys, too: sort_pairs of the keys with their positions, which need not be written down first.
// Scratch: sort_pairs_scratch_bytes<K, Index>.
template <detail::input_range Keys, detail::output_range KeysOut, detail::output_range Indices>
void argsort(const exec& where, const Keys& keys, KeysOut&& keys_out, Indices&& indices,
             const sort_options& options = {}) {
  using K = detail::item_t<Keys>;
  static_assert(radix_key<K>, "no key: see key_traits");
  constexpr const char* function = "argsort";
  const auto in = detail::as_input(keys);
  const auto sorted = detail::as_output(keys_out);
  const auto out = detail::as_output(indices);
  detail::require_readable(in, function);
  detail::require_writable(sorted, function);
  detail::require(sorted.size == in.capacity(), function, "input and output have different lengths");
  detail::require_indices(out, in.capacity(), function);
  detail::require_apart(in.data, in.capacity(), sorted.data, sorted.size, function);
  detail::require_apart(in.data, in.capacity(), out.data, out.size, function);
  detail::require_apart(sorted.data, sorted.size, out.data, out.size, function);
  detail::require_apart(in.length, sorted, function);
  detail::require_apart(in.length, out, function);
  detail::dispatch_argsort<K>(where, in, sorted.data, out, options, function);
}

}  // namespace ballot
