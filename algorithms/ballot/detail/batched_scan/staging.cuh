// SPDX-License-Identifier: Apache-2.0
// Moves rows between global and shared memory by a team of threads: a warp for several short rows,
// or a block for one row.
//
//     global, rows a pitch apart      shared, rows a stride of whole vectors apart
//     |r0 r0 r0 r0 r0 r0|..|r1 ...    |r0 r0 r0 r0|r0 r0 - -|r1 r1 r1 r1|...
//
// A unit is a 16-byte vector if the address allows it, else an item. The units of all rows are
// numbered, and the threads take them in turn. So a warp's accesses to global memory are
// consecutive, also across the ends of packed rows. Its accesses to shared memory have no bank
// conflicts. A thread issues all of its loads before it waits for the first.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Items moved by one access of shared memory.
template <class T, int Width>
struct alignas(Width * sizeof(T)) staged_unit {
  T item[Width];
};
template <class T>
inline constexpr int items_per_vector = 16 / sizeof(T);
template <class T>
using staged_vector = staged_unit<T, items_per_vector<T>>;

// The lanes of a warp.
struct warp_team {
  static constexpr bool has_one_row = false;
  static __device__ __forceinline__ unsigned rank() { return simt::lane_id(); }
  static __device__ __forceinline__ unsigned threads() { return simt::warp_size; }
  static __device__ __forceinline__ void sync() { simt::sync_warp(); }
};
// The threads of a one-dimensional block.
struct block_team {
  static constexpr bool has_one_row = true;
  static __device__ __forceinline__ unsigned rank() { return simt::thread_rank(); }
  static __device__ __forceinline__ unsigned threads() { return blockDim.x; }
  static __device__ __forceinline__ void sync() { simt::sync_block(); }
};

// The units of this thread among those of the team's rows: its first one, then every threads()-th.
template <class Team>
class unit_iterator {
 public:
  __device__ __forceinline__ unit_iterator(unsigned rows, unsigned row_units)
      : rows_(rows), row_units_(row_units), unit_(Team::rank()) {
    if constexpr (!Team::has_one_row) {
      if (row_units_ != 0) {
        row_step_ = Team::threads() / row_units_;
        unit_step_ = Team::threads() % row_units_;
        row_ = unit_ / row_units_;
        unit_ %= row_units_;
      } else {
        row_ = rows_;
      }
    }
  }
  __device__ __forceinline__ bool is_inside() const { return Team::has_one_row ? unit_ < row_units_ : row_ < rows_; }
  __device__ __forceinline__ unsigned row() const { return Team::has_one_row ? 0 : row_; }
  __device__ __forceinline__ unsigned unit() const { return unit_; }
  __device__ __forceinline__ void step() {
    if constexpr (Team::has_one_row) {
      unit_ += Team::threads();
    } else {
      row_ += row_step_;
      unit_ += unit_step_;
      if (unit_ >= row_units_) {
        unit_ -= row_units_;
        ++row_;
      }
    }
  }

 private:
  unsigned rows_, row_units_, unit_, row_ = 0, row_step_ = 0, unit_step_ = 0;
};

// Rows in global memory, and whether their vectors are aligned to 16 bytes.
template <class T>
struct global_rows {
  T* first;
  std::uint64_t pitch;
  bool has_vectors;

  // The rows from `row` on, each from its item `item` on.
  __device__ __forceinline__ global_rows from(std::uint64_t row, std::uint64_t item = 0) const {
    return {first + (row * pitch + item), pitch, has_vectors};
  }
};

// Copies units of `Width` items from global to shared memory, where rows are `stride` items apart. The copies are
// complete after the thread's next wait_for_copies.
template <class Team, int Width, class T>
__device__ __forceinline__ void load_units(const T* from, std::uint64_t pitch, T* to, unsigned stride, unsigned rows,
                                           unsigned row_units) {
  constexpr int bytes = Width * static_cast<int>(sizeof(T));
  for (unit_iterator<Team> walk(rows, row_units); walk.is_inside(); walk.step()) {
    T* const destination = to + (walk.row() * stride + walk.unit() * Width);
    const T* const source = from + (walk.row() * pitch + std::uint64_t{walk.unit()} * Width);
    if constexpr (bytes == 4 || bytes == 8 || bytes == 16) {
      simt::copy_async<bytes>(destination, source);
    } else {
      static_assert(Width == 1);
      *destination = *source;
    }
  }
}

// The way back.
template <class Team, int Width, class T>
__device__ __forceinline__ void store_units(const T* from, unsigned stride, T* to, std::uint64_t pitch, unsigned rows,
                                            unsigned row_units) {
  using unit = staged_unit<T, Width>;
  for (unit_iterator<Team> walk(rows, row_units); walk.is_inside(); walk.step()) {
    const unit staged = *reinterpret_cast<const unit*>(from + (walk.row() * stride + walk.unit() * Width));
    simt::vector<T, Width> stored;
#pragma unroll
    for (int j = 0; j < Width; ++j) stored[j] = staged.item[j];
    simt::store_vector<T, Width>(to + (walk.row() * pitch + std::uint64_t{walk.unit()} * Width), stored);
  }
}

// Moves the first `items` items of `rows` rows: in vectors if they are aligned, the rest of a row in items.
template <class Team, class T>
__device__ __forceinline__ void load_rows(const global_rows<const T>& from, staged_vector<T>* to, unsigned stride,
                                          unsigned rows, unsigned items) {
  constexpr unsigned width = items_per_vector<T>;
  const unsigned vectors = from.has_vectors ? items / width : 0, in_vectors = vectors * width;
  T* const shared = to->item;
  load_units<Team, width>(from.first, from.pitch, shared, stride * width, rows, vectors);
  load_units<Team, 1>(from.first + in_vectors, from.pitch, shared + in_vectors, stride * width, rows,
                      items - in_vectors);
  simt::wait_for_copies();
}
template <class Team, class T>
__device__ __forceinline__ void store_rows(const staged_vector<T>* from, unsigned stride, const global_rows<T>& to,
                                           unsigned rows, unsigned items) {
  constexpr unsigned width = items_per_vector<T>;
  const unsigned vectors = to.has_vectors ? items / width : 0, in_vectors = vectors * width;
  const T* const shared = from->item;
  store_units<Team, width>(shared, stride * width, to.first, to.pitch, rows, vectors);
  store_units<Team, 1>(shared + in_vectors, stride * width, to.first + in_vectors, to.pitch, rows, items - in_vectors);
}

}  // namespace ballot::detail
