// SPDX-License-Identifier: Apache-2.0
// The launches of top_k.
//
//     few items      One block selects from the input (tile_kernels.cuh).
//     up to 2^17     One cluster of blocks does, if the GPU has clusters (cluster_kernels.cuh).
//     small k        Each block selects from its tile. One block selects from what these leave, if
//                    it can hold that (tile_kernels.cuh).
//     up to 2^25     A sample bounds the selected items, and each tile stores its candidates. One
//                    block selects from these, or one cluster, if it can hold them
//                    (filter_kernels.cuh, cluster_kernels.cuh).
//     k up to n / 8  A sample bounds the selected items. A compaction reads the input once and
//                    stores the candidates in order. Then one block selects from these. If there is
//                    room for many, many blocks select digit by digit, with a second compaction.
//     larger k       Digit by digit from the input, and a compaction.
//
// Then, if the caller asks for it, a stable sort of the selected items follows. So equal keys are
// in order of position.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/radix_sort/launch.cuh>
#include <ballot/detail/top_k/cluster_kernels.cuh>
#include <ballot/detail/top_k/filter_kernels.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/plan.cuh>
#include <ballot/detail/top_k/sample_kernels.cuh>
#include <ballot/detail/top_k/scratch.cuh>
#include <ballot/detail/top_k/tile_kernels.cuh>
#include <ballot/device/memory.cuh>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ballot::detail {

template <class U>
using digit_shape = block::tile_shape<512, 4, block::vector_width<U>()>;

// The launches of one call. keys_out, and with Positions positions_out, have room for plan.selected
// items.
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
  // Selects, without the sort: in the order of the input.
  void select() {
    switch (plan_.by) {
      case top_k_plan::rounds::of_one_block:
        return select_last({a_.keys, nullptr, 0});
      case top_k_plan::rounds::of_cluster:
        return select_by_cluster();
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
  static top_k_plan plan_for(std::uint64_t n, std::uint64_t k) {
    const bool asks = n > top_k_plan::fewest_with_clusters(sizeof(U)) && k != 0;
    return top_k_plan::of(n, k, sizeof(U), asks ? most_cluster_blocks() : 1);
  }
  // How many blocks a cluster can have; 1: this GPU has none of such blocks.
  static unsigned most_cluster_blocks() {
    if constexpr (sizeof(U) > 8) {
      return 1;
    } else {
      if (simt::shared_bytes_limit() < sizeof(cluster_candidates_storage<U>)) return 1;
      return smaller(simt::most_cluster_blocks,
                     simt::largest_cluster(top_k_cluster_candidates_kernel<U, Index>, cluster_config(1, nullptr)));
    }
  }
  // The number of selected items, on the device.
  length selected() const { return length_of_count(plan_.selected, &scratch_.state->selected); }

 private:
  // The same for both kernels, so that what one is asked holds for the other.
  static simt::launch_config cluster_config(unsigned blocks, stream_t stream) {
    return {.grid = dim3(blocks),
            .block = dim3(static_cast<unsigned>(cluster_shape<sizeof(U)>::threads)),
            .shared_bytes = sizeof(cluster_candidates_storage<U>),
            .stream = stream,
            .overlaps_previous_launch = true,
            .is_cluster = true};
  }
  simt::launch_config config(std::uint64_t blocks, int threads, std::size_t shared, bool overlaps = false) const {
    return {dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)), shared, stream_, overlaps};
  }

  // Compacts the items that a cut selects, in order. from_positions is null if positions are those
  // in `keys`.
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
    simt::launch_config launch = config(blocks, shape::threads, sizeof(digit_storage<shape>));
    for (int pass = 0; pass < digits.passes(); ++pass, launch.overlaps_previous_launch = true)
      simt::launch(top_k_digit_kernel<U, shape>, launch, a_, select_source<U>{keys, n, of_candidates}, digits, pass,
                   block::is_vector_aligned<U, shape::width>(keys),
                   scratch_.counts + std::uint64_t{select_digits} * pass);
    compact(n, keys, of_candidates ? scratch_.candidate_positions : nullptr, &scratch_.state->exact, keys_out_,
            positions_out_, plan_.selected, &scratch_.state->compacted);
  }

  void take_sample(unsigned blocks) {
    if constexpr (sizeof(U) > 8) {
      simt::launch(top_k_sample_kernel<U>, config(blocks, select_threads, sizeof(sample_storage)), a_, scratch_.lists);
    } else {
      constexpr std::size_t shared = sizeof(sample_select_storage<U>);
      const filter_sample sample{filter_sample::kind::large_blocks, blocks};
      simt::launch(top_k_block_sample_kernel<U>, config(blocks, select_threads, shared, true), a_, scratch_.lists,
                   sample);
      if (blocks == 1) return;
      simt::launch(top_k_lists_kernel<U>, config(1, select_threads, shared, true), a_, scratch_.lists, sample);
    }
  }

  Index* wanted_positions() const { return Positions ? positions_out_ : nullptr; }

  template <class Tile>
  void select_by_tiles() {
    if constexpr (sizeof(U) <= 8) {
      constexpr int threads = Tile::threads;
      a_.k = plan_.selected;
      simt::launch(top_k_tile_kernel<U, Index, threads, Tile::each>,
                   config(ceil_div(a_.n.capacity, Tile::items), threads,
                          sizeof(tile_select_storage<U, threads, Tile::each>), true),
                   a_, scratch_.left_keys, Positions ? scratch_.left_positions : nullptr);
      select_last({scratch_.left_keys, Positions ? scratch_.left_positions : nullptr, Tile::items});
    }
  }

  void select_last(const left_keys<U, Index>& left) {
    if constexpr (sizeof(U) <= 8) {
      constexpr int threads = last_block_shape<sizeof(U)>::threads;
      const simt::launch_config launch =
          config(1, threads, sizeof(tile_select_storage<U, threads, last_block_shape<sizeof(U)>::items>), true);
      simt::launch(top_k_last_kernel<U, Index>, launch, a_, left, keys_out_, wanted_positions());
    }
  }

  void select_by_cluster() {
    if constexpr (sizeof(U) <= 8)
      simt::launch(top_k_cluster_kernel<U, Index>, cluster_config(plan_.cluster_blocks, stream_), a_, keys_out_,
                   wanted_positions());
  }

  void select_by_filter() {
    if constexpr (sizeof(U) <= 8) {
      using shape = filter_shape<U>;
      const filter_sample& sample = plan_.sample;
      using kind = filter_sample::kind;
      const auto take = [&]<int Items>(std::integral_constant<int, Items>) {
        simt::launch(top_k_block_sample_kernel<U, Items>,
                     config(sample.blocks, select_threads, sizeof(sample_select_storage<U, Items>), true), a_,
                     scratch_.lists, sample);
      };
      if (sample.by == kind::tiles) take(std::integral_constant<int, 1>{});
      if (sample.by == kind::lists) {
        take(std::integral_constant<int, 2>{});
        simt::launch(top_k_lists_kernel<U>, config(1, select_threads, sizeof(sample_select_storage<U>), true), a_,
                     scratch_.lists, sample);
      }
      if (sample.by == kind::large_blocks) take_sample(sample.blocks);
      a_.count = {};
      const simt::launch_config filter =
          config(ceil_div(a_.n.capacity, filter_tile), shape::threads, sizeof(filter_storage<U, shape>), true);
      simt::launch(top_k_filter_kernel<U, shape>, filter, a_, scratch_.filtered, scratch_.lists, sample,
                   block::is_vector_aligned<U, shape::width>(a_.keys));
      if (plan_.cluster_blocks > 1) {
        simt::launch(top_k_cluster_candidates_kernel<U, Index>, cluster_config(plan_.cluster_blocks, stream_), a_,
                     scratch_.filtered, top_k_plan::bits_of(a_.n.capacity), keys_out_, wanted_positions());
        return;
      }
      const simt::launch_config last = config(1, select_threads, sizeof(candidates_storage<U>), true);
      simt::launch(top_k_candidates_kernel<U, Index>, last, a_, scratch_.filtered, top_k_plan::bits_of(a_.n.capacity),
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
