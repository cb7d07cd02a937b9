// SPDX-License-Identifier: Apache-2.0
// Large binary prefix sums, the first of the chapter's applications: how many flags are set before
// each.
//
//     survey::prefix_sums_with<survey::binary_ranks>(gpu, flags, sums);      // sums[i]: set flags before flags[i]
//
//     flags   1 0 1 1 | 0 1 0 0 | ...     a byte each, set where it is not 0
//     before  0       | 3       | ...     of each tile: counted and scanned (tile_counts.cuh)
//     sums    0 1 1 2 | 3 3 4 4 | ...     ranks in the tile, added to these
//
// flags     a device range of items of one byte; sums: as long, of unsigned integers; in 32 bits
//           they wrap where 2^32 are set. They do not overlap. Any n, also above 2^32.
// Ranks     binary_ranks or generic_ranks (flag_ranks.cuh). Shape: a tile's.
// Scratch: prefix_sums_with_scratch_bytes(n), dirty or not. Work on the stream: three kernels and a
// fill, nothing for n = 0. Flags are read twice, sums written once; linear. Deterministic.
// Errors (before any work): invalid_argument for null with n > 0, lengths that differ, overlap,
// scratch too small or misaligned; cuda_error from the launches.
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3, sections 3.2.2.3 and 3.3.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/survey/chapter/flag_ranks.cuh>
#include <ballot/survey/chapter/tile_counts.cuh>
#include <ballot/survey/scan_arguments.hpp>

#include <cstdint>
#include <type_traits>

namespace ballot::survey {

struct byte_is_set {
  __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};

// before[t]: set flags before tile t. One barrier.
template <class Ranks, class Shape, class Sum>
__global__ void __launch_bounds__(Shape::threads)
    prefix_sums_kernel(const std::uint8_t* flags, std::uint64_t n, bool whole_flags, const std::uint64_t* before,
                       Sum* sums, bool whole_sums) {
  using ranks = tile_ranks<Ranks, Shape>;
  using sum_tile = block::tile<Sum, Shape>;
  auto& shared = simt::shared_storage<typename ranks::storage>();
  typename block::tile<std::uint8_t, Shape>::items byte;
  tile_flags<Shape> flag;
  const unsigned valid = load_flagged<Shape>(flags, n, whole_flags, byte_is_set{}, byte, flag);
  tile_numbers<Shape> rank;
  ranks::of(shared, flag, rank);
  const auto tile_exclusive = static_cast<Sum>(before[blockIdx.x]);
  typename sum_tile::items sum;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c)
#pragma unroll
    for (int j = 0; j < Shape::width; ++j) sum[c][j] = static_cast<Sum>(tile_exclusive + rank[c][j]);
  sum_tile::store(sums + std::uint64_t{blockIdx.x} * Shape::items, valid, whole_sums, sum);
}

// Bytes of scratch for n flags. Pure.
template <class Shape = single_items>
std::size_t prefix_sums_with_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(tile_counts::bytes(detail::ceil_div(n, Shape::items)));
}

template <class Ranks, class Shape = single_items, device_range Flags, output_range Sums>
void prefix_sums_with(const exec& where, const Flags& flags, Sums&& sums) {
  constexpr const char* function = "survey::prefix_sums_with";
  const auto in = detail::as_input(flags);
  const auto out = detail::as_output(sums);
  using flag = detail::item_t<Flags>;
  using sum = typename decltype(out)::value_type;
  static_assert(sizeof(flag) == 1, "flags are bytes");
  static_assert(std::is_unsigned_v<sum> && !std::is_same_v<sum, bool>, "sums are unsigned integers");
  require_scan_arguments(function, in, out, may_be_in_place::no, "flags", "sums");
  const std::uint32_t tiles = detail::tile_count(out.size, Shape::items, function);
  if (tiles == 0) return;
  const detail::scratch_lease lease(where, tile_counts::bytes(tiles), function,
                                    {detail::argument_of("flags", in), detail::argument_of("sums", out)});
  detail::scratch_carver carver(lease.base());
  const tile_counts counts(carver, tiles);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(in.data);
  counts.launch<Ranks, Shape>(where.stream(), bytes, out.size, byte_is_set{}, {});
  using storage = typename tile_ranks<Ranks, Shape>::storage;
  simt::launch(prefix_sums_kernel<Ranks, Shape, sum>,
               simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(storage), where.stream()}, bytes, out.size,
               block::is_vector_aligned<std::uint8_t, Shape::width>(bytes), counts.before.data(), out.data,
               block::is_vector_aligned<sum, Shape::width>(out.data));
}

}  // namespace ballot::survey
