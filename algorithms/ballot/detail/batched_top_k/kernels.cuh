// SPDX-License-Identifier: Apache-2.0
// The k smallest keys of each row. How a row is read depends on its length:
//
// - A row that a warp or a block can hold in registers is read once (row_keys.cuh).
// - A longer row of up to 16384 keys, or one of which more than an eighth is selected: a block
//   reads it once for each digit of 11 bits. It reads it once more for the selected items, in order
//   (top_k/cut.cuh).
// - Any other row: the block takes a sample, whose cut bounds the selected items
//   (top_k/kernels.cuh). Then it reads the row once, stores these candidates in shared memory, in
//   order, and selects from them. If they are too few or too many, it selects from the row.
//
// Up to 256 selected items are sorted by their ranks. If there are more, a second kernel sorts
// those of each row, in place. A last kernel gathers values.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/batched_top_k/row_keys.cuh>
#include <ballot/detail/batched_top_k/short_row.cuh>
#include <ballot/detail/common/elementwise_kernels.cuh>
#include <ballot/detail/common/row_layout.cuh>
#include <ballot/detail/radix_sort/single_block_sort_launch.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Where rows begin and how long they are. By a layout, or by offsets.
struct keys_of_rows {
  std::uint64_t rows;
  length n;  // of all keys
  std::uint64_t width, pitch;
  row_lengths lengths;
  length offsets;                // how many there are
  const void* offset = nullptr;  // null: by the layout
  count_type offset_type = {};

  __device__ __forceinline__ std::uint64_t offset_of(std::uint64_t index) const {
    return offset_type.load(static_cast<const std::uint32_t*>(offset) + (offset_type.is_wide ? 2 : 1) * index);
  }
  // MayHaveOffsets: false where rows are known to be by a layout.
  template <bool MayHaveOffsets = true>
  __device__ __forceinline__ std::uint64_t begin(std::uint64_t row) const {
    if (!MayHaveOffsets || offset == nullptr) return row * pitch;
    return row + 1 < offsets.get() ? smaller(offset_of(row), n.get()) : 0;
  }
  template <bool MayHaveOffsets = true>
  __device__ __forceinline__ std::uint64_t items(std::uint64_t row) const {
    if (!MayHaveOffsets || offset == nullptr) return lengths.address == nullptr ? width : smaller(lengths[row], width);
    if (row + 1 >= offsets.get()) return 0;
    const std::uint64_t from = smaller(offset_of(row), n.get()), to = smaller(offset_of(row + 1), n.get());
    return from < to ? to - from : 0;
  }
};

template <class U, class Index>
struct batched_top_k_arguments {
  keys_of_rows rows;
  const U* keys;
  key_codec<U> codec;
  std::uint64_t k;
  U* keys_out;           // row r begins at r * k
  Index* positions_out;  // within the row; null: not wanted
  device_count counts;
  bool is_sorted = false;  // by the block that selects; k at most most_sorted_by_rank
};

inline constexpr std::uint64_t sampled_row_items = 16384;

template <class U, int Threads>
struct row_storage {
  union {
    struct {
      digit_search_storage<Threads> search;
      typename block::scan<std::uint32_t, Threads>::storage scan;
    };
    U selected[most_sorted_by_rank];
  };
};
// For rows that may be long enough for a sample.
template <class U, int Threads>
struct sampled_row_storage {
  static constexpr unsigned candidates = 8192;
  row_storage<U, Threads> row;
  U key[candidates];
  std::uint32_t position[candidates];
};

template <class U, int Threads>
struct unsampled_row_storage {
  row_storage<U, Threads> row;
};
template <class U, int Threads, bool Sampled>
using long_row_storage =
    std::conditional_t<Sampled, sampled_row_storage<U, Threads>, unsampled_row_storage<U, Threads>>;

// Calls put(to, i, key) for the items i < n that a cut selects, in order, until there are `most` of
// them. Returns how many selected items it has met. key_of(i): key i. All threads; ends with a
// barrier.
template <int Threads, class U, class Scan, class KeyOf, class Put>
__device__ __forceinline__ std::uint64_t store_in_order(Scan& scan, std::uint64_t n, std::uint64_t most,
                                                        const key_codec<U>& codec, const cut<U>& at,
                                                        const KeyOf& key_of, const Put& put) {
  constexpr unsigned each = 4;
  std::uint64_t before = 0;
#pragma unroll 1
  for (std::uint64_t base = 0; base < n && before < most; base += Threads * each) {
    U key[each]{};
    unsigned mine = 0;
    const std::uint64_t first = base + simt::thread_rank() * each;
#pragma unroll
    for (unsigned j = 0; j < each; ++j)
      if (first + j < n) key[j] = key_of(first + j);
#pragma unroll
    for (unsigned j = 0; j < each; ++j)
      if (first + j < n && at.selects(codec.encode(key[j]), first + j)) mine |= 1u << j;
    std::uint32_t total;
    std::uint64_t to = before + block::scan<std::uint32_t, Threads>::exclusive(
                                    scan, static_cast<std::uint32_t>(simt::popcount(mine)), 0u, total);
#pragma unroll
    for (unsigned j = 0; j < each; ++j)
      if ((mine >> j & 1u) != 0) put(to++, first + j, key[j]);
    before += total;
    simt::sync_block();  // the scan's memory is used again; what has been put is there
  }
  return before;
}

// Sorts the block's selected items of a row, which it has stored. At most most_sorted_by_rank. Ends
// with a barrier.
template <int Threads, class U, class Index>
__device__ __forceinline__ void sort_by_rank(U* codes, const key_codec<U>& codec, unsigned items, U* keys,
                                             Index* positions) {
  constexpr unsigned each = ceil_div(most_sorted_by_rank, Threads);
  U key[each]{}, code[each]{};
  Index position[each]{};
  simt::sync_block();  // they are there, and the memory is used again
#pragma unroll
  for (unsigned j = 0; j < each; ++j) {
    const unsigned i = j * Threads + simt::thread_rank();
    if (i >= items) continue;
    key[j] = keys[i];
    if (positions != nullptr) position[j] = positions[i];
    codes[i] = code[j] = codec.encode(key[j]);
  }
  simt::sync_block();
#pragma unroll
  for (unsigned j = 0; j < each; ++j) {
    const unsigned i = j * Threads + simt::thread_rank();
    if (i >= items) continue;
    unsigned rank = 0;  // equal ones stay in order
    for (unsigned other = 0; other < items; ++other)
      if (const U of_other = codes[other]; of_other < code[j] || (of_other == code[j] && other < i)) ++rank;
    keys[rank] = key[j];
    if (positions != nullptr) positions[rank] = position[j];
  }
  simt::sync_block();
}

// Selects from one row. Sampled: the row may be long enough for a sample. Calls put(to, position,
// key). All threads.
template <int Threads, bool Sampled, class Storage, class U, class Index, class Put>
__device__ __forceinline__ void select_of_row(Storage& shared, const batched_top_k_arguments<U, Index>& a,
                                              const U* keys, std::uint64_t n, const Put& put) {
  constexpr int code_bits = 8 * static_cast<int>(sizeof(U));
  const std::uint64_t wanted = smaller(a.k, n);
  const auto itself = [](std::uint64_t i) { return i; };
  const auto key_of = [&](std::uint64_t i) { return keys[i]; };
  const auto code_of = [&](std::uint64_t i) { return a.codec.encode(keys[i]); };
  const int position_bits = 64 - static_cast<int>(simt::leading_zeros(n | 1u));
  if constexpr (Sampled) {
    if (n > sampled_row_items && wanted <= n / 8 && n <= ~std::uint32_t{0} && wanted != 0) {
      const std::uint64_t rank = sample_rank(wanted, n, sample_of_block);
      const auto place = [&](std::uint64_t i) { return sampled_position(i, n, sample_of_block); };
      const cut<U> bound = select_in_block<Threads, U>(
          shared.row.search, {code_bits, position_bits}, sample_of_block, rank, sample_slack(rank),
          [&](std::uint64_t i) { return code_of(place(i)); }, place);
      const std::uint64_t candidates =
          store_in_order<Threads>(shared.row.scan, n, Storage::candidates + 1, a.codec, bound, key_of,
                                  [&](std::uint64_t to, std::uint64_t position, const U& key) {
                                    if (to >= Storage::candidates) return;
                                    shared.key[to] = key;
                                    shared.position[to] = static_cast<std::uint32_t>(position);
                                  });
      if (candidates >= wanted && candidates <= Storage::candidates) {
        const cut<U> found = select_in_block<Threads, U>(
            shared.row.search, {bits_of(bound.code), 14}, candidates, wanted, 0,
            [&](std::uint64_t i) { return a.codec.encode(shared.key[i]); }, itself);
        store_in_order<Threads>(
            shared.row.scan, candidates, wanted, a.codec, found, [&](std::uint64_t i) { return shared.key[i]; },
            [&](std::uint64_t to, std::uint64_t i, const U& key) { put(to, shared.position[i], key); });
        return;
      }
    }
  }
  const cut<U> found =
      select_in_block<Threads, U>(shared.row.search, {code_bits, position_bits}, n, wanted, 0, code_of, itself);
  store_in_order<Threads>(shared.row.scan, n, wanted, a.codec, found, key_of, put);
}

// Selects from one row of n items, by all threads. Ends with a barrier.
template <int Threads, bool Sampled, class Storage, class U, class Index>
__device__ __forceinline__ void select_row_in_block(Storage& shared, const batched_top_k_arguments<U, Index>& a,
                                                    std::uint64_t row, std::uint64_t n) {
  const std::uint64_t wanted = smaller(a.k, n), out = row * a.k;
  if (simt::thread_rank() == 0 && a.counts.address() != nullptr) a.counts.store(wanted, row);
  select_of_row<Threads, Sampled>(shared, a, a.keys + a.rows.begin(row), n,
                                  [&](std::uint64_t to, std::uint64_t position, const U& key) {
                                    a.keys_out[out + to] = key;
                                    if (a.positions_out != nullptr)
                                      a.positions_out[out + to] = static_cast<Index>(position);
                                  });
  if (a.is_sorted)
    sort_by_rank<Threads>(shared.row.selected, a.codec, static_cast<unsigned>(wanted), a.keys_out + out,
                          a.positions_out == nullptr ? nullptr : a.positions_out + out);
  else simt::sync_block();  // the memory is used again
}

template <int Threads, bool Sampled, class U, class Index>
__global__ void __launch_bounds__(Threads) batched_top_k_kernel(batched_top_k_arguments<U, Index> a) {
  auto& shared = simt::shared_storage<long_row_storage<U, Threads, Sampled>>();
#pragma unroll 1
  for (std::uint64_t row = blockIdx.x; row < a.rows.rows; row += gridDim.x)
    select_row_in_block<Threads, Sampled>(shared, a, row, a.rows.items(row));
}

// A row has one warp, or a block of several warps. Rows: of a block. Long: there may be rows that
// these warps cannot hold; all threads of a block select together from such a row.
template <int Warps, int Items, int Rows = Warps == 1 ? 8 : 1>
struct held_row_shape {
  static constexpr int warps = Warps, items = Items, rows = Rows;
  static constexpr bool is_short = Warps != several_warps && Items <= 8;  // short_row.cuh
  static constexpr int most_threads = (Warps == several_warps ? 16 : rows * Warps) * simt::warp_size;
};
// Blocks of a multiprocessor: 1024 threads, which every GPU from sm_75 on has room for.
template <class Shape>
inline constexpr int blocks_of_shape = 1024 / Shape::most_threads;

template <class U, class Shape, bool Long>
struct rows_storage {
  using of_row = std::conditional_t<Shape::is_short, short_row_storage<U, Shape::warps, Shape::items>,
                                    row_select_storage<U, Shape::warps>>;
  union {
    of_row held[Shape::rows];
    std::conditional_t<Long, row_storage<U, Shape::most_threads>, char> row;
  };
};

// Of short rows by a layout, whose kernel ends before many arguments are read: few of them, in the
// order in which they are needed.
struct rows_by_layout {
  std::uint64_t rows, width, pitch;
  row_lengths lengths;

  template <bool>
  __device__ __forceinline__ std::uint64_t begin(std::uint64_t row) const {
    return row * pitch;
  }
  template <bool>
  __device__ __forceinline__ std::uint64_t items(std::uint64_t row) const {
    return lengths.address == nullptr ? width : smaller(lengths[row], width);
  }
};
template <class U, class Index>
struct short_rows_arguments {
  rows_by_layout rows;
  const U* keys;
  std::uint32_t k;
  bool is_sorted;
  key_codec<U> codec;
  U* keys_out;
  Index* positions_out;
  device_count counts;

  explicit short_rows_arguments(const batched_top_k_arguments<U, Index>& a)
      : rows{a.rows.rows, a.rows.width, a.rows.pitch, a.rows.lengths},
        keys(a.keys),
        k(static_cast<std::uint32_t>(a.k)),
        is_sorted(a.is_sorted),
        codec(a.codec),
        keys_out(a.keys_out),
        positions_out(a.positions_out),
        counts(a.counts) {}
};
template <class U, class Index, class Shape, bool Long>
using held_rows_arguments =
    std::conditional_t<Shape::is_short && !Long, short_rows_arguments<U, Index>, batched_top_k_arguments<U, Index>>;

template <class U, class Index, class Shape, bool Long>
__global__ void __launch_bounds__(Shape::most_threads, blocks_of_shape<Shape>)
    batched_top_k_rows_kernel(held_rows_arguments<U, Index, Shape, Long> a) {
  using storage = rows_storage<U, Shape, Long>;
  auto& shared = simt::shared_storage<storage>();
  const unsigned warp_of_block = Shape::is_short ? threadIdx.x / simt::warp_size : simt::warp_id(),
                 of_block = Shape::rows == 1 ? 0 : warp_of_block, warp = Shape::rows == 1 ? warp_of_block : 0;
  const std::uint64_t held = std::uint64_t{warps_of_row<Shape::warps>()} * (Shape::items * simt::warp_size);
  // Without the branch for offsets a few short rows begin 170 cycles earlier. With it, of many keys
  // a lane in several warps, the compiler takes 56 registers and not 64, and rows of 1024 keys take
  // 3.6 us and not 3.8 (H200, 2026-11-28, nvcc 13.0).
  constexpr bool may_have_offsets = Long || (Shape::warps == several_warps && Shape::items > 8);
#pragma unroll 1
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * Shape::rows; first < a.rows.rows;
       first += std::uint64_t{gridDim.x} * Shape::rows) {
    const std::uint64_t row = first + of_block;
    const bool is_there = Shape::rows == 1 || row < a.rows.rows;
    const std::uint64_t n = is_there ? a.rows.template items<may_have_offsets>(row) : 0, k = a.k,
                        wanted = smaller(k, n), out = row * k;
    if (is_there && (!Long || n <= held)) {
      if (warp == 0 && simt::lane_id() == 0 && a.counts.address() != nullptr) a.counts.store(wanted, row);
      if (n != 0) {
        const U* const keys = a.keys + a.rows.template begin<may_have_offsets>(row);
        Index* const positions = a.positions_out == nullptr ? nullptr : a.positions_out + out;
        const auto items = static_cast<unsigned>(n), least = static_cast<std::uint32_t>(wanted);
        if constexpr (Shape::is_short)
          select_short_row<U, Shape::warps, Shape::items>(shared.held[of_block], warp, keys, items, least, a.is_sorted,
                                                          a.codec, a.keys_out + out, positions);
        else
          select_row_of_keys<U, Shape::warps, Shape::items>(shared.held[of_block], warp, keys, items, least,
                                                            a.is_sorted, a.codec, a.keys_out + out, positions);
      }
    }
    if constexpr (Long) {
      if (!simt::sync_block_any(n > held)) continue;
#pragma unroll 1
      for (std::uint64_t other = first; other < smaller(first + Shape::rows, a.rows.rows); ++other)
        if (const std::uint64_t items = a.rows.items(other); items > held)
          select_row_in_block<Shape::most_threads, false>(shared, a, other, items);
    }
  }
}

// Sorts the selected items of each row in place, stable. V: the type of positions, or no_value.
template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    sort_rows_kernel(keys_of_rows rows, std::uint64_t k, U* keys, V* values, key_codec<U> codec,
                     radix_digit_plan digits) {
  auto& shared = simt::shared_storage<single_block_sort_storage<U, V, Shape>>();
#pragma unroll 1
  for (std::uint64_t row = blockIdx.x; row < rows.rows; row += gridDim.x) {
    const auto valid = static_cast<unsigned>(smaller(k, rows.items(row)));
    if (valid < 2) continue;
    V* const own = std::is_same_v<V, no_value> ? nullptr : values + row * k;
    single_block_sort<U, V, Shape>({{keys + row * k, {valid}}, keys + row * k, own, own, codec, digits}, shared, valid)
        .process();
    simt::sync_block();
  }
}

// In: a pointer or a view.
template <class V, class Index, class In>
__global__ void __launch_bounds__(elementwise_threads)
    gather_of_rows_kernel(keys_of_rows rows, std::uint64_t k, In values, const Index* positions, V* out) {
  transform_tile(
      rows.rows * k, [](std::uint64_t i) { return i; },
      [&](std::uint64_t i, std::uint64_t) {
        const std::uint64_t row = i / k;
        if (i % k < rows.items(row)) out[i] = item_at(values, rows.begin(row) + positions[i]);
      });
}

}  // namespace ballot::detail
