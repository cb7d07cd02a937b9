// SPDX-License-Identifier: Apache-2.0
#include "base/parallel_chunks.hpp"

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace ballot::app {
namespace {

constexpr std::size_t max_copy_threads = 16;

}  // namespace

chunking chunking_for_cores(std::size_t most) {
  chunking plan;
  plan.threads = std::min(most, static_cast<std::size_t>(tbb::info::default_concurrency()));
  return plan;
}

void for_each_chunk(std::size_t bytes, const chunking& plan,
                    const std::function<void(std::size_t begin, std::size_t size)>& work) {
  const std::size_t count = bytes / plan.bytes + (bytes % plan.bytes != 0);
  std::atomic<std::size_t> next = 0;
  const auto take_chunks = [&](std::size_t) {
    for (;;) {
      const std::size_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= count) return;
      const std::size_t begin = piece * plan.bytes;
      try {
        work(begin, std::min(plan.bytes, bytes - begin));
      } catch (...) {
        next.store(count, std::memory_order_relaxed);
        throw;
      }
    }
  };
  const std::size_t threads = std::min(count, plan.threads);
  if (threads <= 1) take_chunks(0);
  else tbb::parallel_for(std::size_t{0}, threads, take_chunks, tbb::simple_partitioner());
}

void parallel_copy(std::byte* to, std::span<const std::byte> from) {
  const chunking plan = chunking_for_cores(max_copy_threads);
  for_each_chunk(from.size(), plan,
                 [&](std::size_t begin, std::size_t size) { std::memcpy(to + begin, from.data() + begin, size); });
}

}  // namespace ballot::app
