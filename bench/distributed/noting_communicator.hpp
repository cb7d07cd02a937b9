// SPDX-License-Identifier: Apache-2.0
// Measures a call over several GPUs from inside: the times of its steps, and the bytes sent.
#pragma once

#include <ballot/distributed/nccl.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace ballot_bench_distributed {

using ballot::distributed::message;
using ballot::distributed::nccl_communicator;

[[noreturn]] inline void die(const std::string& why) {
  std::fprintf(stderr, "ballot_bench_distributed: %s\n", why.c_str());
  std::exit(1);
}
inline void must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) die(std::string(what) + ": " + cudaGetErrorString(e));
}

// A communicator that notes when the stream comes by each of its calls, and how much leaves the
// rank.
class noting_communicator {
 public:
  explicit noting_communicator(nccl_communicator& of) : of_(of) {}
  int rank() const { return of_.rank(); }
  int size() const { return of_.size(); }
  ncclComm_t handle() const { return of_.handle(); }
  void require_device() const { of_.require_device(); }
  bool has_mail() const { return of_.has_mail(); }
  void meet_ranks_of_process() { of_.meet_ranks_of_process(); }
  ballot::distributed::detail::mailbox mail() const { return of_.mail(); }
  void all_gather(cudaStream_t s, const void* from, void* to, std::size_t n) {
    of_.all_gather(s, from, to, n);
    note(s, "gathered");
  }
  void all_reduce(cudaStream_t s, const std::uint64_t* from, std::uint64_t* to, std::size_t n) {
    note(s, "counted");
    of_.all_reduce(s, from, to, n);
    note(s, "reduced");
  }
  void start_exchange(cudaStream_t s, std::span<const message> a, std::span<const message> b) {
    note(s, "exchange starts");
    for (const message& sent : a) sent_ += sent.peer == rank() ? 0 : sent.bytes;
    of_.start_exchange(s, a, b);
  }
  std::uint64_t shared_offset(const void* address) const { return of_.shared_offset(address); }
  void start_copies(cudaStream_t s, std::span<const ballot::distributed::peer_copy> copies) {
    note(s, "copies start");
    for (const auto& copy : copies) sent_ += copy.peer == rank() ? 0 : copy.bytes;
    of_.start_copies(s, copies);
  }
  void finish_exchange(cudaStream_t s) {
    note(s, "sorted");
    of_.finish_exchange(s);
    note(s, "arrived");
  }
  int most_exchanges() const { return of_.most_exchanges(); }
  std::size_t most_message_bytes() const { return of_.most_message_bytes(); }
  std::byte* records() const { return of_.records(); }
  void read_back(cudaStream_t s, const void* from, std::size_t n) { of_.read_back(s, from, n); }
  std::size_t host_bytes() const { return of_.host_bytes(); }
  const std::byte* wait() { return of_.wait(); }

  void begin(cudaStream_t s) {
    notes_.clear();
    sent_ = 0;
    note(s, "begin");
  }
  void note(cudaStream_t s, const char* what) {
    if (notes_.size() == events_.size()) {
      cudaEvent_t e;
      must(cudaEventCreate(&e), "cudaEventCreate");
      events_.push_back(e);
    }
    must(cudaEventRecord(events_[notes_.size()], s), "cudaEventRecord");
    notes_.push_back(what);
  }
  // Bytes of items that this rank has sent to others since begin().
  std::uint64_t sent() const { return sent_; }
  std::string phases() const {
    std::string text = "[";
    for (std::size_t i = 1; i < notes_.size(); ++i) {
      float ms = 0;
      must(cudaEventElapsedTime(&ms, events_[0], events_[i]), "cudaEventElapsedTime");
      char line[80];
      std::snprintf(line, sizeof line, "%s[\"%s\", %.3f]", i == 1 ? "" : ", ", notes_[i], double(ms));
      text += line;
    }
    return text + "]";
  }

 private:
  nccl_communicator& of_;
  std::vector<cudaEvent_t> events_;
  std::vector<const char*> notes_;
  std::uint64_t sent_ = 0;
};

}  // namespace ballot_bench_distributed
