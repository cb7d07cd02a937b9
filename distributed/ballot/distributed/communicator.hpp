// SPDX-License-Identifier: Apache-2.0
// The communicator that the distributed calls need: which ranks there are, and how bytes get from
// one to another.
//
// There are two such types: nccl_communicator (nccl.cuh), and in tests the ranks of the emulator,
// which are all in one process. Everything here works in the order of a stream, except exchanges,
// which may go on beside it. A rank is one device with one host thread that makes the calls. Every
// rank makes the same calls in the same order.
//
// All calls of one communicator are in the order of one stream: they are on the same stream, or on
// streams that wait for each other. Records and mailboxes belong to the communicator, and a call
// overwrites those of the call before.
//
// The only waits on the host are in `wait`: for what the stream had copied to the host's memory at
// `read_back`. NCCL takes the sizes of messages from the host. So the host has to know how many
// items of a sort each rank sends to each other.
#pragma once

#include <ballot/core/error.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/stream.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace ballot::distributed {

// A piece of device memory that goes to another rank, or comes from it. Between two ranks messages
// keep their order.
struct message {
  int peer;
  void* data;
  std::size_t bytes;
};

// A piece of device memory that is copied to another rank's memory, which it shares with the
// others: `to` is an offset there.
struct peer_copy {
  int peer;
  std::uint64_t to;
  const void* from;
  std::size_t bytes;
};
// No offset: the address is not in memory that this rank shares.
inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

}  // namespace ballot::distributed

// Thrown in a CUDA source and caught in a host source: one type for both (core/namespace.hpp).
namespace BALLOT_VERSION_NAMESPACE::distributed {

// The other ranks cannot be reached, or do not answer. A started call may never complete: give the
// communicator up.
class communication_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The ranks do not make the same call, or one of them cannot carry it out. No item was moved
// between ranks.
class disagreement : public invalid_argument {
 public:
  /// `rank`: the one that differs; `what`: in what it differs.
  disagreement(int rank, const std::string& what) : invalid_argument(what), rank_(rank) {}
  // The rank whose call is not that of rank 0, or that refused.
  int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

}  // namespace BALLOT_VERSION_NAMESPACE::distributed

namespace ballot::distributed {

using BALLOT_VERSION_NAMESPACE::distributed::communication_error;
using BALLOT_VERSION_NAMESPACE::distributed::disagreement;

// A communicator has device memory for a record of this rank and a record of each rank. On the host
// it has memory for what is read back of each rank: a record, or two counts for each boundary. The
// keys at the boundaries need room beside the counts.
inline constexpr std::size_t record_bytes = 64;
inline constexpr int most_boundaries = 127;
inline constexpr std::size_t host_bytes_of_rank = record_bytes + 2 * sizeof(std::uint64_t) * (most_boundaries + 1);
inline constexpr std::size_t host_bytes_of_all = 2 * sizeof(std::uint64_t) * (most_boundaries + 1);

template <class C>
concept communicator =
    requires(C& c, stream_t stream, const void* from, void* to, const std::uint64_t* terms, std::uint64_t* sums,
             std::size_t n, std::span<const message> messages, std::span<const peer_copy> copies) {
      { c.rank() } -> std::convertible_to<int>;
      { c.size() } -> std::convertible_to<int>;
      // Throws invalid_argument where the current device is not the communicator's.
      c.require_device();
      // `to` gets n bytes of each rank, in their order.
      c.all_gather(stream, from, to, n);
      // sums[i]: of terms[i] of all ranks, for i < n. Apart from the terms.
      c.all_reduce(stream, terms, sums, n);
      // Starts all messages that this rank sends and receives, beside the stream's next work.
      // Sender and receiver give the same size for a message.
      c.start_exchange(stream, messages, messages);
      // Where in the memory that this rank shares with all others an address lies, or nowhere.
      { c.shared_offset(from) } -> std::convertible_to<std::uint64_t>;
      // Starts an exchange by copies into the memory of other ranks. Only if all ranks share
      // memory. finish_exchange ends it, too.
      c.start_copies(stream, copies);
      // The stream waits for the oldest exchange that it has not waited for yet.
      c.finish_exchange(stream);
      // How many exchanges may be under way at once.
      { c.most_exchanges() } -> std::convertible_to<int>;
      // Most bytes of one message.
      { c.most_message_bytes() } -> std::convertible_to<std::size_t>;
      // Device memory for 1 + size() records.
      { c.records() } -> std::convertible_to<std::byte*>;
      // Copies n bytes, at most host_bytes(), from the device to the communicator's memory on the
      // host.
      c.read_back(stream, from, n);
      { c.host_bytes() } -> std::convertible_to<std::size_t>;
      // Waits for the last read_back, and says where its bytes are: there until the next one.
      { c.wait() } -> std::convertible_to<const std::byte*>;
    };

}  // namespace ballot::distributed
