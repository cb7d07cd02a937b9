// SPDX-License-Identifier: Apache-2.0
// Barriers of a block: the one of all threads, and the named ones. Both order memory.
//
// A named barrier counts warps, each as 32 threads. Whoever arrives, to wait or not, waits for the
// other lanes of its warp that have not exited (PTX: barrier.sync, barrier.arrive).
#include <utility>

#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

void complete_barrier(block_state& b) {
  machine& m = *current_machine;
  m.stats.barriers++;
  m.memory_version++;
  b.arrived = 0;
  b.barrier_result = b.barrier_sum;
  if (m.rules.clocks) synchronize_block(b);
  for (std::size_t i = b.warps.size(); i-- > 0;) {
    // so that depth first, which takes the last one first, also goes through a block in order
    warp_state& w = b.warps[m.front ? i : b.warps.size() - 1 - i];
    const std::uint32_t lanes = w.at_barrier;
    w.at_barrier = 0;
    make_ready(w, lanes);
  }
}

int block_barrier(block_op op, bool p, const char* file, int line, const char* function) {
  const inside_emulator guard;
  machine& m = *current_machine;
  thread_state& t = *self;
  block_state& b = *t.block;
  if (b.arrived == 0) {
    b.barrier_file = file;
    b.barrier_line = line;
    b.barrier_function = function;
    b.barrier_op = op;
    b.barrier_sum = op == block_op::all ? 1 : 0;
  } else if (m.rules.strict_barrier) {
    const bool same_line = b.barrier_line == line && b.barrier_op == op && same_text(b.barrier_file, file);
    if (!same_line || !same_text(b.barrier_function, function))
      fail(error_kind::barrier_divergence,
           who(t) + " reaches the barrier at " + where(file, line) + (same_line ? std::string(" in ") + function : "") +
               text(" while %u threads of its block wait at ", b.arrived) + where(b.barrier_file, b.barrier_line) +
               (same_line ? std::string(" in ") + b.barrier_function : ""));
  }
  if (b.exited != 0 && m.rules.strict_barrier)
    fail(error_kind::barrier_divergence, who(t) + " reaches the barrier at " + where(file, line) +
                                             text(" after %u threads of its block have exited", b.exited));
  switch (op) {
    case block_op::sync:
      break;
    case block_op::count:
      b.barrier_sum += p;
      break;
    case block_op::all:
      b.barrier_sum &= int(p);
      break;
    case block_op::any:
      b.barrier_sum |= int(p);
      break;
  }
  b.arrived++;
  t.warp->at_barrier |= 1u << t.lane;
  t.status = thread_status::at_barrier;
  t.file = file;
  t.line = line;
  if (b.arrived + b.exited == b.threads) complete_barrier(b);  // makes this thread ready, with the others
  reschedule();
  return b.barrier_result;
}

namespace {

// Counts the warp if all of its lanes have arrived that have not exited, and completes the barrier
// with the last one.
void count_warp(named_barrier_state& nb, warp_state& w) {
  machine& m = *current_machine;
  std::uint32_t& lanes = nb.lanes[w.index];
  if (lanes == 0 || (lanes | w.exited) != ~0u) return;
  lanes = 0;
  w.block->parted_warps--;
  make_ready(w, std::exchange(nb.passing[w.index], 0));
  nb.arrived += 32;
  if (nb.arrived != nb.expected) return;
  m.memory_version++;
  const auto waiting = std::move(nb.waiting);
  const vector_clock passed = std::move(nb.passed);
  nb.waiting.clear();
  nb.passed = {};
  nb.arrived = nb.expected = 0;
  for (thread_state* t : waiting) {
    if (m.rules.clocks) t->clock = joined(t->clock, passed);
    make_ready(*t);
  }
}

}  // namespace

void recount_named_barriers(warp_state& w) {
  for (named_barrier_state& nb : w.block->named) count_warp(nb, w);
}

void named_barrier(unsigned id, unsigned threads, bool wait, const char* file, int line) {
  const inside_emulator guard;
  machine& m = *current_machine;
  thread_state& t = *self;
  warp_state& w = *t.warp;
  block_state& b = *t.block;
  if (id == 0 || id > 15 || threads == 0 || threads % 32 != 0 || threads > (b.threads + 31) / 32 * 32)
    fail(error_kind::barrier_divergence, text("named barrier %u for %u threads at ", id, threads) + where(file, line) +
                                             ": the id is 1 to 15, the count a multiple of 32 and within the block");
  named_barrier_state& nb = b.named[id];
  if (nb.expected == 0) nb.expected = threads;
  else if (nb.expected != threads)
    fail(error_kind::barrier_divergence, text("named barrier %u: ", id) + who(t) + " at " + where(file, line) +
                                             text(" counts %u threads, others counted %u", threads, nb.expected));
  if (m.rules.clocks) {
    nb.passed = joined(nb.passed, clock_of(t));
    advance_step(t);
  }
  const std::uint32_t lane = 1u << t.lane;
  if (nb.lanes[w.index] == 0) b.parted_warps++;
  nb.lanes[w.index] |= lane;
  if (wait) nb.waiting.push_back(&t);
  else nb.passing[w.index] |= lane;
  t.status = thread_status::at_named_barrier;
  t.file = file;
  t.line = line;
  count_warp(nb, w);  // may make this thread ready, with the others
  reschedule();
}

}  // namespace ballot::emulator
