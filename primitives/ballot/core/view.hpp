// SPDX-License-Identifier: Apache-2.0
// Views: inputs whose items are computed where they are read. A view is small, copied to the kernel
// by value, and has these members:
//
//     using value_type = T;                       a trivially copyable type
//     std::uint64_t size() const;                 on the host
//     T operator[](std::uint64_t i) const;        on the device: item i
//
// Any class of the caller that has these is a view. <ballot/views.cuh> has transformed, gathered
// and others. A view has no data(): a range that has it is contiguous, and is read in wide
// accesses.
//
// Members that a view may also have, for the checks of a call:
//
//     static constexpr std::size_t arrays = N;    how many arrays it reads,
//     template <class Visit> void each_array(const Visit& visit) const;
//                                                 visit(pointer, items) for each of them
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/error.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace ballot {
namespace detail {

template <class V>
concept has_items_by_index = requires(const V& view, std::uint64_t i) {
  typename V::value_type;
  { view.size() } -> std::convertible_to<std::uint64_t>;
  view[i];
} && !requires(V& range) { range.data(); };

// The template argument of a `counted` around a view, whose length is on the device.
template <class V>
struct of_view {};

}  // namespace detail

/// An input whose items are computed where they are read, with value_type, size(), and operator[]
/// on the device. It is trivially copied and destroyed; it need not be assigned (Thrust's transform
/// iterators are not trivially).
template <class V>
concept device_view =
    std::is_class_v<std::remove_cvref_t<V>> && std::is_trivially_copy_constructible_v<std::remove_cvref_t<V>> &&
    std::is_trivially_destructible_v<std::remove_cvref_t<V>> && detail::has_items_by_index<std::remove_cvref_t<V>>;

/// The first *count items of a view.
template <class V>
struct counted<detail::of_view<V>> {
  V view;
  detail::length length;

  template <count_integer C>
  counted(const V& all, const C* count) : view(all), length(detail::length_of_count(all.size(), count)) {}
  template <has_device_address Value>
  counted(const V& all, const Value& count) : counted(all, count.address()) {}
};
template <device_view V, class Count>
counted(const V&, const Count&) -> counted<detail::of_view<V>>;

namespace detail {

template <class V>
inline constexpr bool is_counted<counted<of_view<V>>> = false;
template <class R>
inline constexpr bool is_counted_view = false;
template <class V>
inline constexpr bool is_counted_view<counted<of_view<V>>> = true;

template <class V>
struct element<counted<of_view<V>>> {
  using type = typename V::value_type;
};
template <device_view V>
struct element<V> {
  using type = typename V::value_type;
};

}  // namespace detail

/// A view, or a counted one, of items as an input_range has.
template <class R>
concept input_view =
    (device_view<R> || detail::is_counted_view<std::remove_cvref_t<R>>)&&detail::is_item<detail::element_t<R>>;

/// The input of a function that takes views: an input_range or an input_view.
template <class R>
concept input_range_or_view = input_range<R> || input_view<R>;

namespace detail {

// A view as a call holds it (compare input<T> of range.hpp).
template <class V>
struct view_input {
  using value_type = typename V::value_type;
  V view;
  ballot::detail::length length;
  std::uint64_t capacity() const { return length.capacity; }
};
// For clang 16, which has no guides for aggregates.
template <class V>
view_input(V, ballot::detail::length) -> view_input<V>;

template <device_view V>
view_input<V> as_input(const V& view) {
  return {view, {static_cast<std::uint64_t>(view.size())}};
}
template <class V>
view_input<V> as_input(const counted<of_view<V>>& range) {
  return {range.view, range.length};
}

// The arrays that a view reads.
template <class V>
inline constexpr std::size_t arrays_of = 0;
template <class V>
  requires requires { V::arrays; }
inline constexpr std::size_t arrays_of<V> = V::arrays;

template <class T>
inline constexpr std::size_t arguments_of_input = 1;
template <class V>
inline constexpr std::size_t arguments_of_input<view_input<V>> = arrays_of<V>;

// The argument of a kernel for an input: a pointer, or a view.
template <class T>
const T* source_of_input(const input<T>& in) {
  return in.data;
}
template <class V>
const V& source_of_input(const view_input<V>& in) {
  return in.view;
}
template <class In>
using source_of_input_t = std::remove_cvref_t<decltype(source_of_input(std::declval<const In&>()))>;

template <class T>
inline constexpr bool is_view_input = false;
template <class V>
inline constexpr bool is_view_input<view_input<V>> = true;

template <class T>
std::array<argument, 1> arguments_of(const char* name, const input<T>& in, int column = -1) {
  return {argument_of(name, in, column)};
}
template <class V>
std::array<argument, arrays_of<V>> arguments_of(const char* name, const view_input<V>& in, int column = -1) {
  std::array<argument, arrays_of<V>> all{};
  if constexpr (arrays_of<V> != 0) {
    std::size_t next = 0;
    in.view.each_array([&]<class T>(const T* data, std::uint64_t items) {
      all[next++] = {name, data, items * sizeof(T), column};
    });
  }
  return all;
}

}  // namespace detail

/// The positions 0 to n - 1 as an input; `counted{positions(n), count}` for the first *count of
/// them. It is an error if n - 1 exceeds Index, unless no position is read or moved (count_if,
/// flag_bits and compact_indices by flags).
template <std::unsigned_integral Index = std::uint32_t>
struct positions {
  using value_type = Index;
  std::uint64_t n;

  /// The positions of this many items.
  explicit positions(std::uint64_t items) : n(items) {}
  /// How many positions there are.
  BALLOT_HOST_DEVICE std::uint64_t size() const { return n; }
  /// Position i is i.
  BALLOT_HOST_DEVICE Index operator[](std::uint64_t i) const { return static_cast<Index>(i); }

  static constexpr std::size_t bytes_read = 0;
};

namespace detail {

template <class R>
inline constexpr bool is_positions = false;
template <class Index>
inline constexpr bool is_positions<positions<Index>> = true;

template <class Index>
using position_input = view_input<positions<Index>>;
template <class Index>
position_input<Index> make_position_input(const length& n) {
  return {positions<Index>(n.capacity), n};
}

template <class Index>
void require_positions(const char* function, const char* name, const positions<Index>& all) {
  if (all.n != 0 && all.n - 1 > std::numeric_limits<Index>::max())
    fail(function, joined({"`", name, "` has ", decimal(all.n), " items, more positions than their type counts"}));
}

// For views that count, such as positions: checks that their type can hold all numbers.
template <class In>
void require_items_of_view(const char* function, const char* name, const In& in) {
  if constexpr (is_view_input<In>)
    if constexpr (is_positions<decltype(in.view)>) require_positions(function, name, in.view);
}

// If a call has one argument for its input, that of a view is empty, and require_view checks the
// arrays that the view reads: none of them is null, and neither the outputs nor the scratch overlap
// one.
template <class V>
argument argument_of(const char* name, const view_input<V>&, int column = -1) {
  return {name, nullptr, 0, column};
}
template <class T>
void require_view(const char*, const exec&, const char*, const input<T>&, std::initializer_list<argument>) {}
template <class V>
void require_view(const char* function, const exec& where, const char* name, const view_input<V>& in,
                  std::initializer_list<argument> written) {
  if constexpr (is_positions<V>) require_positions(function, name, in.view);
  if constexpr (arrays_of<V> != 0) {
    const auto read = arguments_of(name, in);
    const argument scratch{"scratch", where.scratch().data(), where.allocates() ? 0 : where.scratch().size()};
    require_not_null(function, read);
    require_apart(function, std::span(written.begin(), written.size()), read);
    require_apart(function, std::span(&scratch, 1), read);
  }
}

}  // namespace detail
}  // namespace ballot
