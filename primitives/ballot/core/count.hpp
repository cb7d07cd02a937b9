// SPDX-License-Identifier: Apache-2.0
// Counts and lengths that stay on the device, as integers of the caller's choice: u32, i32, u64 or
// i64.
//
//     ballot::device_value<std::uint32_t> alive(stream);
//     ballot::compact(gpu, particles, is_alive{}, survivors, alive);    // a call writes the count,
//     ballot::sort(gpu, ballot::counted{cells, alive}, sorted);         // another one reads it
//
// Kernels get the address and the type of the integer at run time. So they are compiled once, not
// once per type.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot {

/// An integer type that a count on the device may have: 4 or 8 bytes, signed or not, but no
/// character type.
template <class T>
concept count_integer =
    std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> && !std::same_as<std::remove_cv_t<T>, wchar_t> &&
    !std::same_as<std::remove_cv_t<T>, char32_t> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Owns one value on the device and gives its address: a device_value, for example.
template <class V>
concept has_device_address = requires(const V& value) { requires std::is_pointer_v<decltype(value.address())>; };

namespace detail {

// The integer type of a count, for kernels that get it at run time.
struct count_type {
  bool is_wide = true;  // 8 bytes; else 4
  bool is_signed = false;

  template <count_integer T>
  static constexpr count_type of() {
    return {sizeof(T) == 8, std::is_signed_v<T>};
  }
  constexpr std::size_t bytes() const { return is_wide ? 8 : 4; }
  constexpr std::uint64_t largest() const {
    const std::uint64_t all = is_wide ? ~std::uint64_t{0} : std::uint64_t{0xffffffff};
    return is_signed ? all >> 1 : all;
  }
  BALLOT_HOST_DEVICE std::uint64_t load(const void* from) const {
    const std::uint64_t bits =
        is_wide ? *static_cast<const std::uint64_t*>(from) : *static_cast<const std::uint32_t*>(from);
    const bool is_negative = is_signed && (bits >> (is_wide ? 63 : 31)) != 0;
    return is_negative ? 0 : bits;
  }
  BALLOT_HOST_DEVICE void store(void* to, std::uint64_t index, std::uint64_t value) const {
    if (is_wide) static_cast<std::uint64_t*>(to)[index] = value;
    else static_cast<std::uint32_t*>(to)[index] = static_cast<std::uint32_t>(value);
  }
};

// A length as a kernel takes it.
struct length {
  std::uint64_t capacity;
  const void* count = nullptr;  // on the device; null: the length is the capacity
  count_type type = {};

  // The number of items: the count on the device, at most the capacity. A negative count is 0.
  BALLOT_HOST_DEVICE std::uint64_t get() const {
    if (count == nullptr) return capacity;
    const std::uint64_t n = type.load(count);
    return n < capacity ? n : capacity;
  }
  // Whether both give the same number whenever a kernel reads them.
  bool is_same(const length& other) const { return capacity == other.capacity && count == other.count; }
};

template <count_integer T>
length length_of_count(std::uint64_t capacity, const T* count) {
  return {capacity, count, count_type::of<T>()};
}

}  // namespace detail

/// The place where a call stores a number of items: the device address of one integer of 4 or 8
/// bytes. It is made from such a pointer, or from a device_value. The integer must be able to hold
/// the number of items that the call was given. Otherwise the call throws before any work.
class device_count {
 public:
  /// No count is stored.
  device_count(std::nullptr_t = nullptr) {}
  /// The count goes to this device address.
  template <count_integer T>
    requires(!std::is_const_v<T>)
  device_count(T* address) : address_(address), type_(detail::count_type::of<T>()) {}
  /// The count goes to this value's device address.
  template <has_device_address Value>
    requires std::constructible_from<device_count, decltype(std::declval<const Value&>().address())>
  device_count(const Value& value) : device_count(value.address()) {}

  BALLOT_HOST_DEVICE void* address() const { return address_; }
  BALLOT_HOST_DEVICE detail::count_type type() const { return type_; }

  // In kernels: writes counts[index].
  BALLOT_HOST_DEVICE void store(std::uint64_t count, std::uint64_t index = 0) const {
    type_.store(address_, index, count);
  }

 private:
  void* address_ = nullptr;
  detail::count_type type_ = {};
};

}  // namespace ballot
