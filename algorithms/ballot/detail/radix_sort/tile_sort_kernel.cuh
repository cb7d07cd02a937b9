// SPDX-License-Identifier: Apache-2.0
// The local sort by tiles, with which a sort by leading digits ends. The keys lie by those digits.
// A block sorts the buckets that begin in its tile, as many at once as it holds.
//
//     tile            |                  i                  |                 i+1
//     buckets     a a a b b b b b c d d d d d e e e e e e e e e f f f ...
//     block i           [ - - - - - - - - - - - - - - - - ]
//                     a begins in tile i-1; e ends in tile i+1
//
// There is no table of buckets. The keys lie by bucket, so a search for the first key of another
// bucket finds where a bucket ends. Two searches say what a block takes: one at the begin of this
// tile, one at the begin of the next.
//
// A bucket with more keys than a block holds stays as it is. That is right if all its keys are
// equal: each tile copies its part, and checks that. If it finds keys that differ, it says so, and
// the sort makes all passes (plan.hpp).
//
// The words are sorted by bins, as in the other local sort (local_sort_kernel.cuh). The bin of a
// key is where it would lie if the keys of its bucket were spread evenly. So it does not matter how
// buckets are spread:
//
//     keys         a0 a1 a1 | b7 b2 b3 b3 b9 | d4 ...    heads: 0, 3, 8
//     bin of b3    3 + 3 / 10 of 5
//     words        key - smallest possible key           of whole keys
//                  head | remaining bits | position      of pairs, and where some of the bits are
//                                                        compared
//
// Reads one buffer and writes the other, because blocks look at each other's keys. Stable.
// Source: Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/compared_bits.hpp>
#include <ballot/detail/radix_sort/large_buckets_kernel.cuh>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/tile_copies.cuh>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

template <class U, class V>
struct tile_sort_arguments {
  const U* keys_in;
  U* keys_out;
  const V* values_in;
  V* values_out;
  length n;  // at most 2^30
  const launch_action* action;
  std::uint32_t* failed;       // becomes 1 if a bucket is too large
  std::uint32_t* large_parts;  // [tile]: its items of large buckets (large_buckets_kernel.cuh); may be null
  radix_digit_plan digits;
  compared_bits<U> compared;
  key_codec<U> codec;
};

// The keys that a block holds. Heads and positions have as many bits as bins.
template <class Shape>
inline constexpr unsigned tile_sort_room = Shape::bins < Shape::items ? Shape::bins : Shape::items;
// The items of a tile. The rest of the room is for the bucket in which the tile ends.
template <class Shape>
inline constexpr unsigned tile_sort_items = tile_sort_room<Shape> / 4 * 3;

template <class U, class V, class Shape>
struct tile_sort_storage {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr unsigned values_in_access = has_values ? 16 / sizeof(V) : 1;
  static constexpr unsigned rows = Shape::items / simt::warp_size;

  // In the order of the input. The first value is as far from a multiple of 16 bytes as it is in
  // memory.
  alignas(simt::copy_alignment) V values[has_values ? Shape::items + values_in_access : 1];
  block_sort_storage<U, Shape> order;
  // The numbers that all threads know. In registers it would leave fewer of them for words.
  struct {
    std::uint32_t n, begin, end;  // of the tile
    std::uint32_t first, valid;   // the words' keys
    std::uint32_t large_part;     // as in large_parts
    int key_bits;                 // in which whole keys differ
    U smallest;                   // possible key of the words
  } known;
  // For each row of a warp's lanes: its first and its last head, if it has any.
  static constexpr unsigned head_words = (rows + 31) / 32;
  std::uint32_t has_heads[head_words];  // [row / 32], bits
  std::uint16_t first_head[rows], last_head[rows];
};

template <class U, class V, class Shape>
class tile_sort {
 public:
  using arguments = tile_sort_arguments<U, V>;
  using storage = tile_sort_storage<U, V, Shape>;

  __device__ __forceinline__ tile_sort(const arguments& a, storage& shared, int leading_digits)
      : a_(a), shared_(shared), remaining_bits_(radix_bits * (a.digits.passes() - leading_digits)) {}

  // The tile that begins at `begin` of n items.
  __device__ __forceinline__ void process(std::uint32_t begin, std::uint32_t n) {
    auto& known = shared_.known;
    if (thread_ == 0) {
      known.n = n, known.begin = begin, known.large_part = 0;
      known.end = begin + (n - begin < tile_items ? n - begin : tile_items);
    }
    clear_heads();
    simt::sync_block();
    const auto [of_before, behind_end] = count_at_ends();
    std::uint32_t at = known.begin + of_before;
    // The tile's part of the bucket in which the tile before ends, if that bucket is too large.
    if (is_large_before(of_before)) {
      const std::uint32_t end = at < known.end ? at : known.end;
      copy(known.begin, end, known.begin - 1, true);
      if (thread_ == 0) known.large_part = end - begin;
    }
    // Nearly always a block takes all keys at once, because the last bucket fits, too. The code of
    // each step is long, so it is there only once.
    unsigned valid = known.end + behind_end - at;
#pragma unroll 1
    while (at < known.end) {
      if (valid > room) valid = count_buckets(at);
      const bool is_large = valid == 0;
      const std::uint32_t end = is_large ? known.end : at + valid;
      if (is_large && thread_ == 0) known.large_part |= (end - at) << large_buckets::shift_of_end;
      if (is_large || !sort_keys(at, valid)) copy(at, end, at, is_large);
      at = end;
      valid = room + 1;
    }
    if (a_.large_parts != nullptr && thread_ == 0) a_.large_parts[begin / tile_items] = known.large_part;
    simt::sync_block();  // `known` is read before the next tile takes it
  }

 private:
  static constexpr bool has_values = storage::has_values;
  static constexpr unsigned room = tile_sort_room<Shape>, tile_items = tile_sort_items<Shape>;
  static constexpr int position_bits = std::bit_width(room) - 1;
  static_assert((room & (room - 1)) == 0);
  static constexpr int word_width = 8 * static_cast<int>(sizeof(U));
  // The rows of a thread's words that are in registers at once: there are not enough registers for
  // all.
  static constexpr int rows_at_once = 6;

  __device__ __forceinline__ U compared_at(std::uint32_t at) const { return a_.compared(a_.keys_in[at]); }
  __device__ __forceinline__ U bucket_at(std::uint32_t at) const { return compared_at(at) >> remaining_bits_; }
  __device__ __forceinline__ U remaining_of(U compared) const { return compared & ((U{1} << remaining_bits_) - 1u); }
  __device__ __forceinline__ bool has_positions() const { return has_values || !a_.compared.are_whole(); }

  // of_before: how many of the tile's keys are of the bucket of the key before the tile.
  // behind_end: how many keys behind the tile are of the bucket of its last key. Both are at most
  // as many as a block holds. All threads; a search of two steps.
  struct ends {
    unsigned of_before, behind_end;
  };
  __device__ __forceinline__ ends count_at_ends() const {
    const auto& known = shared_.known;
    constexpr unsigned half = Shape::threads / 2, step = (room + half - 1) / half;
    static_assert(step <= half);
    const bool is_end = thread_ >= half;
    const std::uint32_t first = is_end ? known.end : known.begin;
    const unsigned own = is_end ? thread_ - half : thread_;
    const U bucket = first != 0 ? bucket_at(first - 1) : U{0};
    const auto is_of = [&](unsigned at) {
      return first != 0 && at < room && first + at < known.n && bucket_at(first + at) == bucket;
    };
    const bool has_step = is_of(own * step + step - 1);
    const unsigned of_before = count_block(has_step && !is_end), of_end = count_block(has_step && is_end);
    const bool rest = own < step && is_of((is_end ? of_end : of_before) * step + own);
    return {of_before * step + count_block(rest && !is_end), of_end * step + count_block(rest && is_end)};
  }
  // How many of the keys from `first` on are of buckets up to this one; at most as many as a block
  // holds. All threads; two barriers.
  __device__ __forceinline__ unsigned count_up_to(std::uint32_t first, U bucket) const {
    constexpr unsigned step = (room + Shape::threads - 1) / Shape::threads;
    const auto is_of = [&](unsigned at) {
      return at < room && first + at < shared_.known.n && bucket_at(first + at) <= bucket;
    };
    const unsigned steps = count_block(is_of(thread_ * step + step - 1));
    return steps * step + count_block(thread_ < step && is_of(steps * step + thread_));
  }
  static __device__ __forceinline__ unsigned count_block(bool p) {
    return static_cast<unsigned>(simt::sync_block_count(p));
  }

  // Whether the bucket in which the tile before ends is larger than a block holds. It is if the key
  // that is `room` keys before the bucket's last key is of the bucket, too.
  __device__ __forceinline__ bool is_large_before(unsigned of_before) const {
    const auto& known = shared_.known;
    const std::uint32_t behind = known.begin + of_before;
    return of_before != 0 && behind > room && bucket_at(behind - room - 1) == bucket_at(known.begin - 1);
  }

  // Copies items. checks: their bucket is too large, and all keys must equal the key at `equal`.
  __device__ __forceinline__ void copy(std::uint32_t from, std::uint32_t to, std::uint32_t equal, bool checks) const {
    const U key_of_all = compared_at(equal);
    bool differs = false;
#pragma unroll 2
    for (std::uint32_t at = from + thread_; at < to; at += Shape::threads) {
      const U key = a_.keys_in[at];
      differs |= a_.compared(key) != key_of_all;
      a_.keys_out[at] = a_.codec.decode(key);
      if constexpr (has_values) a_.values_out[at] = a_.values_in[at];
    }
    if (checks && differs) simt::atomic_or(a_.failed, 1u);  // relaxed: read by a later launch
  }

  // How many keys a block takes from `first` on, where a bucket begins. It takes whole buckets, up
  // to the tile's last one. 0: the first bucket has more keys than a block holds.
  __device__ __forceinline__ unsigned count_buckets(std::uint32_t first) const {
    U limit = bucket_at(shared_.known.end - 1);
    if (first + room < shared_.known.n) {
      if (const U behind = bucket_at(first + room); behind <= limit) {
        if (behind == bucket_at(first)) return 0;
        limit = behind - 1;
      }
    }
    return count_up_to(first, limit);
  }

  // Sorts keys [first, first + valid), which are whole buckets. Returns false if they are in order,
  // as equal keys are. Then nothing was stored.
  __device__ __forceinline__ bool sort_keys(std::uint32_t first, unsigned valid) {
    const bool ordered = load(first, valid);
    zero_bins(shared_.order.by_bins.bins);
    find_heads();
    const bool all_ordered = simt::sync_block_all(ordered);
    if (all_ordered) {
      if constexpr (has_values) simt::wait_for_copies();
    } else {
      make_words();
      sort_words();
#pragma unroll 1
      for (int row = 0; row < Shape::items_per_thread; row += rows_at_once) {
        if (has_positions()) store_rows_with_positions(row);
        else store_rows(row);
      }
    }
    clear_heads();
    simt::sync_block();  // shared memory is read before the next words take it
    return !all_ordered;
  }

  // Loads the compared bits of keys, and of the keys before them. These tell which keys are heads:
  // a head is of another bucket than the key before, if there is one. heads_: the head flags of a
  // row of the warp, in the lane of that row's number. Returns whether the keys are in order.
  __device__ __forceinline__ bool load(std::uint32_t first, unsigned valid) {
    const U* const keys = a_.keys_in + first;
    if constexpr (has_values) {
      const V* const values = a_.values_in + first;
      load_skewed_values_async<Shape>(shared_.values, skew_of(values), values, valid);  // sort_words waits for them
    }
    bool ordered = true;
    constexpr int at_once = 4;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; i += at_once) {
      U before[at_once];
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (i + j >= Shape::items_per_thread) continue;
        const unsigned at = position(i + j) < valid ? position(i + j) : 0;  // no branch around a load
        word_[i + j] = keys[at];
        before[j] = keys[at != 0 ? at - 1 : 0];
      }
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        if (i + j >= Shape::items_per_thread) continue;
        const unsigned at = position(i + j);
        const U key = word_[i + j] = a_.compared(word_[i + j]), earlier = a_.compared(before[j]);
        ordered &= at >= valid || earlier <= key;
        const bool is_head = at < valid && (earlier ^ key) >> remaining_bits_ != 0;
        const std::uint32_t heads = simt::ballot(is_head);
        if (lane_ == static_cast<unsigned>(i + j)) heads_ = heads;
      }
    }
    if (thread_ == 0) {  // read after the next barrier
      auto& known = shared_.known;
      const U bucket = bucket_at(first), difference = bucket_at(first + valid - 1) - bucket;
      known.first = first, known.valid = valid, known.smallest = bucket << remaining_bits_;
      known.key_bits = remaining_bits_ + (word_width - static_cast<int>(simt::leading_zeros(difference)));
    }
    return ordered;
  }

  // The skew of values in shared memory (tile_copies.cuh).
  static __device__ __forceinline__ unsigned skew_of(const V* values) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values) / sizeof(V)) % storage::values_in_access;
  }

  __device__ __forceinline__ void clear_heads() {
    if (thread_ < storage::head_words) shared_.has_heads[thread_] = 0;
  }
  // The first and the last head of each row.
  __device__ __forceinline__ void find_heads() {
    if (lane_ < Shape::items_per_thread && heads_ != 0) {
      const unsigned row = lane_ * Shape::warps + warp_;
      shared_.first_head[row] = static_cast<std::uint16_t>(row * simt::warp_size + simt::find_first(heads_));
      shared_.last_head[row] =
          static_cast<std::uint16_t>(row * simt::warp_size + simt::warp_size - 1 - simt::leading_zeros(heads_));
      // Relaxed: read after the next barrier.
      simt::atomic_or<simt::order::relaxed, simt::scope::block>(&shared_.has_heads[row / 32], 1u << row % 32);
    }
  }

  // The head of a bucket that began in an earlier row, and the head behind a bucket that ends in a
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

  // Bins, and words in place of the keys; missing words are the largest there are.
  __device__ __forceinline__ void make_words() {
    const unsigned valid = shared_.known.valid;
    const U smallest = shared_.known.smallest;
    const bool with_positions = has_positions();
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
      const unsigned row_begin = position(i) - lane_;
      const unsigned head = up_to != 0 ? row_begin + 31 - simt::leading_zeros(up_to) : row_before;
      const unsigned next = above != 0 ? row_begin + simt::find_first(above) : row_behind;
      const U remaining = remaining_of(word_[i]);
      // 16 of its bits say where in its bucket a key lies.
      const auto part = static_cast<unsigned>(remaining_bits_ >= 16 ? remaining >> (remaining_bits_ - 16)
                                                                    : remaining << (16 - remaining_bits_));
      bin_.set(i, (head + (part * (next - head) >> 16)) & (Shape::bins - 1u));
      if (with_positions)
        word_[i] = static_cast<U>(head) << (word_width - position_bits) |
                   remaining << (word_width - position_bits - remaining_bits_) | position(i);
      else word_[i] -= smallest;
      if (position(i) >= valid) word_[i] = ~U{0};
    }
  }

  __device__ __forceinline__ void sort_words() {
    const unsigned valid = shared_.known.valid;
    U* const words = shared_.order.by_bins.words;
    if (sort_by_bins<Shape>(shared_.order.by_bins.bins, shared_.order.scan, words, word_, valid,
                            [&](int i) { return bin_.get(i); }))
      return;
    // Bins overflow if many keys are equal.
    word_bits bits{0, shared_.known.key_bits};
    if (has_positions()) {
      bits.low = word_width - position_bits - remaining_bits_;
      bits.count = word_width - bits.low;
    }
    sort_by_digits<Shape>(shared_.order.digits, shared_.order.scan, words, word_, valid, bits, {});
  }

  // Keys of a thread's words [first_row, first_row + rows_at_once).
  __device__ __forceinline__ void store_rows(int first_row) const {
    const U smallest = shared_.known.smallest;
    const unsigned own = stored_position(first_row);
    U* const keys_out = a_.keys_out + shared_.known.first + own;
    U w[rows_at_once];
    load_stored(w, first_row);
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i)
      if (is_stored(first_row, i)) keys_out[row_offset(i)] = a_.codec.decode(smallest + w[i]);
  }
  // The same, and their values. The leading digits of whole keys are those of the bucket's first
  // key.
  __device__ __forceinline__ void store_rows_with_positions(int first_row) const {
    const std::uint32_t first = shared_.known.first;
    const unsigned own = stored_position(first_row);
    const U* const keys = a_.keys_in + first;
    U* const keys_out = a_.keys_out + first + own;
    const auto source = [](U w) { return static_cast<unsigned>(w) & (room - 1u); };
    U w[rows_at_once];
    load_stored(w, first_row);
    if (a_.compared.are_whole()) {
      const U mask = (U{1} << remaining_bits_) - 1u;
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        const U leading = keys[static_cast<unsigned>(w[i] >> (word_width - position_bits))];
        const U remaining = w[i] >> (word_width - position_bits - remaining_bits_);
        if (is_stored(first_row, i)) keys_out[row_offset(i)] = a_.codec.decode((leading & ~mask) | (remaining & mask));
      }
    } else {
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (is_stored(first_row, i)) keys_out[row_offset(i)] = a_.codec.decode(keys[source(w[i])]);
    }
    if constexpr (has_values) {
      V* const values_out = a_.values_out + first + own;
      const V* const values = shared_.values + skew_of(a_.values_in + first);
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (is_stored(first_row, i)) values_out[row_offset(i)] = values[source(w[i])];
    }
  }
  __device__ __forceinline__ void load_stored(U (&w)[rows_at_once], int first_row) const {
    const U* const words = shared_.order.by_bins.words + stored_position(first_row);
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) w[i] = is_stored(first_row, i) ? words[row_offset(i)] : U{};
  }
  // Each warp stores words that it has written itself, or there was a barrier after they were
  // written.
  __device__ __forceinline__ unsigned stored_position(int first_row) const {
    return warp_ * Shape::warp_items + static_cast<unsigned>(first_row) * static_cast<unsigned>(simt::warp_size) +
           lane_;
  }
  static __device__ __forceinline__ unsigned row_offset(int i) { return static_cast<unsigned>(i) * simt::warp_size; }
  __device__ __forceinline__ bool is_stored(int first_row, int i) const {
    return first_row + i < Shape::items_per_thread && stored_position(first_row) + row_offset(i) < shared_.known.valid;
  }

  __device__ __forceinline__ unsigned position(int i) const {
    return thread_ + static_cast<unsigned>(i) * Shape::threads;
  }

  const arguments& a_;
  storage& shared_;
  const int remaining_bits_;  // below the leading digits

  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id(), lane_ = simt::lane_id();
  U word_[Shape::items_per_thread];
  std::uint32_t heads_ = 0;
  packed_words<Shape::items_per_thread, 16> bin_;
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, radix_launch_blocks<Shape>)
    tile_sort_kernel(tile_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<tile_sort_storage<U, V, Shape>>();
  simt::wait_for_previous_launch();  // which writes the keys
  const launch_action action = *a.action;
  if (action.bits == 0) return;
  const auto n = static_cast<std::uint32_t>(a.n.get());
  tile_sort<U, V, Shape> tiles(a, shared, action.leading_digits());
  for (std::uint32_t begin = blockIdx.x * tile_sort_items<Shape>; begin < n;
       begin += gridDim.x * tile_sort_items<Shape>)
    tiles.process(begin, n);
}

}  // namespace ballot::detail
