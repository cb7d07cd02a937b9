// SPDX-License-Identifier: Apache-2.0
// Binary prefix sums of packed bits: the number of set bits before each bit, or before each word.
//
//     ballot::bit_ranks(gpu, ballot::bit_flags{mask}, n, ranks);  // set bits before bit i
//     // A rank directory: 32 times smaller.
//     ballot::word_ranks(gpu, ballot::bit_flags{mask}, n, directory, count);
//
// With the directory a rank takes one load: directory[i / 32] + popcount(mask[i / 32] & ((1 << i %
// 32) - 1)).
//
// bits      bit_flags, at least n: bit i is bit i % 32 of word i / 32. Bits past n are ignored.
//           Inverted: clear bits count.
// out       device range of integers of 4 or 8 bytes, signed or not: n items (bit_ranks) or ceil(n
//           / 32) (word_ranks), or one more, which receives the total. 32 bits wrap at 2^32 set
//           bits.
// total     device_count: address (or device_value) of one integer of 4 or 8 bytes that receives
//           the number of set bits; optional. It must be able to hold n. Also written if n = 0.
// aliasing  bits, out, total and the scratch may not overlap.
//
// Deterministic.
//
// Scratch: bit_ranks_scratch_bytes(n), 8 bytes per 8192 bits. word_ranks_scratch_bytes(n), 8 bytes
// per 4096 words.
//
// Work on the stream: one kernel for one tile, and for up to 16 from sm_90 on. Else two, of which
// the second begins while the first ends. For up to 128 tiles the first reads the bits, for more it
// clears the tile states. If n = 0, fills of the outputs.
//
// Bytes moved: the bits are read once, or twice; the ranks are written once.
//
// Errors, before any work: invalid_argument for too few bits, null, an output of another length,
// overlap, a total of too few bits, or too little scratch. cuda_error from the launch.
//
// Source: Harris and Garland, GPU Computing Gems Jade Edition, chapter 3.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/clear_words.cuh>
#include <ballot/device/detail/bit_ranks_kernel.cuh>
#include <ballot/device/detail/explain_scans.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <concepts>

namespace ballot {
namespace detail {

// Tile shapes by the type of the ranks: one word per lane, and 16 per lane. H200, 2026-11-20, ranks
// of u32, 2^28: 0.90 and 0.86 of the copy speed. Other shapes have not been compared, nor have
// other architectures than sm_90.
template <class T, int Threads = 256>
using bit_ranks_shape = block::tile_shape<Threads, 32 / block::vector_width<T>(), block::vector_width<T>()>;
template <class T, int Threads = 256>
using word_ranks_shape = block::tile_shape<Threads, 16 / block::vector_width<T>(), block::vector_width<T>()>;

struct ranks_scratch {
  std::uint32_t* ticket;
  device::count_state::word* states;

  ranks_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)), states(carver.take<device::count_state::word>(tiles)) {}
};

inline std::size_t ranks_bytes(std::uint64_t items, std::uint64_t tile_items) {
  if (items == 0) return 0;
  scratch_carver measure;
  ranks_scratch(measure, ceil_div(items, tile_items));
  return measure.bytes();
}

// How the tiles of ranks are launched.
struct rank_launch {
  std::uint64_t tile_items;
  int threads;
  std::size_t shared_bytes;
  std::uint32_t few;  // up to so many tiles in one cluster or two launches
};

// Checks, zeroes the scratch of many tiles and calls launch(config, scratch, exchange), once or
// twice, for `items` ranks of n bits; if n = 0, writes the totals. It launches `kernel`.
template <class T, class Kernel, class Launch>
void rank_tiles(const exec& where, const bit_flags& bits, std::uint64_t n, const output<T>& out,
                const device_count& total, std::uint64_t items, const char* function, const rank_launch& of,
                Kernel kernel, Launch&& launch) {
  static_assert(std::unsigned_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8), "ranks have 32 or 64 bits");
  const argument in = argument_of("bits", bits), to = argument_of("out", out), count = argument_of("total", total);
  require_flags(function, "bits", bits, n);
  require_not_null(function, {to});
  if (out.size != items && out.size != items + 1)
    fail(function,
         joined({"`out` has ", decimal(out.size), " items, not ", decimal(items), " or one more, for the total"}));
  if (total.address() != nullptr) require_count(function, "total", total, n);
  require_apart(function, {to, count}, {in});
  const std::uint32_t tiles = tile_count(items, of.tile_items, function);
  if (tiles == 0) {
    if (out.size != 0) simt::fill_bytes(where.stream(), out.data, 0, sizeof(T));
    simt::fill_bytes(where.stream(), total.address(), 0, count.bytes);
    return;
  }
  const std::size_t bytes = ranks_bytes(items, of.tile_items);
  const scratch_lease lease(where, bytes, function, {in, to, count});
  scratch_carver carver(lease.base());
  ranks_scratch scratch(carver, tiles);
  simt::launch_config config{dim3(tiles), dim3(of.threads), of.shared_bytes, where.stream()};
  if (tiles > of.few) {
    launch_clear(where.stream(), lease.base(), bytes);
    config.overlaps_previous_launch = true;
    return launch(config, scratch, device::tile_exchange::look_back);
  }
  scratch.ticket = nullptr;
  if (tiles == 1) {  // it looks back at none
    scratch.states = nullptr;
    return launch(config, scratch, device::tile_exchange::look_back);
  }
  if (tiles <= simt::most_cluster_blocks && tiles <= simt::largest_cluster(kernel, config)) {
    config.is_cluster = true;
    return launch(config, scratch, device::tile_exchange::in_cluster);
  }
  launch(config, scratch, device::tile_exchange::publish_only);
  config.overlaps_previous_launch = true;
  launch(config, scratch, device::tile_exchange::look_back_only);
}

// Threads, few: only tests choose other numbers.
template <class T, int Threads = 256>
void bit_ranks(const exec& where, const bit_flags& bits, std::uint64_t n, const output<T>& out,
               const device_count& total, const char* function, std::uint32_t few = few_tiles) {
  using shape = bit_ranks_shape<T, Threads>;
  constexpr auto kernel = device::bit_ranks_kernel<T, shape>;
  rank_tiles(where, bits, n, out, total, n, function,
             {shape::items, shape::threads, sizeof(device::rank_storage<shape::threads>), few}, kernel,
             [&](const simt::launch_config& config, const ranks_scratch& scratch, device::tile_exchange exchange) {
               simt::launch(kernel, config, device::packed_bits{bits.words.data(), n, bits.invert},
                            device::rank_output<T>{out.data, out.size > n, total},
                            block::is_vector_aligned<T, shape::width>(out.data), scratch.states, scratch.ticket,
                            exchange);
             });
}

template <class T, int Threads = 256>
void word_ranks(const exec& where, const bit_flags& bits, std::uint64_t n, const output<T>& out,
                const device_count& total, const char* function, std::uint32_t few = few_tiles) {
  using shape = word_ranks_shape<T, Threads>;
  const std::uint64_t words = ceil_div(n, 32);
  constexpr auto kernel = device::word_ranks_kernel<T, shape>;
  rank_tiles(where, bits, n, out, total, words, function,
             {shape::items, shape::threads, sizeof(device::rank_storage<shape::threads>), few}, kernel,
             [&](const simt::launch_config& config, const ranks_scratch& scratch, device::tile_exchange exchange) {
               simt::launch(kernel, config, device::packed_bits{bits.words.data(), n, bits.invert},
                            device::rank_output<T>{out.data, out.size > words, total},
                            block::is_vector_aligned<std::uint32_t, shape::width>(bits.words.data()),
                            block::is_vector_aligned<T, shape::width>(out.data), scratch.states, scratch.ticket,
                            exchange);
             });
}

// Signed ranks are counted as unsigned ones: the same kernel.
template <class T>
auto as_ranks(const output<T>& out) {
  using unsigned_rank = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return output<unsigned_rank>{reinterpret_cast<unsigned_rank*>(out.data), out.size};
}

}  // namespace detail

// Bytes of scratch for n bits, at any address. Pure.
inline std::size_t bit_ranks_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(detail::ranks_bytes(n, detail::bit_ranks_shape<std::uint32_t>::items));
}
inline std::size_t word_ranks_scratch_bytes(std::uint64_t n) {
  return detail::bytes_at_any_address(
      detail::ranks_bytes(detail::ceil_div(n, 32), detail::word_ranks_shape<std::uint32_t>::items));
}

// out[i]: the number of set bits before bit i.
template <detail::wide_rank_range Out>
void bit_ranks(const exec& where, const bit_flags& bits, std::uint64_t n, Out&& out, const device_count& total = {}) {
  detail::bit_ranks(where, bits, n, detail::as_ranks(detail::as_output(out)), total, "bit_ranks");
}
template <class Out>
void bit_ranks(const exec&, const bit_flags&, std::uint64_t, Out&&, const device_count& = {}) {
  detail::explain<detail::wide_ranks_check<Out>>();
}

// out[w]: the number of set bits before word w.
template <detail::wide_rank_range Out>
void word_ranks(const exec& where, const bit_flags& bits, std::uint64_t n, Out&& out, const device_count& total = {}) {
  detail::word_ranks(where, bits, n, detail::as_ranks(detail::as_output(out)), total, "word_ranks");
}
template <class Out>
void word_ranks(const exec&, const bit_flags&, std::uint64_t, Out&&, const device_count& = {}) {
  detail::explain<detail::wide_ranks_check<Out>>();
}

}  // namespace ballot
