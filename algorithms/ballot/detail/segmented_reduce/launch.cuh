// SPDX-License-Identifier: Apache-2.0
// The launches of segmented_reduce, and its scratch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/detail/segmented_reduce/kernel.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// One count for each tile.
template <class T>
struct segmented_reduce_scratch {
  std::uint64_t* tile_counts;

  segmented_reduce_scratch(scratch_carver& carver, std::uint64_t n)
      : tile_counts(carver.take<std::uint64_t>(ceil_div(n, segmented_reduce_shape<T>::items))) {}

  static std::size_t bytes(std::uint64_t n) {
    scratch_carver measure;
    segmented_reduce_scratch(measure, n);
    return measure.bytes();
  }
};

template <class T>
void launch_segmented_reduce(stream_t stream, std::byte* memory, std::uint32_t tiles, const input<T>& in, T addend,
                             T* out, device_count count) {
  using shape = segmented_reduce_shape<T>;
  scratch_carver carver(memory);
  const segmented_reduce_scratch<T> scratch(carver, in.capacity());
  const bool vector_aligned =
      block::is_vector_aligned<T, shape::width>(in.data) && block::is_vector_aligned<T, shape::width>(out);
  if (tiles != 0)
    simt::launch(
        segmented_reduce_kernel<T, shape>,
        simt::launch_config{dim3(tiles), dim3(shape::threads), sizeof(segmented_reduce_storage<shape>), stream},
        in.data, in.length, addend, out, vector_aligned, scratch.tile_counts);
  simt::launch(
      segmented_reduce_count_kernel<shape>,
      simt::launch_config{dim3(1), dim3(shape::threads), sizeof(segmented_reduce_count_storage<shape>), stream},
      scratch.tile_counts, tiles, count);
}

}  // namespace ballot::detail
