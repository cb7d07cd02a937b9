// SPDX-License-Identifier: Apache-2.0
// The ladder of the block-wise scan as a list, for tests and benchmarks: every step in blocks of
// the same length. The last step is the library's ballot::blockwise_inclusive_scan. There a tile
// holds several blocks, and adjacent lanes load and store it 16 bytes at a time. The length of a
// block is independent of the number of threads.
#pragma once

#include <ballot/blockwise_scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/survey/blockwise_scan/double_buffer.cuh>
#include <ballot/survey/blockwise_scan/in_global_memory.cuh>
#include <ballot/survey/blockwise_scan/in_shared_memory.cuh>
#include <ballot/survey/blockwise_scan/several_items.cuh>
#include <ballot/survey/blockwise_scan/warp_shuffles.cuh>

#include <array>

namespace ballot::survey {

template <class T>
struct blockwise_scan_step {
  const char* name;
  std::size_t (*scratch_bytes)(std::uint64_t n);
  void (*run)(const exec& where, std::span<const T> in, std::span<T> out);
};

// BlockItems: items per block. Items: per thread, in the step with several.
template <class T, int BlockItems, int Items = 8>
std::array<blockwise_scan_step<T>, 6> blockwise_scan_steps() {
  static_assert(BlockItems % Items == 0, "as many items for each thread");
  const auto none = [](std::uint64_t) { return std::size_t{0}; };
  return {{
      {"in_global_memory", none, blockwise_scan_in_global_memory<BlockItems, T>},
      {"in_shared_memory", none, blockwise_scan_in_shared_memory<BlockItems, T>},
      {"double_buffer", none, blockwise_scan_double_buffer<BlockItems, T>},
      {"warp_shuffles", none, blockwise_scan_by_shuffles<BlockItems, T>},
      {"several_items", none, blockwise_scan_several_items<BlockItems / Items, Items, T>},
      {"library", [](std::uint64_t n) { return blockwise_scan_scratch_bytes<T>(n, BlockItems); },
       [](const exec& where, std::span<const T> in, std::span<T> out) {
         blockwise_inclusive_scan(where, in, out, BlockItems);
       }},
  }};
}

}  // namespace ballot::survey
