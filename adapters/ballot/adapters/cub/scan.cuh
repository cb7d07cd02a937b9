// SPDX-License-Identifier: Apache-2.0
// cub::DeviceScan over ballot's scans.
//
// CUB takes sums in the type that the operator returns for an initial value and an item, ballot in the output's. The call is
// ballot's where both give the same: one type, or integers whose low bits are kept.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/scan.cuh>

#include <cub/device/device_scan.cuh>

namespace ballot::adapters::calls {

struct DeviceScan {
 private:
  template <class In, class Out, class Op, class Initial>
  static constexpr bool scans = detail::plain<Out> && sizeof(Out) <= 16 && operator_of<Op, Out> &&
                                std::is_class_v<Op> && detail::agrees_with_cub<Out, Op, Initial, In>;
  using add = ::cuda::std::plus<>;

  template <class In, class Out, class Op, class Initial>
  static cudaError_t exclusive(void* temporary, std::size_t& bytes, const In* in, Out* out, const Op& op,
                               const Initial& initial, std::uint64_t n, cudaStream_t stream) {
    return detail::two_phases(temporary, bytes, scan_scratch_bytes<Out>(n), stream, [&](const exec& where) {
      exclusive_scan(where, std::span(in, n), static_cast<Out>(initial), detail::operator_for<Out>(op),
                     std::span(out, n));
    });
  }
  template <class In, class Out, class Op>
  static cudaError_t inclusive(void* temporary, std::size_t& bytes, const In* in, Out* out, const Op& op,
                               std::uint64_t n, cudaStream_t stream) {
    return detail::two_phases(temporary, bytes, scan_scratch_bytes<Out>(n), stream, [&](const exec& where) {
      inclusive_scan(where, std::span(in, n), detail::operator_for<Out>(op), std::span(out, n));
    });
  }

 public:
  template <class In, class Out, std::integral N>
    requires scans<std::remove_const_t<In>, Out, add, std::remove_const_t<In>>
  static cudaError_t ExclusiveSum(void* temporary, std::size_t& bytes, In* in, Out* out, N n,
                                  cudaStream_t stream = nullptr) {
    return exclusive(temporary, bytes, in, out, add{}, std::remove_const_t<In>{}, detail::items_of(n), stream);
  }
  template <class T, std::integral N>
    requires scans<T, T, add, T>
  static cudaError_t ExclusiveSum(void* temporary, std::size_t& bytes, T* data, N n, cudaStream_t stream = nullptr) {
    return ExclusiveSum(temporary, bytes, data, data, n, stream);
  }

  template <class In, class Out, class Op, class Initial, std::integral N>
    requires scans<std::remove_const_t<In>, Out, Op, Initial>
  static cudaError_t ExclusiveScan(void* temporary, std::size_t& bytes, In* in, Out* out, Op op, Initial initial, N n,
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
    requires scans<std::remove_const_t<In>, Out, add, std::remove_const_t<In>>
  static cudaError_t InclusiveSum(void* temporary, std::size_t& bytes, In* in, Out* out, N n,
                                  cudaStream_t stream = nullptr) {
    return inclusive(temporary, bytes, in, out, add{}, detail::items_of(n), stream);
  }
  template <class T, std::integral N>
    requires scans<T, T, add, T>
  static cudaError_t InclusiveSum(void* temporary, std::size_t& bytes, T* data, N n, cudaStream_t stream = nullptr) {
    return InclusiveSum(temporary, bytes, data, data, n, stream);
  }

  template <class In, class Out, class Op, std::integral N>
    requires scans<std::remove_const_t<In>, Out, Op, std::remove_const_t<In>>
  static cudaError_t InclusiveScan(void* temporary, std::size_t& bytes, In* in, Out* out, Op op, N n,
                                   cudaStream_t stream = nullptr) {
    return inclusive(temporary, bytes, in, out, op, detail::items_of(n), stream);
  }
  template <class T, class Op, std::integral N>
    requires scans<T, T, Op, T>
  static cudaError_t InclusiveScan(void* temporary, std::size_t& bytes, T* data, Op op, N n,
                                   cudaStream_t stream = nullptr) {
    return inclusive(temporary, bytes, data, data, op, detail::items_of(n), stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceScan, by ballot where it can: sums and scans of arrays, also in place.
struct DeviceScan : ::cub::DeviceScan {
  BALLOT_ADAPTERS_CALL(DeviceScan, ExclusiveSum)
  BALLOT_ADAPTERS_CALL(DeviceScan, ExclusiveScan)
  BALLOT_ADAPTERS_CALL(DeviceScan, InclusiveSum)
  BALLOT_ADAPTERS_CALL(DeviceScan, InclusiveScan)
};

}  // namespace ballot::adapters::cub
