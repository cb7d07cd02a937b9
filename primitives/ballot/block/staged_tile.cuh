// A tile in shared memory, where it waits without occupying registers.
//
//     registers (64 KiB x 4 a multiprocessor)    hold what a tile's items have been reduced to
//     shared memory (227 KiB on an H200)         holds the items, from the load to the store
//
// A tile that waits for others is bytes that are not on their way. The more tiles a multiprocessor holds, the more of
// them can wait at any time; in registers alone there is room for about half as many. Each thread stages the vectors
// that it will itself take again, in places of its own, so that neither a barrier nor an exchange lies between the two.
// The copies are asynchronous (simt::copy_async): a load that needs no register while it is under way.
//
// Vectors lie as block/tile.cuh says. Shared memory: a tile. No barriers.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <cstring>

namespace ballot::block {

template <class T, class Shape>
class staged_tile {
  static constexpr int width = Shape::width;
  static constexpr int access = items_of_access<T, width>;  // items of an asynchronous copy
  static constexpr int access_bytes = access * static_cast<int>(sizeof(T));
  static constexpr bool is_asynchronous = access_bytes == 4 || access_bytes == 8 || access_bytes == 16;
  static constexpr int copies = is_asynchronous ? width / access : 1;
  static constexpr int copy_bytes = width * static_cast<int>(sizeof(T)) / copies;
  static constexpr int alignment = is_asynchronous ? copy_bytes : static_cast<int>(alignof(T));
  struct alignas(alignment) piece {
    unsigned char bytes[copy_bytes];
  };
  using vector = simt::vector<T, width>;

 public:
  struct storage {
    alignas(16) unsigned char places[Shape::items * sizeof(T)];
  };

  // Begins to stage the tile that begins at `in` and has `valid` items; the missing ones become copies of the first.
  static __device__ __forceinline__ void start(storage& to, const T* in, unsigned valid, bool whole_vectors,
                                               bool mirrored) {
    if constexpr (is_asynchronous) {
      if (valid == Shape::items && whole_vectors) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; ++c) {
          const unsigned first = tile<T, Shape>::first_item(c);
          const T* const from = in + (mirrored ? Shape::items - width - first : first);
#pragma unroll
          for (int i = 0; i < copies; ++i) simt::copy_async<copy_bytes>(&place_of(to, c, i), from + i * access);
        }
        return;
      }
    }
    tile<T, Shape>::load_each(in, valid, whole_vectors, mirrored, [&](int c, const vector& v) {
      // As it lies in memory, so that both ways in have one way out.
      put(to, c, mirrored ? tile<T, Shape>::reversed(v) : v);
    });
  }
  // Waits until this thread's vectors are there.
  static __device__ __forceinline__ void finish() {
    if constexpr (is_asynchronous) simt::wait_for_copies();
  }
  // After `finish`, as often as wanted.
  static __device__ __forceinline__ vector get(storage& from, int c, bool mirrored) {
    piece pieces[copies];
#pragma unroll
    for (int i = 0; i < copies; ++i) pieces[i] = place_of(from, c, i);
    vector v;
    std::memcpy(&v, pieces, sizeof(v));
    return mirrored ? tile<T, Shape>::reversed(v) : v;
  }

 private:
  static __device__ __forceinline__ void put(storage& to, int c, const vector& v) {
    piece pieces[copies];
    std::memcpy(pieces, &v, sizeof(v));
#pragma unroll
    for (int i = 0; i < copies; ++i) place_of(to, c, i) = pieces[i];
  }
  static __device__ __forceinline__ piece& place_of(storage& s, int c, int i) {
    return reinterpret_cast<piece*>(
        s.places)[static_cast<unsigned>(c * copies + i) * Shape::threads + simt::thread_rank()];
  }
};

}  // namespace ballot::block
