// SPDX-License-Identifier: Apache-2.0
// One tile of a pass of the radix sort: process() names the stages, in order.
//
// Half a warp owns a contiguous part of the tile and takes it in rows of 16 keys. Shared memory
// holds one thing after the other: counts while ranking, then keys by digit, then values by digit.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/detail/common/packed_words.cuh>
#include <ballot/detail/radix_sort/digit_look_back.cuh>
#include <ballot/detail/radix_sort/pass_arguments.cuh>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/detail/radix_sort/rank.cuh>
#include <ballot/detail/radix_sort/tile_copies.cuh>
#include <ballot/simt/simt.cuh>

#include <type_traits>

namespace ballot::detail {

template <class U, class V, class Shape>
struct radix_pass_storage {
  static constexpr std::size_t value_bytes = std::is_same_v<V, no_value> ? 0 : sizeof(V);
  static constexpr std::size_t item_bytes = sizeof(U) > value_bytes ? sizeof(U) : value_bytes;

  union {
    warp_digit_counts counts[Shape::warps];
    alignas(16) unsigned char items[Shape::items * item_bytes];
  };
  // In the order of the input.
  alignas(simt::copy_alignment) unsigned char values[value_bytes != 0 ? Shape::items * value_bytes : 1];
  // [digit]: the output position of the tile's first key of the digit, minus that key's rank in the
  // tile.
  std::uint64_t scatter_offset[radix_digits];
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
  std::uint32_t tile;
  std::uint32_t round;  // of the launch, where it has several
};

// Whether full tiles have their own loads and stores, without bounds checks. In small tiles that
// gains little.
template <class Shape>
inline constexpr bool specialises_full_tiles = Shape::keys_per_thread > 16;

// `valid` of the tile's items are there: all of Shape::items, except in the last tile.
//
// Between its loads and stores a partial tile is treated like a full one. Its missing keys are the
// largest there are, and come last in the input. So they also come last when the tile is ordered,
// and no store takes them.
template <class U, class V, class Shape>
class radix_pass_tile {
 public:
  using arguments = radix_pass_arguments<U, V>;
  using storage = radix_pass_storage<U, V, Shape>;

  __device__ __forceinline__ radix_pass_tile(const arguments& a, launch_action action, storage& shared,
                                             std::uint32_t tile, unsigned valid, bool is_last_tile)
      : a_(a), action_(action), shared_(shared), tile_(tile), valid_(valid), is_last_tile_(is_last_tile) {}

  __device__ __forceinline__ void process() {
    load_keys();
    if constexpr (has_values) load_values();  // asynchronously, until exchange_values
    zero_counts(shared_.counts[warp_]);       // while keys and values are on their way
    encode_keys();
    select_digit();
    const half_warp_counters counter_of(shared_.counts[warp_]);
    rank_keys(counter_of);  // within each half of a warp
    simt::sync_block();
    hide_keys();

    const std::uint32_t count = count_digit();  // thread d: of digit d
    publish_count(count);
    const std::uint32_t first_rank = scan_counts(count);
    simt::sync_block();

    complete_ranks(counter_of);
    simt::sync_block();  // the counts are read; keys take their memory
    exchange_keys();
    look_back(count, first_rank);
    if constexpr (has_values) simt::wait_for_copies();
    simt::sync_block();

    scatter_keys();
    if constexpr (has_values) {
      simt::sync_block();  // the keys are out; values take their memory
      exchange_values();
      simt::sync_block();
      scatter_values();
    }
  }

 private:
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr int keys_per_thread = Shape::keys_per_thread;
  // H100, 2026-11-24, 12 million u32: of 16 distinct keys 303 us without, 266 by 12 rows or 4; in
  // order except 1 %, 264 and 252; of 4 distinct keys 301 and 305.
  static constexpr int candidate_rows = 12;

  __device__ __forceinline__ void load_keys() {
    const U* const keys_in = buffers().keys_in() + begin() + first_;
    for_full_or_partial_tile([&]<bool Full>() {
      constexpr U largest = static_cast<U>(~U{0});
      const U missing_key = Full ? U{} : encodes_ ? a_.codec.decode(largest) : largest;
#pragma unroll
      for (int i = 0; i < keys_per_thread; ++i)
        key_[i] = Full || first_ + row(i) < valid_ ? keys_in[row(i)] : missing_key;
    });
  }

  __device__ __forceinline__ void load_values() {
    if (const V* const values_in = buffers().values_in(); values_in != nullptr)
      load_values_async<Shape>(values(), values_in + begin(), valid_);
  }

  __device__ __forceinline__ void encode_keys() {
    if (!encodes_) return;
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) key_[i] = a_.codec.encode(key_[i]);
  }

  // Selects the launch's own digit, or the leading bits.
  __device__ __forceinline__ void select_digit() {
    const bool by_leading_bits = action_.has(launch_action::by_leading_bits);
    shift_ = by_leading_bits ? a_.leading_shift - action_.common_bits() : a_.shift;
    digit_mask_ = by_leading_bits ? a_.leading_mask : a_.digit_mask;
    if constexpr (makes_rounds<Shape>) {
      const int digit = digit_of_round();
      shift_ = a_.digits.shift(digit), digit_mask_ = a_.digits.mask(digit);
    }
  }
  __device__ __forceinline__ int digit_of_round() const {
    return leading_digits_plan::digit_of_round(static_cast<int>(shared_.round));
  }
  __device__ __forceinline__ std::uint64_t digit_offset() const {
    if constexpr (makes_rounds<Shape>)
      return a_.digit_offsets[static_cast<unsigned>(digit_of_round() * radix_digits) + thread_];
    else return a_.digit_offsets[thread_];
  }

  __device__ __forceinline__ void rank_keys(const half_warp_counters& counter_of) {
    const auto digit_of = [&](int i) { return digit_of_key(key_[i]); };
    const auto keep_rank = [&](int i, std::uint32_t r) { rank_.set(i, r); };
    // Only a full tile may be unstable: the missing keys of a partial tile must stay after the
    // others.
    if (full_ && !has_values && action_.has(launch_action::unstable))
      rank_unstably<keys_per_thread>(counter_of, digit_of, keep_rank);
    else rank_stably<keys_per_thread, candidate_rows>(counter_of, action_.frequent_digit(), digit_of, keep_rank);
  }

  // From here on digits are computed again. To keep them takes one register a key, and so costs
  // warps.
  __device__ __forceinline__ void hide_keys() {
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) key_[i] = simt::opaque(key_[i]);
  }

  // Thread d: the tile's keys of digit d, missing ones included.
  __device__ __forceinline__ std::uint32_t count_digit() const {
    std::uint32_t count = 0;
    if (owns_digit_) {
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) count += digit_count(shared_.counts[w], thread_);
    }
    return count;
  }

  // Missing keys have the largest digit. They take part in ranks, but not in the published counts.
  __device__ __forceinline__ std::uint32_t missing() const {
    return thread_ == digit_mask_ ? Shape::items - valid_ : 0u;
  }

  __device__ __forceinline__ void publish_count(std::uint32_t count) const {
    if (!owns_digit_) return;
    // Pairs with the relaxed loads of look_back_for_digit: status and count are one word.
    simt::publish_relaxed(own_state(used_states()),
                          digit_state::pack(tile_ == 0 ? device::tile_status::prefix : device::tile_status::aggregate,
                                            count - missing()));
    if (a_.other_states != nullptr && !action_.has(launch_action::last_pass)) *own_state(states_of_next_pass()) = 0;
  }

  // Thread d: the rank of the first key of digit d in the tile. The warps' counts become the ranks
  // of their first keys.
  __device__ __forceinline__ std::uint32_t scan_counts(std::uint32_t count) {
    std::uint32_t total;
    const std::uint32_t first_rank =
        block::scan<std::uint32_t, Shape::threads>::exclusive(shared_.scan, count, 0u, total);
    if (owns_digit_) {
      std::uint32_t offset = first_rank;
#pragma unroll
      for (int w = 0; w < Shape::warps; ++w) offset = counts_to_offsets(shared_.counts[w], thread_, offset);
    }
    return first_rank;
  }

  __device__ __forceinline__ void complete_ranks(const half_warp_counters& counter_of) {
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) rank_.add(i, *counter_of(digit_of_key(key_[i])));
  }

  __device__ __forceinline__ void exchange_keys() {
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i) staged_keys()[rank_.get(i)] = key_[i];
  }

  __device__ __forceinline__ void look_back(std::uint32_t count, std::uint32_t first_rank) {
    if (!owns_digit_) return;
    std::uint32_t before = 0;
    if (tile_ != 0) {
      before = look_back_for_digit<Shape::window>(used_states() + thread_, tile_);
      // Pairs with the relaxed loads of later tiles' look-back.
      simt::publish_relaxed(own_state(used_states()),
                            digit_state::pack(device::tile_status::prefix, before + count - missing()));
    }
    const std::uint64_t offset = digit_offset() + before;
    shared_.scatter_offset[thread_] = offset - first_rank;
    if (a_.next_digit_offsets != nullptr && is_last_tile_) a_.next_digit_offsets[thread_] = offset + count - missing();
  }

  // Full tiles have code for each way of writing, without a branch for each key, so that the writes
  // overlap. Partial tiles have one way, which decides at run time: short code saves compile time.
  enum key_output { none, as_is, decoded, at_run_time };
  __device__ __forceinline__ void scatter_keys() {
    for_full_or_partial_tile([&]<bool Full>() {
      const bool wanted = !has_values || buffers().wants_keys();
      const bool decodes = action_.has(launch_action::last_pass) && !a_.codec.is_identity();
      if constexpr (!Full) {
        scatter_keys_as<Full, at_run_time>(wanted, decodes);
      } else {
        if (!wanted) scatter_keys_as<Full, none>(wanted, decodes);
        else if (decodes) scatter_keys_as<Full, decoded>(wanted, decodes);
        else scatter_keys_as<Full, as_is>(wanted, decodes);
      }
    });
  }
  template <bool Full, key_output Output>
  __device__ __forceinline__ void scatter_keys_as(bool wanted, bool decodes) {
    U* const keys_out = buffers().keys_out();
    for_each_staged<Full>([&](int word, int part, unsigned rank) {
      U key = staged_keys()[rank];
      const unsigned digit = digit_of_key(key);
      if constexpr (has_values) digit_.set(word, part, digit);
      if (Output == decoded || (Output == at_run_time && decodes)) key = a_.codec.decode(key);
      if ((Output == at_run_time ? wanted : Output != none) && (Full || rank < valid_))
        keys_out[shared_.scatter_offset[digit] + rank] = key;
    });
  }

  __device__ __forceinline__ void exchange_values() {
    V* const staged_values = reinterpret_cast<V*>(shared_.items);
    const bool are_positions = buffers().values_in() == nullptr;
    const V first_position = static_cast<V>(begin() + first_);
#pragma unroll
    for (int i = 0; i < keys_per_thread; ++i)
      staged_values[rank_.get(i)] = are_positions ? static_cast<V>(first_position + row(i)) : values()[first_ + row(i)];
  }

  __device__ __forceinline__ void scatter_values() {
    const V* const staged_values = reinterpret_cast<const V*>(shared_.items);
    for_full_or_partial_tile([&]<bool Full>() {
      V* const values_out = buffers().values_out();
      for_each_staged<Full>([&](int word, int part, unsigned rank) {
        if (Full || rank < valid_)
          values_out[shared_.scatter_offset[digit_.get(word, part)] + rank] = staged_values[rank];
      });
    });
  }

  // Calls access<whether all items are there>().
  template <class Access>
  __device__ __forceinline__ void for_full_or_partial_tile(Access access) const {
    if constexpr (specialises_full_tiles<Shape>) {
      if (full_) return access.template operator()<true>();
    }
    access.template operator()<false>();
  }

  // Calls visit(word and part in digit_, rank) for each staged item that this thread writes.
  template <bool Full, class Visit>
  __device__ __forceinline__ void for_each_staged(Visit visit) const {
    for_each_packed<keys_per_thread, 8, Full || !specialises_full_tiles<Shape>>([&](int word, int part) {
      visit(word, part, thread_ + static_cast<unsigned>(word * digit_.in_word + part) * Shape::threads);
    });
  }

  // Values that follow from tile and action alone are computed anew wherever they are used.
  // `opaque` keeps the compiler from holding them in registers.
  __device__ __forceinline__ radix_step_buffers<U, V> buffers() const { return {a_, {simt::opaque(action_.bits)}}; }
  __device__ __forceinline__ std::uint64_t begin() const { return radix_tile_begin<Shape>(a_, simt::opaque(tile_)); }
  __device__ __forceinline__ digit_state::word* own_state(digit_state::word* states) const {
    return states + (static_cast<std::size_t>(simt::opaque(tile_)) * radix_digits + thread_);
  }

  // Odd passes exchange the two arrays of states.
  __device__ __forceinline__ bool exchanges_states() const {
    return action_.has(launch_action::odd_pass) && a_.other_states != nullptr;
  }
  __device__ __forceinline__ digit_state::word* used_states() const {
    return exchanges_states() ? a_.other_states : a_.states;
  }
  __device__ __forceinline__ digit_state::word* states_of_next_pass() const {
    return exchanges_states() ? a_.states : a_.other_states;
  }

  __device__ __forceinline__ unsigned digit_of_key(U key) const {
    return static_cast<unsigned>(a_.codec.compared(key) >> shift_) & digit_mask_;
  }
  static __device__ __forceinline__ unsigned row(int i) { return static_cast<unsigned>(i) * half_warp_lanes; }
  __device__ __forceinline__ U* staged_keys() const { return reinterpret_cast<U*>(shared_.items); }
  __device__ __forceinline__ V* values() const { return reinterpret_cast<V*>(shared_.values); }

  const arguments& a_;
  const launch_action action_;
  storage& shared_;
  const std::uint32_t tile_;
  const unsigned valid_;
  const bool is_last_tile_;

  const unsigned thread_ = simt::thread_rank(), warp_ = simt::warp_id();
  const bool owns_digit_ = thread_ < radix_digits;
  const bool full_ = specialises_full_tiles<Shape> && valid_ == Shape::items;
  // The thread's first key in the tile.
  const unsigned first_ = thread_ / half_warp_lanes * (half_warp_lanes * keys_per_thread) + thread_ % half_warp_lanes;
  const bool encodes_ = action_.has(launch_action::first_pass) && !a_.codec.is_identity();
  int shift_;
  unsigned digit_mask_;

  U key_[keys_per_thread];
  packed_words<keys_per_thread, 16> rank_;
  [[maybe_unused]] packed_words<keys_per_thread, 8> digit_;
};

}  // namespace ballot::detail
