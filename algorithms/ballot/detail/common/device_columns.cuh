// SPDX-License-Identifier: Apache-2.0
// How kernels read and write structures of arrays: a list of columns. Each has a source for its
// items and outputs for them. A block moves one column after the other, so more columns take
// neither more registers nor more shared memory.
//
//     zip{keys, positions(n)}                  what a caller writes (zip.cuh)
//          |  as_inputs, as_outputs
//     tuple{input<u64>, view_input<...>}       checked on the host (zip.cuh)
//          |  make_device_columns
//     device_columns{{array_source, outputs}, {position_source, outputs}}      what a kernel gets
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/common/view_source.cuh>
#include <ballot/detail/common/zip.cuh>
#include <ballot/simt/simt.cuh>

#include <concepts>
#include <cstdint>
#include <tuple>
#include <utility>

namespace ballot::detail {

// Items in memory.
template <class T>
struct array_source {
  using item = T;
  const T* data;
  block::aligned_vectors vectors;

  // Loads the tile of `valid` items that begins at `begin`, as block::tile::load does.
  template <class Shape>
  __device__ __forceinline__ void load(std::uint64_t begin, unsigned valid,
                                       typename block::tile<T, Shape>::items& item) const {
    block::tile<T, Shape>::load(data + begin, valid, vectors.template begin_at<Shape::width>(begin), item);
  }
  // Loads only vectors that contain a set flag.
  template <class Shape, class Flags>
  __device__ __forceinline__ void load_flagged(std::uint64_t begin, unsigned valid, const Flags& flags,
                                               typename block::tile<T, Shape>::items& item) const {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = block::tile<T, Shape>::first_item(c);
      if (flags[c] != 0) item[c] = vector<Shape::width>(begin + first, valid - first);
    }
  }
  // The `Width` items from `first` on. Only `valid` of them exist, at least 1; the others become
  // copies of the first.
  template <int Width>
  __device__ __forceinline__ simt::vector<T, Width> vector(std::uint64_t first, unsigned valid) const {
    if constexpr (block::items_of_access<T, Width> == Width)
      if (valid >= static_cast<unsigned>(Width) && vectors.template begin_at<Width>(first))
        return simt::load_vector<T, Width>(data + first);
    simt::vector<T, Width> v;
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = data[first + (static_cast<unsigned>(j) < valid ? j : 0)];
    return v;
  }
};

// Each item is its own position.
template <class Index>
struct position_source {
  using item = Index;

  template <class Shape>
  __device__ __forceinline__ void load(std::uint64_t begin, unsigned valid,
                                       typename block::tile<Index, Shape>::items& item) const {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      item[c] = vector<Shape::width>(begin + block::tile<Index, Shape>::first_item(c), valid);
  }
  template <class Shape, class Flags>
  __device__ __forceinline__ void load_flagged(std::uint64_t begin, unsigned valid, const Flags&,
                                               typename block::tile<Index, Shape>::items& item) const {
    load<Shape>(begin, valid, item);
  }
  template <int Width>
  __device__ __forceinline__ simt::vector<Index, Width> vector(std::uint64_t first, unsigned) const {
    simt::vector<Index, Width> v{};
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = static_cast<Index>(first + static_cast<unsigned>(j));
    return v;
  }
};

template <int Width, class T>
array_source<T> make_source(const input<T>& in) {
  return {in.data, block::aligned_vectors_of<T, Width>(in.data)};
}
template <int Width, class Index>
position_source<Index> make_source(const position_input<Index>&) {
  return {};
}
template <int Width, class V>
view_source<V> make_source(const view_input<V>& in) {
  return make_view_source<Width>(in.view);
}
template <class I>
using source_of = decltype(make_source<1>(std::declval<const I&>()));

// Several sources, read together.
template <class... S>
struct sources;
template <>
struct sources<> {
  static constexpr int count = 0;
  template <int Width, class F, class... V>
  __device__ __forceinline__ void with_vectors(std::uint64_t, unsigned, const F& f, const V&... vectors) const {
    f(vectors...);
  }
};
template <class First, class... Rest>
struct sources<First, Rest...> {
  static constexpr int count = 1 + sizeof...(Rest);
  First first;
  sources<Rest...> rest;

  // Calls f(a, b, ...) with the vectors of `Width` items at `at`, one of each source.
  template <int Width, class F, class... V>
  __device__ __forceinline__ void with_vectors(std::uint64_t at, unsigned valid, const F& f,
                                               const V&... vectors) const {
    const auto loaded = first.template vector<Width>(at, valid);
    rest.template with_vectors<Width>(at, valid, f, vectors..., loaded);
  }
};

template <int Width, class... I>
sources<source_of<I>...> make_sources(const std::tuple<I...>& inputs) {
  if constexpr (sizeof...(I) == 0) {
    return {};
  } else {
    return std::apply(
        [&](const auto& first, const auto&... rest) {
          return sources<source_of<I>...>{make_source<Width>(first), make_sources<Width>(std::tuple(rest...))};
        },
        inputs);
  }
}

// A source, and outputs for its selected and its rejected items.
template <class Source, class Selected = output<typename Source::item>, class Rejected = output<typename Source::item>>
struct device_column {
  using item = typename Source::item;
  Source source;
  Selected selected;
  Rejected rejected;
};

template <class... C>
struct device_columns;
template <>
struct device_columns<> {
  static constexpr std::size_t largest_item = 1;
};
template <class First, class... Rest>
struct device_columns<First, Rest...> {
  static constexpr std::size_t largest_item =
      largest_of(sizeof(typename First::item), device_columns<Rest...>::largest_item);
  First first;
  device_columns<Rest...> rest;
};

inline device_columns<> make_device_columns() { return {}; }
template <class First, class... Rest>
device_columns<First, Rest...> make_device_columns(const First& first, const Rest&... rest) {
  return {first, make_device_columns(rest...)};
}

// A column for each range. `rejected`: a tuple of as many outputs as `selected`, or empty.
template <int Width, class... I, class... Selected, class... Rejected>
auto make_device_columns(const std::tuple<I...>& inputs, const std::tuple<Selected...>& selected,
                         const std::tuple<Rejected...>& rejected) {
  static_assert(sizeof...(I) == sizeof...(Selected), "as many outputs as inputs");
  static_assert(sizeof...(Rejected) == 0 || sizeof...(I) == sizeof...(Rejected), "as many outputs as inputs");
  static_assert((std::is_same_v<typename I::value_type, typename Selected::value_type> && ...),
                "input and output items differ in type");
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    const auto one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      using source = source_of<std::tuple_element_t<K, std::tuple<I...>>>;
      using to = std::tuple_element_t<K, std::tuple<Selected...>>;
      if constexpr (sizeof...(Rejected) != 0)
        return device_column<source, to, std::tuple_element_t<K, std::tuple<Rejected...>>>{
            make_source<Width>(std::get<K>(inputs)), std::get<K>(selected), std::get<K>(rejected)};
      else
        return device_column<source, to>{make_source<Width>(std::get<K>(inputs)), std::get<K>(selected), {nullptr, 0}};
    };
    return make_device_columns(one(std::integral_constant<std::size_t, J>{})...);
  }(std::index_sequence_for<I...>{});
}

}  // namespace ballot::detail
