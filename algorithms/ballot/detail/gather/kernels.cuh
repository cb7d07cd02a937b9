// SPDX-License-Identifier: Apache-2.0
// Moves items from computed places, or to them. A thread has some indices, whose items are loaded together. Indices
// outside are left out; each warp adds the number of its own to the count once.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/common/zip.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Adds the number of true flags of the block's threads; `outside` is zero at launch, or none. All threads.
__device__ __forceinline__ void count_outside(const device_count& outside, unsigned mine) {
  if (outside.address() == nullptr) return;
  const unsigned of_warp = simt::reduce_add(mine);
  if (simt::lane_id() != 0 || of_warp == 0) return;
  // Relaxed: read by later launches.
  if (outside.type().is_wide) simt::atomic_add(static_cast<std::uint64_t*>(outside.address()), std::uint64_t{of_warp});
  else simt::atomic_add(static_cast<std::uint32_t*>(outside.address()), of_warp);
}

// How many items a thread moves. Two if items are few, so that there are more warps, whose loads
// are in flight together. H100, 2026-11-24, u32 in a graph, microseconds with 2 and with 4:
//
//     scatter of 1000                       1.7 and 2.0
//     scatter of 65,537                     3.3 and 3.5
//     gather of 262,144 near each other     2.4 and 2.3
//     gather of 12,000,017                  53.6 and 50.2
inline constexpr unsigned gather_threads = 256, items_of_few = 2, items_of_many = 4;
inline constexpr std::uint64_t few_moves = std::uint64_t{1} << 17;

// Index i, as an unsigned number: of memory, or of a view.
template <class Index>
__device__ __forceinline__ std::uint64_t index_at(const Index* indices, std::uint64_t i) {
  return indices[i];
}
template <class V>
__device__ __forceinline__ std::uint64_t index_at(const V& indices, std::uint64_t i) {
  return static_cast<unsigned_count_t<typename V::value_type>>(static_cast<typename V::value_type>(indices[i]));
}

// Scatters: out[index] = in[i]; else out[i] = in[index]. n: of the indices. places: of the range that indices point
// into. A negative index is a large one here.
// In, Indices: addresses, or views. Out: T*, or a view_output.
template <bool Scatters, unsigned Items, class T, class In, class Indices, class Out = T*>
__global__ void __launch_bounds__(gather_threads)
    move_kernel(In in, Indices indices, Out out, length n_length, length places_length, std::uint64_t largest,
                device_count outside) {
  // Small items are loaded before they are needed, those of a scatter beside their indices.
  constexpr bool is_small = sizeof(T) <= 16 && std::is_trivially_default_constructible_v<T>;
  simt::wait_for_previous_launch();
  const std::uint64_t n = n_length.get(), places = places_length.get();
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * (gather_threads * Items) + threadIdx.x;
  unsigned left_out = 0;
  std::uint64_t index[Items]{};
  bool is_inside[Items]{};
  std::conditional_t<is_small, T, char> item[Items];
#pragma unroll
  for (unsigned j = 0; j < Items; ++j) {
    const std::uint64_t i = first + j * gather_threads;
    if (i >= n) continue;
    index[j] = index_at(indices, i);
    if constexpr (Scatters && is_small) item[j] = static_cast<T>(in[i]);
    is_inside[j] = index[j] < places && index[j] <= largest;
    if (!is_inside[j]) ++left_out;
  }
  if constexpr (!Scatters && is_small) {
#pragma unroll
    for (unsigned j = 0; j < Items; ++j)
      if (is_inside[j]) item[j] = static_cast<T>(in[index[j]]);
  }
#pragma unroll
  for (unsigned j = 0; j < Items; ++j) {
    const std::uint64_t i = first + j * gather_threads;
    if (!is_inside[j]) continue;
    const auto item_of = [&]() -> std::conditional_t<is_small || std::is_pointer_v<In>, const T&, T> {
      if constexpr (is_small) return item[j];
      else return in[Scatters ? i : index[j]];
    };
    const T& from = item_of();
    if constexpr (!std::is_pointer_v<Out>) {
      const auto to = located(out);
      if (const std::uint64_t at = Scatters ? index[j] : i; at < to.size) put(to, at, from);
    } else {
      out[Scatters ? index[j] : i] = from;
    }
  }
  count_outside(outside, left_out);
}

}  // namespace ballot::detail
