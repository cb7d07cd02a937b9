// SPDX-License-Identifier: Apache-2.0
// Collectives of a warp. Each lane passes a value and a mask. It waits until all lanes of its mask
// have arrived at the same operation, mask, line and function. Only sync orders memory.
#include <algorithm>

#include "state.hpp"
#include "text.hpp"

namespace ballot::emulator {

namespace {

const char* name_of(warp_op op) {
  constexpr const char* names[] = {"sync_warp",  "ballot",       "any",         "all",        "shuffle",
                                   "shuffle_up", "shuffle_down", "shuffle_xor", "match_any",  "match_all",
                                   "reduce_add", "reduce_min",   "reduce_max",  "reduce_min", "reduce_max",
                                   "reduce_and", "reduce_or",    "reduce_xor"};
  return names[int(op)];
}

// Calls f(lane) for each lane of the mask, the lowest first.
template <class F>
void for_each_lane(std::uint32_t mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(std::uint32_t(__builtin_ctz(mask)));
}

std::string call_of(const warp_state& w, std::uint32_t lane) {
  return text("%s(mask %08x) at ", name_of(w.calls[lane].op), w.calls[lane].mask) +
         where(w.calls[lane].file, w.calls[lane].line) + " in " + w.calls[lane].function;
}

std::uint32_t source_lane(const warp_state& w, std::uint32_t l) {
  const std::uint32_t a = w.calls[l].argument;
  if (w.calls[l].op == warp_op::shuffle) return a & 31;
  if (a > 31) fail(error_kind::collective_misuse, call_of(w, l) + text(": a distance of %u, more than 31", a));
  if (w.calls[l].op == warp_op::shuffle_up) return l < a ? l : l - a;
  if (w.calls[l].op == warp_op::shuffle_down) return l + a > 31 ? l : l + a;
  return l ^ a;
}

void compute_shuffle(warp_state& w, std::uint32_t lanes) {
  machine& m = *current_machine;
  for_each_lane(lanes, [&](std::uint32_t l) {
    const std::uint32_t from = source_lane(w, l);
    if (lanes >> from & 1) {
      w.calls[l].result = w.calls[from].value;
      return;
    }
    if (m.rules.strict_shuffle)
      fail(error_kind::collective_misuse,
           call_of(w, l) +
               text(": block %u warp %u lane %u reads lane %u, which takes no part", w.block->rank, w.index, l, from));
    w.calls[l].result = {m.chance.next(), m.chance.next()};
  });
}

void compute_match_any(warp_state& w, std::uint32_t lanes) {
  for (std::uint32_t rest = lanes; rest != 0;) {
    const word& v = w.calls[__builtin_ctz(rest)].value;
    std::uint32_t same = 0;
    for_each_lane(rest, [&](std::uint32_t l) { same |= std::uint32_t(w.calls[l].value == v) << l; });
    for_each_lane(same, [&](std::uint32_t l) { w.calls[l].result = {same, 0}; });
    rest &= ~same;
  }
}

std::uint32_t reduce(warp_op op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
    case warp_op::add:
      return a + b;
    case warp_op::min_u:
      return std::min(a, b);
    case warp_op::max_u:
      return std::max(a, b);
    case warp_op::min_s:
      return std::uint32_t(std::min(std::int32_t(a), std::int32_t(b)));
    case warp_op::max_s:
      return std::uint32_t(std::max(std::int32_t(a), std::int32_t(b)));
    case warp_op::and_:
      return a & b;
    case warp_op::or_:
      return a | b;
    default:
      return a ^ b;
  }
}

void compute(warp_state& w, std::uint32_t lanes, warp_op op) {
  auto everyone = [&](std::uint32_t v) { for_each_lane(lanes, [&](std::uint32_t l) { w.calls[l].result = {v, 0}; }); };
  const std::uint32_t first = std::uint32_t(__builtin_ctz(lanes));
  std::uint32_t votes = 0;
  switch (op) {
    case warp_op::sync:
      return;
    case warp_op::ballot:
    case warp_op::any:
    case warp_op::all:
      for_each_lane(lanes, [&](std::uint32_t l) { votes |= std::uint32_t(w.calls[l].value.low) << l; });
      return everyone(op == warp_op::ballot ? votes : op == warp_op::any ? votes != 0 : votes == lanes);
    case warp_op::shuffle:
    case warp_op::shuffle_up:
    case warp_op::shuffle_down:
    case warp_op::shuffle_xor:
      return compute_shuffle(w, lanes);
    case warp_op::match_any:
      return compute_match_any(w, lanes);
    case warp_op::match_all:
      for_each_lane(lanes,
                    [&](std::uint32_t l) { votes |= std::uint32_t(w.calls[l].value == w.calls[first].value) << l; });
      return everyone(votes == lanes ? w.calls[first].mask : 0);
    default: {
      std::uint32_t sum = std::uint32_t(w.calls[first].value.low);
      for_each_lane(lanes & (lanes - 1),
                    [&](std::uint32_t l) { sum = reduce(op, sum, std::uint32_t(w.calls[l].value.low)); });
      return everyone(sum);
    }
  }
}

bool same_call(const warp_state& w, std::uint32_t a, std::uint32_t b) {
  const collective_call &x = w.calls[a], &y = w.calls[b];
  return x.mask == y.mask && x.op == y.op && x.line == y.line && same_text(x.file, y.file) &&
         same_text(x.function, y.function);
}

}  // namespace

// Completes the collective that `lane` waits in, if all live lanes of its mask are there.
bool try_complete_collective(warp_state& w, std::uint32_t lane) {
  machine& m = *current_machine;
  const std::uint32_t lanes = w.calls[lane].mask & ~w.exited;
  if (lanes & ~w.waiting) return false;
  bool complete = true;
  for_each_lane(lanes, [&](std::uint32_t l) {
    if (!complete || same_call(w, l, lane)) return;
    if (w.calls[l].mask >> lane & 1)
      fail(error_kind::collective_misuse, text("block %u warp %u: lane %u is in ", w.block->rank, w.index, lane) +
                                              call_of(w, lane) + text(" while lane %u is in ", l) + call_of(w, l));
    complete = false;  // that lane may still arrive after its own collective
  });
  if (!complete) return false;
  m.stats.collectives++;
  compute(w, lanes, w.calls[lane].op);
  w.waiting &= ~lanes;
  if (m.rules.clocks && (w.calls[lane].op == warp_op::sync || m.rules.votes_order_memory)) synchronize_lanes(w, lanes);
  make_ready(w, &w == self->warp ? lanes & ~(1u << self->lane) : lanes);
  return true;
}

word warp_collective(warp_op op, unsigned mask, const word& value, unsigned argument, const char* file, int line,
                     const char* function) {
  const inside_emulator guard;
  machine& m = *current_machine;
  thread_state& t = *self;
  warp_state& w = *t.warp;
  const std::uint32_t l = t.lane;
  w.calls[l].value = value;
  w.calls[l].mask = mask;
  w.calls[l].argument = argument;
  w.calls[l].file = file;
  w.calls[l].line = line;
  w.calls[l].function = function;
  w.calls[l].op = op;
  t.file = file;
  t.line = line;
  if (!(mask >> l & 1)) fail(error_kind::collective_misuse, call_of(w, l) + ": " + who(t) + " is not in its own mask");
  w.waiting |= 1u << l;
  if (try_complete_collective(w, l)) {
    if (m.by_chance && m.chance.below(2)) yield_now();
  } else {
    t.status = thread_status::in_collective;
    reschedule();
  }
  t.status = thread_status::ready;
  return w.calls[l].result;
}

}  // namespace ballot::emulator
