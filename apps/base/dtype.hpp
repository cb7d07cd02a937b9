// SPDX-License-Identifier: Apache-2.0
// The item types of columns, as run-time values.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ballot::app {

enum class dtype : std::uint8_t { u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 };

inline constexpr std::string_view dtype_names = "u8, u16, u32, u64, i8, i16, i32, i64, f32, f64";

std::string_view name_of(dtype type);
std::optional<dtype> dtype_named(std::string_view name);
std::string_view npy_descr_of(dtype type);  // "<f8"
std::optional<dtype> dtype_of_npy_descr(std::string_view descr);

// Calls f(std::type_identity<T>{}) with the C++ type.
template <class F>
decltype(auto) visit_dtype(dtype type, F&& f) {
  switch (type) {
    case dtype::u8:
      return std::forward<F>(f)(std::type_identity<std::uint8_t>{});
    case dtype::u16:
      return std::forward<F>(f)(std::type_identity<std::uint16_t>{});
    case dtype::u32:
      return std::forward<F>(f)(std::type_identity<std::uint32_t>{});
    case dtype::u64:
      return std::forward<F>(f)(std::type_identity<std::uint64_t>{});
    case dtype::i8:
      return std::forward<F>(f)(std::type_identity<std::int8_t>{});
    case dtype::i16:
      return std::forward<F>(f)(std::type_identity<std::int16_t>{});
    case dtype::i32:
      return std::forward<F>(f)(std::type_identity<std::int32_t>{});
    case dtype::i64:
      return std::forward<F>(f)(std::type_identity<std::int64_t>{});
    case dtype::f32:
      return std::forward<F>(f)(std::type_identity<float>{});
    case dtype::f64:
      break;
  }
  return std::forward<F>(f)(std::type_identity<double>{});
}

inline std::size_t size_of(dtype type) {
  return visit_dtype(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

}  // namespace ballot::app
