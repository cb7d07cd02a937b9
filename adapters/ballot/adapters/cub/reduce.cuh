// SPDX-License-Identifier: Apache-2.0
// cub::DeviceReduce over ballot's reductions: Sum, Min, Max, Reduce, TransformReduce, ReduceByKey.
// Also ArgMin and ArgMax of integers, if the index has an output of its own. Other calls go to CUB.
//
// Sums are taken in the type that CUB takes them in, or in the output's where that has the same
// bits (scan.cuh).
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/adapters/cub/input.cuh>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/reduce.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/views.cuh>

#include <cub/device/device_reduce.cuh>

#include <limits>

namespace ballot {

// CUB's minimum and maximum of floats commute, too.
template <class U, class T>
inline constexpr bool is_commutative<::cuda::minimum<U>, T> = std::is_arithmetic_v<T>;
template <class U, class T>
inline constexpr bool is_commutative<::cuda::maximum<U>, T> = std::is_arithmetic_v<T>;

}  // namespace ballot

namespace ballot::adapters::detail {

template <class T, class Index>
__global__ void store_extremum_kernel(const ballot::indexed<T>* from, T* value, Index* index) {
  *value = from->value;
  *index = static_cast<Index>(from->index);
}

}  // namespace ballot::adapters::detail

namespace ballot::adapters::calls {

struct DeviceReduce {
 private:
  template <class In, class Out, class Index>
  static constexpr bool finds =
      std::same_as<std::remove_const_t<In>, Out> && std::integral<Out> && !std::same_as<Out, bool> &&
      sizeof(Out) <= 8 && std::integral<Index> && sizeof(Index) >= 4;

  // For no items CUB has an answer of its own. So CUB takes the call.
  template <bool Smallest, class T, class Index, class Cub>
  static cudaError_t arg(void* temporary, std::size_t& bytes, const T* in, T* value, Index* index, std::uint64_t n,
                         cudaStream_t stream, const Cub& by_cub) {
    constexpr std::size_t result = 256;
    const auto needed = [&] { return result + reduce_scratch_bytes<indexed<T>>(n); };
    return detail::two_phases_of_either(temporary, bytes, needed, n != 0, stream, by_cub, [&](const exec& where) {
      // The reduction writes to the temporary storage, so it does not check these outputs.
      const ballot::detail::argument written[] = {{"value", value, sizeof(T)}, {"index", index, sizeof(Index)}};
      const ballot::detail::argument read[] = {{"in", in, n * sizeof(T)}};
      ballot::detail::require_not_null("arg_min", written);
      ballot::detail::require_apart("arg_min", written, read);
      const auto address = reinterpret_cast<std::uintptr_t>(temporary);
      auto* const found = reinterpret_cast<indexed<T>*>((address + 15) / 16 * 16);
      const exec rest(stream, static_cast<std::byte*>(temporary) + result, bytes - result);
      if constexpr (Smallest) arg_min(rest, std::span(in, n), found);
      else arg_max(rest, std::span(in, n), found);
      simt::launch(detail::store_extremum_kernel<T, Index>, simt::launch_config{dim3(1), dim3(1), 0, where.stream()},
                   static_cast<const indexed<T>*>(found), value, index);
    });
  }

  template <class In, class Out, class Op, class Initial>
  static constexpr bool reduces = detail::takes_sums<Out, Op, Initial, In, 16>;

  template <class In, class Out, class Op, class F, class Initial>
  static constexpr bool transforms = [] {
    using T = detail::item_of<In>;
    if constexpr (detail::plain<T>) {
      using check = ballot::detail::transform_check<F, T>;
      if constexpr (check::ok) return reduces<typename check::type, Out, Op, Initial>;
      else return false;
    } else {
      return false;
    }
  }();

  // in: what input_of makes of the caller's iterator, or a view of it.
  template <class In, class Out, class Op, class Initial>
  static cudaError_t by(void* temporary, std::size_t& bytes, const In& in, Out* out, const Op& op,
                        const Initial& initial, cudaStream_t stream) {
    const auto n = static_cast<std::uint64_t>(in.size());
    return detail::two_phases(
        temporary, bytes, [&] { return reduce_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) { reduce(where, in, static_cast<Out>(initial), detail::operator_for<Out>(op), out); });
  }

 public:
  template <class In, class Out, std::integral N, class Op, class Initial>
    requires(detail::reads<In> && reduces<detail::item_of<In>, Out, Op, Initial>)
  static cudaError_t Reduce(void* temporary, std::size_t& bytes, In in, Out* out, N n, Op op, Initial initial,
                            cudaStream_t stream = nullptr) {
    return by(temporary, bytes, detail::input_of(in, detail::items_of(n)), out, op, initial, stream);
  }
  template <class In, class Out, std::integral N>
    requires(detail::reads<In> && reduces<detail::item_of<In>, Out, ::cuda::std::plus<>, Out>)
  static cudaError_t Sum(void* temporary, std::size_t& bytes, In in, Out* out, N n, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, detail::input_of(in, detail::items_of(n)), out, ::cuda::std::plus<>{}, Out{}, stream);
  }
  template <class In, class Out, std::integral N>
    requires(std::is_same_v<detail::item_of<In>, Out> && std::is_arithmetic_v<Out>)
  static cudaError_t Min(void* temporary, std::size_t& bytes, In in, Out* out, N n, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, detail::input_of(in, detail::items_of(n)), out, ::cuda::minimum<>{},
              std::numeric_limits<Out>::max(), stream);
  }
  template <class In, class Out, std::integral N>
    requires(std::is_same_v<detail::item_of<In>, Out> && std::is_arithmetic_v<Out>)
  static cudaError_t Max(void* temporary, std::size_t& bytes, In in, Out* out, N n, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, detail::input_of(in, detail::items_of(n)), out, ::cuda::maximum<>{},
              std::numeric_limits<Out>::lowest(), stream);
  }

  template <class In, class Out, std::integral N, class Op, class F, class Initial>
    requires transforms<In, Out, Op, F, Initial>
  static cudaError_t TransformReduce(void* temporary, std::size_t& bytes, In in, Out* out, N n, Op op, F f,
                                     Initial initial, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, transformed{detail::input_of(in, detail::items_of(n)), f}, out, op, initial, stream);
  }

  template <class In, class Out, class Index>
    requires finds<In, Out, Index>
  static cudaError_t ArgMin(void* temporary, std::size_t& bytes, In* in, Out* value, Index* index, std::int64_t n,
                            cudaStream_t stream = nullptr) {
    return arg<true>(temporary, bytes, in, value, index, detail::items_of(n), stream, [&](void* t, std::size_t& b) {
      return ::cub::DeviceReduce::ArgMin(t, b, in, value, index, n, stream);
    });
  }
  template <class In, class Out, class Index>
    requires finds<In, Out, Index>
  static cudaError_t ArgMax(void* temporary, std::size_t& bytes, In* in, Out* value, Index* index, std::int64_t n,
                            cudaStream_t stream = nullptr) {
    return arg<false>(temporary, bytes, in, value, index, detail::items_of(n), stream, [&](void* t, std::size_t& b) {
      return ::cub::DeviceReduce::ArgMax(t, b, in, value, index, n, stream);
    });
  }

  template <class K, class KeysOut, class V, class Out, detail::count_integer Count, class Op, std::integral N>
    requires(std::is_same_v<detail::item_of<K>, KeysOut> && detail::reads<V> && detail::plain<KeysOut> &&
             sizeof(KeysOut) <= 32 && relation_of<equal_to, KeysOut> &&
             detail::takes_sums<Out, Op, detail::item_of<V>, detail::item_of<V>, 32>)
  static cudaError_t ReduceByKey(void* temporary, std::size_t& bytes, K keys, KeysOut* keys_out, V values, Out* out,
                                 Count* runs, Op op, N items, cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return reduce_by_key_scratch_bytes<KeysOut, Out>(n); }, stream,
        [&](const exec& where) {
          const void *const from = detail::address_read(keys), *const with = detail::address_read(values);
          reduce_by_key(where, detail::input_of(keys, n), detail::input_of(values, n), equal_to{},
                        detail::operator_for<Out>(op),
                        detail::output_before(keys_out, n, {from, with, out, runs, temporary}),
                        detail::output_before(out, n, {from, with, keys_out, runs, temporary}), runs);
        });
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceReduce, by ballot where it can: sums, minima and maxima, and reductions by an
/// operator.
struct DeviceReduce : ::cub::DeviceReduce {
  BALLOT_ADAPTERS_CALL(DeviceReduce, Reduce)
  BALLOT_ADAPTERS_CALL(DeviceReduce, Sum)
  BALLOT_ADAPTERS_CALL(DeviceReduce, Min)
  BALLOT_ADAPTERS_CALL(DeviceReduce, Max)
  BALLOT_ADAPTERS_CALL(DeviceReduce, ArgMin)
  BALLOT_ADAPTERS_CALL(DeviceReduce, ArgMax)
  BALLOT_ADAPTERS_CALL(DeviceReduce, ReduceByKey)
  BALLOT_ADAPTERS_CALL(DeviceReduce, TransformReduce)
};

}  // namespace ballot::adapters::cub
