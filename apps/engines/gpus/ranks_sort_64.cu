// SPDX-License-Identifier: Apache-2.0
#include "engines/gpus/process_rank_sort.cuh"

namespace ballot::app {

template std::uint64_t gpu_ranks::device_bytes<std::uint64_t>(std::uint64_t, bool) const;
template void gpu_ranks::sort(std::span<std::uint64_t>, bit_range);
template void gpu_ranks::sort_pairs(std::span<std::uint64_t>, std::span<std::uint64_t>, bit_range);

template std::uint64_t gpu_process_rank::device_bytes<std::uint64_t>(std::uint64_t, bool) const;
template void gpu_process_rank::sort(std::span<std::uint64_t>, bit_range);
template void gpu_process_rank::sort_pairs(std::span<std::uint64_t>, std::span<std::uint64_t>, bit_range);

}  // namespace ballot::app
