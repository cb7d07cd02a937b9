// SPDX-License-Identifier: Apache-2.0
// Chooses how top_k selects: by numbers alone, one of which is how many blocks a cluster of the GPU
// can have. What is selected does not depend on the choice.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/top_k/cluster_kernels.cuh>
#include <ballot/detail/top_k/filter_kernels.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/sample_kernels.cuh>
#include <ballot/detail/top_k/tile_kernels.cuh>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// How the k smallest of n are selected: the same on every GPU with clusters of as many blocks. Sizes
// are upper limits, whatever lengths the device knows.
struct top_k_plan {
  static constexpr std::uint64_t block_items = 16384;       // one block selects from the input
  static constexpr std::uint64_t block_candidates = 65536;  // ... from candidates
  static constexpr unsigned most_sample_blocks = 32;
  static constexpr std::uint64_t most_direct = std::uint64_t{1} << 21;  // items
  // H100, 2026-11-23, u32, time of DeviceTopK of CUB 3.5.0 by ours, calls of uniform keys (of two
  // values):
  //
  //                        by one block   by tiles     by a sample
  //     k = 10 of 8192     1.9 (1.7)      1.6 (1.6)
  //     k = 10 of 65,537                  1.5 (1.4)    1.2 (1.1)
  //     k = 1000 of 16,384                1.3 (1.6)
  //     k = 1000 of 32,768                1.1 (1.5)    1.2 (1.1)
  //     k = 10 of 10^6                    1.6
  //     k = 10 of 2 10^6                  1.3 (2.7)    1.2 (2.7)
  //
  // Tiles of 8192 were slower.
  static constexpr std::uint64_t most_tiles = 256, most_left = 7168;  // by tiles
  struct first_tile {
    static constexpr int threads = 512, each = 8;
    static constexpr std::uint64_t items = threads * each;
  };
  static constexpr std::uint64_t one_sample_block = std::uint64_t{1} << 21;  // items: one block takes the sample
  // By one cluster of up to 16 blocks. H200, 2026-11-30, in a graph, us (DeviceTopK of CUB 3.5.0):
  //
  //     k                       by a cluster   by one block, tiles, a sample or digits
  //     10 of 7000 u32               8.4            8.3  (10.9)
  //     50 of 12,288 f32             8.8           11.9  (14.9)
  //     10 of 65,537 u32            10.7           11.2  (15.9)
  //     10 of 81,920 u32            10.8           10.6  (15.9)
  //     1000 of 131,071 u32         15.1           15.5  (17.3)
  //     1000 of 190,000 u32         17.2           15.4  (17.6)
  //     500 of 65,537 f64           17.4           17.7  (17.2)
  //     500 of 131,071 f64          19.6           18.3  (18.3)
  //     a tenth of 131,071 f32      16.0           36.4  (18.3)
  //     a tenth of 262,144 f32      21.4           57.8  (21.1)
  //     5000 of 131,071 u64         16.1           29.8  (20.9)
  //     a third of 190,000 u64      23.5           21.3  (23.7)
  static constexpr std::uint64_t fewest_of_cluster = 8192, keys_of_block = 2048;
  static constexpr std::uint64_t most_before_tiles = 73728;
  static std::uint64_t most_before_filter(std::size_t key_bytes) { return key_bytes <= 4 ? 131072 : 81920; }
  static std::uint64_t most_of_cluster(std::size_t key_bytes) { return key_bytes <= 4 ? 262144 : 131072; }
  static constexpr std::uint64_t cluster_candidates = 65535, fewest_selected_of_cluster = 512;

  enum class rounds { none, of_one_block, of_cluster, of_tiles, of_filter };

  std::uint64_t selected;        // min(k, n)
  unsigned sample_blocks = 0;    // 0: no sample
  std::uint64_t candidates = 0;  // room for so many
  bool by_digits = false;        // many blocks search the exact cut
  std::uint64_t searched = 0;    // among so many
  rounds by = rounds::none;      // else what precedes is not used
  filter_sample sample = {};     // of_filter
  std::uint64_t filtered = 0;    // of_filter: room for so many candidates
  unsigned cluster_blocks = 1;   // of_cluster; of_filter: above 1, they select from the candidates

  // Keys of so many bytes. A cluster has up to `blocks` blocks; 1: there are no clusters.
  static top_k_plan of(std::uint64_t n, std::uint64_t k, std::size_t key_bytes, unsigned blocks = 1) {
    top_k_plan plan{smaller(k, n)};
    if (plan.selected == 0) return plan;
    if (key_bytes > 8) blocks = 1;
    plan.by = rounds_of(n, plan.selected, key_bytes, blocks);
    if (plan.by == rounds::of_cluster) plan.cluster_blocks = blocks_for(n, blocks);
    if (plan.by == rounds::of_filter) {
      plan.sample = filter_sample_for(n, plan.selected, key_bytes);
      plan.filtered = room_of_last_block(key_bytes);
      if (most_filtered(n, plan.selected, plan.sample) > plan.filtered) {
        plan.filtered = room_of_cluster(key_bytes, blocks);
        plan.sample = cluster_sample_for(n, plan.selected, plan.filtered);
        plan.cluster_blocks = blocks_for(most_filtered(n, plan.selected, plan.sample), blocks);
        plan.filtered = smaller(plan.filtered, plan.cluster_blocks * cluster_tile(key_bytes));
      }
    }
    if (n <= block_items || plan.by != rounds::none) return plan;
    if (plan.selected > n / 8) {
      plan.by_digits = true;
      plan.searched = n;
      return plan;
    }
    plan.sample_blocks = sample_blocks_for(n, plan.selected);
    plan.candidates = candidates_of(n, plan.selected, plan.sample_blocks);
    plan.by_digits = plan.candidates > block_candidates;
    if (plan.by_digits && n <= most_direct) {  // few keys are read for each digit sooner than a sample is taken
      plan.sample_blocks = 0, plan.candidates = 0, plan.searched = n;
      return plan;
    }
    plan.searched = plan.candidates;
    return plan;
  }
  // Room for the candidates that a sample of so many blocks leaves.
  static std::uint64_t candidates_of(std::uint64_t n, std::uint64_t k, unsigned blocks) {
    const std::uint64_t sample = blocks * sample_of_block;
    return smaller(n, most_of_stretch(k, n, sample) * ceil_div(n, sample));
  }
  // The most candidates in n / sample keys, except once in 10^7 calls. The more keys there are, the
  // fewer they are.
  static std::uint64_t most_of_stretch(std::uint64_t k, std::uint64_t n, std::uint64_t sample) {
    const std::uint64_t rank = sample_rank(k, n, sample);
    const auto most = static_cast<double>(rank + sample_slack(rank));
    return static_cast<std::uint64_t>(most + 6 * std::sqrt(most) + 16);
  }
  // No less than n / sample times that. Each term grows with n: it has that factor within.
  static double bound_of_stretches(double k, double n, double sample) {
    const double stretches = n / sample, rank = k + 5 * std::sqrt(stretches * (k + stretches)) + 8 * stretches;
    const double most = 1.25 * rank + 2 * stretches;
    return most + 6 * std::sqrt(stretches * most) + 16 * stretches;
  }
  // Room for the candidates that a sample leaves, for any number of keys up to n. Grows with n.
  static std::uint64_t most_candidates(std::uint64_t n, std::uint64_t k) {
    if (k > n / 8) return 0;
    const std::uint64_t all = n, least = larger(block_items + 1, 8 * k), wanted = smaller(k, std::uint64_t{1} << 52);
    double most = 0;
    for (unsigned blocks = sample_blocks_for(n, k); blocks != 0 && n >= least; blocks /= 2) {
      // The most keys of which a sample has half as many blocks.
      const std::uint64_t half = blocks / 2 * (sample_of_block / 64) * wanted + k - 1;
      const std::uint64_t before = blocks == 1 ? 0 : smaller(n, larger(one_sample_block, half));
      const std::uint64_t fewest = larger(least, before + 1), sample = blocks * sample_of_block;
      if (fewest <= n)
        most = std::fmax(most, bound_of_stretches(static_cast<double>(k), static_cast<double>(n), double(sample)) +
                                   static_cast<double>(most_of_stretch(k, fewest, sample)));
      n = before;
    }
    const double room = most * (1 + 0x1p-40) + 1;  // for what rounding takes away
    return room < static_cast<double>(all) ? static_cast<std::uint64_t>(room) : all;
  }
  // The sample is so large that some 64 of its items are expected among the selected ones, as far
  // as that is possible.
  static unsigned sample_blocks_for(std::uint64_t n, std::uint64_t k) {
    unsigned blocks = 1;
    while (n > one_sample_block && blocks < most_sample_blocks && blocks * sample_of_block < 64 * (n / k)) blocks *= 2;
    return blocks;
  }
  static constexpr std::uint64_t room_of_last_block(std::size_t key_bytes) {
    return key_bytes <= 4 ? last_block_shape<4>::tile : last_block_shape<8>::tile;
  }
  // Six standard deviations more candidates of a sample before tiles than are expected.
  static std::uint64_t most_filtered(std::uint64_t n, std::uint64_t k, const filter_sample& sample) {
    const std::uint64_t rank = sample_rank(k, n, sample.items());
    const auto most = static_cast<double>(rank + sample.slack(rank));
    return static_cast<std::uint64_t>((most + 6 * std::sqrt(most)) * static_cast<double>(n) /
                                      static_cast<double>(sample.items()));
  }
  // Whether each block can list more keys than the cut may select.
  static bool lists_enough(std::uint64_t n, std::uint64_t k, const filter_sample& sample) {
    const std::uint64_t rank = sample_rank(k, n, sample.items());
    return rank + sample.slack(rank) < sample.most();
  }
  static filter_sample filter_sample_for(std::uint64_t n, std::uint64_t k, std::size_t key_bytes) {
    using kind = filter_sample::kind;
    if (n <= one_sample_block) {
      constexpr std::uint64_t few = 64;  // of a sample of 32 blocks: its lists are short
      const filter_sample large{kind::tiles, 32}, small{kind::tiles, 16};
      if (sample_rank(k, n, large.items()) <= few) return large;
      if (lists_enough(n, k, small)) return small;
    } else {
      for (const unsigned blocks : {64u, 128u})
        if (const filter_sample sample{kind::lists, blocks};
            lists_enough(n, k, sample) && most_filtered(n, k, sample) <= room_of_last_block(key_bytes))
          return sample;
    }
    return {kind::large_blocks, sample_blocks_for(n, k)};
  }
  // The same before a cluster, which has room for more candidates. So the sample is smaller.
  static filter_sample cluster_sample_for(std::uint64_t n, std::uint64_t k, std::uint64_t room) {
    using kind = filter_sample::kind;
    for (const filter_sample& sample :
         {filter_sample{kind::tiles, 8}, filter_sample{kind::tiles, 16}, filter_sample{kind::lists, 32},
          filter_sample{kind::lists, 64}, filter_sample{kind::lists, 128}})
      if ((sample.by == kind::tiles) == (n <= one_sample_block) && lists_enough(n, k, sample) &&
          most_filtered(n, k, sample) <= room)
        return sample;
    return {kind::large_blocks, sample_blocks_for(n, k)};
  }
  static rounds rounds_of(std::uint64_t n, std::uint64_t k, std::size_t key_bytes, unsigned blocks) {
    if (key_bytes > 8) return rounds::none;
    const std::uint64_t room = room_of_last_block(key_bytes);
    if (n <= (blocks > 1 ? fewest_with_clusters(key_bytes) : room)) return rounds::of_one_block;
    const bool by_tiles =
        n <= most_tiles * first_tile::items && left_by_tiles(n, k, first_tile::items) <= smaller(room, most_left);
    const bool can_filter = n <= most_filter_tiles * filter_tile;
    const bool by_filter = can_filter && most_filtered(n, k, filter_sample_for(n, k, key_bytes)) <= room;
    const std::uint64_t most_in_cluster = by_tiles    ? most_before_tiles
                                          : by_filter ? most_before_filter(key_bytes)
                                                      : most_of_cluster(key_bytes);
    if (blocks > 1 && n <= smaller(most_in_cluster, blocks * cluster_tile(key_bytes))) return rounds::of_cluster;
    if (by_tiles) return rounds::of_tiles;
    if (by_filter) return rounds::of_filter;
    if (!can_filter || blocks == 1 || k < fewest_selected_of_cluster) return rounds::none;
    const std::uint64_t most = room_of_cluster(key_bytes, blocks);
    return most_filtered(n, k, cluster_sample_for(n, k, most)) <= most ? rounds::of_filter : rounds::none;
  }
  // Fewer keys are selected by one block, whether there are clusters or not.
  static std::uint64_t fewest_with_clusters(std::size_t key_bytes) {
    return smaller(room_of_last_block(key_bytes), fewest_of_cluster);
  }
  static std::uint64_t cluster_tile(std::size_t key_bytes) {
    return key_bytes <= 4 ? cluster_shape<4>::tile : cluster_shape<8>::tile;
  }
  // How many candidates a cluster may get.
  static std::uint64_t room_of_cluster(std::size_t key_bytes, unsigned blocks) {
    return smaller(cluster_candidates, blocks * cluster_tile(key_bytes));
  }
  static unsigned blocks_for(std::uint64_t n, unsigned blocks) {
    return static_cast<unsigned>(larger(2, smaller(blocks, ceil_div(n, keys_of_block))));
  }
  bool is_of_tiles() const { return by == rounds::of_tiles; }
  std::uint64_t left(std::uint64_t n) const {
    return is_of_tiles() ? left_by_tiles(n, selected, first_tile::items) : 0;
  }
  bool is_of_filter() const { return by == rounds::of_filter; }
  static int bits_of(std::uint64_t n) {
    int bits = 0;
    while (bits < 64 && n >> bits != 0) ++bits;
    return bits;
  }
};

}  // namespace ballot::detail
