// The ladder of the block-wise scan as a list, for tests and benchmarks.
#pragma once

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
  std::uint64_t block_items;  // after how many items the sums start anew
  void (*run)(const exec& where, std::span<const T> in, std::span<T> out);
};

template <class T, int Threads = 256, int Items = 16>
std::array<blockwise_scan_step<T>, 5> blockwise_scan_steps() {
  return {{
      {"in_global_memory", Threads, blockwise_scan_in_global_memory<Threads, T>},
      {"in_shared_memory", Threads, blockwise_scan_in_shared_memory<Threads, T>},
      {"double_buffer", Threads, blockwise_scan_double_buffer<Threads, T>},
      {"warp_shuffles", Threads, blockwise_scan_by_shuffles<Threads, T>},
      {"several_items", std::uint64_t{Threads} * Items, blockwise_scan_several_items<Threads, Items, T>},
  }};
}

}  // namespace ballot::survey
