// Atomics, ordered loads and stores, fences; and weak memory.
//
// Without clocks an atomic simply happens. With clocks each location keeps its messages: the values it has had since
// the last one that everybody is ordered after, each with what its writer released along with it. An acquiring load
// that takes such a message learns what its writer knew; a relaxed one keeps it for the next fence.
//
// With weak_memory a load may take any message that neither happens-before nor coherence forbids, not only the newest:
// no older than the newest write that is ordered before the load, and no older than what a thread ordered before it
// has read. So a missing release or acquire shows in results. What this cannot show: loads that see stores that come
// later in program order (load buffering), and stores that become visible in another order than they were made (2+2W).
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
constexpr std::uint16_t stale_limit = 8;          // older values in a row that one thread is given
constexpr std::uint32_t repeats_of_poller = 64;   // the same word, unchanged, so often: a poller
constexpr std::uint32_t idle_before_yield = 256;  // several words, all unchanged: let others go first

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

bool acquires(order o) { return o == order::acquire || o == order::acq_rel; }
bool releases(order o) { return o == order::release || o == order::acq_rel; }

location& location_of(const void* p) {
  block_state& b = *self->block;
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  return p >= b.arena && p < b.arena + shared_limit ? b.shared_locations[address]
                                                    : current_machine->global_locations[address];
}

// A message synchronizes with its reader only if each names a scope that has the other in it.
void take(const message& m, order o, scope s) {
  if (!m.released) return;
  const bool same_block = m.thread / current_machine->block_threads == self->block->rank;
  if (!same_block && (m.scope != scope::device || s != scope::device)) return;
  knowledge& to = acquires(o) ? self->known : same_block ? self->to_acquire_in_block : self->to_acquire;
  to = joined(to, m.released);
}

// Whether this thread may not miss what `thread` did at `t`.
bool must_have_seen(std::uint32_t thread, time_stamp t) {
  return ordered_before_me(thread, t) || self->seen.covers(thread / current_machine->block_threads, thread, t);
}

// Which of the messages a load takes.
std::size_t pick_message(const location& at) {
  machine& m = *current_machine;
  const thread_state& me = *self;
  const std::size_t newest = at.history.size() - 1;
  if (!m.rules.weak_memory || newest == 0 || me.stale_run >= stale_limit || m.chance.below(2) == 0) return newest;
  std::size_t oldest = newest;
  while (oldest > 0 && !must_have_seen(at.history[oldest].thread, at.history[oldest].time)) oldest--;
  for (const auto& [thread, read] : at.readers)
    if (read.first >= at.first + oldest && (thread == me.grid_rank || must_have_seen(thread, read.second)))
      oldest = std::size_t(read.first - at.first);
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
    at.readers.clear();
    at.first = 0;
  }
  const time_stamp now = stamp(me.block->epoch, me.step);

  if (op == atomic_op::load) {
    const std::size_t newest = at.history.size() - 1, taken = pick_message(at);
    me.last_was_stale = taken != newest;
    if (taken != newest) {
      me.stale_run++;
      m.counts.stale_loads++;
    } else {
      me.stale_run = 0;
    }
    if (m.rules.weak_memory) at.readers[me.grid_rank] = {at.first + taken, now};
    take(at.history[taken], o, s);
    return at.history[taken].value;
  }

  const bool reads = op != atomic_op::store;  // a read-modify-write reads the newest value
  if (reads) take(at.history.back(), o, s);
  message mine;
  mine.value = apply(op, old, value, compare, size);
  mine.thread = me.grid_rank;
  mine.time = now;
  mine.scope = s;
  if (releases(o)) {
    mine.released = snapshot(me);
    next_step(me);
  } else if (me.released) {  // a fence released before it
    mine.released = me.released;
    mine.scope = me.released_scope;
  }
  if (reads) mine.released = joined(at.history.back().released, mine.released);  // a release sequence goes on
  const bool changed = mine.value != old;
  std::memcpy(p, &mine.value, size);
  if (!m.rules.weak_memory) at.history.clear();
  at.history.push_back(std::move(mine));
  if (at.history.size() > history_limit) {
    at.history.erase(at.history.begin());
    at.first++;
  }
  if (changed) m.change++;
  return old;
}

// A thread that finds nothing new again and again is polling, hint or no hint: it sleeps, or at least lets others go
// first.
void notice_polling(const void* p, const word& found, const char* file, int line) {
  machine& m = *current_machine;
  thread_state& me = *self;
  const bool nothing_new = me.change_seen == m.change && !me.last_was_stale;
  const bool same = nothing_new && me.polled == p && me.polled_value == found;
  me.look_was_stale |= me.last_was_stale;
  me.polled = p;
  me.polled_value = found;
  me.change_seen = m.change;
  me.repeats = same ? me.repeats + 1 : 0;
  me.idle_accesses = nothing_new ? me.idle_accesses + 1 : 0;
  if (me.repeats >= repeats_of_poller) {
    me.repeats = 0;
    spin(file, line);
  } else if (me.idle_accesses >= idle_before_yield) {
    me.idle_accesses = 0;
    yield_now();
  }
}

}  // namespace

word atomic_access(atomic_op op, void* p, unsigned size, const word& value, const word& compare, order o, scope s,
                   const char* file, int line) {
  machine& m = *current_machine;
  thread_state& me = *self;
  me.file = file;
  me.line = line;
  auto access = [&] {
    return text("atomic access of %u bytes at ", size) + what_at(p) + " by " + who(me) + ", at " + where(file, line);
  };
  if (!device_memory::holds(p)) fail(error_kind::out_of_bounds, access());
  if (reinterpret_cast<std::uintptr_t>(p) & (size - 1)) fail(error_kind::misaligned, access());
  if (++m.counts.atomics > m.rules.max_steps)
    fail(error_kind::watchdog, "too many atomic accesses, the last: " + access());
  if (!me.looks) {
    me.looks = true;
    me.look_began = m.change;
  }
  maybe_preempt(m.rules.preempt_atomic);
  if (instrumented() || m.rules.clocks)
    check_access(p, size, op != atomic_op::load, true, s == scope::block, site_of(file, line));
  else if (!device_memory::is_addressable(p, size)) fail(error_kind::out_of_bounds, access());

  word old;
  std::memcpy(static_cast<void*>(&old), p, size);
  word found = old;
  if (m.rules.clocks) {
    found = access_with_history(op, p, size, value, compare, o, s, old);
  } else if (op != atomic_op::load) {
    if (const word changed = apply(op, old, value, compare, size); changed != old) {
      std::memcpy(p, &changed, size);
      m.change++;
    }
  }
  notice_polling(p, found, file, line);
  return found;
}

void fence(scope s, const char* file, int line) {
  machine& m = *current_machine;
  thread_state& me = *self;
  me.file = file;
  me.line = line;
  if (m.rules.clocks) {
    me.known = joined(me.known, std::exchange(me.to_acquire_in_block, {}));
    if (s == scope::device) me.known = joined(me.known, std::exchange(me.to_acquire, {}));
    me.released = snapshot(me);
    me.released_scope = s;
    next_step(me);
    if (s == scope::device && m.rules.weak_memory) {
      // Sequentially consistent fences have one order: a later one sees what an earlier one had behind it.
      me.seen = joined(me.seen, m.fenced);
      m.fenced = joined(m.fenced, joined(me.released, me.seen));
    }
  }
  maybe_preempt(m.rules.preempt_atomic);
}

}  // namespace ballot::emulator
