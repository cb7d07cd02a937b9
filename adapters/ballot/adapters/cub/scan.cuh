// SPDX-License-Identifier: Apache-2.0
// cub::DeviceScan over ballot's scans.
//
// As with CUB, an iterator may read the array that the scan writes: a tile reads its items before
// it stores its sums, and no other tile reads them. So the memory that iterators read need
// not be known.
//
// CUB takes sums in the type that the operator returns for an initial value and an item. ballot
// takes them in the output's type. The call goes to ballot if both give the same results: if the
// types are the same, or if they are integers whose low bits are kept.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/adapters/cub/input.cuh>
#include <ballot/adapters/cub/item_bits.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include <cub/device/device_scan.cuh>
#include <cub/util_type.cuh>

#include <bit>

namespace ballot::adapters::calls {

struct DeviceScan {
 private:
  // ballot's scans take no sums of __int128.
  template <class In, class Out, class Op, class Initial>
  static constexpr bool scans = !ballot::detail::has_128_bits<Out> && detail::takes_sums<Out, Op, Initial, In, 16>;
  using add = ::cuda::std::plus<>;
  template <class Address, class T>
  static constexpr bool is_address_of = std::same_as<Address, T*> || std::same_as<Address, const T*>;

  template <class In, class Out, class Op, class Initial>
  static cudaError_t exclusive(void* temporary, std::size_t& bytes, const In& in, Out* out, const Op& op,
                               const Initial& initial, std::uint64_t n, cudaStream_t stream) {
    return detail::two_phases(
        temporary, bytes, [&] { return scan_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          exclusive_scan(where, detail::input_of(in, n), static_cast<Out>(initial), detail::operator_for<Out>(op),
                         std::span(out, n));
        });
  }
  // An initial value that is in the device's memory when the scan runs. FutureValue has its pointer
  // and nothing else.
  template <class In, class Out, class Op, class Address>
  static cudaError_t exclusive(void* temporary, std::size_t& bytes, const In& in, Out* out, const Op& op,
                               const ::cub::FutureValue<Out, Address>& initial, std::uint64_t n, cudaStream_t stream) {
    static_assert(sizeof(initial) == sizeof(Address));
    return detail::two_phases(
        temporary, bytes, [&] { return scan_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          exclusive_scan(where, detail::input_of(in, n), on_device{std::bit_cast<const Out*>(initial)},
                         detail::operator_for<Out>(op), std::span(out, n));
        });
  }
  template <class In, class Out, class Op>
  static cudaError_t inclusive(void* temporary, std::size_t& bytes, const In& in, Out* out, const Op& op,
                               std::uint64_t n, cudaStream_t stream) {
    return detail::two_phases(
        temporary, bytes, [&] { return scan_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          inclusive_scan(where, detail::input_of(in, n), detail::operator_for<Out>(op), std::span(out, n));
        });
  }

  // ballot's segmented scans take values of the sums' type.
  template <class K, class In, class Out, class Op, class Same, class Initial>
  static constexpr bool by_key = [] {
    if constexpr (detail::plain<detail::item_of<K>> && std::same_as<detail::item_of<In>, Out>)
      return scans<Out, Out, Op, Initial> && sizeof(detail::item_of<K>) <= 128 && std::is_class_v<Same> &&
             relation_of<Same, detail::item_of<K>>;
    else return false;
  }();

  template <bool Exclusive, class K, class In, class Out, class Op, class Same>
  static cudaError_t scan_by_key(void* temporary, std::size_t& bytes, const K& keys, const In& in, Out* out,
                                 const Op& op, const Out& initial, std::uint64_t n, const Same& same,
                                 cudaStream_t stream) {
    constexpr const char* function = "scan_by_key";
    const auto needed = [&] { return n == 0 ? 0 : detail::item_bits_bytes(n) + segmented_scan_scratch_bytes<Out>(n); };
    return detail::two_phases(temporary, bytes, needed, stream, [&](const exec& where) {
      if (n == 0) return;
      const auto items = detail::input_of(in, n);
      // The scan checks its arguments, too, but only after the bits have been launched.
      ballot::detail::require_not_null(function, {detail::argument_read("keys", keys, n)});
      ballot::detail::require_segmented_ranges(where, ballot::detail::as_input(items),
                                               ballot::detail::output<Out>{out, n}, function);
      std::uint32_t* const bits = detail::item_bits_in(where);
      detail::set_head_bits(where.stream(), detail::input_of(keys, n), same, bits, function);
      const bit_flags heads = detail::flags_of_bits(bits, n);
      const exec rest = detail::after_item_bits(where, n);
      const auto with = detail::operator_for<Out>(op);
      if constexpr (Exclusive) segmented_exclusive_scan(rest, items, heads, initial, with, std::span(out, n));
      else segmented_inclusive_scan(rest, items, heads, with, std::span(out, n));
    });
  }

 public:
  template <class In, class Out, std::integral N>
    requires(detail::reads<In> && scans<detail::item_of<In>, Out, add, detail::item_of<In>>)
  static cudaError_t ExclusiveSum(void* temporary, std::size_t& bytes, In in, Out* out, N n,
                                  cudaStream_t stream = nullptr) {
    return exclusive(temporary, bytes, in, out, add{}, detail::item_of<In>{}, detail::items_of(n), stream);
  }
  template <class T, std::integral N>
    requires scans<T, T, add, T>
  static cudaError_t ExclusiveSum(void* temporary, std::size_t& bytes, T* data, N n, cudaStream_t stream = nullptr) {
    return ExclusiveSum(temporary, bytes, data, data, n, stream);
  }

  template <class In, class Out, class Op, class Initial, std::integral N>
    requires(detail::reads<In> && scans<detail::item_of<In>, Out, Op, Initial>)
  static cudaError_t ExclusiveScan(void* temporary, std::size_t& bytes, In in, Out* out, Op op, Initial initial, N n,
                                   cudaStream_t stream = nullptr) {
    return exclusive(temporary, bytes, in, out, op, initial, detail::items_of(n), stream);
  }
  template <class T, class Op, class Initial, std::integral N>
    requires scans<T, T, Op, Initial>
  static cudaError_t ExclusiveScan(void* temporary, std::size_t& bytes, T* data, Op op, Initial initial, N n,
                                   cudaStream_t stream = nullptr) {
    return exclusive(temporary, bytes, data, data, op, initial, detail::items_of(n), stream);
  }

  template <class In, class Out, std::integral N>
    requires(detail::reads<In> && scans<detail::item_of<In>, Out, add, detail::item_of<In>>)
  static cudaError_t InclusiveSum(void* temporary, std::size_t& bytes, In in, Out* out, N n,
                                  cudaStream_t stream = nullptr) {
    return inclusive(temporary, bytes, in, out, add{}, detail::items_of(n), stream);
  }
  template <class T, std::integral N>
    requires scans<T, T, add, T>
  static cudaError_t InclusiveSum(void* temporary, std::size_t& bytes, T* data, N n, cudaStream_t stream = nullptr) {
    return InclusiveSum(temporary, bytes, data, data, n, stream);
  }

  template <class In, class Out, class Op, std::integral N>
    requires(detail::reads<In> && scans<detail::item_of<In>, Out, Op, detail::item_of<In>>)
  static cudaError_t InclusiveScan(void* temporary, std::size_t& bytes, In in, Out* out, Op op, N n,
                                   cudaStream_t stream = nullptr) {
    return inclusive(temporary, bytes, in, out, op, detail::items_of(n), stream);
  }
  template <class T, class Op, std::integral N>
    requires scans<T, T, Op, T>
  static cudaError_t InclusiveScan(void* temporary, std::size_t& bytes, T* data, Op op, N n,
                                   cudaStream_t stream = nullptr) {
    return inclusive(temporary, bytes, data, data, op, detail::items_of(n), stream);
  }

  template <class In, class Out, class Op, class Initial, std::integral N>
    requires(detail::reads<In> && scans<detail::item_of<In>, Out, Op, Initial>)
  static cudaError_t InclusiveScanInit(void* temporary, std::size_t& bytes, In in, Out* out, Op op, Initial initial,
                                       N items, cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return scan_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          inclusive_scan(where, detail::input_of(in, n), static_cast<Out>(initial), detail::operator_for<Out>(op),
                         std::span(out, n));
        });
  }
  template <class In, class Out, class Op, std::integral N, class Address>
    requires(detail::reads<In> && scans<detail::item_of<In>, Out, Op, Out> && is_address_of<Address, Out>)
  static cudaError_t ExclusiveScan(void* temporary, std::size_t& bytes, In in, Out* out, Op op,
                                   ::cub::FutureValue<Out, Address> initial, N n, cudaStream_t stream = nullptr) {
    return exclusive(temporary, bytes, in, out, op, initial, detail::items_of(n), stream);
  }
  template <class T, class Op, std::integral N, class Address>
    requires(scans<T, T, Op, T> && is_address_of<Address, T>)
  static cudaError_t ExclusiveScan(void* temporary, std::size_t& bytes, T* data, Op op,
                                   ::cub::FutureValue<T, Address> initial, N n, cudaStream_t stream = nullptr) {
    return exclusive(temporary, bytes, data, data, op, initial, detail::items_of(n), stream);
  }

  // By key: where a key differs from the one before it, a bit is set, and a segmented scan reads
  // the bits.
  template <class K, class In, class Out, std::integral N, class Same = ::cuda::std::equal_to<>>
    requires by_key<K, In, Out, add, Same, detail::item_of<In>>
  static cudaError_t ExclusiveSumByKey(void* temporary, std::size_t& bytes, K keys, In in, Out* out, N n,
                                       Same same = Same(), cudaStream_t stream = nullptr) {
    return scan_by_key<true>(temporary, bytes, keys, in, out, add{}, Out{}, detail::items_of(n), same, stream);
  }
  template <class K, class In, class Out, class Op, class Initial, std::integral N,
            class Same = ::cuda::std::equal_to<>>
    requires by_key<K, In, Out, Op, Same, Initial>
  static cudaError_t ExclusiveScanByKey(void* temporary, std::size_t& bytes, K keys, In in, Out* out, Op op,
                                        Initial initial, N n, Same same = Same(), cudaStream_t stream = nullptr) {
    return scan_by_key<true>(temporary, bytes, keys, in, out, op, static_cast<Out>(initial), detail::items_of(n), same,
                             stream);
  }
  template <class K, class In, class Out, std::integral N, class Same = ::cuda::std::equal_to<>>
    requires by_key<K, In, Out, add, Same, detail::item_of<In>>
  static cudaError_t InclusiveSumByKey(void* temporary, std::size_t& bytes, K keys, In in, Out* out, N n,
                                       Same same = Same(), cudaStream_t stream = nullptr) {
    return scan_by_key<false>(temporary, bytes, keys, in, out, add{}, Out{}, detail::items_of(n), same, stream);
  }
  template <class K, class In, class Out, class Op, std::integral N, class Same = ::cuda::std::equal_to<>>
    requires by_key<K, In, Out, Op, Same, detail::item_of<In>>
  static cudaError_t InclusiveScanByKey(void* temporary, std::size_t& bytes, K keys, In in, Out* out, Op op, N n,
                                        Same same = Same(), cudaStream_t stream = nullptr) {
    return scan_by_key<false>(temporary, bytes, keys, in, out, op, Out{}, detail::items_of(n), same, stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceScan, by ballot where it can: sums and scans, also in place.
struct DeviceScan : ::cub::DeviceScan {
  BALLOT_ADAPTERS_CALL(DeviceScan, ExclusiveSum)
  BALLOT_ADAPTERS_CALL(DeviceScan, ExclusiveScan)
  BALLOT_ADAPTERS_CALL(DeviceScan, InclusiveSum)
  BALLOT_ADAPTERS_CALL(DeviceScan, InclusiveScan)
  BALLOT_ADAPTERS_CALL(DeviceScan, InclusiveScanInit)
  BALLOT_ADAPTERS_CALL(DeviceScan, ExclusiveSumByKey)
  BALLOT_ADAPTERS_CALL(DeviceScan, ExclusiveScanByKey)
  BALLOT_ADAPTERS_CALL(DeviceScan, InclusiveSumByKey)
  BALLOT_ADAPTERS_CALL(DeviceScan, InclusiveScanByKey)
};

}  // namespace ballot::adapters::cub
