// Rows between global and shared memory, by a team of threads: a warp, which stages several short rows, or a block,
// which stages one.
//
//     global, rows a pitch apart      shared, rows a stride of whole vectors apart
//     |r0 r0 r0 r0 r0 r0|..|r1 ...    |r0 r0 r0 r0|r0 r0 - -|r1 r1 r1 r1|...
//
// The units of all rows (16-byte vectors where the address allows it, else items) are counted through and dealt to the
// threads in turn: so a warp's accesses to global memory are consecutive, across the ends of packed rows too, and those
// to shared memory meet no bank twice. All loads of a thread are under way before it waits for the first.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Items that move in one access of shared memory.
template <class T, int Width>
struct alignas(Width * sizeof(T)) staged_unit {
  T item[Width];
};
template <class T>
inline constexpr int items_a_vector = 16 / sizeof(T);
template <class T>
using staged_vector = staged_unit<T, items_a_vector<T>>;

// The lanes of a warp, each warp for itself.
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

// The units of a team's rows, one after the other: this thread's first, then every threads()-th.
template <class Team>
class unit_walk {
 public:
  __device__ __forceinline__ unit_walk(unsigned rows, unsigned row_units)
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

// Items of rows in global memory, and whether their vectors are whole 16-byte words of it.
template <class T>
struct global_rows {
  T* first;
  std::uint64_t pitch;
  bool has_vectors;
};

// Units of `Width` items from global to shared memory, where rows are `stride` items apart. They are there after the
// thread's next wait_for_copies.
template <class Team, int Width, class T>
__device__ __forceinline__ void stage_units_in(const T* from, std::uint64_t pitch, T* to, unsigned stride,
                                               unsigned rows, unsigned row_units) {
  constexpr int bytes = Width * static_cast<int>(sizeof(T));
  for (unit_walk<Team> walk(rows, row_units); walk.is_inside(); walk.step()) {
    T* const place = to + (walk.row() * stride + walk.unit() * Width);
    const T* const source = from + (walk.row() * pitch + std::uint64_t{walk.unit()} * Width);
    if constexpr (bytes == 4 || bytes == 8 || bytes == 16) {
      simt::copy_async<bytes>(place, source);
    } else {
      static_assert(Width == 1);
      *place = *source;
    }
  }
}

// And back.
template <class Team, int Width, class T>
__device__ __forceinline__ void stage_units_out(const T* from, unsigned stride, T* to, std::uint64_t pitch,
                                                unsigned rows, unsigned row_units) {
  using unit = staged_unit<T, Width>;
  for (unit_walk<Team> walk(rows, row_units); walk.is_inside(); walk.step()) {
    const unit staged = *reinterpret_cast<const unit*>(from + (walk.row() * stride + walk.unit() * Width));
    simt::vector<T, Width> stored;
#pragma unroll
    for (int j = 0; j < Width; ++j) stored[j] = staged.item[j];
    simt::store_vector<T, Width>(to + (walk.row() * pitch + std::uint64_t{walk.unit()} * Width), stored);
  }
}

// The first `items` items of `rows` rows; vectors where they can be had, what they leave of a row as items.
template <class Team, class T>
__device__ __forceinline__ void stage_in(const global_rows<const T>& from, staged_vector<T>* to, unsigned stride,
                                         unsigned rows, unsigned items) {
  constexpr unsigned width = items_a_vector<T>;
  const unsigned vectors = from.has_vectors ? items / width : 0, in_vectors = vectors * width;
  T* const shared = to->item;
  stage_units_in<Team, width>(from.first, from.pitch, shared, stride * width, rows, vectors);
  stage_units_in<Team, 1>(from.first + in_vectors, from.pitch, shared + in_vectors, stride * width, rows,
                          items - in_vectors);
  simt::wait_for_copies();
}
template <class Team, class T>
__device__ __forceinline__ void stage_out(const staged_vector<T>* from, unsigned stride, const global_rows<T>& to,
                                          unsigned rows, unsigned items) {
  constexpr unsigned width = items_a_vector<T>;
  const unsigned vectors = to.has_vectors ? items / width : 0, in_vectors = vectors * width;
  const T* const shared = from->item;
  stage_units_out<Team, width>(shared, stride * width, to.first, to.pitch, rows, vectors);
  stage_units_out<Team, 1>(shared + in_vectors, stride * width, to.first + in_vectors, to.pitch, rows,
                           items - in_vectors);
}

}  // namespace ballot::detail
