// SPDX-License-Identifier: Apache-2.0
// The checks and launches of searches and of is_sorted. Sorted, In: input<...> or view_input<...>.
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/comparison.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/search/kernels.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// From this number of keys and of items on, the search takes a sample first. H200, 2026-11-23, u32,
// n keys in n items, time of Thrust by that of a sample, and by that without:
//
//     1,000,003     at random 1.17 and 1.06, in order 1.01 and 1.90
//     50,000,017    at random 1.18 and 1.08, in order 1.27 and 2.69
//     2^28          at random 1.09 and 0.95
//     65,537        one key a thread 1.32, four 1.10
inline constexpr std::uint64_t least_sampled = std::uint64_t{1} << 18;
// From this number of keys on, and up to this number of items, a thread searches for two keys at a
// time, else for one. H100, 2026-11-25, Thrust's time by that of one and of two, at random in a
// graph: 300,007 keys 1.16 and 0.88, 1,000,003 keys 1.13 and 1.08.
inline constexpr std::uint64_t least_for_two_keys = std::uint64_t{1} << 19, most_for_two_keys = std::uint64_t{1} << 24;
inline constexpr std::uint64_t few_searched = std::uint64_t{1} << 18;  // a key a thread
inline constexpr std::uint64_t keys_for_sampled_item = 128;            // each block takes the sample

// A block goes over its keys in rounds, in each of which a thread has some keys. If the keys fill
// only a few rounds, some blocks would have one round more than others. So the blocks have only as
// many threads as are enough for that number of rounds.
struct sampled_search_grid {
  unsigned blocks, threads;

  // n keys, most_blocks of all that run at once.
  sampled_search_grid(std::uint64_t n, unsigned keys_of_thread, std::uint64_t most_blocks) {
    constexpr std::uint64_t most_threads = sampled_search_threads, least_threads = 256, warp = simt::warp_size;
    const auto of_block = [&](std::uint64_t b) { return ceil_div(ceil_div(n, b), keys_of_thread); };
    const std::uint64_t few = larger(1, smaller(most_blocks, n / (least_threads * keys_of_thread)));
    const std::uint64_t rounds = ceil_div(of_block(few), most_threads);
    threads = static_cast<unsigned>(ceil_div(ceil_div(of_block(few), rounds), warp) * warp);
    blocks = static_cast<unsigned>(smaller(few, ceil_div(n, std::uint64_t{threads} * keys_of_thread)));
  }
};

// To: where positions are stored (kernels.cuh). Each block's sample has up to `most` items.
template <bool Upper, int KeysOf, class Index, class Sorted, class Keys, class Before, class To>
void launch_sampled_search(stream_t stream, const Sorted& sorted, const Keys& keys, const Before& before,
                           const To& positions, unsigned most) {
  using T = typename Sorted::value_type;
  const sampled_search_grid grid(keys.n.capacity, KeysOf, std::uint64_t{2} * simt::multiprocessors());
  simt::launch(sampled_search_kernel<Upper, KeysOf, Index, T, source_of_input_t<Sorted>, Keys, Before, To>,
               simt::launch_config{dim3(grid.blocks), dim3(grid.threads),
                                   larger(sizeof(search_storage), most * sizeof(T)), stream},
               source_of_input(sorted), sorted.length, keys, before, positions, most);
}

template <bool Upper, class Index, class Sorted, class Keys, class Before, class To>
void launch_search(stream_t stream, const Sorted& sorted, const Keys& keys, const Before& before, const To& positions,
                   const char* function) {
  using T = typename Sorted::value_type;
  const std::uint64_t n = keys.n.capacity;
  if constexpr (sizeof(T) <= 16) {
    if (n >= least_sampled && sorted.capacity() >= least_sampled) {
      unsigned most = 1;
      while (2 * most * sizeof(T) <= search_sample_bytes && 2 * most * keys_for_sampled_item <= n) most *= 2;
      if (n < least_for_two_keys || sorted.capacity() > most_for_two_keys)
        return launch_sampled_search<Upper, 1, Index>(stream, sorted, keys, before, positions, most);
      return launch_sampled_search<Upper, 2, Index>(stream, sorted, keys, before, positions, most);
    }
  }
  const auto launch = [&](const auto kernel, unsigned each) {
    simt::launch(kernel,
                 simt::launch_config{dim3(tile_count(n, elementwise_threads * each, function)),
                                     dim3(elementwise_threads), 0, stream},
                 source_of_input(sorted), sorted.length, keys, before, positions);
  };
  if (n <= few_searched) launch(search_kernel<Upper, 1, Index, T, source_of_input_t<Sorted>, Keys, Before, To>, 1);
  else launch(search_kernel<Upper, 4, Index, T, source_of_input_t<Sorted>, Keys, Before, To>, 4);
}

// Indices have 32 bits if that is enough.
template <bool Upper, class Sorted, class Keys, class Before, class To>
void launch_search_of_any(stream_t stream, const Sorted& sorted, const Keys& keys, const Before& before,
                          const To& positions, const char* function) {
  if (sorted.capacity() <= ~std::uint32_t{0})
    launch_search<Upper, std::uint32_t>(stream, sorted, keys, before, positions, function);
  else launch_search<Upper, std::uint64_t>(stream, sorted, keys, before, positions, function);
}

// Positions that the items' type cannot hold have a place in the order of keys, but no comparison
// can be called with them.
template <class T, class Keys, class Before>
void require_positions_of_type(const Keys&, const Before&, const char*) {}
template <class T, class Index, class Before>
  requires(!std::same_as<Before, key_before<T>>)
void require_positions_of_type(const position_input<Index>& keys, const Before&, const char* function) {
  const auto most = static_cast<std::uint64_t>(largest_integer<T>());
  if (keys.capacity() != 0 && keys.capacity() - 1 > most)
    fail(function, joined({"`keys` are positions to ", decimal(keys.capacity() - 1),
                           ", and the items of `sorted`, which are compared with them, hold ", decimal(most)}));
}

// Out: output<Position> or view_output<...>.
template <bool Upper, class Sorted, class Keys, class Before, class Out>
void run_search(const exec& where, const Sorted& sorted, const Keys& keys, const Before& before, const Out& positions,
                const char* function) {
  const std::uint64_t n = keys.capacity();
  if (!is_view_output<Out> || positions.size < n)  // an output view may have more room
    require_same_length(function, "keys", n, "positions", positions.size);
  require_counts_fit(function, "positions", count_type::of<typename Out::value_type>(), sorted.capacity());
  require_items_of_view(function, "sorted", sorted);
  require_columns(function, "keys", std::tuple(keys));
  require_positions_of_type<typename Sorted::value_type>(keys, before, function);
  require_arguments(
      function, where, 0, {arguments_of("positions", positions)},
      {arguments_of("sorted", sorted), arguments_of("keys", keys), argument_of("sorted.length", sorted.length),
       argument_of("keys.length", keys.length), lengths_of("positions.offset", positions)});
  if (n == 0) return;
  launch_search_of_any<Upper>(where.stream(), sorted, as_searched(keys), before, as_stored(positions), function);
}

inline std::size_t sorted_bytes() {
  scratch_carver measure;
  measure.take<sorted_state>(1);
  return measure.bytes();
}

template <bool Whether, class In, class Before>
void run_sorted(const exec& where, const In& in, const Before& before, const device_count& result,
                const char* function) {
  require_items_of_view(function, "in", in);
  require_count(function, "result", result, Whether ? 1 : in.capacity());
  require_arguments(function, where, sorted_bytes(), {argument_of("result", result)},
                    {arguments_of("in", in), argument_of("in.length", in.length)});
  const scratch_lease lease(where, sorted_bytes(), function);
  scratch_carver carver(lease.base());
  sorted_state* const state = carver.take<sorted_state>(1);
  simt::fill_bytes(where.stream(), state, 0, sizeof(sorted_state));
  const std::uint64_t blocks =
      larger(smaller(ceil_div(in.capacity(), sorted_tile), std::uint64_t{4} * simt::multiprocessors()), 1);
  simt::launch(
      sorted_kernel<Whether, typename In::value_type, source_of_input_t<In>, Before>,
      simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(sorted_threads), sizeof(bool), where.stream()},
      source_of_input(in), in.length, before, state, result);
}

}  // namespace ballot::detail
