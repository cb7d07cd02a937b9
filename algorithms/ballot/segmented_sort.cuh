// SPDX-License-Identifier: Apache-2.0
// Stable sort within segments: of keys, and of keys with values. It is fast for any lengths of the
// segments.
//
//     ballot::segmented_sort(gpu, keys, offsets, sorted);  // 0, 3, 3, 8: 3, 0 and 5 items
//     ballot::segmented_sort_pairs(gpu, cells, ids, offsets, sorted_cells, sorted_ids,
//                                  {.bits = {0, 18}});
//
//     // Leaves items in gaps alone.
//     ballot::segmented_sort(gpu, keys, ballot::begins_and_ends{begins, ends}, sorted);
//     // The result is in b; returns 1, as sort_ping_pong does.
//     ballot::segmented_sort_ping_pong(gpu, a, offsets, b);
//
// Offsets: the positions at which segments begin. They are a device range (or `counted`) of
// ascending integers of 4 or 8 bytes, signed or not. The last entry may be the number of items.
// Between two equal offsets there is an empty segment. The items before the first offset form a
// segment, too. The last segment reaches to the end of the items. If offsets do not ascend, the
// output is a permutation of the items in unspecified order.
//
// begins_and_ends: segments that need not touch (detail/segmented_sort/segment_bounds.cuh). Items
// in the gaps between them are not written: the outputs keep there what they had. The offsets
// begins[0], ends[0], begins[1], ... ascend. If they do not, it is unspecified which items of the
// outputs are written. Each written item is some item of the input.
//
// A block sorts several segments side by side in shared memory, in one read and one write
// (detail/segmented_sort/sort_kernel.cuh). It does so by bins that follow the keys' distribution
// (spread_bins.cuh). If segments are short on average, those of a tile that all have up to 512
// items are sorted in registers instead, by groups of lanes
// (detail/segmented_sort/short_segments.cuh). Segments that a block cannot hold are sorted in
// parts, and the parts are merged by ranks (detail/segmented_sort/merge_kernel.cuh). A block holds
// 4864 items in arrays of up to 2^18 items, and 4608 in larger ones (3072 in both for keys of 8
// bytes). In large arrays, a longer segment instead gets a block of its own
// (detail/segmented_sort/block_segment_kernel.cuh), if it has up to 32,768 items (20,480 for keys
// of 8 bytes). Longer ones are gathered and sorted together. Their keys are then composites of
// segment and key, twice as wide as the key (detail/segmented_sort/long_segments.cuh). The device
// decides all this.
//
// Keys: as in sort.cuh, of up to 8 bytes; options as there. Values are inline if they have 1, 2, 4
// or 8 bytes and are aligned to their size. Others are indirect: one gather at the end. Keys,
// values and outputs have the same length. None is a view: docs/reference.md says why. Keys may be
// `counted`. No output and no scratch may overlap any other argument, including a device-side
// count. Deterministic.
//
// Scratch: *_scratch_bytes(n), for any options and offsets. None for up to 2048 items, then one key
// and one value per item, and above 65,536 items two of each. For more than 2^20 items (655,360 for
// keys of 8 bytes), two composites of 8 or 16 bytes and two values per item. The tile states of the
// radix sort are added, 2 KiB a tile.
//
// Launches: one for up to 2048 items, two for up to 65,536, three for up to 2^20 (655,360). For
// more items, a fill, five kernels, and the passes of the radix sort. Those for long segments do
// nothing if no segment is long enough for them. Above 2^18 items, segments that are short on
// average take one more kernel, and up to 2^20 (655,360) also a fill. Indirect values take one more
// launch. An empty bit range: as for sort.
//
// Bytes moved: keys and values are read and written once. Parts of segments are read and written
// again in each round of merging. For gathered segments, a key is read and a composite is written.
// Then there is a pass of composites and values for every 8 bits of key and segment number. At the
// end a composite is read and a key is written.
//
// Errors, before any work: as sort.
//
// Source: Satish, Harris and Garland, Designing Efficient Sorting Algorithms for Manycore GPUs,
// 2009 (tiles sorted in shared memory, merging by ranks). Batcher, Sorting Networks and Their
// Applications, 1968.
//
// Method: detail/segmented_sort/launch.cuh.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/gather/kernels.cuh>
#include <ballot/detail/radix_sort/arguments.hpp>
#include <ballot/detail/radix_sort/concepts.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/detail/radix_sort/explain.hpp>
#include <ballot/detail/segmented_sort/launch.cuh>
#include <ballot/detail/segmented_sort/segment_bounds.cuh>

#include <type_traits>

namespace ballot {

namespace detail {

// W: the type of the words that are sorted with the keys; no_value for keys alone. If the values
// are indirect, W is the type of positions, and values V are gathered at the end.
template <class K, class W, bool indirect, class Offset, class V>
void launch_segmented_sort(const exec& where, const input<K>& keys, const segments_of_sort<Offset>& at, K* keys_out,
                           const V* values, V* values_out, const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan compared = plan_digits(options.bits, 8 * sizeof(K), function);
  const std::uint64_t n = keys.capacity();
  constexpr bool gaps = has_gaps<offsets_of_kernel_t<Offset>>;
  if (n == 0) return;
  if (compared.passes() == 0 && !gaps) {
    launch_copy(where.stream(), keys, keys_out, function);
    if (values != nullptr) launch_copy(where.stream(), input<V>{values, keys.length}, values_out, function);
    return;
  }
  const scratch_lease lease(where, segmented_sort_bytes<U, W>(n, indirect), function);
  scratch_carver carver(lease.base());
  W* const order = indirect ? carver.take<W>(n) : nullptr;
  const W* words_of_values = nullptr;  // null: positions
  W* words_out = order;
  if constexpr (!indirect && !std::is_same_v<W, no_value>) {
    words_of_values = reinterpret_cast<const W*>(values);
    words_out = reinterpret_cast<W*>(values_out);
  }
  const auto words = as_key_words(keys);
  segment_sort_arguments<U, Offset, W> a{};
  a.keys = words.data;
  a.n = words.length;
  a.offsets = at.offsets;
  a.segments = at.segments;
  a.layout = {codec_of<K>(options), compared.low, compared.high};
  if (gaps && compared.passes() == 0) a.layout.low = a.layout.high = 0;  // no bits, of which a shift by all is none
  a.keys_out = as_key_words(keys_out);
  a.values = words_of_values;
  a.values_out = words_out;
  if constexpr (indirect && gaps) simt::fill_bytes(where.stream(), order, 0xff, n * sizeof(W));  // no position
  launch_segment_sort(where.stream(), carver, a, function);
  if constexpr (indirect && gaps)
    simt::launch(move_kernel<false, items_of_many, V, const V*, const W*>,
                 simt::launch_config{dim3(tile_count(n, gather_threads * items_of_many, function)),
                                     dim3(gather_threads), 0, where.stream()},
                 values, static_cast<const W*>(order), values_out, keys.length, length{n}, ~std::uint64_t{0},
                 device_count());
  else if constexpr (indirect) launch_gather(where.stream(), values, order, values_out, keys.length, function);
}

template <class K, class V>
std::size_t segmented_sort_pairs_bytes(std::uint64_t n) {
  using U = ordered_bits_t<K>;
  if constexpr (is_inline_value<V>) return segmented_sort_bytes<U, value_word_t<V>>(n, false);
  else
    return n < std::uint64_t{1} << 32 ? segmented_sort_bytes<U, std::uint32_t>(n, true)
                                      : segmented_sort_bytes<U, std::uint64_t>(n, true);
}

// Between two buffers: from a to b. If there is nothing to sort by, the keys stay in a.
template <class K>
int result_buffer(const sort_options& options, std::uint64_t n, const char* function) {
  return n == 0 || plan_digits(options.bits, 8 * sizeof(K), function).passes() == 0 ? 0 : 1;
}

}  // namespace detail

// Bytes of scratch for n items, for any options and offsets. Pure.
template <class K>
std::size_t segmented_sort_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(detail::segmented_sort_bytes<ordered_bits_t<K>, detail::no_value>(n, false));
  else return 0;
}
template <class K, class V>
std::size_t segmented_sort_pairs_scratch_bytes(std::uint64_t n) {
  if constexpr (detail::explained<detail::sort_key_check<K>>())
    return detail::bytes_at_any_address(detail::segmented_sort_pairs_bytes<K, V>(n));
  else return 0;
}

// Sorts each segment of `keys` into the same range of `keys_out`.
template <segmented_key_range Keys, segments_to_sort Offsets, output_range_of<Keys> KeysOut,
          options_of_sort Options = sort_options>
void segmented_sort(const exec& where, const Keys& keys, const Offsets& offsets, KeysOut&& keys_out,
                    const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "segmented_sort";
  using K = sorted_key_t<item_t<Keys>, Options>;
  const auto in = as_input(keys);
  const auto at = make_segments(function, offsets);
  const auto out = as_output(keys_out);
  require_same_lengths(function, {"keys", in.capacity()}, {{"keys_out", out.size}});
  require_arguments(function, where, {argument_of("keys_out", out)},
                    {argument_of("keys", in), argument_of("keys.length", in.length), at.memory[0], at.memory[1],
                     at.memory[2], at.memory[3]});
  launch_segmented_sort<K, no_value, false>(where, as_sorted<Options>(in), at, as_sorted<Options>(out.data),
                                            static_cast<const K*>(nullptr), static_cast<K*>(nullptr), options,
                                            function);
}

// The same, and moves `values` into `values_out` in the same order.
template <segmented_key_range Keys, value_range Values, segments_to_sort Offsets, output_range_of<Keys> KeysOut,
          output_range_of<Values> ValuesOut, options_of_sort Options = sort_options>
void segmented_sort_pairs(const exec& where, const Keys& keys, const Values& values, const Offsets& offsets,
                          KeysOut&& keys_out, ValuesOut&& values_out, const Options& options = {}) {
  using namespace detail;
  constexpr const char* function = "segmented_sort_pairs";
  using K = sorted_key_t<item_t<Keys>, Options>;
  using V = item_t<Values>;
  const auto in = as_input(keys);
  const auto values_in = as_input(values);
  const auto at = make_segments(function, offsets);
  const auto out = as_output(keys_out);
  const auto second = as_output(values_out);
  const std::uint64_t n = in.capacity();
  require_same_lengths(function, {"keys", n},
                       {{"values", values_in.capacity()}, {"keys_out", out.size}, {"values_out", second.size}});
  require_arguments(function, where, {argument_of("keys_out", out), argument_of("values_out", second)},
                    {argument_of("keys", in), argument_of("values", values_in), argument_of("keys.length", in.length),
                     at.memory[0], at.memory[1], at.memory[2], at.memory[3]});
  const auto launch = [&]<class W, bool indirect>() {
    launch_segmented_sort<K, W, indirect>(where, as_sorted<Options>(in), at, as_sorted<Options>(out.data),
                                          values_in.data, second.data, options, function);
  };
  if constexpr (is_inline_value<V>) launch.template operator()<value_word_t<V>, false>();
  else if (n < std::uint64_t{1} << 32) launch.template operator()<std::uint32_t, true>();
  else launch.template operator()<std::uint64_t, true>();
}

// The same between two buffers. The keys are in `a`. Returns 1 if the result is in `b`; the
// contents of `a` are then unspecified. Returns 0 if the result is in `a`, which is so if there are
// no items or no bits to sort by. Scratch: as segmented_sort.
template <in_place_key_range A, segments_to_sort Offsets, output_range_of<A> B, options_of_sort Options = sort_options>
  requires segmented_key_range<A>
int segmented_sort_ping_pong(const exec& where, A&& a, const Offsets& offsets, B&& b, const Options& options = {}) {
  using namespace detail;  // cudafe++ puts nested braces of a qualified call into parentheses
  using K = item_t<A>;
  const std::uint64_t n = as_input(a).capacity();
  const int result = result_buffer<K>(options, n, "segmented_sort_ping_pong");
  const auto other = as_output(b);
  require_same_lengths("segmented_sort_ping_pong", {"a", n}, {{"b", other.size}});
  if (result == 1) segmented_sort(where, a, offsets, b, options);
  return result;
}
template <in_place_key_range A, output_range ValuesA, segments_to_sort Offsets, output_range_of<A> B,
          output_range_of<ValuesA> ValuesB, options_of_sort Options = sort_options>
  requires segmented_key_range<A>
int segmented_sort_pairs_ping_pong(const exec& where, A&& a, ValuesA&& values_a, const Offsets& offsets, B&& b,
                                   ValuesB&& values_b, const Options& options = {}) {
  using namespace detail;
  using K = item_t<A>;
  constexpr const char* function = "segmented_sort_pairs_ping_pong";
  const std::uint64_t n = as_input(a).capacity();
  const int result = result_buffer<K>(options, n, function);
  const auto other = as_output(b);
  const auto values = as_output(values_a), other_values = as_output(values_b);
  require_same_lengths(function, {"a", n},
                       {{"values_a", values.size}, {"b", other.size}, {"values_b", other_values.size}});
  if (result == 1) segmented_sort_pairs(where, a, values_a, offsets, b, values_b, options);
  return result;
}

// The twins, which say why a call does not compile (core/explain.hpp).
template <class Keys, class Offsets, class KeysOut, options_of_sort Options = sort_options>
void segmented_sort(const exec&, const Keys&, const Offsets&, KeysOut&&, const Options& = {}) {
  detail::explain<detail::segmented_keys_check<Keys>, detail::segments_to_sort_check<Offsets>,
                  detail::output_check<KeysOut>, detail::same_items_check<KeysOut, Keys>>();
}
template <class Keys, class Values, class Offsets, class KeysOut, class ValuesOut,
          options_of_sort Options = sort_options>
void segmented_sort_pairs(const exec&, const Keys&, const Values&, const Offsets&, KeysOut&&, ValuesOut&&,
                          const Options& = {}) {
  detail::explain<detail::segmented_keys_check<Keys>, detail::value_range_check<Values>,
                  detail::segments_to_sort_check<Offsets>, detail::output_check<KeysOut>,
                  detail::output_check<ValuesOut>, detail::same_items_check<KeysOut, Keys>,
                  detail::same_items_check<ValuesOut, Values>>();
}

template <class A, class Offsets, class B, options_of_sort Options = sort_options>
int segmented_sort_ping_pong(const exec&, A&&, const Offsets&, B&&, const Options& = {}) {
  return detail::explain<detail::in_place_keys_check<A>, detail::segmented_keys_check<A>,
                         detail::segments_to_sort_check<Offsets>, detail::output_check<B>,
                         detail::same_items_check<B, A>>(),
         0;
}
template <class A, class ValuesA, class Offsets, class B, class ValuesB, options_of_sort Options = sort_options>
int segmented_sort_pairs_ping_pong(const exec&, A&&, ValuesA&&, const Offsets&, B&&, ValuesB&&, const Options& = {}) {
  return detail::explain<detail::in_place_keys_check<A>, detail::segmented_keys_check<A>, detail::output_check<ValuesA>,
                         detail::segments_to_sort_check<Offsets>, detail::output_check<B>,
                         detail::output_check<ValuesB>, detail::same_items_check<B, A>,
                         detail::same_items_check<ValuesB, ValuesA>>(),
         0;
}

}  // namespace ballot
