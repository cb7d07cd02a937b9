// SPDX-License-Identifier: Apache-2.0
// What the calls of this adapter read: arrays by their pointers, and other iterators as views
// (views.cuh).
//
// Some calls of CUB convert what an iterator returns to its value_type, others to the type of the
// sums. So an iterator is taken as a view only if what it returns is its value_type.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/core/arguments.hpp>
#include <ballot/core/view.hpp>
#include <ballot/views.cuh>

#include <thrust/device_reference.h>
#include <thrust/memory.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <cuda/std/iterator>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace ballot::adapters::detail {

// The types of an iterator's items, and of what its operator[] gives.
template <class Iterator>
using value_of = typename ::cuda::std::iterator_traits<Iterator>::value_type;
template <class Iterator>
using indexed_item = std::remove_cvref_t<decltype(std::declval<const Iterator&>()[std::int64_t{}])>;

// Variables, and concepts made of them. For a concept of a type that depends on the iterator, g++
// 12 gave first one answer and then another ("satisfaction value of atomic constraint changed").

// Whether operator[] gives the item itself. A reference to an item on the device counts as that
// item.
template <class Iterator>
inline constexpr bool gives_items =
    std::is_same_v<indexed_item<Iterator>, value_of<Iterator>> ||
    std::is_same_v<indexed_item<Iterator>, ::thrust::device_reference<value_of<Iterator>>>;
template <class Iterator>
inline constexpr bool is_view_of_items =
    std::is_same_v<typename view<Iterator>::value_type, value_of<Iterator>> && device_view<view<Iterator>>;

// An iterator of class type, whose items a view can give unchanged.
template <class Iterator>
concept read_by_index = std::is_class_v<Iterator> && requires {
  typename value_of<Iterator>;
  typename indexed_item<Iterator>;
} && gives_items<Iterator> && is_view_of_items<Iterator>;

// An iterator over an array on the device, such as that of a thrust::device_vector.
template <class Iterator>
concept over_device_array =
    read_by_index<Iterator> && std::is_same_v<indexed_item<Iterator>, ::thrust::device_reference<value_of<Iterator>>> &&
    ::thrust::is_contiguous_iterator<Iterator>::value;

// The items that a call reads through an iterator; void for iterators that it does not take.
template <class Iterator>
struct read_items {
  using type = void;
};
template <class T>
struct read_items<T*> {
  using type = std::remove_const_t<T>;
};
template <read_by_index Iterator>
struct read_items<Iterator> {
  using type = value_of<Iterator>;
};
template <class Iterator>
using item_of = typename read_items<Iterator>::type;
template <class Iterator>
concept reads = !std::is_void_v<item_of<Iterator>>;

// The address of an array; null for other iterators, whose memory is not known.
template <class T>
const T* address_read(const T* items) {
  return items;
}
template <over_device_array Iterator>
const value_of<Iterator>* address_read(const Iterator& first) {
  return ::thrust::raw_pointer_cast(&*first);
}
template <read_by_index Iterator>
const value_of<Iterator>* address_read(const Iterator&) {
  return nullptr;
}

// n items from there on, as an input of ballot's calls.
template <reads Iterator>
auto input_of(const Iterator& first, std::uint64_t n) {
  if constexpr (std::is_pointer_v<Iterator> || over_device_array<Iterator>)
    return std::span(address_read(first), static_cast<std::size_t>(n));
  else return view<Iterator>(first, n);
}
template <reads Iterator>
ballot::detail::argument argument_read(const char* name, const Iterator& first, std::uint64_t n) {
  const void* const address = address_read(first);
  return {name, address, address == nullptr && !std::is_pointer_v<Iterator> ? 0 : n * sizeof(item_of<Iterator>)};
}

}  // namespace ballot::adapters::detail
