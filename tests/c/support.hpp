// SPDX-License-Identifier: Apache-2.0
// Calls of the C library in tests: arrays from device data, scratch of exactly the bytes asked for,
// and type codes.
#pragma once

#include <ballot.h>
#include <ballot/core/namespace.hpp>

#include "support/device_data.hpp"

#include <ballot/core/key_order.hpp>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace ballot::test::c {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u128 = detail::uint128;
using i128 = detail::int128;

template <class T>
inline constexpr ballot_type code = BALLOT_BYTES(sizeof(T));
template <>
inline constexpr ballot_type code<i8> = BALLOT_I8;
template <>
inline constexpr ballot_type code<u8> = BALLOT_U8;
template <>
inline constexpr ballot_type code<i16> = BALLOT_I16;
template <>
inline constexpr ballot_type code<u16> = BALLOT_U16;
template <>
inline constexpr ballot_type code<i32> = BALLOT_I32;
template <>
inline constexpr ballot_type code<u32> = BALLOT_U32;
template <>
inline constexpr ballot_type code<i64> = BALLOT_I64;
template <>
inline constexpr ballot_type code<u64> = BALLOT_U64;
template <>
inline constexpr ballot_type code<i128> = BALLOT_I128;
template <>
inline constexpr ballot_type code<u128> = BALLOT_U128;
template <>
inline constexpr ballot_type code<float> = BALLOT_F32;
template <>
inline constexpr ballot_type code<double> = BALLOT_F64;

// Sizes around a warp, a vector and a tile, and many tiles.
inline const std::vector<std::size_t> sizes{0, 1, 31, 33, 1000, 4097, 20'001};

template <class T>
ballot_array in(const guarded<T>& data, ballot_type type = code<T>) {
  return ballot_input(data.data(), data.size(), type);
}
template <class T>
ballot_array out(const guarded<T>& data, ballot_type type = code<T>) {
  return ballot_output(data.data(), data.size(), type);
}
template <class T>
ballot_array counted(const guarded<T>& data, const guarded<u32>& count, ballot_type type = code<T>) {
  return ballot_counted(data.data(), data.size(), type, count.data(), BALLOT_U32);
}

inline void ok(ballot_status status) {
  CHECK_MESSAGE(status == BALLOT_OK, ballot_status_name(status) << ": " << ballot_last_error());
}

// The bytes that a size function says.
inline std::size_t bytes_of(function_ref<ballot_status(std::size_t*)> size) {
  std::size_t bytes = ~std::size_t{0};
  ok(size(&bytes));
  return bytes;
}

// Makes the call with dirty scratch of exactly so many bytes. Before that it makes the call with
// less, which is refused if the call needs it. (Sizes are for all options, so it may not need it.)
inline void run(std::size_t bytes, function_ref<ballot_status(ballot_exec)> call) {
  if (bytes > 257) {
    const guarded<std::byte> few(bytes - 257);
    if (call(ballot_on(test_stream(), few.data(), few.size())) != BALLOT_OK) {
      const std::string message = ballot_last_error();
      CHECK_MESSAGE(message.find("scratch") != std::string::npos, message);
    }
    few.read();
  }
  const guarded<std::byte> scratch(bytes);
  ok(call(ballot_on(test_stream(), scratch.data(), scratch.size())));
  scratch.read();
}

// Items of every bit pattern, or small ones whose sums are exact.
template <class T>
T random_bits(std::mt19937_64& random) {
  T item;
  unsigned char bytes[sizeof(T)];
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  std::memcpy(&item, bytes, sizeof(T));
  return item;
}
template <class T>
std::vector<T> random_items(std::size_t n, u64 seed = 1, unsigned distinct = 0) {
  std::mt19937_64 random(n * 7 + seed);
  std::vector<T> items(n);
  for (T& item : items) {
    item = random_bits<T>(random);
    if (distinct != 0) {
      if constexpr (std::is_floating_point_v<T>) item = static_cast<T>(static_cast<int>(random() % distinct)) - 2;
      else if constexpr (std::is_integral_v<T> || sizeof(T) == 16) item = static_cast<T>(random() % distinct);
    }
  }
  return items;
}
// Floats with NaNs, both zeros and infinities among them.
template <class T>
std::vector<T> special_items(std::size_t n) {
  std::vector<T> items = random_items<T>(n, 5, 9);
  if constexpr (std::is_floating_point_v<T>)
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 11 == 3) items[i] = std::numeric_limits<T>::quiet_NaN();
      if (i % 13 == 5) items[i] = T(-0.0);
      if (i % 17 == 7) items[i] = -std::numeric_limits<T>::infinity();
    }
  return items;
}

// The same bits, NaNs too.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
template <class T>
std::vector<T> first_of(std::vector<T> items, std::size_t n) {
  items.resize(n);
  return items;
}

template <class T>
T value_at(const guarded<T>& at) {
  return at.read().at(0);
}

}  // namespace ballot::test::c
