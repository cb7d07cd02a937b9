// SPDX-License-Identifier: Apache-2.0
// Chooses how top_k selects. The choice depends only on numbers, so it is the same on every GPU.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/top_k/filter_kernels.cuh>
#include <ballot/detail/top_k/kernels.cuh>
#include <ballot/detail/top_k/sample_kernels.cuh>
#include <ballot/detail/top_k/tile_kernels.cuh>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace ballot::detail {

// How the k smallest of n are selected: the same on every GPU. Sizes are upper limits, whatever
// lengths the device knows.
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

  enum class rounds { none, of_one_block, of_tiles, of_filter };

  std::uint64_t selected;        // min(k, n)
  unsigned sample_blocks = 0;    // 0: no sample
  std::uint64_t candidates = 0;  // room for so many
  bool by_digits = false;        // many blocks search the exact cut
  std::uint64_t searched = 0;    // among so many
  rounds by = rounds::none;      // else what precedes is not used
  filter_sample sample = {};     // of_filter

  // Keys of so many bytes.
  static top_k_plan of(std::uint64_t n, std::uint64_t k, std::size_t key_bytes) {
    top_k_plan plan{smaller(k, n)};
    if (plan.selected == 0) return plan;
    plan.by = rounds_of(n, plan.selected, key_bytes);
    if (plan.by == rounds::of_filter) plan.sample = filter_sample_for(n, plan.selected, key_bytes);
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
  static rounds rounds_of(std::uint64_t n, std::uint64_t k, std::size_t key_bytes) {
    if (key_bytes > 8) return rounds::none;
    const std::uint64_t room = room_of_last_block(key_bytes);
    if (n <= room) return rounds::of_one_block;
    if (n <= most_tiles * first_tile::items && left_by_tiles(n, k, first_tile::items) <= smaller(room, most_left))
      return rounds::of_tiles;
    if (n > most_filter_tiles * filter_tile) return rounds::none;
    return most_filtered(n, k, filter_sample_for(n, k, key_bytes)) <= room ? rounds::of_filter : rounds::none;
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
