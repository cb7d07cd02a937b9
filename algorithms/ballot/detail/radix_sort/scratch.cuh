// The scratch of a radix sort, and how its items are cut into launches.
//
// The size does not depend on the GPU, and never falls as items are added.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/local_sort_launch.cuh>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/tuning.cuh>

namespace ballot::detail {

struct radix_spare_buffers {
  int keys;
  int values;

  constexpr radix_spare_buffers(int most_passes, sort_mode target) : keys(0), values(0) {
    const bool in_place = target == sort_mode::in_place || target == sort_mode::values_only_in_place;
    if (target == sort_mode::double_buffer) return;
    const bool values_only = target == sort_mode::values_only || target == sort_mode::values_only_in_place;
    keys = values_only && most_passes > 2 ? 2 : in_place || most_passes > 1 ? 1 : 0;
    values = in_place || most_passes > 1 ? 1 : 0;
  }
};

// How the items are cut into launches.
struct radix_portions {
  std::uint64_t items;  // of a portion, but for a smaller last one
  std::uint64_t count;
  std::uint64_t tiles;  // of the largest portion

  radix_portions(std::uint64_t n, std::uint64_t tile_items, std::uint64_t most_items)
      : items(most_items / tile_items * tile_items),
        count(ceil_div(n, items)),
        tiles(ceil_div(smaller(n, items), tile_items)) {}
};

template <class U, class V>
struct radix_scratch {
  static constexpr int most_passes = sizeof(U) * 8 / radix_bits;

  // Zero before the first launch:
  std::uint64_t* digit_offsets;  // [pass][digit] of the first portion
  std::uint32_t* finished_blocks;
  std::uint32_t* unordered;
  std::uint32_t* leading_finished_blocks;
  std::uint32_t* leading_findings;
  std::uint32_t* approved;
  launch_action* local_sort;
  std::uint32_t* bucket_offsets;  // [prefix], and the number of keys; null: no sort by a prefix
  std::uint32_t* tickets;         // a launch each
  digit_state::word* states;
  std::size_t zeroed_bytes;
  // Not so:
  launch_action* actions;             // [launch]
  std::uint64_t* next_digit_offsets;  // [digit], twice: of the portions after the first
  digit_state::word* other_states;
  U* keys[2];
  V* values;

  // prefix_words: of bucket_offsets.
  radix_scratch(scratch_carver& carver, std::uint64_t n, const radix_portions& portions, sort_mode target,
                std::uint64_t prefix_words) {
    constexpr bool has_values = !std::is_same_v<V, no_value>;
    const radix_spare_buffers spare(most_passes, target);
    digit_offsets = carver.take<std::uint64_t>(most_passes * radix_digits);
    finished_blocks = carver.take<std::uint32_t>(6);
    unordered = finished_blocks + 1;
    leading_finished_blocks = finished_blocks + 2;
    leading_findings = finished_blocks + 3;
    approved = finished_blocks + 4;
    local_sort = reinterpret_cast<launch_action*>(finished_blocks + 5);
    bucket_offsets = prefix_words == 0 ? nullptr : carver.take<std::uint32_t>(prefix_words);
    // At least so many, so that no count of portions that occurs with few makes the scratch larger.
    tickets = carver.take<std::uint32_t>(larger((most_passes + 1) * portions.count, 64));
    states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    zeroed_bytes = carver.bytes();
    actions = carver.take<launch_action>(max_radix_launches);
    next_digit_offsets = carver.take<std::uint64_t>(2 * radix_digits);
    other_states = carver.take<digit_state::word>(portions.tiles * radix_digits);
    keys[0] = spare.keys > 0 ? carver.take<U>(n) : nullptr;
    keys[1] = spare.keys > 1 ? carver.take<U>(n) : nullptr;
    values = has_values && spare.values > 0 ? carver.take<V>(n) : nullptr;
  }
};

// Tiles of one launch count to at most this; tests make portions smaller.
inline constexpr std::uint64_t radix_portion_items = digit_state::most;

template <class U, class V>
std::size_t radix_scratch_bytes_in_tiles(std::uint64_t n, sort_mode target, std::uint64_t tile_items,
                                         std::uint64_t portion_items, std::uint64_t prefix_words) {
  if (n == 0) return 0;
  scratch_carver measure;
  radix_scratch<U, V>(measure, n, radix_portions(n, tile_items, portion_items), target, prefix_words);
  return measure.bytes();
}
template <class U, class V, class Shape, class LocalSort = void>
std::size_t radix_scratch_bytes_in_shape(std::uint64_t n, sort_mode target,
                                         std::uint64_t portion_items = radix_portion_items) {
  return radix_scratch_bytes_in_tiles<U, V>(n, target, Shape::items, portion_items,
                                            bucket_offset_words<U, V, LocalSort>(n));
}

// Portions in which n items, cut into tiles of the smallest shape, have no more tiles each than all have in tiles of
// tile_items.
template <class U, class V>
std::uint64_t radix_portion_items_of_smallest(std::uint64_t n, std::uint64_t tile_items) {
  return radix_portions(n, tile_items, radix_portion_items).tiles * smallest_radix_shape<U, V>::items;
}

// The most that n items or fewer take, on any GPU: a smaller array may have more tiles.
template <class U, class V, int Row = radix_row_of<U, V>>
std::size_t radix_scratch_bytes(std::uint64_t n, sort_mode target) {
  constexpr std::uint64_t up_to = radix_tunings[Row].items;
  using shape = radix_shape_of_row<Row>;
  const std::uint64_t in_row = smaller(n, up_to);
  std::size_t bytes = radix_scratch_bytes_in_shape<U, V, shape, local_sort_of<U, V>>(in_row, target);
  if constexpr (!runs_everywhere<U, V, shape>)
    bytes = larger(bytes, radix_scratch_bytes_in_shape<U, V, smallest_radix_shape<U, V>>(
                              in_row, target, radix_portion_items_of_smallest<U, V>(in_row, shape::items)));
  if constexpr (up_to != any_number)
    if (n > up_to) bytes = larger(bytes, radix_scratch_bytes<U, V, Row + 1>(n, target));
  return bytes;
}

}  // namespace ballot::detail
