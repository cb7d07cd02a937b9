// SPDX-License-Identifier: Apache-2.0
#include "arrays/segy_samples.hpp"

#include "arrays/ibm_float.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

namespace ballot::app {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are turned round");

template <class T>
using bits_of = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

// The highest byte first.
template <std::size_t Bytes>
std::uint64_t bits_in(const std::byte* from) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < Bytes; ++i) bits = bits << 8 | std::to_integer<unsigned>(from[i]);
  return bits;
}

template <std::size_t Bytes>
void put_bits(std::uint64_t bits, std::byte* to) {
  for (std::size_t i = 0; i < Bytes; ++i) to[i] = static_cast<std::byte>(bits >> (8 * (Bytes - 1 - i)) & 0xff);
}

template <std::size_t Bytes, class T>
void read_all_of(const segy_samples& format, std::span<const std::byte> from, std::byte* to) {
  for (std::size_t at = 0; at < from.size(); at += Bytes, to += sizeof(T)) {
    std::uint64_t bits = bits_in<Bytes>(from.data() + at);
    if (format.is_ibm) bits = std::bit_cast<std::uint32_t>(float_of_ibm(static_cast<std::uint32_t>(bits)));
    constexpr std::uint64_t sign = std::uint64_t{1} << (8 * Bytes - 1);
    if (Bytes < sizeof(T) && std::is_signed_v<T> && (bits & sign) != 0) bits |= ~(2 * sign - 1);
    const auto number = static_cast<bits_of<T>>(bits);
    std::memcpy(to, &number, sizeof number);
  }
}

template <std::size_t Bytes, class T>
void write_all_of(const segy_samples& format, const std::byte* from, std::span<std::byte> to) {
  for (std::size_t at = 0; at < to.size(); at += Bytes, from += sizeof(T)) {
    bits_of<T> number{};
    std::memcpy(&number, from, sizeof number);
    std::uint64_t bits = number;
    if (format.is_ibm) bits = ibm_of_float(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    put_bits<Bytes>(bits, to.data() + at);
  }
}

// Calls f with the number of bytes and the type of a sample.
template <class F>
void visit_samples(const segy_samples& format, const F& f) {
  visit_dtype(format.type, [&]<class T>(std::type_identity<T> type) {
    constexpr std::size_t three = 3;
    if (format.bytes == three) f(std::integral_constant<std::size_t, three>{}, type);
    else f(std::integral_constant<std::size_t, sizeof(T)>{}, type);
  });
}

}  // namespace

std::optional<segy_samples> segy_samples_of(int format) {
  switch (format) {
    case 1:
      return segy_samples{4, dtype::f32, true};
    case 2:
      return segy_samples{4, dtype::i32};
    case 3:
      return segy_samples{2, dtype::i16};
    case 5:
      return segy_samples{4, dtype::f32};
    case 6:
      return segy_samples{8, dtype::f64};
    case 7:
      return segy_samples{3, dtype::i32};
    case 8:
      return segy_samples{1, dtype::i8};
    case 9:
      return segy_samples{8, dtype::i64};
    case 10:
      return segy_samples{4, dtype::u32};
    case 11:
      return segy_samples{2, dtype::u16};
    case 12:
      return segy_samples{8, dtype::u64};
    case 15:
      return segy_samples{3, dtype::u32};
    case 16:
      return segy_samples{1, dtype::u8};
    default:
      return std::nullopt;
  }
}

void read_segy_samples(const segy_samples& format, std::span<const std::byte> from, std::byte* to) {
  visit_samples(format,
                [&]<std::size_t Bytes, class T>(std::integral_constant<std::size_t, Bytes>, std::type_identity<T>) {
                  read_all_of<Bytes, T>(format, from, to);
                });
}

void write_segy_samples(const segy_samples& format, const std::byte* from, std::span<std::byte> to) {
  visit_samples(format,
                [&]<std::size_t Bytes, class T>(std::integral_constant<std::size_t, Bytes>, std::type_identity<T>) {
                  write_all_of<Bytes, T>(format, from, to);
                });
}

}  // namespace ballot::app
