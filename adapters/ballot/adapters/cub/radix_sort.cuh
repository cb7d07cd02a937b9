// SPDX-License-Identifier: Apache-2.0
// cub::DeviceRadixSort over ballot's sorts.
//
// To CUB -0 and +0 are equal keys. They are equal here, too (with_equal_zeros), unless
// BALLOT_ADAPTERS_ORDER_ZEROS allows -0 before +0, which takes less time. Calls with decomposers go
// to CUB.
//
// Floats by a part of their bits are a special case. CUB compares both zeros by the bits of one of
// them. Ascending, these are the bits of +0, as in ballot. Descending, they are the bits of -0,
// because CUB looks for -0 among keys that are inverted already (ProcessFloatMinusZero). If all
// bits are compared, this makes no difference. If only some are, zeros land elsewhere among the
// other keys. So the descending sort by some of the bits goes to CUB, and with
// BALLOT_ADAPTERS_ORDER_ZEROS the ascending one does, too.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/core/key_order.hpp>
#include <ballot/sort.cuh>
#include <ballot/sort_ping_pong.cuh>

#include <cub/device/device_radix_sort.cuh>

namespace ballot::adapters::detail {

// Whether ballot's order of these keys by bits [begin, end) is CUB's.
template <class K>
bool orders_as_cub(direction order, int begin_bit, int end_bit) {
#if defined(BALLOT_ADAPTERS_ORDER_ZEROS)
  constexpr bool compares_zeros_as_cub = false;
#else
  constexpr bool compares_zeros_as_cub = true;
#endif
  return key_traits<K>::kind != key_kind::floating || begin_bit >= end_bit ||
         (begin_bit <= 0 && end_bit >= static_cast<int>(8 * sizeof(K))) ||
         (compares_zeros_as_cub && order == direction::ascending);
}

// To CUB -0 and +0 are equal keys.
template <class K>
auto as_cub_orders(const sort_options& options) {
#if defined(BALLOT_ADAPTERS_ORDER_ZEROS)
  return options;
#else
  if constexpr (key_traits<K>::kind == key_kind::floating) return with_equal_zeros{options};
  else return options;
#endif
}

}  // namespace ballot::adapters::detail

namespace ballot::adapters::calls {

struct DeviceRadixSort {
 public:
  /// Whether ballot sorts keys K. The sorts within segments use it, too.
  template <class K>
  static constexpr bool sorts = radix_key<K>;

 private:
  template <class V>
  static constexpr bool moves = detail::plain_values<V>;

  template <class K>
  static auto options(direction order, int begin_bit, int end_bit) {
    return detail::as_cub_orders<K>({.direction = order, .bits = {begin_bit, end_bit}, .nans = nan_order::by_bits});
  }
  template <class T>
  static std::span<T> range(T* items, std::uint64_t n) {
    return {items, static_cast<std::size_t>(n)};
  }

  // by_cub: CUB's call, for the floats that ballot orders differently.
  template <direction Order, class K, class Needed, class Cub, class Work>
  static cudaError_t run(void* temporary, std::size_t& bytes, const Needed& needed, int begin_bit, int end_bit,
                         cudaStream_t stream, const Cub& by_cub, const Work& work) {
    if constexpr (key_traits<K>::kind == key_kind::floating) {
      const bool is_ours = detail::orders_as_cub<K>(Order, begin_bit, end_bit);
      return detail::two_phases_of_either(temporary, bytes, needed, is_ours, stream, by_cub, work);
    } else {
      return detail::two_phases(temporary, bytes, needed, stream, work);
    }
  }
  template <direction Order, class... Arguments>
  static cudaError_t keys_by_cub(Arguments&&... arguments) {
    if constexpr (Order == direction::ascending) return ::cub::DeviceRadixSort::SortKeys(arguments...);
    else return ::cub::DeviceRadixSort::SortKeysDescending(arguments...);
  }
  template <direction Order, class... Arguments>
  static cudaError_t pairs_by_cub(Arguments&&... arguments) {
    if constexpr (Order == direction::ascending) return ::cub::DeviceRadixSort::SortPairs(arguments...);
    else return ::cub::DeviceRadixSort::SortPairsDescending(arguments...);
  }

  template <direction Order, class K>
  static cudaError_t keys(void* temporary, std::size_t& bytes, const K* in, K* out, std::uint64_t n, int begin_bit,
                          int end_bit, cudaStream_t stream) {
    return run<Order, K>(
        temporary, bytes, [&] { return sort_scratch_bytes<K>(n); }, begin_bit, end_bit, stream,
        [&](void* t, std::size_t& b) { return keys_by_cub<Order>(t, b, in, out, n, begin_bit, end_bit, stream); },
        [&](const exec& where) { sort(where, range(in, n), range(out, n), options<K>(Order, begin_bit, end_bit)); });
  }
  template <direction Order, class K, class V>
  static cudaError_t pairs(void* temporary, std::size_t& bytes, const K* in, K* out, const V* values, V* values_out,
                           std::uint64_t n, int begin_bit, int end_bit, cudaStream_t stream) {
    return run<Order, K>(
        temporary, bytes, [&] { return sort_pairs_scratch_bytes<K, V>(n); }, begin_bit, end_bit, stream,
        [&](void* t, std::size_t& b) {
          return pairs_by_cub<Order>(t, b, in, out, values, values_out, n, begin_bit, end_bit, stream);
        },
        [&](const exec& where) {
          sort_pairs(where, range(in, n), range(values, n), range(out, n), range(values_out, n),
                     options<K>(Order, begin_bit, end_bit));
        });
  }
  template <direction Order, class K>
  static cudaError_t keys(void* temporary, std::size_t& bytes, ::cub::DoubleBuffer<K>& buffers, std::uint64_t n,
                          int begin_bit, int end_bit, cudaStream_t stream) {
    return run<Order, K>(
        temporary, bytes, [&] { return sort_ping_pong_scratch_bytes<K>(n); }, begin_bit, end_bit, stream,
        [&](void* t, std::size_t& b) { return keys_by_cub<Order>(t, b, buffers, n, begin_bit, end_bit, stream); },
        [&](const exec& where) {
          buffers.selector ^= sort_ping_pong(where, range(buffers.Current(), n), range(buffers.Alternate(), n),
                                             options<K>(Order, begin_bit, end_bit));
        });
  }
  // Values that are not words go through scratch to the other buffer.
  template <direction Order, class K, class V>
  static cudaError_t pairs(void* temporary, std::size_t& bytes, ::cub::DoubleBuffer<K>& buffers,
                           ::cub::DoubleBuffer<V>& values, std::uint64_t n, int begin_bit, int end_bit,
                           cudaStream_t stream) {
    constexpr bool alternates = ping_pong_values<std::span<V>>;
    const auto needed = [&] {
      if constexpr (alternates) return sort_pairs_ping_pong_scratch_bytes<K, V>(n);
      else return sort_pairs_scratch_bytes<K, V>(n);
    };
    return run<Order, K>(
        temporary, bytes, needed, begin_bit, end_bit, stream,
        [&](void* t, std::size_t& b) {
          return pairs_by_cub<Order>(t, b, buffers, values, n, begin_bit, end_bit, stream);
        },
        [&](const exec& where) {
          int at = 1;
          const auto order = options<K>(Order, begin_bit, end_bit);
          if constexpr (alternates)
            at = sort_pairs_ping_pong(where, range(buffers.Current(), n), range(values.Current(), n),
                                      range(buffers.Alternate(), n), range(values.Alternate(), n), order);
          else
            sort_pairs(where, range(buffers.Current(), n), range(values.Current(), n), range(buffers.Alternate(), n),
                       range(values.Alternate(), n), order);
          buffers.selector ^= at;
          values.selector ^= at;
        });
  }

 public:
#define BALLOT_ADAPTERS_RADIX_SORT(SUFFIX, ORDER)                                                                      \
  template <class K, std::integral N>                                                                                  \
    requires sorts<K>                                                                                                  \
  static cudaError_t SortKeys##SUFFIX(void* temporary, std::size_t& bytes, const K* in, K* out, N n,                   \
                                      int begin_bit = 0, int end_bit = 8 * sizeof(K), cudaStream_t stream = nullptr) { \
    return keys<ORDER>(temporary, bytes, in, out, detail::items_of(n), begin_bit, end_bit, stream);                    \
  }                                                                                                                    \
  template <class K, std::integral N>                                                                                  \
    requires sorts<K>                                                                                                  \
  static cudaError_t SortKeys##SUFFIX(void* temporary, std::size_t& bytes, ::cub::DoubleBuffer<K>& buffers, N n,       \
                                      int begin_bit = 0, int end_bit = 8 * sizeof(K), cudaStream_t stream = nullptr) { \
    return keys<ORDER>(temporary, bytes, buffers, detail::items_of(n), begin_bit, end_bit, stream);                    \
  }                                                                                                                    \
  template <class K, class V, std::integral N>                                                                         \
    requires(sorts<K> && moves<V>)                                                                                     \
  static cudaError_t SortPairs##SUFFIX(void* temporary, std::size_t& bytes, const K* in, K* out, const V* values,      \
                                       V* values_out, N n, int begin_bit = 0, int end_bit = 8 * sizeof(K),             \
                                       cudaStream_t stream = nullptr) {                                                \
    return pairs<ORDER>(temporary, bytes, in, out, values, values_out, detail::items_of(n), begin_bit, end_bit,        \
                        stream);                                                                                       \
  }                                                                                                                    \
  template <class K, class V, std::integral N>                                                                         \
    requires(sorts<K> && moves<V>)                                                                                     \
  static cudaError_t SortPairs##SUFFIX(void* temporary, std::size_t& bytes, ::cub::DoubleBuffer<K>& buffers,           \
                                       ::cub::DoubleBuffer<V>& values, N n, int begin_bit = 0,                         \
                                       int end_bit = 8 * sizeof(K), cudaStream_t stream = nullptr) {                   \
    return pairs<ORDER>(temporary, bytes, buffers, values, detail::items_of(n), begin_bit, end_bit, stream);           \
  }
  BALLOT_ADAPTERS_RADIX_SORT(, direction::ascending)
  BALLOT_ADAPTERS_RADIX_SORT(Descending, direction::descending)
#undef BALLOT_ADAPTERS_RADIX_SORT
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceRadixSort, by ballot where it can: keys and pairs, ascending and descending, of a
/// DoubleBuffer, by a bit range.
struct DeviceRadixSort : ::cub::DeviceRadixSort {
  BALLOT_ADAPTERS_CALL(DeviceRadixSort, SortKeys)
  BALLOT_ADAPTERS_CALL(DeviceRadixSort, SortKeysDescending)
  BALLOT_ADAPTERS_CALL(DeviceRadixSort, SortPairs)
  BALLOT_ADAPTERS_CALL(DeviceRadixSort, SortPairsDescending)
};

}  // namespace ballot::adapters::cub
