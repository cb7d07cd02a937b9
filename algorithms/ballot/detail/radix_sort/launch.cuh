// SPDX-License-Identifier: Apache-2.0
// The radix sort on the host: buffers and launches.
//
//     sort, sort_pairs, argsort (sort.cuh), sort_by.cuh, sort_ping_pong.cuh, segmented_sort.cuh
//       |
//     dispatch.cuh     checks, keys as unsigned words; inline, repacked and indirect values
//       |              (values.cuh)
//     launch.cuh       shapes (tuning.cuh), scratch (scratch.cuh), buffers and steps
//       |              (operands.hpp), launches:
//       |
//       +-- rank_sort_kernel.cuh               few items only, if no output is an input: by
//       |                                      comparison counting
//       +-- single_block_sort_kernel.cuh       other few short keys: all at once
//       |                                      (single_block_sort_launch.cuh)
//       +-- run_sort_kernel.cuh                up to some ten thousand: runs (run_sort_launch.cuh),
//       |     \__ merge_runs_kernel.cuh        and one merge of all of them, or two
//       +-- otherwise a fill                   zeroes counts, tickets and tile states
//       +-- leading_bits_histogram_kernel.cuh  many whole keys only: are they spread? Counts by
//       |     |                                leading bits
//       |     \__ leading_bits_sample.cuh, leading_bits_decision.cuh
//       +-- histogram_kernel.cuh               unless that approved: counts per digit, of all
//       |     |                                passes in one read
//       |     |                                (determined_digits.cuh: which of few keys need no
//       |     |                                pass; long keys: one block asks a sample,
//       |     |                                leading_digits.cuh)
//       |     \__ both write an action for each launch below (plan.hpp; histogram_plan.cuh)
//       +-- pass_kernel.cuh, one per digit     does what its action says: a pass, a copy, nothing
//       |     \__ pass_tile.cuh: load, rank (rank.cuh), exchange, look back (digit_look_back.cuh),
//       |         scatter
//       |         tile_copies.cuh: copies of tiles and of values
//       +-- local_sort_kernel.cuh              many whole keys only (local_sort_launch.cuh): sorts
//       |     |                                each bucket
//       |     \__ block_sort.cuh: by bins (block_bin_sort.cuh), or, as fallback, by digits
//       |         (block_digit_sort.cuh)
//       |     \__ majority_sort.cuh           or places items with nearly always the same key
//       +-- tile_sort_kernel.cuh               many long keys only: the local sort that follows
//       |     |                                passes by leading digits, by tiles
//       |     \__ tile_sort_by_range.cuh, or, as fallback, tile_sort_by_buckets.cuh
//       +-- large_buckets_kernel.cuh           very many: if buckets were too large for that,
//       |                                      collects them
//       +-- rounds_kernel.cuh                  then all passes again, of these buckets or of all
//                                              keys
//
// Keys and values alternate between two buffers. The histogram finds out which passes have work.
// This determines which buffer each pass reads and writes: the last pass must write where the
// caller wants the result. The host does not know which passes have work. So it launches every
// pass, and gives all buffers to each of them. The count of a tile state must be less than 2^30. So
// 2^30 items and more are divided into portions, each with its own launches.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/detail/radix_sort/local_sort_launch.cuh>
#include <ballot/detail/radix_sort/operands.hpp>
#include <ballot/detail/radix_sort/options.hpp>
#include <ballot/detail/radix_sort/pass_launch.cuh>
#include <ballot/detail/radix_sort/run_sort_launch.cuh>
#include <ballot/detail/radix_sort/scratch.cuh>
#include <ballot/detail/radix_sort/single_block_sort_launch.cuh>
#include <ballot/detail/radix_sort/tuning.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>

namespace ballot::detail {

// One sort. The caller has checked everything, and n > 0. scratch_base:
// radix_scratch_bytes_in_tiles of scratch. portion_items: the most items of a portion.
// shared_limit: the shared memory that a block may have; 0: query it if it matters.
//
// bounded_items: not 0 if the range of the keys is known. Then the digits begin at bit 0, and no
// key has bits above them. bounded_items is the number of items that would have the same density if
// the keys filled the whole range of their bits. It decides the number of leading bits by which
// they are sorted, and does not exceed the number for which the scratch was made.
template <class U, class V>
class radix_sort_run {
 public:
  radix_sort_run(const radix_launches<U, V>& by, stream_t stream, std::byte* scratch_base,
                 const sort_operands<U, V>& operands, key_codec<U> codec, radix_digit_plan digits,
                 std::uint64_t portion_items, std::size_t shared_limit, std::uint64_t bounded_items)
      : by_(by),
        stream_(stream),
        operands_(operands),
        codec_(codec),
        digits_(digits),
        n_(operands.keys.capacity()),
        spread_items_(larger(n_, bounded_items)),
        portions_(n_, by.pass.items, portion_items),
        rule_(operands.rule(digits.passes())),
        leading_{0},
        scratch_base_(scratch_base),
        scratch_(scratch_at(scratch_base)) {
    const bool all_bits = digits.low == 0 && digits.high == 8 * static_cast<int>(sizeof(U));
    const bool whole_keys = all_bits || (digits.low == 0 && bounded_items != 0);
    if (whole_keys && portions_.count == 1)
      leading_ = by.by_leading_bits.choose_leading_bits(spread_items_, shared_limit);
    leading_.key_bits = digits.high;
    // With few bits below the leading ones the local sort would lack bins.
    const int remaining_bits = digits.high - leading_.count;
    if (!all_bits && (leading_.passes() != 2 || remaining_bits < by.by_leading_bits.min_remaining_bits))
      leading_.count = 0;
    // Sorts by leading digits: for leading bits that are not spread, and if only some of the bits
    // are compared.
    limits_ = by.by_leading_bits.limits;
    // Keys of which some bits are compared are gathered at the end, which takes longer.
    if (!all_bits) limits_.very_many_items = ~std::uint64_t{0};
    // If whole keys without values are sorted, the words have no positions.
    if (all_bits && std::is_same_v<V, no_value>) limits_.max_remaining_bits = 8 * static_cast<int>(sizeof(U));
    if (by.by_leading_bits.launch_tile_sort != nullptr && by.pass.rounds_kernel != nullptr &&
        n_ >= limits_.least_items && portions_.count == 1 && digits.passes() >= limits_.least_digits(n_)) {
      if (shared_limit == 0) shared_limit = simt::shared_bytes_limit();
      by_leading_digits_ =
          larger(by.by_leading_bits.tile_sort_shared_bytes, by.pass.rounds_shared_bytes) <= shared_limit;
    }
    // Keys that agree in all their bits cannot be told apart, so their order does not matter. Equal
    // zeros differ in a bit.
    may_be_unstable_ = std::is_same_v<V, no_value> && whole_keys && !has_equal_zeros<U>;
  }

  // is_cleared: the first zeroed_bytes of scratch are zero, and the launch before was a kernel.
  void launch(bool is_cleared = false) {
    if (!is_cleared) simt::fill_bytes(stream_, scratch_base_, 0, scratch_.zeroed_bytes);
    launch_histograms(is_cleared);
    radix_pass_arguments<U, V> a = pass_arguments();
    launch_passes(a);
    if (leading_.count != 0) launch_local_sort(a);
    if (by_leading_digits_) launch_tile_sort(a);
  }

 private:
  radix_scratch<U, V> scratch_at(std::byte* base) const {
    scratch_carver carver(base);
    return radix_scratch<U, V>(carver, n_, portions_, operands_.mode(),
                               by_.by_leading_bits.bucket_offset_words(spread_items_));
  }

  void launch_histograms(bool follows_kernel) const {
    const input<U>& keys = operands_.keys;
    const radix_scratch<U, V>& s = scratch_;
    radix_histogram_arguments<U> histogram{
        keys.data,       keys.length,       codec_,     digits_,  rule_, may_be_unstable_, false,
        s.digit_offsets, s.finished_blocks, s.findings, s.actions};
    histogram.overlaps = histogram.may_be_empty = follows_kernel;
    // The table of keys is in the states of the first tile, which no pass uses yet.
    if constexpr (may_find_determined_digits<U>) {
      static_assert(determined_digits<U>::merged_words * sizeof(U) <= radix_digits * sizeof(digit_state::word));
      if (digits_.passes() > 1) histogram.merged_keys = reinterpret_cast<U*>(s.states);
    }
    if (by_leading_digits_) {
      histogram.leading_limits = limits_;
      histogram.leading_digits = s.leading_digits;
      histogram.tile_sort = s.tile_sort;
      histogram.rounds = s.rounds;
    }
    if (may_have_majority()) {
      histogram.most_others = by_.by_leading_bits.most_others;
      histogram.majority = s.majority;
      histogram.majority_sort = s.local_sort;
    }
    if (leading_.passes() == 1) {
      histogram.max_bucket_items = by_.by_leading_bits.max_bucket_items;
      histogram.bucket_offsets = s.bucket_offsets;
      histogram.local_sort = s.local_sort;
    } else if (leading_.passes() == 2) {
      histogram.approved = s.approved;
      histogram.overlaps = true;
      by_.by_leading_bits.launch_histogram(
          stream_,
          {keys.data, keys.length, codec_, leading_, by_.by_leading_bits.max_bucket_items, rule_, max_common_bits(),
           digits_.passes(), may_be_unstable_, false, s.bucket_offsets, s.leading_finished_blocks, s.leading_findings,
           s.approved, s.digit_offsets, s.actions, s.local_sort});
    }
    by_.launch_histogram(stream_, histogram);
  }

  // Whether the list of the others has room in the spare keys, and no output is an input that is still
  // read when it is written (majority_sort.cuh).
  bool may_have_majority() const {
    if (leading_.count == 0 || n_ < 2 * most_others() || operands_.keys_spare == operands_.keys.data) return false;
    if (std::is_same_v<V, no_value>) return true;
    return operands_.keys_out != operands_.keys.data && operands_.values != operands_.values_out;
  }
  // In the list. Each differs in a digit.
  std::uint64_t most_others() const {
    return static_cast<std::uint64_t>(digits_.passes()) * by_.by_leading_bits.most_others;
  }

  // The most bits in front of the leading bits: the local sort needs some of the remaining bits for
  // its bins. Keys between bounds have few bits already.
  int max_common_bits() const {
    if (leading_.key_bits < 8 * static_cast<int>(sizeof(U))) return 0;
    const int spare = leading_.key_bits - leading_.count - by_.by_leading_bits.min_remaining_bits;
    return spare < 0 ? 0 : spare < launch_action::most_common_bits ? spare : launch_action::most_common_bits;
  }

  // The arguments that all passes have in common.
  radix_pass_arguments<U, V> pass_arguments() const {
    const bool double_buffer = operands_.mode() == sort_mode::double_buffer;
    radix_pass_arguments<U, V> a{};
    a.keys_in = operands_.keys.data;
    a.keys_wanted = operands_.keys_out != nullptr;
    a.keys_output = a.keys_wanted ? operands_.keys_out : scratch_.keys[1];
    a.keys_spare = double_buffer ? operands_.keys_spare : scratch_.keys[0];
    a.values_in = operands_.values;
    a.values_output = operands_.values_out;
    a.values_spare = double_buffer ? operands_.values_spare : scratch_.values;
    a.n = operands_.keys.length;
    a.portion_items = portions_.items;
    a.codec = codec_;
    a.states = scratch_.states;
    a.rounds = 1;
    a.digits = digits_;
    // With one portion every launch has the same tiles, and each pass clears the states of the
    // next. Otherwise a fill does.
    a.other_states = portions_.count == 1 ? scratch_.other_states : nullptr;
    return a;
  }

  void launch_passes(radix_pass_arguments<U, V>& a) const {
    std::uint64_t launches = 0;
    for (int launch = 0; launch < rule_.launches; ++launch) {
      const bool has_digit = launch < digits_.passes();
      a.action = scratch_.actions + launch;
      a.shift = has_digit ? digits_.shift(launch) : 0;
      a.digit_mask = has_digit ? digits_.mask(launch) : 0;
      if (const int pass = launch - (digits_.passes() - leading_.passes()); has_digit && pass >= 0) {
        a.leading_shift = digits_.high - (pass + 1 == leading_.passes() ? leading_.bits_of(pass) : leading_.count);
        a.leading_mask = (1u << leading_.bits_of(pass)) - 1u;
      }
      for (std::uint64_t p = 0; p < portions_.count; ++p, ++launches) {
        if (portions_.count > 1 && launches > 0)
          simt::fill_bytes(stream_, a.states, 0, portions_.tiles * radix_digits * sizeof(digit_state::word));
        launch_portion(a, launch, p, launches);
      }
    }
  }

  void launch_portion(radix_pass_arguments<U, V>& a, int launch, std::uint64_t portion, std::uint64_t ticket) const {
    const auto next_offsets = [&](std::uint64_t p) { return scratch_.next_digit_offsets + p % 2 * radix_digits; };
    a.portion_begin = portion * portions_.items;
    a.digit_offsets = portion == 0 ? scratch_.digit_offsets + launch * radix_digits : next_offsets(portion);
    a.next_digit_offsets = portion + 1 == portions_.count ? nullptr : next_offsets(portion + 1);
    a.ticket = scratch_.tickets + ticket;
    const auto tiles = tile_count(smaller(n_ - a.portion_begin, portions_.items), by_.pass.items, "sort");
    // The launch overlaps the one before, unless that is a fill. This matters because most launches
    // of a sort have little or nothing to do.
    const unsigned blocks = radix_blocks_loop<U> && tiles > max_radix_blocks ? max_radix_blocks : tiles;
    simt::launch(
        by_.pass.kernel,
        simt::launch_config{dim3(blocks), dim3(by_.pass.threads), by_.pass.shared_bytes, stream_, portions_.count == 1},
        a);
  }

  void launch_local_sort(const radix_pass_arguments<U, V>& a) const {
    by_.by_leading_bits.launch_local_sort(
        stream_, spread_items_,
        {a.keys_output,
         a.keys_spare,
         a.keys_wanted,
         a.values_output,
         a.values_spare,
         scratch_.local_sort,
         scratch_.bucket_offsets,
         leading_,
         codec_,
         {a.keys_in, a.values_in, a.n, scratch_.majority, a.keys_spare,
          reinterpret_cast<std::uint32_t*>(a.keys_spare + most_others()), static_cast<std::uint32_t>(most_others())}});
  }

  // The local sort by tiles. If a bucket was too large for it, all passes follow in one launch of
  // few blocks. They take all keys. With very many keys, they take those in such buckets, if these
  // fit half of the spare buffer.
  void launch_tile_sort(const radix_pass_arguments<U, V>& a) const {
    if constexpr (radix_passes_in_rounds<U>) {
      const bool collects = n_ > by_.by_leading_bits.most_items_in_rounds;
      const compared_bits<U> compared = compared_bits<U>::of(digits_.low, digits_.high);
      by_.by_leading_bits.launch_tile_sort(
          stream_, {a.keys_spare, a.keys_output, a.values_spare, a.values_output, a.n, scratch_.tile_sort,
                    scratch_.failed, collects ? scratch_.large.parts : nullptr, digits_, compared, codec_});
      radix_pass_arguments<U, V> all = a;
      all.keys_in = a.keys_output;
      all.values_in = a.values_output;
      if (!collects) return launch_rounds(all, scratch_.digit_offsets, scratch_.failed);
      const std::uint64_t half = n_ / 2;
      const large_buckets_arguments<U, V> large{scratch_.large,
                                                scratch_.failed,
                                                a.n,
                                                half,
                                                by_.by_leading_bits.tile_sort_items,
                                                a.keys_output,
                                                a.keys_spare,
                                                a.values_output,
                                                a.values_spare,
                                                codec_,
                                                compared,
                                                digits_.passes()};
      launch_collect_large_buckets(stream_, large);
      radix_pass_arguments<U, V> some = a;
      some.n = length_of_count(half, scratch_.large.items);
      some.keys_in = some.keys_output = a.keys_spare;
      some.keys_spare = a.keys_spare + half;
      if constexpr (!std::is_same_v<V, no_value>) {
        some.values_in = some.values_output = a.values_spare;
        some.values_spare = a.values_spare + half;
      }
      launch_rounds(some, scratch_.large.digit_counts, scratch_.large.fit);
      launch_return_large_buckets(stream_, large);
      launch_rounds(all, scratch_.digit_offsets, scratch_.large.all_again);
    }
  }
  void launch_rounds(radix_pass_arguments<U, V> a, const std::uint64_t* digit_offsets,
                     const std::uint32_t* failed) const {
    if constexpr (radix_passes_in_rounds<U>) {
      a.action = scratch_.rounds;
      a.digit_offsets = digit_offsets;
      a.ticket = scratch_.round_tickets;
      a.rounds = digits_.passes() + 1;
      a.finished_tiles = scratch_.round_finished_tiles;
      a.failed = failed;
      const std::uint64_t blocks =
          smaller(ceil_div(n_, std::uint64_t{by_.pass.items}), blocks_per_multiprocessor<1>::most());
      simt::launch(by_.pass.rounds_kernel,
                   simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(by_.pass.rounds_threads),
                                       by_.pass.rounds_shared_bytes, stream_, true},
                   a);
    }
  }

  const radix_launches<U, V>& by_;
  stream_t stream_;
  const sort_operands<U, V>& operands_;
  key_codec<U> codec_;
  radix_digit_plan digits_;
  std::uint64_t n_, spread_items_;
  radix_portions portions_;
  radix_step_rule rule_;
  leading_bits leading_;
  std::byte* scratch_base_;
  radix_scratch<U, V> scratch_;
  leading_digits_limits limits_;
  bool may_be_unstable_ = false, by_leading_digits_ = false;
};

// A sort in tiles of a given shape. LocalSort = void: by all digits. scratch_base:
// radix_scratch_bytes_in_shape of scratch. is_cleared: the first radix_cleared_bytes_in_shape are
// zero, and the launch before is a kernel. The other parameters: see radix_sort_run.
template <class U, class V, class Shape, class HistogramShape = void, class LocalSort = void>
void launch_radix_sort_in_shape(stream_t stream, std::byte* scratch_base, const sort_operands<U, V>& operands,
                                key_codec<U> codec, radix_digit_plan digits,
                                std::uint64_t portion_items = radix_portion_items, std::size_t shared_limit = 0,
                                std::uint64_t bounded_items = 0, bool is_cleared = false) {
  constexpr bool in_rounds = radix_passes_in_rounds<U> && !std::is_void_v<LocalSort>;
  const radix_launches<U, V> by{make_radix_pass<U, V, Shape, in_rounds>(), launch_radix_histogram<U, HistogramShape>,
                                make_leading_bits_launches<U, V, LocalSort>()};
  radix_sort_run<U, V>(by, stream, scratch_base, operands, codec, digits, portion_items, shared_limit, bounded_items)
      .launch(is_cleared);
}

// Few items are sorted by ranks or by one block, somewhat more by runs. Others take the shape for
// their number, or the smallest one if a block cannot have the shared memory for it. scratch_base:
// radix_scratch_bytes of scratch.
template <class U, class V, class Tunings = radix_tunings>
void launch_radix_sort(stream_t stream, std::byte* scratch_base, const sort_operands<U, V>& operands,
                       key_codec<U> codec, radix_digit_plan digits, std::size_t shared_limit = 0,
                       std::uint64_t bounded_items = 0) {
  static_assert(has_ordered_rows<Tunings>() && runs_everywhere<U, V, smallest_radix_shape<U, V, Tunings>>);
  const std::uint64_t n = operands.keys.capacity();
  if (launch_sort_of_few(stream, operands, codec, digits)) return;
  if constexpr (can_sort_by_runs<U>)
    if (const int merges = merges_of_runs(operands); merges != 0)
      return launch_run_sort<U, V>(stream, scratch_base, operands, codec, digits, merges);
  radix_launches<U, V> by{radix_pass_for<U, V, Tunings>(n), launch_radix_histogram<U>,
                          make_leading_bits_launches<U, V, local_sort_of<U, V>>()};
  std::uint64_t portion_items = radix_portion_items;
  if (by.pass.shared_bytes > simt::least_shared_bytes_limit) {
    if (shared_limit == 0) shared_limit = simt::shared_bytes_limit();
    if (by.pass.shared_bytes > shared_limit) {
      portion_items = radix_portion_items_of_smallest<U, V, Tunings>(n, by.pass.items);
      by.pass = make_radix_pass<U, V, smallest_radix_shape<U, V, Tunings>, false>();
      by.by_leading_bits = make_leading_bits_launches<U, V, void>();
    }
  }
  radix_sort_run<U, V>(by, stream, scratch_base, operands, codec, digits, portion_items, shared_limit, bounded_items)
      .launch();
}

}  // namespace ballot::detail
