// Bytes at a place of a regular file, by several threads where that helps. Neither call looks at the descriptor's position
// nor moves it.
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

// Fills `into` as far as there are bytes: fewer than asked for mean the end, or that the file became shorter. `name` is for
// messages.
std::size_t read_at(int descriptor, const std::string& name, std::uint64_t offset, std::span<std::byte> into,
                    const chunking& plan = read_chunking());

// All of `bytes`, or failure. The descriptor is open for reading, too.
void write_at(int descriptor, const std::string& name, std::uint64_t offset, std::span<const std::byte> bytes,
              const chunking& plan = write_chunking());

}  // namespace ballot::app
