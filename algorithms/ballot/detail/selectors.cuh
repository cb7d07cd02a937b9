// Which items are kept: by a predicate, by byte flags, by packed bits (core/flags.hpp). A selector gives one thread the
// flags of its vector of consecutive items as the low bits of a word, which is what a warp votes on.
#pragma once

#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/columns.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

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
      if (static_cast<unsigned>(j) < valid && call(keep, item[j])) bits |= 1u << j;
    return bits;
  }
};

// By an item of every source, read here.
template <class Predicate, class Sources>
struct reading_selector {
  static constexpr bool needs_items = false;
  Predicate keep;
  Sources from;

  // All vectors of one source are loaded together; those of several would take too many registers.
  template <class Shape>
  __device__ __forceinline__ bool flags_together(std::uint64_t begin, unsigned valid,
                                                 unsigned (&flags)[Shape::chunks]) const {
    if constexpr (Sources::count == 1) {
      using T = typename decltype(from.first)::item;
      typename block::tile<T, Shape>::items item;
      from.first.template load<Shape>(begin, valid, item);
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c) {
        const unsigned first = block::tile<T, Shape>::first_item(c);
        flags[c] = 0;
#pragma unroll
        for (int j = 0; j < Shape::width; ++j)
          if (first + static_cast<unsigned>(j) < valid && call(keep, item[c][j])) flags[c] |= 1u << j;
      }
      return true;
    } else {
      return false;
    }
  }

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector&, std::uint64_t first, unsigned valid) const {
    if (valid == 0) return 0;
    unsigned bits = 0;
    from.template with_vectors<Width>(first, valid, [&](const auto&... v) {
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if (static_cast<unsigned>(j) < valid && call(keep, v[j]...)) bits |= 1u << j;
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
      const bool is_there = static_cast<unsigned>(j) < valid;
      if (!is_harmless<Same, T> && !is_there) continue;
      const bool is_head = (j == 0 && first == 0) || !call(same, j == 0 ? before : item[j == 0 ? 0 : j - 1], item[j]);
      if (is_there && is_head) bits |= 1u << j;
    }
    return bits;
  }
};

// By flags in memory.
template <class Reader>
struct flag_selector {
  static constexpr bool needs_items = false;
  Reader reader;

  template <class Shape>
  __device__ __forceinline__ bool flags_together(std::uint64_t begin, unsigned valid,
                                                 unsigned (&flags)[Shape::chunks]) const {
    if (!reader.vector_aligned) return false;
    constexpr unsigned width = Shape::width;
    const unsigned first = block::tile<std::uint8_t, Shape>::first_item(0);
    decltype(reader.template load<Shape::width>(0)) loaded[Shape::chunks]{};
    const auto is_whole = [&](int c) {
      return valid == Shape::items || first + static_cast<unsigned>(c) * Shape::chunk_items + width <= valid;
    };
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      if (is_whole(c))
        loaded[c] = reader.template load<Shape::width>(begin + first + static_cast<unsigned>(c) * Shape::chunk_items);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const unsigned at = first + static_cast<unsigned>(c) * Shape::chunk_items;
      flags[c] = is_whole(c) ? reader.template decode<Shape::width>(loaded[c], begin + at)
                             : reader.template flags<Shape::width>(begin + at, at < valid ? valid - at : 0u);
    }
    return true;
  }

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector&, std::uint64_t first, unsigned valid) const {
    return reader.template flags<Width>(first, valid);
  }
};

// The flags of each of the thread's vectors of the tile that begins at `begin`. `item`: the tile's items, where the
// selector needs them. What the selector reads itself is requested for all vectors before the first is looked at, where
// it can be: one after the other, each would wait for memory.
template <class Shape, class Selector, class Items>
__device__ __forceinline__ void select_of_tile(const Selector& selector, const Items& item, std::uint64_t begin,
                                               unsigned valid, unsigned (&flags)[Shape::chunks]) {
  if constexpr (requires { selector.template flags_together<Shape>(begin, valid, flags); })
    if (selector.template flags_together<Shape>(begin, valid, flags)) return;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = block::tile<std::uint8_t, Shape>::first_item(c);
    if constexpr (Selector::needs_items)
      flags[c] = selector.template flags<Shape::width>(item[c], begin + first, first < valid ? valid - first : 0u);
    else  // its items may not have been loaded
      flags[c] = selector.template flags<Shape::width>(nullptr, begin + first, first < valid ? valid - first : 0u);
  }
}

template <class Keep>
inline constexpr bool selects_by_flags = std::is_same_v<Keep, byte_flags> || std::is_same_v<Keep, bit_flags>;

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
        {keep.flags.data(), keep.invert, whole && block::is_vector_aligned<std::uint8_t, Width>(keep.flags.data())}};
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
