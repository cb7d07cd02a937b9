// Stable radix sort: of keys, of keys with values, and of positions (argsort).
//
//     ballot::sort(gpu, keys, sorted, {.direction = ballot::direction::descending});
//     ballot::sort_pairs(gpu, cells, ids, sorted_cells, sorted_ids, {.bits = {0, 18}});
//     ballot::argsort(gpu, keys, order);                          // keys[order[0]], keys[order[1]], ... is sorted
//     ballot::argsort(gpu, cells, sorted_cells, objects);         // and the sorted keys
//
// Keys: integers of 1 to 16 bytes, float, double, __half, __nv_bfloat16, and types with key_traits. They are compared by
// their ordered bits (core/key_order.hpp): floats -inf < ... < -0 < +0 < ... < +inf, and NaNs last in both directions,
// unless `nans` says otherwise. (by_bits, with the two zeros apart, is totalOrder of IEEE 754. For -0 equal to +0, see
// equal_zeros and sort_by.cuh.) `bits` limits the comparison to a range of the ordered bits; fewer bits take fewer passes,
// 8 bits take one. An empty range, {k, k}, orders nothing: the items are copied (in place nothing is done), and no scratch
// is used.
//
// Values: any trivially copyable type.
//   inline     1, 2, 4 or 8 bytes, aligned to their size: moved beside the keys
//   repacked   other sizes of up to 8 bytes, or other alignment: packed into words before the sort, unpacked after it
//   indirect   more than 8 bytes: the sort moves indices, and one gather at the end moves the values once
//
// The device detects passes that would change nothing, and skips them: digits that all keys share, and all passes if the
// keys are in order. Such input costs the read of the histogram and a copy (in place no copy). Many whole keys of 4 or 8
// bytes that are spread evenly take only two passes, by their leading bits, and a local sort of the rest in shared memory
// (detail/radix_sort/local_sort_kernel.cuh). The device decides that, too.
//
// Ranges are contiguous device ranges, all of the same length. Keys that are only read may be `counted`: then only so many
// leading items of all ranges take part. No output may overlap any other argument, including a device-side count. Inputs
// are not changed.
//
// Stable and deterministic, for any n that fits into memory.
//
// Scratch: *_scratch_bytes<K>(n), for any options. It is about one more buffer of keys (two for argsort), plus: for inline
// values one buffer of values; for values that may have to be repacked two buffers of words; for indirect values two
// buffers of indices (in place also a copy of the values); 2 KiB a tile; and up to 256 KiB for the counts of leading bits.
//
// Work on the stream, for up to 4096 keys (of 16 bytes 2048; the capacity counts): one kernel of one block, which reads
// keys twice and values once, and writes both once. No fill. Repacked values take two kernels more; indirect values
// take one, and in place a device-to-device copy.
//
// For more keys: a fill, a histogram (reads the keys once), and one kernel for each digit of 8 bits (each reads and
// writes keys and values once, or does nothing). More launches: one in place, if the number of digits is odd; one or two
// for many whole keys of 4 or 8 bytes; two or three for repacked values; one for indirect values, and in place a
// device-to-device copy. For 2^30 items or more there are several launches for each digit, and so for many items if a
// block may not have 113 KB of shared memory.
//
// Errors, before any work: invalid_argument for null with n > 0, different lengths, overlap, a bit range that is inverted
// or outside the key, scratch that is too small or misaligned; cuda_error from a launch.
//
// Sources: Adinets and Merrill, Onesweep, 2022; Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on
// GPUs, 2017; Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.4. Method: detail/radix_sort/launch.cuh.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>

namespace ballot {

// Bytes of scratch for n items, for any options. Pure.
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

// Sorts `keys` into `keys_out`.
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

// Sorts `keys` in place. `count` is a device address, or null: only the first *count keys are sorted.
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

// Sorts `keys` into `keys_out`, and moves `values` into `values_out` in the same order.
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

// Sorts `keys` in place, and moves `values` in the same order. `count`: as for sort_in_place.
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

// Writes the positions of the keys in sorted order, as u32 (up to 2^32 keys) or u64. No indices are read and no keys are
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

// The same, and also writes the sorted keys: sort_pairs of the keys with their positions, which need not be in memory.
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
