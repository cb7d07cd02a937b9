// Happens-before knowledge: what a thread may rely on that others have done.
//
// Vector clocks over every thread of a grid would be huge. Two facts make them small: a block barrier tells everything
// about a block at once, and a warp's barriers concern 32 lanes. So time is a pair for each thread: the block's epoch
// (barriers passed) and the thread's step within it. Knowledge of others is then
//
//     of lanes of one's own warp    an array of 32 steps, in the fiber
//     of one's own block            implicit: every earlier epoch
//     of anything else              `knowledge`: whole blocks up to an epoch, single threads up to a time
//
// Knowledge is immutable and shared; to learn is to join two of them.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace ballot::emulator {

// A thread's time: epoch << 32 | step. 0 is before the launch.
using time_stamp = std::uint64_t;
inline std::uint32_t epoch_of(time_stamp t) { return std::uint32_t(t >> 32); }
inline time_stamp stamp(std::uint32_t epoch, std::uint32_t step) { return time_stamp(epoch) << 32 | step; }

struct knowledge_body {
  std::uint32_t references = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;  // block -> all of its epochs below this one
  std::vector<std::pair<std::uint32_t, time_stamp>> threads;    // thread of the grid -> up to and with this time
};

// A counted reference, not atomic: a grid runs on one OS thread.
class knowledge {
 public:
  knowledge() = default;
  explicit knowledge(knowledge_body* b) : body_(b) {
    if (body_) body_->references++;
  }
  knowledge(const knowledge& other) : knowledge(other.body_) {}
  knowledge(knowledge&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  knowledge& operator=(knowledge other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~knowledge() {
    if (body_ && --body_->references == 0) delete body_;
  }
  explicit operator bool() const { return body_ != nullptr; }
  const knowledge_body* operator->() const { return body_; }
  bool same_as(const knowledge& other) const { return body_ == other.body_; }

  /// Whether it covers what `thread` of `block` did at `t`.
  bool covers(std::uint32_t block, std::uint32_t thread, time_stamp t) const;

 private:
  knowledge_body* body_ = nullptr;
};

/// All that a and b know. Counts joins that made something new.
knowledge join(const knowledge& a, const knowledge& b, std::uint32_t block_threads, std::uint64_t& joins);

}  // namespace ballot::emulator
