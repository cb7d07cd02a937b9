// SPDX-License-Identifier: Apache-2.0
// Definitions for process_rank.hpp: a translation unit includes this and instantiates the functions
// of one key.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/gpus/process_rank_member.hpp"
#include "engines/gpus/ranks_sort.cuh"

namespace ballot::app {

template <class K>
std::uint64_t gpu_process_rank::device_bytes(std::uint64_t items, bool values) const {
  return device_bytes_of_rank<K>(member_->comm->size(), items, values);
}

template <class K>
void gpu_process_rank::sort(std::span<K> keys, bit_range bits) {
  member_->collectively([&] {
    const cudaStream_t stream = *member_->stream;
    std::optional<array_block<K>> block;
    device_buffer scratch;
    reporting_cuda_errors("GPUs: the part of a process", member_->device, [&] {
      block.emplace(keys, 0, 1, stream);
      scratch =
          device_buffer(distributed::sort_scratch_bytes<K>(member_->comm->size(), keys.size(), keys.size()), stream);
      simt::synchronize(stream);
    });
    distributed::sort(*member_->comm, exec(stream, scratch), block->keys(), block->sorted(), {.bits = bits});
    member_->comm->wait_for(stream, patience_for(keys.size_bytes()));
    block->download(stream);
    simt::synchronize(stream);
  });
}

template <class K>
void gpu_process_rank::sort_pairs(std::span<K> keys, std::span<std::uint64_t> values, bit_range bits) {
  member_->collectively([&] {
    const cudaStream_t stream = *member_->stream;
    std::optional<array_block<K>> block;
    std::optional<array_block<std::uint64_t>> of_values;
    device_buffer scratch;
    reporting_cuda_errors("GPUs: the part of a process", member_->device, [&] {
      block.emplace(keys, 0, 1, stream);
      of_values.emplace(values, 0, 1, stream);
      scratch = device_buffer(
          distributed::sort_pairs_scratch_bytes<K, std::uint64_t>(member_->comm->size(), keys.size(), keys.size()),
          stream);
      simt::synchronize(stream);
    });
    distributed::sort_pairs(*member_->comm, exec(stream, scratch), block->keys(), of_values->keys(), block->sorted(),
                            of_values->sorted(), {.bits = bits});
    member_->comm->wait_for(stream, patience_for(keys.size_bytes() + values.size_bytes()));
    block->download(stream);
    of_values->download(stream);
    simt::synchronize(stream);
  });
}

}  // namespace ballot::app
