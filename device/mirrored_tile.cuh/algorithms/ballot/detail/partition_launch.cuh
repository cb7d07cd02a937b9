// What compact and split share on the host: tile shape, scratch, checks, launches.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/count_kernel.cuh>
#include <ballot/detail/partition_kernel.cuh>
#include <ballot/detail/selectors.cuh>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

namespace ballot::detail {

struct partition_scratch {
  std::uint32_t* ticket;
  device::count_state::word* states;

  partition_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)), states(carver.take<device::count_state::word>(tiles)) {}
};

// Shape: other than the tuned one in tests alone.
template <rejects Rejects, class T, class Shape = partition_shape<T, Rejects>>
std::size_t partition_scratch_bytes(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  partition_scratch(measure, ceil_div(n, Shape::items));
  return measure.bytes();
}

template <rejects Rejects, class T, class Shape = partition_shape<T, Rejects>, class Selector>
void launch_partition(const exec& where, const input<T>& in, const Selector& selector, const partition_output<T>& out,
                      const char* function) {
  static_assert(sizeof(T) <= 128, "items of more than 128 bytes: compact or split their indices, then gather");
  const std::uint32_t tiles = tile_count(in.capacity(), Shape::items, function);
  if (tiles == 0) {
    simt::fill_bytes(where.stream(), out.count, 0, sizeof(std::uint64_t));
    return;
  }
  const std::size_t bytes = partition_scratch_bytes<Rejects, T, Shape>(in.capacity());
  const scratch_lease lease(where, bytes, function);
  scratch_carver carver(lease.base());
  const partition_scratch scratch(carver, tiles);
  const bool whole_vectors = block::whole_vectors_at<T, Shape::width>(in.data);

  if constexpr (Rejects == rejects::after_kept) {
    // Where the rejected ones begin must be known before the first of them is written.
    simt::fill_bytes(where.stream(), out.count, 0, sizeof(std::uint64_t));
    const auto blocks = static_cast<unsigned>(smaller(tiles, count_blocks));
    simt::launch(count_kernel<T, Shape, Selector>,
                 simt::launch_config{dim3(blocks), dim3(Shape::threads), sizeof(count_storage), where.stream()},
                 in.data, in.length, selector, whole_vectors, out.count);
  }
  simt::fill_bytes(where.stream(), lease.base(), 0, bytes);
  simt::launch(
      partition_kernel<T, Shape, Rejects, Selector>,
      simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(partition_storage<T, Shape>), where.stream()},
      in.data, in.length, selector, out, whole_vectors, scratch.states, scratch.ticket);
}

}  // namespace ballot::detail
