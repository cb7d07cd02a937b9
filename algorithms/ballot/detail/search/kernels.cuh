// SPDX-License-Identifier: Apache-2.0
// Binary searches, one for each key, and the first place where a range is not sorted.
//
// If keys are few, a thread has one, else four, whose searches wait for memory together. If the
// keys are in order, neighbours search for neighbouring keys. So a warp reads the same few
// lines.
//
// If there are many keys and many items, each block has a sample of the items in shared memory:
// items at equal distances. It searches there first. Of 2^28 u32, that is half of the steps. Then
// the caches have only the items of the next steps.
//
// Index: u32 if it counts the items. Sorted, In: a pointer to the items or a view (core/view.hpp).
// A view computes an item each time that the kernel looks at it.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/common/stored_output.cuh>
#include <ballot/detail/common/zip.cuh>
#include <ballot/device/last_block.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The keys that are searched for: those of a range, the positions, which are not in memory, or
// those of another view.
template <class T>
struct searched_keys {
  const T* data;
  length n;
  __device__ __forceinline__ T operator()(std::uint64_t i) const { return data[i]; }
};
template <class Index>
struct searched_positions {
  length n;
  __device__ __forceinline__ Index operator()(std::uint64_t i) const { return static_cast<Index>(i); }
};
template <class V>
struct searched_view {
  V view;
  length n;
  __device__ __forceinline__ typename V::value_type operator()(std::uint64_t i) const {
    return static_cast<typename V::value_type>(view[i]);
  }
};
// The largest value of an integer type.
template <std::integral T>
BALLOT_HOST_DEVICE constexpr T largest_integer() {
  if constexpr (std::is_same_v<T, bool>) return true;
  else return static_cast<T>(static_cast<std::make_unsigned_t<T>>(~std::make_unsigned_t<T>{0}) >> std::is_signed_v<T>);
}
// What was found for key i, unless it is a position that the items' type cannot hold, as position
// 256 beside items of 8 bits. Such a key comes after all items, or before them in descending
// order.
template <class T, class Keys, class Index, class Before>
__device__ __forceinline__ Index answer_for(const Keys& keys, std::uint64_t i, Index found, Index items,
                                            const Before& before) {
  if constexpr (!std::is_same_v<decltype(keys(i)), T>)
    if (std::uint64_t{keys(i)} > static_cast<std::uint64_t>(largest_integer<T>()))
      return call(before, largest_integer<T>(), T{}) ? Index{0} : items;
  return found;
}

// Where positions are stored: in a range, whose type is known when the kernel runs, so that it is
// compiled once for all; or in an output view.
template <class Index>
__device__ __forceinline__ void store_position(const device_count& positions, std::uint64_t i, Index found) {
  positions.store(found, i);
}
template <class V, class Index>
__device__ __forceinline__ void store_position(const view_output<V>& positions, std::uint64_t i, Index found) {
  store_at(positions, i, static_cast<typename V::value_type>(found));
}
template <class Position>
device_count as_stored(const output<Position>& positions) {
  return device_count(positions.data);
}
template <class V>
const view_output<V>& as_stored(const view_output<V>& positions) {
  return positions;
}

template <class T>
searched_keys<T> as_searched(const input<T>& in) {
  return {in.data, in.length};
}
template <class Index>
searched_positions<Index> as_searched(const position_input<Index>& in) {
  return {in.length};
}
template <class V>
searched_view<V> as_searched(const view_input<V>& in) {
  return {in.view, in.length};
}

// Adds to low[j] how many of items[low[j]] to items[low[j] + left - 1] come before key j (Upper: do
// not come after it). `left` is the same for all keys.
template <bool Upper, class Sorted, int Keys, class Index, class T, class Before>
__device__ __forceinline__ void search_sorted(const Sorted& items, Index left, const T (&key)[Keys], Index (&low)[Keys],
                                              const Before& before) {
#pragma unroll 1
  while (left != 0) {
    const Index half = left / 2;
#pragma unroll
    for (int j = 0; j < Keys; ++j) {
      const T item = static_cast<T>(items[low[j] + half]);
      const bool comes_before = Upper ? !call(before, key[j], item) : call(before, item, key[j]);
      if (comes_before) low[j] += left - half;
    }
    left = half;
  }
}

// positions[i]: how many items of `sorted` come before key i; Upper: how many do not come after it.
// KeysOf: the number of keys of a thread.
template <bool Upper, int KeysOf, class Index, class T, class Sorted, class Keys, class Before, class To>
__global__ void __launch_bounds__(elementwise_threads)
    search_kernel(Sorted sorted, length sorted_length, Keys keys, Before before, To positions) {
  const std::uint64_t n = keys.n.get();
  const auto items = static_cast<Index>(sorted_length.get());
  const std::uint64_t first = std::uint64_t{blockIdx.x} * (elementwise_threads * KeysOf) + threadIdx.x;
  if (first >= n) return;
  T key[KeysOf];
  Index low[KeysOf]{};
#pragma unroll
  for (unsigned j = 0; j < KeysOf; ++j) {
    const std::uint64_t at = first + j * elementwise_threads;
    key[j] = static_cast<T>(keys(at < n ? at : first));
  }
  search_sorted<Upper>(sorted, items, key, low, before);
#pragma unroll
  for (unsigned j = 0; j < KeysOf; ++j)
    if (const std::uint64_t at = first + j * elementwise_threads; at < n)
      store_position(positions, at, answer_for<T>(keys, at, low[j], items, before));
}

inline constexpr int sampled_search_threads = 1024;
inline constexpr std::size_t search_sample_bytes = simt::least_shared_bytes_limit;

// The block's sample begins here.
struct search_storage {
  alignas(16) unsigned char sample[16];
};

// The same after a search in a sample of up to `most` items. Blocks may have fewer threads, so that
// all have nearly as many keys (launch.cuh).
template <bool Upper, int KeysOf, class Index, class T, class Sorted, class Keys, class Before, class To>
__global__ void __launch_bounds__(sampled_search_threads)
    sampled_search_kernel(Sorted sorted, length sorted_length, Keys keys, Before before, To positions, unsigned most) {
  T* const sample = reinterpret_cast<T*>(simt::shared_storage<search_storage>().sample);
  const std::uint64_t n = keys.n.get();
  const auto items = static_cast<Index>(sorted_length.get());
  const unsigned thread = simt::thread_rank(), threads = blockDim.x;
  // The last item of each whole stretch.
  const auto stretch = static_cast<Index>(items / most + 1);
  const auto stretches = static_cast<unsigned>(items / stretch);
  for (unsigned i = thread; i < stretches; i += threads) sample[i] = static_cast<T>(sorted[(i + 1) * stretch - 1]);
  simt::sync_block();
  const std::uint64_t tile = threads * KeysOf;
  for (std::uint64_t first = blockIdx.x * tile + thread; first < n; first += gridDim.x * tile) {
    T key[KeysOf];
    unsigned before_stretch[KeysOf]{};
    Index low[KeysOf];
#pragma unroll
    for (unsigned j = 0; j < KeysOf; ++j) {
      const std::uint64_t at = first + j * threads;
      key[j] = static_cast<T>(keys(at < n ? at : first));
    }
    search_sorted<Upper>(sample, stretches, key, before_stretch, before);
    // The stretch of items that begins there; or the last one.
#pragma unroll
    for (unsigned j = 0; j < KeysOf; ++j) {
      const Index begin = before_stretch[j] * stretch;
      low[j] = items - begin < stretch ? static_cast<Index>(items < stretch ? 0 : items - stretch) : begin;
    }
    search_sorted<Upper>(sorted, static_cast<Index>(smaller(stretch, items)), key, low, before);
#pragma unroll
    for (unsigned j = 0; j < KeysOf; ++j)
      if (const std::uint64_t at = first + j * threads; at < n)
        store_position(positions, at, answer_for<T>(keys, at, low[j], items, before));
  }
}

// The findings of the blocks of is_sorted; zero at launch.
struct sorted_state {
  std::uint64_t out_of_order;  // ~ of the first position whose item comes before its predecessor; 0: none
  std::uint32_t finished;
};

inline constexpr unsigned sorted_threads = 512, sorted_items = 8, sorted_tile = sorted_threads * sorted_items;

// result: the number of items in order at the front; or, with Whether, 1 if all are, else 0.
template <bool Whether, class T, class In, class Before>
__global__ void __launch_bounds__(sorted_threads)
    sorted_kernel(In in, length length, Before before, sorted_state* state, device_count result) {
  auto& last_block = simt::shared_storage<bool>();
  const std::uint64_t n = length.get();
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * sorted_tile; tile + 1 < n;
       tile += std::uint64_t{gridDim.x} * sorted_tile) {
    // Relaxed: what another block has found only saves work.
    if (const std::uint64_t found = simt::load_relaxed(&state->out_of_order); found != 0 && ~found <= tile) break;
    const std::uint64_t first = tile + simt::thread_rank();
    T item[sorted_items], next[sorted_items];
#pragma unroll
    for (unsigned j = 0; j < sorted_items; ++j) {
      const std::uint64_t at = first + j * sorted_threads;
      const bool is_pair = at + 1 < n;
      item[j] = static_cast<T>(in[is_pair ? at : 0]);
      next[j] = static_cast<T>(in[is_pair ? at + 1 : 0]);  // as a rule in the cache
    }
    std::uint64_t found = 0;
#pragma unroll
    for (unsigned j = 0; j < sorted_items; ++j) {
      const std::uint64_t at = first + (sorted_items - 1 - j) * sorted_threads;
      if (at + 1 < n && call(before, next[sorted_items - 1 - j], item[sorted_items - 1 - j])) found = ~(at + 1);
    }
    if (found != 0) simt::atomic_max(&state->out_of_order, found);  // relaxed: released by is_last_block
  }
  if (!device::is_last_block(&state->finished, last_block) || simt::thread_rank() != 0) return;
  const std::uint64_t found = simt::load_relaxed(&state->out_of_order);  // pairs with the relaxed atomic_max, as above
  if constexpr (Whether) result.store(found == 0 ? 1 : 0);
  else result.store(found == 0 ? n : ~found);
}

}  // namespace ballot::detail
