// SPDX-License-Identifier: Apache-2.0
// cub::DeviceSegmentedSort and cub::DeviceSegmentedRadixSort over ballot's sorts within segments.
//
// The types decide, as for DeviceRadixSort, and also the pointers. A call goes to ballot if each
// segment ends where the next one begins, `ends == begins + 1`, as in the examples of CUB. Items
// before the first begin and after the last end are not written, as by CUB; therefore begins and
// ends are passed on. Such offsets must ascend. ballot cannot check that, because they are on the
// device. To CUB, {5, 10, 0, 5} are three segments, of which one is empty; here they are an error.
// Calls with other offsets go to CUB, because these may be in any order. As the pointers decide,
// the temporary storage is large enough for both libraries.
#pragma once

#include <ballot/adapters/cub/radix_sort.cuh>
#include <ballot/segmented_sort.cuh>

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

namespace ballot::adapters::detail {

template <class T>
inline constexpr bool is_segment_offset =
    std::integral<T> && !std::same_as<std::remove_const_t<T>, bool> && (sizeof(T) == 4 || sizeof(T) == 8);
template <class K>
inline constexpr bool sorts_within_segments = calls::DeviceRadixSort::sorts<K> && sizeof(K) <= 8;

// One call: keys, values (or void), where they go, and how CUB does it.
template <class K, class V, class Offset>
struct segmented_sort_call {
  void* temporary;
  std::size_t& bytes;
  const K* keys;
  K* keys_out;
  const V* values;
  V* values_out;
  std::uint64_t items, segments;
  const Offset *begins, *ends;
  sort_options options;
  cudaStream_t stream;

  // selectors: of the buffers, which say that the result is in the other one. CUB does not change
  // them if there is nothing to sort.
  template <class Cub>
  cudaError_t operator()(const Cub& by_cub, std::initializer_list<int*> selectors) const {
    const auto needed = [&] {
      if constexpr (std::is_void_v<V>) return segmented_sort_scratch_bytes<K>(items);
      else return segmented_sort_pairs_scratch_bytes<K, V>(items);
    };
    const int high = options.bits.high == bit_range::full ? static_cast<int>(8 * sizeof(K)) : options.bits.high;
    const bool is_ours = static_cast<const void*>(ends) == static_cast<const void*>(begins + 1) &&
                         orders_as_cub<K>(options.direction, options.bits.low, high);
    return two_phases_of_either(temporary, bytes, needed, is_ours, stream, by_cub, [&](const exec& where) {
      if (selectors.size() != 0 && (items == 0 || segments == 0 || options.bits.low == high)) return;
      const std::span in(keys, items);
      const std::span out(keys_out, items);
      const begins_and_ends offsets(std::span(begins, segments), std::span(ends, segments));
      const auto order = as_cub_orders<K>(options);
      if constexpr (std::is_void_v<V>) segmented_sort(where, in, offsets, out, order);
      else segmented_sort_pairs(where, in, std::span(values, items), offsets, out, std::span(values_out, items), order);
      for (int* const selector : selectors) *selector ^= 1;
    });
  }
};

}  // namespace ballot::adapters::detail

// The four forms of a sort within segments. BITS: parameters after the offsets, and GIVEN: their
// names; OPTIONS: of ballot.
#define BALLOT_ADAPTERS_SEGMENTED_SORT(CLASS, PREFIX, SUFFIX, BITS, GIVEN, OPTIONS)                                  \
  template <class K, std::integral N, std::integral S, class Offset>                                                 \
    requires(detail::sorts_within_segments<K> && detail::is_segment_offset<Offset>)                                  \
  static cudaError_t PREFIX##SortKeys##SUFFIX(void* temporary, std::size_t& bytes, const K* in, K* out, N items,     \
                                              S segments, Offset* begins, Offset* ends BITS,                         \
                                              cudaStream_t stream = nullptr) {                                       \
    return detail::segmented_sort_call<K, void, std::remove_const_t<Offset>>{                                        \
        temporary, bytes, in,      out,   nullptr, nullptr, detail::items_of(items), detail::items_of(segments),     \
        begins,    ends,  OPTIONS, stream}(                                                                          \
        [&](void* t, std::size_t& b) {                                                                               \
          return ::cub::CLASS::PREFIX##SortKeys##SUFFIX(t, b, in, out, items, segments, begins, ends GIVEN, stream); \
        },                                                                                                           \
        {});                                                                                                         \
  }                                                                                                                  \
  template <class K, std::integral N, std::integral S, class Offset>                                                 \
    requires(detail::sorts_within_segments<K> && detail::is_segment_offset<Offset>)                                  \
  static cudaError_t PREFIX##SortKeys##SUFFIX(void* temporary, std::size_t& bytes, ::cub::DoubleBuffer<K>& keys,     \
                                              N items, S segments, Offset* begins, Offset* ends BITS,                \
                                              cudaStream_t stream = nullptr) {                                       \
    return detail::segmented_sort_call<K, void, std::remove_const_t<Offset>>{temporary,                              \
                                                                             bytes,                                  \
                                                                             keys.Current(),                         \
                                                                             keys.Alternate(),                       \
                                                                             nullptr,                                \
                                                                             nullptr,                                \
                                                                             detail::items_of(items),                \
                                                                             detail::items_of(segments),             \
                                                                             begins,                                 \
                                                                             ends,                                   \
                                                                             OPTIONS,                                \
                                                                             stream}(                                \
        [&](void* t, std::size_t& b) {                                                                               \
          return ::cub::CLASS::PREFIX##SortKeys##SUFFIX(t, b, keys, items, segments, begins, ends GIVEN, stream);    \
        },                                                                                                           \
        {&keys.selector});                                                                                           \
  }                                                                                                                  \
  template <class K, class V, std::integral N, std::integral S, class Offset>                                        \
    requires(detail::sorts_within_segments<K> && detail::plain_values<V> && detail::is_segment_offset<Offset>)       \
  static cudaError_t PREFIX##SortPairs##SUFFIX(void* temporary, std::size_t& bytes, const K* in, K* out,             \
                                               const V* values, V* values_out, N items, S segments, Offset* begins,  \
                                               Offset* ends BITS, cudaStream_t stream = nullptr) {                   \
    return detail::segmented_sort_call<K, V, std::remove_const_t<Offset>>{                                           \
        temporary, bytes, in,      out,   values, values_out, detail::items_of(items), detail::items_of(segments),   \
        begins,    ends,  OPTIONS, stream}(                                                                          \
        [&](void* t, std::size_t& b) {                                                                               \
          return ::cub::CLASS::PREFIX##SortPairs##SUFFIX(t, b, in, out, values, values_out, items, segments, begins, \
                                                         ends GIVEN, stream);                                        \
        },                                                                                                           \
        {});                                                                                                         \
  }                                                                                                                  \
  template <class K, class V, std::integral N, std::integral S, class Offset>                                        \
    requires(detail::sorts_within_segments<K> && detail::plain_values<V> && detail::is_segment_offset<Offset>)       \
  static cudaError_t PREFIX##SortPairs##SUFFIX(void* temporary, std::size_t& bytes, ::cub::DoubleBuffer<K>& keys,    \
                                               ::cub::DoubleBuffer<V>& values, N items, S segments, Offset* begins,  \
                                               Offset* ends BITS, cudaStream_t stream = nullptr) {                   \
    return detail::segmented_sort_call<K, V, std::remove_const_t<Offset>>{temporary,                                 \
                                                                          bytes,                                     \
                                                                          keys.Current(),                            \
                                                                          keys.Alternate(),                          \
                                                                          values.Current(),                          \
                                                                          values.Alternate(),                        \
                                                                          detail::items_of(items),                   \
                                                                          detail::items_of(segments),                \
                                                                          begins,                                    \
                                                                          ends,                                      \
                                                                          OPTIONS,                                   \
                                                                          stream}(                                   \
        [&](void* t, std::size_t& b) {                                                                               \
          return ::cub::CLASS::PREFIX##SortPairs##SUFFIX(t, b, keys, values, items, segments, begins, ends GIVEN,    \
                                                         stream);                                                    \
        },                                                                                                           \
        {&keys.selector, &values.selector});                                                                         \
  }
#define BALLOT_ADAPTERS_NO_BITS
#define BALLOT_ADAPTERS_BITS , int begin_bit = 0, int end_bit = 8 * sizeof(K)
#define BALLOT_ADAPTERS_GIVEN_BITS , begin_bit, end_bit
#define BALLOT_ADAPTERS_ORDER(ORDER) \
  sort_options { .direction = ORDER, .nans = nan_order::by_bits }
#define BALLOT_ADAPTERS_ORDER_OF_BITS(ORDER) \
  sort_options { .direction = ORDER, .bits = {begin_bit, end_bit}, .nans = nan_order::by_bits }

namespace ballot::adapters::calls {

struct DeviceSegmentedSort {
  BALLOT_ADAPTERS_SEGMENTED_SORT(DeviceSegmentedSort, , , BALLOT_ADAPTERS_NO_BITS, BALLOT_ADAPTERS_NO_BITS,
                                 BALLOT_ADAPTERS_ORDER(direction::ascending))
  BALLOT_ADAPTERS_SEGMENTED_SORT(DeviceSegmentedSort, , Descending, BALLOT_ADAPTERS_NO_BITS, BALLOT_ADAPTERS_NO_BITS,
                                 BALLOT_ADAPTERS_ORDER(direction::descending))
  BALLOT_ADAPTERS_SEGMENTED_SORT(DeviceSegmentedSort, Stable, , BALLOT_ADAPTERS_NO_BITS, BALLOT_ADAPTERS_NO_BITS,
                                 BALLOT_ADAPTERS_ORDER(direction::ascending))
  BALLOT_ADAPTERS_SEGMENTED_SORT(DeviceSegmentedSort, Stable, Descending, BALLOT_ADAPTERS_NO_BITS,
                                 BALLOT_ADAPTERS_NO_BITS, BALLOT_ADAPTERS_ORDER(direction::descending))
};
struct DeviceSegmentedRadixSort {
  BALLOT_ADAPTERS_SEGMENTED_SORT(DeviceSegmentedRadixSort, , , BALLOT_ADAPTERS_BITS, BALLOT_ADAPTERS_GIVEN_BITS,
                                 BALLOT_ADAPTERS_ORDER_OF_BITS(direction::ascending))
  BALLOT_ADAPTERS_SEGMENTED_SORT(DeviceSegmentedRadixSort, , Descending, BALLOT_ADAPTERS_BITS,
                                 BALLOT_ADAPTERS_GIVEN_BITS, BALLOT_ADAPTERS_ORDER_OF_BITS(direction::descending))
};

}  // namespace ballot::adapters::calls

#undef BALLOT_ADAPTERS_ORDER_OF_BITS
#undef BALLOT_ADAPTERS_ORDER
#undef BALLOT_ADAPTERS_GIVEN_BITS
#undef BALLOT_ADAPTERS_BITS
#undef BALLOT_ADAPTERS_NO_BITS
#undef BALLOT_ADAPTERS_SEGMENTED_SORT

namespace ballot::adapters::cub {

/// cub::DeviceSegmentedSort, by ballot where it can: numbers, between offsets of which each ends a
/// segment and begins the next.
struct DeviceSegmentedSort : ::cub::DeviceSegmentedSort {
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, SortKeys)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, SortKeysDescending)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, SortPairs)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, SortPairsDescending)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, StableSortKeys)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, StableSortKeysDescending)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, StableSortPairs)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedSort, StableSortPairsDescending)
};
/// cub::DeviceSegmentedRadixSort, the same with a bit range.
struct DeviceSegmentedRadixSort : ::cub::DeviceSegmentedRadixSort {
  BALLOT_ADAPTERS_CALL(DeviceSegmentedRadixSort, SortKeys)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedRadixSort, SortKeysDescending)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedRadixSort, SortPairs)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedRadixSort, SortPairsDescending)
};

}  // namespace ballot::adapters::cub
