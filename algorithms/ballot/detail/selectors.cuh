// Which items are kept: by a predicate, by byte flags, by packed bits. A selector gives one thread the flags of its
// vector of consecutive items as the low bits of a word, which is what a warp votes on.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/columns.cuh>
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

// Whether two items are the same, where nothing else is given.
struct equal_to {
  template <class T>
  BALLOT_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};

namespace detail {

// By the items of the first column, which the kernel holds anyway.
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

// By an item of every source, read here.
template <class Predicate, class Sources>
struct reading_selector {
  static constexpr bool needs_items = false;
  Predicate keep;
  Sources from;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector&, std::uint64_t first, unsigned valid) const {
    if (valid == 0) return 0;
    unsigned bits = 0;
    from.template with_vectors<Width>(first, valid, [&](const auto&... v) {
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if (static_cast<unsigned>(j) < valid && keep(v[j]...)) bits |= 1u << j;
    });
    return bits;
  }
};

// The heads of runs: items that are not the same as the one before them. That one is in the same vector, in the lane
// below, or, for a warp's lowest lane, in memory.
template <class T, class Same>
struct head_selector {
  static constexpr bool needs_items = true;
  const T* in;
  Same same;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& item, std::uint64_t first, unsigned valid) const {
    T before = item[0];
    if constexpr (sizeof(T) <= 16) {
      before = simt::shuffle_up(item[Width - 1], 1);
      if (simt::lane_id() == 0 && first != 0 && valid != 0) before = in[first - 1];
    } else {
      if (first != 0 && valid != 0) before = in[first - 1];
    }
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const bool is_head = (j == 0 && first == 0) || !same(j == 0 ? before : item[j == 0 ? 0 : j - 1], item[j]);
      if (static_cast<unsigned>(j) < valid && is_head) bits |= 1u << j;
    }
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
template <class Keep, class... T>
void require_apart_from_flags([[maybe_unused]] const Keep& keep, const std::tuple<output<T>...>& outputs,
                              const char* function) {
  extent flags;
  if constexpr (std::is_same_v<Keep, byte_flags>) flags = {keep.flags.data(), keep.flags.size_bytes()};
  else if constexpr (std::is_same_v<Keep, bit_flags>) flags = {keep.words.data(), keep.words.size_bytes()};
  for (const extent& out : extents_of(outputs)) require_apart(flags, out, function);
}

// What a call asks of a selection of `inputs`, as the kernel asks it. Held: the kernel holds the items of the first
// input. Width: the items of a vector. Whole: whatever is read begins at a multiple of Width items.
template <int Width, bool Held, class Keep, class... I>
auto make_selector(const Keep& keep, const std::tuple<I...>& inputs, const char* function, bool whole = true) {
  [[maybe_unused]] const std::uint64_t items = length_of(inputs).capacity;
  if constexpr (std::is_same_v<Keep, byte_flags>) {
    require(keep.flags.size() >= items, function, "fewer flags than items");
    require(keep.flags.data() != nullptr || items == 0, function, "the flags are null but not empty");
    return byte_flag_selector{keep.flags.data(), keep.invert,
                              whole && block::whole_vectors_at<std::uint8_t, Width>(keep.flags.data())};
  } else if constexpr (std::is_same_v<Keep, bit_flags>) {
    require(keep.words.size() >= ceil_div(items, 32), function, "fewer flag bits than items");
    require(keep.words.data() != nullptr || items == 0, function, "the flags are null but not empty");
    return bit_flag_selector{keep.words.data(), keep.invert};
  } else if constexpr (is_on_first<Keep>) {
    return make_selector<Width, Held>(keep.function, std::tuple(std::get<0>(inputs)), function, whole);
  } else if constexpr (Held && sizeof...(I) == 1) {
    return predicate_selector<Keep>{keep};
  } else {
    const auto from = make_sources<Width>(inputs, whole);
    return reading_selector<Keep, std::remove_const_t<decltype(from)>>{keep, from};
  }
}

}  // namespace detail
}  // namespace ballot
