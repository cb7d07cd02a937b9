// SPDX-License-Identifier: Apache-2.0
// The emulator's interface to tests: the policy of the grids, their errors, statistics of the last
// grid.
//
// The policy and its seed determine every choice of the emulator. The same policy gives the same
// run (the same schedule). An error prints the policy that found it.
#pragma once

#include <ballot/core/namespace.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ballot::emulator {

enum class error_kind {
  deadlock,            // no thread can make progress
  barrier_divergence,  // threads of a block at different barriers, or exited
  collective_misuse,   // a warp's lanes disagree, or read a lane that does not take part
  data_race,           // conflicting accesses, not both atomic, neither of which happens before the other
  uninitialized_read,  // of bytes never written
  out_of_bounds,       // outside every allocation, or outside of what an access of its kind reaches
  misaligned,          // a wide or atomic access off its natural boundary
  bad_launch,          // a grid that no device takes
  bad_shared,          // more shared memory used than launched with
  watchdog,            // more scheduler steps than the policy allows
  kernel_exception     // trap(), an exception left the kernel, or a trap of -fsanitize=undefined
};
/// The kind, in words.
const char* name(error_kind kind);

/// An error of a grid; what() has the thread, the file and line, and the policy.
class error : public std::runtime_error {
 public:
  error(error_kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

/// How the next of the ready threads is chosen.
enum class scheduler_kind {
  depth_first,  // the thread that became ready last: a thread runs until it waits
  fifo,         // the thread that has been ready for longest
  random,
  straggler,  // random, but now and then a warp or a block is not run for a while
  priority    // the warp of the highest priority; priorities are random and change now and then (PCT, Burckhardt 2010)
};
/// The order in which blocks start.
enum class block_order { linear, reverse, shuffled };

struct policy {
  scheduler_kind scheduler = scheduler_kind::depth_first;
  std::uint64_t seed = 1;
  unsigned max_resident = 2;    // blocks resident at once
  unsigned max_threads = 8192;  // and threads, so that a wide policy stays cheap for big blocks
  block_order order = block_order::linear;
  unsigned preempt_atomic = 0;  // one in n atomic accesses is a preemption point; 0: none
  unsigned preempt_plain = 0;   // one in n plain accesses is (checked runs only); 0: none
  bool clocks = false;          // happens-before: data races (checked runs), memory orders and scopes
  bool weak_memory = false;     // with clocks: loads may return older values that coherence and happens-before allow
  bool strict_barrier = true;   // all threads of the block at one barrier of one function, none exited
  bool strict_shuffle = true;   // reading a lane outside the mask is an error, not an arbitrary value
  bool votes_order_memory = false;          // as if votes and shuffles ordered memory, which CUDA does not guarantee
  bool check_initialized = true;            // reading bytes never written is an error (checked runs)
  std::uint64_t max_steps = 2'000'000'000;  // scheduler steps until the watchdog error
  std::size_t shared_bytes = 0;             // the limit per block, to emulate a smaller GPU; 0: all
  unsigned architecture = 900;              // what the host is told that the GPU is: 900 for sm_90
  unsigned multiprocessors = 128;           // ... and how many it has

  /// One line that parse_policy reads back.
  std::string describe() const;
  friend bool operator==(const policy&, const policy&) = default;
};
/// The policy that `describe` printed, with or without the text around it; nothing if there is none
/// in `text`.
std::optional<policy> parse_policy(std::string_view text);

/// The policy of this OS thread's grids.
policy& current_policy();

/// Sets the policy until the end of the scope.
class scoped_policy {
 public:
  explicit scoped_policy(const policy& p) : saved_(current_policy()) { current_policy() = p; }
  ~scoped_policy() { current_policy() = saved_; }
  scoped_policy(const scoped_policy&) = delete;
  scoped_policy& operator=(const scoped_policy&) = delete;

 private:
  policy saved_;
};

/// Statistics of the last grid of this OS thread.
struct statistics {
  std::uint64_t threads = 0;      // started
  std::uint64_t switches = 0;     // of the scheduler
  std::uint64_t collectives = 0;  // completed
  std::uint64_t barriers = 0;     // of blocks, completed
  std::uint64_t atomics = 0;      // atomic and ordered accesses
  std::uint64_t parks = 0;        // pollers put to sleep
  std::uint64_t plain = 0;        // plain accesses to device memory (checked runs)
  std::uint64_t stale_loads = 0;  // loads that returned an older value
  std::uint64_t joins = 0;        // of clocks
  friend bool operator==(const statistics&, const statistics&) = default;
};
const statistics& last_stats();

/// The host's calls so far, on this OS thread: a test takes the difference around a call.
struct host_calls {
  std::uint64_t launches = 0;
  std::uint64_t fills = 0;
  std::uint64_t copies = 0;       // within the device
  std::uint64_t host_copies = 0;  // to or from host memory
  std::uint64_t allocations = 0;
  std::uint64_t releases = 0;
  std::uint64_t waits = 0;  // synchronize
};
const host_calls& host_calls_so_far();

/// Whether plain accesses are checked: the kernels' sources were compiled with -fsanitize=thread,
/// and the program has not asked for less.
bool instrumented();

/// From here on plain accesses are not checked, as if the sources had been compiled without
/// instrumentation: grids run several times as fast. For main().
void leave_plain_accesses_unchecked();
/// Whether the sources are instrumented, but the program has asked for less.
bool left_unchecked();

}  // namespace ballot::emulator
