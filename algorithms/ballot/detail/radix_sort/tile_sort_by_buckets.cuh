// SPDX-License-Identifier: Apache-2.0
// The second way of the local sort by tiles (tile_sort_kernel.cuh): the bin of a key is where it
// would lie if the keys of its bucket were spread evenly. So it does not matter how buckets are
// spread.
//
//     keys         a0 a1 a1 | b7 b2 b3 b3 b9 | d4 ...    heads: 0, 3, 8
//     bin of b3    3 + 3 / 10 of 5
//     word         key - smallest possible key           of whole keys
//                  head | remaining bits | position      of pairs, and where some of the bits are
//                                                        compared
//
// If bins overflow, which they do if many keys are equal, the words are sorted by digits.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/tile_sort_words.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

template <class U, class V, class Shape>
class tile_sort_by_buckets : public tile_sort_words<U, V, Shape> {
  using words = tile_sort_words<U, V, Shape>;
  using typename words::storage;
  using words::a_, words::buckets_, words::lane_, words::position_bits, words::shared_, words::thread_, words::warp_;
  using words::word_, words::word_width;

 public:
  __device__ __forceinline__ tile_sort_by_buckets(const tile_sort_buckets<U, V>& buckets, storage& shared)
      : words(buckets, shared) {}

  // Sorts keys [first, first + valid), which are whole buckets. The same outcome in all threads:
  // stored, in_positions or in_order. The bins are zero at begin, and no head is noted; not so
  // afterwards.
  __device__ __forceinline__ tile_sort_outcome sort(std::uint32_t first, unsigned valid) {
    this->note(first, valid, this->bounds_of(first, valid));
    if (load_and_find_heads(first, valid)) {
      if (buckets_.need_positions()) return tile_sort_outcome::in_order;
      store_in_order(first, valid);
      return tile_sort_outcome::stored;
    }
    make_words();
    if (!this->sort_words_by_bins(valid, [&](int i) { return bin_.get(i); })) sort_words_by_digits();
    if (!a_.compared.are_whole()) return tile_sort_outcome::in_positions;
    if (buckets_.need_positions()) store_with_leading();
    else store_words();
    return tile_sort_outcome::stored;
  }

  // Before the first call, and between two of them.
  static __device__ __forceinline__ void clear_heads(storage& shared) {
    if (simt::thread_rank() < storage::head_words) shared.has_heads[simt::thread_rank()] = 0;
  }

 private:
  // Loads the compared bits of the keys, and finds the heads: keys of another bucket than the key
  // before, if there is one. heads_: the head flags of a row of the warp, in the lane of that row's
  // number. Returns whether the keys are in order. All threads; a barrier.
  __device__ __forceinline__ bool load_and_find_heads(std::uint32_t first, unsigned valid) {
    // The first keys of the warp's rows, and those before them: each lane has those of a row.
    const unsigned row_begin = lane_ * Shape::threads + warp_ * simt::warp_size;
    const bool has_row = lane_ < Shape::items_per_thread && row_begin < valid;
    const std::uint32_t at_row = first + (has_row ? row_begin : 0u);
    const U of_row = buckets_.compared_at(at_row),
            before_row = row_begin != 0 && has_row ? buckets_.compared_at(at_row - 1) : of_row;
    bool ordered = before_row <= of_row;
    const U* const keys = a_.keys_in + first;
    constexpr int at_once = 4;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; i += at_once) {
#pragma unroll
      for (int j = 0; j < at_once; ++j)
        if (i + j < Shape::items_per_thread)
          word_[i + j] = keys[this->position(i + j) < valid ? this->position(i + j) : 0];  // no branch around a load
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (i + j >= Shape::items_per_thread) continue;
        const U key = word_[i + j] = a_.compared(word_[i + j]), earlier = simt::shuffle_up(key, 1);  // lane 0: its own
        const bool is_there = this->position(i + j) < valid;
        ordered &= !is_there || earlier <= key;
        const std::uint32_t heads = simt::ballot(is_there && (earlier ^ key) >> buckets_.remaining_bits != 0);
        if (lane_ == static_cast<unsigned>(i + j)) heads_ = heads;
      }
    }
    if ((before_row ^ of_row) >> buckets_.remaining_bits != 0) heads_ |= 1u;
    note_heads();
    return simt::sync_block_all(ordered);
  }

  __device__ __forceinline__ void store_in_order(std::uint32_t first, unsigned valid) const {
    U* const keys_out = a_.keys_out + first;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i)
      if (this->position(i) < valid) keys_out[this->position(i)] = a_.codec.decode(word_[i]);
  }

  // The first and the last head of each row.
  __device__ __forceinline__ void note_heads() {
    if (lane_ < Shape::items_per_thread && heads_ != 0) {
      const unsigned row = lane_ * Shape::warps + warp_;
      shared_.first_head[row] = static_cast<std::uint16_t>(row * simt::warp_size + simt::find_first(heads_));
      shared_.last_head[row] =
          static_cast<std::uint16_t>(row * simt::warp_size + simt::warp_size - 1 - simt::leading_zeros(heads_));
      // Relaxed: read after the next barrier.
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared_.has_heads[row / 32], 1u << row % 32);
    }
  }

  // The head of a bucket that began in an earlier row, and the head after a bucket that ends in a
  // later one.
  __device__ __forceinline__ unsigned head_before_row(unsigned row) const {
    unsigned word = row / 32;
    std::uint32_t rows = shared_.has_heads[word] & ((1u << row % 32) - 1u);
    while (rows == 0 && word != 0) rows = shared_.has_heads[--word];
    return rows == 0 ? 0 : shared_.last_head[word * 32 + 31 - simt::leading_zeros(rows)];
  }
  __device__ __forceinline__ unsigned head_behind_row(unsigned row) const {
    unsigned word = row / 32;
    std::uint32_t rows = shared_.has_heads[word] & ~((2u << row % 32) - 1u);
    while (rows == 0 && word + 1 < storage::head_words) rows = shared_.has_heads[++word];
    return rows == 0 ? shared_.known.valid : shared_.first_head[word * 32 + simt::find_first(rows)];
  }

  // Bins and words if keys are spread evenly in their buckets; missing words are the largest there
  // are.
  __device__ __forceinline__ void make_words() {
    const unsigned valid = shared_.known.valid;
    const U smallest = shared_.known.smallest;
    const bool with_positions = buckets_.need_positions();
    const int remaining_bits = buckets_.remaining_bits;
    // Each lane searches for the heads around one row; all lanes search at once.
    unsigned before = 0, behind = 0;
    if (lane_ < Shape::items_per_thread) {
      const unsigned row = lane_ * Shape::warps + warp_;
      before = head_before_row(row), behind = head_behind_row(row);
    }
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const std::uint32_t heads = simt::shuffle(heads_, i), up_to = heads & simt::lanemask_le(),
                          above = heads & simt::lanemask_gt();
      const unsigned row_before = simt::shuffle(before, i), row_behind = simt::shuffle(behind, i);
      const unsigned row_begin = this->position(i) - lane_;
      const unsigned head = up_to != 0 ? row_begin + 31 - simt::leading_zeros(up_to) : row_before;
      const unsigned next = above != 0 ? row_begin + simt::find_first(above) : row_behind;
      const U remaining = word_[i] & ((U{1} << remaining_bits) - 1u);
      // 16 of its bits say where in its bucket a key lies.
      const auto part = static_cast<unsigned>(remaining_bits >= 16 ? remaining >> (remaining_bits - 16)
                                                                   : remaining << (16 - remaining_bits));
      bin_.set(i, (head + (part * (next - head) >> 16)) & (Shape::bins - 1u));
      if (with_positions)
        word_[i] = static_cast<U>(head) << (word_width - position_bits) |
                   remaining << (word_width - position_bits - remaining_bits) | this->position(i);
      else word_[i] -= smallest;
      if (this->position(i) >= valid) word_[i] = ~U{0};
    }
  }

  __device__ __forceinline__ void sort_words_by_digits() {
    word_bits bits{0, shared_.known.key_bits};
    if (buckets_.need_positions()) {
      bits.low = word_width - position_bits - buckets_.remaining_bits;
      bits.count = word_width - bits.low;
    }
    sort_by_digits<Shape>(shared_.order.digits, shared_.order.scan, shared_.order.by_bins.words, word_,
                          shared_.known.valid, bits, {});
  }

  __device__ __forceinline__ void store_words() const {
    const U smallest = shared_.known.smallest;
    this->store([&](U word) { return a_.codec.decode(smallest + word); });
  }
  // Words with positions. The leading digits are those of the bucket's first key.
  __device__ __forceinline__ void store_with_leading() const {
    const U* const keys = a_.keys_in + shared_.known.first;
    const int below = word_width - position_bits - buckets_.remaining_bits;
    const U mask = (U{1} << buckets_.remaining_bits) - 1u;
    this->store([&](U word) {
      const U leading = keys[static_cast<unsigned>(word >> (word_width - position_bits))];
      return a_.codec.decode((leading & ~mask) | (word >> below & mask));
    });
  }

  std::uint32_t heads_ = 0;
  packed_words<Shape::items_per_thread, 16> bin_;
};

}  // namespace ballot::detail
