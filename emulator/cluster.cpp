// SPDX-License-Identifier: Apache-2.0
// A grid that is one cluster: its barrier, and the shared memory of its other blocks.
#include <algorithm>

#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

// Calls use(thread) for each thread of the grid, by rank.
template <class Use>
void for_each_thread(const machine& m, Use use) {
  std::vector<const block_state*> by_rank(m.blocks);
  for (const auto& b : m.slots)
    if (b->slot < m.resident) by_rank[b->rank] = b.get();
  for (const block_state* b : by_rank)
    for (thread_state* t : b->thread) use(*t);
}

// The accesses that the arrived threads release: their own, and all that happen before these.
vector_clock released_by_all(const machine& m) {
  auto* const own = new_entries();
  const vector_clock arrivals(own);
  vector_clock before;
  for_each_thread(m, [&](const thread_state& t) {
    if (t.cluster_arrivals <= m.cluster.phase || t.cluster_arrival == 0) return;  // exited, or arrived relaxed
    const std::uint32_t block = t.block->rank, epoch = epoch_of(t.cluster_arrival);
    if (own->blocks.empty() || own->blocks.back().first != block) own->blocks.emplace_back(block, epoch);
    else own->blocks.back().second = std::min(own->blocks.back().second, epoch);
    own->threads.emplace_back(t.grid_rank, t.cluster_arrival);
    before = joined(before, t.cluster_released);
  });
  return joined(before, arrivals);
}

void complete_phase(machine& m) {
  cluster_state& c = m.cluster;
  m.memory_version++;
  if (m.rules.clocks) {
    c.passed_before = c.passed;
    c.passed = released_by_all(m);
  }
  c.phase++;
  c.arrived = c.gone = 0;
  for_each_thread(m, [&](const thread_state& t) { c.gone += t.status == thread_status::exited; });
  for (thread_state* t : std::exchange(c.waiting, {})) make_ready(*t);
}

void complete_if_all_arrived(machine& m) {
  if (m.cluster.arrived != 0 && m.cluster.arrived + m.cluster.gone == m.blocks * m.block_threads) complete_phase(m);
}

void require_cluster(const char* what, const char* file, int line) {
  if (!current_machine->grid.is_cluster)
    fail(error_kind::barrier_divergence,
         std::string(what) + " by " + who(*self) + " at " + where(file, line) + ": the grid is no cluster");
}

}  // namespace

void cluster_arrive(bool releases, const char* file, int line) {
  require_cluster("cluster_arrive", file, line);
  machine& m = *current_machine;
  thread_state& t = *self;
  if (t.cluster_arrivals != t.cluster_waits)
    fail(error_kind::barrier_divergence,
         who(t) + " arrives twice at the cluster's barrier, at " + where(file, line) + ", without a wait between");
  t.cluster_arrivals++;
  if (m.rules.clocks) {
    t.cluster_arrival = releases ? stamp(t.block->epoch, t.step) : 0;
    t.cluster_released = releases ? t.clock : vector_clock();
    advance_step(t);
  }
  m.cluster.arrived++;
  complete_if_all_arrived(m);
}

void cluster_wait(const char* file, int line) {
  require_cluster("cluster_wait", file, line);
  machine& m = *current_machine;
  thread_state& t = *self;
  if (t.cluster_arrivals == t.cluster_waits)
    fail(error_kind::barrier_divergence,
         who(t) + " waits at the cluster's barrier, at " + where(file, line) + ", where it has not arrived");
  t.cluster_waits++;
  if (m.cluster.phase < t.cluster_waits) {
    m.cluster.waiting.push_back(&t);
    t.status = thread_status::at_cluster_barrier;
    t.file = file;
    t.line = line;
    reschedule();
  }
  if (!m.rules.clocks) return;
  // Most threads have learnt nothing since the phase before, which this one includes.
  const bool only_before = m.cluster.passed_before && t.clock.same_as(m.cluster.passed_before);
  t.clock = only_before ? m.cluster.passed : joined(t.clock, m.cluster.passed);
}

void leave_cluster() {
  machine& m = *current_machine;
  const block_state& b = *self->block;
  if (b.exited == b.threads && m.grid.shared_bytes != 0)  // nobody reaches it from here on
    device_memory::set_state(b.shared, m.grid.shared_bytes, false, false);
  if (self->cluster_arrivals <= m.cluster.phase) {
    m.cluster.gone++;
    complete_if_all_arrived(m);
  }
}

void* shared_of_block(void* mine, std::size_t bytes, unsigned block, const char* file, int line) {
  require_cluster("shared_of_block", file, line);
  machine& m = *current_machine;
  const thread_state& t = *self;
  auto* const address = static_cast<char*>(mine);
  const auto refuse = [&](const std::string& why) {
    fail(error_kind::bad_shared, who(t) + " at " + where(file, line) + ": " + why);
  };
  if (address < t.block->shared || address + bytes > t.block->shared + m.grid.shared_bytes)
    refuse("shared_of_block takes an object in the block's own shared memory");
  if (block >= m.blocks)
    refuse(text("block %u of a cluster of %llu", block, static_cast<unsigned long long>(m.blocks)));
  if (t.cluster_waits == 0) refuse("the cluster has not met yet: another block may not have begun");
  for (const auto& b : m.slots) {
    if (b->slot >= m.resident || b->rank != block) continue;
    if (!b->busy) refuse(text("block %u has ended", block));
    return b->shared + (address - t.block->shared);
  }
  refuse("no such block");
  return nullptr;
}

}  // namespace ballot::emulator
