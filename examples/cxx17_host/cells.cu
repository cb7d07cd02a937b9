// SPDX-License-Identifier: Apache-2.0
// The one source of C++20.
#include "cells.h"

#include <ballot/sort.cuh>

#include <span>

std::size_t order_by_cell_scratch_bytes(std::size_t particles) {
  return ballot::argsort_scratch_bytes<unsigned, unsigned>(particles);
}

void order_by_cell(const unsigned* cells, unsigned* sorted_cells, unsigned* order, std::size_t particles, void* scratch,
                   std::size_t scratch_bytes, cudaStream_t stream) {
  const ballot::exec gpu(stream, std::span(static_cast<std::byte*>(scratch), scratch_bytes));
  ballot::argsort(gpu, std::span(cells, particles), std::span(sorted_cells, particles), std::span(order, particles));
}
