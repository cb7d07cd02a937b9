// SPDX-License-Identifier: Apache-2.0
// A distributed sort from end to end.
//
//     records gathered      |  counted by the leading digit          beside the host's wait for the records
//     splitters             |  counts added up over the ranks, level by level (splitters.cuh)
//     counts gathered       |  split into groups                     beside the host's wait for the counts
//     exchange of piece 0, 1, ... beside the sort of piece 0, 1, ...
//
// Both waits have work of the device beside them. What one rank sends to another is a stretch of its groups, and what
// arrives lies by source, so stable splits and a stable sort make a stable whole.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/shares.hpp>
#include <ballot/distributed/detail/sort_scratch.cuh>

#include <algorithm>
#include <optional>
#include <vector>

namespace ballot::distributed {

struct sort_options {
  ballot::direction direction = ballot::direction::ascending;
  bit_range bits = {};
  nan_order nans = nan_order::last;
  // In how many pieces a rank's output arrives and is sorted, at most: 0: by the number of items.
  int pieces = 0;
};

namespace detail {

// Keys and values of a sort, and all that is known of it on the host.
template <class K, class V>
struct sort_job {
  ballot::detail::input<K> keys;
  const V* values;
  bool positions;  // in place of values: the places of the keys among those of all ranks
  ballot::detail::output<K> keys_out;
  V* values_out;
  sort_options options;
  ballot::detail::radix_digit_plan digits;
  const char* function;
  std::uint64_t most_positions = 0;  // that the indices' type counts
};

// Positions in this rank's keys become those among all: values[i] += first.
template <class V>
__global__ void __launch_bounds__(256) move_positions_kernel(V* values, std::uint64_t n, std::uint64_t first) {
  for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * 256 + simt::thread_rank(); i < n;
       i += static_cast<std::uint64_t>(gridDim.x) * 256)
    values[i] = static_cast<V>(values[i] + first);
}

template <communicator C, class K, class V>
class sort_run {
 public:
  using U = ordered_bits_t<K>;
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

  sort_run(C& comm, stream_t stream, const sort_job<K, V>& job, const sort_scratch<K, V>& scratch)
      : comm_(comm),
        stream_(stream),
        job_(job),
        scratch_(scratch),
        asked_(key_codec_of<K>(job.options.direction, job.options.nans), job.digits),
        levels_{job.digits.high - job.digits.low} {}

  void run(const call_record& record) {
    if (comm_.size() == 1) return sort_alone();
    write_record(comm_, stream_, record);
    gather_records(comm_, stream_);
    comm_.read_back(stream_, all_records(comm_), static_cast<std::size_t>(comm_.size()) * sizeof(call_record));
    count(0, job_.keys.data, {n(), nullptr});  // whatever the others ask for: nothing leaves this rank
    read_records();
    if (all_items_ == 0) return;
    find_splitters();
    comm_.all_gather(stream_, scratch_.own_below, scratch_.gathered, count_bytes());
    // The splitters, which are the same on all ranks, behind the counts.
    const std::size_t splitter_bytes = sizeof(U) * static_cast<std::size_t>(number());
    simt::copy_bytes(stream_, scratch_.gathered + gathered_words(), bounds(levels_.levels()).splitter, splitter_bytes);
    comm_.read_back(stream_, scratch_.gathered, gathered_words() * sizeof(std::uint64_t) + splitter_bytes);
    split();
    read_shares();
    for (int p = 0; p < pieces_; ++p) start_exchange(p);  // each beside what is copied for the next, and sorted
    for (int p = 0; p < pieces_; ++p) sort_piece(p);
  }

 private:
  std::uint64_t n() const { return job_.keys.capacity(); }
  std::uint64_t room() const { return job_.keys_out.size; }
  int number() const { return comm_.size() * pieces_ - 1; }
  std::size_t count_bytes() const { return 2 * sizeof(std::uint64_t) * static_cast<std::size_t>(number()); }
  std::size_t gathered_words() const {
    return 2 * static_cast<std::size_t>(number()) * static_cast<unsigned>(comm_.size());
  }
  boundaries<U> bounds(int level) const {
    return {number(), scratch_.splitter[level % 2], scratch_.left, scratch_.below, scratch_.own_below};
  }

  void require_positions_of(std::uint64_t items) const {
    if (job_.positions && items != 0 && items - 1 > job_.most_positions)
      ballot::detail::fail(job_.function,
                           ballot::detail::joined({"`indices` count to ", std::to_string(job_.most_positions),
                                                   ", too few for ", std::to_string(items), " keys on all ranks"}));
  }

  void sort_alone() {
    ballot::detail::require_same_length(job_.function, "keys", n(), "keys_out", room());
    require_positions_of(n());
    sort_here(std::span<const K>(job_.keys.data, n()), job_.values, 0, n(), job_.positions);
  }

  void read_records() {
    const auto* const all = reinterpret_cast<const call_record*>(comm_.wait());
    if (const call_report found = compare_calls(all, comm_.size()); found.what != difference::none)
      throw disagreement(found.rank, std::string("ballot::") + job_.function + ": " + describe(found, all));
    std::uint64_t all_room = 0;
    for (int r = 0; r < comm_.size(); ++r) {
      if (r == comm_.rank()) first_item_ = all_items_;
      items_.push_back(all[r].items);
      rooms_.push_back(all[r].room);
      all_items_ += all[r].items;
      all_room += all[r].room;
    }
    if (all_room != all_items_)
      ballot::detail::fail(job_.function,
                           ballot::detail::joined({"the ranks' outputs have room for ", std::to_string(all_room),
                                                   " items, and ", std::to_string(all_items_), " are to be sorted"}));
    require_positions_of(all_items_);
    // Pieces of less than some ten million items a rank cost more launches than they hide.
    const int most = pieces_at_most(comm_.size());
    const std::uint64_t of_rank = all_items_ / static_cast<unsigned>(comm_.size());
    pieces_ = job_.options.pieces != 0 ? std::min(job_.options.pieces, most)
              : of_rank < few_items    ? 1
                                       : std::min(4, most);
    pieces_ = std::min(pieces_, comm_.most_exchanges());
  }
  static constexpr std::uint64_t few_items = std::uint64_t{1} << 24;

  void count(int level, const K* keys, ballot::detail::length items) {
    const std::size_t slots = level == 0 ? 1 : static_cast<std::size_t>(number());
    simt::fill_bytes(stream_, scratch_.counts, 0, slots * level_digits * sizeof(std::uint64_t));
    launch_count_level<U>(stream_,
                          {reinterpret_cast<const U*>(keys), items, false, asked_, bounds(level), levels_.shift(level),
                           levels_.bits(level), scratch_.counts},
                          level == 0);
  }

  void find_splitters() {
    simt::launch(place_boundaries_kernel<U, call_record>, simt::launch_config{dim3(1), dim3(32), 0, stream_},
                 all_records(comm_), pieces_, bounds(0));
    const K* keys = job_.keys.data;
    ballot::detail::length items{n(), nullptr};
    for (int level = 0; level < levels_.levels(); ++level) {
      if (level != 0) count(level, keys, items);
      const std::size_t slots = level == 0 ? 1 : static_cast<std::size_t>(number());
      comm_.all_reduce(stream_, scratch_.counts, scratch_.all_counts, slots * level_digits);
      simt::launch(choose_digits_kernel<U>,
                   simt::launch_config{dim3(static_cast<unsigned>(number())), dim3(simt::warp_size), 0, stream_},
                   bounds(level), scratch_.splitter[(level + 1) % 2], level == 0, levels_.bits(level), scratch_.counts,
                   scratch_.all_counts, all_items_);
      if (level == 0 && levels_.levels() > 1 && n() != 0) {
        // Later levels look at the keys that begin like a splitter: few where keys are spread.
        simt::fill_bytes(stream_, scratch_.candidates, 0, sizeof(std::uint64_t));
        group_arguments<U> a = groups(scratch_.splitter[1]);
        a.shift = levels_.shift(0);
        launch_by_groups<U>(find_candidates_kernel<U>, stream_, a, sizeof(candidate_storage<U>));
        keys = scratch_.split_keys;
        items.count = scratch_.candidates;
      }
    }
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
  bool has_positions() const { return sort_scratch<K, V>::by_bytes && n() <= std::uint64_t{1} << 32; }

  // By group; the host does not know yet how many are in each.
  void split() {
    const U* const splitter = bounds(levels_.levels()).splitter;
    if constexpr (sort_scratch<K, V>::by_bytes) {
      if (n() == 0) return;
      const bool most_are_known = levels_.levels() > 1 && has_positions();
      launch_by_groups<U>(most_are_known ? correct_groups_kernel<U> : find_groups_kernel<U>, stream_, groups(splitter),
                          sizeof(few_splitters<U>));
      move_by_groups(job_.keys.data, scratch_.split_keys);
      if constexpr (has_values) move_by_groups(job_.positions ? nullptr : job_.values, scratch_.split_values);
      if constexpr (has_values && std::is_unsigned_v<V>)
        if (job_.positions) add_first_position();
    } else {
      multisplit(group_of<U, K>{asked_, splitter, number()});
    }
  }

  // One pass of a radix sort by the groups, with the items as values; null: their positions.
  template <class T>
  void move_by_groups(const T* from, T* to) {
    using W = value_word_t<T>;
    using namespace ballot::detail;
    launch_radix_sort<std::uint8_t, W>(
        stream_, scratch_.splitting.data(),
        {{scratch_.group, {n(), nullptr}}, nullptr, reinterpret_cast<const W*>(from), reinterpret_cast<W*>(to)}, {},
        {0, bucket_bits(static_cast<unsigned>(2 * number() + 1))});
  }
  void add_first_position() {
    const auto blocks = ballot::detail::smaller(ballot::detail::ceil_div(n(), 256), 4096);
    if (blocks == 0 || first_item_ == 0) return;
    simt::launch(move_positions_kernel<V>,
                 simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(256), 0, stream_}, scratch_.split_values,
                 n(), first_item_);
  }

  void multisplit(const group_of<U, K>& group) {
    const auto groups = static_cast<unsigned>(2 * number() + 1);
    const exec where(stream_, scratch_.splitting);
    const std::span<const K> keys(job_.keys.data, n());
    const std::span<K> by_group(scratch_.split_keys, n());
    const std::span<std::uint64_t> offsets(scratch_.offsets, groups + 1);
    if constexpr (!has_values) {
      ballot::multisplit(where, keys, group, groups, by_group, offsets);
    } else {
      const zip by_group_with_values{by_group, std::span<V>(scratch_.split_values, n())};
      if constexpr (std::is_unsigned_v<V>) {
        if (job_.positions) {
          ballot::multisplit(where, zip{keys, positions<V>(n())}, on_first{group}, groups, by_group_with_values,
                             offsets);
          return add_first_position();
        }
      }
      ballot::multisplit(where, zip{keys, std::span<const V>(job_.values, n())}, on_first{group}, groups,
                         by_group_with_values, offsets);
    }
  }

  // Of the rank's piece; the ends of the key's range where there is none.
  std::uint64_t splitter_before(int p) const {
    const int j = comm_.rank() * pieces_ + p;
    return j == 0 ? 0 : splitters_[static_cast<std::size_t>(j) - 1];
  }
  std::uint64_t splitter_behind(int p) const {
    const int j = comm_.rank() * pieces_ + p;
    return j == number() ? static_cast<std::uint64_t>(static_cast<U>(~U{0})) : splitters_[static_cast<std::size_t>(j)];
  }

  void read_shares() {
    const auto* const counts = reinterpret_cast<const std::uint64_t*>(comm_.wait());
    const auto* const splitters = reinterpret_cast<const U*>(counts + gathered_words());
    for (int j = 0; j < number(); ++j) splitters_.push_back(static_cast<std::uint64_t>(splitters[j]));
    std::vector<std::uint64_t> left;
    std::uint64_t before = 0;
    for (int r = 0; r < comm_.size(); ++r) {
      const std::uint64_t room = rooms_[static_cast<std::size_t>(r)];
      for (int p = 0; p < pieces_; ++p) left.push_back(before + piece_begin(room, pieces_, p + 1));
      before += room;
    }
    shares_.emplace(comm_.size(), number(), counts, left.data(), items_.data());
  }

  // Messages between this rank and all others: its own stretch is copied where it belongs. NCCL moves bytes one by one where
  // they do not begin at multiples of 16 on both sides (H200: 145 GB/s, and 350 where they do). So a stretch that lies
  // otherwise than it is to lie there is copied first, and the few bytes up to the first such multiple go by themselves.
  void start_exchange(int p) {
    std::vector<message> sends, receives;
    move_column(p, scratch_.split_keys, scratch_.keys, sends, receives);
    if constexpr (has_values) move_column(p, scratch_.split_values, scratch_.values, sends, receives);
    comm_.start_exchange(stream_, std::span<const message>(sends), std::span<const message>(receives));
    keep_column(p, scratch_.split_keys, scratch_.keys);  // meanwhile
    if constexpr (has_values) keep_column(p, scratch_.split_values, scratch_.values);
  }
  // What stays on this rank.
  template <class T>
  void keep_column(int p, const T* from, T* to) {
    const int rank = comm_.rank(), mine = rank * pieces_ + p;
    simt::copy_bytes(stream_, to + place_of(rank, p, rank), from + shares_->begin(rank, mine),
                     shares_->items(rank, mine) * sizeof(T));
  }
  template <class T>
  void move_column(int p, T* from, T* to, std::vector<message>& sends, std::vector<message>& receives) {
    const int ranks = comm_.size(), rank = comm_.rank();
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == rank) continue;
      const int theirs = peer * pieces_ + p;
      const std::uint64_t bytes = shares_->items(rank, theirs) * sizeof(T);
      const std::uint64_t place = place_of(peer, p, rank) * sizeof(T);
      auto* at = reinterpret_cast<std::byte*>(from + shares_->begin(rank, theirs));
      if (bytes != 0 && (reinterpret_cast<std::uintptr_t>(at) - place) % 16 != 0) {
        std::byte* const staged = scratch_.staged + staged_ + place % 16;
        simt::copy_bytes(stream_, staged, at, bytes);
        at = staged;
        staged_ += (place % 16 + bytes + 255) / 256 * 256;
      }
      cut(sends, peer, at, place, bytes);
    }
    const int mine = rank * pieces_ + p;
    for (int peer = 0; peer < ranks; ++peer) {
      const std::uint64_t place = place_of(rank, p, peer), items = shares_->items(peer, mine);
      if (peer != rank)
        cut(receives, peer, reinterpret_cast<std::byte*>(to + place), place * sizeof(T), items * sizeof(T));
    }
  }
  // Where in the receiver's memory the source's part of a piece begins, in items.
  std::uint64_t place_of(int receiver, int p, int source) const {
    std::uint64_t place = piece_begin(rooms_[static_cast<std::size_t>(receiver)], pieces_, p);
    for (int s = 0; s < source; ++s) place += shares_->items(s, receiver * pieces_ + p);
    return place;
  }
  // The same on both sides: it follows from the place alone.
  void cut(std::vector<message>& list, int peer, std::byte* at, std::uint64_t place, std::uint64_t bytes) const {
    const std::size_t most = comm_.most_message_bytes() / 16 * 16;
    std::size_t now = (16 - place % 16) % 16;
    for (; bytes != 0; now = most) {
      if (now == 0) continue;
      now = ballot::detail::smaller(now, bytes);
      list.push_back({peer, at, now});
      at += now;
      bytes -= now;
    }
  }

  void sort_piece(int p) {
    comm_.finish_exchange(stream_);
    const std::uint64_t begin = piece_begin(room(), pieces_, p), items = piece_begin(room(), pieces_, p + 1) - begin;
    if constexpr (sorts_bounded) {
      if (items != 0 && levels_.width == 8 * static_cast<int>(sizeof(K)))
        return sort_bounded(scratch_.keys + begin, scratch_.values == nullptr ? nullptr : scratch_.values + begin,
                            begin, items, splitter_before(p), splitter_behind(p));
    }
    sort_here(std::span<const K>(scratch_.keys + begin, items),
              scratch_.values == nullptr ? nullptr : scratch_.values + begin, begin, items, false);
  }

  // Where pieces lie between two splitters, and keys and values are words: as numbers from the lower splitter on, of as many
  // bits as reach to the upper one. So the sort sees keys that are as spread as those of one device are.
  static constexpr bool sorts_bounded = sizeof(K) <= 8 && sort_scratch<K, V>::by_bytes;
  void sort_bounded(const K* keys, const V* values, std::uint64_t begin, std::uint64_t items, std::uint64_t low,
                    std::uint64_t high) {
    using namespace ballot::detail;
    using W = std::conditional_t<has_values, value_word_t<V>, no_value>;
    key_codec<U> codec = asked_.codec;
    codec.bias = static_cast<U>(codec.bias + static_cast<U>(low));
    const std::uint64_t reach = high - low;  // the largest of them
    const int bits = reach == 0 ? 1 : 64 - __builtin_clzll(reach);
    const double share = (static_cast<double>(reach) + 1) / static_cast<double>(std::uint64_t{1} << (bits - 1)) / 2;
    const auto spread = static_cast<std::uint64_t>(static_cast<double>(items) / share);
    launch_radix_sort<U, W>(stream_, scratch_.sorting.data(),
                            {{reinterpret_cast<const U*>(keys), {items, nullptr}},
                             reinterpret_cast<U*>(job_.keys_out.data + begin),
                             reinterpret_cast<const W*>(values),
                             has_values ? reinterpret_cast<W*>(job_.values_out) + begin : nullptr},
                            codec, {0, bits}, 0, std::min(spread, room()));
  }

  // Into the output, from `begin` on.
  void sort_here(std::span<const K> keys, const V* values, std::uint64_t begin, std::uint64_t items,
                 bool of_positions) {
    const exec where(stream_, scratch_.sorting);
    const ballot::sort_options options{job_.options.direction, job_.options.bits, job_.options.nans};
    const std::span<K> keys_out(job_.keys_out.data + begin, items);
    if constexpr (!has_values) {
      ballot::sort(where, keys, keys_out, options);
    } else {
      const std::span<V> values_out(job_.values_out + begin, items);
      if constexpr (std::is_same_v<V, std::uint32_t> || std::is_same_v<V, std::uint64_t>)
        if (of_positions) return ballot::argsort(where, keys, keys_out, values_out, options);
      ballot::sort_pairs(where, keys, std::span<const V>(values, items), keys_out, values_out, options);
    }
  }

  C& comm_;
  stream_t stream_;
  const sort_job<K, V>& job_;
  const sort_scratch<K, V>& scratch_;
  asked_bits<U> asked_;
  level_plan levels_;
  int pieces_ = 1;
  std::uint64_t all_items_ = 0, first_item_ = 0;
  std::vector<std::uint64_t> items_, rooms_;  // of each rank
  std::optional<shares> shares_;
  std::size_t staged_ = 0;                // bytes of the staging memory that are taken
  std::vector<std::uint64_t> splitters_;  // their leading 64 bits at most are of use
};

}  // namespace detail
}  // namespace ballot::distributed
