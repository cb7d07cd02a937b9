// SPDX-License-Identifier: Apache-2.0
// Definitions for ranks_sort.hpp: a translation unit includes this and instantiates the functions
// of one key.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/gpus/ranks.hpp"

#include <ballot/device/memory.cuh>
#include <ballot/distributed/sort.cuh>

namespace ballot::app {

// A rank's part of the array, in the array and on the GPU.
template <class T>
struct array_block {
  std::span<T> on_host;
  device_buffer in, out;

  array_block(std::span<T> all, int rank, int ranks, cudaStream_t stream)
      : on_host(all.subspan(begin(all.size(), rank, ranks),
                            begin(all.size(), rank + 1, ranks) - begin(all.size(), rank, ranks))),
        in(on_host.size_bytes(), stream),
        out(on_host.size_bytes(), stream) {
    simt::check(cudaMemcpyAsync(in.data(), on_host.data(), on_host.size_bytes(), cudaMemcpyHostToDevice, stream),
                "cudaMemcpyAsync");
  }
  static std::size_t begin(std::size_t items, int rank, int ranks) {
    const auto r = static_cast<std::size_t>(rank), all = static_cast<std::size_t>(ranks);
    return items / all * r + items % all * r / all;
  }
  std::span<const T> keys() const { return {reinterpret_cast<const T*>(in.data()), on_host.size()}; }
  std::span<T> sorted() const { return {reinterpret_cast<T*>(out.data()), on_host.size()}; }
  void download(cudaStream_t stream) const {
    simt::check(cudaMemcpyAsync(on_host.data(), out.data(), on_host.size_bytes(), cudaMemcpyDeviceToHost, stream),
                "cudaMemcpyAsync");
  }
};

// For n items of a rank.
template <class K>
std::uint64_t device_bytes_of_rank(int ranks, std::uint64_t n, bool values) {
  return 2 * n * (sizeof(K) + (values ? sizeof(std::uint64_t) : 0)) +
         (values ? distributed::sort_pairs_scratch_bytes<K, std::uint64_t>(ranks, n, n)
                 : distributed::sort_scratch_bytes<K>(ranks, n, n));
}
template <class K>
std::uint64_t gpu_ranks::device_bytes(std::uint64_t items, bool values) const {
  const auto ranks = static_cast<std::uint64_t>(size());
  return device_bytes_of_rank<K>(size(), (items + ranks - 1) / ranks, values);
}

// What can fail on one rank alone comes before the calls that wait for the others, where it can. The
// result is copied when the stream has come so far: a copy to memory that is not locked waits for
// the stream, and nothing would end that wait.
template <class K>
void gpu_ranks::sort(std::span<K> keys, bit_range bits) {
  thread_ranks& all = *ranks_;
  std::vector<std::unique_ptr<array_block<K>>> blocks(static_cast<std::size_t>(size()));
  std::vector<device_buffer> scratch(static_cast<std::size_t>(size()));
  all.on_each([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const cudaStream_t stream = all.stream(rank);
    blocks[r] = std::make_unique<array_block<K>>(keys, rank, size(), stream);
    const std::uint64_t n = blocks[r]->on_host.size();
    scratch[r] = device_buffer(distributed::sort_scratch_bytes<K>(size(), n, n), stream);
    simt::synchronize(stream);
  });
  all.on_all([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const cudaStream_t stream = all.stream(rank);
    distributed::sort(all.comm(rank), exec(stream, scratch[r]), blocks[r]->keys(), blocks[r]->sorted(), {.bits = bits});
    all.comm(rank).wait_for(stream, patience_for(keys.size_bytes()));
    blocks[r]->download(stream);
    simt::synchronize(stream);
  });
}

template <class K>
void gpu_ranks::sort_pairs(std::span<K> keys, std::span<std::uint64_t> values, bit_range bits) {
  thread_ranks& all = *ranks_;
  std::vector<std::unique_ptr<array_block<K>>> blocks(static_cast<std::size_t>(size()));
  std::vector<std::unique_ptr<array_block<std::uint64_t>>> of_values(static_cast<std::size_t>(size()));
  std::vector<device_buffer> scratch(static_cast<std::size_t>(size()));
  all.on_each([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const cudaStream_t stream = all.stream(rank);
    blocks[r] = std::make_unique<array_block<K>>(keys, rank, size(), stream);
    of_values[r] = std::make_unique<array_block<std::uint64_t>>(values, rank, size(), stream);
    const std::uint64_t n = blocks[r]->on_host.size();
    scratch[r] = device_buffer(distributed::sort_pairs_scratch_bytes<K, std::uint64_t>(size(), n, n), stream);
    simt::synchronize(stream);
  });
  all.on_all([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const cudaStream_t stream = all.stream(rank);
    distributed::sort_pairs(all.comm(rank), exec(stream, scratch[r]), blocks[r]->keys(), of_values[r]->keys(),
                            blocks[r]->sorted(), of_values[r]->sorted(), {.bits = bits});
    all.comm(rank).wait_for(stream, patience_for(keys.size_bytes() + values.size_bytes()));
    blocks[r]->download(stream);
    of_values[r]->download(stream);
    simt::synchronize(stream);
  });
}

}  // namespace ballot::app
