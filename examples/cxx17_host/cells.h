// SPDX-License-Identifier: Apache-2.0
// The program's interface to sorting: plain functions, nothing of ballot's, no C++20. Pointers are
// the device's.
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

std::size_t order_by_cell_scratch_bytes(std::size_t particles);

// order[i]: the index of the i-th particle by cells, in stream order. `scratch` is a multiple of
// 256.
void order_by_cell(const unsigned* cells, unsigned* sorted_cells, unsigned* order, std::size_t particles, void* scratch,
                   std::size_t scratch_bytes, cudaStream_t stream);
