// SPDX-License-Identifier: Apache-2.0
// The scratch of a distributed sort: the data of boundaries, and the room for items before and
// after they are sent.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/common/no_value.hpp>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/detail/candidate_levels.cuh>
#include <ballot/distributed/detail/distribute.cuh>
#include <ballot/distributed/detail/groups.cuh>
#include <ballot/distributed/detail/messages.cuh>
#include <ballot/distributed/detail/splitters.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/sort.cuh>

#include <algorithm>
#include <type_traits>

namespace ballot::distributed::detail {

using ballot::detail::no_value;

// A rank's output is sorted in so many pieces at most: while one is sorted, the next arrives.
inline constexpr int most_pieces = 8;

// Whether items move by bytes that name their groups, as the values of a radix sort. Others take a
// multisplit.
template <class T>
inline constexpr bool moves_as_word = std::is_same_v<T, no_value> || ballot::detail::is_inline_value<T>;
// Keys between splitters, and those that equal one.
constexpr unsigned groups_of(int splitters) { return static_cast<unsigned>(2 * splitters + 1); }
constexpr int pieces_at_most(int ranks) {
  const int pieces = (most_boundaries + 1) / ranks;
  return pieces < most_pieces ? pieces : most_pieces;
}

using ballot::detail::value_word_t;
template <class V>
struct value_word_of {
  using type = value_word_t<V>;
};

template <class T>
inline constexpr bool is_distributed_word = sizeof(T) == 4 || sizeof(T) == 8;

template <class K, class V>
struct sort_scratch {
  using U = ordered_bits_t<K>;
  static constexpr bool has_values = !std::is_same_v<V, no_value>;
  static constexpr bool by_bytes = moves_as_word<K> && moves_as_word<V>;

  // Whether the items are words that distribute_kernel.cuh takes.
  static constexpr bool distributes = by_bytes && is_distributed_word<K> && (!has_values || is_distributed_word<V>);

  static constexpr std::size_t columns = has_values ? 2 : 1;
  // Counts by digit, and two for each bit after the second digit.
  static constexpr std::size_t words_of_slot = level_digits + (has_rest_word<U> ? 16 * sizeof(U) : 0);

  U* splitter[2];
  std::uint64_t* left;
  std::uint64_t* below;
  std::uint64_t* own_below;
  std::uint64_t* gathered;    // own_below of all ranks, and then the splitters
  std::uint64_t* counts;      // of this rank
  std::uint64_t* all_counts;  // of all of them
  std::uint64_t* offsets;     // of the groups
  std::uint64_t* candidates;  // how many keys later levels look at
  std::uint32_t* selected;    // of them, by each warp
  U* rest;                    // bits of each splitter, where the second level knows them
  std::uint32_t* undetermined;
  stretch* stretches;    // and their end
  std::uint8_t* wanted;  // of a leading digit
  std::uint32_t* again;
  std::uint8_t* group;  // of each item
  // Items by group, until they have been sent, with room between stretches. splitting: the scratch
  // for splitting them. sorting: the scratch for sorting the items that have arrived.
  K* split_keys;
  V* split_values;
  std::span<std::byte> splitting;
  std::span<std::byte> sorting;
  // Copies of items whose alignment differs from that at the receiver (detail/messages.cuh). Before
  // that, the positions of candidates.
  std::byte* staged;
  // The items that came.
  K* keys;
  V* values;

  sort_scratch(ballot::detail::scratch_carver& carver, int ranks, std::uint64_t n, std::uint64_t m) {
    const auto boundaries = static_cast<std::uint64_t>(ranks) * static_cast<unsigned>(pieces_at_most(ranks)) - 1;
    for (U*& s : splitter) s = carver.take<U>(boundaries);
    left = carver.take<std::uint64_t>(boundaries);
    below = carver.take<std::uint64_t>(boundaries);
    own_below = carver.take<std::uint64_t>(2 * boundaries);
    gathered = carver.take<std::uint64_t>(2 * boundaries * static_cast<unsigned>(ranks) + 2 * boundaries);
    counts = carver.take<std::uint64_t>(boundaries * words_of_slot);
    all_counts = carver.take<std::uint64_t>(boundaries * words_of_slot);
    offsets = carver.take<std::uint64_t>(2 * boundaries + 2);
    candidates = carver.take<std::uint64_t>(1);
    selected = carver.take<std::uint32_t>(std::size_t{most_count_blocks} * count_warps);
    rest = carver.take<U>(boundaries);
    undetermined = carver.take<std::uint32_t>(1);
    stretches = carver.take<stretch>(boundaries + 2);
    wanted = carver.take<std::uint8_t>(level_digits);
    again = carver.take<std::uint32_t>(1);
    group = by_bytes ? carver.take<std::uint8_t>(n) : nullptr;
    const std::uint64_t slack = stretch_slack * (boundaries + 1);
    split_keys = carver.take<K>(n + slack / sizeof(K) + 1);
    if constexpr (has_values) split_values = carver.take<V>(n + slack / sizeof(V) + 1);
    else split_values = nullptr;
    const std::size_t split_bytes = split_bytes_of(n, ranks);
    const std::size_t sort_bytes = local_sort_bytes(m);
    const std::size_t bytes = std::max(split_bytes, sort_bytes);
    std::byte* const both = carver.take<std::byte>(bytes);
    splitting = {both, split_bytes};
    sorting = {both, sort_bytes};
    constexpr std::size_t item_bytes = sizeof(K) + (has_values ? sizeof(V) : 0), position_bytes = sizeof(std::uint32_t);
    staged =
        carver.take<std::byte>(staging::bytes(n * std::max(item_bytes, position_bytes), columns * (boundaries + 1)));
    keys = carver.take<K>(m);
    if constexpr (has_values) values = carver.take<V>(m);
    else values = nullptr;
  }

 private:
  static std::size_t split_bytes_of(std::uint64_t n, int ranks) {
    if constexpr (distributes) {
      using W = typename std::conditional_t<has_values, value_word_of<V>, std::type_identity<no_value>>::type;
      return std::max(group_bytes_of(n, ranks), distribute_scratch_bytes<U, W>(n));
    } else {
      return group_bytes_of(n, ranks);
    }
  }
  static std::size_t group_bytes_of(std::uint64_t n, int ranks) {
    if constexpr (by_bytes) {
      using ballot::detail::radix_scratch_bytes;
      const std::size_t bytes =
          radix_scratch_bytes<std::uint8_t, value_word_t<K>>(n, ballot::detail::sort_mode::values_only);
      if constexpr (has_values)
        return std::max(bytes,
                        radix_scratch_bytes<std::uint8_t, value_word_t<V>>(n, ballot::detail::sort_mode::values_only));
      else return bytes;
    } else {
      // For every number of pieces that a sort may choose: a multisplit into more groups can take
      // less than one into fewer.
      std::size_t most = 0;
      for (int pieces = 1; pieces <= pieces_at_most(ranks); ++pieces)
        most = std::max(most, multisplit_bytes_of(n, groups_of(ranks * pieces - 1)));
      return most;
    }
  }
  static std::size_t multisplit_bytes_of(std::uint64_t n, unsigned groups) {
    if constexpr (has_values) return ballot::multisplit_scratch_bytes<K, V>(n, groups);
    else return ballot::multisplit_scratch_bytes<K>(n, groups);
  }
  static std::size_t local_sort_bytes(std::uint64_t m) {
    using namespace ballot::detail;
    if constexpr (has_values) return pairs_scratch_bytes<K, V>(m, false);
    else return radix_scratch_bytes<ordered_bits_t<K>, no_value>(m, sort_mode::out_of_place);
  }
};

template <class K, class V>
std::size_t sort_scratch_bytes_of(int ranks, std::uint64_t n, std::uint64_t m) {
  ballot::detail::scratch_carver measure;
  sort_scratch<K, V>(measure, ranks, n, m);
  return measure.bytes();
}

}  // namespace ballot::distributed::detail
