// SPDX-License-Identifier: Apache-2.0
// Work on large spans of bytes in chunks on several threads: one core does not saturate the memory.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace ballot::app {

// How bytes are divided among threads.
struct chunking {
  std::size_t bytes = std::size_t{2} << 20;  // of a chunk: a huge page, so that no two threads clear the same one
  std::size_t threads = 1;                   // at most
};

// As many threads as there are cores, and not more than `most`.
chunking chunking_for_cores(std::size_t most);

// Calls work(begin, size) for every chunk of `bytes` bytes. Chunks start in ascending order, so
// that a file is read nearly in order. If a call throws, no further chunk starts, and the exception
// is rethrown here.
void for_each_chunk(std::size_t bytes, const chunking& plan,
                    const std::function<void(std::size_t begin, std::size_t size)>& work);

// memcpy; large copies on several cores.
void parallel_copy(std::byte* to, std::span<const std::byte> from);

}  // namespace ballot::app
