// SPDX-License-Identifier: Apache-2.0
// GPUs of this machine as ranks of one process, a thread each; what times a call on all of them
// together.
#pragma once

#include "inputs.cuh"
#include "noting_communicator.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace ballot_bench_distributed {

struct options {
  std::vector<int> gpus;               // numbers of ranks; 1 among them
  std::vector<int> each{28}, all{30};  // log2 of the items a GPU has, and of those of all
  std::vector<key_law> keys{key_law::uniform, key_law::zipf, key_law::equal};
  int runs = 7, pieces = 0;
  bool share = false;  // ranks write into each other's memory
  bool cudax = false;  // CCCL's sort alone
  std::string only;
};

// A number of items in all, and why it is measured. Weak: each GPU has as many, whatever their
// number. Strong: all of them together have.
struct amount {
  const char* scaling;
  std::uint64_t items;
};

// The times of one call, and the printing of all calls as JSON. The time of one GPU is that of the
// same run: of as many items as all have (strong), or as each has (weak).
class results {
 public:
  explicit results(std::string exchange) : exchange_(std::move(exchange)) {}
  void add(const std::string& name, key_law keys, const amount& of, int ranks, std::size_t item_bytes, double ms,
           std::uint64_t sent, const std::string& phases);
  void end() const;

 private:
  std::string exchange_;  // how items went: "memory" or "nccl"
  bool first_ = true;
  std::map<std::tuple<std::string, key_law, std::uint64_t>, double> of_one_gpu_;
};

// Threads that wait for each other without sleep: all go on within a microsecond, and nobody is
// woken up late.
class spinning_barrier {
 public:
  explicit spinning_barrier(int threads) : threads_(threads) {}
  void arrive_and_wait() {
    const unsigned round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);  // pairs with the loads of those that wait
    } else {
      while (round_.load(std::memory_order_acquire) == round) {  // pairs with the store above
      }
    }
  }

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
  std::atomic<unsigned> round_{0};
};

class machine {
 public:
  machine(const options& asked, int ranks, results& found);
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  int ranks() const { return ranks_; }
  const options& asked() const { return options_; }
  results& found() { return found_; }
  bool wants(const std::string& name) const {
    return options_.only.empty() || name.find(options_.only) != std::string::npos;
  }
  // The numbers of items that are asked for. `bytes`: of memory a GPU needs for a rank's items;
  // what does not fit is named and left out.
  std::vector<amount> amounts(const std::string& name, const std::function<std::size_t(std::uint64_t mine)>& bytes);

  // Of the rank at hand, in its thread: before its first call.
  void share_mailboxes(int rank) {
    if (options_.share && !comms_[static_cast<std::size_t>(rank)]->share_mailboxes())
      die("ranks cannot share mailboxes");
  }
  // Of the rank at hand, in its thread, when it has all its memory: none takes any while others are
  // in this call.
  void share(int rank, std::span<std::byte> scratch) {
    everyone_.arrive_and_wait();
    if (options_.share && !comms_[static_cast<std::size_t>(rank)]->share(scratch)) die("ranks cannot share memory");
  }

  // Every rank prepares and gives a call; those are timed together, and then each looks at its
  // result.
  struct prepared {
    std::function<void(noting_communicator&)> call;
    std::function<void()> check;
    std::function<void()> before = [] {};  // each call, on the stream; not timed
  };
  struct timing {
    double ms;           // median
    std::uint64_t sent;  // most bytes that a rank sent to others
    std::string phases;  // of rank 0
  };
  timing time(const std::function<prepared(int rank, cudaStream_t)>& prepare);

 private:
  options options_;
  int ranks_;
  results& found_;
  bool has_mailboxes_ = false;  // as far as asked for
  spinning_barrier everyone_;
  std::vector<ncclComm_t> nccl_;
  std::vector<std::unique_ptr<nccl_communicator>> comms_;
  std::vector<cudaStream_t> streams_;
};

// The items of rank r of all n.
struct block {
  std::uint64_t begin, size;
};
inline block block_of(std::uint64_t n, int r, int ranks) {
  const std::uint64_t begin = n * unsigned(r) / unsigned(ranks);
  return {begin, n * unsigned(r + 1) / unsigned(ranks) - begin};
}

void bench_sorts(machine& m);
void bench_selections(machine& m);
void bench_cudax_sorts(machine& m);  // where BALLOT_BENCH_CUDAX names a clone of CCCL

}  // namespace ballot_bench_distributed
