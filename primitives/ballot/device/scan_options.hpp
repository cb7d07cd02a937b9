// SPDX-License-Identifier: Apache-2.0
// The options of a scan.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ballot {

// The direction of a scan. Backward: out[i] = in[n - 1] op in[n - 2] op ... op in[i], operands in
// that order. (Backward scans of a warp or a block keep the operands in the order of the items.)
enum class scan_order : std::uint8_t { forward, backward };

// T: the type of the sums.
//     ballot::exclusive_scan(gpu, weights, 0.0f, ballot::plus{}, before,
//                            {.total = sum, .reproducible = true});
template <class T>
struct scan_options {
  // Receives op of all items, preceded by `initial` if there is one. Optional.
  device_result<T> total = {};
  scan_order order = scan_order::forward;
  // Whether the result has the same bits on every run and every GPU even if op is only nearly
  // associative, as in sums of floats.
  bool reproducible = false;
};

/// An initial value on the device, read when the scan runs. It is the device address of one T, the
/// type of the sums, or a device_value<T>.
template <class T>
class on_device {
 public:
  /// The value at this device address.
  explicit on_device(const T* address) : address_(address) {}
  /// The value that a device_value owns.
  template <has_device_address Value>
    requires std::convertible_to<decltype(std::declval<const Value&>().address()), const T*>
  explicit on_device(const Value& value) : address_(value.address()) {}
  /// Where it lies.
  const T* address() const { return address_; }

 private:
  const T* address_;
};
template <has_device_address Value>
on_device(const Value&)
    -> on_device<std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const Value&>().address())>>>;

namespace detail {

template <class Initial>
inline constexpr bool is_on_device = false;
template <class T>
inline constexpr bool is_on_device<on_device<T>> = true;

// An initial value of sums of type T.
template <class Initial, class T>
concept initial_of = std::is_convertible_v<const Initial&, T> || std::same_as<Initial, on_device<T>>;

}  // namespace detail
}  // namespace ballot
