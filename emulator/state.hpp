// SPDX-License-Identifier: Apache-2.0
// The state of the machine: grid, blocks, warps, threads. One OS thread runs one grid at a time, so
// nothing here is locked.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <ballot/emulator.hpp>
#include <ballot/simt/host/machine.hpp>

#include "fiber.hpp"
#include "random.hpp"
#include "vector_clock.hpp"

namespace ballot::emulator {

inline constexpr std::uint32_t step_limit = 1u << 24;  // what an shadow_cell can hold

struct block_state;

// ---- atomics with history (atomics.cpp) ----

// One write of the modification order of a location: the value, and the clocks that its writer
// releases.
struct message {
  word value;
  std::uint32_t thread = 0;
  timestamp time = 0;                                    // 0: from before the launch
  vector_clock released;                                 // to threads of the writer's block
  vector_clock released_to_others;                       // to all other threads: by what is of device scope throughout
  std::unordered_map<std::uint32_t, timestamp> readers;  // thread -> when it first read this; only with weak memory
};
struct location {
  std::vector<message> history;  // in modification order
};
using locations = std::unordered_map<std::uintptr_t, location>;

// ---- threads ----

enum class thread_status : std::uint8_t {
  idle,
  ready,
  at_barrier,
  at_named_barrier,
  at_cluster_barrier,
  in_collective,
  polling,
  exited
};

// Operand and result of a lane's collective: one cache line, for lanes of many warps take turns.
struct alignas(64) collective_call {
  word value, result;
  std::uint32_t mask, argument;
  const char* file;
  const char* function;
  int line;
  warp_op op;
};

struct thread_state;
struct warp_state {
  std::uint32_t ready = 0;       // lanes that can run; the warp is in the ring while there are any
  std::uint32_t deferred = 0;    // ready lanes that have yielded
  std::uint32_t waiting = 0;     // lanes in a collective
  std::uint32_t at_barrier = 0;  // lanes at the block's barrier
  std::uint32_t exited = 0;      // lanes that have exited or never existed
  std::uint32_t priority = 0;
  std::uint32_t index = 0;  // in the block
  block_state* block = nullptr;
  thread_state** lanes = nullptr;
  // Of its lanes: what the arrivals in this phase of the cluster's barrier release.
  timestamp cluster_times[32] = {};
  collective_call calls[32];
};

// An asynchronous copy that has been started but not awaited. Until then nobody writes either
// address, or reads the destination.
struct pending_copy {
  char* to;
  const char* from;
  unsigned size;
  word value;  // at `from` when it was started
};

struct alignas(64) thread_state {
  // The data that a switch to the thread reads: one cache line.
  context at;
  stack memory;
  block_state* block = nullptr;
  warp_state* warp = nullptr;
  uint3 index{};  // threadIdx
  std::uint32_t lane = 0;
  std::uint32_t rank = 0;  // in the block
  thread_status status = thread_status::idle;
  std::uint8_t in_emulator = 1;  // 0: it runs the kernel's own code
  const char* file = nullptr;    // of its last access or call
  int line = 0;
  // Polling: repeated loads of unchanged values identify a poller.
  const void* polled = nullptr;
  word polled_value;
  std::uint64_t version_seen = 0;
  std::uint32_t repeats = 0, idle_accesses = 0;
  bool last_was_stale = false;
  std::uint16_t stale_run = 0;
  bool hinted = false;  // sleeps because of a spin hint
  // A poll is all loads between two spin hints; it may read several words.
  bool in_poll = false, poll_was_stale = false;
  std::uint64_t poll_began = 0;  // the memory version at its begin
  std::vector<pending_copy> copies;
  // Clocks.
  std::uint32_t grid_rank = 0, step = 0;
  std::uint32_t warp_steps[32] = {};  // of the other lanes, within the epoch
  vector_clock clock;
  // By the last fence, and by the last one of device scope: released by later relaxed stores, to
  // threads of this block and to others.
  vector_clock released, released_to_others;
  vector_clock pending_acquire;  // from relaxed loads of other blocks' writes: acquired by the next device-wide fence
  vector_clock pending_block_acquire;  // and of this block's writes: acquired by any fence
  // Sequentially consistent fences up to its own last one: those of device scope, and what those of
  // its block of block scope released. Such writes must be visible, though no plain access is
  // ordered.
  std::uint32_t fences_seen = 0;
  vector_clock block_fences;
  // The cluster's barrier: how often this thread has arrived and waited, the phase that it left, and
  // what its last arrival releases beside cluster_times of its warp.
  std::uint32_t cluster_arrivals = 0, cluster_waits = 0, cluster_left = 0;
  vector_clock cluster_released;
};

// ---- blocks ----

// Counts warps, as the machine does: one arrives when its last lane has.
struct named_barrier_state {
  std::uint32_t arrived = 0, expected = 0;  // threads: 32 for each warp
  std::uint32_t lanes[32] = {};             // of each warp: that have arrived, while others have not
  std::uint32_t passing[32] = {};           // of these: that wait for their warp alone
  std::vector<thread_state*> waiting;
  vector_clock passed;
};
struct block_state {
  std::uint32_t slot = 0;  // of the resident ones
  std::uint32_t rank = 0;  // in the grid
  uint3 index{};           // blockIdx
  bool busy = false;
  std::uint32_t threads = 0, exited = 0, arrived = 0, epoch = 1;
  block_op barrier_op{};
  int barrier_sum = 0, barrier_result = 0;
  const char* barrier_file = nullptr;
  const char* barrier_function = nullptr;
  int barrier_line = 0;
  char* arena = nullptr;   // shared_limit bytes
  char* shared = nullptr;  // the launch's part of it, at the end: an overrun faults
  std::vector<thread_state*> thread;
  std::vector<warp_state> warps;
  named_barrier_state named[16];
  std::uint32_t parted_warps = 0;  // of which some lanes have arrived at a named barrier, and others not
  locations shared_locations;
  // Of its threads: their last fence of device scope, in the log, and what those of block scope
  // released.
  std::uint32_t fences_seen = 0;
  vector_clock block_fences;
};

// ---- the machine ----

// The barrier of a grid that is one cluster.
struct cluster_state {
  std::uint32_t phase = 0;             // how often all have arrived
  std::uint32_t arrived = 0;           // in this phase
  std::uint32_t gone = 0;              // threads that exited before they arrived in this phase
  vector_clock passed, passed_before;  // what the last two phases released
  std::vector<thread_state*> waiting;
};

struct machine {
  policy rules;
  random_generator chance;
  grid_description grid{};
  statistics stats;
  std::uint32_t block_threads = 0;
  std::uint64_t blocks = 0, next_block = 0, blocks_done = 0;
  std::uint64_t memory_version = 1;  // counts changes of memory and other events that a poller may wait for
  std::uint64_t version_woken = 0;   // at the last time that pollers were woken
  std::uint32_t busy_polls = 0;      // since then: polls whose thread stayed ready
  // How often those that sleep without a hint were woken though memory was as it is, and which
  // version this was.
  std::uint32_t idle_rounds = 0;
  std::uint64_t idle_version = 0;
  context host;

  bool failed = false;
  error_kind kind{};
  std::string report;

  // ready warps, the next one at the head
  std::vector<warp_state*> ring;
  std::uint32_t head = 0, count = 0, ring_mask = 0;
  bool front = false;      // depth first: a ready warp goes to the head
  bool by_chance = false;  // the scheduler chooses at random
  std::vector<thread_state*> pollers;
  std::vector<std::unique_ptr<block_state>> slots;
  std::vector<block_state*> free_slots;
  std::uint32_t resident = 1;
  std::vector<std::uint32_t> order;  // of blocks; empty: linear
  block_state* straggler_block = nullptr;
  warp_state* straggler_warp = nullptr;
  std::uint64_t straggler_until = 0;

  cluster_state cluster;
  locations global_locations;
  fence_log fences;  // sequentially consistent ones, of device scope

  struct site {
    const char* file;
    int line;
  };
  std::vector<site> sites;  // named by shadow_cell::site with the top bit set
  std::map<std::pair<const char*, int>, std::uint32_t> site_numbers;
  struct recent_site {
    const char* file = nullptr;
    int line = 0;
    std::uint32_t number = 0;
  };
  recent_site recent_sites[256];

  stack_pool stacks;
  std::vector<std::unique_ptr<thread_state>> pool;

  machine() = default;
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine();
};

// The machine of this OS thread, and the running thread of its grid: null while the host runs.
extern thread_local host_calls counted_calls;
extern thread_local constinit machine* current_machine;
extern thread_local constinit thread_state* self;

// While it lives, `self` runs the emulator's code, which reaches the host's memory. The code may be of
// the standard library, in a copy that the linker took from the instrumented sources: its accesses
// are reported like the kernel's.
class inside_emulator {
 public:
  inside_emulator() : me_(*self) { me_.in_emulator++; }
  ~inside_emulator() { me_.in_emulator--; }
  inside_emulator(const inside_emulator&) = delete;
  inside_emulator& operator=(const inside_emulator&) = delete;

 private:
  thread_state& me_;
};

// ---- scheduler.cpp ----
void make_ready(warp_state& w, std::uint32_t lanes);
inline void make_ready(thread_state& t) { make_ready(*t.warp, 1u << t.lane); }
/// The next thread to run; null when the grid is done.
thread_state* next_thread();
void enter(thread_state* t);
/// Runs other threads until `self` is ready again.
void reschedule();
/// Lets other threads run first.
void yield_now();
inline void maybe_preempt(std::uint32_t one_in) {
  if (current_machine->chance.one_in(one_in)) yield_now();
}
void start_block(block_state& b);
/// Starts the next block in a slot that is free.
void start_next_block(machine& m);
void thread_main();

// ---- polling.cpp ----
void wake_pollers(machine& m);
/// Lets those go on that sleep without a hint, and perhaps in a bounded loop. False if there are
/// none, or if they have had their rounds.
bool wake_resting(machine& m);
/// `self` loads: a poll begins, unless one has.
inline void begin_poll() {
  if (self->in_poll) return;
  self->in_poll = true;
  self->poll_began = current_machine->memory_version;
}
/// `self` has found a value at p.
void notice_polling(const void* p, const word& found);

// ---- barriers.cpp, collectives.cpp ----
void complete_barrier(block_state& b);
/// A lane of the warp has exited: a named barrier may have waited for it alone.
void recount_named_barriers(warp_state& w);
bool try_complete_collective(warp_state& w, std::uint32_t lane);

// ---- cluster.cpp ----
/// In a grid that is one cluster: `self` has exited.
void leave_cluster();

// ---- happens_before.cpp: clocks at synchronization ----
vector_clock joined(const vector_clock& a, const vector_clock& b);
vector_clock clock_of(const thread_state& t);
void advance_step(thread_state& t);
void synchronize_lanes(warp_state& w, std::uint32_t lanes);
void synchronize_block(block_state& b);
/// Whether the accesses of `thread` at `t` happen before the current access of `self`.
inline bool happens_before_self(std::uint32_t thread, timestamp t) {
  const thread_state& me = *self;
  if (t == 0 || thread == me.grid_rank) return true;
  // Whether a thread is of this block. Its threads' ranks in the grid are consecutive, so this
  // needs no division.
  const std::uint32_t n = current_machine->block_threads, rank = thread - (me.grid_rank - me.rank);
  const bool own_block = rank < n;
  if (own_block) {
    if (epoch_of(t) < me.block->epoch) return true;
    if (rank / 32 == me.rank / 32 && std::uint32_t(t) <= me.warp_steps[rank % 32]) return true;
  }
  return me.clock && me.clock.covers(own_block ? me.block->rank : thread / n, thread, t);
}

// ---- checks.cpp ----
void check_access(const void* p, unsigned size, bool write, bool atomic, bool block_scope, std::uint32_t site);
std::uint32_t site_of(const char* file, int line);
void note_host_mistake(error_kind kind, const std::string& what);

// ---- report.cpp ----
/// The error of a grid that has failed.
error error_of(const machine& m);
/// Ends the grid with an error; the calling thread does not continue, and what its stack owns is not
/// freed. Not within a handler of an exception.
[[noreturn]] void fail(error_kind kind, std::string what);
std::string who(const thread_state& t);
std::string where(const char* file, int line);
/// Whether two strings, of which most are one, are equal.
inline bool same_text(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }
std::string where(std::uint32_t site);
/// The site of a return address in this program, which was loaded at load_bias.
extern const std::uintptr_t load_bias;
inline std::uint32_t site_of_code(const void* address) {
  return std::uint32_t(reinterpret_cast<std::uintptr_t>(address) - load_bias) & 0x7fffffffu;
}
std::string what_at(const void* p);
std::string stack_overflow(const thread_state& t);
/// Says what each thread waits for, grouped.
std::string waiting_report();

}  // namespace ballot::emulator
