// SPDX-License-Identifier: Apache-2.0
// Elementwise kernels beside a sort: keys computed from items, gathers, copies, positions.
//
// Each is one coalesced read (or gather) and one coalesced write; a thread has four loads in
// flight.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

namespace ballot::detail {

inline constexpr unsigned elementwise_threads = 256;
inline constexpr unsigned elementwise_items = 4;
inline constexpr unsigned elementwise_tile = elementwise_threads * elementwise_items;

// For each of the thread's four items i < n: value = load(i), and once all are loaded, store(i,
// value).
template <class Load, class Store>
__device__ __forceinline__ void transform_tile(std::uint64_t n, Load load, Store store) {
  using word = decltype(load(std::uint64_t{0}));
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * elementwise_tile + threadIdx.x;
  word value[elementwise_items]{};
#pragma unroll
  for (unsigned j = 0; j < elementwise_items; ++j)
    if (first + j * elementwise_threads < n) value[j] = load(first + j * elementwise_threads);
#pragma unroll
  for (unsigned j = 0; j < elementwise_items; ++j)
    if (first + j * elementwise_threads < n) store(first + j * elementwise_threads, value[j]);
}

inline simt::launch_config elementwise_launch(stream_t stream, std::uint64_t n, const char* function) {
  return {dim3(tile_count(n, elementwise_tile, function)), dim3(elementwise_threads), 0, stream};
}

// Item i of a range, or of a view, which computes it.
template <class T>
__device__ __forceinline__ const T& item_at(const T* items, std::uint64_t i) {
  return items[i];
}
template <class V>
__device__ __forceinline__ typename V::value_type item_at(const V& view, std::uint64_t i) {
  return static_cast<typename V::value_type>(view[i]);
}

// keys[i] = the bits of key_of(items[i]). In: a pointer or a view.
template <class K, class In, class KeyOf>
__global__ void __launch_bounds__(elementwise_threads)
    compute_keys_kernel(In items, length length, KeyOf key_of, ordered_bits_t<K>* keys) {
  transform_tile(
      length.get(),
      [&](std::uint64_t i) {
        return __builtin_bit_cast(ordered_bits_t<K>, static_cast<K>(call(key_of, item_at(items, i))));
      },
      [&](std::uint64_t i, ordered_bits_t<K> key) { keys[i] = key; });
}

// out[i] = in[order[i]]. In: a pointer or a view.
template <class T, class Index, class In>
__global__ void __launch_bounds__(elementwise_threads) gather_kernel(In in, const Index* order, T* out, length length) {
  transform_tile(
      length.get(), [&](std::uint64_t i) { return order[i]; },
      [&](std::uint64_t i, Index from) { out[i] = item_at(in, from); });
}

template <class In, class T, class Index>
void launch_gather(stream_t stream, const In& in, const Index* order, T* out, length length, const char* function) {
  simt::launch(gather_kernel<T, Index, In>, elementwise_launch(stream, length.capacity, function), in, order, out,
               length);
}

// out[i] = in[i]
template <class T>
__global__ void __launch_bounds__(elementwise_threads) copy_kernel(const T* in, T* out, length length) {
  transform_tile(
      length.get(), [](std::uint64_t i) { return i; }, [&](std::uint64_t i, std::uint64_t) { out[i] = in[i]; });
}

template <class T>
void launch_copy(stream_t stream, const input<T>& in, T* out, const char* function) {
  const std::uint64_t n = in.capacity();
  if (in.length.count == nullptr) simt::copy_bytes(stream, out, in.data, n * sizeof(T));
  else simt::launch(copy_kernel<T>, elementwise_launch(stream, n, function), in.data, out, in.length);
}

// out[i] = i
template <class Index>
__global__ void __launch_bounds__(elementwise_threads) positions_kernel(Index* out, length length) {
  transform_tile(
      length.get(), [](std::uint64_t i) { return static_cast<Index>(i); },
      [&](std::uint64_t i, Index index) { out[i] = index; });
}

template <class Index>
void launch_positions(stream_t stream, Index* out, const length& n, const char* function) {
  simt::launch(positions_kernel<Index>, elementwise_launch(stream, n.capacity, function), out, n);
}

}  // namespace ballot::detail
