// SPDX-License-Identifier: Apache-2.0
// The local sort, with which a sort by leading bits ends: a block sorts each bucket in shared
// memory. A bucket has the keys with the same leading bits. The passes have moved them next to each
// other.
//
// So keys of 32 or 64 bits take two passes over memory and this one, instead of four or eight. No
// bucket may have more keys than a block can hold. A histogram has checked that before
// (leading_bits_histogram_kernel.cuh).
//
//     load keys -> make words
//     -> sort the words: by bins of their next bits (block_bin_sort.cuh), or, where a bin
//        overflows, by digits (block_digit_sort.cuh)
//     -> store keys and values
//
// There are about as many bins as keys, so a bin has one key on average and hardly ever more than
// seven. If a bin gets more than 16 keys, since many are equal or nearly so, the block sorts by
// digits instead.
//
// With values, a word has the remaining bits of the key, and below them the key's position in the
// bucket. So equal keys keep their order, and the position says which value belongs to the key.
// Meanwhile the values are copied into shared memory.
//
// One read and one write of keys and values. A block reads its whole bucket before it writes, so
// input and output may be the same. Deterministic, stable. A block takes one bucket after the
// other, at distances of the grid's width.
//
// Source: Stehle and Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017 (local
// sort of small buckets). The bins are those of a bucket sort.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/radix_sort/block_sort.cuh>
#include <ballot/detail/radix_sort/launch_bounds.cuh>
#include <ballot/detail/radix_sort/majority_sort.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/tile_copies.cuh>

#include <type_traits>

namespace ballot::detail {

template <class U, class V>
struct local_sort_arguments {
  U* keys_output;
  const U* keys_spare;
  bool keys_wanted;
  V* values_output;
  const V* values_spare;
  const launch_action* action;
  const std::uint32_t* bucket_offsets;  // [bucket], and after them the number of keys
  leading_bits leading;
  key_codec<U> codec;
  majority_sort_arguments<U, V> majority;
};

// The words that a block sorts: keys alone, or the remaining bits of a key above its position. A
// word as wide as the key is enough if there are at least min_leading_bits leading bits. A wide
// word takes twice the memory and has no minimum.
template <class U, class V, class Shape>
struct local_sort_word {
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr int position_bits = has_values ? Shape::position_bits : 0;
  using type = std::conditional_t<has_values && Shape::wide, typename unsigned_of_size<2 * sizeof(U)>::type, U>;
  static constexpr int min_leading_bits = has_values && !Shape::wide ? position_bits : 0;
};

template <class U, class V, class Shape>
struct local_sort_storage {
  using word = local_sort_word<U, V, Shape>;
  using W = typename word::type;
  static constexpr bool has_values = word::has_values;
  static constexpr unsigned values_in_access = has_values ? 16 / sizeof(V) : 1;

  // In the order of the input. The first value is as far from a multiple of 16 bytes as it is in
  // memory.
  alignas(simt::copy_alignment) V values[has_values ? Shape::items + values_in_access : 1];
  block_sort_storage<W, Shape> order;
};

// One bucket: its keys are [begin, begin + valid) of the input and of the output. 0 < valid <=
// Shape::items.
template <class U, class V, class Shape>
class local_sort_bucket {
 public:
  using arguments = local_sort_arguments<U, V>;
  using storage = local_sort_storage<U, V, Shape>;

  __device__ __forceinline__ local_sort_bucket(const arguments& a, storage& shared, std::uint32_t bucket,
                                               std::uint32_t begin, unsigned valid, launch_action action)
      : a_(a), shared_(shared), bucket_(bucket), begin_(begin), valid_(valid), action_(action) {}

  __device__ __forceinline__ void process() {
    load_keys();
    if constexpr (has_values) load_values();  // asynchronously; sort_words waits for them
    zero_bins(shared_.order.by_bins.bins);
    simt::sync_block();
    make_words();
    sort_words();
    // Each warp stores only words that it has written itself, or a barrier followed after they were
    // written.
#pragma unroll 1  // two rounds for pairs: saves compile time
    for (int first_row = 0; first_row < Shape::items_per_thread; first_row += rows_at_once) store_rows(first_row);
  }

 private:
  using word = local_sort_word<U, V, Shape>;
  using W = typename word::type;
  static constexpr bool has_values = word::has_values;
  // The rows of a thread's words that are in registers at once: with values there are not enough
  // registers for all.
  static constexpr int rows_at_once = has_values ? 6 : Shape::items_per_thread;

  __device__ __forceinline__ void load_keys() {
    const U* const keys = (from_spare() ? a_.keys_spare : a_.keys_output) + begin_ + thread_;
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned row = static_cast<unsigned>(i) * Shape::threads;
      word_[i] = thread_ + row < valid_ ? keys[row] : U{};
    }
  }

  __device__ __forceinline__ void load_values() {
    const V* const values = (from_spare() ? a_.values_spare : a_.values_output) + begin_;
    skew_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(values) / sizeof(V)) % shared_.values_in_access;
    load_skewed_values_async<Shape>(shared_.values, skew_, values, valid_);
  }

  // Words of keys; missing words are the largest there are.
  __device__ __forceinline__ void make_words() {
#pragma unroll
    for (int i = 0; i < Shape::items_per_thread; ++i) {
      const unsigned at = thread_ + static_cast<unsigned>(i) * Shape::threads;
      if constexpr (has_values) word_[i] = static_cast<W>(static_cast<W>(word_[i] << word::position_bits) | at);
      if (at >= valid_) word_[i] = static_cast<W>(~W{0});
    }
  }

  __device__ __forceinline__ void sort_words() {
    const int word_bits = remaining_bits() + word::position_bits;  // all words agree in the bits above
    const auto bin_of = [&](int i) {
      return static_cast<unsigned>(word_[i] >> (word_bits - Shape::bin_bits)) & (Shape::bins - 1u);
    };
    sort_in_block(shared_.order, word_, valid_, {word::position_bits, remaining_bits()}, {}, bin_of);
  }

  // Keys and values of a thread's words [first_row, first_row + rows_at_once).
  __device__ __forceinline__ void store_rows(int first_row) const {
    const U leading =
        static_cast<U>(static_cast<U>(action_.common_bits_value() << a_.leading.count | bucket_) << remaining_bits());
    const W* const words = shared_.order.by_bins.words;
    const unsigned first =
        warp_ * Shape::warp_items + static_cast<unsigned>(first_row) * static_cast<unsigned>(simt::warp_size) + lane_;
    const auto row = [](int i) { return static_cast<unsigned>(i) * simt::warp_size; };
    const auto is_there = [&](int i) { return first_row + i < Shape::items_per_thread && first + row(i) < valid_; };
    W w[rows_at_once];
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) w[i] = first_row + i < Shape::items_per_thread ? words[first + row(i)] : W{};
    const auto store_keys = [&]<bool Decoded>() {
      U* const keys_out = a_.keys_output + begin_ + first;
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        U key = static_cast<U>(leading | static_cast<U>(w[i] >> word::position_bits));
        if constexpr (Decoded) key = a_.codec.decode(key);
        if (is_there(i)) keys_out[row(i)] = key;
      }
    };
    if (a_.keys_wanted && a_.codec.is_identity()) store_keys.template operator()<false>();
    else if (a_.keys_wanted) store_keys.template operator()<true>();
    if constexpr (has_values) {
      V* const values_out = a_.values_output + begin_ + first;
      const V* const values = shared_.values + skew_;
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i)
        if (is_there(i)) values_out[row(i)] = values[static_cast<unsigned>(w[i]) & ((1u << word::position_bits) - 1u)];
    }
  }

  // Below the leading ones.
  __device__ __forceinline__ int remaining_bits() const {
    return a_.leading.key_bits - a_.leading.count - action_.common_bits();
  }
  __device__ __forceinline__ bool from_spare() const { return action_.has(launch_action::from_spare); }

  const arguments& a_;
  storage& shared_;
  const std::uint32_t bucket_, begin_;
  const unsigned valid_;
  const launch_action action_;

  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id(), lane_ = simt::lane_id();
  W word_[Shape::items_per_thread];
  unsigned skew_ = 0;  // of the values in shared memory
};

template <class U, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, radix_launch_blocks<Shape>)
    local_sort_kernel(local_sort_arguments<U, V> a) {
  auto& shared = simt::shared_storage<local_sort_storage<U, V, Shape>>();
  simt::wait_for_previous_launch();  // which writes the keys
  const launch_action action = *a.action;
  if (action.bits == 0) return;  // the passes have sorted by all digits
  if (action.has(launch_action::majority_sort)) {
    auto& of_majority = simt::shared_storage<majority_sort_storage>();
    majority_sort<U, V, Shape, local_sort_arguments<U, V>>(a.majority, a, a.codec, of_majority).process();
    return;
  }
  const std::uint32_t buckets = std::uint32_t{1} << a.leading.count;
  for (std::uint32_t bucket = blockIdx.x; bucket < buckets; bucket += gridDim.x) {
    const std::uint32_t begin = a.bucket_offsets[bucket];
    const unsigned valid = a.bucket_offsets[bucket + 1] - begin;
    if (valid == 0) continue;
    local_sort_bucket<U, V, Shape>(a, shared, bucket, begin, valid, action).process();
    simt::sync_block();  // shared memory is read before the next bucket takes it
  }
}

}  // namespace ballot::detail
