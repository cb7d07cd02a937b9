// SPDX-License-Identifier: Apache-2.0
// cub::DeviceReduce over ballot's reductions: Sum, Min, Max, Reduce. The others are CUB's.
//
// Sums are taken in the type that CUB takes them in, or in the output's where that has the same bits (scan.cuh).
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/reduce.cuh>

#include <cub/device/device_reduce.cuh>

#include <limits>

namespace ballot {

// CUB's minimum and maximum of floats commute, too.
template <class U, class T>
inline constexpr bool is_commutative<::cuda::minimum<U>, T> = std::is_arithmetic_v<T>;
template <class U, class T>
inline constexpr bool is_commutative<::cuda::maximum<U>, T> = std::is_arithmetic_v<T>;

}  // namespace ballot

namespace ballot::adapters::calls {

struct DeviceReduce {
 private:
  template <class In, class Out, class Op, class Initial>
  static constexpr bool reduces = detail::plain<Out> && sizeof(Out) <= 16 && operator_of<Op, Out> &&
                                  std::is_class_v<Op> && detail::agrees_with_cub<Out, Op, Initial, In>;

  template <class In, class Out, class Op, class Initial>
  static cudaError_t by(void* temporary, std::size_t& bytes, const In* in, Out* out, const Op& op,
                        const Initial& initial, std::uint64_t n, cudaStream_t stream) {
    return detail::two_phases(temporary, bytes, reduce_scratch_bytes<Out>(n), stream, [&](const exec& where) {
      reduce(where, std::span(in, n), static_cast<Out>(initial), detail::operator_for<Out>(op), out);
    });
  }

 public:
  template <class In, class Out, std::integral N, class Op, class Initial>
    requires reduces<std::remove_const_t<In>, Out, Op, Initial>
  static cudaError_t Reduce(void* temporary, std::size_t& bytes, In* in, Out* out, N n, Op op, Initial initial,
                            cudaStream_t stream = nullptr) {
    return by(temporary, bytes, in, out, op, initial, detail::items_of(n), stream);
  }
  template <class In, class Out, std::integral N>
    requires reduces<std::remove_const_t<In>, Out, ::cuda::std::plus<>, Out>
  static cudaError_t Sum(void* temporary, std::size_t& bytes, In* in, Out* out, N n, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, in, out, ::cuda::std::plus<>{}, Out{}, detail::items_of(n), stream);
  }
  template <class In, class Out, std::integral N>
    requires(std::same_as<std::remove_const_t<In>, Out> && std::is_arithmetic_v<Out>)
  static cudaError_t Min(void* temporary, std::size_t& bytes, In* in, Out* out, N n, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, in, out, ::cuda::minimum<>{}, std::numeric_limits<Out>::max(), detail::items_of(n),
              stream);
  }
  template <class In, class Out, std::integral N>
    requires(std::same_as<std::remove_const_t<In>, Out> && std::is_arithmetic_v<Out>)
  static cudaError_t Max(void* temporary, std::size_t& bytes, In* in, Out* out, N n, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, in, out, ::cuda::maximum<>{}, std::numeric_limits<Out>::lowest(), detail::items_of(n),
              stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceReduce, by ballot where it can: sums, minima and maxima of arrays, and reductions by an operator.
struct DeviceReduce : ::cub::DeviceReduce {
  BALLOT_ADAPTERS_CALL(DeviceReduce, Reduce)
  BALLOT_ADAPTERS_CALL(DeviceReduce, Sum)
  BALLOT_ADAPTERS_CALL(DeviceReduce, Min)
  BALLOT_ADAPTERS_CALL(DeviceReduce, Max)
};

}  // namespace ballot::adapters::cub
