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
// items are wanted too, they would overtake what has not been read: the fewer of both go to a place beside the run, half
// as large.
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
  T* kept_ = nullptr;
  T* rejected_ = nullptr;

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
    staged::start(storage_, from.data + first, valid, from.vector_aligned, false);
  }
  template <class Flags>
  __device__ __forceinline__ void start_flagged(const array_source<T>& from, std::uint64_t first, unsigned valid,
                                                const Flags& flags) {
    staged::start_where(storage_, from.data + first, valid, from.vector_aligned, [&](int c) { return flags[c] != 0; });
  }
  // All lanes of the warp.
  __device__ __forceinline__ void finish() { staged::finish(); }
  // Vector c of the thread, as block/tile.cuh lays tiles out.
  __device__ __forceinline__ simt::vector<T, Shape::width> operator[](int c) const {
    return staged::get_moved(storage_, c);
  }

  // All lanes of the warp: the kept items one behind the other, `warp_kept` in all, and, if wanted, the rejected ones.
  // `beside`: half as much memory as the tile has, laid out alike; not used where rejected items are dropped.
  template <rejects Rejects, std::size_t Stride>
  __device__ __forceinline__ void gather(const tile_flags<Shape>& of, unsigned valid, unsigned warp_kept,
                                         unsigned char* beside, std::integral_constant<std::size_t, Stride>) {
    constexpr bool keeps_all = Rejects != rejects::dropped;
    kept_ = run();
    if constexpr (keeps_all) {
      T* const smaller_part =
          reinterpret_cast<T*>(beside + std::size_t{simt::warp_id()} * (Shape::warp_items / 2 * Stride));
      rejected_ = smaller_part;
      if (warp_kept < Shape::warp_items / 2) {
        rejected_ = kept_;
        kept_ = smaller_part;
      }
    }
    // A vector of which nothing is kept has perhaps not been loaded.
    const auto is_there = [&](int c) { return keeps_all || of[c] != 0; };
    simt::vector<T, Shape::width> ahead;
    if (is_there(0)) ahead = (*this)[0];
    with_ranks(of, [&](int c, unsigned flags, unsigned rank) {
      const simt::vector<T, Shape::width> item = ahead;
      if (c + 1 < Shape::chunks && is_there(c + 1 < Shape::chunks ? c + 1 : c)) ahead = (*this)[c + 1];
      simt::sync_warp();  // all lanes have read this chunk and the next one
      const unsigned in_run = static_cast<unsigned>(c) * Shape::chunk_items + simt::lane_id() * Shape::width;
      const unsigned in_tile = simt::warp_id() * Shape::warp_items + in_run;
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        if (flags >> j & 1u) kept_[rank++] = item[j];
        else if (keeps_all && in_tile + j < valid) rejected_[in_run + j - rank] = item[j];
      }
    });
    simt::sync_warp();
  }

  // All lanes of the warp, after `gather`: writes them.
  template <rejects Rejects>
  __device__ __forceinline__ void write(unsigned warp_kept, const output<T>& kept, const output<T>& rejected,
                                        const placed_tile& tile) const {
    const std::uint64_t before = tile.before + tile.kept_before_warp;
    copy(kept_, warp_kept, kept, tile.site, before);
    if constexpr (Rejects != rejects::dropped) {
      const unsigned first = simt::warp_id() * Shape::warp_items;
      const unsigned there =
          first < tile.valid ? static_cast<unsigned>(smaller(tile.valid - first, Shape::warp_items)) : 0u;
      copy(rejected_, there - warp_kept, rejected, tile.site, tile.rejected_first + (tile.begin + first) - before);
    }
  }

 private:
  explicit __device__ __forceinline__ run_items(typename staged::storage& storage) : storage_(storage) {}

  static __device__ __forceinline__ void copy(const T* from, unsigned items, const output<T>& to, const tile_site& site,
                                              std::uint64_t at) {
    at += site.out_base;
    const unsigned fits = items_with_room(items, to, site, at);
    for (unsigned i = simt::lane_id(); i < fits; i += simt::warp_size) to.data[at + i] = from[i];
  }
  __device__ __forceinline__ T* run() const {
    return reinterpret_cast<T*>(storage_.bytes) + simt::warp_id() * Shape::warp_items;
  }
};

// Columns that pass so: arrays of items that a register or four hold.
template <class Source>
inline constexpr bool passes_in_runs = false;
template <class T>
inline constexpr bool passes_in_runs<array_source<T>> = sizeof(T) <= 16;

}  // namespace ballot::detail
