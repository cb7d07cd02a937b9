// SPDX-License-Identifier: Apache-2.0
// Atomics, ordered loads and stores, fences; and weak memory.
//
// Without clocks an atomic is executed directly. With clocks each location keeps its messages, in
// modification order: the writes since the last one that happens before every thread. Each has the
// clock that its writer released. An acquiring load that reads a message joins this clock; a
// relaxed load keeps it for the next acquire fence.
//
// With weak_memory a load may read any message that happens-before and coherence allow, not only
// the newest. The message is not older than the newest write that happens before the load. It is
// not older than any message read by a load that happens before it: each message keeps when its
// readers first read it. So a missing release or acquire shows in results. Not modelled: loads that
// read from stores later in program order (load buffering), and stores that become visible in
// another order than program order (2+2W).
#include <algorithm>
#include <cstring>
#include <utility>

#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

using simt::order;
using simt::scope;

namespace {

constexpr std::size_t history_limit = 8;
constexpr std::uint16_t stale_limit = 8;  // older values in a row for one thread

word apply(atomic_op op, const word& old, const word& operand, const word& compare, unsigned size) {
  const std::uint64_t a = old.low, b = operand.low;
  const bool less = size == 4 ? std::int32_t(a) < std::int32_t(b) : std::int64_t(a) < std::int64_t(b);
  std::uint64_t r = 0;
  switch (op) {
    case atomic_op::load:
      return old;
    case atomic_op::store:
    case atomic_op::exchange:
      return operand;
    case atomic_op::cas:
      return old == compare ? operand : old;
    case atomic_op::add_float:
      return pack(unpack<float>(old) + unpack<float>(operand));
    case atomic_op::add_double:
      return pack(unpack<double>(old) + unpack<double>(operand));
    case atomic_op::add:
      r = a + b;
      break;
    case atomic_op::min_u:
      r = std::min(a, b);
      break;
    case atomic_op::max_u:
      r = std::max(a, b);
      break;
    case atomic_op::min_s:
      r = less ? a : b;
      break;
    case atomic_op::max_s:
      r = less ? b : a;
      break;
    case atomic_op::and_:
      r = a & b;
      break;
    case atomic_op::or_:
      r = a | b;
      break;
    case atomic_op::xor_:
      r = a ^ b;
      break;
  }
  return {size == 4 ? std::uint64_t(std::uint32_t(r)) : r, 0};
}

// A copy of a size known only at run time would be a call. Its bytes would stall when they are read
// as words.
word load_word(const void* p, unsigned size) {
  word w;
  if (size == 4) {
    std::uint32_t v;
    std::memcpy(&v, p, 4);
    w.low = v;
  } else if (size == 8) {
    std::memcpy(&w.low, p, 8);
  } else {
    std::memcpy(static_cast<void*>(&w), p, size);
  }
  return w;
}
void store_word(void* p, const word& w, unsigned size) {
  if (size == 4) std::memcpy(p, &w.low, 4);
  else if (size == 8) std::memcpy(p, &w.low, 8);
  else std::memcpy(p, &w, size);
}

bool acquires(order o) { return o == order::acquire || o == order::acq_rel; }
bool releases(order o) { return o == order::release || o == order::acq_rel; }

location& location_of(const void* p) {
  block_state& b = *self->block;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return p >= b.arena && p < b.arena + shared_limit ? b.shared_locations[address]
                                                    : current_machine->global_locations[address];
}

bool is_of_own_block(const message& m) { return m.thread / current_machine->block_threads == self->block->rank; }

// A message synchronizes with its reader only if the scope of each includes the other.
void take(const message& m, order o, scope s) {
  const bool own_block = is_of_own_block(m);
  const vector_clock& released = own_block ? m.released : m.released_to_others;
  if (!released || (!own_block && s != scope::device)) return;
  vector_clock& to = acquires(o) ? self->clock : own_block ? self->pending_block_acquire : self->pending_acquire;
  to = joined(to, released);
}

// What a write of scope `s` releases: of a release all that its thread knows, else what a fence
// released before it. A read-modify-write continues the release sequence of the message `before`.
void release_into(message& mine, order o, scope s, const message* before) {
  thread_state& me = *self;
  const bool to_others = s == scope::device;
  if (releases(o)) {
    mine.released = clock_of(me);
    if (to_others) mine.released_to_others = mine.released;
    advance_step(me);
  } else {
    mine.released = me.released;
    if (to_others) mine.released_to_others = me.released_to_others;
  }
  if (!before) return;
  const vector_clock none, &others = to_others ? before->released_to_others : none;
  const vector_clock& own = is_of_own_block(*before) ? before->released : others;
  const bool one = own.same_as(others) && mine.released.same_as(mine.released_to_others);
  mine.released = joined(own, mine.released);
  mine.released_to_others = one ? mine.released : joined(others, mine.released_to_others);
}

// Whether the write of `thread` at `t` must be visible to this thread.
bool must_have_seen(std::uint32_t thread, timestamp t) {
  return happens_before_self(thread, t) ||
         current_machine->fences.covers(self->fences_seen, thread / current_machine->block_threads, thread, t) ||
         self->block_fences.covers(thread / current_machine->block_threads, thread, t);
}

// The message that a load reads.
std::size_t pick_message(const location& at) {
  machine& m = *current_machine;
  const thread_state& me = *self;
  const std::size_t newest = at.history.size() - 1;
  if (!m.rules.weak_memory || newest == 0 || me.stale_run >= stale_limit || m.chance.below(2) == 0) return newest;
  const auto is_oldest = [](const message& of) {
    return must_have_seen(of.thread, of.time) ||
           std::ranges::any_of(of.readers, [](const auto& read) { return must_have_seen(read.first, read.second); });
  };
  std::size_t oldest = newest;
  while (oldest > 0 && !is_oldest(at.history[oldest])) oldest--;
  return oldest + m.chance.below(std::uint32_t(newest - oldest + 1));
}

word access_with_history(atomic_op op, void* p, unsigned size, const word& value, const word& compare, order o, scope s,
                         const word& old) {
  machine& m = *current_machine;
  thread_state& me = *self;
  location& at = location_of(p);
  if (at.history.empty() || at.history.back().value != old) {  // new here, or written by a plain store meanwhile
    at.history.assign(1, message{});
    at.history[0].value = old;
  }
  const timestamp now = stamp(me.block->epoch, me.step);

  if (op == atomic_op::load) {
    const std::size_t newest = at.history.size() - 1, taken = pick_message(at);
    me.last_was_stale = taken != newest;
    if (taken != newest) {
      me.stale_run++;
      m.stats.stale_loads++;
    } else {
      me.stale_run = 0;
    }
    if (m.rules.weak_memory) at.history[taken].readers.try_emplace(me.grid_rank, now);
    take(at.history[taken], o, s);
    return at.history[taken].value;
  }

  const bool reads = op != atomic_op::store;  // a read-modify-write reads the newest value
  if (reads) take(at.history.back(), o, s);
  message mine;
  mine.value = apply(op, old, value, compare, size);
  mine.thread = me.grid_rank;
  mine.time = now;
  release_into(mine, o, s, reads ? &at.history.back() : nullptr);
  const bool changed = mine.value != old;
  store_word(p, mine.value, size);
  if (!m.rules.weak_memory) at.history.clear();
  at.history.push_back(std::move(mine));
  if (at.history.size() > history_limit) at.history.erase(at.history.begin());
  if (changed) m.memory_version++;
  return old;
}

[[noreturn, gnu::cold, gnu::noinline]] void fail_access(error_kind kind, const char* before, const void* p,
                                                        unsigned size) {
  fail(kind, before + text("atomic access of %u bytes at ", size) + what_at(p) + " by " + who(*self) + ", at " +
                 where(self->file, self->line));
}

// Sequentially consistent fences whose scopes include each other are in order: writes before an
// earlier one are visible after a later one. Those of device scope have one total order. Each block
// has an order of all of its fences, and those of device scope connect it with the others.
void order_fence(scope s) {
  machine& m = *current_machine;
  thread_state& me = *self;
  block_state& b = *me.block;
  me.block_fences = b.block_fences;
  if (s == scope::device) {
    me.fences_seen = m.fences.size();
    m.fences.append(joined(me.released, b.block_fences), m.block_threads);
    b.fences_seen = m.fences.size();
  } else {
    me.fences_seen = std::max(me.fences_seen, b.fences_seen);
    b.block_fences = joined(b.block_fences, me.released);
  }
}

}  // namespace

word atomic_access(atomic_op op, void* p, unsigned size, const word& value, const word& compare, order o, scope s,
                   const char* file, int line) {
  const inside_emulator guard;
  machine& m = *current_machine;
  thread_state& me = *self;
  me.file = file;
  me.line = line;
  if (!device_memory::holds(p)) fail_access(error_kind::out_of_bounds, "", p, size);
  if (reinterpret_cast<std::uintptr_t>(p) & (size - 1)) fail_access(error_kind::misaligned, "", p, size);
  if (++m.stats.atomics > m.rules.max_steps)
    fail_access(error_kind::watchdog, "too many atomic accesses, the last: ", p, size);
  begin_poll();
  maybe_preempt(m.rules.preempt_atomic);
  if (instrumented() || m.rules.clocks) {
    // A read-modify-write also reads; the check of its write would take the word for written.
    const bool known = op == atomic_op::store || !m.rules.check_initialized || !instrumented() ||
                       device_memory::is_written(p, size) || !device_memory::is_addressable(p, size);
    check_access(p, size, op != atomic_op::load, true, s == scope::block, site_of(file, line));
    if (!known) fail_access(error_kind::uninitialized_read, "", p, size);
  } else if (!device_memory::is_addressable(p, size)) {
    fail_access(error_kind::out_of_bounds, "", p, size);
  }

  const word old = load_word(p, size);
  word found = old;
  if (m.rules.clocks) {
    found = access_with_history(op, p, size, value, compare, o, s, old);
  } else if (op != atomic_op::load) {
    if (const word changed = apply(op, old, value, compare, size); changed != old) {
      store_word(p, changed, size);
      m.memory_version++;
    }
  }
  notice_polling(p, found);
  return found;
}

void fence(scope s, const char* file, int line) {
  const inside_emulator guard;
  machine& m = *current_machine;
  thread_state& me = *self;
  me.file = file;
  me.line = line;
  if (m.rules.clocks) {
    me.clock = joined(me.clock, std::exchange(me.pending_block_acquire, {}));
    if (s == scope::device) me.clock = joined(me.clock, std::exchange(me.pending_acquire, {}));
    me.released = clock_of(me);
    if (s == scope::device) me.released_to_others = me.released;
    advance_step(me);
    if (m.rules.weak_memory) order_fence(s);
  }
  maybe_preempt(m.rules.preempt_atomic);
}

}  // namespace ballot::emulator
