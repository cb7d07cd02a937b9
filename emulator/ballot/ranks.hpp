// SPDX-License-Identifier: Apache-2.0
// Several ranks in one process: a communicator for tests without GPUs, whose messages arrive in
// seeded orders.
//
//     run_ranks({.ranks = 8, .seed = 3}, [&](rank_communicator& comm) { distributed::sort(comm,
//     gpu, mine, sorted); });
//
// Each rank runs on a stack of its own, one at a time, until it asks the communicator for
// something. The seed decides which rank goes on then, and in which order messages arrive. A call
// completes when all ranks have made it.
//
// Mistakes that NCCL answers by a hang or by garbage are errors here, with the ranks and their
// calls:
//
// - ranks at different calls, or sizes that differ
// - a message that no rank receives, or one received into memory that is being sent
// - a rank that has returned or failed while others wait for it
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ballot::emulator {

struct ranks_policy {
  int ranks = 2;
  std::uint64_t seed = 1;
  std::size_t most_message_bytes = std::size_t{1} << 30;
  bool shares_memory = false;  // all of it, of each rank with all others
};

/// A mistake of the ranks together. Every rank that waits gets it.
class ranks_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ranks_world;

/// One rank's end. It satisfies ballot::distributed::communicator; messages are {peer, data, bytes}
/// of any such type.
class rank_communicator {
 public:
  rank_communicator(ranks_world& world, int rank, int size);
  ~rank_communicator();
  rank_communicator(const rank_communicator&) = delete;
  rank_communicator& operator=(const rank_communicator&) = delete;

  /// Sorts of so many items look at a sample first: fewer than on GPUs, so that tests reach it.
  static constexpr std::uint64_t sampled_items = 2000;

  int rank() const { return rank_; }
  int size() const { return size_; }
  void require_device() const {}
  void all_gather(stream_t, const void* from, void* to, std::size_t bytes);
  void all_reduce(stream_t, const std::uint64_t* terms, std::uint64_t* sums, std::size_t n);
  // By the seed, messages arrive when the exchange is started or when the stream waits for it. So a
  // read before the wait, and a write to memory in flight, show in one of the two.
  template <class Message>
  void start_exchange(stream_t, std::span<const Message> sends, std::span<const Message> receives) {
    std::vector<piece> out, in;
    for (const Message& m : sends) out.push_back({m.peer, m.data, m.bytes});
    for (const Message& m : receives) in.push_back({m.peer, m.data, m.bytes});
    start_pieces(std::move(out), std::move(in));
  }
  // If memory is shared, an offset in it is the address.
  std::uint64_t shared_offset(const void* address) const;
  template <class Copy>
  void start_copies(stream_t, std::span<const Copy> copies) {
    std::vector<piece> out;
    for (const Copy& c : copies) out.push_back({c.peer, const_cast<void*>(c.from), c.bytes, c.to});
    start_pieces(std::move(out), {}, true);
  }
  void finish_exchange(stream_t);
  int most_exchanges() const { return 8; }
  std::size_t most_message_bytes() const;
  std::byte* records() const { return records_; }
  void read_back(stream_t, const void* from, std::size_t bytes);
  std::size_t host_bytes() const { return host_.size(); }
  const std::byte* wait();

  /// How many messages of other ranks this one has got, and their bytes.
  std::uint64_t messages_received() const { return messages_; }
  std::uint64_t bytes_received() const { return bytes_; }

  struct piece {
    int peer;
    void* data;
    std::size_t bytes;
    std::uint64_t to = 0;  // of a copy
  };

 private:
  friend class ranks_world;
  void start_pieces(std::vector<piece> sends, std::vector<piece> receives, bool copies = false);

  struct exchange {
    std::vector<piece> sends, receives;
    bool copies, arrived;
  };
  ranks_world& world_;
  int rank_, size_;
  std::byte* records_;
  std::vector<std::byte> host_;
  std::vector<std::byte> arrived_;
  std::vector<exchange> under_way_;
  std::uint64_t exchanges_ = 0, messages_ = 0, bytes_ = 0;
};

/// Runs `body` once for each rank, all on this OS thread. Thread-local state of libraries is common
/// to the ranks. So use no CAPTURE of doctest in a body: its scopes would end in another order than
/// they began. Rethrows a rank's exception: of several, the cause rather than those of ranks that
/// waited.
void run_ranks(const ranks_policy& policy, const std::function<void(rank_communicator&)>& body);

}  // namespace ballot::emulator
