// SPDX-License-Identifier: Apache-2.0
// A grid that is one cluster: its barrier, and the shared memory of its other blocks.
#include <algorithm>

#include "device_memory.hpp"
#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

// Calls use(warp) for each warp of the grid, by rank.
template <class Use>
void for_each_warp(const machine& m, Use use) {
  std::vector<block_state*> by_rank(m.blocks);
  for (const auto& b : m.slots)
    if (b->slot < m.resident) by_rank[b->rank] = b.get();
  for (block_state* b : by_rank)
    for (warp_state& w : b->warps) use(w);
}

// What the arrived threads release: their own accesses, and all that happen before these.
vector_clock released_by_all(const machine& m) {
  auto* const own = new_entries();
  const vector_clock arrivals(own);
  vector_clock before = m.cluster.passed;  // of the phase before, which all have waited for
  for_each_warp(m, [&](warp_state& w) {
    for (std::uint32_t l = 0; l < 32; l++) {
      const timestamp time = std::exchange(w.cluster_times[l], 0);
      if (time == 0) continue;  // arrived relaxed, and synchronized with no lane that did not
      const thread_state& t = *w.lanes[l];
      const std::uint32_t block = w.block->rank, epoch = epoch_of(time);
      if (own->blocks.empty() || own->blocks.back().first != block) own->blocks.emplace_back(block, epoch);
      else own->blocks.back().second = std::max(own->blocks.back().second, epoch);
      own->threads.emplace_back(t.grid_rank, time);
      before = joined(before, t.cluster_released);
    }
  });
  return joined(before, arrivals);
}

// The instructions are aligned: all lanes of a warp arrive together, but for those that have left in
// an earlier phase.
void require_whole_warps(const machine& m) {
  for_each_warp(m, [&](const warp_state& w) {
    const thread_state *arrived = nullptr, *left = nullptr;
    for (std::uint32_t l = 0; l < 32 && w.index * 32 + l < m.block_threads; l++) {
      const thread_state& t = *w.lanes[l];
      if (t.cluster_arrivals > m.cluster.phase) arrived = &t;
      else if (t.cluster_left == m.cluster.phase) left = &t;
    }
    if (arrived && left)
      fail(error_kind::barrier_divergence, "part of a warp arrives at the cluster's barrier: " + who(*arrived) +
                                               " does, and " + who(*left) + " exits instead");
  });
}

void complete_phase(machine& m) {
  cluster_state& c = m.cluster;
  if (m.rules.strict_barrier) require_whole_warps(m);
  m.memory_version++;
  if (m.rules.clocks) {
    vector_clock passed = released_by_all(m);
    c.passed_before = std::exchange(c.passed, std::move(passed));
  }
  c.phase++;
  c.arrived = c.gone = 0;
  for_each_warp(m, [&](const warp_state& w) {
    for (std::uint32_t l = 0; l < 32 && w.index * 32 + l < m.block_threads; l++)
      c.gone += w.lanes[l]->status == thread_status::exited;
  });
  for (thread_state* t : std::exchange(c.waiting, {})) make_ready(*t);
}

// The thread's own accesses, and those of its warp's lanes that it has synchronized with.
void release_lanes(const thread_state& t) {
  for (std::uint32_t l = 0; l < 32; l++)
    if (const std::uint32_t step = l == t.lane ? t.step : t.warp_steps[l]; step != 0)
      t.warp->cluster_times[l] = std::max(t.warp->cluster_times[l], stamp(t.block->epoch, step));
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
  const inside_emulator guard;
  require_cluster("cluster_arrive", file, line);
  machine& m = *current_machine;
  thread_state& t = *self;
  if (t.cluster_arrivals != t.cluster_waits)
    fail(error_kind::barrier_divergence,
         who(t) + " arrives twice at the cluster's barrier, at " + where(file, line) + ", without a wait between");
  t.cluster_arrivals++;
  if (m.rules.clocks) {
    t.cluster_released = {};
    if (releases) {
      t.cluster_released = t.clock;
      release_lanes(t);
    }
    advance_step(t);
  }
  m.cluster.arrived++;
  complete_if_all_arrived(m);
}

void cluster_wait(const char* file, int line) {
  const inside_emulator guard;
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
  self->cluster_left = m.cluster.phase;
  if (self->cluster_arrivals <= m.cluster.phase) {
    m.cluster.gone++;
    complete_if_all_arrived(m);
  }
}

void* shared_of_block(void* mine, std::size_t bytes, unsigned block, const char* file, int line) {
  const inside_emulator guard;
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
