// SPDX-License-Identifier: Apache-2.0
// The messages of a distributed sort. From the counts of all ranks at every boundary follows what
// is sent and received.
//
// A rank's output arrives in pieces, each ordered by source rank.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/distributed/agreement.cuh>
#include <ballot/distributed/detail/messages.cuh>
#include <ballot/distributed/detail/shares.hpp>
#include <ballot/distributed/detail/sort_scratch.cuh>
#include <ballot/distributed/detail/stretches.cuh>

#include <vector>

namespace ballot::distributed::detail {

// The offsets of arriving items in a rank's shared memory, if they are to lie there.
struct peer_offsets {
  std::uint64_t keys;
  std::uint64_t values;
};

template <communicator C, class K, class V>
class sort_exchange {
 public:
  static constexpr bool has_values = !std::is_same_v<V, no_value>;

  // gathered: the counts of all ranks. placed: whether the stretches lie where column_layout puts
  // them. If not, they follow each other, and those that stay are copied.
  sort_exchange(C& comm, stream_t stream, const sort_scratch<K, V>& scratch, const std::vector<std::uint64_t>& items,
                const std::vector<std::uint64_t>& rooms, int pieces, const std::uint64_t* gathered, bool placed,
                const std::vector<peer_offsets>& peers)
      : comm_(comm),
        stream_(stream),
        scratch_(scratch),
        rooms_(rooms),
        pieces_(pieces),
        placed_(placed),
        peers_(peers),
        shares_(comm.size(), comm.size() * pieces - 1, gathered, boundaries().data(), items.data()) {
    if (!shares_.are_possible())
      throw communication_error(
          "ballot::distributed: not all ranks have told their counts: a rank is dead, or the "
          "communicator was given up");
    if (!placed_) return;
    keys_at_ = offsets_of(column_of<K>(scratch.split_keys, scratch.keys));
    if constexpr (has_values) values_at_ = offsets_of(column_of<V>(scratch.split_values, scratch.values));
  }

  // After an error exchanges may still be under way. The stream waits for them here. Otherwise the
  // next sort would wait for these exchanges in place of its own.
  ~sort_exchange() {
    while (under_way_ > 0) try {
        finish();
      } catch (...) {  // the error that ends the sort goes on
      }
  }
  sort_exchange(const sort_exchange&) = delete;
  sort_exchange& operator=(const sort_exchange&) = delete;

  // Exchanges between this rank and all others, while the stream goes on with other work.
  void start(int p) {
    if (by_copies()) {
      std::vector<peer_copy> copies;
      copy_column(p, scratch_.split_keys, keys_at_, &peer_offsets::keys, copies);
      if constexpr (has_values) copy_column(p, scratch_.split_values, values_at_, &peer_offsets::values, copies);
      comm_.start_copies(stream_, std::span<const peer_copy>(copies));
    } else {
      std::vector<message> sends, receives;
      move_column(p, scratch_.split_keys, scratch_.keys, keys_at_, sends, receives);
      if constexpr (has_values) move_column(p, scratch_.split_values, scratch_.values, values_at_, sends, receives);
      comm_.start_exchange(stream_, std::span<const message>(sends), std::span<const message>(receives));
    }
    ++under_way_;
    if (placed_) return;
    keep_column(p, scratch_.split_keys, scratch_.keys);  // meanwhile
    if constexpr (has_values) keep_column(p, scratch_.split_values, scratch_.values);
  }

  // The stream waits for the exchange that was started first.
  void finish() {
    --under_way_;
    comm_.finish_exchange(stream_);
  }

  template <class T>
  static column_layout column_of(const T* from, const T* to) {
    return {sizeof(T), static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) -
                           static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from))};
  }

 private:
  // How many items lie left of each boundary.
  std::vector<std::uint64_t> boundaries() const {
    std::vector<std::uint64_t> left;
    std::uint64_t before = 0;
    for (const std::uint64_t room : rooms_) {
      for (int p = 0; p < pieces_; ++p) left.push_back(before + piece_begin(room, pieces_, p + 1));
      before += room;
    }
    return left;
  }
  // The begin of each stretch of a column, in bytes. The device computes it from the same layout.
  std::vector<std::int64_t> offsets_of(column_layout column) const {
    std::vector<std::int64_t> at;
    const int rank = comm_.rank();
    for (int j = 0; j < comm_.size() * pieces_; ++j) {
      const int receiver = j / pieces_;
      at.push_back(column.put(receiver == rank, offset_of(receiver, j % pieces_, rank), shares_.items(rank, j)));
    }
    return at;
  }

  // All ranks come to the same answer.
  bool by_copies() const {
    for (const peer_offsets& p : peers_)
      if (p.keys == nowhere || (has_values && p.values == nowhere)) return false;
    return true;
  }
  // Begins with the next rank, so that not all ranks write to one.
  template <class T>
  void copy_column(int p, const T* from, const std::vector<std::int64_t>& offsets, std::uint64_t peer_offsets::*column,
                   std::vector<peer_copy>& copies) const {
    const int ranks = comm_.size(), rank = comm_.rank();
    for (int next = 1; next < ranks; ++next) {
      const int peer = (rank + next) % ranks, theirs = peer * pieces_ + p;
      const std::uint64_t bytes = shares_.items(rank, theirs) * sizeof(T);
      const auto begin = placed_ ? offsets[static_cast<std::size_t>(theirs)]
                                 : static_cast<std::int64_t>(shares_.begin(rank, theirs) * sizeof(T));
      const std::uint64_t to = peers_[static_cast<std::size_t>(peer)].*column + offset_of(peer, p, rank) * sizeof(T);
      if (bytes != 0) copies.push_back({peer, to, reinterpret_cast<const std::byte*>(from) + begin, bytes});
    }
  }

  // Copies what stays on this rank.
  template <class T>
  void keep_column(int p, const T* from, T* to) {
    const int rank = comm_.rank(), mine = rank * pieces_ + p;
    simt::copy_bytes(stream_, to + offset_of(rank, p, rank), from + shares_.begin(rank, mine),
                     shares_.items(rank, mine) * sizeof(T));
  }
  template <class T>
  void move_column(int p, T* from, T* to, const std::vector<std::int64_t>& offsets, std::vector<message>& sends,
                   std::vector<message>& receives) {
    const int ranks = comm_.size(), rank = comm_.rank();
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == rank) continue;
      const int theirs = peer * pieces_ + p;
      const std::uint64_t bytes = shares_.items(rank, theirs) * sizeof(T);
      const std::uint64_t offset = offset_of(peer, p, rank) * sizeof(T);
      std::byte* const at =
          placed_ ? reinterpret_cast<std::byte*>(from) + offsets[static_cast<std::size_t>(theirs)]
                  : staging_.place(stream_, reinterpret_cast<std::byte*>(from + shares_.begin(rank, theirs)), offset,
                                   bytes);
      cut_into_messages(sends, peer, at, offset, bytes, comm_.most_message_bytes());
    }
    const int mine = rank * pieces_ + p;
    for (int peer = 0; peer < ranks; ++peer) {
      const std::uint64_t offset = offset_of(rank, p, peer), items = shares_.items(peer, mine);
      if (peer != rank)
        cut_into_messages(receives, peer, reinterpret_cast<std::byte*>(to + offset), offset * sizeof(T),
                          items * sizeof(T), comm_.most_message_bytes());
    }
  }
  // The begin of the source's part of a piece in the receiver's memory, in items.
  std::uint64_t offset_of(int receiver, int p, int source) const {
    std::uint64_t offset = piece_begin(rooms_[static_cast<std::size_t>(receiver)], pieces_, p);
    for (int s = 0; s < source; ++s) offset += shares_.items(s, receiver * pieces_ + p);
    return offset;
  }
  C& comm_;
  stream_t stream_;
  const sort_scratch<K, V>& scratch_;
  std::vector<std::uint64_t> rooms_;
  int pieces_;
  bool placed_;
  std::vector<peer_offsets> peers_;
  shares shares_;
  std::vector<std::int64_t> keys_at_, values_at_;
  staging staging_{scratch_.staged};
  int under_way_ = 0;  // exchanges that were started and not finished
};

}  // namespace ballot::distributed::detail
