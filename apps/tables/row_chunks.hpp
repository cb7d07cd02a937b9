// SPDX-License-Identifier: Apache-2.0
// Runs a function on chunks of rows, on all cores.
#pragma once

#include <ballot/core/namespace.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>

namespace ballot::app {

inline constexpr std::uint64_t rows_of_chunk = std::uint64_t{1} << 16;

inline std::uint64_t row_chunks(std::uint64_t rows) { return (rows + rows_of_chunk - 1) / rows_of_chunk; }

// Calls f(chunk, first row, end row) for each chunk.
template <class F>
void for_each_row_chunk(std::uint64_t rows, const F& f) {
  tbb::parallel_for(std::uint64_t{0}, row_chunks(rows), [&](std::uint64_t chunk) {
    f(chunk, chunk * rows_of_chunk, std::min(rows, (chunk + 1) * rows_of_chunk));
  });
}

}  // namespace ballot::app
