// SPDX-License-Identifier: Apache-2.0
// Reductions of short rows of one length that is no multiple of a vector's. A block brings its rows
// to shared memory, in vectors where the address allows. Each thread reduces some of them there,
// item after item.
//
//     rows of 5   memory  | v v v v | v v v v | ...    loaded: neighbouring lanes, neighbouring
//                                                      vectors
//                 shared  a a a a a b b b b b ...      reduced: lane 0 a, lane 1 b, lane 2 c
//
// Threads that read their own rows from memory would read items that are far apart. In shared
// memory rows of odd length have no bank in common.
//
// Items of a view are computed as they are put there, neighbouring items by neighbouring lanes.
//
// Shared memory: the block's rows. Barriers: one.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_reduce/rows_kernel.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <type_traits>

namespace ballot::detail {

inline constexpr unsigned staged_rows_threads = 256;
inline constexpr std::uint64_t most_staged_row_bytes = 128;  // more lanes than one have a longer row
inline constexpr std::uint64_t row_bytes_for_two = 24;       // rows a thread; else one
template <class Item>
inline constexpr bool can_stage_rows = 16 % sizeof(Item) == 0;

// The block's rows begin here.
struct staged_rows_storage {
  alignas(16) unsigned char byte[16];
};

// Rows: of a thread. a.aligned: to 16 bytes; of a view not used.
template <class Values, unsigned Rows, class In, class Op, class Out = typename Values::value_type*>
__global__ void __launch_bounds__(staged_rows_threads)
    reduce_staged_rows_kernel(row_arguments<In, Op, typename Values::value_type, Out> a) {
  using T = typename Values::value_type;
  using Item = item_of_source<In>;
  constexpr unsigned items_of_vector = 16 / sizeof(Item), rows = staged_rows_threads * Rows;
  Item* const staged = reinterpret_cast<Item*>(simt::shared_storage<staged_rows_storage>().byte);
  const unsigned thread = simt::thread_rank(), row_items = static_cast<unsigned>(a.row_items);
  const std::uint64_t n = a.length.get(), first_row = std::uint64_t{blockIdx.x} * rows, begin = first_row * row_items;
  if (begin >= n) return;
  const auto items = static_cast<unsigned>(smaller(n - begin, std::uint64_t{rows} * row_items));
  if constexpr (std::is_pointer_v<In>) {
    const Item* const from = a.in + begin;
    const unsigned vectors = a.aligned ? items / items_of_vector : 0;
    for (unsigned v = thread; v < vectors; v += staged_rows_threads)
      simt::copy_async<16>(staged + v * items_of_vector, from + v * items_of_vector);
#pragma unroll 4
    for (unsigned i = vectors * items_of_vector + thread; i < items; i += staged_rows_threads) staged[i] = from[i];
    simt::wait_for_copies();
  } else {
#pragma unroll 4
    for (unsigned i = thread; i < items; i += staged_rows_threads) staged[i] = static_cast<Item>(a.in[begin + i]);
  }
  simt::sync_block();
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    const unsigned row = thread + r * staged_rows_threads, at = row * row_items;
    if (at >= items) break;
    const unsigned end = items - at < row_items ? items : at + row_items;
    T sum = Values::one(staged[at], begin + at);
#pragma unroll 4
    for (unsigned i = at + 1; i < end; ++i) sum = a.op(sum, Values::one(staged[i], begin + i));
    store_at(a.out, first_row + row, static_cast<T>(a.op(a.initial, sum)));
  }
}

}  // namespace ballot::detail
