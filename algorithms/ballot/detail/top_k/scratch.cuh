// SPDX-License-Identifier: Apache-2.0
// The scratch of top_k: how much one call takes, and how much any call of as many keys or fewer
// takes.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/radix_sort/launch.cuh>
#include <ballot/detail/top_k/filter_kernels.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/plan.cuh>
#include <ballot/detail/top_k/sample_kernels.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

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
  filtered_keys<U> filtered;
  std::byte* sort;

  static select_plan digits(const top_k_plan& plan) { return {code_bits, top_k_plan::bits_of(plan.searched)}; }
  static std::size_t partition_bytes(std::uint64_t n) {
    return tuned_scratch_bytes<default_offset_method<rejects::dropped>, shapes>(n);
  }

  // How much of each there is room for.
  struct sizes {
    std::uint64_t selected = 0, counts = 0, listed = 0, candidates = 0, left = 0, filter_tiles = 0, filtered = 0;
    std::size_t partition = 0;
  };
  static constexpr std::uint64_t room_of_last_block = top_k_plan::room_of_last_block(sizeof(U));
  // Room for the lists of the blocks of a sample.
  static std::uint64_t listed(unsigned sample_blocks) {
    return sample_blocks == 0 ? 0 : larger(most_of_lists, sample_blocks * list_of_block);
  }
  static std::uint64_t most_listed_of(std::uint64_t n) {
    return n <= top_k_plan::one_sample_block ? most_of_lists : most_of_many_lists;
  }

  static sizes of_call(std::uint64_t n, const top_k_plan& plan) {
    sizes s{plan.selected};
    if (plan.by_digits) s.counts = static_cast<std::uint64_t>(digits(plan).passes()) * select_digits;
    s.listed = listed(plan.sample_blocks);
    s.candidates = plan.candidates;
    s.left = plan.left(n);
    if (plan.is_of_filter())
      s.listed = plan.sample.listed(), s.filter_tiles = ceil_div(n, filter_tile),
      s.filtered = plan.filtered != 0 ? plan.filtered : room_of_last_block;
    if (n > top_k_plan::block_items && plan.by == top_k_plan::rounds::none) s.partition = partition_bytes(n);
    return s;
  }
  // Fewer keys may be selected in another way. There is room for these ways, too, so that fewer
  // keys never need more scratch. So each of these numbers grows with n, and suffices for every
  // call with as many keys or fewer.
  static sizes of_calls_up_to(std::uint64_t n, std::uint64_t k) {
    constexpr bool has_rounds = sizeof(U) <= 8;
    sizes s{smaller(n, k)};
    if (has_rounds && n > room_of_last_block) {
      s.left = k <= room_of_last_block ? smaller(room_of_last_block, top_k_plan::most_left) : 0;
      s.filter_tiles = ceil_div(smaller(n, most_filter_tiles * filter_tile), filter_tile);
      s.filtered = k <= room_of_last_block ? room_of_last_block : 0;
      if (k >= top_k_plan::fewest_selected_of_cluster && k <= top_k_plan::cluster_candidates)
        s.filtered = top_k_plan::cluster_candidates;
    }
    if (has_rounds && n > room_of_last_block) s.listed = most_listed_of(n);
    if (n <= top_k_plan::block_items) return s;
    s.listed = larger(s.listed, listed(top_k_plan::sample_blocks_for(n, s.selected)));
    s.candidates = top_k_plan::most_candidates(n, k);
    if (k > top_k_plan::block_items / 8 || s.candidates > top_k_plan::block_candidates)
      s.counts = static_cast<std::uint64_t>(select_plan{code_bits, top_k_plan::bits_of(n)}.passes()) * select_digits;
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
        filtered{carver.take<U>(s.filtered), carver.take<std::uint32_t>(s.filtered),
                 carver.take<std::uint32_t>(s.filter_tiles), carver.take<std::uint32_t>(s.filter_tiles),
                 static_cast<std::uint32_t>(s.filtered)},
        sort(carver.take<std::byte>(radix_scratch_bytes<U, sort_value>(s.selected, sort_mode::in_place))) {}
  top_k_scratch(scratch_carver& carver, std::uint64_t n, const top_k_plan& plan)
      : top_k_scratch(carver, of_call(n, plan)) {}

  static std::size_t bytes(std::uint64_t n, std::uint64_t k) {
    if (smaller(n, k) == 0) return 0;
    scratch_carver measure;
    top_k_scratch(measure, of_calls_up_to(n, k));
    return measure.bytes();
  }
};

}  // namespace ballot::detail
