// SPDX-License-Identifier: Apache-2.0
// Pollers: who sleeps until memory changes, and who is woken when.
//
// With a spin hint a thread says that it has nothing to do until then. Without one it is taken for a
// poller when it has loaded the same unchanged word some times. But its loop may be a bounded one. So
// it goes on, too, when no other thread can. Only after many such rounds it is told as a deadlock.
#include <algorithm>

#include "state.hpp"

namespace ballot::emulator {

namespace {

constexpr std::uint32_t repeats_of_poller = 64;   // so many loads of the same unchanged word without a hint: sleep
constexpr std::uint32_t idle_before_yield = 256;  // so many loads of several unchanged words: yield
constexpr std::uint32_t most_idle_rounds = 256;   // of these 64 loads, while no other thread can go on: a deadlock
// Who changes memory with each poll never sleeps. After so many such polls, those have their turn that
// sleep, and a block that has not started.
constexpr std::uint32_t most_busy_polls = 16;

void sleep(bool hinted) {
  machine& m = *current_machine;
  thread_state& t = *self;
  if (m.version_woken != m.memory_version) wake_pollers(m);  // those that slept before the last change go first
  t.hinted = hinted;
  t.status = thread_status::polling;
  m.pollers.push_back(&t);
  reschedule();
}

}  // namespace

void wake_pollers(machine& m) {
  for (thread_state* t : m.pollers) make_ready(*t);
  m.pollers.clear();
  m.version_woken = m.memory_version;
  m.busy_polls = 0;
}

bool wake_resting(machine& m) {
  if (m.idle_version != m.memory_version) {
    m.idle_version = m.memory_version;
    m.idle_rounds = 0;
  }
  if (++m.idle_rounds > most_idle_rounds) return false;
  const auto resting =
      std::stable_partition(m.pollers.begin(), m.pollers.end(), [](const thread_state* t) { return t->hinted; });
  if (resting == m.pollers.end()) return false;
  for (auto t = resting; t != m.pollers.end(); ++t) make_ready(**t);
  m.pollers.erase(resting, m.pollers.end());
  return true;
}

// A thread that repeatedly loads unchanged values may be polling without a hint: it sleeps, or at
// least yields.
void notice_polling(const void* p, const word& found) {
  machine& m = *current_machine;
  thread_state& me = *self;
  const bool nothing_new = me.version_seen == m.memory_version && !me.last_was_stale;
  const bool same = nothing_new && me.polled == p && me.polled_value == found;
  me.poll_was_stale |= me.last_was_stale;
  me.polled = p;
  me.polled_value = found;
  me.version_seen = m.memory_version;
  me.repeats = same ? me.repeats + 1 : 0;
  me.idle_accesses = nothing_new ? me.idle_accesses + 1 : 0;
  if (me.repeats >= repeats_of_poller) {
    me.repeats = 0;
    m.stats.parks++;
    sleep(false);
  } else if (me.idle_accesses >= idle_before_yield) {
    me.idle_accesses = 0;
    yield_now();
  }
}

void spin(const char* file, int line) {
  const inside_emulator guard;
  machine& m = *current_machine;
  thread_state& t = *self;
  m.stats.parks++;
  t.file = file;
  t.line = line;
  // Memory has changed since the poll began, or the poll got an older value: it may be repeated at
  // once.
  const bool poll_again = (t.in_poll && t.poll_began != m.memory_version) || t.poll_was_stale;
  t.in_poll = t.poll_was_stale = false;
  if (t.version_seen != m.memory_version || poll_again) {
    if (m.version_woken != m.memory_version && ++m.busy_polls >= most_busy_polls) {
      wake_pollers(m);
      if (!m.free_slots.empty() && m.next_block < m.blocks) start_next_block(m);
    }
    yield_now();
    return;
  }
  sleep(true);
}

}  // namespace ballot::emulator
