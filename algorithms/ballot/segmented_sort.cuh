// Sort within segments: keys, and keys with values, however the items are spread over the segments.
//
//     ballot::segmented_sort(gpu, keys, offsets, sorted);     // offsets: 0, 3, 3, 8: segments of 3, 0 and 5 items
//     ballot::segmented_sort_pairs(gpu, cells, ids, offsets, sorted_cells, sorted_ids, {.bits = {0, 18}});
//
// Segments by the positions at which they begin: a device range (or `counted`) of ascending unsigned integers of 4 or 8
// bytes, with or without the end as a last entry. Equal neighbours are empty segments; items before the first offset
// are a segment of their own, and the last segment reaches to the end. Offsets that do not ascend give some order of
// all items, and no other harm.
//
// Method: a block takes whole segments side by side, as many as its shared memory holds, and orders them there: one
// read and one write (detail/segmented_sort/sort_kernel.cuh). Of a segment that is too long for that, of more than 4864 items
// in arrays of up to 2^18 and else of more than 4608 (3072 for keys of 8 bytes in both), blocks order pieces, which are
// then merged by ranks (detail/segmented_sort/merge_kernel.cuh). In large arrays, segments of more than 16,384 items (10,240)
// are gathered instead and sorted together, by composites of segment and key that are twice as wide as the key
// (detail/segmented_sort/long_segments.cuh). All of it is decided on the device, and no segment waits for the longest.
//
// Keys as in sort.cuh, of up to 8 bytes; options as there. Values that are aligned like words of 1, 2, 4 or 8 bytes
// travel, others stay until one gather. Ranges are equally long and apart from each other, and lengths on the device
// from what is written; keys may be `counted`. Stable within each segment and deterministic. Scratch:
// *_scratch_bytes(n), for any options and offsets: one or two keys and values an item; of more than 2^20 items
// (655,360) two composites (8 or 16 bytes each) and two values an item, 2 KiB a tile of the sort. Launches: one of
// up to 1024 items, two up to 65,536, three up to 2^20 (655,360); of more two fills and four besides the passes,
// which have nothing to do where no segment is so long; one more for values that stay; for a range of no bits as
// sort. Bytes moved: keys and values read and written once; of pieces in each round of merging again; of gathered
// ones: a key read and a composite written, a pass for every 8 bits of key and number, a composite read and a key
// written. Errors (before any work) as sort. Satish, Harris and Garland, Designing Efficient Sorting Algorithms for
// Manycore GPUs, 2009 (tiles sorted in shared memory, merging by ranks).
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/detail/segmented_sort/launch.cuh>

#include <concepts>

namespace ballot {

namespace detail {

// W: how the values travel; no_value for keys alone. by_index: W is the type of positions, and V is gathered after.
template <class K, class W, bool by_index, class Offset, class V>
void launch_segmented_sort(const exec& where, const input<K>& keys, const input<Offset>& offsets, K* keys_out,
                           const V* values, V* values_out, const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  const radix_digit_plan compared = plan_digits(options.bits, 8 * sizeof(K), function);
  const std::uint64_t n = keys.capacity();
  if (n == 0) return;
  if (compared.passes() == 0) {
    launch_copy(where.stream(), keys, keys_out, function);
    if (values != nullptr) launch_copy(where.stream(), input<V>{values, keys.length}, values_out, function);
    return;
  }
  const scratch_lease lease(where, segmented_sort_bytes<U, W>(n, by_index), function);
  scratch_carver carver(lease.base());
  W* const order = by_index ? carver.take<W>(n) : nullptr;
  const W* words_of_values = nullptr;  // positions travel instead
  W* moved = order;
  if constexpr (!by_index && !std::is_same_v<W, no_value>) {
    words_of_values = reinterpret_cast<const W*>(values);
    moved = reinterpret_cast<W*>(values_out);
  }
  const auto words = as_key_words(keys);
  segment_sort_arguments<U, Offset, W> a{};
  a.keys = words.data;
  a.n = words.length;
  a.offsets = offsets.data;
  a.segments = offsets.length;
  a.layout = {codec_of<K>(options), compared.low, compared.high};
  a.keys_out = as_key_words(keys_out);
  a.values = words_of_values;
  a.values_out = moved;
  launch_segment_sort(where.stream(), carver, a, function);
  if constexpr (by_index) launch_gather(where.stream(), values, order, values_out, keys.length, function);
}

// What both functions demand, and the offsets as they are taken.
template <class Keys, class Offsets, class K>
auto require_segmented(const Keys& keys, const Offsets& offsets, const output<K>& out, const char* function) {
  static_assert(radix_key<K> && sizeof(K) <= 8, "keys of a segmented sort have up to 8 bytes");
  const auto at = as_input(offsets);
  using Offset = item_t<Offsets>;
  static_assert(std::unsigned_integral<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8), "offsets: u32 or u64");
  const std::uint64_t n = keys.capacity();
  require_readable(keys, function);
  require_readable(at, function);
  require_writable(out, function);
  require(out.size == n, function, "input and output have different lengths");
  require_apart(keys.data, n, out.data, n, function);
  require_apart(at.data, at.capacity(), out.data, n, function);
  require_apart(keys.length, out, function);
  require_apart(at.length, out, function);
  return at;
}

}  // namespace detail

// Bytes of scratch for n items, whatever the options and offsets. Pure.
template <radix_key K>
std::size_t segmented_sort_scratch_bytes(std::uint64_t n) {
  return detail::segmented_sort_bytes<ordered_bits_t<K>, detail::no_value>(n, false);
}
template <radix_key K, class V>
std::size_t segmented_sort_pairs_scratch_bytes(std::uint64_t n) {
  using U = ordered_bits_t<K>;
  if constexpr (detail::is_inline_value<V>) return detail::segmented_sort_bytes<U, detail::value_word_t<V>>(n, false);
  else
    return n <= std::uint64_t{1} << 32 ? detail::segmented_sort_bytes<U, std::uint32_t>(n, true)
                                       : detail::segmented_sort_bytes<U, std::uint64_t>(n, true);
}

// Sorts each segment of `keys` into the same places of `keys_out`; `keys` is kept.
template <detail::input_range Keys, detail::input_range Offsets, detail::output_range KeysOut>
void segmented_sort(const exec& where, const Keys& keys, const Offsets& offsets, KeysOut&& keys_out,
                    const sort_options& options = {}) {
  constexpr const char* function = "segmented_sort";
  using K = detail::item_t<Keys>;
  const auto in = detail::as_input(keys);
  const auto out = detail::as_output(keys_out);
  const auto at = detail::require_segmented(in, offsets, out, function);
  detail::launch_segmented_sort<K, detail::no_value, false>(where, in, at, out.data, static_cast<const K*>(nullptr),
                                                            static_cast<K*>(nullptr), options, function);
}

// The same, and moves `values` to `values_out` with them.
template <detail::input_range Keys, detail::device_range Values, detail::input_range Offsets,
          detail::output_range KeysOut, detail::output_range ValuesOut>
void segmented_sort_pairs(const exec& where, const Keys& keys, const Values& values, const Offsets& offsets,
                          KeysOut&& keys_out, ValuesOut&& values_out, const sort_options& options = {}) {
  constexpr const char* function = "segmented_sort_pairs";
  using K = detail::item_t<Keys>;
  using V = detail::item_t<Values>;
  const auto in = detail::as_input(keys);
  const auto values_in = detail::as_input(values);
  const auto out = detail::as_output(keys_out);
  const auto second = detail::as_output(values_out);
  const auto at = detail::require_segmented(in, offsets, out, function);
  const std::uint64_t n = in.capacity();
  detail::require_readable(values_in, function);
  detail::require_writable(second, function);
  detail::require(values_in.capacity() == n && second.size == n, function, "lengths differ");
  detail::require_apart(in.data, n, second.data, n, function);
  detail::require_apart(values_in.data, n, out.data, n, function);
  detail::require_apart(values_in.data, n, second.data, n, function);
  detail::require_apart(out.data, n, second.data, n, function);
  detail::require_apart(at.data, at.capacity(), second.data, n, function);
  detail::require_apart(in.length, second, function);
  detail::require_apart(at.length, second, function);
  const auto launch = [&]<class W, bool by_index>() {
    detail::launch_segmented_sort<K, W, by_index>(where, in, at, out.data, values_in.data, second.data, options,
                                                  function);
  };
  if constexpr (detail::is_inline_value<V>) launch.template operator()<detail::value_word_t<V>, false>();
  else if (n <= std::uint64_t{1} << 32) launch.template operator()<std::uint32_t, true>();
  else launch.template operator()<std::uint64_t, true>();
}

}  // namespace ballot
