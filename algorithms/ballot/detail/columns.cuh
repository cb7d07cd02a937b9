// Structure of arrays: ranges whose items of one position belong together, and how kernels read and write them.
//
//     zip{keys, ids, masses}          three arrays, one record an item
//     positions<std::uint32_t>(n)     0, 1, ..., n - 1 as an input: nothing is read
//
// Every selection takes one range, or a zip of them as input and a zip of as many as output. A kernel sees a list of
// columns: where a column's items come from (a source) and where they go. Columns pass through the registers and the
// shared memory of a block one after the other, so that their number does not cost either.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

namespace ballot {

// The positions 0 to n - 1 as an input range. `count` as in `counted`: a device address of the length, or null.
template <std::unsigned_integral Index = std::uint32_t>
struct positions {
  std::uint64_t n;
  const std::uint64_t* count;

  explicit positions(std::uint64_t items, const std::uint64_t* device_count = nullptr)
      : n(items), count(device_count) {}
};

namespace detail {

template <class R>
inline constexpr bool is_described = false;  // already a view that knows its length
template <class T>
inline constexpr bool is_described<counted<T>> = true;
template <class Index>
inline constexpr bool is_described<positions<Index>> = true;

template <class R>
auto as_view(R&& range) {
  if constexpr (is_described<std::remove_cvref_t<R>>) return std::remove_cvref_t<R>(range);
  else return std::span(std::ranges::data(range), std::ranges::size(range));
}

}  // namespace detail

// Ranges of one length (up to 8 are sensible), or outputs of one length each. Of inputs, the first may be `counted` or
// `positions`; others may be `positions`.
template <class... Views>
struct zip {
  std::tuple<Views...> views;

  template <class... R>
    requires(sizeof...(R) == sizeof...(Views))
  explicit zip(R&&... ranges) : views(detail::as_view(ranges)...) {}
};
template <class... R>
zip(R&&...) -> zip<decltype(detail::as_view(std::declval<R&>()))...>;

// A predicate, relation or bucket function that is asked about the items of a zip's first range alone. Without it, the
// function takes an item of every range.
template <class F>
struct on_first {
  F function;
};
template <class F>
on_first(F) -> on_first<F>;

namespace detail {

template <class F>
inline constexpr bool is_on_first = false;
template <class F>
inline constexpr bool is_on_first<on_first<F>> = true;

// ---- on the host ----

template <class Index>
struct position_input {
  using value_type = Index;
  ballot::detail::length length;
  std::uint64_t capacity() const { return length.capacity; }
};
template <class Index>
position_input<Index> as_input(const positions<Index>& range) {
  return {{range.n, range.count}};
}

template <class R>
  requires requires(const R& r) { detail::as_input(r); }
auto as_inputs(const R& range) {
  return std::tuple(as_input(range));
}
template <class... V>
auto as_inputs(const zip<V...>& of) {
  return std::apply([](const V&... view) { return std::tuple(as_input(view)...); }, of.views);
}
template <output_range R>
auto as_outputs(R&& range) {
  return std::tuple(as_output(range));
}
template <class... V>
auto as_outputs(const zip<V...>& of) {
  return std::apply([](const V&... view) { return std::tuple(as_output(view)...); }, of.views);
}

template <class R>
concept input_table = requires(const R& r) { as_inputs(r); };
template <class R>
concept output_table = requires(R& r) { as_outputs(r); };

template <class... I>
length length_of(const std::tuple<I...>& inputs) {
  return std::get<0>(inputs).length;
}

template <class Tuple, class F>
void for_each(const Tuple& all, const F& f) {
  std::apply([&](const auto&... one) { (f(one), ...); }, all);
}

// Where a range lies; nowhere where it has no memory.
struct extent {
  const void* begin = nullptr;
  std::uint64_t bytes = 0;
};
template <class T>
extent extent_of(const input<T>& in) {
  return {in.data, in.capacity() * sizeof(T)};
}
template <class Index>
extent extent_of(const position_input<Index>&) {
  return {};
}
template <class T>
extent extent_of(const output<T>& out) {
  return {out.data, out.size * sizeof(T)};
}
template <class... R>
std::array<extent, sizeof...(R)> extents_of(const std::tuple<R...>& ranges) {
  return std::apply([](const auto&... r) { return std::array<extent, sizeof...(R)>{extent_of(r)...}; }, ranges);
}
inline void require_apart(const extent& a, const extent& b, const char* function) {
  require(!overlap(a.begin, a.bytes, b.begin, b.bytes), function, "ranges overlap");
}

// All inputs are there and equally long.
template <class... I>
void require_inputs(const std::tuple<I...>& inputs, const char* function) {
  const length first = length_of(inputs);
  bool is_first = true;
  for_each(inputs, [&](const auto& in) {
    const extent memory = extent_of(in);
    require(memory.begin != nullptr || memory.bytes == 0, function, "the input is null but not empty");
    require(in.capacity() == first.capacity, function, "the ranges of a zip have different lengths");
    require(is_first || in.length.count == nullptr, function, "only the first range of a zip may be counted");
    is_first = false;
  });
}

// Outputs do not overlap each other.
template <class... T>
void require_disjoint(const std::tuple<output<T>...>& outputs, const char* function) {
  const auto all = extents_of(outputs);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) require_apart(all[i], all[j], function);
}

// All outputs are there, and apart from the inputs and from each other.
template <class... I, class... T>
void require_outputs(const std::tuple<I...>& inputs, const std::tuple<output<T>...>& outputs, const char* function) {
  for_each(outputs, [&](const auto& out) { require_writable(out, function); });
  for (const extent& out : extents_of(outputs))
    for (const extent& in : extents_of(inputs)) require_apart(in, out, function);
  require_disjoint(outputs, function);
}

template <class... T>
void require_lengths(const std::tuple<output<T>...>& outputs, std::uint64_t n, const char* function) {
  for_each(outputs,
           [&](const auto& out) { require(out.size == n, function, "input and output have different lengths"); });
}

// ---- in kernels ----

// Items in memory.
template <class T>
struct array_source {
  using item = T;
  const T* data;
  bool whole_vectors;

  // The tile of `valid` items that begins at `begin`, as block::tile::load has it.
  template <class Shape>
  __device__ __forceinline__ void load(std::uint64_t begin, unsigned valid,
                                       typename block::tile<T, Shape>::items& item) const {
    block::tile<T, Shape>::load(data + begin, valid, whole_vectors, item);
  }
  // Only the items with a flag: a vector without one is not read.
  template <class Shape>
  __device__ __forceinline__ void load_flagged(std::uint64_t begin, unsigned valid,
                                               const unsigned (&flags)[Shape::chunks],
                                               typename block::tile<T, Shape>::items& item) const {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned first = block::tile<T, Shape>::first_item(c);
      if (flags[c] != 0) item[c] = vector<Shape::width>(begin + first, valid - first);
    }
  }
  // `Width` items from `first` on, of which `valid` are there: the others are copies of the first. valid >= 1.
  template <int Width>
  __device__ __forceinline__ simt::vector<T, Width> vector(std::uint64_t first, unsigned valid) const {
    if constexpr (block::is_one_access<T, Width>)
      if (whole_vectors && valid >= static_cast<unsigned>(Width)) return simt::load_vector<T, Width>(data + first);
    simt::vector<T, Width> v;
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = data[first + (static_cast<unsigned>(j) < valid ? j : 0)];
    return v;
  }
};

// Items that are their own positions.
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
  template <class Shape>
  __device__ __forceinline__ void load_flagged(std::uint64_t begin, unsigned valid, const unsigned (&)[Shape::chunks],
                                               typename block::tile<Index, Shape>::items& item) const {
    load<Shape>(begin, valid, item);
  }
  template <int Width>
  __device__ __forceinline__ simt::vector<Index, Width> vector(std::uint64_t first, unsigned) const {
    simt::vector<Index, Width> v;
#pragma unroll
    for (int j = 0; j < Width; ++j) v[j] = static_cast<Index>(first + static_cast<unsigned>(j));
    return v;
  }
};

// Whole: whatever is read begins at a multiple of Width items.
template <int Width, class T>
array_source<T> make_source(const input<T>& in, bool whole = true) {
  return {in.data, whole && block::whole_vectors_at<T, Width>(in.data)};
}
template <int Width, class Index>
position_source<Index> make_source(const position_input<Index>&, bool = true) {
  return {};
}
template <class I>
using source_of = decltype(make_source<1>(std::declval<const I&>()));

// Several sources, read together.
template <class... S>
struct sources;
template <>
struct sources<> {
  template <int Width, class F, class... V>
  __device__ __forceinline__ void with_vectors(std::uint64_t, unsigned, const F& f, const V&... vectors) const {
    f(vectors...);
  }
};
template <class First, class... Rest>
struct sources<First, Rest...> {
  First first;
  sources<Rest...> rest;

  // f(a, b, ...) of the vectors of `Width` items at `at`, one a source.
  template <int Width, class F, class... V>
  __device__ __forceinline__ void with_vectors(std::uint64_t at, unsigned valid, const F& f,
                                               const V&... vectors) const {
    const auto mine = first.template vector<Width>(at, valid);
    rest.template with_vectors<Width>(at, valid, f, vectors..., mine);
  }
};

template <int Width, class... I>
sources<source_of<I>...> make_sources(const std::tuple<I...>& inputs, bool whole = true) {
  if constexpr (sizeof...(I) == 0) {
    return {};
  } else {
    return std::apply(
        [&](const auto& first, const auto&... rest) {
          return sources<source_of<I>...>{make_source<Width>(first, whole),
                                          make_sources<Width>(std::tuple(rest...), whole)};
        },
        inputs);
  }
}

// A source and where its items go: kept ones, and those that are not.
template <class Source>
struct column {
  using item = typename Source::item;
  Source source;
  output<item> kept;
  output<item> rejected;
};

template <class... C>
struct columns;
template <>
struct columns<> {
  static constexpr std::size_t largest_item = 1;
};
template <class First, class... Rest>
struct columns<First, Rest...> {
  static constexpr std::size_t largest_item = std::max(sizeof(typename First::item), columns<Rest...>::largest_item);
  First first;
  columns<Rest...> rest;
};

inline columns<> make_columns() { return {}; }
template <class First, class... Rest>
columns<First, Rest...> make_columns(const First& first, const Rest&... rest) {
  return {first, make_columns(rest...)};
}

// A column a range. Rejected: a tuple of outputs as Kept, or empty.
template <int Width, class... I, class... Kept, class... Rejected>
auto make_columns(const std::tuple<I...>& inputs, const std::tuple<output<Kept>...>& kept,
                  const std::tuple<output<Rejected>...>& rejected, bool whole = true) {
  static_assert(sizeof...(I) == sizeof...(Kept), "as many outputs as inputs");
  static_assert(sizeof...(Rejected) == 0 || sizeof...(I) == sizeof...(Rejected), "as many outputs as inputs");
  static_assert((std::is_same_v<typename I::value_type, Kept> && ...), "input and output items differ in type");
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    const auto one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
      using source = source_of<std::tuple_element_t<K, std::tuple<I...>>>;
      column<source> c{make_source<Width>(std::get<K>(inputs), whole), std::get<K>(kept), {nullptr, 0}};
      if constexpr (sizeof...(Rejected) != 0) c.rejected = std::get<K>(rejected);
      return c;
    };
    return make_columns(one(std::integral_constant<std::size_t, J>{})...);
  }(std::index_sequence_for<I...>{});
}

}  // namespace detail
}  // namespace ballot
