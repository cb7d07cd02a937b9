// SPDX-License-Identifier: Apache-2.0
// Vector clocks: which accesses of other threads happen before a thread's next one.
//
// A clock with a component for every thread of a grid would be huge. Two facts make it small: a
// block barrier orders all threads of a block at once, and a warp's barriers concern 32 lanes. So
// the time of a thread is a pair: the block's epoch (barriers passed) and the thread's step within
// it. A thread's clock is then
//
//     lanes of its own warp    an array of 32 steps, in the thread_state
//     its own block            implicit: every earlier epoch
//     all others               `vector_clock`: full blocks up to an epoch, single threads up to a
//                              timestamp
//
// A vector_clock is immutable and shared; acquiring joins two of them. Lamport 1978 for
// happens-before; Fidge and Mattern 1988 for vector clocks.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace ballot::emulator {

// A thread's time: epoch << 32 | step. 0: before the launch.
using timestamp = std::uint64_t;
inline std::uint32_t epoch_of(timestamp t) { return std::uint32_t(t >> 32); }
inline timestamp stamp(std::uint32_t epoch, std::uint32_t step) { return timestamp(epoch) << 32 | step; }

struct vector_clock_entries {
  std::uint32_t references = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;  // block -> first epoch not covered
  std::vector<std::pair<std::uint32_t, timestamp>> threads;     // thread of the grid -> last timestamp covered
};

/// An empty clock's entries, and where they go once nobody refers to them: their memory is used
/// again.
vector_clock_entries* new_entries();
void recycle(vector_clock_entries* entries);

// A counted reference, not atomic: a grid runs on one OS thread.
class vector_clock {
 public:
  vector_clock() = default;
  explicit vector_clock(vector_clock_entries* b) : body_(b) {
    if (body_) body_->references++;
  }
  vector_clock(const vector_clock& other) : vector_clock(other.body_) {}
  vector_clock(vector_clock&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  vector_clock& operator=(vector_clock other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~vector_clock() {
    if (body_ && --body_->references == 0) recycle(body_);
  }
  explicit operator bool() const { return body_ != nullptr; }
  const vector_clock_entries* operator->() const { return body_; }
  bool same_as(const vector_clock& other) const { return body_ == other.body_; }

  /// Whether the accesses of `thread` of `block` at `t` happen before.
  bool covers(std::uint32_t block, std::uint32_t thread, timestamp t) const;

 private:
  vector_clock_entries* body_ = nullptr;
};

// The releases of sequentially consistent fences, in their one order. A thread has seen all of it
// up to its own last fence. So a number stands for a clock that would grow with each fence of the
// grid.
class fence_log {
 public:
  void clear();
  /// The number of fences so far.
  std::uint32_t size() const { return fences_; }
  void append(const vector_clock& released, std::uint32_t block_threads);
  /// Whether one of the first `fences` released the accesses of `thread` of `block` at `t`.
  bool covers(std::uint32_t fences, std::uint32_t block, std::uint32_t thread, timestamp t) const;

 private:
  // The times of a block (epochs) or a thread in the log ascend; each entry leads to the one
  // before. 0: none.
  struct entry {
    timestamp time;
    std::uint32_t fence, before;
  };
  class list {
   public:
    void clear();
    timestamp newest(std::uint32_t key) const { return key < last_.size() ? entries_[last_[key]].time : 0; }
    timestamp newest_of(std::uint32_t fences, std::uint32_t key) const;
    void add(std::uint32_t key, timestamp time, std::uint32_t fence);

   private:
    std::vector<std::uint32_t> last_;
    std::vector<entry> entries_{entry{}};
  };
  std::uint32_t fences_ = 0;
  list blocks_, threads_;
};

/// The least upper bound of a and b. Counts the joins that made a new clock.
vector_clock join(const vector_clock& a, const vector_clock& b, std::uint32_t block_threads, std::uint64_t& joins);

}  // namespace ballot::emulator
