// SPDX-License-Identifier: Apache-2.0
// Reads and writes at an offset of a regular file, on several threads if that helps. Neither call
// uses or moves the descriptor's position.
#pragma once

#include <ballot/core/namespace.hpp>
#include "base/parallel_chunks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ballot::app {

chunking read_chunking();
chunking write_chunking();

// Fills `into` and returns the number of bytes read. Fewer than requested mean that the file ended,
// or became shorter. `name` is for messages.
std::size_t read_at(int descriptor, const std::string& name, std::uint64_t offset, std::span<std::byte> into,
                    const chunking& plan = read_chunking());

// Writes all of `bytes`, or throws failure. The descriptor must be open for reading, too.
void write_at(int descriptor, const std::string& name, std::uint64_t offset, std::span<const std::byte> bytes,
              const chunking& plan = write_chunking());

}  // namespace ballot::app
