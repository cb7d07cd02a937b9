// SPDX-License-Identifier: Apache-2.0
// The launches of top_k, and its scratch.
//
//     few items      one block selects from the input                                             (kernels.cuh)
//     k up to n / 8  a sample bounds the selected items, a compaction reads the input once and leaves the candidates in
//                    order; then one block selects from these, or, if there is room for many, digit by digit many
//                    blocks, with a second compaction
//     larger k       digit by digit from the input, and a compaction
//
// Then, if asked for, a stable sort of the selected items: so equal keys are in order of position.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/radix_sort/launch.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace ballot::detail {

// Selects what a cut selects. Items: keys, at their positions.
template <class U>
struct cut_selector {
  static constexpr bool needs_items = true;
  key_codec<U> codec;
  const cut<U>* at;

  template <int Width, class Vector>
  __device__ __forceinline__ unsigned flags(const Vector& key, std::uint64_t first, unsigned valid) const {
    const U last = at->code;
    const bool is_plain = codec.sign_mask == 0;  // integers: without what only floats need
    unsigned below = 0, equal = 0;
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      const U code = is_plain ? static_cast<U>(key[j] ^ codec.flip) : codec.encode(key[j]);
      if (code < last) below |= 1u << j;
      if (code == last) equal |= 1u << j;
    }
    if (equal != 0) {
      const std::uint64_t end = at->end;
#pragma unroll
      for (int j = 0; j < Width; ++j)
        if ((equal >> j & 1u) != 0 && first + static_cast<unsigned>(j) < end) below |= 1u << j;
    }
    return valid >= Width ? below : below & ((1u << valid) - 1u);
  }
};

template <class U>
using digit_shape = block::tile_shape<512, 4, block::vector_width<U>()>;

// How the k smallest of n are selected: the same on every GPU. Sizes are at most, whatever lengths the device knows.
struct top_k_plan {
  static constexpr std::uint64_t block_items = 16384;       // one block selects from the input
  static constexpr std::uint64_t block_candidates = 65536;  // ... from candidates
  static constexpr unsigned most_sample_blocks = 32;
  static constexpr std::uint64_t one_sample_block = std::uint64_t{1} << 22;  // items: one block takes the sample

  std::uint64_t selected;        // min(k, n)
  unsigned sample_blocks = 0;    // 0: no sample
  std::uint64_t candidates = 0;  // room for so many
  bool by_digits = false;        // many blocks search the exact cut
  std::uint64_t searched = 0;    // among so many

  static top_k_plan of(std::uint64_t n, std::uint64_t k) {
    top_k_plan plan{smaller(k, n)};
    if (n <= block_items || plan.selected == 0) return plan;
    if (plan.selected > n / 8) {
      plan.by_digits = true;
      plan.searched = n;
      return plan;
    }
    plan.sample_blocks = 1;
    // So large that some 64 items of the sample are expected among the selected ones, as far as it goes.
    while (n > one_sample_block && plan.sample_blocks < most_sample_blocks &&
           plan.sample_blocks * sample_of_block < 64 * (n / plan.selected))
      plan.sample_blocks *= 2;
    const std::uint64_t sample = plan.sample_blocks * sample_of_block;
    const std::uint64_t rank = sample_rank(plan.selected, n, sample);
    const auto most = static_cast<double>(rank + sample_slack(rank));
    plan.candidates = smaller(n, static_cast<std::uint64_t>(most + 6 * std::sqrt(most) + 16) * ceil_div(n, sample));
    plan.by_digits = plan.candidates > block_candidates;
    plan.searched = plan.candidates;
    return plan;
  }
  static int bits_of(std::uint64_t n) {
    int bits = 0;
    while (bits < 64 && n >> bits != 0) ++bits;
    return bits;
  }
};

// Positions: whether they are selected beside the keys.
template <class U, class Index, bool Positions>
struct top_k_scratch {
  using shapes = std::conditional_t<Positions, partition_shapes<rejects::dropped, false, U, Index>,
                                    partition_shapes<rejects::dropped, false, U>>;
  static constexpr int code_bits = 8 * static_cast<int>(sizeof(U));
  using sort_value = std::conditional_t<Positions, Index, no_value>;

  top_k_state<U>* state;
  std::uint64_t* counts;      // of each pass
  std::byte* end_of_cleared;  // state and counts
  sample_lists<U> lists;
  U* candidate_keys;
  Index* candidate_positions;
  std::byte* partition;
  std::byte* sort;

  static select_plan digits(const top_k_plan& plan) { return {code_bits, top_k_plan::bits_of(plan.searched)}; }
  static std::size_t partition_bytes(std::uint64_t n) {
    return tuned_scratch_bytes<default_offset_method<rejects::dropped>, shapes>(n);
  }

  top_k_scratch(scratch_carver& carver, std::uint64_t n, const top_k_plan& plan)
      : state(carver.take<top_k_state<U>>(1)),
        counts(carver.take<std::uint64_t>(plan.by_digits ? digits(plan).passes() * select_digits : 0)),
        end_of_cleared(carver.take<std::byte>(0)),
        lists{carver.take<U>(plan.sample_blocks * list_of_block),
              carver.take<std::uint64_t>(plan.sample_blocks * list_of_block)},
        candidate_keys(carver.take<U>(plan.candidates)),
        candidate_positions(carver.take<Index>(Positions ? plan.candidates : 0)),
        partition(carver.take<std::byte>(n <= top_k_plan::block_items ? 0 : partition_bytes(n))),
        sort(carver.take<std::byte>(radix_scratch_bytes<U, sort_value>(plan.selected, sort_mode::in_place))) {}

  static std::size_t bytes(std::uint64_t n, std::uint64_t k) {
    const top_k_plan plan = top_k_plan::of(n, k);
    if (plan.selected == 0) return 0;
    scratch_carver measure;
    top_k_scratch(measure, n, plan);
    return measure.bytes();
  }
};

// The launches of one call. keys_out, and with Positions positions_out, have room for plan.selected items.
template <class U, class Index, bool Positions>
class top_k_launch {
 public:
  using scratch_type = top_k_scratch<U, Index, Positions>;

  top_k_launch(stream_t stream, std::byte* memory, const input<U>& in, const key_codec<U>& codec, std::uint64_t k,
               const top_k_plan& plan, U* keys_out, Index* positions_out, const device_count& count,
               const char* function)
      : stream_(stream),
        carver_(memory),
        plan_(plan),
        scratch_(carver_, in.capacity(), plan),
        a_{in.data, in.length, codec, k, scratch_.state, count},
        keys_out_(keys_out),
        positions_out_(positions_out),
        function_(function) {}

  // plan.selected > 0.
  void run(bool sorted) {
    select();
    if (sorted) sort();
  }
  // Without the sort, in the order of the input.
  void select() {
    // Tickets and counts of many blocks.
    if (plan_.by_digits || plan_.sample_blocks > 1)
      simt::fill_bytes(
          stream_, scratch_.state, 0,
          static_cast<std::size_t>(scratch_.end_of_cleared - reinterpret_cast<std::byte*>(scratch_.state)));
    if (plan_.sample_blocks != 0) {
      simt::launch(top_k_sample_kernel<U>, config(plan_.sample_blocks, select_threads, sizeof(sample_storage)), a_,
                   scratch_.lists);
      a_.count = {};
      compact(a_.n, a_.keys, static_cast<const Index*>(nullptr), &scratch_.state->sampled, scratch_.candidate_keys,
              scratch_.candidate_positions, plan_.candidates, &scratch_.state->candidates);
    }
    if (plan_.by_digits) select_by_digits();
    if (!plan_.by_digits || plan_.sample_blocks != 0) select_in_one_block();
  }
  const scratch_type& scratch() const { return scratch_; }
  // How many items are selected: on the device.
  length selected() const { return length_of_count(plan_.selected, &scratch_.state->selected); }

 private:
  simt::launch_config config(std::uint64_t blocks, int threads, std::size_t shared) const {
    return {dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)), shared, stream_};
  }

  // What a cut selects, in order. from_positions null: positions are those in `keys`.
  void compact(const length& n, const U* keys, const Index* from_positions, const cut<U>* at, U* to,
               Index* to_positions, std::uint64_t room, std::uint64_t* count) const {
    using shapes = typename scratch_type::shapes;
    constexpr int width = shapes::many::width;
    const std::size_t bytes = scratch_type::partition_bytes(n.capacity);
    const exec where(stream_, std::span(scratch_.partition, bytes));
    const cut_selector<U> selector{a_.codec, at};
    const input<U> from{keys, n};
    const output<U> out{to, room};
    const auto launch = [&](const auto& inputs, const auto& outputs) {
      launch_tuned_partition<rejects::dropped, shapes>(
          where, bytes, n, make_device_columns<width>(inputs, outputs, std::tuple()), selector, count, function_);
    };
    if constexpr (!Positions) {
      launch(std::tuple(from), std::tuple(out));
    } else {
      const output<Index> positions{to_positions, room};
      if (from_positions == nullptr)
        launch(std::tuple(from, make_position_input<Index>(n)), std::tuple(out, positions));
      else launch(std::tuple(from, input<Index>{from_positions, n}), std::tuple(out, positions));
    }
  }

  void select_by_digits() {
    using shape = digit_shape<U>;
    const bool of_candidates = plan_.sample_blocks != 0;
    const length n = of_candidates ? length_of_count(plan_.candidates, &scratch_.state->candidates) : a_.n;
    const U* const keys = of_candidates ? scratch_.candidate_keys : a_.keys;
    const select_plan digits = scratch_type::digits(plan_);
    const std::uint64_t blocks =
        smaller(ceil_div(n.capacity, shape::items), std::uint64_t{3} * simt::multiprocessors());
    for (int pass = 0; pass < digits.passes(); ++pass)
      simt::launch(top_k_digit_kernel<U, shape>, config(blocks, shape::threads, sizeof(digit_storage<shape>)), a_,
                   select_source<U>{keys, n, of_candidates}, digits, pass,
                   block::is_vector_aligned<U, shape::width>(keys),
                   scratch_.counts + std::uint64_t{select_digits} * pass);
    compact(n, keys, of_candidates ? scratch_.candidate_positions : nullptr, &scratch_.state->exact, keys_out_,
            positions_out_, plan_.selected, &scratch_.state->compacted);
  }

  void select_in_one_block() {
    const bool of_candidates = plan_.sample_blocks != 0;
    simt::launch(
        top_k_block_kernel<U, Index>, config(1, select_threads, sizeof(top_k_block_storage)), a_,
        top_k_block_arguments<U, Index>{of_candidates ? scratch_.candidate_keys : nullptr, scratch_.candidate_positions,
                                        plan_.candidates, plan_.by_digits, top_k_plan::bits_of(a_.n.capacity),
                                        keys_out_, Positions ? positions_out_ : nullptr});
  }

  void sort() {
    using value = typename scratch_type::sort_value;
    const input<U> keys{keys_out_, length_of_count(plan_.selected, &scratch_.state->selected)};
    sort_operands<U, value> operands{keys, keys_out_, nullptr, nullptr};
    if constexpr (Positions) operands.values = operands.values_out = positions_out_;
    launch_radix_sort<U, value>(stream_, scratch_.sort, operands, a_.codec, {0, scratch_type::code_bits});
  }

  stream_t stream_;
  scratch_carver carver_;
  top_k_plan plan_;
  scratch_type scratch_;
  top_k_arguments<U> a_;
  U* keys_out_;
  Index* positions_out_;
  const char* function_;
};

}  // namespace ballot::detail
