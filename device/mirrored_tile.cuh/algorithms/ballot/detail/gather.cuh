// out[i] = in[indices[i]]: how values that are too large or too small to travel through the passes of a sort follow
// their keys.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

inline constexpr int gather_threads = 256;

template <class T, class Index>
__global__ void __launch_bounds__(gather_threads)
    gather_kernel(const T* in, const Index* indices, T* out, length length) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * gather_threads + threadIdx.x;
  if (i < length.get()) out[i] = in[indices[i]];
}

template <class T, class Index>
void launch_gather(stream_t stream, const T* in, const Index* indices, T* out, length length, const char* function) {
  simt::launch(
      gather_kernel<T, Index>,
      simt::launch_config{dim3(tile_count(length.capacity, gather_threads, function)), dim3(gather_threads), 0, stream},
      in, indices, out, length);
}

}  // namespace ballot::detail
