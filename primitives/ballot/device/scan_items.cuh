// The steps of a scan that take place in a thread's registers: what a tile's items are to their warp and their tile.
//
// A thread holds `chunks` vectors of consecutive items (block/tile.cuh). Before the look-back a tile needs only sums,
// so each lane sums its vectors, a warp scan a chunk says what lies before each of them, and that joins the vector's
// first item; a scan along each vector, once the tile's prefix is known, does the rest.
//
//                                lane 0: a b c d     lane 1:    e f g h     ...
//     sums                               abcd                   efgh
//     warp scan of them                  abcd                   abcdefgh
//     into the first item                a b c d                abcde f g h
//     after the look-back, along         a ab abc abcd          abcde abcdef ...       each with the tile's prefix
//
// Items that are narrower than a register stay packed as they were loaded until the end. No shared memory, no barriers;
// all 32 lanes call together. Indices into registers are known to the compiler, so that nothing goes to local memory.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/scan.cuh>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ballot::device {

// A thread's vectors between load and store. Narrow items stay packed in words: each by itself would take a register.
template <class T, class Shape>
class kept_items {
  static constexpr int width = Shape::width;
  static constexpr bool packs = sizeof(T) < 4 && width * sizeof(T) % 4 == 0;
  using vector = simt::vector<T, width>;
  using kept = std::conditional_t<packs, simt::vector<std::uint32_t, packs ? width * sizeof(T) / 4 : 1>, vector>;

 public:
  __device__ __forceinline__ vector get(int c) const {
    if constexpr (packs) {
      kept words;
#pragma unroll
      for (int w = 0; w < int(width * sizeof(T) / 4); ++w) words[w] = simt::opaque(chunk_[c][w]);
      vector v;
      std::memcpy(&v, &words, sizeof(v));
      return v;
    } else {
      return chunk_[c];
    }
  }
  __device__ __forceinline__ void set(int c, const vector& v) {
    if constexpr (packs) {
      kept words;
      std::memcpy(&words, &v, sizeof(v));
#pragma unroll
      for (int w = 0; w < int(width * sizeof(T) / 4); ++w) chunk_[c][w] = simt::opaque(words[w]);
    } else {
      chunk_[c] = v;
    }
  }

 private:
  kept chunk_[Shape::chunks];
};

// Puts before the first item of each of the thread's vectors what lies before it in the warp's run of the tile; returns
// the warp's total in every lane.
template <class T, class Shape, class Op>
__device__ __forceinline__ T join_vectors(kept_items<T, Shape>& item, Op op) {
  T running{};
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    auto v = item.get(c);
    T sum = v[0];
#pragma unroll
    for (int j = 1; j < Shape::width; ++j) sum = op(sum, v[j]);
    const T up_to_lane = warp::inclusive_scan(sum, op);
    const T below = simt::shuffle_up(up_to_lane, 1);
    const bool has_below = simt::lane_id() != 0;
    if (c != 0) v[0] = op(has_below ? op(running, below) : running, v[0]);
    else if (has_below) v[0] = op(below, v[0]);
    item.set(c, v);
    const T chunk_total = simt::shuffle(up_to_lane, simt::warp_size - 1);
    running = c == 0 ? chunk_total : op(running, chunk_total);
  }
  return running;
}

// After join_vectors: the inclusive sums of chunk c, with `before`, where there is any, before all.
template <class T, class Shape, class Op>
__device__ __forceinline__ simt::vector<T, Shape::width> scan_along(const kept_items<T, Shape>& item, int c,
                                                                    bool has_before, T before, Op op) {
  auto v = item.get(c);
  if (has_before) v[0] = op(before, v[0]);
#pragma unroll
  for (int j = 1; j < Shape::width; ++j) v[j] = op(v[j - 1], v[j]);
  return v;
}

// A chunk's inclusive sums made exclusive: each item becomes its predecessor's sum, from within the vector or from the
// lane below; the first item of the chunk becomes `before`, which then is the chunk's last sum.
template <class T, int Width>
__device__ __forceinline__ simt::vector<T, Width> shifted(simt::vector<T, Width> v, T& before) {
  const T last = v[Width - 1];
  const T below = simt::shuffle_up(last, 1);
#pragma unroll
  for (int j = Width - 1; j > 0; --j) v[j] = v[j - 1];
  v[0] = simt::lane_id() == 0 ? before : below;
  before = simt::shuffle(last, simt::warp_size - 1);
  return v;
}

// Calls use(item) in the one thread that holds item `place` of the tile, if it is in chunk c.
template <class T, class Shape, class Use>
__device__ __forceinline__ void with_item(const simt::vector<T, Shape::width>& v, int c, unsigned place, Use use) {
#pragma unroll
  for (int j = 0; j < Shape::width; ++j)
    if (block::tile<T, Shape>::first_item(c) + j == place) use(v[j]);
}

}  // namespace ballot::device
