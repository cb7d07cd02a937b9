// SPDX-License-Identifier: Apache-2.0
// Rows by a condition on their columns, for engine.cu: a compaction of row numbers that reads
// nothing but the columns.
#include "engines/cuda/device_algorithms.hpp"

#include <ballot/compact.cuh>

namespace ballot::app {

std::size_t device_select::scratch_bytes(std::uint64_t rows) {
  return ballot::compact_indices_scratch_bytes<std::uint64_t, std::uint64_t>(rows);
}

void device_select::run(const exec& gpu, const row_predicate& predicate, std::uint64_t rows,
                        std::span<std::uint64_t> chosen, std::uint64_t* count) {
  ballot::compact_indices(gpu, ballot::positions<std::uint64_t>(rows), predicate, chosen, count);
}

}  // namespace ballot::app
