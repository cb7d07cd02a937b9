// SPDX-License-Identifier: Apache-2.0
// Stable radix sort: of keys, of keys with values, and of positions (argsort).
//
//     ballot::sort(gpu, keys, sorted, {.direction = ballot::direction::descending});
//     ballot::sort_pairs(gpu, cells, ids, sorted_cells, sorted_ids, {.bits = {0, 18}});
//     ballot::argsort(gpu, keys, order);                   // keys[order[0]], keys[order[1]], ...
//     ballot::argsort(gpu, cells, sorted_cells, objects);  // and the sorted keys
//
// Keys: bool, integers of 1 to 16 bytes, float, double, __half, __nv_bfloat16, and types with
// key_traits. They are compared by their ordered bits (core/key_order.hpp). For floats this is -inf
// < ... < -0 < +0 < ... < +inf. NaNs are last in both directions, unless `nans` says otherwise.
// With nans = by_bits, the order is totalOrder of IEEE 754. To sort -0 and +0 as equal keys, pass
// `with_equal_zeros{}` or `with_equal_zeros{{...}}` as the options.
//
// `bits` limits the comparison to a range of the ordered bits. Each 8 bits take one pass. With an
// empty range, {k, k}, all keys are equal: the items are copied (in place nothing is done), and no
// scratch is used.
//
// Values: any trivially copyable type.
//   inline     1, 2, 4 or 8 bytes, aligned to their size. They move beside the keys
//   repacked   other sizes of up to 8 bytes, or other alignment. They are packed into words before
//              the sort and unpacked after it
//   indirect   more than 8 bytes. The sort moves indices, and one gather at the end moves the
//              values once
//
// All passes are launched. The device decides which of them have work:
// - It skips passes that would change nothing: those of digits that all keys share, and all passes
//   if the keys are in order. Keys in order cost the read of the histogram and a copy (in place no
//   copy).
// - Many keys of 4 or 8 bytes that are sorted by all bits and are spread evenly take only two
//   passes, by their leading bits. Then a local sort orders the keys with equal leading bits in
//   shared memory (detail/radix_sort/local_sort_kernel.cuh).
// - Many keys of 8 bytes, sorted by all bits or some, take passes by their leading digits, until
//   few different keys have the same leading digits. A local sort by tiles follows
//   (detail/radix_sort/tile_sort_kernel.cuh).
//
// Ranges are contiguous device ranges, all of the same length. None of them is a view:
// docs/reference.md says why, and argsort_by takes a view (sort_by.cuh). The keys may be `counted`,
// also in place. Then only the first *count items of all ranges take part. No output and no scratch
// may overlap any other argument, including a device-side count. Inputs are not changed.
//
// Stable and deterministic, for any n that fits into memory.
//
// Scratch: *_scratch_bytes<K>(n), for any options. It is about one more buffer of keys (two for
// argsort), and:
// - for inline values, one buffer of values;
// - for values that may have to be repacked, two buffers of words;
// - for indirect values, two buffers of indices (in place also a copy of the values);
// - 2 KiB a tile for tile states, and up to 256 KiB for the counts of leading bits.
//
// Work on the stream for few keys: kernels without a fill, by the first line that fits. The
// capacity decides, not the count on the device.
//   no output is an input, up to 4096 keys (of 16 bytes 2048)  one kernel. Each block takes some of
//                                                              the keys, and counts how many keys
//                                                              go before each: n * n comparisons in
//                                                              all
//   up to 2048 keys of up to 4 bytes, 4096 of one byte         one kernel of one block, which reads
//                                                              keys twice
//   up to 65,536 keys of 2 bytes or more                       blocks sort runs, then runs are
//                                                              merged by searches: two kernels, up
//                                                              to 512 keys one, above 16,384 three.
//                                                              Each reads and writes keys and
//                                                              values once
// Repacked values take two more kernels. Indirect values take one more kernel, and in place also a
// device-to-device copy.
//
// For more keys: a fill, a histogram that reads the keys once, and one kernel for each digit of 8
// bits. Each of these reads and writes keys and values once, or does nothing. More launches:
// - one in place, if the number of digits is odd;
// - one or two for the sort by leading bits, two for the sort by leading digits, and six for that
//   above 2^26 keys;
// - two or three for repacked values;
// - one for indirect values, and in place a device-to-device copy.
// For 2^30 items or more there are several launches for each digit. The same holds for many items
// on a GPU whose blocks cannot have 113 KB of shared memory.
//
// Errors, before any work: invalid_argument for null with n > 0, different lengths, overlap, or a
// bit range that is inverted or outside the key. Scratch that is too small is such an error, too.
// cuda_error from a launch.
//
// Sources: Adinets and Merrill, Onesweep, 2022. Stehle and Jacobsen, A Memory Bandwidth-Efficient
// Hybrid Radix Sort on GPUs, 2017. Harris and Garland, GPU Computing Gems Jade Edition, chapter
// 3.4.
//
// Method: detail/radix_sort/launch.cuh.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/detail/radix_sort/explain.hpp>

namespace ballot {

// Bytes of scratch for n items, for any options. Pure.
template <class K>
std::size_t sort_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(
        detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::sort_mode::out_of_place));
  else return 0;
}
template <class K, class V>
std::size_t sort_pairs_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(detail::pairs_scratch_bytes<K, V>(n, false));
  else return 0;
}
template <class K>
std::size_t sort_in_place_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(
        detail::radix_scratch_bytes<ordered_bits_t<K>, detail::no_value>(n, detail::sort_mode::in_place));
  else return 0;
}
template <class K, class V>
std::size_t sort_pairs_in_place_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(detail::pairs_scratch_bytes<K, V>(n, true));
  else return 0;
}
template <class K, class Index>
std::size_t argsort_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>, detail::index_check<Index>>()) {
    using W = typename detail::unsigned_of_size<sizeof(Index)>::type;
    return detail::bytes_at_any_address(
        detail::radix_scratch_bytes<ordered_bits_t<K>, W>(n, detail::sort_mode::values_only));
  } else {
    return 0;
  }
}

// Sorts `keys` into `keys_out`.
template <key_range Keys, output_range_of<Keys> KeysOut, options_of_sort Options = sort_options>
void sort(const exec& where, const Keys& keys, KeysOut&& keys_out, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "sort";
  const auto in = as_input(keys);
  const auto out = as_output(keys_out);
  require_same_lengths(function, {"keys", in.capacity()}, {{"keys_out", out.size}});
  require_arguments(function, where, {argument_of("keys_out", out)},
                    {argument_of("keys", in), argument_of("keys.length", in.length)});
  dispatch_sort(where, as_sorted<Options>(in), as_sorted<Options>(out.data), options, function);
}

// Sorts `keys` in place.
template <in_place_key_range Keys, options_of_sort Options = sort_options>
void sort_in_place(const exec& where, Keys&& keys, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "sort_in_place";
  const auto [out, length] = as_in_place(keys);
  require_arguments(function, where, {argument_of("keys", out)}, {argument_of("keys.length", length)});
  dispatch_sort(where, {as_sorted<Options>(out.data), length}, as_sorted<Options>(out.data), options, function);
}

// Sorts `keys` into `keys_out`, and moves `values` into `values_out` in the same order.
template <key_range Keys, value_range Values, output_range_of<Keys> KeysOut, output_range_of<Values> ValuesOut,
          options_of_sort Options = sort_options>
void sort_pairs(const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out, ValuesOut&& values_out,
                const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "sort_pairs";
  const auto in = as_input(keys);
  const auto values_in = as_input(values);
  const auto out = as_output(keys_out);
  const auto second = as_output(values_out);
  require_same_lengths(function, {"keys", in.capacity()},
                       {{"values", values_in.capacity()}, {"keys_out", out.size}, {"values_out", second.size}});
  require_arguments(function, where, {argument_of("keys_out", out), argument_of("values_out", second)},
                    {argument_of("keys", in), argument_of("values", values_in), argument_of("keys.length", in.length)});
  dispatch_sort_pairs(where, as_sorted<Options>(in), as_sorted<Options>(out.data), values_in.data, second.data, options,
                      function);
}

// Sorts `keys` in place, and moves `values` in the same order.
template <in_place_key_range Keys, output_range Values, options_of_sort Options = sort_options>
void sort_pairs_in_place(const exec& where, Keys&& keys, Values&& values, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "sort_pairs_in_place";
  const auto [out, length] = as_in_place(keys);
  const auto second = as_output(values);
  require_same_lengths(function, {"keys", out.size}, {{"values", second.size}});
  require_arguments(function, where, {argument_of("keys", out), argument_of("values", second)},
                    {argument_of("keys.length", length)});
  dispatch_sort_pairs(where, {as_sorted<Options>(out.data), length}, as_sorted<Options>(out.data), second.data,
                      second.data, options, function);
}

// Writes the positions of the keys in sorted order, as integers of 4 bytes (u32: up to 2^32 keys)
// or of 8. No indices are read and no keys are written.
template <key_range Keys, output_range_of_counts Indices, options_of_sort Options = sort_options>
void argsort(const exec& where, const Keys& keys, Indices&& indices, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "argsort";
  const auto in = as_input(keys);
  const auto out = as_output(indices);
  require_same_lengths(function, {"keys", in.capacity()}, {{"indices", out.size}});
  require_positions_fit(function, "indices", count_type::of<item_t<Indices>>(), out.size);
  require_arguments(function, where, {argument_of("indices", out)},
                    {argument_of("keys", in), argument_of("keys.length", in.length)});
  dispatch_argsort(where, as_sorted<Options>(in), nullptr, as_positions(out).data, options, function);
}

// The same, and also writes the sorted keys. It is sort_pairs of the keys with their positions, but
// the positions need not be in memory. Scratch: sort_pairs_scratch_bytes<K, Index>.
template <key_range Keys, output_range_of<Keys> KeysOut, output_range_of_counts Indices,
          options_of_sort Options = sort_options>
  requires no_sort_options<Indices>
void argsort(const exec& where, const Keys& keys, KeysOut&& keys_out, Indices&& indices, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "argsort";
  const auto in = as_input(keys);
  const auto sorted = as_output(keys_out);
  const auto out = as_output(indices);
  require_same_lengths(function, {"keys", in.capacity()}, {{"keys_out", sorted.size}, {"indices", out.size}});
  require_positions_fit(function, "indices", count_type::of<item_t<Indices>>(), out.size);
  require_arguments(function, where, {argument_of("keys_out", sorted), argument_of("indices", out)},
                    {argument_of("keys", in), argument_of("keys.length", in.length)});
  dispatch_argsort(where, as_sorted<Options>(in), as_sorted<Options>(sorted.data), as_positions(out).data, options,
                   function);
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class Keys, class KeysOut, options_of_sort Options = sort_options>
void sort(const exec&, const Keys&, KeysOut&&, const Options& = {}) {
  detail::explain<detail::key_range_check<Keys>, detail::output_check<KeysOut>,
                  detail::same_items_check<KeysOut, Keys>>();
}
template <class Keys, options_of_sort Options = sort_options>
void sort_in_place(const exec&, Keys&&, const Options& = {}) {
  detail::explain<detail::in_place_keys_check<Keys>>();
}
template <class Keys, class Values, class KeysOut, class ValuesOut, options_of_sort Options = sort_options>
void sort_pairs(const exec&, const Keys&, const Values&, KeysOut&&, ValuesOut&&, const Options& = {}) {
  detail::explain<detail::key_range_check<Keys>, detail::value_range_check<Values>, detail::output_check<KeysOut>,
                  detail::output_check<ValuesOut>, detail::same_items_check<KeysOut, Keys>,
                  detail::same_items_check<ValuesOut, Values>>();
}
template <class Keys, class Values, options_of_sort Options = sort_options>
void sort_pairs_in_place(const exec&, Keys&&, Values&&, const Options& = {}) {
  detail::explain<detail::in_place_keys_check<Keys>, detail::output_check<Values>>();
}
template <class Keys, class Indices, options_of_sort Options = sort_options>
void argsort(const exec&, const Keys&, Indices&&, const Options& = {}) {
  detail::explain<detail::key_range_check<Keys>, detail::positions_check<Indices>>();
}
template <class Keys, class KeysOut, class Indices, options_of_sort Options = sort_options>
  requires no_sort_options<Indices>
void argsort(const exec&, const Keys&, KeysOut&&, Indices&&, const Options& = {}) {
  detail::explain<detail::key_range_check<Keys>, detail::output_check<KeysOut>, detail::same_items_check<KeysOut, Keys>,
                  detail::positions_check<Indices>>();
}

}  // namespace ballot
