// How the items of an array pass through a selection: each warp's run of the tile waits in shared memory and is
// compacted there, in place.
//
//     run, as it came      a . b .  . c d .  e . . f         kept items a to f; 3 chunks of 4 items here
//     chunk 0              a b . .  . c d .  e . . f         what is written lies below the end of what has been read
//     chunk 1              a b c d  . c d .  e . . f
//     chunk 2              a b c d  e f d .  e . . f
//
// So shared memory holds a tile once, registers hold a vector at a time, and a multiprocessor holds as many tiles as its
// shared memory does: those that wait for others do not keep it from loading (block/staged_tile.cuh). Where rejected
// items are wanted too, they would overtake what has not been read: then every two chunks are partitioned within
// themselves, and written out as two pieces.
//
// Lanes of one warp alone meet: no barrier of the block.
#pragma once

#include <ballot/block/staged_tile.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/columns.cuh>
#include <ballot/detail/partition_tile.cuh>
#include <ballot/detail/tuning_partition.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/binary_scan.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class T, class Shape>
class run_items {
  using staged = block::staged_tile<T, Shape>;
  typename staged::storage& storage_;

 public:
  // `memory`: Stride bytes for each item of the tile. Warps keep to their own parts of it, whatever T is.
  template <std::size_t Stride>
  static __device__ __forceinline__ run_items at(unsigned char* memory, std::integral_constant<std::size_t, Stride>) {
    static_assert(sizeof(T) <= Stride);
    return run_items(reinterpret_cast<typename staged::storage&>(
        memory[simt::warp_id() * (Shape::warp_items * (Stride - sizeof(T)))]));
  }

  // Begins to load all of the tile, or the vectors with a flag. `first`: number of the tile's first item in the source.
  __device__ __forceinline__ void start(const array_source<T>& from, std::uint64_t first, unsigned valid) {
    staged::start(storage_, from.data + first, valid, from.whole_vectors, false);
  }
  template <class Flags>
  __device__ __forceinline__ void start_flagged(const array_source<T>& from, std::uint64_t first, unsigned valid,
                                                const Flags& flags) {
    staged::start_where(storage_, from.data + first, valid, from.whole_vectors, [&](int c) { return flags[c] != 0; });
  }
  // All lanes of the warp.
  __device__ __forceinline__ void finish() { staged::finish(); }
  // Vector c of the thread, as block/tile.cuh lays tiles out.
  __device__ __forceinline__ simt::vector<T, Shape::width> operator[](int c) const {
    return staged::get_moved(storage_, c);
  }

  // All lanes of the warp: the kept items to the front of the run; or of every group of chunks, the rejected ones behind
  // them.
  template <rejects Rejects>
  __device__ __forceinline__ void gather(const tile_flags<Shape>& of, unsigned valid) {
    if constexpr (Rejects == rejects::dropped) gather_kept(of);
    else partition_groups(of, valid);
  }

  // All lanes of the warp, after `gather`: writes the `warp_kept` kept items of the run, and the rejected ones if wanted.
  template <rejects Rejects>
  __device__ __forceinline__ void write(const tile_flags<Shape>& of, unsigned warp_kept, const output<T>& kept_out,
                                        const output<T>& rejected_out, const placed_tile& tile) const {
    const std::uint64_t kept_at = tile.site.out_base + tile.before + tile.kept_before_warp;
    const unsigned kept_room = items_with_room(warp_kept, kept_out, tile.site, kept_at);
    const T* const from = run();
    if constexpr (Rejects == rejects::dropped) {
      for (unsigned i = simt::lane_id(); i < kept_room; i += simt::warp_size) kept_out.data[kept_at + i] = from[i];
    } else {
      const unsigned first = simt::warp_id() * Shape::warp_items, there = items_there(first, tile.valid);
      const std::uint64_t rejected_at = tile.site.out_base + tile.rejected_first + (tile.begin + first) -
                                        (tile.before + tile.kept_before_warp);
      const unsigned rejected_room = items_with_room(there - warp_kept, rejected_out, tile.site, rejected_at);
      unsigned kept_before = 0;  // in the run's groups before this one
#pragma unroll
      for (int g = 0; g < Shape::chunks; g += group) {
        const unsigned begin = static_cast<unsigned>(g) * Shape::chunk_items;
        const unsigned rejected_before = begin - kept_before, group_kept = kept_in_group(of, g);
#pragma unroll
        for (int i = 0; i < chunks_of(g) * Shape::width; ++i) {
          const unsigned in_group = static_cast<unsigned>(i) * simt::warp_size + simt::lane_id();
          if (begin + in_group >= there) continue;
          const T item = from[begin + in_group];
          const unsigned kept = kept_before + in_group, rejected = rejected_before + in_group - group_kept;
          if (in_group < group_kept) {
            if (kept < kept_room) kept_out.data[kept_at + kept] = item;
          } else if (rejected < rejected_room) {
            rejected_out.data[rejected_at + rejected] = item;
          }
        }
        kept_before += group_kept;
      }
    }
  }

 private:
  static constexpr int group = 2;  // chunks
  static BALLOT_HOST_DEVICE constexpr int chunks_of(int g) { return Shape::chunks - g < group ? Shape::chunks - g : group; }

  explicit __device__ __forceinline__ run_items(typename staged::storage& storage) : storage_(storage) {}

  static __device__ __forceinline__ unsigned items_there(unsigned first, unsigned valid) {
    return first < valid ? static_cast<unsigned>(smaller(valid - first, Shape::warp_items)) : 0u;
  }
  static __device__ __forceinline__ unsigned kept_in_group(const tile_flags<Shape>& of, int g) {
    unsigned kept = 0;
#pragma unroll
    for (int i = 0; i < chunks_of(g); ++i) kept += warp::binary_rank_of_vector<Shape::width>(of[g + i]).total;
    return kept;
  }

  __device__ __forceinline__ void gather_kept(const tile_flags<Shape>& of) {
    T* const kept_items = run();
    simt::vector<T, Shape::width> ahead;
    // A vector of which nothing is kept has perhaps not been loaded.
    if (of[0] != 0) ahead = (*this)[0];
    unsigned kept = 0;
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const simt::vector<T, Shape::width> item = ahead;
      if (c + 1 < Shape::chunks && of[c + 1 < Shape::chunks ? c + 1 : c] != 0) ahead = (*this)[c + 1];
      const warp::rank_and_total votes = warp::binary_rank_of_vector<Shape::width>(of[c]);
      simt::sync_warp();  // all lanes have read this chunk and the next one
      unsigned rank = kept + votes.rank;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j)
        if (of[c] >> j & 1u) kept_items[rank++] = item[j];
      kept += votes.total;
    }
    simt::sync_warp();
  }

  __device__ __forceinline__ void partition_groups(const tile_flags<Shape>& of, unsigned valid) {
    const unsigned there = items_there(simt::warp_id() * Shape::warp_items, valid);
#pragma unroll
    for (int g = 0; g < Shape::chunks; g += group) {
      const unsigned begin = static_cast<unsigned>(g) * Shape::chunk_items, group_kept = kept_in_group(of, g);
      T* const items = run() + begin;
      simt::vector<T, Shape::width> item[group];
#pragma unroll
      for (int i = 0; i < chunks_of(g); ++i) item[i] = (*this)[g + i];
      simt::sync_warp();  // all lanes have read the group
      unsigned kept = 0;
#pragma unroll
      for (int i = 0; i < chunks_of(g); ++i) {
        const warp::rank_and_total votes = warp::binary_rank_of_vector<Shape::width>(of[g + i]);
        const unsigned first = static_cast<unsigned>(i) * Shape::chunk_items + simt::lane_id() * Shape::width;
        unsigned rank = kept + votes.rank;  // of the item at hand, among the kept ones of the group
#pragma unroll
        for (int j = 0; j < Shape::width; ++j) {
          if (of[g + i] >> j & 1u) items[rank++] = item[i][j];
          else if (begin + first + j < there) items[group_kept + (first + j - rank)] = item[i][j];
        }
        kept += votes.total;
      }
    }
    simt::sync_warp();
  }
  __device__ __forceinline__ T* run() const {
    return reinterpret_cast<T*>(storage_.places) + simt::warp_id() * Shape::warp_items;
  }
};

// Columns that pass so: arrays of items that a register or four hold.
template <class Source>
inline constexpr bool passes_in_runs = false;
template <class T>
inline constexpr bool passes_in_runs<array_source<T>> = sizeof(T) <= 16;

}  // namespace ballot::detail
