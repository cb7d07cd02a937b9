// SPDX-License-Identifier: Apache-2.0
// Moves items from computed places, or to them. A thread has four indices, whose items are loaded together. Indices
// outside are left out; each warp adds the number of its own to the count once.
#pragma once

#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/output_view.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/elementwise_kernels.cuh>
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

// Scatters: out[index] = in[i]; else out[i] = in[index]. n: of the indices. places: of the range that indices point
// into. A negative index is a large one here.
// Out: T*, or a view_output.
template <bool Scatters, class T, class Index, class Out = T*>
__global__ void __launch_bounds__(elementwise_threads)
    move_kernel(const T* in, const Index* indices, Out out, length n_length, length places_length,
                std::uint64_t largest, device_count outside) {
  const std::uint64_t n = n_length.get(), places = places_length.get();
  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * elementwise_tile + threadIdx.x;
  unsigned left_out = 0;
  std::uint64_t index[elementwise_items]{};
  bool is_inside[elementwise_items]{};
#pragma unroll
  for (unsigned j = 0; j < elementwise_items; ++j) {
    const std::uint64_t i = first + j * elementwise_threads;
    if (i >= n) continue;
    index[j] = indices[i];
    is_inside[j] = index[j] < places && index[j] <= largest;
    if (!is_inside[j]) ++left_out;
  }
#pragma unroll
  for (unsigned j = 0; j < elementwise_items; ++j) {
    const std::uint64_t i = first + j * elementwise_threads;
    if (!is_inside[j]) continue;
    if constexpr (!std::is_pointer_v<Out>) {
      const auto to = located(out);
      if (const std::uint64_t at = Scatters ? index[j] : i; at < to.size) put(to, at, in[Scatters ? i : index[j]]);
    } else if constexpr (Scatters) {
      out[index[j]] = in[i];
    } else {
      out[i] = in[index[j]];
    }
  }
  count_outside(outside, left_out);
}

}  // namespace ballot::detail
