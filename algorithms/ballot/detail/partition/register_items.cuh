// How items pass through a selection by way of registers: a thread's vectors, then the whole tile's kept items one behind
// the other in shared memory, the rejected ones behind them.
//
// For what does not wait for memory (positions), and for items too large to stage as they come (partition_runs.cuh).
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/partition/tile.cuh>
#include <ballot/detail/partition/tuning.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class Source, class Shape>
class register_items {
  using T = typename Source::item;
  typename block::tile<T, Shape>::items item_;

 public:
  __device__ __forceinline__ void start(const Source& from, std::uint64_t first, unsigned valid) {
    from.template load<Shape>(first, valid, item_);
  }
  template <class Flags>
  __device__ __forceinline__ void start_flagged(const Source& from, std::uint64_t first, unsigned valid,
                                                const Flags& flags) {
    from.template load_flagged<Shape>(first, valid, flags, item_);
  }
  __device__ __forceinline__ void finish() {}
  __device__ __forceinline__ const simt::vector<T, Shape::width>& operator[](int c) const { return item_[c]; }

  // Kept items to the front of the staged tile, rejected ones behind them. A barrier before, if the memory was in use,
  // and one behind.
  template <rejects Rejects>
  __device__ __forceinline__ void gather(const tile_flags<Shape>& of, unsigned kept_before_warp, unsigned tile_kept,
                                         unsigned valid, T* staged) const {
    with_ranks(of, [&](int c, unsigned flags, unsigned rank) {
      const unsigned first = block::tile<T, Shape>::first_item(c);
      unsigned kept_before = kept_before_warp + rank;  // of the item at hand
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        if (flags >> j & 1u) {
          staged[kept_before++] = item_[c][j];
        } else if (Rejects != rejects::dropped && first + j < valid) {
          staged[tile_kept + (first + j - kept_before)] = item_[c][j];
        }
      }
    });
  }
};

template <class Shape, class T>
__device__ __forceinline__ void copy_out(const T* from, unsigned items, const output<T>& to, const tile_site& site,
                                         std::uint64_t at) {
  at += site.out_base;
  const unsigned fits = items_with_room(items, to, site, at);
  for (unsigned i = simt::thread_rank(); i < fits; i += Shape::threads) to.data[at + i] = from[i];
}

// All threads, after a barrier behind `gather`.
template <class Shape, rejects Rejects, class Source>
__device__ __forceinline__ void write_column(const column<Source>& of, const typename Source::item* staged,
                                             const placed_tile& tile) {
  copy_out<Shape>(staged, tile.kept, of.kept, tile.site, tile.before);
  if constexpr (Rejects != rejects::dropped)
    copy_out<Shape>(staged + tile.kept, tile.valid - tile.kept, of.rejected, tile.site,
                    tile.rejected_first + tile.begin - tile.before);
}

}  // namespace ballot::detail
