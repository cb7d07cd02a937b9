// SPDX-License-Identifier: Apache-2.0
// Multisplit of many items into many buckets, by one sweep. A table of counts has one count for
// each bucket of each tile. It would be as large as a good part of the items. Each tile would read
// and write its column word by word.
//
//     bucket_totals_kernel   count each bucket's items; the last block: offsets of the buckets
//     bucket_sweep_kernel    a tile: rank, publish the counts, stage by bucket, look back, scatter
//
// The sweep is a pass of the radix sort by the bucket instead of a digit. It ranks as that does
// (radix_sort/rank.cuh) and looks back as that does (radix_sort/digit_look_back.cuh). But items
// need not have a bucket, and there may be several columns.
// Sources: Ashkiani, Davidson, Meyer and Owens, GPU Multisplit, 2016; Adinets and Merrill,
// Onesweep, 2022.
//
// Shared memory: to count, 16 KiB. To sweep, a byte an item, and the larger of a tile of the
// largest items and 2 KiB a warp. Barriers: five for the first column, two for each other column.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/multisplit/buckets.cuh>
#include <ballot/detail/radix_sort/digit_look_back.cuh>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/device/last_block.cuh>
#include <ballot/device/look_back.cuh>

namespace ballot::detail {

static_assert(most_buckets == radix_digits);

// Shared by all tiles of a sweep. Zero at launch of the first kernel.
struct bucket_sweep_state {
  std::uint64_t* begins;    // [bucket]: totals, then where each bucket begins
  std::uint32_t* frequent;  // 1 + the bucket with more than a quarter of the items; 0: none
  std::uint32_t* finished_blocks;
  std::uint32_t* ticket;
  digit_state::word* states;  // [tile][bucket]
};

template <int Threads>
struct bucket_totals_storage {
  static constexpr unsigned columns = 16;
  std::uint32_t count[most_buckets][columns];  // lane l adds to column l % columns, so that few lanes collide
  typename block::scan<std::uint64_t, Threads>::storage scan;
  bool last_block;
};

template <class Source, int Threads, class Buckets>
__global__ void __launch_bounds__(Threads)
    bucket_totals_kernel(Source source, length length, Buckets bucket_of, unsigned buckets, bucket_sweep_state sweep,
                         device_count bucket_offsets) {
  using T = typename Source::item;
  using storage = bucket_totals_storage<Threads>;
  static_assert(Threads >= static_cast<int>(most_buckets), "one thread a bucket");
  constexpr int at_once = 8;
  constexpr unsigned tile_items = Threads * at_once;
  auto& shared = simt::shared_storage<storage>();
  const unsigned thread = simt::thread_rank(), column = simt::lane_id() % storage::columns;
  for (unsigned i = thread; i < most_buckets * storage::columns; i += Threads) (&shared.count[0][0])[i] = 0;
  simt::sync_block();
  const std::uint64_t n = length.get();
  for (std::uint64_t begin = std::uint64_t{blockIdx.x} * tile_items + thread; begin < n;
       begin += std::uint64_t{gridDim.x} * tile_items) {
    unsigned bucket[at_once];
    T item[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::uint64_t at = begin + static_cast<unsigned>(i) * Threads;
      if constexpr (Buckets::needs_items) item[i] = source.template vector<1>(at < n ? at : 0u, 1)[0];
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const std::uint64_t at = begin + static_cast<unsigned>(i) * Threads;
      bucket[i] = at < n ? bucket_of.bucket(item[i], at, buckets) : no_bucket;
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      // Relaxed: read after the barrier. No block takes 2^32 items: a sweep has at most 2^30.
      if (bucket[i] != no_bucket)
        simt::atomic_add<simt::order::relaxed, simt::scope::block>(&shared.count[bucket[i]][column], 1u);
    }
  }
  simt::sync_block();
  if (thread < buckets) {
    std::uint32_t count = 0;
#pragma unroll
    for (unsigned c = 0; c < storage::columns; ++c) count += shared.count[thread][(thread + c) % storage::columns];
    // Relaxed: ordered by `finished_blocks`.
    if (count != 0) simt::atomic_add(&sweep.begins[thread], std::uint64_t{count});
  }
  if (!device::is_last_block(sweep.finished_blocks, shared.last_block)) return;
  const std::uint64_t total = thread < buckets ? simt::load_relaxed(&sweep.begins[thread]) : 0;  // pairs as above
  std::uint64_t all;
  const std::uint64_t begin = block::scan<std::uint64_t, Threads>::exclusive(shared.scan, total, std::uint64_t{0}, all);
  if (thread == 0) bucket_offsets.store(all, buckets);
  if (thread >= buckets) return;
  sweep.begins[thread] = begin;
  bucket_offsets.store(begin, thread);
  if (total > n / 4) *sweep.frequent = 1u + thread;  // of several, any
}

// Half a warp takes 16 x ItemsPerThread consecutive items, in rows of 16.
template <int Threads, int ItemsPerThread, int Blocks>
struct bucket_sweep_shape {
  static constexpr int threads = Threads, items_per_thread = ItemsPerThread, blocks = Blocks;
  static constexpr int warps = Threads / simt::warp_size;
  static constexpr unsigned items = Threads * ItemsPerThread;
  static constexpr int window = 8;  // of the look-back
  static_assert(Threads >= static_cast<int>(most_buckets) && items < 1u << 16);
};

template <class Columns, class Shape>
struct bucket_sweep_storage {
  union {
    warp_digit_counts counts[Shape::warps];
    alignas(16) unsigned char items[Shape::items * Columns::largest_item];
  };
  std::uint64_t scatter_offset[most_buckets];
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  std::uint32_t tile;
  std::uint8_t bucket[Shape::items];  // of each staged item
};

template <class Columns, class Shape, class Buckets>
class bucket_sweep_tile {
 public:
  using storage = bucket_sweep_storage<Columns, Shape>;

  __device__ __forceinline__ bucket_sweep_tile(storage& shared, const bucket_sweep_state& sweep, std::uint32_t tile,
                                               std::uint64_t n)
      : shared_(shared),
        sweep_(sweep),
        tile_(tile),
        begin_(std::uint64_t{tile} * Shape::items),
        valid_(static_cast<unsigned>(smaller(n - begin_, Shape::items))) {}

  __device__ __forceinline__ void process(const Columns& columns, const Buckets& bucket_of, unsigned buckets) {
    using T = typename decltype(Columns::first)::item;
    T item[Shape::items_per_thread];
    load(columns.first, item);
    zero_counts(shared_.counts[simt::warp_id()]);
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i)
      packed_[i] = at(i) < valid_ ? bucket_of.bucket(item[i], begin_ + at(i), buckets) << rank_bits : no_bucket;
    const half_warp_counters counter_of(shared_.counts[simt::warp_id()]);
    rank(counter_of, *sweep_.frequent - 1u);
    simt::sync_block();  // counts are complete

    const std::uint32_t count = publish_count(buckets);
    const std::uint32_t first_rank = scan_counts(count, buckets);
    simt::sync_block();  // counts are offsets
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i)
      if (has_bucket(i)) packed_[i] += *counter_of(bucket(i));
    simt::sync_block();  // offsets are read; items take their memory
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i)
      if (has_bucket(i)) shared_.bucket[rank_of(i)] = static_cast<std::uint8_t>(bucket(i));
    stage(item);
    look_back(count, first_rank, buckets);
    simt::sync_block();
    scatter(columns.first);
    move_others(columns.rest);
  }

 private:
  template <class Column, class T>
  __device__ __forceinline__ void load(const Column& column, T (&item)[Shape::items_per_thread]) const {
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i)  // no branch around a load
      item[i] = column.source.template vector<1>(begin_ + (at(i) < valid_ ? at(i) : 0u), 1)[0];
  }

  // As rank_stably of radix_sort/rank.cuh, except that lanes without a bucket take no part.
  __device__ __forceinline__ void rank(const half_warp_counters& counter_of, unsigned frequent_bucket) {
    const unsigned lane = simt::lane_id() % half_warp_lanes;
    const std::uint32_t own = 1u << lane, below = own - 1u, above = 0xffffu & ~(own | below);
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const bool takes_part = has_bucket(i), is_frequent = bucket(i) == frequent_bucket;
      const std::uint32_t frequent_peers = simt::ballot(is_frequent) >> (half_warp_lanes * counter_of.half());
      std::uint32_t* const word = counter_of(takes_part ? bucket(i) : 0u);
      // Relaxed: the words are read after the sync_warp that follows.
      if (takes_part && !is_frequent) simt::atomic_or<simt::order::relaxed, simt::scope::block>(word, own);
      simt::sync_warp();  // all bits are set before a word is read
      const std::uint32_t counted = *word;
      const std::uint32_t peers = is_frequent ? frequent_peers : counted;
      const std::uint32_t rank = (counted >> warp_digit_counts::count_shift) + simt::popcount(peers & below);
      simt::sync_warp();  // all peers have read before the highest one writes
      if (takes_part && (peers & above) == 0) *word = (rank + 1u) << warp_digit_counts::count_shift;
      simt::sync_warp();  // counted before the next row
      packed_[i] += rank;
    }
  }

  __device__ __forceinline__ digit_state::word* own_state() const {
    return sweep_.states + (static_cast<std::size_t>(tile_) * most_buckets + simt::thread_rank());
  }
  // Thread b: the tile's items of bucket b.
  __device__ __forceinline__ std::uint32_t publish_count(unsigned buckets) const {
    const unsigned thread = simt::thread_rank();
    if (thread >= buckets) return 0;
    std::uint32_t count = 0;
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) count += digit_count(shared_.counts[w], thread);
    // Pairs with the relaxed loads of look_back_for_digit: status and count are one word.
    simt::publish_relaxed(
        own_state(),
        digit_state::pack(tile_ == 0 ? device::tile_status::prefix : device::tile_status::aggregate, count));
    return count;
  }
  // Thread b: the rank of the first item of bucket b in the tile.
  __device__ __forceinline__ std::uint32_t scan_counts(std::uint32_t count, unsigned buckets) {
    const std::uint32_t first_rank =
        block::scan<std::uint32_t, Shape::threads>::exclusive(shared_.scan, count, 0u, with_bucket_);
    const unsigned thread = simt::thread_rank();
    if (thread < buckets) {
      std::uint32_t offset = first_rank;
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) offset = counts_to_offsets(shared_.counts[w], thread, offset);
    }
    return first_rank;
  }
  __device__ __forceinline__ void look_back(std::uint32_t count, std::uint32_t first_rank, unsigned buckets) {
    const unsigned thread = simt::thread_rank();
    if (thread >= buckets) return;
    std::uint32_t before = 0;
    if (tile_ != 0) {
      before = look_back_for_digit<Shape::window>(sweep_.states + thread, tile_);
      // Pairs with the relaxed loads of later tiles' look-back.
      simt::publish_relaxed(own_state(), digit_state::pack(device::tile_status::prefix, before + count));
    }
    shared_.scatter_offset[thread] = sweep_.begins[thread] + before - first_rank;
  }

  template <class T>
  __device__ __forceinline__ void stage(const T (&item)[Shape::items_per_thread]) {
    T* const staged = reinterpret_cast<T*>(shared_.items);
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i)
      if (has_bucket(i)) staged[rank_of(i)] = item[i];
  }
  template <class Column>
  __device__ __forceinline__ void scatter(const Column& column) const {
    const auto* const staged = reinterpret_cast<const typename Column::item*>(shared_.items);
#pragma unroll
    for (int c = 0; c < Shape::items_per_thread; ++c) {
      const unsigned i = simt::thread_rank() + static_cast<unsigned>(c) * Shape::threads;
      if (i >= with_bucket_) continue;
      const std::uint64_t to = shared_.scatter_offset[shared_.bucket[i]] + i;
      if (to < column.selected.size) column.selected.data[to] = staged[i];
    }
  }
  __device__ __forceinline__ void move_others(const device_columns<>&) {}
  template <class First, class... Rest>
  __device__ __forceinline__ void move_others(const device_columns<First, Rest...>& columns) {
    typename First::item item[Shape::items_per_thread];
    load(columns.first, item);
    simt::sync_block();  // the column before has been written out
    stage(item);
    simt::sync_block();
    scatter(columns.first);
    move_others(columns.rest);
  }

  static constexpr int rank_bits = 16;
  static constexpr unsigned no_bucket = ~0u << rank_bits;
  __device__ __forceinline__ bool has_bucket(int i) const { return packed_[i] < no_bucket; }
  __device__ __forceinline__ unsigned bucket(int i) const { return packed_[i] >> rank_bits; }
  __device__ __forceinline__ unsigned rank_of(int i) const { return packed_[i] & ((1u << rank_bits) - 1u); }
  __device__ __forceinline__ unsigned at(int i) const { return first_ + static_cast<unsigned>(i) * half_warp_lanes; }

  storage& shared_;
  const bucket_sweep_state& sweep_;
  const std::uint32_t tile_;
  const std::uint64_t begin_;
  const unsigned valid_;
  // The thread's first item in the tile.
  const unsigned first_ = simt::thread_rank() / half_warp_lanes * (half_warp_lanes * Shape::items_per_thread) +
                          simt::thread_rank() % half_warp_lanes;
  unsigned packed_[Shape::items_per_thread];  // bucket | rank: in half a warp, then in the tile
  std::uint32_t with_bucket_ = 0;             // items of the tile that have one
};

template <class Columns, class Shape, class Buckets>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    bucket_sweep_kernel(length length, Columns columns, Buckets bucket_of, unsigned buckets, bucket_sweep_state sweep) {
  auto& shared = simt::shared_storage<bucket_sweep_storage<Columns, Shape>>();
  const std::uint32_t tile = device::take_ticket(sweep.ticket, shared.tile);  // also waits for the launch before
  const std::uint64_t n = length.get();
  if (std::uint64_t{tile} * Shape::items >= n) return;
  bucket_sweep_tile<Columns, Shape, Buckets>(shared, sweep, tile, n).process(columns, bucket_of, buckets);
}

}  // namespace ballot::detail
