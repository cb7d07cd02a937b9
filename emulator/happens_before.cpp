// SPDX-License-Identifier: Apache-2.0
// Vector clocks at synchronization: a thread's clock after a barrier, and the clock that it
// releases.
#include <algorithm>
#include <cstring>

#include "state.hpp"

namespace ballot::emulator {

vector_clock joined(const vector_clock& a, const vector_clock& b) {
  return join(a, b, current_machine->block_threads, current_machine->stats.joins);
}

void advance_step(thread_state& t) {
  if (++t.step == step_limit) fail(error_kind::watchdog, who(t) + " synchronized too often between two block barriers");
}

vector_clock clock_of(const thread_state& t) {
  auto* own = new_entries();
  const vector_clock mine(own);
  const std::uint32_t epoch = t.block->epoch;
  own->blocks.emplace_back(t.block->rank, epoch);
  const std::uint32_t first = t.grid_rank - t.lane;  // lane 0 of the warp
  for (std::uint32_t l = 0; l < 32; l++)
    if (const std::uint32_t step = l == t.lane ? t.step : t.warp_steps[l]; step != 0)
      own->threads.emplace_back(first + l, stamp(epoch, step));
  return joined(t.clock, mine);
}

void synchronize_lanes(warp_state& w, std::uint32_t lanes) {
  std::uint32_t steps[32] = {};
  vector_clock clock;
  for (std::uint32_t l = 0; l < 32; l++) {
    if (!(lanes >> l & 1)) continue;
    const thread_state& t = *w.lanes[l];
    for (int i = 0; i < 32; i++) steps[i] = std::max(steps[i], t.warp_steps[i]);
    clock = joined(clock, t.clock);
  }
  for (std::uint32_t l = 0; l < 32; l++)
    if (lanes >> l & 1) steps[l] = w.lanes[l]->step;
  for (std::uint32_t l = 0; l < 32; l++) {
    if (!(lanes >> l & 1)) continue;
    thread_state& t = *w.lanes[l];
    std::copy(std::begin(steps), std::end(steps), t.warp_steps);
    t.clock = clock;
    advance_step(t);
  }
}

void synchronize_block(block_state& b) {
  vector_clock clock;
  for (std::uint32_t i = 0; i < b.threads; i++) clock = joined(clock, b.thread[i]->clock);
  b.epoch++;
  for (std::uint32_t i = 0; i < b.threads; i++) {
    thread_state& t = *b.thread[i];
    t.clock = clock;
    t.step = 1;
    std::fill(std::begin(t.warp_steps), std::end(t.warp_steps), 0);
  }
}

}  // namespace ballot::emulator
