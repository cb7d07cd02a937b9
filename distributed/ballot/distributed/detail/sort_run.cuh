// SPDX-License-Identifier: Apache-2.0
// A distributed sort from end to end.
//
//     records gathered  |  counted by the leading digit    beside the host's wait for the records
//     splitters         |  counts added up over the ranks, level by level (splitter_search.cuh)
//     counts gathered   |  split into groups               beside the host's wait for the counts
//     exchange of piece 0, 1, ... beside the sort of piece 0, 1, ...
//
// The device works during both waits. One rank sends to another a stretch of its groups. Arriving
// items lie in the order of their sources. So stable splits and a stable sort make the whole
// stable.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/dispatch.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/distribute.cuh>
#include <ballot/distributed/detail/sort_exchange.cuh>
#include <ballot/distributed/detail/sort_groups.cuh>
#include <ballot/distributed/detail/sort_job.cuh>
#include <ballot/distributed/detail/sort_scratch.cuh>
#include <ballot/distributed/detail/sort_sizes.cuh>
#include <ballot/distributed/detail/splitter_search.cuh>
#include <ballot/distributed/detail/stretches.cuh>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace ballot::distributed::detail {

template <communicator C, class K, class V>
class sort_run {
 public:
  using U = ordered_bits_t<K>;
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

  sort_run(C& comm, stream_t stream, const sort_job<K, V>& job, const sort_scratch<K, V>& scratch)
      : comm_(comm), stream_(stream), job_(job), scratch_(scratch), search_(comm, stream, job, scratch) {}

  void run(call_record record) {
    if (comm_.size() == 1 && !asks_for_sizes() && job_.keys.length.count == nullptr) return sort_alone();
    // For copies by the other ranks, if ranks share memory.
    const std::uint64_t offsets[2] = {comm_.shared_offset(scratch_.keys), comm_.shared_offset(scratch_.values)};
    static_assert(sizeof offsets == sizeof record.value);
    std::memcpy(record.value, offsets, sizeof offsets);
    write_record(comm_, stream_, record);
    if (job_.keys.length.count != nullptr)
      launch_one(stream_, record_items_kernel<call_record>, own_record(comm_), job_.keys.length);
    gather_records(comm_, stream_);
    if (job_.options.count.address() != nullptr)
      launch_one(stream_, share_rooms_kernel<call_record>, all_records(comm_), comm_.size());
    comm_.read_back(stream_, all_records(comm_), static_cast<std::size_t>(comm_.size()) * sizeof(call_record));
    // Nothing leaves this rank, whatever the others demand.
    if (comm_.size() > 1) search_.begin();
    read_records();
    leave_sizes();
    if (all_items_ == 0) return;
    if (comm_.size() == 1) return sort_here(span_of_keys(), job_.values, 0, n(), job_.positions);
    search_.find(pieces_, n(), all_items_);
    comm_.all_gather(stream_, scratch_.own_below, scratch_.gathered, search_.count_bytes());
    // The splitters, which are the same on all ranks, after the counts.
    const std::size_t splitter_bytes = sizeof(U) * static_cast<std::size_t>(number());
    simt::copy_bytes(stream_, scratch_.gathered + search_.gathered_words(), search_.splitter(), splitter_bytes);
    comm_.read_back(stream_, scratch_.gathered, search_.gathered_words() * sizeof(std::uint64_t) + splitter_bytes);
    if (search_.distributes()) place_stretches();
    split();
    read_shares();
    for (int p = 0; p < pieces_; ++p) exchange_->start(p);
    for (int p = 0; p < pieces_; ++p) sort_piece(p);
  }

 private:
  // Known once the records are read.
  std::uint64_t n() const { return items_[static_cast<std::size_t>(comm_.rank())]; }
  std::uint64_t room() const { return rooms_[static_cast<std::size_t>(comm_.rank())]; }
  std::span<const K> span_of_keys() const { return {job_.keys.data, n()}; }
  int number() const { return search_.number(); }

  void require_positions_of(std::uint64_t items) const {
    if (job_.positions && items != 0 && items - 1 > job_.most_positions)
      ballot::detail::fail(job_.function,
                           ballot::detail::joined({"`indices` count to ", std::to_string(job_.most_positions),
                                                   ", too few for ", std::to_string(items), " keys on all ranks"}));
  }

  bool asks_for_sizes() const {
    const sort_options& o = job_.options;
    return o.count.address() != nullptr || o.offset.address() != nullptr || o.total.address() != nullptr;
  }

  void sort_alone() {
    items_ = {job_.keys.capacity()};
    rooms_ = {job_.keys_out.size};
    ballot::detail::require_same_length(job_.function, "keys", n(), "keys_out", room());
    require_positions_of(n());
    sort_here(span_of_keys(), job_.values, 0, n(), job_.positions);
  }

  void read_records() {
    const auto* const all = reinterpret_cast<const call_record*>(comm_.wait());
    if (const call_report found = compare_calls(all, comm_.size()); found.what != difference::none)
      throw disagreement(found.rank, std::string("ballot::") + job_.function + ": " + describe(found, all));
    std::uint64_t all_room = 0;
    for (int r = 0; r < comm_.size(); ++r) {
      if (r == comm_.rank()) first_item_ = all_items_, first_room_ = all_room;
      items_.push_back(all[r].items);
      rooms_.push_back(all[r].room);
      all_items_ += all[r].items;
      all_room += all[r].room;
      peer_offsets offsets;
      std::memcpy(&offsets, all[r].value, sizeof offsets);
      peers_.push_back(offsets);
    }
    if (all_room != all_items_)
      ballot::detail::fail(job_.function,
                           ballot::detail::joined({"the ranks' outputs have room for ", std::to_string(all_room),
                                                   " items, and ", std::to_string(all_items_), " are to be sorted"}));
    require_positions_of(all_items_);
    for (int r = 0; r < comm_.size(); ++r) require_stored(job_.function, r, all[r].unused, all_items_);
    choose_pieces();
  }

  // Pieces of less than some ten million items a rank cost more launches than they hide. Pieces of
  // more than 2^28 items would not be sorted by leading bits.
  void choose_pieces() {
    const int most = std::min(pieces_at_most(comm_.size()), comm_.most_exchanges());
    const std::uint64_t of_rank = all_items_ / static_cast<unsigned>(comm_.size());
    pieces_ = std::min(job_.options.pieces != 0 ? job_.options.pieces
                       : of_rank < few_items    ? 1
                                                : default_pieces(),
                       most);
    const auto largest = [&](int pieces) { return of_rank - piece_begin(of_rank, pieces, pieces - 1); };
    while (job_.options.pieces == 0 && pieces_ < most && largest(pieces_) > std::uint64_t{1} << 28) ++pieces_;
  }
  // As many as keep splitters few (distribute.cuh). That is so for up to 16 ranks.
  int default_pieces() const {
    const int few = (most_distributed + 1) / comm_.size();
    return few < 1 ? 4 : few < 4 ? few : 4;
  }
  static constexpr std::uint64_t few_items = std::uint64_t{1} << 24;

  void leave_sizes() {
    const sort_options& o = job_.options;
    if (!asks_for_sizes()) return;
    const sort_sizes at{optional_count(o.count), optional_count(o.offset), optional_count(o.total)};
    launch_one(stream_, leave_sizes_kernel<sort_sizes>, at, room(), first_room_, all_items_);
  }

  void place_stretches() {
    place_stretches_arguments a{
        .gathered = scratch_.gathered,
        .own_below = scratch_.own_below,
        .left = scratch_.left,
        .ranks = comm_.size(),
        .rank = comm_.rank(),
        .pieces = pieces_,
        .keys = sort_exchange<C, K, V>::column_of(scratch_.split_keys, scratch_.keys),
        .values = {0, 0},
        .stretches = scratch_.stretches,
    };
    if constexpr (has_values) a.values = sort_exchange<C, K, V>::column_of(scratch_.split_values, scratch_.values);
    launch_place_stretches(stream_, all_records(comm_), a);
  }

  // The host does not know yet how many items go where.
  void split() {
    if constexpr (sort_scratch<K, V>::distributes) {
      if (search_.distributes()) {
        using W = std::conditional_t<has_values, value_word_t<V>, no_value>;
        return launch_distribute<U, W>(stream_, scratch_.splitting.data(),
                                       {.keys = reinterpret_cast<const U*>(job_.keys.data),
                                        .values = reinterpret_cast<const W*>(job_.values),
                                        .first_position = first_item_,
                                        .n = n(),
                                        .asked = search_.asked(),
                                        .splitter = search_.splitter(),
                                        .number = number(),
                                        .own_below = scratch_.own_below,
                                        .stretches = scratch_.stretches,
                                        .keys_out = reinterpret_cast<U*>(scratch_.split_keys),
                                        .values_out = reinterpret_cast<W*>(scratch_.split_values),
                                        .states = nullptr,
                                        .ticket = nullptr});
      }
    }
    sort_groups<K, V>(stream_, job_, scratch_, n(), search_.asked(), search_.splitter(), number(), first_item_)
        .run(search_.groups(), search_.groups_are_known());
  }

  // The splitters of the rank's piece; the ends of the key's range if there is none.
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
    const auto* const splitters = reinterpret_cast<const U*>(counts + search_.gathered_words());
    for (int j = 0; j < number(); ++j) splitters_.push_back(static_cast<std::uint64_t>(splitters[j]));
    exchange_.emplace(comm_, stream_, scratch_, items_, rooms_, pieces_, counts, search_.distributes(), peers_);
  }

  void sort_piece(int p) {
    exchange_->finish();
    const std::uint64_t begin = piece_begin(room(), pieces_, p), items = piece_begin(room(), pieces_, p + 1) - begin;
    if constexpr (sorts_bounded) {
      if (items != 0 && search_.width() == 8 * static_cast<int>(sizeof(K)))
        return sort_bounded(scratch_.keys + begin, scratch_.values == nullptr ? nullptr : scratch_.values + begin,
                            begin, items, splitter_before(p), splitter_behind(p));
    }
    sort_here(std::span<const K>(scratch_.keys + begin, items),
              scratch_.values == nullptr ? nullptr : scratch_.values + begin, begin, items, false);
  }

  // For pieces between two splitters, if keys and values are words. The keys of a piece share their
  // leading bits, which spoils a sort by leading bits. So they are sorted by their distance from
  // the lower splitter, which has only as many bits as the distance of the upper one.
  static constexpr bool sorts_bounded = sizeof(K) <= 8 && sort_scratch<K, V>::by_bytes;
  void sort_bounded(const K* keys, const V* values, std::uint64_t begin, std::uint64_t items, std::uint64_t low,
                    std::uint64_t high) {
    using namespace ballot::detail;
    using W = std::conditional_t<has_values, value_word_t<V>, no_value>;
    key_codec<U> codec = search_.asked().codec;
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
  splitter_search<C, K, V> search_;
  int pieces_ = 1;
  std::uint64_t all_items_ = 0, first_item_ = 0, first_room_ = 0;
  std::vector<std::uint64_t> items_, rooms_;  // of each rank
  std::vector<peer_offsets> peers_;
  std::optional<sort_exchange<C, K, V>> exchange_;
  std::vector<std::uint64_t> splitters_;  // their leading 64 bits at most are of use
};

}  // namespace ballot::distributed::detail
