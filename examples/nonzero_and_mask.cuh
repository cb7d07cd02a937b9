// SPDX-License-Identifier: Apache-2.0
// Array languages call these nonzero and a boolean mask: the rows and columns of the elements of a
// matrix that are not 0, and the elements that a mask selects.
//
// Before: a mask, a scan of it, a scatter, and division of each position by the width in a further
// kernel.
//
// The positions are an input without memory. The outputs convert them to row and column, and the
// values are dropped. So one pass reads the matrix and writes the two lists.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/compact.cuh>
#include <ballot/outputs.cuh>

#include <cstdint>
#include <span>

namespace examples {

struct is_nonzero {
  __device__ bool operator()(float x) const { return x != 0; }
};
struct row_of {
  std::uint32_t width;
  __device__ std::uint32_t operator()(std::uint32_t position) const { return position / width; }
};
struct column_of {
  std::uint32_t width;
  __device__ std::uint32_t operator()(std::uint32_t position) const { return position % width; }
};

inline std::size_t nonzero_scratch_bytes(std::uint64_t n) {
  return ballot::compact_scratch_bytes<float, std::uint32_t, std::uint32_t>(n);
}

// In row-major order. rows, columns: as long as there is room; *count says how many there are.
inline void nonzero(const ballot::exec& gpu, std::span<const float> matrix, std::uint32_t width,
                    std::span<std::uint32_t> rows, std::span<std::uint32_t> columns, std::uint64_t* count) {
  const ballot::positions at(matrix.size());
  ballot::compact(
      gpu, ballot::zip{matrix, at, at}, ballot::on_first{is_nonzero{}},
      ballot::zip{ballot::discarded<float>(matrix.size()), ballot::converting<std::uint32_t>(rows, row_of{width}),
                  ballot::converting<std::uint32_t>(columns, column_of{width})},
      count);
}

inline std::size_t masked_scratch_bytes(std::uint64_t n) { return ballot::compact_scratch_bytes<float>(n); }

// The elements whose byte in the mask is not 0.
inline void masked(const ballot::exec& gpu, std::span<const float> in, std::span<const std::uint8_t> mask,
                   std::span<float> out, std::uint64_t* count) {
  ballot::compact(gpu, in, ballot::byte_flags{mask}, out, count);
}

}  // namespace examples
