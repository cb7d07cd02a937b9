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

// All that can fail on one rank alone comes before the call that waits for the others.
template <class K>
void gpu_ranks::sort(std::span<K> keys, bit_range bits) {
  members& m = *members_;
  std::vector<std::unique_ptr<array_block<K>>> blocks(m.comms.size());
  std::vector<device_buffer> scratch(m.comms.size());
  m.on_each([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    blocks[r] = std::make_unique<array_block<K>>(keys, rank, size(), *m.streams[r]);
    const std::uint64_t n = blocks[r]->on_host.size();
    scratch[r] = device_buffer(distributed::sort_scratch_bytes<K>(size(), n, n), *m.streams[r]);
    simt::synchronize(*m.streams[r]);
  });
  m.on_all([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    distributed::sort(*m.comms[r], exec(*m.streams[r], scratch[r]), blocks[r]->keys(), blocks[r]->sorted(),
                      {.bits = bits});
    blocks[r]->download(*m.streams[r]);
    simt::synchronize(*m.streams[r]);
  });
}

template <class K>
void gpu_ranks::sort_pairs(std::span<K> keys, std::span<std::uint64_t> values, bit_range bits) {
  members& m = *members_;
  std::vector<std::unique_ptr<array_block<K>>> blocks(m.comms.size());
  std::vector<std::unique_ptr<array_block<std::uint64_t>>> of_values(m.comms.size());
  std::vector<device_buffer> scratch(m.comms.size());
  m.on_each([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    blocks[r] = std::make_unique<array_block<K>>(keys, rank, size(), *m.streams[r]);
    of_values[r] = std::make_unique<array_block<std::uint64_t>>(values, rank, size(), *m.streams[r]);
    const std::uint64_t n = blocks[r]->on_host.size();
    scratch[r] = device_buffer(distributed::sort_pairs_scratch_bytes<K, std::uint64_t>(size(), n, n), *m.streams[r]);
    simt::synchronize(*m.streams[r]);
  });
  m.on_all([&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    distributed::sort_pairs(*m.comms[r], exec(*m.streams[r], scratch[r]), blocks[r]->keys(), of_values[r]->keys(),
                            blocks[r]->sorted(), of_values[r]->sorted(), {.bits = bits});
    blocks[r]->download(*m.streams[r]);
    of_values[r]->download(*m.streams[r]);
    simt::synchronize(*m.streams[r]);
  });
}

}  // namespace ballot::app
