// Sort within segments: keys, and keys with values, however the items are spread over the segments.
//
//     ballot::segmented_sort(gpu, keys, offsets, sorted);     // offsets: 0, 3, 3, 8: segments of 3, 0 and 5 items
//     ballot::segmented_sort_pairs(gpu, cells, ids, offsets, sorted_cells, sorted_ids, {.bits = {0, 18}});
//
// Segments by the positions at which they begin: a device range (or `counted`) of ascending unsigned integers of 4 or
// 8 bytes, with or without the end as a last entry. Equal neighbours are empty segments; items before the first offset
// are a segment of their own, and the last segment reaches to the end. Offsets that do not ascend give some grouping of
// the items, and no other harm.
//
// Method: one device-wide LSD sort by (segment, key), by composites twice as wide as the key (detail/segment_keys.cuh).
// So the work depends on the number of items and the logarithm of the number of segments, not on their lengths, and
// nothing waits for the longest; digits that all items share are skipped on the device. Segments of up to 32 items are
// put in order where the composites are made (detail/segment_composites_kernel.cuh): where all are so short, or in order
// already, no pass has anything to do.
//
// Keys as in sort.cuh, of up to 8 bytes; options and values as there. Ranges are equally long and apart from each
// other; keys may be `counted`. Stable within each segment and deterministic. Fewer than 2^32 offsets for keys of up to
// 4 bytes. Scratch: *_scratch_bytes(n), for any options and offsets: two composites (8 or 16 bytes each) an item,
// values or positions, 2 KiB a tile. Launches: two and those of a sort in place; one more for values that stay. Bytes
// moved: a key read and a composite written; those of a sort of composites (a pass for every 8 bits of key and segment
// number); a composite read and a key written. Errors (before any work) as sort.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/segment_composites_kernel.cuh>
#include <ballot/detail/segment_keys.cuh>
#include <ballot/detail/sort_launch.cuh>

#include <bit>
#include <concepts>

namespace ballot {

namespace detail {

template <class U, class W>
struct segmented_sort_scratch {
  composite_of_t<U>* composites;
  std::byte* sort;
  W* order;  // for values that follow it

  segmented_sort_scratch(scratch_carver& carver, std::uint64_t n, bool with_order)
      : composites(carver.take<composite_of_t<U>>(n)),
        sort(carver.take<std::byte>(radix_scratch_bytes<composite_of_t<U>, W>(n, radix_target::in_place))),
        order(with_order ? carver.take<W>(n) : nullptr) {}

  static std::size_t bytes(std::uint64_t n, bool with_order) {
    scratch_carver measure;
    if (n != 0) segmented_sort_scratch(measure, n, with_order);
    return measure.bytes();
  }
};

// W: how the values travel; no_value for keys alone. by_index: W is the type of positions, and V is gathered after.
template <class K, class W, bool by_index, class Offset, class V>
void launch_segmented_sort(const exec& where, const input<K>& keys, const input<Offset>& offsets, K* keys_out,
                           const V* values, V* values_out, const sort_options& options, const char* function) {
  using U = ordered_bits_t<K>;
  using C = composite_of_t<U>;
  const radix_digit_plan asked = plan_digits(options.bits, 8 * sizeof(K), function);
  require(8 * sizeof(C) == 128 || offsets.capacity() <= std::uint64_t{0xffffffffu}, function, "2^32 offsets or more");
  const std::uint64_t n = keys.capacity();
  if (n == 0) return;
  using layout_of = segmented_sort_scratch<U, W>;
  const scratch_lease lease(where, layout_of::bytes(n, by_index), function);
  scratch_carver carver(lease.base());
  const layout_of scratch(carver, n, by_index);
  const composite_layout<U> layout{codec_of<K>(options), asked.low, asked.high};

  const auto words = as_key_words(keys);
  const W* words_of_values = nullptr;  // positions travel instead
  W* moved = nullptr;
  if constexpr (by_index) {
    moved = scratch.order;
  } else if constexpr (!std::is_same_v<W, no_value>) {
    words_of_values = reinterpret_cast<const W*>(values);
    moved = reinterpret_cast<W*>(values_out);
  }
  simt::launch_config config = key_launch(where.stream(), n, function);
  config.shared_bytes = sizeof(segment_composites_storage<U>);
  simt::launch(make_composites_kernel<U, Offset, W>, config, words.data, words.length, offsets.data, offsets.length,
               layout, scratch.composites, words_of_values, moved);

  const radix_job<C, W> job{{scratch.composites, keys.length}, scratch.composites, moved, moved};
  const int segment_bits = std::bit_width(offsets.capacity());
  launch_radix_sort<C, W>(where.stream(), scratch.sort, job, key_codec<C>{},
                          {layout.other_bits(), layout.key_bits + segment_bits});
  simt::launch(keys_of_composites_kernel<U>, key_launch(where.stream(), n, function), scratch.composites, words.length,
               layout, as_key_words(keys_out));
  if constexpr (by_index) launch_gather(where.stream(), values, scratch.order, values_out, keys.length, function);
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
  return at;
}

}  // namespace detail

// Bytes of scratch for n items, whatever the options and offsets. Pure.
template <radix_key K>
std::size_t segmented_sort_scratch_bytes(std::uint64_t n) {
  return detail::segmented_sort_scratch<ordered_bits_t<K>, detail::no_value>::bytes(n, false);
}
template <radix_key K, class V>
std::size_t segmented_sort_pairs_scratch_bytes(std::uint64_t n) {
  using U = ordered_bits_t<K>;
  if constexpr (detail::travels_as_word<V>)
    return detail::segmented_sort_scratch<U, typename detail::unsigned_of_size<sizeof(V)>::type>::bytes(n, false);
  else
    return n <= std::uint64_t{1} << 32 ? detail::segmented_sort_scratch<U, std::uint32_t>::bytes(n, true)
                                       : detail::segmented_sort_scratch<U, std::uint64_t>::bytes(n, true);
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
  const auto launch = [&]<class W, bool by_index>() {
    detail::launch_segmented_sort<K, W, by_index>(where, in, at, out.data, values_in.data, second.data, options,
                                                  function);
  };
  if constexpr (detail::travels_as_word<V>)
    launch.template operator()<typename detail::unsigned_of_size<sizeof(V)>::type, false>();
  else if (n <= std::uint64_t{1} << 32) launch.template operator()<std::uint32_t, true>();
  else launch.template operator()<std::uint64_t, true>();
}

}  // namespace ballot
