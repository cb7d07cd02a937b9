// SPDX-License-Identifier: Apache-2.0
// Rows that have been read before, for table_batch_reader.
#pragma once

#include <ballot/core/namespace.hpp>

#include "files/temporary_file.hpp"
#include "tables/table_batches.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ballot::app {

// Reads bytes in memory.
inline byte_reader reader_of(std::span<const std::byte> bytes) {
  return [bytes](std::span<std::byte> into) mutable {
    const std::size_t taken = std::min(into.size(), bytes.size());
    if (taken != 0) std::memcpy(into.data(), bytes.data(), taken);
    bytes = bytes.subspan(taken);
    return taken;
  };
}

// Reads a file that has been written; keeps a reference.
inline byte_reader reader_of(const temporary_file& kept) {
  return [&kept, offset = std::uint64_t{0}](std::span<std::byte> into) mutable {
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), kept.size() - offset));
    kept.read(offset, into.first(taken));
    offset += taken;
    return taken;
  };
}

// A last row, which is a batch of its own.
inline bool lacks_line_end(const table& batch) {
  if (batch.rows() == 0 || batch.line_end().empty()) return false;
  const auto last = batch.row(batch.rows() - 1);
  return last.empty() || last.back() != std::byte{'\n'};
}

}  // namespace ballot::app
