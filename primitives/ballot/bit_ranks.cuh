// SPDX-License-Identifier: Apache-2.0
// Binary prefix sums of packed bits: the number of set bits before each bit, or before each word.
//
//     ballot::bit_ranks(gpu, ballot::bit_flags{mask}, n, ranks);  // set bits before bit i
//     // A rank directory: 32 times smaller.
//     ballot::word_ranks(gpu, ballot::bit_flags{mask}, n, directory, count);
//
// With the directory, the rank of bit i takes one load from the directory and one load from the
// mask: directory[i / 32] + popcount(mask[i / 32] & ((1 << i % 32) - 1)).
//
// bits      bit_flags, at least n: bit i is bit i % 32 of word i / 32. Bits past n are ignored. If
//           they are inverted, clear bits are counted.
// out       device range of integers of 4 or 8 bytes, signed or not: n items (bit_ranks) or ceil(n
//           / 32) (word_ranks). It may have one more item, which receives the total. Integers of 4
//           bytes wrap at 2^32 set bits.
// total     device_count: address (or device_value) of one integer of 4 or 8 bytes that receives
//           the number of set bits; optional. It must be able to hold n. Also written if n = 0.
// aliasing  bits, out, total and the scratch must not overlap.
//
// Deterministic.
//
// Scratch: bit_ranks_scratch_bytes(n), 8 bytes per 8192 bits. word_ranks_scratch_bytes(n): that of
// a scan of the words with sums of 8 bytes.
//
// Work on the stream: one kernel for one tile, and for up to 16 from sm_90 on. Else two, of which
// the second begins while the first ends. For up to 128 tiles the first reads the bits, for more it
// clears the tile states. If n = 0, fills of the outputs.
//
// word_ranks is an exclusive scan of a view (scan.cuh), and has its launches. If a total is wanted,
// a kernel of one thread follows. It is left out if n is a multiple of 32 and the total has the
// size of a rank. If the total has 8 bytes and ranks have 4, there is one more reduction from 2^32
// bits on.
//
// Bytes moved: the bits are read once, or twice for up to 128 tiles; the ranks are written once.
//
// Errors, before any work: invalid_argument for too few bits, null, an output of another length,
// overlap, a total whose type cannot hold n, or too little scratch. cuda_error from the launch.
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
#include <ballot/device/detail/packed_bits.cuh>
#include <ballot/device/detail/reduce_launch.cuh>
#include <ballot/device/detail/scan_launch.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <concepts>
#include <limits>

namespace ballot {
namespace detail {

// The tile shape by the type of the ranks: one word per lane. H200, 2026-11-20, ranks of u32, 2^28:
// 0.90 of the copy speed. Other shapes have not been compared, nor have other architectures than
// sm_90.
template <class T, int Threads = 256>
using bit_ranks_shape = block::tile_shape<Threads, 32 / block::vector_width<T>(), block::vector_width<T>()>;

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

// The demands of both kinds of ranks. items: how many ranks there are, of n bits.
template <class T>
void require_ranks(const bit_flags& bits, std::uint64_t n, const output<T>& out, const device_count& total,
                   std::uint64_t items, const char* function) {
  static_assert(std::unsigned_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8), "ranks have 32 or 64 bits");
  const argument to = argument_of("out", out);
  require_flags(function, "bits", bits, n);
  require_not_null(function, {to});
  if (out.size != items && out.size != items + 1)
    fail(function,
         joined({"`out` has ", decimal(out.size), " items, not ", decimal(items), " or one more, for the total"}));
  if (total.address() != nullptr) require_count(function, "total", total, n);
  require_apart(function, {to, argument_of("total", total)}, {argument_of("bits", bits)});
}
// Writes the totals of no bits.
template <class T>
void clear_totals(stream_t stream, const output<T>& out, const device_count& total) {
  if (out.size != 0) simt::fill_bytes(stream, out.data, 0, sizeof(T));
  simt::fill_bytes(stream, total.address(), 0, argument_of("total", total).bytes);
}

// Only tests choose other Threads or another `few`. Up to `few` tiles run as one cluster, or in two
// launches that read the bits.
template <class T, int Threads = 256>
void bit_ranks(const exec& where, const bit_flags& bits, std::uint64_t n, const output<T>& out,
               const device_count& total, const char* function, std::uint32_t few = few_tiles) {
  using shape = bit_ranks_shape<T, Threads>;
  require_ranks(bits, n, out, total, n, function);
  const std::uint32_t tiles = tile_count(n, shape::items, function);
  if (tiles == 0) return clear_totals(where.stream(), out, total);
  const std::size_t bytes = ranks_bytes(n, shape::items);
  const scratch_lease lease(where, bytes, function,
                            {argument_of("bits", bits), argument_of("out", out), argument_of("total", total)});
  scratch_carver carver(lease.base());
  ranks_scratch scratch(carver, tiles);
  constexpr auto kernel = device::bit_ranks_kernel<T, shape>;
  simt::launch_config config{dim3(tiles), dim3(shape::threads), sizeof(device::rank_storage<shape::threads>),
                             where.stream()};
  const auto launch = [&](device::tile_exchange exchange) {
    simt::launch(kernel, config, device::packed_bits{bits.words.data(), n, bits.invert},
                 device::rank_output<T>{out.data, out.size > n, total},
                 block::is_vector_aligned<T, shape::width>(out.data), scratch.states, scratch.ticket, exchange);
  };
  if (tiles > few) {
    launch_clear(where.stream(), lease.base(), bytes);
    config.overlaps_previous_launch = true;
    return launch(device::tile_exchange::look_back);
  }
  scratch.ticket = nullptr;
  if (tiles == 1) {  // it looks back at none
    scratch.states = nullptr;
    return launch(device::tile_exchange::look_back);
  }
  if (tiles <= simt::most_cluster_blocks && tiles <= simt::largest_cluster(kernel, config)) {
    config.is_cluster = true;
    return launch(device::tile_exchange::in_cluster);
  }
  launch(device::tile_exchange::publish_only);
  config.overlaps_previous_launch = true;
  launch(device::tile_exchange::look_back_only);
}

// Ranks of words are sums of a view. The scratch has a sum for the total, and what the scan or the
// reduction needs.
struct word_ranks_scratch {
  std::uint64_t* sum;
  std::size_t pass_bytes;
  std::byte* pass;

  word_ranks_scratch(scratch_carver& carver, std::uint64_t words)
      : sum(carver.take<std::uint64_t>(1)),
        pass_bytes(
            bytes_at_any_address(larger(larger(scan_bytes<std::uint32_t>(words), scan_bytes<std::uint64_t>(words)),
                                        reduce_scratch_bytes_of<std::uint64_t>(smallest_reduce_shape::blocks(words))))),
        pass(carver.take<std::byte>(pass_bytes)) {}
  static std::size_t bytes(std::uint64_t words) {
    if (words == 0) return 0;
    scratch_carver measure;
    word_ranks_scratch(measure, words);
    return measure.bytes();
  }
};

// most_narrow: the most bits for which a sum of type T holds the total. Only tests choose another
// number.
template <class T>
void word_ranks(const exec& where, const bit_flags& bits, std::uint64_t n, const output<T>& out,
                const device_count& total, const char* function,
                std::uint64_t most_narrow = std::numeric_limits<T>::max()) {
  const std::uint64_t words = ceil_div(n, 32);
  require_ranks(bits, n, out, total, words, function);
  if (words == 0) return clear_totals(where.stream(), out, total);
  const scratch_lease lease(where, word_ranks_scratch::bytes(words), function,
                            {argument_of("bits", bits), argument_of("out", out), argument_of("total", total)});
  scratch_carver carver(lease.base());
  const word_ranks_scratch scratch(carver, words);
  const exec pass(where.stream(), scratch.pass, scratch.pass_bytes);
  const device::packed_bits in{bits.words.data(), n, bits.invert};
  const device::counts_of_words counts(in);
  scan_call<T, device::input_of_view<device::counts_of_words>, plus> call{.in = device::make_input_of_view(counts),
                                                                          .length = {words},
                                                                          .out = {out.data, words},
                                                                          .initial = T{},
                                                                          .op = plus{},
                                                                          .options = {},
                                                                          .function = function,
                                                                          .in_name = "bits"};
  const bool appends = out.size > words, has_total = total.address() != nullptr;
  const auto scan = [&] { launch_scan<device::scan_kind::exclusive>(pass, call); };
  const auto store_totals = [&]<class Sum>(const Sum* sum) {
    simt::launch(device::store_totals_kernel<Sum, T>,
                 simt::launch_config{
                     .grid = dim3(1), .block = dim3(1), .stream = where.stream(), .overlaps_previous_launch = true},
                 in, sum, device::rank_output<T>{out.data, appends, total});
  };
  if (!appends && !has_total) return scan();
  if (n % 32 == 0 && (!has_total || total.type().bytes() == sizeof(T))) {  // the scan's total is the ranks'
    call.out.size = out.size;
    call.appends_total = appends;
    call.options.total = static_cast<T*>(total.address());
    return scan();
  }
  auto* const sum = reinterpret_cast<T*>(scratch.sum);
  if (n <= most_narrow || sizeof(T) == sizeof(std::uint64_t)) {
    call.options.total = sum;
    scan();
    return store_totals(static_cast<const T*>(sum));
  }
  scan();
  launch_reduce<device::items_as<std::uint64_t>>(pass, view_input{counts, {words}}, scratch.sum, std::uint64_t{0},
                                                 plus{}, function);
  store_totals(static_cast<const std::uint64_t*>(scratch.sum));
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
  return detail::bytes_at_any_address(detail::word_ranks_scratch::bytes(detail::ceil_div(n, 32)));
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
