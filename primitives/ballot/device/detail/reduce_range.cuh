// SPDX-License-Identifier: Apache-2.0
// One warp reduces a range of items. It takes warp tiles of `chunks` vectors a lane
// (block/tile.cuh):
//
//     range     | tile                   | ... | partial tile                 |
//               | chunk 0 | chunk 1 | .. |     | whole vectors | single items |
//
// The order is that of the items: tiles, chunks, vectors. If the operator commutes, each lane
// reduces its own vectors over the whole range, and one warp reduction follows. Else the warp
// reduces each tile, because the order of a chunk goes across the lanes: all chunks of a whole tile
// at once, those of the partial tile one after the other.
//
// Vectors are loaded whole if the array is aligned to them. Otherwise it depends on the operator.
// If its results are exact, as sums of integers are, the items before the first aligned vector are
// reduced apart, and vectors are loaded whole from there on. Else the items are loaded one by one,
// because the association of the operands must not depend on the address.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/simt/simt.cuh>
#include <ballot/warp/lanes.cuh>
#include <ballot/warp/reduce.cuh>

#include <cstdint>
#include <cstring>

namespace ballot::device {

__device__ __forceinline__ unsigned smaller_of(unsigned a, unsigned b) { return a < b ? a : b; }

// Whether a vector is loaded in several accesses of 16 bytes: items of 12, 24 or 32 bytes.
BALLOT_HOST_DEVICE constexpr bool is_in_pieces(std::size_t vector_bytes) {
  return vector_bytes > 16 && vector_bytes % 16 == 0;
}
// The items of a vector. Smaller items fill one access of 16 bytes. Items of 12, 16, 20... bytes
// fill several, up to 64 bytes, if a few of them do.
template <class Item>
inline constexpr int reduce_width = [] {
  constexpr int of_access = block::vector_width<Item>(16);
  for (int width = 1; of_access == 1 && width <= 4; width *= 2)
    if (is_in_pieces(width * sizeof(Item)) && width * sizeof(Item) <= 64) return width;
  return of_access;
}();
// Whether vectors of Width items can be loaded from `p` and addresses a multiple of them away.
template <class Item, int Width>
bool is_aligned_for_reduce(const Item* p) {
  if constexpr (is_in_pieces(Width * sizeof(Item))) return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
  else return block::is_vector_aligned<Item, Width>(p);
}

// The input of a reduction: items in memory, or a view.
template <class In>
struct reduce_input {
  using item = typename In::value_type;
  template <int Width>
  static constexpr bool has_vectors = device::has_vectors<In, Width>;
  template <int Width>
  static __device__ __forceinline__ simt::vector<item, Width> vector(const In& in, std::uint64_t at) {
    return vector_of<Width>(in, at);
  }
};
template <class Item>
struct reduce_input<const Item*> {
  using item = Item;
  template <int Width>
  static constexpr bool has_vectors =
      block::items_of_access<Item, Width> == Width || is_in_pieces(Width * sizeof(Item));
  template <int Width>
  static __device__ __forceinline__ simt::vector<Item, Width> vector(const Item* in, std::uint64_t at) {
    if constexpr (is_in_pieces(Width * sizeof(Item))) {
      constexpr int pieces = Width * sizeof(Item) / 16;
      simt::vector<std::uint32_t, 4> piece[pieces];
      const auto* from = reinterpret_cast<const std::uint32_t*>(in + at);
#pragma unroll
      for (int i = 0; i < pieces; ++i) piece[i] = simt::load_vector<std::uint32_t, 4>(from + 4 * i);
      simt::vector<Item, Width> v;
      std::memcpy(&v, piece, sizeof(v));
      return v;
    } else {
      return simt::load_vector<Item, Width>(in + at);
    }
  }
};

// How many vectors a lane loads item by item before it uses the first: each item has a register or
// more of its own.
template <class Item, class Shape, int Registers = 32>
inline constexpr int unaligned_group = [] {
  constexpr int of_vector = Shape::width * ((static_cast<int>(sizeof(Item)) + 3) / 4);
  int group = Shape::chunks;
  while (group > 1 && (group * of_vector > Registers || Shape::chunks % group != 0)) --group;
  return group;
}();

// op of the items of the first `lanes` lanes, in lane 0. Most reductions are of full warps, which
// need fewer instructions.
template <unsigned Lanes = simt::warp_size, class T, class Op>
__device__ __forceinline__ T reduce_lanes(T item, unsigned lanes, Op op) {
  return lanes == Lanes ? warp::reduce_to_first<Lanes>(item, op)
                        : warp::reduce_to_first<Lanes>(item, op, warp::first_items{lanes});
}

// Whether every order and grouping of the operands gives the same result. Floats do not: the
// minimum of -0 and +0 may be either.
template <class Op, class T>
inline constexpr bool is_exact_in_any_order =
    std::is_integral_v<T> && is_commutative<Op, T> && ballot::detail::accepts_any_operand<Op, T>;

// Whether Values appends several vectors at once.
template <class Values>
inline constexpr bool appends_vectors = [] {
  if constexpr (requires { Values::appends_vectors; }) return Values::appends_vectors;
  else return false;
}();

// Whether a reduction may load vectors from the first item on whose address is aligned to one.
template <class Shape, class In, class Op, class T>
inline constexpr bool vectors_begin_anywhere = false;
template <class Shape, class Item, class Op, class T>
inline constexpr bool vectors_begin_anywhere<Shape, const Item*, Op, T> = is_exact_in_any_order<Op, T> &&
                                                                          Shape::width > 1 &&
                                                                          block::items_of_access<Item, Shape::width> ==
                                                                              Shape::width &&
                                                                          alignof(Item) == sizeof(Item);

// How many items come before the first one whose address is aligned to a vector.
template <int Width, class Item>
__device__ __forceinline__ unsigned items_before_vector(const Item* item) {
  return (0u - static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(item) / sizeof(Item))) % Width;
}

// The steps of reduce_range. The sum is that of the lane's items if op commutes, else of the
// warp's.
template <class Shape, class Values, class In, class Op>
class range_reduction {
  using T = typename Values::value_type;
  using input = reduce_input<In>;
  using Item = typename input::item;
  static constexpr int chunks = Shape::chunks, width = Shape::width;
  static constexpr unsigned vector_items = width;
  static constexpr bool commutes = is_commutative<Op, T>, at_once = commutes && appends_vectors<Values>;
  static constexpr bool begins_anywhere = vectors_begin_anywhere<Shape, In, Op, T>;
  using items = simt::vector<Item, width>;

 public:
  __device__ __forceinline__ range_reduction(const In& in, bool vector_aligned, Op& op)
      : in_(in), op_(op), vector_aligned_(vector_aligned) {}

  // Once for each object.
  __device__ __forceinline__ T reduce(std::uint64_t begin, std::uint64_t end) {
    if constexpr (begins_anywhere) begin += load_before_vectors(begin, end);
    const bool has_full_tile = end - begin >= Shape::warp_items;
    for (; end - begin >= Shape::warp_items; begin += Shape::warp_items) append_tile(begin);
    if (begin == end) {
      if (before_ != 0) {
        append_before_vectors();
        return reduce_lanes(sum_, has_full_tile ? simt::warp_size : before_, op_);
      }
      if constexpr (commutes) return has_sum_ ? warp::reduce_to_first(sum_, op_) : sum_;
      else return sum_;
    }

    // The partial tile, in the same order: its whole vectors chunk by chunk, and then the items
    // after them, one a lane.
    const auto valid = static_cast<unsigned>(end - begin);
    const unsigned vectors = valid / vector_items, rest = valid % vector_items;
    Item last{};
    if (lane_ < rest) last = in_[end - rest + lane_];
    append_whole_vectors(begin, vectors);
    if constexpr (commutes) {
      if (lane_ < rest) append(Values::one(last, end - rest + lane_));
      append_before_vectors();
      const unsigned singles = rest < before_ ? before_ : rest;
      const unsigned lanes = vectors >= simt::warp_size || has_full_tile ? simt::warp_size
                             : vectors < singles                         ? singles
                                                                         : vectors;
      return reduce_lanes(sum_, lanes, op_);
    } else {
      if (rest != 0) append(warp::reduce(Values::one(last, end - rest + lane_), op_, warp::first_items{rest}));
      return sum_;
    }
  }

 private:
  __device__ __forceinline__ bool has_aligned_vectors() const { return begins_anywhere || vector_aligned_; }

  // Loads the items before the first aligned vector, one a lane, and returns how many there are.
  __device__ __forceinline__ unsigned load_before_vectors(std::uint64_t begin, std::uint64_t end) {
    if (vector_aligned_ || begin == end) return 0;
    before_ = items_before_vector<width>(in_ + begin);
    if (end - begin < before_) before_ = static_cast<unsigned>(end - begin);
    index_before_ = begin + lane_;
    if (lane_ < before_) item_before_ = in_[index_before_];
    return before_;
  }
  __device__ __forceinline__ void append_before_vectors() {
    if (lane_ >= before_) return;
    const T item = Values::one(item_before_, index_before_);
    sum_ = has_sum_ ? op_(item, sum_) : item;
    has_sum_ = true;
  }
  __device__ __forceinline__ void append(T next) {
    sum_ = has_sum_ ? Values::append(sum_, next, op_) : next;
    has_sum_ = true;
  }
  // A vector of each lane, of several whole chunks.
  template <int Vectors>
  __device__ __forceinline__ void fold_chunks(const items (&item)[Vectors], std::uint64_t index, T* of_lane) {
#pragma unroll
    for (int c = 0; c < Vectors; ++c) of_lane[c] = Values::fold(item[c], index + c * Shape::chunk_items, op_);
  }
  template <int Vectors>
  __device__ __forceinline__ void append_chunks(const items (&item)[Vectors], std::uint64_t index) {
    if constexpr (at_once) {
      Values::append_vectors(sum_, has_sum_, item, index, Shape::chunk_items);
      has_sum_ = true;
    } else {
      T of_lane[Vectors];
      fold_chunks(item, index, of_lane);
      if constexpr (commutes) {
#pragma unroll
        for (int c = 0; c < Vectors; ++c) append(of_lane[c]);
      } else {
        append(warp::reduce_runs(of_lane, op_));
      }
    }
  }

  // A whole warp tile.
  __device__ __forceinline__ void append_tile(std::uint64_t begin) {
    const std::uint64_t at_lane = begin + lane_ * width;
    if constexpr (input::template has_vectors<width>) {
      if (has_aligned_vectors()) {
        items item[chunks];
#pragma unroll
        for (int c = 0; c < chunks; ++c) item[c] = input::template vector<width>(in_, at_lane + c * Shape::chunk_items);
        append_chunks(item, at_lane);
        return;
      }
    }
    // Item by item. As many vectors at once as have 32 registers for their items.
    constexpr int group = unaligned_group<Item, Shape>;
    const auto load = [&](items(&item)[group], int done) {
#pragma unroll
      for (int c = 0; c < group; ++c)
#pragma unroll
        for (int j = 0; j < width; ++j) item[c][j] = in_[at_lane + (done + c) * Shape::chunk_items + j];
    };
    if constexpr (commutes) {
#pragma unroll 1
      for (int done = 0; done < chunks; done += group) {
        items item[group];
        load(item, done);
        append_chunks(item, at_lane + done * Shape::chunk_items);
      }
    } else {
      T of_lane[chunks];
#pragma unroll
      for (int done = 0; done < chunks; done += group) {
        items item[group];
        load(item, done);
        fold_chunks(item, at_lane + done * Shape::chunk_items, of_lane + done);
      }
      append(warp::reduce_runs(of_lane, op_));
    }
  }

  // The first `vectors` vectors of a partial tile.
  __device__ __forceinline__ void append_whole_vectors(std::uint64_t begin, unsigned vectors) {
    const std::uint64_t at_lane = begin + lane_ * vector_items;
    if constexpr (input::template has_vectors<width>) {
      if (has_aligned_vectors() && vectors != 0) {
        // Few vectors need few instructions.
        if (vectors <= simt::warp_size) append_partial_chunks<1>(begin, vectors);
        else if (chunks > 2 && vectors <= 2 * simt::warp_size) append_partial_chunks<up_to_two>(begin, vectors);
        else if (chunks > 4 && vectors <= 4 * simt::warp_size) append_partial_chunks<up_to_four>(begin, vectors);
        else append_partial_chunks<chunks>(begin, vectors);
      }
    }
    if (!input::template has_vectors<width> || !has_aligned_vectors()) {
      constexpr int group = unaligned_group<Item, Shape, 16>;
#pragma unroll 1
      for (int done = 0; done < chunks && done * simt::warp_size < vectors; done += group) {
        items item[group];
#pragma unroll
        for (int c = 0; c < group; ++c)
          if ((done + c) * simt::warp_size + lane_ < vectors) {
#pragma unroll
            for (int j = 0; j < width; ++j) item[c][j] = in_[at_lane + (done + c) * Shape::chunk_items + j];
          }
#pragma unroll
        for (int c = 0; c < group; ++c) append_partial_chunk(item[c], done + c, begin, vectors);
      }
    }
  }
  static constexpr int up_to_two = chunks < 2 ? chunks : 2, up_to_four = chunks < 4 ? chunks : 4;
  // The first `vectors` vectors of a partial tile, which has no more than Count chunks of them.
  template <int Count>
  __device__ __forceinline__ void append_partial_chunks(std::uint64_t begin, unsigned vectors) {
    items item[Count];
#pragma unroll
    for (int c = 0; c < Count; ++c) item[c] = load_or_repeat_last(begin, vectors, c);
    if constexpr (at_once && Count > 1) {
      // An item that is loaded twice gets an index above its own the second time. So the copy is
      // never the first of equal items.
      append_chunks(item, begin + lane_ * vector_items);
    } else {
#pragma unroll
      for (int c = 0; c < Count; ++c) append_partial_chunk(item[c], c, begin, vectors);
    }
  }
  // Lanes after the last whole vector load it again, so that no load has a condition.
  __device__ __forceinline__ items load_or_repeat_last(std::uint64_t begin, unsigned vectors, int chunk) const {
    const unsigned vector = smaller_of(static_cast<unsigned>(chunk) * simt::warp_size + lane_, vectors - 1);
    return input::template vector<width>(in_, begin + vector * vector_items);
  }
  // Of a chunk that may have fewer vectors than a warp has lanes, or none.
  __device__ __forceinline__ void append_partial_chunk(const items& item, int chunk, std::uint64_t begin,
                                                       unsigned vectors) {
    const unsigned first = chunk * simt::warp_size;
    if (first >= vectors) return;
    T of_lane{};
    if (first + lane_ < vectors) of_lane = Values::fold(item, begin + (first + lane_) * vector_items, op_);
    if constexpr (commutes) {
      if (first + lane_ < vectors) append(of_lane);
    } else {
      append(warp::reduce(of_lane, op_, warp::first_items{smaller_of(vectors - first, simt::warp_size)}));
    }
  }

  const In& in_;
  Op& op_;
  const bool vector_aligned_;
  const unsigned lane_ = simt::lane_id();
  T sum_{};
  bool has_sum_ = false;
  // The items before the first vector, if vectors begin anywhere: how many, and the lane's.
  unsigned before_ = 0;
  Item item_before_{};
  std::uint64_t index_before_ = 0;
};

// op of the items from `begin` to `end`, in order, in lane 0; unspecified if there are none.
template <class Shape, class Values, class In, class Op>
__device__ __forceinline__ typename Values::value_type reduce_range(const In& in, std::uint64_t begin,
                                                                    std::uint64_t end, bool vector_aligned, Op op) {
  return range_reduction<Shape, Values, In, Op>(in, vector_aligned, op).reduce(begin, end);
}

}  // namespace ballot::device
