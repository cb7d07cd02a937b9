// SPDX-License-Identifier: Apache-2.0
// An emulated rank of which tests change some calls.
#pragma once

#include <ballot/core/namespace.hpp>

#include "distributed/ranks.hpp"

#if BALLOT_EMULATED

namespace ballot::test {

class forwarding_communicator {
 public:
  static constexpr std::uint64_t sampled_items = test::rank::sampled_items;

  explicit forwarding_communicator(test::rank& of) : of_(of) {}
  int rank() const { return of_.rank(); }
  int size() const { return of_.size(); }
  void require_device() const { of_.require_device(); }
  void all_gather(stream_t stream, const void* from, void* to, std::size_t bytes) {
    of_.all_gather(stream, from, to, bytes);
  }
  void all_reduce(stream_t stream, const std::uint64_t* terms, std::uint64_t* sums, std::size_t words) {
    of_.all_reduce(stream, terms, sums, words);
  }
  void start_exchange(stream_t stream, std::span<const distributed::message> sends,
                      std::span<const distributed::message> receives) {
    of_.start_exchange(stream, sends, receives);
  }
  std::uint64_t shared_offset(const void*) const { return distributed::nowhere; }
  void start_copies(stream_t, std::span<const distributed::peer_copy>) { FAIL_CHECK("no memory is shared"); }
  void finish_exchange(stream_t stream) { of_.finish_exchange(stream); }
  int most_exchanges() const { return of_.most_exchanges(); }
  std::size_t most_message_bytes() const { return of_.most_message_bytes(); }
  std::byte* records() const { return of_.records(); }
  void read_back(stream_t stream, const void* from, std::size_t bytes) { of_.read_back(stream, from, bytes); }
  std::size_t host_bytes() const { return of_.host_bytes(); }
  const std::byte* wait() { return of_.wait(); }

 protected:
  test::rank& of_;
};

}  // namespace ballot::test

#endif
