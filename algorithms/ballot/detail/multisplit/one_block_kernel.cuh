// SPDX-License-Identifier: Apache-2.0
// Multisplit of few items by one block: one launch, no scratch.
//
//     load -> rank by votes within each warp (buckets.cuh) -> scan the counts of buckets and warps
//     -> stage by bucket -> store the staged items as they lie
//
// All warps of the block have items, however few there are: each takes consecutive rows of 32, as
// many as needed. The output of the only block begins with its first bucket. So staged items are
// stored in their order, and offsets are those of the block.
//
// Shared memory: the items, and 1 KiB of counts a warp. Barriers: four for the first column, two
// for each other column.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/multisplit/buckets.cuh>

namespace ballot::detail {

// Rows: of 32 items that a warp takes, at most.
template <int Threads, int Rows>
struct one_block_shape {
  static constexpr int threads = Threads, rows = Rows, warps = Threads / simt::warp_size;
  static constexpr unsigned items = Threads * Rows;
  static_assert(Threads >= static_cast<int>(most_buckets), "one thread a bucket");
};

template <class Columns, class Shape>
struct one_block_storage {
  std::uint32_t warp_count[Shape::warps][most_buckets];  // then the offset of each warp's first item
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  alignas(16) unsigned char items[Shape::items * Columns::largest_item];
};

template <class Columns, class Shape, class Buckets>
class one_block_multisplit {
 public:
  using storage = one_block_storage<Columns, Shape>;

  __device__ __forceinline__ one_block_multisplit(storage& shared, unsigned valid) : shared_(shared), valid_(valid) {}

  __device__ __forceinline__ void process(const Columns& columns, const Buckets& bucket_of, unsigned buckets, int bits,
                                          const device_count& bucket_offsets) {
    using T = typename decltype(Columns::first)::item;
    T item[Shape::rows];
    load(columns.first, item);
    std::uint32_t* const counts = shared_.warp_count[warp_];
    for (unsigned b = simt::lane_id(); b < buckets; b += simt::warp_size) counts[b] = 0;
    simt::sync_warp();  // zeroed before any lane counts
#pragma unroll
    for (int i = 0; i < Shape::rows; ++i)
      bucket_[i] = i < rows_ && at(i) < valid_ ? bucket_of.bucket(item[i], at(i), buckets) : no_bucket;
    rank_rows_in_buckets<Shape::rows>(counts, bits, bucket_, rank_, rows_);
    simt::sync_block();  // counts are complete
    scan_counts(buckets, bucket_offsets);
    simt::sync_block();  // counts are offsets
#pragma unroll
    for (int i = 0; i < Shape::rows; ++i)
      if (bucket_[i] != no_bucket) rank_[i] += counts[bucket_[i]];
    move(columns.first, item);
    move_others(columns.rest);
  }

 private:
  // Missing items become copies of the first.
  template <class Column, class T>
  __device__ __forceinline__ void load(const Column& column, T (&item)[Shape::rows]) const {
    const T first = column.source.template vector<1>(0, 1)[0];
#pragma unroll
    for (int i = 0; i < Shape::rows; ++i)
      item[i] = i < rows_ && at(i) < valid_ ? column.source.template vector<1>(at(i), 1)[0] : first;
  }

  // Thread b: bucket b. The counts of the warps become offsets.
  __device__ __forceinline__ void scan_counts(unsigned buckets, const device_count& bucket_offsets) {
    const unsigned thread = simt::thread_rank();
    std::uint32_t of_warp[Shape::warps], of_bucket = 0;
    if (thread < buckets) {
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) of_bucket += of_warp[w] = shared_.warp_count[w][thread];
    }
    std::uint32_t offset =
        block::scan<std::uint32_t, Shape::threads>::exclusive(shared_.scan, of_bucket, 0u, with_bucket_);
    if (thread == 0) bucket_offsets.store(with_bucket_, buckets);
    if (thread >= buckets) return;
    bucket_offsets.store(offset, thread);
#pragma unroll
    for (int w = 0; w < Shape::warps; ++w) {
      shared_.warp_count[w][thread] = offset;
      offset += of_warp[w];
    }
  }

  // Stage and store one column.
  template <class Column, class T>
  __device__ __forceinline__ void move(const Column& column, const T (&item)[Shape::rows]) {
    T* const staged = reinterpret_cast<T*>(shared_.items);
#pragma unroll
    for (int i = 0; i < Shape::rows; ++i)
      if (bucket_[i] != no_bucket) staged[rank_[i]] = item[i];
    simt::sync_block();
    const std::uint64_t room = column.selected.size;
    const unsigned stored = with_bucket_ < room ? with_bucket_ : static_cast<unsigned>(room);
    for (unsigned i = simt::thread_rank(); i < stored; i += Shape::threads) column.selected.data[i] = staged[i];
  }
  __device__ __forceinline__ void move_others(const device_columns<>&) {}
  template <class First, class... Rest>
  __device__ __forceinline__ void move_others(const device_columns<First, Rest...>& columns) {
    typename First::item item[Shape::rows];
    load(columns.first, item);
    simt::sync_block();  // the column before has been stored
    move(columns.first, item);
    move_others(columns.rest);
  }

  __device__ __forceinline__ unsigned at(int i) const { return first_ + static_cast<unsigned>(i) * simt::warp_size; }

  storage& shared_;
  const unsigned valid_, warp_ = simt::warp_id();
  const int rows_ = static_cast<int>((valid_ + Shape::threads - 1) / Shape::threads);  // of each warp
  const unsigned first_ = warp_ * static_cast<unsigned>(rows_) * simt::warp_size + simt::lane_id();
  unsigned bucket_[Shape::rows], rank_[Shape::rows];
  std::uint32_t with_bucket_ = 0;  // items that have one
};

// bucket_offsets[b] gets where bucket b begins, for b up to `buckets`.
template <class Columns, class Shape, class Buckets>
__global__ void __launch_bounds__(Shape::threads)
    one_block_multisplit_kernel(length length, Columns columns, Buckets bucket_of, unsigned buckets, int bits,
                                device_count bucket_offsets) {
  auto& shared = simt::shared_storage<one_block_storage<Columns, Shape>>();
  const auto valid = static_cast<unsigned>(length.get());
  if (valid == 0) {
    for (unsigned b = simt::thread_rank(); b <= buckets; b += Shape::threads) bucket_offsets.store(0, b);
    return;
  }
  one_block_multisplit<Columns, Shape, Buckets> of_block(shared, valid);
  of_block.process(columns, bucket_of, buckets, bits, bucket_offsets);
}

}  // namespace ballot::detail
