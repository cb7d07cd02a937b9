// Structures of arrays: ranges whose items at one position form a record, and the checks that calls make of them.
//
//     zip{keys, ids, masses}          three arrays; record i is {keys[i], ids[i], masses[i]}
//     positions<std::uint32_t>(n)     the input 0, 1, ..., n - 1, without memory
//
// Every selection takes one range, or a zip of ranges as input and a zip of as many as output. On the host both become
// tuples of inputs and outputs; device_columns.cuh turns these into the columns that kernels take.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace ballot {

// The positions 0 to n - 1 as an input range. count: a device address of the length, as in `counted`, or null. It is an
// error if n - 1 exceeds Index, unless no position is read or moved (count_if, flag_bits and
// compact_indices by flags).
template <std::unsigned_integral Index = std::uint32_t>
struct positions {
  std::uint64_t n;
  const std::uint64_t* count;

  explicit positions(std::uint64_t items, const std::uint64_t* device_count = nullptr)
      : n(items), count(device_count) {}
};

namespace detail {

template <class R>
inline constexpr bool is_described = false;  // a view with a length of its own
template <class T>
inline constexpr bool is_described<counted<T>> = true;
template <class Index>
inline constexpr bool is_described<positions<Index>> = true;

template <class R>
auto as_view(R&& range) {
  if constexpr (is_described<std::remove_cvref_t<R>>) {
    return std::remove_cvref_t<R>(range);
  } else {
    const std::span items(range);  // of an array: a span with a static size
    return std::span(items.data(), items.size());
  }
}

}  // namespace detail

// Several ranges as one structure of arrays: inputs of equal length, or outputs. Up to 8 ranges are sensible. An input
// zip may have `positions` anywhere; only its first range may be `counted`.
template <class... Views>
struct zip {
  std::tuple<Views...> views;

  template <class... R>
    requires(sizeof...(R) == sizeof...(Views))
  explicit zip(R&&... ranges) : views(detail::as_view(ranges)...) {}
};
template <class... R>
zip(R&&...) -> zip<decltype(detail::as_view(std::declval<R&>()))...>;

// A predicate, relation or bucket function of the items of a zip's first range alone. Without it, the function takes an
// item of each range.
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

// The memory of a range; empty if it has none.
struct byte_range {
  const void* begin = nullptr;
  std::uint64_t bytes = 0;
};
template <class T>
byte_range byte_range_of(const input<T>& in) {
  return {in.data, in.capacity() * sizeof(T)};
}
template <class Index>
byte_range byte_range_of(const position_input<Index>&) {
  return {};
}
template <class T>
byte_range byte_range_of(const output<T>& out) {
  return {out.data, out.size * sizeof(T)};
}
template <class... R>
std::array<byte_range, sizeof...(R)> byte_ranges_of(const std::tuple<R...>& ranges) {
  return std::apply([](const auto&... r) { return std::array<byte_range, sizeof...(R)>{byte_range_of(r)...}; }, ranges);
}
inline void require_apart(const byte_range& a, const byte_range& b, const char* function) {
  require(!overlap(a.begin, a.bytes, b.begin, b.bytes), function, "ranges overlap");
}

template <class T>
bool fits_index_type(const input<T>&) {
  return true;
}
template <class Index>
bool fits_index_type(const position_input<Index>& in) {
  return in.capacity() == 0 || in.capacity() - 1 <= std::numeric_limits<Index>::max();
}

// Requires inputs that are not null and equally long. unread: no item is read or moved, so that positions of any type
// do.
template <class... I>
void require_inputs(const std::tuple<I...>& inputs, const char* function, bool unread = false) {
  const length first = length_of(inputs);
  bool is_first = true;
  for_each(inputs, [&](const auto& in) {
    const byte_range memory = byte_range_of(in);
    require(memory.begin != nullptr || memory.bytes == 0, function, "the input is null but not empty");
    require(in.capacity() == first.capacity, function, "the ranges of a zip have different lengths");
    require(is_first || in.length.count == nullptr, function, "only the first range of a zip may be counted");
    require(unread || fits_index_type(in), function, "more positions than their type counts");
    is_first = false;
  });
}

// Requires outputs that do not overlap each other.
template <class... T>
void require_disjoint(const std::tuple<output<T>...>& outputs, const char* function) {
  const auto all = byte_ranges_of(outputs);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) require_apart(all[i], all[j], function);
}

// The outputs of a call and its count, which must not overlap other arguments either.
template <class... T>
std::tuple<output<T>..., output<std::uint64_t>> with_count(const std::tuple<output<T>...>& outputs,
                                                           const device_count& count, const char* function) {
  require(count.address() != nullptr, function, "the count has no address");
  return std::tuple_cat(outputs, std::tuple(output<std::uint64_t>{count.address(), 1}));
}

// Requires outputs that are not null and that overlap neither the inputs, nor these inputs' length on the device, nor
// each other.
template <class... I, class... T>
void require_outputs(const std::tuple<I...>& inputs, const std::tuple<output<T>...>& outputs, const char* function) {
  for_each(outputs, [&](const auto& out) {
    require_writable(out, function);
    require_apart(length_of(inputs), out, function);
  });
  for (const byte_range& out : byte_ranges_of(outputs))
    for (const byte_range& in : byte_ranges_of(inputs)) require_apart(in, out, function);
  require_disjoint(outputs, function);
}

template <class... T>
void require_lengths(const std::tuple<output<T>...>& outputs, std::uint64_t n, const char* function) {
  for_each(outputs,
           [&](const auto& out) { require(out.size == n, function, "input and output have different lengths"); });
}

}  // namespace detail
}  // namespace ballot
