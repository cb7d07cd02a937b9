// C++17: kernels by Thrust, and the sort behind a plain header.
#include "cells.h"
#include "particles.h"
#include "vector_math.h"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <stdexcept>

#if __cplusplus >= 202002L
#  error "this source is to be compiled as C++17"
#endif

namespace {
struct cell_of {
  unsigned cells;
  __host__ __device__ unsigned operator()(unsigned particle) const {
    const unsigned random = particle * 2654435761u;
    const float x = lerp(0.0f, static_cast<float>(cells), static_cast<float>(random >> 8) / 16777216.0f);
    return static_cast<unsigned>(x) % cells;
  }
};
}  // namespace

ordered_particles step(std::size_t particles, unsigned cells) {
  thrust::device_vector<unsigned> cell(particles), sorted(particles), order(particles);
  thrust::transform(thrust::counting_iterator<unsigned>(0), thrust::counting_iterator<unsigned>(particles),
                    cell.begin(), cell_of{cells});

  thrust::device_vector<unsigned char> scratch(order_by_cell_scratch_bytes(particles));
  order_by_cell(cell.data().get(), sorted.data().get(), order.data().get(), particles, scratch.data().get(),
                scratch.size(), nullptr);
  if (cudaDeviceSynchronize() != cudaSuccess) throw std::runtime_error("the device failed");

  ordered_particles result{std::vector<unsigned>(particles), std::vector<unsigned>(particles)};
  thrust::copy(sorted.begin(), sorted.end(), result.cells.begin());
  thrust::copy(order.begin(), order.end(), result.order.begin());
  return result;
}
