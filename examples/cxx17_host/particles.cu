// SPDX-License-Identifier: Apache-2.0
// C++17: Thrust's vectors, a kernel, and the sort behind a plain header.
#include "cells.h"
#include "particles.h"
#include "vector_math.h"

#include <thrust/device_vector.h>

#include <stdexcept>

#if __cplusplus >= 202002L
#  error "this source is to be compiled as C++17"
#endif

__global__ static void find_cells(unsigned* cell, std::size_t particles, unsigned cells) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= particles) return;
  const unsigned random = static_cast<unsigned>(i) * 2654435761u;
  const float x = lerp(0.0f, static_cast<float>(cells), static_cast<float>(random >> 8) / 16777216.0f);
  cell[i] = static_cast<unsigned>(x) % cells;
}

ordered_particles step(std::size_t particles, unsigned cells) {
  thrust::device_vector<unsigned> cell(particles), sorted(particles), order(particles);
  const unsigned threads = 256;
  find_cells<<<static_cast<unsigned>((particles + threads - 1) / threads), threads>>>(cell.data().get(), particles,
                                                                                      cells);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("the launch failed");

  thrust::device_vector<unsigned char> scratch(order_by_cell_scratch_bytes(particles));
  order_by_cell(cell.data().get(), sorted.data().get(), order.data().get(), particles, scratch.data().get(),
                scratch.size(), nullptr);

  ordered_particles result{std::vector<unsigned>(particles), std::vector<unsigned>(particles)};
  const std::size_t bytes = particles * sizeof(unsigned);
  if (cudaMemcpy(result.cells.data(), sorted.data().get(), bytes, cudaMemcpyDeviceToHost) != cudaSuccess ||
      cudaMemcpy(result.order.data(), order.data().get(), bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
    throw std::runtime_error("the device failed");
  return result;
}
