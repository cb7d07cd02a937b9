// Which items are kept: by a predicate, by byte flags, by packed bits (core/flags.hpp). A selector gives one thread the
// flags of its vector of consecutive items as the low bits of a word, which is what a warp votes on.
#pragma once

#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/columns.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>
#include <tuple>

namespace ballot::detail {

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

// By flags in memory.
template <class Reader>
struct flag_selector {
  static constexpr bool needs_items = false;
  Reader reader;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector&, std::uint64_t first, unsigned valid) const {
    return reader.template flags<Width>(first, valid);
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
    require_flags(keep, items, function);
    return flag_selector<device::byte_flag_reader>{
        {keep.flags.data(), keep.invert, whole && block::whole_vectors_at<std::uint8_t, Width>(keep.flags.data())}};
  } else if constexpr (std::is_same_v<Keep, bit_flags>) {
    require_flags(keep, items, function);
    return flag_selector<device::bit_flag_reader>{make_flag_reader(keep)};
  } else if constexpr (is_on_first<Keep>) {
    return make_selector<Width, Held>(keep.function, std::tuple(std::get<0>(inputs)), function, whole);
  } else if constexpr (Held && sizeof...(I) == 1) {
    return predicate_selector<Keep>{keep};
  } else {
    const auto from = make_sources<Width>(inputs, whole);
    return reading_selector<Keep, std::remove_const_t<decltype(from)>>{keep, from};
  }
}

}  // namespace ballot::detail
