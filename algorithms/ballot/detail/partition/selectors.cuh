// SPDX-License-Identifier: Apache-2.0
// Which items are selected: by a predicate, by byte flags, by packed bits (core/flags.hpp), or as
// heads of runs. A selector returns the flags of a thread's vector of consecutive items as the low
// bits of a word. The warp votes on these.
#pragma once

#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/device_columns.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/small_tile_shape.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace ballot::detail {

// By the items of the first column, which the kernel has loaded.
template <class Predicate>
struct predicate_selector {
  static constexpr bool needs_items = true;
  Predicate predicate;

  // The flags of `item[0..Width)`, the items from index `first` on. Only the first `valid` of them
  // exist.
  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& item, std::uint64_t /*first*/, unsigned valid) const {
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j)
      if (static_cast<unsigned>(j) < valid && call(predicate, item[j])) bits |= 1u << j;
    return bits;
  }
};

// By an item of each source. The selector reads them itself.
template <class Predicate, class Sources>
struct source_selector {
  static constexpr bool needs_items = false;
  Predicate predicate;
  Sources sources;

  // Of what is read: where vectors are aligned.
  block::aligned_vectors vectors() const
    requires requires { sources.first.vectors; }
  {
    return sources.first.vectors;
  }

  // All vectors of one source are loaded together. With several sources this would take too many
  // registers.
  template <class Shape>
  __device__ __forceinline__ bool flags_together(std::uint64_t begin, unsigned valid,
                                                 unsigned (&flags)[Shape::chunks]) const {
    if constexpr (Sources::count == 1) {
      using T = typename decltype(sources.first)::item;
      typename block::tile<T, Shape>::items item;
      sources.first.template load<Shape>(begin, valid, item);
#pragma unroll
      for (int c = 0; c < Shape::chunks; ++c) {
        const unsigned first = block::tile<T, Shape>::first_item(c);
        flags[c] = 0;
#pragma unroll
        for (int j = 0; j < Shape::width; ++j)
          if (first + static_cast<unsigned>(j) < valid && call(predicate, item[c][j])) flags[c] |= 1u << j;
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
    sources.template with_vectors<Width>(first, valid, [&](const auto&... v) {
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if (static_cast<unsigned>(j) < valid && call(predicate, v[j]...)) bits |= 1u << j;
    });
    return bits;
  }
};

// The heads of runs of bytes, four at a time.
template <int Width, class T, class Vector>
__device__ __forceinline__ unsigned head_flags_of_bytes(const T& before, const Vector& item) {
  std::uint32_t word[Width / 4], last = static_cast<std::uint32_t>(static_cast<std::uint8_t>(before)) << 24;
  std::memcpy(word, &item, sizeof(word));
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < Width / 4; ++k) {
    const std::uint32_t differing = word[k] ^ (word[k] << 8 | last >> 24);
    // The top bit of each byte: whether it is not zero. No byte's sum carries into the next.
    const std::uint32_t set = (((differing & 0x7f7f7f7fu) + 0x7f7f7f7fu) | differing) & 0x80808080u;
    bits |= (set * 0x204081u) >> 28 << (4 * k);  // bits 7, 15, 23, 31 move to 28, 29, 30, 31; no two products meet
    last = word[k];
  }
  return bits;
}
template <class T, int Width, class Same>
inline constexpr bool has_heads_of_bytes =
    std::is_integral_v<T> && sizeof(T) == 1 && Width % 4 == 0 && std::is_same_v<Same, equal_to>;

// The heads of runs: items that differ from the item before them. before: the item before the
// vector; any, if there is none.
template <class T, int Width, class Same, class Vector>
__device__ __forceinline__ unsigned head_flags_behind(const Same& same, const T& before, const Vector& item,
                                                      std::uint64_t first, unsigned valid) {
  if constexpr (has_heads_of_bytes<T, Width, Same>) {
    const unsigned heads = head_flags_of_bytes<Width>(before, item) | (first == 0 ? 1u : 0u);
    return heads & device::low_bits_of_word(valid < static_cast<unsigned>(Width) ? valid : unsigned{Width});
  } else {
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const bool is_valid = static_cast<unsigned>(j) < valid;
      if (!accepts_any_operand<Same, T> && !is_valid) continue;
      const bool is_head = (j == 0 && first == 0) || !call(same, j == 0 ? before : item[j == 0 ? 0 : j - 1], item[j]);
      if (is_valid && is_head) bits |= 1u << j;
    }
    return bits;
  }
}
// The same. The item before is in the same vector, in the lane below, or, for a warp's lowest lane,
// in memory. `in`: a pointer or a view.
template <class T, int Width, class Same, class Vector, class In>
__device__ __forceinline__ unsigned head_flags(const Same& same, const Vector& item, const In& in, std::uint64_t first,
                                               unsigned valid) {
  T before = item[0];
  if constexpr (sizeof(T) <= 16) {
    before = simt::shuffle_up(item[Width - 1], 1);
    if (simt::lane_id() == 0 && first != 0 && valid != 0) before = in[first - 1];
  } else {
    if (first != 0 && valid != 0) before = in[first - 1];
  }
  return head_flags_behind<T, Width>(same, before, item, first, valid);
}
template <class T, class Same>
struct head_selector {
  static constexpr bool needs_items = true;
  const T* in;
  Same same;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& item, std::uint64_t first, unsigned valid) const {
    return head_flags<T, Width>(same, item, in, first, valid);
  }
  // Of chunk c of items in shared memory (wide_items.cuh), where the items before them are, too.
  template <class Items>
  __device__ __forceinline__ unsigned flags_of_shared(const Items& items, int c, std::uint64_t first,
                                                      unsigned valid) const {
    if (valid == 0) return 0;
    const simt::vector<T, 1> item = items[c];
    T before = item[0];
    if (!items.is_first(c)) before = items.before(c);
    else if (first != 0) before = in[first - 1];
    return head_flags_behind<T, 1>(same, before, item, first, valid);
  }
};
template <class V, class Same>
struct view_head_selector {
  static constexpr bool needs_items = true;
  V in;
  Same same;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& item, std::uint64_t first, unsigned valid) const {
    return head_flags<typename V::value_type, Width>(same, item, in, first, valid);
  }
};
template <class T, class Same>
head_selector<T, Same> make_head_selector(const input<T>& in, const Same& same) {
  return {in.data, same};
}
template <class V, class Same>
view_head_selector<V, Same> make_head_selector(const view_input<V>& in, const Same& same) {
  return {in.view, same};
}

// By flags in memory.
template <class Reader>
struct flag_selector {
  static constexpr bool needs_items = false;
  Reader reader;

  block::aligned_vectors vectors() const
    requires requires { reader.vectors; }
  {
    return reader.vectors;
  }

  template <class Shape>
  __device__ __forceinline__ bool flags_together(std::uint64_t begin, unsigned valid,
                                                 unsigned (&flags)[Shape::chunks]) const {
    if constexpr (requires { reader.vectors; })
      if (!reader.template is_whole<Shape::width>(begin)) {
        // In the shapes for many items, only the first tile takes this path. There it would cost 15
        // registers more.
        if constexpr (may_have_fewer_threads<Shape>) load_singly<Shape>(begin, valid, flags);
        return may_have_fewer_threads<Shape>;
      }
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

 private:
  // Byte by byte, several vectors at a time. No load has a condition: bytes after the last one are
  // that one.
  template <class Shape>
  __device__ __forceinline__ void load_singly(std::uint64_t begin, unsigned valid,
                                              unsigned (&flags)[Shape::chunks]) const {
    constexpr int at_once = 4, width = Shape::width;
    const std::uint8_t* const of_tile = reader.flag + begin;
#pragma unroll
    for (int done = 0; done < Shape::chunks; done += at_once) {
      std::uint8_t byte[at_once][width];
#pragma unroll
      for (int i = 0; i < at_once; ++i)
#pragma unroll
        for (int j = 0; j < width; ++j) {
          if (done + i >= Shape::chunks) continue;
          const unsigned at = block::tile<std::uint8_t, Shape>::first_item(done + i) + static_cast<unsigned>(j);
          byte[i][j] = of_tile[at < valid ? at : valid - 1];
        }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (done + i >= Shape::chunks) continue;
        const unsigned first = block::tile<std::uint8_t, Shape>::first_item(done + i);
        unsigned bits = 0;
#pragma unroll
        for (int j = 0; j < width; ++j)
          if (first + static_cast<unsigned>(j) < valid && (byte[i][j] != 0) != reader.invert) bits |= 1u << j;
        flags[done + i] = bits;
      }
    }
  }
};

template <class Selector>
inline constexpr bool reads_words_of_flags = std::is_same_v<Selector, flag_selector<device::bit_flag_reader>>;

// The flags of each of the thread's vectors of the tile that begins at `begin`. `item`: the tile's
// items, if the selector needs them. A selector that reads memory itself requests all vectors
// before it uses the first one, if possible. Otherwise it would wait for memory at each vector.
template <class Shape, class Selector, class Items>
__device__ __forceinline__ void select_of_tile(const Selector& selector, const Items& item, std::uint64_t begin,
                                               unsigned valid, unsigned (&flags)[Shape::chunks]) {
  if constexpr (requires { selector.template flags_together<Shape>(begin, valid, flags); })
    if (selector.template flags_together<Shape>(begin, valid, flags)) return;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) {
    const unsigned first = block::tile<std::uint8_t, Shape>::first_item(c);
    if constexpr (requires { selector.flags_of_shared(item, c, begin, valid), item.before(c); })
      flags[c] = selector.flags_of_shared(item, c, begin + first, first < valid ? valid - first : 0u);
    else if constexpr (Selector::needs_items)
      flags[c] = selector.template flags<Shape::width>(item[c], begin + first, first < valid ? valid - first : 0u);
    else  // its items may not have been loaded
      flags[c] = selector.template flags<Shape::width>(nullptr, begin + first, first < valid ? valid - first : 0u);
  }
}

// The kernel's selector for the `select` argument of a call. Width: items of a vector. Loaded: the
// kernel loads the items of the first input. Flags have been checked.
template <int Width, bool Loaded, class Select, class... I>
auto make_selector(const Select& select, const std::tuple<I...>& inputs) {
  if constexpr (std::is_same_v<Select, byte_flags>) {
    return flag_selector<device::byte_flag_reader>{
        {select.flags.data(), select.invert, block::aligned_vectors_of<std::uint8_t, Width>(select.flags.data())}};
  } else if constexpr (std::is_same_v<Select, bit_flags>) {
    return flag_selector<device::bit_flag_reader>{make_flag_reader(select)};
  } else if constexpr (is_on_first<Select>) {
    return make_selector<Width, Loaded>(select.function, std::tuple(std::get<0>(inputs)));
  } else if constexpr (Loaded && sizeof...(I) == 1) {
    return predicate_selector<Select>{select};
  } else {
    const auto sources = make_sources<Width>(inputs);
    return source_selector<Select, std::remove_const_t<decltype(sources)>>{select, sources};
  }
}

}  // namespace ballot::detail
