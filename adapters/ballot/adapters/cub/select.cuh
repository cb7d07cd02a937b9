// SPDX-License-Identifier: Apache-2.0
// cub::DeviceSelect over ballot's compactions: If, Flagged, Unique and UniqueByKey, and the first
// two in place.
//
// The number of selected items is an integer of 4 or 8 bytes that holds the number of items; flags
// have one byte.
//
// Two overlaps are CUB's, and ballot's too: in place, items of one byte may be their own flags. And
// UniqueByKey may write where it reads: Thrust's unique_by_key calls it so.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/adapters/cub/head_bits.cuh>
#include <ballot/compact.cuh>
#include <ballot/unique.cuh>

#include <cub/device/device_select.cuh>

namespace ballot::adapters::detail {

// Items that are their own flags.
struct is_set {
  template <class T>
  __device__ bool operator()(const T& item) const {
    static_assert(sizeof(T) == 1);
    return *reinterpret_cast<const unsigned char*>(&item) != 0;
  }
};

}  // namespace ballot::adapters::detail

namespace ballot::adapters::calls {

struct DeviceSelect {
 private:
  template <class In, class Out>
  static constexpr bool copies = std::same_as<std::remove_const_t<In>, Out> && detail::plain<Out> && sizeof(Out) <= 128;
  template <class Flag>
  static constexpr bool is_flag = sizeof(Flag) == 1 && std::integral<Flag>;

  template <class Flag>
  static byte_flags flags_of(const Flag* flags, std::uint64_t n) {
    return {std::span(reinterpret_cast<const std::uint8_t*>(flags), n)};
  }

  // By the bits of the heads, which are complete before a key is overwritten.
  template <class K, class V, class Same, class Count>
  static void unique_by_key_in_place(const exec& where, std::span<K> keys, std::span<V> values, const Same& same,
                                     Count* count) {
    constexpr const char* function = "unique_by_key";
    const std::uint64_t n = keys.size();
    // The compaction checks its arguments, too, but only after the bits have been launched.
    const ballot::detail::argument written[] = {{"keys", keys.data(), keys.size_bytes()},
                                                {"values", values.data(), values.size_bytes()},
                                                {"count", count, sizeof(Count)}};
    ballot::detail::require_not_null(function, written);
    ballot::detail::require_apart(function, written, {});
    const bit_flags heads = detail::set_head_bits(where, keys.data(), n, same, function);
    compact_in_place(detail::behind_head_bits(where, n), zip{keys, values}, heads, count);
  }

 public:
  template <class In, class Out, detail::count_integer Count, std::integral N, predicate_of<Out> Select>
    requires copies<In, Out>
  static cudaError_t If(void* temporary, std::size_t& bytes, In* in, Out* out, Count* count, N items, Select select,
                        cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          compact(where, std::span(in, n), select, detail::output_before(out, n, {in, count, temporary}), count);
        });
  }
  template <class T, detail::count_integer Count, std::integral N, predicate_of<T> Select>
    requires copies<T, T>
  static cudaError_t If(void* temporary, std::size_t& bytes, T* data, Count* count, N items, Select select,
                        cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_in_place_scratch_bytes<T>(n); }, stream,
        [&](const exec& where) { compact_in_place(where, std::span(data, n), select, count); });
  }

  template <class In, class Flag, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && is_flag<Flag>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, In* in, Flag* flags, Out* out, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          compact(where, std::span(in, n), flags_of(flags, n),
                  detail::output_before(out, n, {in, flags, count, temporary}), count);
        });
  }
  template <class T, class Flag, detail::count_integer Count, std::integral N>
    requires(copies<T, T> && is_flag<Flag>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, T* data, Flag* flags, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_in_place_scratch_bytes<T>(n); }, stream,
        [&](const exec& where) {
          if constexpr (sizeof(T) == 1)
            if (static_cast<const void*>(data) == static_cast<const void*>(flags))
              return compact_in_place(where, std::span(data, n), detail::is_set{}, count);
          compact_in_place(where, std::span(data, n), flags_of(flags, n), count);
        });
  }

  template <class In, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && relation_of<equal_to, Out>)
  static cudaError_t Unique(void* temporary, std::size_t& bytes, In* in, Out* out, Count* count, N items,
                            cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return unique_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          unique(where, std::span(in, n), detail::output_before(out, n, {in, count, temporary}), count);
        });
  }

  template <class K, class V, class KeysOut, class ValuesOut, detail::count_integer Count, std::integral N,
            relation_of<KeysOut> Same>
    requires(copies<K, KeysOut> && copies<V, ValuesOut>)
  static cudaError_t UniqueByKey(void* temporary, std::size_t& bytes, K* keys, V* values, KeysOut* keys_out,
                                 ValuesOut* values_out, Count* count, N items, Same same,
                                 cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    const auto needed = [&] {
      return std::max(unique_scratch_bytes<KeysOut, ValuesOut>(n),
                      detail::head_bits_bytes(n) + compact_in_place_scratch_bytes<KeysOut, ValuesOut>(n));
    };
    return detail::two_phases(temporary, bytes, needed, stream, [&](const exec& where) {
      if (keys == keys_out && values == values_out && n != 0)
        return unique_by_key_in_place(where, std::span(keys_out, n), std::span(values_out, n), same, count);
      unique_by_key(where, std::span(keys, n), std::span(values, n), same,
                    detail::output_before(keys_out, n, {keys, values, values_out, count, temporary}),
                    detail::output_before(values_out, n, {keys, values, keys_out, count, temporary}), count);
    });
  }
  template <class K, class V, class KeysOut, class ValuesOut, detail::count_integer Count, std::integral N>
    requires(copies<K, KeysOut> && copies<V, ValuesOut> && relation_of<equal_to, KeysOut>)
  static cudaError_t UniqueByKey(void* temporary, std::size_t& bytes, K* keys, V* values, KeysOut* keys_out,
                                 ValuesOut* values_out, Count* count, N items, cudaStream_t stream = nullptr) {
    return UniqueByKey(temporary, bytes, keys, values, keys_out, values_out, count, items, equal_to{}, stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceSelect, by ballot where it can: of arrays, by a predicate, by flags, and of runs.
struct DeviceSelect : ::cub::DeviceSelect {
  BALLOT_ADAPTERS_CALL(DeviceSelect, If)
  BALLOT_ADAPTERS_CALL(DeviceSelect, Flagged)
  BALLOT_ADAPTERS_CALL(DeviceSelect, Unique)
  BALLOT_ADAPTERS_CALL(DeviceSelect, UniqueByKey)
  BALLOT_ADAPTERS_CUB_CALL(DeviceSelect, FlaggedIf)
};

}  // namespace ballot::adapters::cub
