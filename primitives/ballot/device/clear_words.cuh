// SPDX-License-Identifier: Apache-2.0
// Zeros for a kernel that overlaps this launch and waits for it
// (launch_config::overlaps_previous_launch). Such a kernel is already running when the words are
// clear. After a fill by the runtime it would start only then.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

inline constexpr unsigned clear_threads = 256, most_clear_blocks = 1024;

struct alignas(16) two_zeros {
  std::uint64_t word[2];
};

template <int Threads>
__global__ void __launch_bounds__(Threads) clear_words_kernel(two_zeros* words, std::uint64_t count) {
  simt::let_next_launch_begin();
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * Threads + simt::thread_rank(); i < count;
       i += std::uint64_t{gridDim.x} * Threads)
    words[i] = two_zeros{{0, 0}};
}

// `memory` is aligned to 16 bytes, and `bytes` is a multiple of 16.
inline void launch_clear(stream_t stream, void* memory, std::size_t bytes) {
  const std::uint64_t count = bytes / sizeof(two_zeros);
  simt::launch(
      clear_words_kernel<clear_threads>,
      simt::launch_config{dim3(static_cast<unsigned>(smaller(ceil_div(count, clear_threads), most_clear_blocks))),
                          dim3(clear_threads), 0, stream},
      static_cast<two_zeros*>(memory), count);
}

}  // namespace ballot::detail
