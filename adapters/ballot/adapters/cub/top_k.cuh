// SPDX-License-Identifier: Apache-2.0
// cub::DeviceTopK (CUB 3.1 and later) over ballot's top_k: integers, in the two phases. CUB leaves
// the selected keys in any order, ballot in the order of the input. Also cub::DeviceSegmentedScan
// (CUB 3.2 and later), which always goes to CUB: its callers do not say how many items there are.
#pragma once

#include <ballot/adapters/cub/call.cuh>

#if __has_include(<cub/device/device_topk.cuh>)
#  include <ballot/top_k.cuh>

#  include <cub/device/device_topk.cuh>
#  include <cuda/stream_ref>

namespace ballot::adapters::calls {

struct DeviceTopK {
 private:
#  if defined(BALLOT_ADAPTERS_ORDER_ZEROS)
  template <class K>
  static constexpr bool orders = std::is_arithmetic_v<K> && !std::same_as<K, bool>;
#  else
  template <class K>
  static constexpr bool orders = std::integral<K> && !std::same_as<K, bool>;
#  endif
  // Whether the environment asks for results in any order. CUB refuses other orders, and that none
  // is asked for.
  template <class Env>
  static constexpr bool is_unsorted = [] {
    using requirements = ::cuda::std::execution::__query_result_or_t<Env, ::cuda::execution::__get_requirements_t,
                                                                     ::cuda::std::execution::env<>>;
    using order = ::cuda::std::execution::__query_result_or_t<
        requirements, ::cuda::execution::output_ordering::__get_output_ordering_t, ::cuda::std::execution::env<>>;
    return std::same_as<std::remove_cvref_t<order>, ::cuda::execution::output_ordering::unsorted_t>;
  }();
  // The stream of an environment, as CUB asks for it.
  template <class Env>
  static cudaStream_t stream_of(const Env& env) {
    if constexpr (std::is_convertible_v<const Env&, cudaStream_t>) return env;
    else return ::cuda::__call_or(::cuda::get_stream, ::cuda::stream_ref{cudaStream_t{}}, env).get();
  }
  static top_k_options options(direction order) {
    return {.direction = order, .nans = nan_order::by_bits, .order = top_k_order::by_position};
  }

 public:
#  define BALLOT_ADAPTERS_TOP_K(PREFIX, ORDER)                                                                         \
    template <class In, class K, std::integral N, std::integral C, class Env = ::cuda::std::execution::env<>>          \
      requires(std::same_as<std::remove_const_t<In>, K> && orders<K> && is_unsorted<Env>)                              \
    static cudaError_t PREFIX##Keys(void* temporary, std::size_t& bytes, In* keys, K* keys_out, N items, C k,          \
                                    const Env& env = {}) {                                                             \
      const std::uint64_t n = detail::items_of(items), most = detail::items_of(k);                                     \
      const cudaStream_t stream = stream_of(env);                                                                      \
      return detail::two_phases(                                                                                       \
          temporary, bytes, [&] { return top_k_scratch_bytes<K>(n, most); }, stream,                                   \
          [&](const exec& where) {                                                                                     \
            top_k(where, std::span(keys, n), most, std::span(keys_out, std::min(n, most)), {}, options(ORDER));        \
          });                                                                                                          \
    }                                                                                                                  \
    template <class In, class K, class VIn, class V, std::integral N, std::integral C,                                 \
              class Env = ::cuda::std::execution::env<>>                                                               \
      requires(std::same_as<std::remove_const_t<In>, K> && orders<K> && std::same_as<std::remove_const_t<VIn>, V> &&   \
               is_unsorted<Env> && detail::plain_values<V>)                                                            \
    static cudaError_t PREFIX##Pairs(void* temporary, std::size_t& bytes, In* keys, K* keys_out, VIn* values,          \
                                     V* values_out, N items, C k, const Env& env = {}) {                               \
      const std::uint64_t n = detail::items_of(items), most = detail::items_of(k);                                     \
      const cudaStream_t stream = stream_of(env);                                                                      \
      return detail::two_phases(                                                                                       \
          temporary, bytes, [&] { return top_k_pairs_scratch_bytes<K, V>(n, most); }, stream,                          \
          [&](const exec& where) {                                                                                     \
            top_k_pairs(where, std::span(keys, n), std::span(values, n), most, std::span(keys_out, std::min(n, most)), \
                        std::span(values_out, std::min(n, most)), {}, options(ORDER));                                 \
          });                                                                                                          \
    }
  BALLOT_ADAPTERS_TOP_K(Max, direction::descending)
  BALLOT_ADAPTERS_TOP_K(Min, direction::ascending)
#  undef BALLOT_ADAPTERS_TOP_K
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceTopK, by ballot where it can: keys, and keys with values, of integers.
struct DeviceTopK : ::cub::DeviceTopK {
  BALLOT_ADAPTERS_CALL(DeviceTopK, MaxKeys)
  BALLOT_ADAPTERS_CALL(DeviceTopK, MinKeys)
  BALLOT_ADAPTERS_CALL(DeviceTopK, MaxPairs)
  BALLOT_ADAPTERS_CALL(DeviceTopK, MinPairs)
};

}  // namespace ballot::adapters::cub
#endif

#if __has_include(<cub/device/device_segmented_scan.cuh>)
#  include <cub/device/device_segmented_scan.cuh>

namespace ballot::adapters::cub {

/// cub::DeviceSegmentedScan: CUB's own.
struct DeviceSegmentedScan : ::cub::DeviceSegmentedScan {
  BALLOT_ADAPTERS_CUB_CALL(DeviceSegmentedScan, ExclusiveSegmentedSum)
  BALLOT_ADAPTERS_CUB_CALL(DeviceSegmentedScan, ExclusiveSegmentedScan)
  BALLOT_ADAPTERS_CUB_CALL(DeviceSegmentedScan, InclusiveSegmentedSum)
  BALLOT_ADAPTERS_CUB_CALL(DeviceSegmentedScan, InclusiveSegmentedScan)
  BALLOT_ADAPTERS_CUB_CALL(DeviceSegmentedScan, InclusiveSegmentedScanInit)
};

}  // namespace ballot::adapters::cub
#endif
