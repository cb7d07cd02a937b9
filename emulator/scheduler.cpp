// SPDX-License-Identifier: Apache-2.0
// The scheduler: chooses the next thread, starts blocks, detects deadlock.
//
// Warps with a ready lane are in a ring; the policy picks one of them, then one of its lanes.
// Threads are switched only if they wait or are preempted (at an atomic or, in the checked build,
// at a plain access). So the schedule is a function of the policy. Pollers do not spin: they sleep
// until memory changes (polling.cpp). If no thread is ready and nothing has changed, that is a
// deadlock, detected at once and exactly.
#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

thread_local constinit uint3 threadIdx{}, blockIdx{}, blockDim{}, gridDim{};

namespace ballot::emulator {

thread_local constinit machine* current_machine = nullptr;
thread_local constinit thread_state* self = nullptr;

namespace {

std::uint32_t lowest(std::uint32_t bits) { return std::uint32_t(__builtin_ctz(bits)); }

// The lowest ready lane that has not yielded; if all have, the lowest ready lane.
std::uint32_t first_lane(warp_state& w) {
  std::uint32_t lanes = w.ready & ~w.deferred;
  if (lanes == 0) {
    w.deferred = 0;
    lanes = w.ready;
  }
  return lowest(lanes);
}

warp_state*& in_ring(machine& m, std::uint32_t place) { return m.ring[(m.head + place) & m.ring_mask]; }

[[noreturn]] void report_deadlock(const machine& m) {
  fail(
      error_kind::deadlock,
      text("no thread can go on; %llu of %llu blocks started, %llu done", static_cast<unsigned long long>(m.next_block),
           static_cast<unsigned long long>(m.blocks), static_cast<unsigned long long>(m.blocks_done)) +
          waiting_report());
}

// The position in the ring of the warp that the policy chooses.
std::uint32_t pick_warp(machine& m) {
  switch (m.rules.scheduler) {
    case scheduler_kind::depth_first:
    case scheduler_kind::fifo:
      return 0;
    case scheduler_kind::random:
      return m.chance.below(m.count);
    case scheduler_kind::straggler: {
      if (m.stats.switches >= m.straggler_until) {
        block_state& b =
            *m.slots[m.chance.below(m.resident)];  // half the time a whole block lags, half the time a warp of it
        m.straggler_block = &b;
        m.straggler_warp = m.chance.below(2) ? &b.warps[m.chance.below(std::uint32_t(b.warps.size()))] : nullptr;
        m.straggler_until = m.stats.switches + (std::uint64_t(32) << m.chance.below(9));
      }
      auto lags = [&](const warp_state* w) {
        return m.straggler_warp ? w == m.straggler_warp : w->block == m.straggler_block;
      };
      std::uint32_t i = m.chance.below(m.count);
      for (std::uint32_t k = 0; k < m.count && lags(in_ring(m, i)); k++) i = i + 1 == m.count ? 0 : i + 1;
      return i;
    }
    case scheduler_kind::priority: {
      std::uint32_t i = 0;
      for (std::uint32_t k = 1; k < m.count; k++)
        if (in_ring(m, k)->priority > in_ring(m, i)->priority) i = k;
      // now and then the leading warp gets a priority below all initial ones
      if (m.chance.one_in(512)) in_ring(m, i)->priority = std::uint32_t(m.chance.next()) >> 1;
      return i;
    }
  }
  return 0;
}

[[gnu::noinline]] thread_state* next_thread_slow(machine& m) {
  for (;;) {
    // Pollers poll again if memory has changed and no other thread can run, or at random.
    if (!m.pollers.empty() && m.version_woken != m.memory_version &&
        (m.count == 0 || (m.by_chance && m.chance.one_in(8))))
      wake_pollers(m);
    if (!m.free_slots.empty() && m.next_block < m.blocks && (m.count == 0 || !m.by_chance || m.chance.one_in(8)))
      start_next_block(m);
    if (m.count == 0) {
      if (m.blocks_done == m.blocks) return nullptr;
      if (!m.pollers.empty() && m.version_woken != m.memory_version) continue;
      if (!wake_resting(m)) report_deadlock(m);
    }
    if (++m.stats.switches > m.rules.max_steps)
      fail(error_kind::watchdog, "too many scheduler steps" + waiting_report());

    if (const std::uint32_t i = pick_warp(m); i != 0) std::swap(in_ring(m, i), in_ring(m, 0));
    warp_state* w = in_ring(m, 0);
    std::uint32_t l = first_lane(*w);
    if (m.by_chance) {
      const std::uint32_t r = std::uint32_t(m.chance.next()) & 31;
      l = (lowest(w->ready >> r | w->ready << ((32 - r) & 31)) + r) & 31;
    }
    w->ready &= ~(1u << l);
    if (w->ready == 0) {
      m.head = (m.head + 1) & m.ring_mask;
      m.count--;
    } else if (m.rules.scheduler == scheduler_kind::fifo) {  // to the end of the ring
      m.head = (m.head + 1) & m.ring_mask;
      in_ring(m, m.count - 1) = w;
    }
    return w->lanes[l];
  }
}

void finish_thread() {
  thread_state& t = *self;
  block_state& b = *t.block;
  warp_state& w = *t.warp;
  machine& m = *current_machine;
  t.status = thread_status::exited;
  if (overflowed(t.memory)) fail(error_kind::out_of_bounds, stack_overflow(t));
  b.exited++;
  w.exited |= 1u << t.lane;
  if (b.arrived != 0) {
    if (m.rules.strict_barrier)
      fail(error_kind::barrier_divergence, who(t) + text(" exits while %u threads of its block wait at ", b.arrived) +
                                               where(b.barrier_file, b.barrier_line));
    if (b.arrived + b.exited == b.threads) complete_barrier(b);
  }
  if (b.parted_warps != 0) recount_named_barriers(w);
  for (std::uint32_t rest = w.waiting; rest != 0;) {  // a collective may have waited for this lane alone
    const std::uint32_t l = lowest(rest);
    rest &= rest - 1;
    if ((w.waiting >> l & 1) && try_complete_collective(w, l)) rest &= w.waiting;
  }
  if (m.grid.is_cluster) leave_cluster();
  if (b.exited == b.threads) {
    b.busy = false;
    m.blocks_done++;
    m.memory_version++;
    m.free_slots.push_back(&b);
  }
  reschedule();
}

}  // namespace

machine::~machine() {
  for (const auto& b : slots) device_memory::release(b->arena);
}

void make_ready(warp_state& w, std::uint32_t lanes) {
  machine& m = *current_machine;
  if (w.ready == 0 && lanes != 0) {
    if (m.front) m.ring[m.head = (m.head - 1) & m.ring_mask] = &w;
    else in_ring(m, m.count) = &w;
    m.count++;
  }
  w.ready |= lanes;
}

thread_state* next_thread() {
  machine& m = *current_machine;
  if (!m.front || m.count == 0 || m.stats.switches >= m.rules.max_steps) return next_thread_slow(m);
  // depth first, with a ready thread: the common case of the fastest policy
  m.stats.switches++;
  warp_state* w = m.ring[m.head];
  const std::uint32_t l = first_lane(*w);
  w->ready &= ~(1u << l);
  if (w->ready == 0) {
    m.head = (m.head + 1) & m.ring_mask;
    m.count--;
  }
  return w->lanes[l];
}

void enter(thread_state* t) {
  self = t;
  if (t) {
    threadIdx = t->index;
    blockIdx = t->block->index;
  }
}

void reschedule() {
  thread_state* me = self;
  thread_state* next = next_thread();
  enter(next);  // even if it is me: my slot may have been handed to a new block
  if (next != me) switch_context(me->at, next ? next->at : current_machine->host);
}

void yield_now() {
  const inside_emulator guard;
  machine& m = *current_machine;
  self->warp->deferred |= 1u << self->lane;
  m.front = false;  // to the back of the ring, if its warp is not in it already
  make_ready(*self);
  m.front = m.rules.scheduler == scheduler_kind::depth_first;
  reschedule();
}

void start_next_block(machine& m) {
  block_state* b = m.free_slots.back();
  m.free_slots.pop_back();
  start_block(*b);
}

void start_block(block_state& b) {
  machine& m = *current_machine;
  const std::uint32_t n = m.block_threads;
  b.rank = m.order.empty() ? std::uint32_t(m.next_block) : m.order[m.next_block];
  m.next_block++;
  b.busy = true;
  b.index = {b.rank % m.grid.grid.x, b.rank / m.grid.grid.x % m.grid.grid.y, b.rank / m.grid.grid.x / m.grid.grid.y};
  b.epoch = 1;
  b.exited = b.arrived = 0;
  for (named_barrier_state& nb : b.named) nb = {};
  b.parted_warps = 0;
  b.shared_locations.clear();
  b.fences_seen = 0;
  b.block_fences = {};
  if (const std::size_t bytes = m.grid.shared_bytes; bytes != 0) {
    std::memset(b.shared, 0xd1 + int(m.chance.next() & 0xf), bytes);  // arbitrary contents, not always the same
    device_memory::set_state(b.shared, bytes, true, false);
    if (m.rules.clocks) device_memory::clear_shadow(b.shared, bytes);
  }
  for (std::uint32_t i = 0; i < b.warps.size(); i++) {
    warp_state& w = b.warps[i];
    w.ready = w.deferred = w.waiting = w.at_barrier = 0;
    w.exited = n - i * 32 >= 32 ? 0 : ~0u << (n - i * 32);
    w.priority = std::uint32_t(m.chance.next()) | 0x80000000u;
    w.index = i;
    std::ranges::fill(w.cluster_times, 0);
    w.block = &b;
    w.lanes = b.thread.data() + i * 32;
  }
  for (std::uint32_t i = 0; i < n; i++) {
    thread_state& t = *b.thread[i];
    t.block = &b;
    t.warp = &b.warps[i / 32];
    t.index = {i % m.grid.block.x, i / m.grid.block.x % m.grid.block.y, i / m.grid.block.x / m.grid.block.y};
    t.lane = i % 32;
    t.rank = i;
    t.status = thread_status::ready;
    t.in_emulator = 1;
    t.file = nullptr;
    t.line = 0;
    t.polled = nullptr;
    t.version_seen = 0;
    t.repeats = t.idle_accesses = 0;
    t.last_was_stale = false;
    t.in_poll = t.poll_was_stale = false;
    t.stale_run = 0;
    t.cluster_arrivals = t.cluster_waits = 0;
    t.cluster_left = ~0u;
    t.copies.clear();  // of a thread that exited without waiting for them
    if (m.rules.clocks) {
      t.grid_rank = b.rank * n + i;
      t.step = 1;
      std::memset(t.warp_steps, 0, sizeof t.warp_steps);
      for (vector_clock* c : {&t.clock, &t.released, &t.released_to_others, &t.pending_acquire,
                              &t.pending_block_acquire, &t.block_fences, &t.cluster_released})
        *c = {};
      t.fences_seen = 0;
    }
  }
  for (warp_state& w : b.warps) make_ready(w, ~w.exited);
  m.stats.threads += n;
  m.memory_version++;
}

namespace {

// Runs the kernel; what it threw is in `thrown`. The stack is left only after the handler, because
// the C++ runtime keeps account of handlers for the OS thread, not for the stack.
bool run_kernel(std::string& thrown) {
  struct inside_kernel {
    inside_kernel() { self->in_emulator = 0; }
    ~inside_kernel() { self->in_emulator = 1; }
  };
  try {
    const inside_kernel guard;
    current_machine->grid.run_thread(current_machine->grid.context);
    return true;
  } catch (const std::exception& e) {
    thrown = std::string(": ") + e.what();
  } catch (...) {
    thrown = " something";
  }
  return false;
}

}  // namespace

// A fiber runs one thread after the other, of whatever block it is given to.
void thread_main() {
  for (;;) {
    std::string thrown;
    if (!run_kernel(thrown)) fail(error_kind::kernel_exception, who(*self) + " threw" + std::exchange(thrown, {}));
    finish_thread();
  }
}

// ---- what kernels ask of the scheduler ----

unsigned lane() { return self->lane; }

unsigned active_mask() {
  machine& m = *current_machine;
  std::uint32_t live = ~self->warp->exited & ~self->warp->waiting;
  if (m.by_chance) live &= std::uint32_t(m.chance.next());  // any subset with the caller is a legal answer
  return live | 1u << self->lane;
}

void trap(const char* file, int line) {
  const inside_emulator guard;
  fail(error_kind::kernel_exception, "trap() at " + where(file, line) + " by " + who(*self));
}

}  // namespace ballot::emulator
