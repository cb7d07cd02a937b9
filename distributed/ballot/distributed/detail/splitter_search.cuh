// SPDX-License-Identifier: Apache-2.0
// The search for the splitters of a distributed sort: the launches of splitters.cuh,
// sampled_counts.cuh and candidate_levels.cuh, and the sums over the ranks between them.
//
//     begin()    counts by the leading digit, or a sample: before the host knows of the other ranks
//     find()     level by level, until the splitters are complete
//
// Nothing leaves this rank but counts.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/candidate_levels.cuh>
#include <ballot/distributed/detail/distribute.cuh>
#include <ballot/distributed/detail/groups.cuh>
#include <ballot/distributed/detail/sampled_counts.cuh>
#include <ballot/distributed/detail/sort_job.cuh>
#include <ballot/distributed/detail/sort_scratch.cuh>
#include <ballot/distributed/detail/splitters.cuh>

namespace ballot::distributed::detail {

template <communicator C, class K, class V>
class splitter_search {
 public:
  using U = ordered_bits_t<K>;

  splitter_search(C& comm, stream_t stream, const sort_job<K, V>& job, const sort_scratch<K, V>& scratch)
      : comm_(comm),
        stream_(stream),
        job_(job),
        scratch_(scratch),
        asked_(key_codec_of<K>(job.options.direction, job.options.nans), job.digits),
        levels_{job.digits.high - job.digits.low} {}

  // Work beside the host's wait for the records.
  void begin() {
    if (is_sampled_first()) sample();
    else count_all(job_.keys.length);
  }
  // own_items: how many items this rank has. all_items: how many all ranks have. A splitter
  // separates each piece from the next, over all ranks.
  void find(int pieces, std::uint64_t own_items, std::uint64_t all_items) {
    pieces_ = pieces;
    n_ = own_items;
    all_items_ = all_items;
    find_splitters();
  }

  // Known once find() is called.
  int number() const { return comm_.size() * pieces_ - 1; }
  const U* splitter() const { return bounds(levels_.levels()).splitter; }
  const asked_bits<U>& asked() const { return asked_; }
  // How many bits are compared.
  int width() const { return levels_.width; }
  // The counts of this rank that all ranks gather, in bytes, and those of all ranks, in words.
  std::size_t count_bytes() const { return 2 * sizeof(std::uint64_t) * static_cast<std::size_t>(number()); }
  std::size_t gathered_words() const {
    return 2 * static_cast<std::size_t>(number()) * static_cast<unsigned>(comm_.size());
  }
  // Whether splitters are few and items are words. Then items go straight to where they are sent
  // from.
  bool distributes() const { return sort_scratch<K, V>::distributes && number() <= most_distributed; }
  // For the groups of this rank's items, by the complete splitters.
  group_arguments<U> groups() const { return groups(splitter()); }
  // Whether these are known already, except those of the candidates.
  bool groups_are_known() const { return levels_.levels() > 1 && has_positions(); }

 private:
  std::uint64_t n() const { return n_; }
  boundaries<U> bounds(int level) const {
    return {number(), scratch_.splitter[level % 2], scratch_.left, scratch_.below, scratch_.own_below};
  }

  // The arguments of the first level, which counts all keys.
  count_arguments<U> counts_of(ballot::detail::length items) const {
    return {reinterpret_cast<const U*>(job_.keys.data),
            items,
            false,
            asked_,
            levels_.shift(0),
            levels_.bits(0),
            scratch_.counts};
  }
  // How many words are added up over the ranks: the counts of a level, and what goes with them.
  std::size_t summed_words(int level) const {
    if (level == 0) return level_digits;
    const std::size_t rest = notes_rest(level) ? 2 * static_cast<std::size_t>(levels_.shift(level)) : 0;
    return static_cast<std::size_t>(number()) * (level_digits + rest);
  }
  void clear_counts(int level) {
    simt::fill_bytes(stream_, scratch_.counts, 0, summed_words(level) * sizeof(std::uint64_t));
  }
  void add_up_counts(int level) {
    comm_.all_reduce(stream_, scratch_.counts, scratch_.all_counts, summed_words(level));
  }
  void count_all(ballot::detail::length items) {
    clear_counts(0);
    launch_count_level<U>(stream_, counts_of(items));
  }

  // Whether the level notes which of the remaining bits differ; the same on all ranks.
  bool notes_rest(int level) const {
    return level == 1 && has_rest_word<U> && number() <= counted_in_shared && levels_.shift(1) != 0;
  }
  std::size_t rest_begin() const { return static_cast<std::size_t>(number()) * level_digits; }
  void count_candidates(int level) {
    clear_counts(level);
    // The list of positions belongs to the list of candidates, entry by entry. If there are
    // positions, no candidate can be dropped.
    const bool selects = !has_positions() && levels_.levels() > 3 && level > 1;
    launch_count_candidates<U>(stream_,
                               {.keys = reinterpret_cast<U*>(scratch_.split_keys),
                                .items = {n(), scratch_.candidates},
                                .asked = asked_,
                                .of = bounds(level),
                                .shift = levels_.shift(level),
                                .bits = levels_.bits(level),
                                .counts = scratch_.counts,
                                .rest = notes_rest(level) ? scratch_.counts + rest_begin() : nullptr,
                                .selected = selects ? scratch_.selected : nullptr,
                                .writes_selected = selects && level == 2,
                                .undetermined = level > 1 ? scratch_.undetermined : nullptr},
                               level == 1);
  }

  // With fewer items a sample saves nothing. The emulator's ranks use it for fewer.
  static constexpr std::uint64_t sampled_items = [] {
    if constexpr (requires { C::sampled_items; }) return C::sampled_items;
    else return std::uint64_t{1} << 22;
  }();
  // Before the others' items are known, the rank decides for itself by its own.
  bool is_sampled_first() const { return job_.keys.capacity() >= sampled_items; }
  // Whether a sample says which keys the first level collects: the same on all ranks.
  bool samples() const { return distributes() && levels_.levels() > 1 && all_items_ >= sampled_items; }
  void sample() {
    clear_counts(0);
    launch_sample<U>(stream_, counts_of(job_.keys.length));
  }

  void find_splitters() {
    simt::launch(place_boundaries_kernel<U, call_record>, simt::launch_config{dim3(1), dim3(count_threads), 0, stream_},
                 static_cast<const call_record*>(all_records(comm_)), pieces_, bounds(0), scratch_.gathered,
                 static_cast<unsigned>(gathered_words()));
    const ballot::detail::length all{n(), nullptr};
    if (samples()) {
      if (!is_sampled_first()) sample();
      add_up_counts(0);
      launch_guess<U>(stream_, bounds(0), scratch_.all_counts, all_items_, scratch_.wanted);
      clear_counts(0);
      simt::fill_bytes(stream_, scratch_.candidates, 0, sizeof(std::uint64_t));
      launch_count_and_collect<U>(
          stream_, {counts_of(all), scratch_.wanted, reinterpret_cast<U*>(scratch_.split_keys), scratch_.candidates});
    } else if (is_sampled_first()) {
      count_all(all);
    }
    add_up_counts(0);
    choose_digits(0);
    if (levels_.levels() > 1 && n() != 0) find_candidates();
    for (int level = 1; level < levels_.levels(); ++level) {
      if (n() != 0) count_candidates(level);
      else clear_counts(level);
      add_up_counts(level);
      choose_digits(level);
    }
  }
  void choose_digits(int level) {
    const rest_arguments<U> rest{.all = notes_rest(level) ? scratch_.all_counts + rest_begin() : nullptr,
                                 .bits = levels_.shift(level),
                                 .rest = scratch_.rest,
                                 .undetermined = scratch_.undetermined};
    simt::launch(choose_digits_kernel<U>,
                 simt::launch_config{dim3(static_cast<unsigned>(number())), dim3(simt::warp_size), 0, stream_},
                 bounds(level), scratch_.splitter[(level + 1) % 2], level, levels_.shift(level), levels_.bits(level),
                 scratch_.counts, scratch_.all_counts, all_items_, rest);
  }
  // Later levels look at the keys that begin like a splitter. These are few if keys are spread.
  void find_candidates() {
    group_arguments<U> a = groups(scratch_.splitter[1]);
    a.shift = levels_.shift(0);
    if (samples()) {
      simt::launch(check_guess_kernel<U>, simt::launch_config{dim3(1), dim3(count_threads), 0, stream_},
                   scratch_.splitter[1], number(), scratch_.wanted, scratch_.candidates, scratch_.again);
      a.again = scratch_.again;
    } else {
      simt::fill_bytes(stream_, scratch_.candidates, 0, sizeof(std::uint64_t));
    }
    launch_by_groups<U>(find_candidates_kernel<U>, stream_, a, sizeof(candidate_storage<U>));
  }

  group_arguments<U> groups(const U* splitter) const {
    return {reinterpret_cast<const U*>(job_.keys.data),
            n(),
            false,
            asked_,
            splitter,
            number(),
            0,
            reinterpret_cast<U*>(scratch_.split_keys),
            has_positions() ? reinterpret_cast<std::uint32_t*>(scratch_.staged) : nullptr,
            scratch_.candidates,
            scratch_.group};
  }
  // Whether candidates have their positions with them, so that only their groups are left to find.
  bool has_positions() const { return sort_scratch<K, V>::by_bytes && !distributes() && n() <= std::uint64_t{1} << 32; }

  C& comm_;
  stream_t stream_;
  const sort_job<K, V>& job_;
  const sort_scratch<K, V>& scratch_;
  asked_bits<U> asked_;
  level_plan levels_;
  int pieces_ = 1;
  std::uint64_t n_ = 0, all_items_ = 0;
};

}  // namespace ballot::distributed::detail
