// SPDX-License-Identifier: Apache-2.0
// Litmus tests: which outcomes of racing accesses the memory model shows. Allowed ones are seen,
// forbidden ones never.
#include <support/schedules.hpp>

#include <emulator/words.hpp>

namespace {

namespace simt = ballot::simt;
using ballot::test::device_items;

enum class shape {
  message_passing,
  store_buffering,
  coherence,
  iriw,
  causality,
  wide_message,
  read_then_release,
  read_then_meet,
  store_buffering_in_block,
  store_buffering_in_block_mixed
};

struct alignas(16) wide {
  unsigned long long a, b;
};

// Ordered: releases and acquires where the shape has them, fences for store buffering.
template <shape Shape, bool Ordered>
__global__ void litmus(unsigned* x, unsigned* y, wide* w, unsigned* r) {
  const unsigned b = blockIdx.x;
  if constexpr (Shape == shape::store_buffering_in_block || Shape == shape::store_buffering_in_block_mixed) {
    // Two threads of a block, with fences of block scope, or one of each.
    constexpr auto first_scope = Shape == shape::store_buffering_in_block ? simt::scope::block : simt::scope::device;
    if (b != 0 || threadIdx.x > 1) return;
    const bool first = threadIdx.x == 0;
    simt::store_relaxed(first ? x : y, 1);
    if (Ordered && first) simt::fence<first_scope>();
    else if (Ordered) simt::fence<simt::scope::block>();
    r[threadIdx.x] = simt::load_relaxed(first ? y : x);
    return;
  }
  if constexpr (Shape == shape::read_then_meet) {
    // A thread reads twice, before a barrier and behind it; another one of its block reads behind it.
    if (b == 0 && threadIdx.x == 0) {
      simt::store_relaxed(x, 1);
      simt::store_relaxed(x, 2);
    } else if (b == 1) {
      if (threadIdx.x == 0) r[0] = simt::load_relaxed(x);
      simt::sync_block();
      if (threadIdx.x == 0) simt::load_relaxed(x);
      else if (threadIdx.x == 31) r[1] = simt::load_relaxed(x);
    }
    return;
  }
  if (threadIdx.x != 0) return;
  auto load = [](const unsigned* p) { return Ordered ? simt::load_acquire(p) : simt::load_relaxed(p); };
  auto store = [](unsigned* p, unsigned v) {
    if (Ordered) simt::store_release(p, v);
    else simt::store_relaxed(p, v);
  };
  if constexpr (Shape == shape::message_passing) {
    if (b == 0) {
      simt::store_relaxed(x, 1);
      store(y, 1);
    } else if (b == 1) {
      r[0] = load(y);
      r[1] = simt::load_relaxed(x);
    }
  } else if constexpr (Shape == shape::wide_message) {
    if (b == 0) {
      simt::store_relaxed(x, 1);
      if (Ordered) simt::store_release(w, wide{7, 8});
      else simt::store_relaxed(w, wide{7, 8});
    } else if (b == 1) {
      const wide v = Ordered ? simt::load_acquire(w) : simt::load_relaxed(w);
      r[0] = v.a == 7;
      r[1] = simt::load_relaxed(x);
      r[2] = (v.a == 7) != (v.b == 8);  // torn
    }
  } else if constexpr (Shape == shape::store_buffering) {
    if (b < 2) {
      simt::store_relaxed(b == 0 ? x : y, 1);
      if (Ordered) simt::fence();
      r[b] = simt::load_relaxed(b == 0 ? y : x);
    }
  } else if constexpr (Shape == shape::coherence) {
    if (b == 0) simt::store_relaxed(x, 1);
    else if (b == 1) {
      r[0] = simt::load_relaxed(x);
      r[1] = simt::load_relaxed(x);
    }
  } else if constexpr (Shape == shape::iriw) {
    if (b == 0) store(x, 1);
    else if (b == 1) store(y, 1);
    else {
      r[2 * b - 4] = load(b == 2 ? x : y);
      r[2 * b - 3] = load(b == 2 ? y : x);
    }
  } else if constexpr (Shape == shape::read_then_release) {
    // The second block has read x when it releases, and reads it again.
    if (b == 0) {
      simt::store_relaxed(x, 1);
      simt::store_relaxed(x, 2);
    } else if (b == 1) {
      r[0] = simt::load_relaxed(x);
      store(y, 1);
      simt::load_relaxed(x);
    } else if (b == 2) {
      r[1] = load(y);
      r[2] = simt::load_relaxed(x);
    }
  } else {
    if (b == 0) store(x, 1);
    else if (b == 1) {
      r[0] = load(x);
      store(y, 1);
    } else if (b == 2) {
      r[1] = load(y);
      r[2] = simt::load_relaxed(x);
    }
  }
}

template <shape Shape, bool Ordered, class Outcome>
int count(Outcome outcome, int runs = 1500) {
  int n = 0;
  device_items x(1), y(1), r(4);
  device_items<wide> w(1);
  for (int s = 1; s <= runs; s++) {
    ballot::emulator::policy p;
    p.seed = unsigned(s);
    p.scheduler = ballot::emulator::scheduler_kind::random;
    p.max_resident = 4;
    p.preempt_atomic = 2;
    p.clocks = p.weak_memory = true;
    const ballot::emulator::scoped_policy scope(p);
    simt::fill_bytes(nullptr, x.data(), 0, 4);
    simt::fill_bytes(nullptr, y.data(), 0, 4);
    simt::fill_bytes(nullptr, w.data(), 0, 16);
    simt::fill_bytes(nullptr, r.data(), 0, 16);
    simt::launch(litmus<Shape, Ordered>, {.grid = 4, .block = 32}, x.data(), y.data(), w.data(), r.data());
    n += outcome(r.read());
  }
  return n;
}

}  // namespace

TEST_CASE("message passing: an old value behind a new flag, unless released and acquired") {
  auto old_behind_new = [](const auto& r) { return r[0] == 1 && r[1] == 0; };
  CHECK(count<shape::message_passing, false>(old_behind_new) > 0);
  CHECK(count<shape::message_passing, true>(old_behind_new) == 0);
}

TEST_CASE("16 bytes pass messages as a whole") {
  auto old_behind_new = [](const auto& r) { return r[0] == 1 && r[1] == 0; };
  CHECK(count<shape::wide_message, false>(old_behind_new) > 0);
  CHECK(count<shape::wide_message, true>(old_behind_new) == 0);
  CHECK(count<shape::wide_message, false>([](const auto& r) { return r[2] != 0; }) == 0);
}

TEST_CASE("store buffering: both miss the other's store, unless both fence") {
  auto both_miss = [](const auto& r) { return r[0] == 0 && r[1] == 0; };
  CHECK(count<shape::store_buffering, false>(both_miss) > 0);
  CHECK(count<shape::store_buffering, true>(both_miss) == 0);
  CHECK(count<shape::store_buffering_in_block, false>(both_miss) > 0);
  CHECK(count<shape::store_buffering_in_block, true>(both_miss) == 0);
  CHECK(count<shape::store_buffering_in_block_mixed, true>(both_miss) == 0);
}

TEST_CASE("coherence: one word never goes back") {
  CHECK(count<shape::coherence, false>([](const auto& r) { return r[0] == 1 && r[1] == 0; }) == 0);
}

TEST_CASE("coherence: what a thread has read stays read, also for threads that synchronise with it") {
  auto went_back = [](const auto& r) { return r[1] == 1 && r[2] < r[0]; };
  CHECK(count<shape::read_then_release, false>(went_back) > 0);
  CHECK(count<shape::read_then_release, true>(went_back) == 0);
  CHECK(count<shape::read_then_meet, false>([](const auto& r) { return r[1] < r[0]; }) == 0);
}

TEST_CASE("independent reads of independent writes: readers may disagree, acquire or not") {
  auto disagree = [](const auto& r) { return r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0; };
  CHECK(count<shape::iriw, false>(disagree) > 0);
  CHECK(count<shape::iriw, true>(disagree) > 0);
}

TEST_CASE("causality goes through a third thread, if released and acquired") {
  auto broken = [](const auto& r) { return r[0] == 1 && r[1] == 1 && r[2] == 0; };
  CHECK(count<shape::causality, false>(broken) > 0);
  CHECK(count<shape::causality, true>(broken) == 0);
}
