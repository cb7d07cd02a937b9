// SPDX-License-Identifier: Apache-2.0
// The bucket of an item, the ranks of a warp's items within their buckets, and counts of buckets.
//
// A vote for each bit of the bucket's number tells each lane which lanes have the same bucket: its
// peers. A first vote excludes the lanes without an item or a bucket:
//
//     buckets   2 0 2 1 - 2 0 ...      peers of lane 0: lanes 0, 2, 5
//
// As in warp/match.cuh, but the number of buckets is known only at run time, and some lanes take no
// part.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>

namespace ballot::detail {

inline constexpr unsigned most_buckets = 256;
inline constexpr unsigned no_bucket = ~0u;

// By the item of the first column, which the kernel has loaded.
template <class F>
struct item_buckets {
  static constexpr bool needs_items = true;
  F bucket_of;

  template <class T>
  __device__ __forceinline__ unsigned bucket(const T& item, std::uint64_t, unsigned buckets) const {
    const auto b =
        static_cast<std::uint64_t>(call(bucket_of, item));  // a negative number becomes a large one: no bucket
    return b < buckets ? static_cast<unsigned>(b) : no_bucket;
  }
};

// By an item of each source, read here.
template <class F, class Sources>
struct source_buckets {
  static constexpr bool needs_items = false;
  F bucket_of;
  Sources sources;

  template <class T>
  __device__ __forceinline__ unsigned bucket(const T&, std::uint64_t at, unsigned buckets) const {
    std::uint64_t b = 0;
    sources.template with_vectors<1>(
        at, 1, [&](const auto&... v) { b = static_cast<std::uint64_t>(call(bucket_of, v[0]...)); });
    return b < buckets ? static_cast<unsigned>(b) : no_bucket;
  }
};

template <class F, class... I>
auto make_buckets(const F& bucket_of, const std::tuple<I...>& inputs) {
  if constexpr (is_on_first<F>) {
    return make_buckets(bucket_of.function, std::tuple(std::get<0>(inputs)));
  } else if constexpr (sizeof...(I) == 1) {
    return item_buckets<F>{bucket_of};
  } else {
    return source_buckets<F, sources<source_of<I>...>>{bucket_of, make_sources<1>(inputs)};
  }
}

// The number of bits of the largest bucket's number.
inline int bucket_bits(unsigned buckets) {
  int bits = 0;
  while ((1u << bits) < buckets) ++bits;
  return bits;
}

// The rank of this lane's item of a row. Before it come the warp's items of its bucket in the rows
// before, and its peers in lower lanes. All 32 lanes.
__device__ __forceinline__ unsigned rank_among_peers(std::uint32_t* counts, unsigned bucket, unsigned peers) {
  const bool has_bucket = bucket != no_bucket;
  const unsigned below = simt::popcount(peers & simt::lanemask_lt());
  const std::uint32_t before = has_bucket ? counts[bucket] : 0u;
  simt::sync_warp();  // all peers have read before the lowest one writes
  if (has_bucket && below == 0) counts[bucket] = before + simt::popcount(peers);
  simt::sync_warp();  // written before the next row reads
  return before + below;
}

// rank[i]: the number of items before this lane's i-th item that are in the same warp and bucket.
// The warp takes rows of 32 consecutive items in input order, so the split is stable. counts: of
// this warp, zero before the call; afterwards the number of the warp's items in each bucket. All 32
// lanes.
template <int Rows>
__device__ __forceinline__ void rank_in_buckets(std::uint32_t* counts, int bits, const unsigned (&bucket)[Rows],
                                                unsigned (&rank)[Rows]) {
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
    unsigned peers = simt::ballot(bucket[i] != no_bucket);
    for (int b = 0; b < bits; ++b) {
      const unsigned bit = bucket[i] >> b & 1u;
      peers &= simt::ballot(bit != 0) ^ (bit - 1u);
    }
    rank[i] = rank_among_peers(counts, bucket[i], peers);
  }
}
// The same for the first `rows` rows. The votes come first, one bit of all rows after the other. So
// they do not wait for each other, which matters if a block is alone. This takes registers.
template <int Rows>
__device__ __forceinline__ void rank_rows_in_buckets(std::uint32_t* counts, int bits, const unsigned (&bucket)[Rows],
                                                     unsigned (&rank)[Rows], int rows) {
  unsigned(&peers)[Rows] = rank;
#pragma unroll
  for (int i = 0; i < Rows; ++i)
    if (i < rows) peers[i] = simt::ballot(bucket[i] != no_bucket);
#pragma unroll 1
  for (int b = 0; b < bits; ++b) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      if (i >= rows) continue;
      const unsigned bit = bucket[i] >> b & 1u;
      peers[i] &= simt::ballot(bit != 0) ^ (bit - 1u);
    }
  }
#pragma unroll
  for (int i = 0; i < Rows; ++i)
    if (i < rows) rank[i] = rank_among_peers(counts, bucket[i], peers[i]);
}

// Adds the thread's items to the block's counts in shared memory. With few buckets many lanes would
// add to one word. So each thread first counts in the bytes of a register, and these are summed
// over the warp. All 32 lanes.
inline constexpr unsigned register_buckets = 8;

template <int Rows>
__device__ __forceinline__ void count_buckets(std::uint32_t* counts, unsigned buckets, const unsigned (&bucket)[Rows]) {
  static_assert(Rows * 32 < 1 << 16 && Rows < 256, "bytes a thread, 16 bits a warp");
  // Relaxed: the counts are read after a barrier.
  const auto add = [&](unsigned b, std::uint32_t items) {
    simt::atomic_add<simt::order::relaxed, simt::scope::block>(counts + b, items);
  };
  if (buckets > register_buckets) {
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      if (bucket[i] != no_bucket) add(bucket[i], 1u);
    return;
  }
  std::uint64_t bytes = 0;
#pragma unroll
  for (int i = 0; i < Rows; ++i)
    if (bucket[i] != no_bucket) bytes += std::uint64_t{1} << (8 * bucket[i]);
  // Buckets 0, 2 | 4, 6 | 1, 3 | 5, 7 as halves of words, so that the sum of a warp fits.
  const std::uint64_t even = bytes & 0x00ff00ff00ff00ffu, odd = bytes >> 8 & 0x00ff00ff00ff00ffu;
  const std::uint32_t sums[4] = {
      simt::reduce_add(static_cast<std::uint32_t>(even)), simt::reduce_add(static_cast<std::uint32_t>(even >> 32)),
      simt::reduce_add(static_cast<std::uint32_t>(odd)), simt::reduce_add(static_cast<std::uint32_t>(odd >> 32))};
  if (simt::lane_id() == 0) {
#pragma unroll
    for (unsigned b = 0; b < register_buckets; ++b) {
      const std::uint32_t sum = sums[b % 2 * 2 + b / 4] >> (b / 2 % 2 * 16) & 0xffffu;
      if (b < buckets && sum != 0) add(b, sum);
    }
  }
}

}  // namespace ballot::detail
