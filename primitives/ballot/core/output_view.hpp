// SPDX-License-Identifier: Apache-2.0
// Output views: outputs that decide what is done with each item. An output view is small, is copied
// to the kernel by value, and has these members:
//
//     using value_type = T;                               what a call gives it
//     std::uint64_t size() const;                         on the host: for how many items there is
//                                                         room
//     void store(std::uint64_t i, const T& item) const;   on the device: takes item i; called once
//                                                         for each i
//
// Any class of the caller that has these is an output view. <ballot/outputs.cuh> has converting,
// discarded and appended.
//
// Members that an output view may also have:
//
//     static constexpr std::size_t arrays = N;
//         how many arrays it writes, for the checks of a call,
//     template <class Visit> void each_array(const Visit& visit) const;
//         visit(pointer, items) for each of them
//     static constexpr std::size_t lengths = N;
//         how many integers on the device it reads,
//     template <class Visit> void each_length(const Visit& visit) const;
//         visit(length) for each of them
//     auto located() const;
//         on the device, once a block: the output without what is read from memory to find it;
//         an output<T> or a view_output<V>
#pragma once

#include <ballot/core/arguments.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/view.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot {
namespace detail {

template <class V>
concept takes_items_by_index = requires(const V& view, std::uint64_t i, const typename V::value_type& item) {
  { view.size() } -> std::convertible_to<std::uint64_t>;
  view.store(i, item);
} && !requires(V& range) { range.data(); };

}  // namespace detail

/// An output that decides what is done with each item. It has value_type, size(), and store(i,
/// item) on the device.
template <class V>
concept output_view =
    std::is_class_v<std::remove_cvref_t<V>> && std::is_trivially_copy_constructible_v<std::remove_cvref_t<V>> &&
    std::is_trivially_destructible_v<std::remove_cvref_t<V>> && detail::takes_items_by_index<std::remove_cvref_t<V>>;

/// The output of a function that takes output views: an output_range or an output_view.
template <class R>
concept output_range_or_view = output_range<R> || output_view<R>;

namespace detail {

template <output_view V>
  requires(!device_view<V>)
struct element<V> {
  using type = typename V::value_type;
};

// An output view as a call and a kernel hold it (compare output<T> of range.hpp).
template <class V>
struct view_output {
  using value_type = typename V::value_type;
  V view;
  std::uint64_t size;
};
template <output_view V>
view_output<std::remove_cvref_t<V>> as_output(const V& view) {
  return {view, static_cast<std::uint64_t>(view.size())};
}

template <class O>
inline constexpr bool is_view_output = false;
template <class V>
inline constexpr bool is_view_output<view_output<V>> = true;

// The argument of a kernel for an output: the address of a range, or the output view.
template <class T>
T* output_of_kernel(const output<T>& out) {
  return out.data;
}
template <class V>
const view_output<V>& output_of_kernel(const view_output<V>& out) {
  return out;
}

// On the device: the output, without what is read from memory to find it. Called once for many
// items.
template <class T>
BALLOT_HOST_DEVICE const output<T>& located(const output<T>& to) {
  return to;
}
template <class V>
BALLOT_HOST_DEVICE auto located(const view_output<V>& to) {
  if constexpr (requires { to.view.located(); }) return to.view.located();
  else return to;
}
// Gives it item i, which is below to.size.
template <class T>
BALLOT_HOST_DEVICE void put(const output<T>& to, std::uint64_t i, const T& item) {
  to.data[i] = item;
}
template <class V>
BALLOT_HOST_DEVICE void put(const view_output<V>& to, std::uint64_t i, const typename V::value_type& item) {
  to.view.store(i, item);
}

// The arrays that an output writes, and the integers on the device that it reads, as arguments to
// check.
template <class V>
inline constexpr std::size_t arguments_of_input<view_output<V>> = arrays_of<V>;

template <class O>
inline constexpr std::size_t lengths_of_output = 0;
template <class V>
  requires requires { V::lengths; }
inline constexpr std::size_t lengths_of_output<view_output<V>> = V::lengths;

// The output that an output view wraps, as the view holds it, with the members that calls use.
template <class Part>
struct output_part {
  static constexpr std::size_t arrays = arguments_of_input<Part>, lengths = lengths_of_output<Part>;
  Part part;

  std::uint64_t size() const { return part.size; }
  template <class Visit>
  void each_array(const Visit& visit) const {
    if constexpr (!is_view_output<Part>) visit(part.data, part.size);
    else if constexpr (arrays != 0) part.view.each_array(visit);
  }
  template <class Visit>
  void each_length(const Visit& visit) const {
    if constexpr (lengths != 0) part.view.each_length(visit);
  }
};

// Stores items converted to the type of the wrapped output.
template <class T, class Part>
struct cast_output : output_part<Part> {
  using value_type = T;

  BALLOT_HOST_DEVICE void store(std::uint64_t i, const T& item) const {
    put(this->part, i, static_cast<typename Part::value_type>(item));
  }
  BALLOT_HOST_DEVICE auto located() const {
    const auto part = ballot::detail::located(this->part);
    using here = cast_output<T, std::remove_const_t<decltype(part)>>;
    return view_output<here>{here{{part}}, part.size};
  }
};

// Whether O stores its item i, converted, as item i of an array: then vectors of items can be
// stored as vectors.
template <class T, class U>
void casts_to_array(const cast_output<T, output<U>>&);
template <class O>
inline constexpr bool is_cast_to_array = false;
template <class V>
  requires requires(const V& view) { casts_to_array(view); }
inline constexpr bool is_cast_to_array<view_output<V>> = true;

template <class T>
std::array<argument, 1> arguments_of(const char* name, const output<T>& out, int column = -1) {
  return {argument_of(name, out, column)};
}
template <class V>
std::array<argument, arrays_of<V>> arguments_of(const char* name, const view_output<V>& out, int column = -1) {
  std::array<argument, arrays_of<V>> all{};
  if constexpr (arrays_of<V> != 0) {
    std::size_t next = 0;
    out.view.each_array([&]<class T>(const T* data, std::uint64_t items) {
      all[next++] = {name, data, items * sizeof(T), column};
    });
  }
  return all;
}
template <class T>
std::array<argument, 0> lengths_of(const char*, const output<T>&) {
  return {};
}
template <class V>
std::array<argument, lengths_of_output<view_output<V>>> lengths_of(const char* name, const view_output<V>& out) {
  std::array<argument, lengths_of_output<view_output<V>>> all{};
  if constexpr (lengths_of_output<view_output<V>> != 0) {
    std::size_t next = 0;
    out.view.each_length([&](const length& n) { all[next++] = argument_of(name, n); });
  }
  return all;
}

}  // namespace detail
}  // namespace ballot
