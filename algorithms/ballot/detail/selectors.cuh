// Which items are kept: by a predicate, by byte flags, by packed bits. A selector gives one thread the flags of its
// vector of consecutive items as the low bits of a word, which is what a warp votes on.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <span>

namespace ballot {

// Keep the items whose byte is not zero (or, inverted, is zero).
struct byte_flags {
  std::span<const std::uint8_t> flags;
  bool invert = false;
};

// Keep the items whose bit is set (or, inverted, is clear): item i has bit i % 32 of word i / 32, as a ballot writes
// it. Bits past the last item are ignored.
struct bit_flags {
  std::span<const std::uint32_t> words;
  bool invert = false;
};

namespace detail {

template <class Predicate>
struct predicate_selector {
  static constexpr bool needs_items = true;
  Predicate keep;

  // The flags of `item[0..Width)`, which are the items from `first` on; those from `valid` on are not there.
  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& item, std::uint64_t /*first*/, unsigned valid) const {
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j)
      if (static_cast<unsigned>(j) < valid && keep(item[j])) bits |= 1u << j;
    return bits;
  }
};

struct byte_flag_selector {
  static constexpr bool needs_items = false;
  const std::uint8_t* flag;
  bool invert;
  bool whole_vectors;  // the flags lie so that vectors of them can be loaded whole

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector&, std::uint64_t first, unsigned valid) const {
    unsigned bits = 0;
    if (whole_vectors && valid >= static_cast<unsigned>(Width)) {
      const auto bytes = simt::load_vector<std::uint8_t, Width>(flag + first);
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if ((bytes[j] != 0) != invert) bits |= 1u << j;
    } else {
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if (static_cast<unsigned>(j) < valid && (flag[first + j] != 0) != invert) bits |= 1u << j;
    }
    return bits;
  }
};

struct bit_flag_selector {
  static constexpr bool needs_items = false;
  const std::uint32_t* words;
  bool invert;

  // A vector never crosses a word: its first item is a multiple of Width, and Width divides 32.
  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector&, std::uint64_t first, unsigned valid) const {
    if (valid == 0) return 0;
    std::uint32_t bits = words[first / 32] >> (first % 32);
    if (invert) bits = ~bits;
    const unsigned there = valid < static_cast<unsigned>(Width) ? valid : static_cast<unsigned>(Width);
    return bits & ((1u << there) - 1u);
  }
};

// Flags that lie in an output would be overwritten while they are read. A predicate has none.
template <class T>
void require_apart_from_flags(const byte_flags& flags, const output<T>& out, const char* function) {
  require_apart(flags.flags.data(), flags.flags.size(), out.data, out.size, function);
}
template <class T>
void require_apart_from_flags(const bit_flags& flags, const output<T>& out, const char* function) {
  require_apart(flags.words.data(), flags.words.size(), out.data, out.size, function);
}
template <class Predicate, class T>
void require_apart_from_flags(const Predicate&, const output<T>&, const char*) {}

inline byte_flag_selector make_selector(const byte_flags& flags, std::uint64_t items, const char* function) {
  require(flags.flags.size() >= items, function, "fewer flags than items");
  require(flags.flags.data() != nullptr || items == 0, function, "the flags are null but not empty");
  return {flags.flags.data(), flags.invert, reinterpret_cast<std::uintptr_t>(flags.flags.data()) % 4 == 0};
}
inline bit_flag_selector make_selector(const bit_flags& flags, std::uint64_t items, const char* function) {
  require(flags.words.size() >= items / 32 + (items % 32 != 0), function, "fewer flag bits than items");
  require(flags.words.data() != nullptr || items == 0, function, "the flags are null but not empty");
  return {flags.words.data(), flags.invert};
}
template <class Predicate>
predicate_selector<Predicate> make_selector(const Predicate& keep, std::uint64_t, const char*) {
  return {keep};
}

}  // namespace detail
}  // namespace ballot
