// SPDX-License-Identifier: Apache-2.0
// cub::DeviceSelect over ballot's compactions: If, Flagged, FlaggedIf, Unique and UniqueByKey, and
// all but the last in place.
//
// The number of selected items is an integer of 4 or 8 bytes that holds the number of items. Flags
// of one byte are byte_flags. Other flags, and the stencil of FlaggedIf, are a column beside the
// items, whose output is discarded. In place they become bits first.
//
// Two overlaps that CUB allows are allowed here, too. In place, items may be their own flags.
// UniqueByKey may write where it reads, because Thrust's unique_by_key calls it in this way.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/adapters/cub/flags.cuh>
#include <ballot/adapters/cub/input.cuh>
#include <ballot/adapters/cub/item_bits.cuh>
#include <ballot/compact.cuh>
#include <ballot/outputs.cuh>
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
  static constexpr bool copies = std::same_as<detail::item_of<In>, Out> && detail::plain<Out> && sizeof(Out) <= 128;

  template <class In, class Stencil, class Out, class Count, class Select>
  static cudaError_t by_stencil(void* temporary, std::size_t& bytes, const In& in, const Stencil& stencil, Out* out,
                                Count* count, std::uint64_t n, const Select& select, cudaStream_t stream) {
    using asked = detail::item_of<Stencil>;
    return detail::two_phases(
        temporary, bytes, [&] { return compact_scratch_bytes<asked, Out>(n); }, stream,
        [&](const exec& where) {
          const auto to = detail::output_before(
              out, n, {detail::address_read(in), detail::address_read(stencil), count, temporary});
          compact(where, zip{detail::input_of(stencil, n), detail::input_of(in, n)}, on_first{select},
                  zip{discarded<asked>(n), to}, count);
        });
  }
  template <class T, class Stencil, class Count, class Select>
  static cudaError_t by_stencil_in_place(void* temporary, std::size_t& bytes, T* data, const Stencil& stencil,
                                         Count* count, std::uint64_t n, const Select& select, cudaStream_t stream) {
    constexpr const char* function = "compact_in_place";
    const auto needed = [&] { return detail::item_bits_bytes(n) + compact_in_place_scratch_bytes<T>(n); };
    return detail::two_phases(temporary, bytes, needed, stream, [&](const exec& where) {
      // The compaction checks its arguments, too, but only after the bits have been launched.
      require_apart(function, {{"items", data, n * sizeof(T)}, {"count", count, sizeof(Count)}});
      ballot::detail::require_not_null(function, {detail::argument_read("flags", stencil, n)});
      std::uint32_t* const bits = detail::item_bits_in(where);
      detail::set_selected_bits(stream, detail::input_of(stencil, n), select, bits, function);
      compact_in_place(detail::after_item_bits(where, n), std::span(data, n), detail::flags_of_bits(bits, n), count);
    });
  }

  static void require_apart(const char* function, std::initializer_list<ballot::detail::argument> written) {
    ballot::detail::require_not_null(function, written);
    ballot::detail::require_apart(function, written, {});
  }

  // Selects by the head bits, which are complete before a key is overwritten.
  template <class K, class V, class Same, class Count>
  static void unique_by_key_in_place(const exec& where, std::span<K> keys, std::span<V> values, const Same& same,
                                     Count* count) {
    constexpr const char* function = "unique_by_key";
    const std::uint64_t n = keys.size();
    // The compaction checks its arguments, too, but only after the bits have been launched.
    require_apart(function, {{"keys", keys.data(), keys.size_bytes()},
                             {"values", values.data(), values.size_bytes()},
                             {"count", count, sizeof(Count)}});
    std::uint32_t* const bits = detail::item_bits_in(where);
    detail::set_head_bits(where.stream(), keys, same, bits, function);
    compact_in_place(detail::after_item_bits(where, n), zip{keys, values}, detail::flags_of_bits(bits, n), count);
  }

 public:
  // CUB asks about the items that it reads. So must these be the items that are written, before the
  // predicate is asked whether it takes them (call.cuh: takes_sums).
  template <class In, class Out, detail::count_integer Count, std::integral N, class Select>
    requires(copies<In, Out> && predicate_of<Select, Out>)
  static cudaError_t If(void* temporary, std::size_t& bytes, In in, Out* out, Count* count, N items, Select select,
                        cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          compact(where, detail::input_of(in, n), select,
                  detail::output_before(out, n, {detail::address_read(in), count, temporary}), count);
        });
  }
  template <class T, detail::count_integer Count, std::integral N, predicate_of<T> Select>
    requires copies<T*, T>
  static cudaError_t If(void* temporary, std::size_t& bytes, T* data, Count* count, N items, Select select,
                        cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_in_place_scratch_bytes<T>(n); }, stream,
        [&](const exec& where) { compact_in_place(where, std::span(data, n), select, count); });
  }

  template <class In, class Flags, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && detail::are_bytes<Flags>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, In in, Flags flags, Out* out, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          compact(where, detail::input_of(in, n), detail::flags_of_bytes(flags, n),
                  detail::output_before(out, n, {detail::address_read(in), flags, count, temporary}), count);
        });
  }
  template <class In, class Flags, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && detail::are_numbers<Flags>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, In in, Flags flags, Out* out, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    return by_stencil(temporary, bytes, in, flags, out, count, detail::items_of(items), detail::is_not_zero{}, stream);
  }
  template <class T, class Flags, detail::count_integer Count, std::integral N>
    requires(copies<T*, T> && detail::are_bytes<Flags>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, T* data, Flags flags, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return compact_in_place_scratch_bytes<T>(n); }, stream,
        [&](const exec& where) {
          if constexpr (sizeof(T) == 1)
            if (static_cast<const void*>(data) == static_cast<const void*>(flags))
              return compact_in_place(where, std::span(data, n), detail::is_set{}, count);
          compact_in_place(where, std::span(data, n), detail::flags_of_bytes(flags, n), count);
        });
  }
  template <class T, class Flags, detail::count_integer Count, std::integral N>
    requires(copies<T*, T> && detail::are_numbers<Flags>)
  static cudaError_t Flagged(void* temporary, std::size_t& bytes, T* data, Flags flags, Count* count, N items,
                             cudaStream_t stream = nullptr) {
    return by_stencil_in_place(temporary, bytes, data, flags, count, detail::items_of(items), detail::is_not_zero{},
                               stream);
  }

  template <class In, class Flags, class Out, detail::count_integer Count, std::integral N, class Select>
    requires(copies<In, Out> && detail::asks_about<Flags, Select>)
  static cudaError_t FlaggedIf(void* temporary, std::size_t& bytes, In in, Flags flags, Out* out, Count* count, N items,
                               Select select, cudaStream_t stream = nullptr) {
    return by_stencil(temporary, bytes, in, flags, out, count, detail::items_of(items), select, stream);
  }
  template <class T, class Flags, detail::count_integer Count, std::integral N, class Select>
    requires(copies<T*, T> && detail::asks_about<Flags, Select>)
  static cudaError_t FlaggedIf(void* temporary, std::size_t& bytes, T* data, Flags flags, Count* count, N items,
                               Select select, cudaStream_t stream = nullptr) {
    return by_stencil_in_place(temporary, bytes, data, flags, count, detail::items_of(items), select, stream);
  }

  template <class In, class Out, detail::count_integer Count, std::integral N, class Same>
    requires(copies<In, Out> && relation_of<Same, Out>)
  static cudaError_t Unique(void* temporary, std::size_t& bytes, In in, Out* out, Count* count, N items, Same same,
                            cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return unique_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          unique(where, detail::input_of(in, n), same,
                 detail::output_before(out, n, {detail::address_read(in), count, temporary}), count);
        });
  }
  template <class In, class Out, detail::count_integer Count, std::integral N>
    requires(copies<In, Out> && relation_of<equal_to, Out>)
  static cudaError_t Unique(void* temporary, std::size_t& bytes, In in, Out* out, Count* count, N items,
                            cudaStream_t stream = nullptr) {
    return Unique(temporary, bytes, in, out, count, items, equal_to{}, stream);
  }
  template <class T, detail::count_integer Count, std::integral N, relation_of<T> Same>
    requires copies<T*, T>
  static cudaError_t Unique(void* temporary, std::size_t& bytes, T* data, Count* count, N items, Same same,
                            cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return unique_scratch_bytes<T>(n); }, stream,
        [&](const exec& where) { unique_in_place(where, std::span(data, n), same, count); });
  }
  template <class T, detail::count_integer Count, std::integral N>
    requires(copies<T*, T> && relation_of<equal_to, T>)
  static cudaError_t Unique(void* temporary, std::size_t& bytes, T* data, Count* count, N items,
                            cudaStream_t stream = nullptr) {
    return Unique(temporary, bytes, data, count, items, equal_to{}, stream);
  }

  template <class K, class V, class KeysOut, class ValuesOut, detail::count_integer Count, std::integral N, class Same>
    requires(copies<K*, KeysOut> && copies<V*, ValuesOut> && relation_of<Same, KeysOut>)
  static cudaError_t UniqueByKey(void* temporary, std::size_t& bytes, K* keys, V* values, KeysOut* keys_out,
                                 ValuesOut* values_out, Count* count, N items, Same same,
                                 cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    const auto needed = [&] {
      return std::max(unique_scratch_bytes<KeysOut, ValuesOut>(n),
                      detail::item_bits_bytes(n) + compact_in_place_scratch_bytes<KeysOut, ValuesOut>(n));
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
    requires(copies<K*, KeysOut> && copies<V*, ValuesOut> && relation_of<equal_to, KeysOut>)
  static cudaError_t UniqueByKey(void* temporary, std::size_t& bytes, K* keys, V* values, KeysOut* keys_out,
                                 ValuesOut* values_out, Count* count, N items, cudaStream_t stream = nullptr) {
    return UniqueByKey(temporary, bytes, keys, values, keys_out, values_out, count, items, equal_to{}, stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceSelect, by ballot where it can: by a predicate, by flags, and of runs.
struct DeviceSelect : ::cub::DeviceSelect {
  BALLOT_ADAPTERS_CALL(DeviceSelect, If)
  BALLOT_ADAPTERS_CALL(DeviceSelect, Flagged)
  BALLOT_ADAPTERS_CALL(DeviceSelect, FlaggedIf)
  BALLOT_ADAPTERS_CALL(DeviceSelect, Unique)
  BALLOT_ADAPTERS_CALL(DeviceSelect, UniqueByKey)
};

}  // namespace ballot::adapters::cub
