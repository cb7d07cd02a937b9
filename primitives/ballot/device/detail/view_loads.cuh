// SPDX-License-Identifier: Apache-2.0
// How kernels read views (core/view.hpp): item by item, or one vector of a thread at a time where
// the arrays below are suitable.
//
//     transformed{zip of arrays, f}    a wide load of each array, then f in registers
//     gathered, strided, reversed      item by item, neighbouring lanes neighbouring items
//
// A view that can be read by vectors says so by these members. A caller's view need not have them:
//
//     static constexpr std::size_t bytes_read = B;
//         bytes of memory from which an item is read; 0: it is computed
//     template <int Width> static constexpr bool has_vectors;
//     template <int Width> bool is_vector_aligned() const;
//         on the host: vectors at multiples of Width are whole
//     template <int Width> block::aligned_vectors aligned_vectors() const;
//         on the host, may be left out: where vectors are whole, if not at multiples of Width
//     template <int Width> vector<Width>(std::uint64_t first) const;
//         on the device: Width items, all of which exist
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/view.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <cstdint>

namespace ballot::device {

template <class V>
inline constexpr std::size_t bytes_read = sizeof(typename V::value_type);
template <class V>
  requires requires { V::bytes_read; }
inline constexpr std::size_t bytes_read<V> = V::bytes_read;

// The bytes that a load keeps in registers: the larger of bytes_read and the size of the item.
template <class V>
inline constexpr std::size_t loaded_bytes = bytes_read<V> > sizeof(typename V::value_type)
                                                ? bytes_read<V>
                                                : sizeof(typename V::value_type);

// A vector takes at most so many bytes of registers while it is loaded.
inline constexpr std::size_t most_vector_bytes = 64;

template <class V, int Width>
inline constexpr bool has_vectors = [] {
  if constexpr (bytes_read<V> == 0) return true;
  else if constexpr (requires { V::template has_vectors<Width>; })
    return V::template has_vectors<Width> && Width * bytes_read<V> <= most_vector_bytes;
  else return false;
}();

template <int Width, class V>
bool is_vector_aligned(const V& view) {
  if constexpr (!has_vectors<V, Width>) return false;
  else if constexpr (bytes_read<V> == 0) return true;
  else return view.template is_vector_aligned<Width>();
}

// The same for a contiguous range.
template <int Width, class T>
bool is_vector_aligned(const T* data) {
  return block::is_vector_aligned<T, Width>(data);
}

// The items at which a view's aligned vectors begin.
template <int Width, class V>
block::aligned_vectors aligned_vectors_of(const V& view) {
  if constexpr (!has_vectors<V, Width>) return {};
  else if constexpr (bytes_read<V> == 0) return {block::aligned_vectors::anywhere};
  else if constexpr (requires { view.template aligned_vectors<Width>(); })
    return view.template aligned_vectors<Width>();
  else return block::aligned_vectors{is_vector_aligned<Width>(view) ? 0 : block::aligned_vectors::none};
}

// Width items from `first` on, all of which exist; `first` is a multiple of Width if the view is
// vector-aligned.
template <int Width, class V>
__device__ __forceinline__ simt::vector<typename V::value_type, Width> vector_of(const V& view, std::uint64_t first) {
  if constexpr (bytes_read<V> != 0 && has_vectors<V, Width>) {
    return view.template vector<Width>(first);
  } else {
    simt::vector<typename V::value_type, Width> v;
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = static_cast<typename V::value_type>(view[first + static_cast<unsigned>(j)]);
    return v;
  }
}

// A transform of one array of items of the same size: the array's items may be staged in place of
// the view's, and transformed there.
template <class V>
concept transforms_in_place = requires(const V& view) {
  typename V::array_item;
  requires sizeof(typename V::array_item) == sizeof(typename V::value_type);
  view.array_data();
};

// A contiguous range within a view.
template <class T>
struct array_view {
  using value_type = T;
  static constexpr std::size_t bytes_read = sizeof(T), arrays = 1;
  const T* data_;
  std::uint64_t items;

  std::uint64_t size() const { return items; }
  __device__ __forceinline__ T operator[](std::uint64_t i) const { return data_[i]; }

  template <int Width>
  static constexpr bool has_vectors = block::items_of_access<T, Width> != 0;
  template <int Width>
  bool is_vector_aligned() const {
    return block::is_vector_aligned<T, Width>(data_);
  }
  template <int Width>
  block::aligned_vectors aligned_vectors() const {
    return block::aligned_vectors_of<T, Width>(data_);
  }
  template <int Width>
  __device__ __forceinline__ simt::vector<T, Width> vector(std::uint64_t first) const {
    constexpr int access = block::items_of_access<T, Width>;
    simt::vector<T, Width> v;
#pragma unroll
    for (int a = 0; a < Width; a += access) {
      const auto part = simt::load_vector<T, access>(data_ + first + a);
#pragma unroll
      for (int j = 0; j < access; ++j) v[a + j] = part[j];
    }
    return v;
  }
  template <class Visit>
  void each_array(const Visit& visit) const {
    visit(data_, items);
  }
};

}  // namespace ballot::device
