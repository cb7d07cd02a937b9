// SPDX-License-Identifier: Apache-2.0
// Rows that no block has room for are divided into parts that a block has room for. Each row has a
// block.
//
//     row        5 1 9 8 2 7 3 6 4 0       splitters 3 and 6, from a sorted sample of the row
//     buckets    1 2 0 | 5 3 4 | 9 8 7 6   keys < 3, < 6, the others, each in the order of the row
//     parts      1 2 0 5 3 4 | 9 8 7 6     neighbouring buckets, as many as a block has room for
//
// Then each part is a segment of its own (launch.cuh). So a row of any length up to
// longest_divided_row is read twice and written once before that, whatever its keys are. The result
// does not depend on the sample: with any splitters, smaller keys are in earlier buckets. A part
// may be too long for a block, because keys are equal or the sample was bad. Then it is sorted as a
// long segment is.
//
// The block passes over its row twice. First it counts each bucket. Then it moves one tile after
// the other, by ranks as a pass of the radix sort has them (radix_sort/rank.cuh). No block waits
// for another. Stable.
// Source: Frazer and McKellar, Samplesort, 1970.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/detail/segmented_sort/composite_keys.cuh>
#include <ballot/simt/simt.cuh>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

inline constexpr int row_partition_threads = 256;
inline constexpr int row_partition_warps = row_partition_threads / static_cast<int>(simt::warp_size);
// The items of a thread.
template <class U, class V>
inline constexpr int row_partition_items = sizeof(U) + sizeof(V) >= 12 ? 8 : 12;
template <class U, class V>
inline constexpr unsigned row_partition_tile = row_partition_threads * row_partition_items<U, V>;
inline constexpr unsigned most_row_buckets = row_partition_threads;  // a thread for each
inline constexpr unsigned most_row_sample = 8 * most_row_buckets;
// The buckets of longer rows would have more keys than a block sorts. For few rows, other ways have
// more blocks at work.
inline constexpr std::uint64_t longest_divided_row = std::uint64_t{1} << 19;
inline constexpr std::uint64_t least_divided_rows = 64;

// How rows of one length are divided, where a block sorts up to `longest` items: pure functions of
// both.
struct row_division {
  unsigned buckets;          // a power of two
  unsigned sample;           // keys of a row: at least eight for each bucket
  std::uint32_t part_items;  // buckets that begin in the same so many items of the row are one part

  row_division(std::uint64_t row, unsigned longest) {
    constexpr std::uint64_t bucket_items = 160;
    const std::uint64_t wanted = std::bit_ceil(ceil_div(row, bucket_items));
    buckets = static_cast<unsigned>(wanted < 16 ? 16 : smaller(wanted, most_row_buckets));
    sample = 8 * buckets < 512 ? 512 : 8 * buckets;
    // There is room for the bucket with which a part ends: few buckets are more than twice as large
    // as most.
    const std::uint64_t bucket = row / buckets + 1, room = 9 * bucket / 4;
    const std::uint64_t most = room + bucket < longest ? longest - room : bucket;
    part_items = static_cast<std::uint32_t>(ceil_div(row, ceil_div(row, most)));
  }
};

template <class U, class V>
struct row_partition_arguments {
  const U* keys;
  std::uint64_t row_items;
  row_division division;
  composite_layout<U> layout;
  const V* values;  // null: positions within the row
  U* keys_out;
  V* values_out;
  std::uint64_t* offsets;  // [row * buckets + bucket]: where the part begins that the bucket is in
};

template <class U, class V>
struct row_partition_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  union {
    warp_digit_counts counts[row_partition_warps];  // while ranking
    alignas(16) U keys[row_partition_tile<U, V>];   // by bucket
    alignas(16) U sample[most_row_sample];          // before
  };
  alignas(16) V values[has_values ? row_partition_tile<U, V> : 1];
  std::uint8_t bucket[row_partition_tile<U, V>];  // of keys[]
  U splitters[most_row_buckets];                  // of buckets - 1
  std::uint32_t bucket_count[most_row_buckets];
  std::uint32_t
      scatter_offset[most_row_buckets];  // within the row: of the tile's first key of the bucket, minus its rank
  typename block::scan<std::uint32_t, row_partition_threads>::storage scan;
};

// A bitonic sort of a power of two of keys. All threads; ends with a barrier. Batcher, Sorting
// Networks and Their Applications, 1968.
template <class U>
__device__ __forceinline__ void sort_sample(U* sample, unsigned count) {
#pragma unroll 1
  for (unsigned run = 2; run <= count; run *= 2) {
#pragma unroll 1
    for (unsigned apart = run / 2; apart > 0; apart /= 2) {
      for (unsigned i = simt::thread_rank(); i < count / 2; i += row_partition_threads) {
        const unsigned low = 2 * i - (i & (apart - 1)), high = low + apart;
        const U first = sample[low], second = sample[high];
        const bool ascends = (low & run) == 0;
        if (ascends ? second < first : first < second) sample[low] = second, sample[high] = first;
      }
      simt::sync_block();
    }
  }
}

// The splitters of the row. They are the keys of a sample at equally distant ranks, one for each
// bucket but one. All threads; ends with a barrier.
template <class U, class V>
__device__ __forceinline__ void find_splitters(const row_partition_arguments<U, V>& a, const U* row,
                                               row_partition_storage<U, V>& shared) {
  const unsigned sample = a.division.sample, spacing = sample / a.division.buckets, thread = simt::thread_rank();
  // Each sampled key is somewhere in its stretch of the row, so that the sample does not follow a
  // period of the keys.
  const auto row_items = static_cast<std::uint32_t>(a.row_items);
  static_assert(longest_divided_row * most_row_sample < std::uint64_t{1} << 32);
  for (unsigned j = thread; j < sample; j += row_partition_threads) {
    const std::uint32_t begin = j * row_items / sample, end = (j + 1) * row_items / sample;
    shared.sample[j] = a.layout.compared(row[begin + (j * 2654435761u >> 8) % (end - begin)]);
  }
  simt::sync_block();
  sort_sample(shared.sample, sample);
  for (unsigned b = 1 + thread; b < a.division.buckets; b += row_partition_threads)
    shared.splitters[b - 1] = shared.sample[b * spacing];
  simt::sync_block();  // the sample's memory is free
}

// bucket[i]: how many splitters are not greater than key[i]. The searches go step by step at the
// same time.
template <int Items, class U>
__device__ __forceinline__ void find_buckets(const U* splitters, unsigned buckets, const U (&compared)[Items],
                                             unsigned (&bucket)[Items]) {
#pragma unroll
  for (int i = 0; i < Items; ++i) bucket[i] = 0;
#pragma unroll 1
  for (unsigned step = buckets / 2; step != 0; step /= 2)
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (splitters[bucket[i] + step - 1] <= compared[i]) bucket[i] += step;
}

// Counts the row's keys of each bucket, which are zero. All threads.
template <class U, class V>
__device__ __forceinline__ void count_buckets(const row_partition_arguments<U, V>& a, const U* row,
                                              row_partition_storage<U, V>& shared) {
  constexpr int items = row_partition_items<U, V>;
  const auto row_items = static_cast<std::uint32_t>(a.row_items);
  for (std::uint32_t tile = 0; tile < row_items; tile += row_partition_tile<U, V>) {
    const std::uint32_t first = tile + simt::thread_rank();
    U key[items];
    unsigned bucket[items];
#pragma unroll
    for (unsigned i = 0; i < items; ++i) {
      const std::uint32_t at = first + i * row_partition_threads;
      key[i] = row[at < row_items ? at : first < row_items ? first : 0];
    }
#pragma unroll
    for (int i = 0; i < items; ++i) key[i] = a.layout.compared(key[i]);
    find_buckets(shared.splitters, a.division.buckets, key, bucket);
#pragma unroll
    for (unsigned i = 0; i < items; ++i)
      if (first + i * row_partition_threads < row_items)  // relaxed: read after the barrier
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.bucket_count[bucket[i]], 1u);
  }
}

// Thread b: the parts' offsets, from the offsets of buckets within the row, which are in
// shared.bucket_count.
template <class U, class V>
__device__ __forceinline__ void write_part_offset(const row_partition_arguments<U, V>& a,
                                                  const row_partition_storage<U, V>& shared, std::uint64_t row) {
  const unsigned own = simt::thread_rank();
  if (own >= a.division.buckets) return;
  unsigned first = own;  // bucket of the part
  const std::uint32_t part = shared.bucket_count[own] / a.division.part_items;
  while (first > 0 && shared.bucket_count[first - 1] / a.division.part_items == part) --first;
  a.offsets[row * a.division.buckets + own] = row * a.row_items + shared.bucket_count[first];
}

// Moves one tile of the row: `valid` items from `first_item` of the row on. next: in thread b, the
// place in the row where the next key of bucket b goes. All threads; ends without a barrier.
template <class U, class V>
__device__ __forceinline__ void move_row_tile(const row_partition_arguments<U, V>& a, std::uint64_t row_begin,
                                              std::uint32_t first_item, unsigned valid, std::uint32_t& next,
                                              row_partition_storage<U, V>& shared) {
  constexpr int items = row_partition_items<U, V>;
  constexpr bool has_values = !std::is_same_v<V, no_value>;
  const unsigned thread = simt::thread_rank(), warp = simt::warp_id(), buckets = a.division.buckets;
  const unsigned first = thread / half_warp_lanes * (half_warp_lanes * items) + thread % half_warp_lanes;
  const auto at = [&](int i) { return first + static_cast<unsigned>(i) * half_warp_lanes; };
  U key[items];
  [[maybe_unused]] V value[has_values ? items : 1];
  const U* const keys = a.keys + row_begin + first_item;
#pragma unroll
  for (int i = 0; i < items; ++i) key[i] = keys[at(i) < valid ? at(i) : 0];
  if constexpr (has_values) {
#pragma unroll
    for (int i = 0; i < items; ++i)
      value[i] = a.values == nullptr ? static_cast<V>(first_item + at(i))
                                     : a.values[row_begin + first_item + (at(i) < valid ? at(i) : 0)];
  }
  zero_counts(shared.counts[warp], buckets);
  packed_words<items, 8> bucket_of;
  {
    U compared[items];
    unsigned bucket[items];
#pragma unroll
    for (int i = 0; i < items; ++i) compared[i] = a.layout.compared(key[i]);
    find_buckets(shared.splitters, buckets, compared, bucket);
    // Missing items come last, and so they are last in the last bucket too.
#pragma unroll
    for (int i = 0; i < items; ++i) bucket_of.set(i, at(i) < valid ? bucket[i] : buckets - 1);
  }
  packed_words<items, 16> rank;
  const half_warp_counters counter_of(shared.counts[warp]);
  rank_stably<items>(
      counter_of, radix_digits, [&](int i) { return bucket_of.get(i); },
      [&](int i, std::uint32_t r) { rank.set(i, r); });
  simt::sync_block();
  std::uint32_t count = 0, total;
  if (thread < buckets) {
#pragma unroll
    for (int w = 0; w < row_partition_warps; ++w) count += digit_count(shared.counts[w], thread);
  }
  std::uint32_t before = block::scan<std::uint32_t, row_partition_threads>::exclusive(shared.scan, count, 0u, total);
  if (thread < buckets) {
    shared.scatter_offset[thread] = next - before;  // modulo 2^32
    next += count;                                  // too much by the missing items, after which nothing comes
#pragma unroll
    for (int w = 0; w < row_partition_warps; ++w) before = counts_to_offsets(shared.counts[w], thread, before);
  }
  simt::sync_block();
#pragma unroll
  for (int i = 0; i < items; ++i) rank.add(i, *counter_of(bucket_of.get(i)));
  simt::sync_block();  // the counts are read; keys take their memory
#pragma unroll
  for (int i = 0; i < items; ++i) {
    shared.keys[rank.get(i)] = key[i];
    if constexpr (has_values) shared.values[rank.get(i)] = value[i];
    shared.bucket[rank.get(i)] = static_cast<std::uint8_t>(bucket_of.get(i));
  }
  simt::sync_block();
#pragma unroll
  for (unsigned i = 0; i < items; ++i) {
    const unsigned in_tile = thread + i * row_partition_threads;
    if (in_tile >= valid) continue;
    const std::uint64_t to = row_begin + (shared.scatter_offset[shared.bucket[in_tile]] + in_tile);
    a.keys_out[to] = shared.keys[in_tile];
    if constexpr (has_values) a.values_out[to] = shared.values[in_tile];
  }
}

// A block for each row.
template <class U, class V>
__global__ void __launch_bounds__(row_partition_threads) row_partition_kernel(row_partition_arguments<U, V> a) {
  auto& shared = simt::shared_storage<row_partition_storage<U, V>>();
  const std::uint64_t row = blockIdx.x, begin = row * a.row_items;
  const unsigned thread = simt::thread_rank();
  shared.bucket_count[thread] = 0;
  find_splitters(a, a.keys + begin, shared);
  count_buckets(a, a.keys + begin, shared);
  simt::sync_block();
  std::uint32_t total;
  const std::uint32_t count = thread < a.division.buckets ? shared.bucket_count[thread] : 0;
  std::uint32_t next = block::scan<std::uint32_t, row_partition_threads>::exclusive(shared.scan, count, 0u, total);
  shared.bucket_count[thread] = next;  // a thread's own; read by others after the barrier
  simt::sync_block();
  write_part_offset(a, shared, row);
  const auto items = static_cast<std::uint32_t>(a.row_items);
  for (std::uint32_t tile = 0; tile < items; tile += row_partition_tile<U, V>) {
    move_row_tile(a, begin, tile, static_cast<unsigned>(smaller(items - tile, row_partition_tile<U, V>)), next, shared);
    simt::sync_block();  // shared memory is read before the next tile takes it
  }
}

}  // namespace ballot::detail
