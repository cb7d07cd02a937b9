// SPDX-License-Identifier: Apache-2.0
// The scratch of a radix sort. Also the division of its items into portions, each of which has
// launches of its own.
//
// The size does not depend on the GPU, and is monotone in the number of items.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/local_sort_launch.cuh>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/tuning.cuh>

namespace ballot::detail {

// How many spare buffers of n items the passes need.
struct radix_spare_buffers {
  int keys;
  int values;

  constexpr radix_spare_buffers(int max_passes, sort_mode mode) : keys(0), values(0) {
    const bool in_place = mode == sort_mode::in_place || mode == sort_mode::values_only_in_place;
    if (mode == sort_mode::double_buffer) return;
    const bool values_only = mode == sort_mode::values_only || mode == sort_mode::values_only_in_place;
    keys = values_only && max_passes > 2 ? 2 : in_place || max_passes > 1 ? 1 : 0;
    values = in_place || max_passes > 1 ? 1 : 0;
  }
};

struct radix_portions {
  std::uint64_t items;  // of a portion; the last one may have fewer
  std::uint64_t count;
  std::uint64_t tiles;  // of the largest portion

  radix_portions(std::uint64_t n, std::uint64_t tile_items, std::uint64_t max_items)
      : items(max_items / tile_items * tile_items),
        count(ceil_div(n, items)),
        tiles(ceil_div(smaller(n, items), tile_items)) {}
};

template <class U, class V>
struct radix_scratch {
  static constexpr int max_passes = sizeof(U) * 8 / radix_bits;

  // Zero before the first launch:
  std::uint64_t* digit_offsets;  // [pass][digit] of the first portion
  std::uint32_t* finished_blocks;
  std::uint32_t* findings;
  std::uint32_t* leading_finished_blocks;
  std::uint32_t* leading_findings;
  std::uint32_t* approved;
  launch_action* local_sort;
  launch_action* tile_sort;
  std::uint32_t* failed;  // the sort by leading digits
  majority_counts* majority;
  large_buckets large;  // of the sort by leading digits; all but the last three uninitialised
  // Where a sort by leading digits is possible:
  std::uint32_t* round_tickets;         // [round]
  std::uint32_t* round_finished_tiles;  // [round]
  launch_action* rounds;                // [round]
  std::uint32_t* leading_digits;
  std::uint32_t* bucket_offsets;  // [bucket], and after them the number of keys; null: no sort by leading bits
  std::uint32_t* tickets;         // [launch]
  digit_state::word* states;      // [tile][digit]; before the passes a table of keys (determined_digits.cuh)
  std::size_t zeroed_bytes;
  // Uninitialised:
  launch_action* actions;             // [launch]
  std::uint64_t* next_digit_offsets;  // [2][digit]: of the portions after the first
  digit_state::word* other_states;
  U* keys[2];
  V* values;

  // bucket_words: the length of bucket_offsets.
  radix_scratch(scratch_carver& carver, std::uint64_t n, const radix_portions& portions, sort_mode mode,
                std::uint64_t bucket_words) {
    constexpr bool has_values = !std::is_same_v<V, no_value>;
    const radix_spare_buffers spare(max_passes, mode);
    digit_offsets = carver.take<std::uint64_t>(max_passes * radix_digits);
    finished_blocks = carver.take<std::uint32_t>(12 + sizeof(majority_counts) / sizeof(std::uint32_t));
    findings = finished_blocks + 1;
    leading_finished_blocks = finished_blocks + 2;
    leading_findings = finished_blocks + 3;
    approved = finished_blocks + 4;
    local_sort = reinterpret_cast<launch_action*>(finished_blocks + 5);
    tile_sort = local_sort + 1;
    failed = finished_blocks + 7;
    large.items = finished_blocks + 8;
    large.fit = finished_blocks + 9;
    large.all_again = finished_blocks + 10;
    majority = reinterpret_cast<majority_counts*>(finished_blocks + 12);
    bucket_offsets = bucket_words == 0 ? nullptr : carver.take<std::uint32_t>(bucket_words);
    // At least 64, so that no number of portions that occurs with few items makes the scratch
    // larger.
    tickets = carver.take<std::uint32_t>(larger((max_passes + 1) * portions.count, 64));
    round_tickets = radix_passes_in_rounds<U> ? carver.take<std::uint32_t>(3 * max_radix_rounds + 1) : tickets;
    round_finished_tiles = round_tickets + (radix_passes_in_rounds<U> ? max_radix_rounds : 0);
    rounds =
        reinterpret_cast<launch_action*>(round_finished_tiles + (radix_passes_in_rounds<U> ? max_radix_rounds : 0));
    leading_digits = round_tickets + (radix_passes_in_rounds<U> ? 3 * max_radix_rounds : 0);
    states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    zeroed_bytes = carver.bytes();
    actions = carver.take<launch_action>(max_radix_launches);
    next_digit_offsets = carver.take<std::uint64_t>(2 * radix_digits);
    other_states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    if constexpr (radix_passes_in_rounds<U>) {
      const std::uint64_t tiles = ceil_div(n, least_tile_sort_items);
      large.parts = carver.take<std::uint32_t>(tiles);
      large.offsets = carver.take<std::uint32_t>(tiles);
      large.digit_counts = carver.take<std::uint64_t>(max_passes * radix_digits);
    }
    keys[0] = spare.keys > 0 ? carver.take<U>(n) : nullptr;
    keys[1] = spare.keys > 1 ? carver.take<U>(n) : nullptr;
    values = has_values && spare.values > 0 ? carver.take<V>(n) : nullptr;
  }
};

// The largest count of a tile state. Tests make portions smaller.
inline constexpr std::uint64_t radix_portion_items = digit_state::most;

template <class U, class V>
std::size_t radix_scratch_bytes_in_tiles(std::uint64_t n, sort_mode mode, std::uint64_t tile_items,
                                         std::uint64_t portion_items, std::uint64_t bucket_words) {
  if (n == 0) return 0;
  scratch_carver measure;
  radix_scratch<U, V>(measure, n, radix_portions(n, tile_items, portion_items), mode, bucket_words);
  return measure.bytes();
}
template <class U, class V, class Shape, class LocalSort = void>
std::size_t radix_scratch_bytes_in_shape(std::uint64_t n, sort_mode mode,
                                         std::uint64_t portion_items = radix_portion_items) {
  return radix_scratch_bytes_in_tiles<U, V>(n, mode, Shape::items, portion_items,
                                            bucket_offset_words<U, V, LocalSort>(n));
}
// How many of these bytes have to be zero at the first launch. They are the first.
template <class U, class V, class Shape>
std::size_t radix_cleared_bytes_in_shape(std::uint64_t n, sort_mode mode) {
  scratch_carver measure;
  return radix_scratch<U, V>(measure, n, radix_portions(n, Shape::items, radix_portion_items), mode, 0).zeroed_bytes;
}

// The portion of the smallest shape. In each such portion, n items have no more tiles than all n
// items have in tiles of tile_items.
template <class U, class V, class Tunings = radix_tunings>
std::uint64_t radix_portion_items_of_smallest(std::uint64_t n, std::uint64_t tile_items) {
  return radix_portions(n, tile_items, radix_portion_items).tiles * smallest_radix_shape<U, V, Tunings>::items;
}

// Enough for n items or fewer on any GPU, by the rows for all GPUs: fewer items may have more
// tiles.
template <class U, class V, class Tunings = radix_tunings, int Row = radix_row_of<U, V, Tunings>>
std::size_t radix_scratch_bytes(std::uint64_t n, sort_mode mode) {
  constexpr std::uint64_t up_to = Tunings::rows[Row].items;
  using shape = radix_shape_of_row<Row, Tunings>;
  const std::uint64_t in_row = smaller(n, up_to);
  std::size_t bytes = radix_scratch_bytes_in_shape<U, V, shape, local_sort_of<U, V>>(in_row, mode);
  if constexpr (!runs_everywhere<U, V, shape>)
    bytes = larger(bytes, radix_scratch_bytes_in_shape<U, V, smallest_radix_shape<U, V, Tunings>>(
                              in_row, mode, radix_portion_items_of_smallest<U, V, Tunings>(in_row, shape::items)));
  if constexpr (is_for_newer_gpus<Tunings>(Row + 1))
    bytes = larger(bytes, radix_scratch_bytes<U, V, Tunings, Row + 1>(n, mode));
  else if constexpr (up_to != any_number)
    if (n > up_to) bytes = larger(bytes, radix_scratch_bytes<U, V, Tunings, Row + 1>(n, mode));
  return bytes;
}

}  // namespace ballot::detail
