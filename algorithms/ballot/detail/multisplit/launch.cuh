// SPDX-License-Identifier: Apache-2.0
// The host's side of multisplit: scratch and launches.
//
//     multisplit                      ../multisplit.cuh checks the arguments, makes columns and the
//          |                          function of buckets
//     launch_multisplit               here; shapes are from tuning.cuh
//          |- few items:              one_block_kernel.cuh
//          |    one_block_multisplit_kernel    all of it
//          |- in between:             kernels.cuh
//          |    bucket_count_kernel            counts[bucket][tile]
//          |    exclusive_scan                 of the counts: where each tile's items go
//          |    multisplit_kernel              rank, stage, scatter
//          `- many, of many buckets:  sweep_kernels.cuh
//               bucket_totals_kernel           where each bucket begins
//               bucket_sweep_kernel            rank, look back, scatter
//
// buckets.cuh has the bucket of an item, ranks within a warp by votes, and counts.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/multisplit/kernels.cuh>
#include <ballot/detail/multisplit/tuning.cuh>
#include <ballot/device/grids.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/device/tuning.cuh>
#include <ballot/scan.cuh>

#include <span>
#include <type_traits>

namespace ballot::detail {

// The number of items decides how they are split, and so how much scratch there is.
enum class multisplit_way { none, one_block, counts, sweep };
template <class Shapes>
constexpr multisplit_way multisplit_way_of(std::uint64_t n, unsigned buckets) {
  if (n == 0) return multisplit_way::none;
  if (n <= Shapes::more::items) return multisplit_way::one_block;
  const bool sweeps =
      n >= Shapes::least_sweep_items && n < Shapes::most_sweep_items && buckets >= Shapes::least_sweep_buckets;
  return sweeps ? multisplit_way::sweep : multisplit_way::counts;
}

struct multisplit_scratch {
  std::uint64_t* tile_offsets;  // [bucket][tile], and the total; first the counts
  std::size_t entries;
  std::span<std::byte> scan;

  multisplit_scratch(scratch_carver& carver, std::uint64_t tiles, unsigned buckets)
      : tile_offsets(carver.take<std::uint64_t>(tiles * buckets + 1)), entries(tiles * buckets + 1) {
    const std::size_t bytes = scan_bytes<std::uint64_t>(entries);
    scan = {carver.take<std::byte>(bytes), bytes};
  }
};

inline bucket_sweep_state carve_bucket_sweep(scratch_carver& carver, std::uint64_t tiles) {
  bucket_sweep_state made{};
  made.begins = carver.take<std::uint64_t>(most_buckets);
  made.frequent = carver.take<std::uint32_t>(3);
  made.finished_blocks = made.frequent + 1;
  made.ticket = made.frequent + 2;
  made.states = carver.take<digit_state::word>(tiles * most_buckets);
  return made;
}

template <class Shapes>
std::size_t bytes_of_counts(std::uint64_t n, unsigned buckets) {
  scratch_carver measure;
  multisplit_scratch(measure, ceil_div(n, Shapes::tile::items), buckets);
  return measure.bytes();
}
template <class Shapes>
std::size_t bytes_of_sweep(std::uint64_t n) {
  scratch_carver measure;
  carve_bucket_sweep(measure, ceil_div(n, Shapes::sweep::items));
  return measure.bytes();
}
// In the shapes for one GPU.
template <class Shapes>
std::size_t multisplit_bytes_in(std::uint64_t n, unsigned buckets) {
  switch (multisplit_way_of<Shapes>(n, buckets)) {
    case multisplit_way::counts:
      return bytes_of_counts<Shapes>(n, buckets);
    case multisplit_way::sweep:  // fewer items never take more
      return larger(bytes_of_sweep<Shapes>(n), bytes_of_counts<Shapes>(Shapes::least_sweep_items, buckets));
    default:
      return 0;
  }
}
// Enough for every GPU.
template <class Shapes>
std::size_t multisplit_bytes(std::uint64_t n, unsigned buckets) {
  return most_of_shapes<Shapes>(
      [&]<class Own>(std::type_identity<Own>) { return multisplit_bytes_in<Own>(n, buckets); });
}

// One multisplit, in the shapes for one GPU. The caller has checked all arguments except the size
// of the scratch.
template <class Shapes, class Columns, class Buckets>
struct multisplit_run {
  static_assert(Columns::largest_item <= 128, "items of more than 128 bytes: split their positions, then gather");
  using source = decltype(Columns::first.source);
  const exec& where;
  const length& n;
  const Columns& columns;
  const Buckets& bucket_of;
  unsigned buckets;
  const device_count& offsets;
  const char* function;

  void launch() const {
    switch (multisplit_way_of<Shapes>(n.capacity, buckets)) {
      case multisplit_way::none:
        return clear_counts(where.stream(), offsets, std::uint64_t{buckets} + 1);
      case multisplit_way::one_block:
        return n.capacity <= Shapes::few::items ? launch_one_block<typename Shapes::few>()
                                                : launch_one_block<typename Shapes::more>();
      case multisplit_way::counts:
        return launch_by_counts();
      case multisplit_way::sweep:
        return launch_sweep();
    }
  }
  template <class shape>
  void launch_one_block() const {
    using storage = one_block_storage<Columns, shape>;
    static_assert(sizeof(storage) <= simt::least_shared_bytes_limit);
    simt::launch(one_block_multisplit_kernel<Columns, shape, Buckets>,
                 simt::launch_config{dim3(1), dim3(shape::threads), sizeof(storage), where.stream()}, n, columns,
                 bucket_of, buckets, bucket_bits(buckets), offsets);
  }
  void launch_by_counts() const {
    using shape = typename Shapes::tile;
    const stream_t stream = where.stream();
    const std::uint32_t tiles = tile_count(n.capacity, shape::items, function);
    const scratch_lease lease(where, multisplit_bytes_in<Shapes>(n.capacity, buckets), function);
    scratch_carver carver(lease.base());
    const multisplit_scratch scratch(carver, tiles, buckets);
    simt::launch(bucket_count_kernel<source, shape, Buckets>,
                 simt::launch_config{dim3(tiles), dim3(shape::threads), sizeof(bucket_count_storage), stream},
                 columns.first.source, n, bucket_of, buckets, scratch.tile_offsets);
    const std::span<std::uint64_t> counts(scratch.tile_offsets, scratch.entries);
    exclusive_scan(exec(stream, scratch.scan), counts, counts);
    simt::launch_config config{dim3(tiles), dim3(shape::threads), sizeof(multisplit_storage<Columns, shape>), stream};
    config.overlaps_previous_launch = overlaps_scan(tiles);
    simt::launch(multisplit_kernel<Columns, shape, Buckets>, config, n, columns, bucket_of, buckets,
                 bucket_bits(buckets), scratch.tile_offsets, offsets);
  }
  void launch_sweep() const {
    using shape = typename Shapes::sweep;
    using storage = bucket_sweep_storage<Columns, shape>;
    static_assert(sizeof(storage) <= simt::least_shared_bytes_limit);
    constexpr int threads_to_count = 512;
    const stream_t stream = where.stream();
    const std::uint32_t tiles = tile_count(n.capacity, shape::items, function);
    const scratch_lease lease(where, multisplit_bytes_in<Shapes>(n.capacity, buckets), function);
    scratch_carver carver(lease.base());
    const bucket_sweep_state sweep = carve_bucket_sweep(carver, tiles);
    simt::fill_bytes(stream, lease.base(), 0, bytes_of_sweep<Shapes>(n.capacity));
    const std::uint64_t blocks = smaller(std::uint64_t{tiles}, blocks_per_multiprocessor<4>::most());
    simt::launch(bucket_totals_kernel<source, threads_to_count, Buckets>,
                 simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(threads_to_count),
                                     sizeof(bucket_totals_storage<threads_to_count>), stream},
                 columns.first.source, n, bucket_of, buckets, sweep, offsets);
    simt::launch(bucket_sweep_kernel<Columns, shape, Buckets>,
                 simt::launch_config{dim3(tiles), dim3(shape::threads), sizeof(storage), stream, true}, n, columns,
                 bucket_of, buckets, sweep);
  }
};

// Shapes: multisplit_shape; tests have others. They may be by architecture.
template <class Shapes, class Columns, class Buckets>
void launch_multisplit(const exec& where, const length& n, const Columns& columns, const Buckets& bucket_of,
                       unsigned buckets, const device_count& offsets, const char* function) {
  if constexpr (!is_for_every_gpu<Shapes>) {
    with_shape_of_gpu<Shapes>([&]<class Own>(std::type_identity<Own>) {
      launch_multisplit<Own>(where, n, columns, bucket_of, buckets, offsets, function);
    });
  } else {
    multisplit_run<Shapes, Columns, Buckets>{where, n, columns, bucket_of, buckets, offsets, function}.launch();
  }
}

}  // namespace ballot::detail
