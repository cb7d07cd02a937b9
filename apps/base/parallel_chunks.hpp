// Large spans of bytes, moved by several threads: one core does not keep up with the memory.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace ballot::app {

// How bytes are shared out.
struct chunking {
  std::size_t bytes = std::size_t{2} << 20;  // of a piece: a huge page, so that no two threads clear the same one
  std::size_t threads = 1;                   // at most
};

// As many threads as there are cores, and not more than `most`.
chunking chunking_for_cores(std::size_t most);

// Calls work(begin, size) for all pieces of so many bytes. They are begun from the front on, so that a file is read nearly
// in order. Once one has thrown, no others are begun, and the exception arrives here.
void for_each_chunk(std::size_t bytes, const chunking& plan,
                    const std::function<void(std::size_t begin, std::size_t size)>& work);

// memcpy, by all cores where there is much.
void parallel_copy(std::byte* to, std::span<const std::byte> from);

}  // namespace ballot::app
