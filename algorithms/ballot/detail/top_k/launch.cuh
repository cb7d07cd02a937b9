// SPDX-License-Identifier: Apache-2.0
// The launches of top_k, and its scratch.
//
//     few items      one block selects from the input                                        (tile_kernels.cuh)
//     small k        each block selects from its tile, and one block from what these leave, if it can hold that
//     up to 2^23     a sample bounds the selected items, each tile leaves the places of its candidates, and one block
//                    selects from these, if it can hold them                               (filter_kernels.cuh)
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
#include <ballot/detail/top_k/filter_kernels.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/sample_kernels.cuh>
#include <ballot/detail/top_k/tile_kernels.cuh>
#include <ballot/device/memory.cuh>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace ballot::detail {

template <class U>
using digit_shape = block::tile_shape<512, 4, block::vector_width<U>()>;

// How the k smallest of n are selected: the same on every GPU. Sizes are at most, whatever lengths the device knows.
struct top_k_plan {
  static constexpr std::uint64_t block_items = 16384;       // one block selects from the input
  static constexpr std::uint64_t block_candidates = 65536;  // ... from candidates
  static constexpr unsigned most_sample_blocks = 32;
  // H100, 2026-11-23, u32, time of DeviceTopK of CUB 3.5.0 by ours, calls of uniform keys (of two values): k = 10 of
  // 8192 by one block 1.9 (1.7), by tiles 1.6 (1.6); of 65,537 by tiles 1.5 (1.4), by a sample 1.2 (1.1); k = 1000 of
  // 16,384 by tiles 1.3 (1.6), of 32,768 1.1 (1.5), by a sample 1.2 (1.1); k = 10 of 10^6 by tiles 1.6, of 2 10^6 1.3
  // (2.7), by a sample 1.2 (2.7). Tiles of 8192 were slower.
  static constexpr std::uint64_t most_tiles = 256, most_left = 7168;  // by tiles
  struct first_tile {
    static constexpr int threads = 512, each = 8;
    static constexpr std::uint64_t items = threads * each;
  };
  static constexpr std::uint64_t one_sample_block = std::uint64_t{1} << 21;  // items: one block takes the sample

  enum class rounds { none, of_one_block, of_tiles, of_filter };

  std::uint64_t selected;        // min(k, n)
  unsigned sample_blocks = 0;    // 0: no sample
  std::uint64_t candidates = 0;  // room for so many
  bool by_digits = false;        // many blocks search the exact cut
  std::uint64_t searched = 0;    // among so many
  rounds by = rounds::none;      // else what precedes is not used

  // Keys of so many bytes.
  static top_k_plan of(std::uint64_t n, std::uint64_t k, std::size_t key_bytes) {
    top_k_plan plan{smaller(k, n)};
    if (plan.selected == 0) return plan;
    plan.by = rounds_of(n, plan.selected, key_bytes);
    if (plan.by == rounds::of_filter) plan.sample_blocks = sample_blocks_for(n, plan.selected);
    if (n <= block_items || plan.by != rounds::none) return plan;
    if (plan.selected > n / 8) {
      plan.by_digits = true;
      plan.searched = n;
      return plan;
    }
    plan.sample_blocks = sample_blocks_for(n, plan.selected);
    plan.candidates = candidates_of(n, plan.selected, plan.sample_blocks);
    plan.by_digits = plan.candidates > block_candidates;
    plan.searched = plan.candidates;
    return plan;
  }
  // Room for what a sample of so many blocks leaves: of n keys, or of any number that rounds up to as many samples.
  static std::uint64_t candidates_of(std::uint64_t n, std::uint64_t k, unsigned blocks, bool of_any = false) {
    const std::uint64_t sample = blocks * sample_of_block, samples = ceil_div(n, sample);
    const std::uint64_t rank = sample_rank(k, of_any ? (samples - 1) * sample + 1 : n, sample);
    const auto most = static_cast<double>(rank + sample_slack(rank));
    return smaller(n, static_cast<std::uint64_t>(most + 6 * std::sqrt(most) + 16) * samples);
  }
  // The most of up to n keys. With so many blocks it is what the fewest or the most keys leave.
  static std::uint64_t most_candidates(std::uint64_t n, std::uint64_t k) {
    const std::uint64_t least = larger(block_items + 1, k > n / 8 ? n + 1 : 8 * k);
    std::uint64_t most = 0;
    for (unsigned blocks = sample_blocks_for(n, k); blocks != 0 && n >= least; blocks /= 2) {
      // The most keys of which a sample has half as many blocks.
      const std::uint64_t before =
          blocks == 1
              ? 0
              : smaller(n, larger(one_sample_block,
                                  blocks / 2 * (sample_of_block / 64) * smaller(k, std::uint64_t{1} << 52) + k - 1));
      const std::uint64_t fewest = larger(least, before + 1);
      most = larger(most, candidates_of(n, k, blocks, true));
      if (fewest <= n) most = larger(most, smaller(n, candidates_of(fewest, k, blocks, true)));
      n = before;
    }
    return most;
  }
  // So large a sample that some 64 items of it are expected among the selected ones, as far as it goes.
  static unsigned sample_blocks_for(std::uint64_t n, std::uint64_t k) {
    unsigned blocks = 1;
    while (n > one_sample_block && blocks < most_sample_blocks && blocks * sample_of_block < 64 * (n / k)) blocks *= 2;
    return blocks;
  }
  static constexpr std::uint64_t room_of_last_block(std::size_t key_bytes) {
    return key_bytes <= 4 ? last_block_shape<4>::tile : last_block_shape<8>::tile;
  }
  static rounds rounds_of(std::uint64_t n, std::uint64_t k, std::size_t key_bytes) {
    if (key_bytes > 8) return rounds::none;
    const std::uint64_t room = room_of_last_block(key_bytes);
    if (n <= room) return rounds::of_one_block;
    if (n <= most_tiles * first_tile::items && left_by_tiles(n, k, first_tile::items) <= smaller(room, most_left))
      return rounds::of_tiles;
    if (n > most_filter_tiles * filter_tile) return rounds::none;
    // Six standard deviations more candidates than are expected.
    const std::uint64_t sample = sample_blocks_for(n, k) * sample_of_block, rank = sample_rank(k, n, sample);
    const auto most = static_cast<double>(rank + sample_slack(rank));
    const double candidates = (most + 6 * std::sqrt(most)) * static_cast<double>(n) / static_cast<double>(sample);
    return candidates <= static_cast<double>(room) ? rounds::of_filter : rounds::none;
  }
  bool is_of_tiles() const { return by == rounds::of_tiles; }
  std::uint64_t left(std::uint64_t n) const {
    return is_of_tiles() ? left_by_tiles(n, selected, first_tile::items) : 0;
  }
  std::uint64_t filter_tiles(std::uint64_t n) const { return by == rounds::of_filter ? ceil_div(n, filter_tile) : 0; }
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
  U* left_keys;  // what tiles leave
  Index* left_positions;
  filter_segments segments;
  std::byte* sort;

  static select_plan digits(const top_k_plan& plan) { return {code_bits, top_k_plan::bits_of(plan.searched)}; }
  static std::size_t partition_bytes(std::uint64_t n) {
    return tuned_scratch_bytes<default_offset_method<rejects::dropped>, shapes>(n);
  }

  // How much of each there is room for.
  struct sizes {
    std::uint64_t selected = 0, counts = 0, listed = 0, candidates = 0, left = 0, filter_tiles = 0;
    std::size_t partition = 0;
  };
  static sizes of_call(std::uint64_t n, const top_k_plan& plan) {
    sizes s{plan.selected};
    if (plan.by_digits) s.counts = static_cast<std::uint64_t>(digits(plan).passes()) * select_digits;
    s.listed = plan.sample_blocks * list_of_block;
    s.candidates = plan.candidates;
    s.left = plan.left(n);
    s.filter_tiles = plan.filter_tiles(n);
    if (n > top_k_plan::block_items && plan.by == top_k_plan::rounds::none) s.partition = partition_bytes(n);
    return s;
  }
  // Fewer keys take other ways. So that they never need more scratch, there is room for those ways, too.
  static sizes of_calls_up_to(std::uint64_t n, std::uint64_t k, const top_k_plan& plan) {
    constexpr std::uint64_t room = top_k_plan::room_of_last_block(sizeof(U));
    sizes s = of_call(n, plan);
    if (n > room) s.left = larger(s.left, smaller(n, top_k_plan::most_left));
    if (sizeof(U) <= 8 && n > room && k <= room && plan.by == top_k_plan::rounds::none)
      s.filter_tiles = ceil_div(smaller(n, most_filter_tiles * filter_tile), filter_tile);
    if (s.filter_tiles != 0 || n > top_k_plan::block_items)
      s.listed = larger(s.listed, top_k_plan::sample_blocks_for(n, plan.selected) * list_of_block);
    if (n <= top_k_plan::block_items) return s;
    if (plan.by == top_k_plan::rounds::none) s.candidates = top_k_plan::most_candidates(n, plan.selected);
    if (k > top_k_plan::block_items / 8)
      s.counts = larger(s.counts, static_cast<std::uint64_t>(select_plan{code_bits, top_k_plan::bits_of(n)}.passes()) *
                                      select_digits);
    s.partition = partition_bytes(n);
    return s;
  }

  top_k_scratch(scratch_carver& carver, const sizes& s)
      : state(carver.take<top_k_state<U>>(1)),
        counts(carver.take<std::uint64_t>(s.counts)),
        end_of_cleared(carver.take<std::byte>(0)),
        lists{carver.take<U>(s.listed), carver.take<std::uint64_t>(s.listed)},
        candidate_keys(carver.take<U>(s.candidates)),
        candidate_positions(carver.take<Index>(Positions ? s.candidates : 0)),
        partition(carver.take<std::byte>(s.partition)),
        left_keys(carver.take<U>(s.left)),
        left_positions(carver.take<Index>(Positions ? s.left : 0)),
        segments{carver.take<std::uint32_t>(s.filter_tiles), carver.take<std::uint16_t>(s.filter_tiles * filter_tile)},
        sort(carver.take<std::byte>(radix_scratch_bytes<U, sort_value>(s.selected, sort_mode::in_place))) {}
  top_k_scratch(scratch_carver& carver, std::uint64_t n, const top_k_plan& plan)
      : top_k_scratch(carver, of_call(n, plan)) {}

  static std::size_t bytes(std::uint64_t n, std::uint64_t k) {
    const top_k_plan plan = top_k_plan::of(n, k, sizeof(U));
    if (plan.selected == 0) return 0;
    scratch_carver measure;
    top_k_scratch(measure, of_calls_up_to(n, k, plan));
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
    switch (plan_.by) {
      case top_k_plan::rounds::of_one_block:
        return select_last({a_.keys, nullptr, 0}, false);
      case top_k_plan::rounds::of_tiles:
        return select_by_tiles<top_k_plan::first_tile>();
      case top_k_plan::rounds::of_filter:
        return select_by_filter();
      case top_k_plan::rounds::none:
        break;
    }
    // Tickets and counts of many blocks.
    if (plan_.by_digits || (sizeof(U) > 8 && plan_.sample_blocks > 1))
      simt::fill_bytes(
          stream_, scratch_.state, 0,
          static_cast<std::size_t>(scratch_.end_of_cleared - reinterpret_cast<std::byte*>(scratch_.state)));
    if (plan_.sample_blocks != 0) {
      take_sample(plan_.sample_blocks);
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

  void take_sample(unsigned blocks) {
    if constexpr (sizeof(U) > 8) {
      simt::launch(top_k_sample_kernel<U>, config(blocks, select_threads, sizeof(sample_storage)), a_, scratch_.lists);
    } else {
      constexpr std::size_t shared = sizeof(register_select_storage<U, select_threads>);
      simt::launch(top_k_block_sample_kernel<U>, config(blocks, select_threads, shared), a_, scratch_.lists);
      if (blocks == 1) return;
      simt::launch_config lists = config(1, select_threads, shared);
      lists.overlaps_previous_launch = true;
      simt::launch(top_k_lists_kernel<U>, lists, a_, scratch_.lists, blocks);
    }
  }

  Index* wanted_positions() const { return Positions ? positions_out_ : nullptr; }

  template <class Tile>
  void select_by_tiles() {
    if constexpr (sizeof(U) <= 8) {
      constexpr int threads = Tile::threads;
      a_.k = plan_.selected;
      simt::launch(top_k_tile_kernel<U, Index, threads, Tile::each>,
                   config(ceil_div(a_.n.capacity, Tile::items), threads, sizeof(register_select_storage<U, threads>)),
                   a_, scratch_.left_keys, Positions ? scratch_.left_positions : nullptr);
      select_last({scratch_.left_keys, Positions ? scratch_.left_positions : nullptr, Tile::items}, true);
    }
  }

  void select_last(const left_keys<U, Index>& left, bool overlaps) {
    if constexpr (sizeof(U) <= 8) {
      constexpr int threads = last_block_shape<sizeof(U)>::threads;
      simt::launch_config launch = config(1, threads, sizeof(register_select_storage<U, threads>));
      launch.overlaps_previous_launch = overlaps;
      simt::launch(top_k_last_kernel<U, Index>, launch, a_, left, keys_out_, wanted_positions());
    }
  }

  void select_by_filter() {
    if constexpr (sizeof(U) <= 8) {
      using shape = filter_shape<U>;
      take_sample(plan_.sample_blocks == 0 ? 1 : plan_.sample_blocks);
      a_.count = {};
      simt::launch_config filter =
          config(plan_.filter_tiles(a_.n.capacity), shape::threads, sizeof(filter_storage<shape>));
      filter.overlaps_previous_launch = true;
      simt::launch(top_k_filter_kernel<U, shape>, filter, a_, scratch_.segments,
                   block::is_vector_aligned<U, shape::width>(a_.keys));
      simt::launch_config last = config(1, select_threads, sizeof(candidates_storage<U>));
      last.overlaps_previous_launch = true;
      simt::launch(top_k_candidates_kernel<U, Index>, last, a_, scratch_.segments, top_k_plan::bits_of(a_.n.capacity),
                   keys_out_, wanted_positions());
    }
  }

  void select_in_one_block() {
    const bool of_candidates = plan_.sample_blocks != 0;
    simt::launch(
        top_k_block_kernel<U, Index>, config(1, select_threads, sizeof(last_storage<U>)), a_,
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
