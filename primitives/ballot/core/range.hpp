// SPDX-License-Identifier: Apache-2.0
// The arguments of public functions: contiguous ranges on the device, with their length on the
// host or on the device.
//
// The items of a range are next to each other in device memory. The range says where they are and
// how many there are:
//
//     std::span(pointer, items)          a pointer with a length (also cuda::std::span)
//     ballot::device_array<T>            the library's own memory
//     thrust::device_vector<T>           and whatever else has data() and size(), also with a
//                                        pointer class
//     ballot::counted{range, count}      the first *count items, where the count is on the device
//
// A std::vector or std::array is refused, because it is in the host's memory.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/error.hpp>
#include <ballot/core/namespace.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>  // declares std::allocator, and is there anyway; <memory> takes a compiler half a second
#include <type_traits>
#include <utility>

namespace ballot {
namespace detail {

// The raw pointer of a pointer or of a pointer class, such as thrust::device_ptr.
template <class T>
T* raw_pointer(T* pointer) {
  return pointer;
}
template <class Pointer>
  requires requires(const Pointer& p) { requires std::is_pointer_v<decltype(p.get())>; }
auto raw_pointer(const Pointer& pointer) {
  return pointer.get();
}

template <class R>
concept has_data_and_size = requires(R& range) {
  { range.size() } -> std::convertible_to<std::uint64_t>;
  requires std::is_pointer_v<decltype(raw_pointer(range.data()))>;
};

// Containers of the host's memory.
template <class R>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;
template <class R>
concept host_container = is_std_array<std::remove_cvref_t<R>> || requires(const R& range) {
  typename R::allocator_type;
  requires std::same_as<typename R::allocator_type, std::allocator<typename R::value_type>>;
};

}  // namespace detail

/// A contiguous range on the device that knows its length. (<ranges> would say more, and takes a
/// compiler several times longer to read than <span>.)
template <class R>
concept device_range =
    detail::has_data_and_size<std::remove_reference_t<R>> && !detail::host_container<std::remove_cvref_t<R>>;

namespace detail {

template <device_range R>
auto span_of(R&& range) {
  auto* const data = raw_pointer(range.data());
  return std::span<std::remove_pointer_t<decltype(data)>>(data, static_cast<std::size_t>(range.size()));
}

}  // namespace detail

/// A pointer with a length, as a range; `pointer` may be of a pointer class, such as
/// thrust::device_ptr.
template <class Pointer>
  requires requires(const Pointer& p) { detail::raw_pointer(p); }
auto device_span(const Pointer& pointer, std::size_t items) {
  return std::span(detail::raw_pointer(pointer), items);
}

/// A range whose length is on the device: the first min(*count, range.size()) items are there, and
/// the number is known only when a kernel runs. Launches are sized for range.size(). `count` is the
/// device address of an integer of 4 or 8 bytes, or a device_value of one; it is read in stream
/// order. A negative count is 0.
template <class T>
struct counted {
  std::span<T> items;
  detail::length length;

  /// The first *count items of `range`.
  template <device_range R, count_integer C>
  counted(R&& range, const C* count)
      : items(detail::span_of(range)), length(detail::length_of_count(items.size(), count)) {}
  /// The same with the count that a device_value owns.
  template <device_range R, has_device_address Value>
  counted(R&& range, const Value& count) : counted(range, count.address()) {}
};
template <device_range R, class Count>
counted(R&&, const Count&) -> counted<typename decltype(detail::span_of(std::declval<R&>()))::element_type>;

namespace detail {

// A pointer or device_value, but not one of a T.
template <class Other, class T>
inline constexpr bool is_address_of_another = false;
template <class Other, class T>
inline constexpr bool is_address_of_another<Other*, T> = !std::is_convertible_v<Other*, T*>;
template <has_device_address Value, class T>
inline constexpr bool is_address_of_another<Value, T> =
    !std::is_convertible_v<decltype(std::declval<const Value&>().address()), T*>;

}  // namespace detail

/// Where a call stores a value on the device, such as a total. It is the device address of one T,
/// or a device_value<T>. If a function says that the result is optional, it may be null. Then
/// nothing is written.
template <class T>
class device_result {
 public:
  /// The result goes to this device address. Null: the result is not stored.
  device_result(T* address = nullptr) : address_(address) {}
  /// The result goes to this value's device address.
  template <has_device_address Value>
    requires std::convertible_to<decltype(std::declval<const Value&>().address()), T*>
  device_result(const Value& value) : address_(value.address()) {}
  // An address of another type. This overload exists only to explain the mistake.
  template <class Other>
    requires detail::is_address_of_another<Other, T>
  device_result(const Other&) : address_(nullptr) {
    static_assert(sizeof(Other) == 0,
                  "ballot: the result, or total, is stored as another type than that of this address or device_value. "
                  "Totals of scans and reductions have the type of the sums.");
  }
  T* address() const { return address_; }

 private:
  T* address_;
};

template <has_device_address Value>
device_result(const Value&) -> device_result<std::remove_pointer_t<decltype(std::declval<const Value&>().address())>>;

namespace detail {

template <class T>
struct input {
  using value_type = T;
  const T* data;
  ballot::detail::length length;
  std::uint64_t capacity() const { return length.capacity; }
};

template <class T>
struct output {
  using value_type = T;
  T* data;
  std::uint64_t size;
};

template <class T>
inline constexpr bool is_counted = false;
template <class T>
inline constexpr bool is_counted<counted<T>> = true;

// The items of a range or of a counted one, with their constness.
template <class R>
struct element {};
template <device_range R>
struct element<R> {
  using type = typename decltype(span_of(std::declval<R&>()))::element_type;
};
template <class T>
struct element<counted<T>> {
  using type = T;
};
template <class R>
using element_t = typename element<std::remove_cvref_t<R>>::type;

// What kernels do with an item: they copy its bytes, keep it in arrays that they have made before,
// and assign it there.
template <class T>
inline constexpr bool is_stored =
    std::is_default_constructible_v<std::remove_cv_t<T>> && std::is_copy_assignable_v<std::remove_cv_t<T>>;
template <class T>
inline constexpr bool is_item = std::is_trivially_copyable_v<T> && is_stored<T>;

}  // namespace detail

/// The input of a function: a device_range or a counted one, of items that are trivially copyable,
/// have a default constructor and can be assigned.
template <class R>
concept input_range = (device_range<R> || detail::is_counted<std::remove_cvref_t<R>>)&&requires {
  typename detail::element_t<R>;
} && detail::is_item<detail::element_t<R>>;

/// The output of a function: a device_range of items that are not const. Their number is that of
/// the range.
template <class R>
concept output_range = device_range<R> && detail::is_item<detail::element_t<R>> &&
                       !std::is_const_v<typename decltype(detail::span_of(std::declval<R&>()))::element_type>;

/// The range that a function changes in place: a device_range or a counted one, of items that are
/// not const.
template <class R>
concept in_place_range = output_range<R> || (detail::is_counted<std::remove_cvref_t<R>> && input_range<R> &&
                                             !std::is_const_v<detail::element_t<R>>);

namespace detail {

template <device_range R>
  requires input_range<R>
auto as_input(const R& range) {
  const auto items = span_of(range);
  return input<typename decltype(items)::value_type>{items.data(), {items.size()}};
}
template <class T>
input<std::remove_const_t<T>> as_input(const counted<T>& range) {
  return {range.items.data(), range.length};
}

template <output_range R>
auto as_output(R&& range) {
  const auto items = span_of(range);
  return output<typename decltype(items)::element_type>{items.data(), items.size()};
}

// A range that is changed in place: where it is written, and how many items it has.
template <class T>
struct in_place_items {
  output<T> items;
  ballot::detail::length length;
};
template <output_range R>
auto as_in_place(R&& range) {
  const auto to = as_output(range);
  return in_place_items<typename decltype(to)::value_type>{to, {to.size}};
}
template <class T>
in_place_items<T> as_in_place(const counted<T>& range) {
  return {{range.items.data(), range.items.size()}, range.length};
}

template <class R>
using item_t = std::remove_const_t<element_t<R>>;

// The type of the value that a device_result, a T* or a device_value<T> receives.
template <class Result>
using result_t = std::remove_pointer_t<decltype(device_result(std::declval<const Result&>()).address())>;

}  // namespace detail
}  // namespace ballot
