// SPDX-License-Identifier: Apache-2.0
// Atomics: every operation, type, order and scope, on global and on shared memory.
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace simt_atomics {

namespace simt = ballot::simt;
using ballot::test::device_items;

template <class T>
struct words {
  T add, min, max, and_, or_, xor_;
};

template <class T>
__device__ __forceinline__ T operand(unsigned i) {
  return T(T(i * 2654435761u) * T(0x10001) - T(77));
}

template <simt::order O, simt::scope S, class T>
__device__ __forceinline__ void update(words<T>& w, unsigned i) {
  simt::atomic_add<O, S>(&w.add, operand<T>(i));
  simt::atomic_min<O, S>(&w.min, operand<T>(i));
  simt::atomic_max<O, S>(&w.max, operand<T>(i));
  simt::atomic_and<O, S>(&w.and_, T(operand<T>(i) | T(0xff)));
  simt::atomic_or<O, S>(&w.or_, T(operand<T>(i) & T(0xff00ff)));
  simt::atomic_xor<O, S>(&w.xor_, operand<T>(i));
}

template <simt::order O, simt::scope S, class T>
__global__ void update_all(words<T>* global, words<T>* from_shared) {
  auto& s = simt::shared_storage<words<T>>();
  const unsigned t = threadIdx.x;
  if (t == 0) s = global[1];
  simt::sync_block();
  update<O, S>(global[0], t);
  update<O, simt::scope::block>(s, t);
  simt::sync_block();
  if (t == 0) *from_shared = s;
}

template <class T>
T host_operand(unsigned i) {
  return T(T(i * 2654435761u) * T(0x10001) - T(77));
}

template <simt::order O, simt::scope S, class T>
void check_updates() {
  constexpr unsigned n = 96;
  words<T> start{5, T(1000), T(1000), T(~T(0)), 0, T(0x1234)}, want = start;
  for (unsigned i = 0; i < n; i++) {
    const T v = host_operand<T>(i);
    want.add = T(want.add + v);
    want.min = std::min(want.min, v);
    want.max = std::max(want.max, v);
    want.and_ &= T(v | T(0xff));
    want.or_ |= T(v & T(0xff00ff));
    want.xor_ ^= v;
  }
  ballot::test::for_each_schedule([&] {
    device_items<words<T>> global(std::vector<words<T>>{start, start}), shared(1);
    simt::launch(update_all<O, S, T>, {.block = n, .shared_bytes = sizeof(words<T>)}, global.data(), shared.data());
    const words<T> g = global.read()[0], s = shared.read()[0];
    CHECK(std::memcmp(&g, &want, sizeof g) == 0);
    CHECK(std::memcmp(&s, &want, sizeof s) == 0);
  });
}

TEST_CASE_TEMPLATE("integers", T, std::uint32_t, std::uint64_t, unsigned long long) {
  using simt::order;
  using simt::scope;
  check_updates<order::relaxed, scope::device, T>();
  check_updates<order::acquire, scope::device, T>();
  check_updates<order::release, scope::device, T>();
  check_updates<order::acq_rel, scope::device, T>();
  check_updates<order::relaxed, scope::block, T>();
  check_updates<order::acquire, scope::block, T>();
  check_updates<order::release, scope::block, T>();
  check_updates<order::acq_rel, scope::block, T>();
}

template <class T>
__global__ void signed_extremes(T* p) {
  const T v = T(int(threadIdx.x) - 20);
  simt::atomic_min(p, v);
  simt::atomic_max(p + 1, v);
  simt::atomic_add(p + 2, v);
  simt::atomic_min<simt::order::acq_rel>(p + 3, v);
  simt::atomic_max<simt::order::acq_rel>(p + 4, v);
  simt::atomic_add<simt::order::acq_rel>(p + 5, v);
}

template <class T>
__global__ void sum_fractions(T* p) {
  const T v = T(threadIdx.x) / T(4);
  simt::atomic_add(p, v);
  simt::atomic_add<simt::order::acq_rel>(p + 1, v);
  simt::atomic_add<simt::order::release, simt::scope::block>(p + 2, v);
}

// Every ticket is drawn once, and what was there is what comes back.
template <int = 0>
__global__ void draw_tickets(unsigned* ticket, unsigned* drawn) {
  drawn[simt::atomic_add(ticket, 1)]++;
}

// A chain: each thread leaves its number and takes the one before. And a list, built with
// compare-and-swap.
template <simt::order O, class T>
__global__ void exchange_and_swap(T* word, T* head, T* previous, T* next) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const T mine = T(t) + 1;
  previous[t] = simt::atomic_exchange<O>(word, mine);
  T old = simt::load_relaxed(head);
  for (;;) {
    next[t] = old;
    const T found = simt::atomic_cas<O>(head, old, mine);
    if (found == old) break;
    old = found;
  }
}

TEST_CASE_TEMPLATE("signed integers", T, int, std::int64_t, long long) {
  ballot::test::for_each_schedule([&] {
    device_items<T> p(6);
    simt::launch(signed_extremes<T>, {.block = 64}, p.data());
    CHECK(p.read() == std::vector<T>{-20, 43, 32 * 23, -20, 43, 32 * 23});
  });
}

TEST_CASE_TEMPLATE("floating point sums", T, float, double) {
  ballot::test::for_each_schedule([&] {
    device_items<T> p(3);
    simt::launch(sum_fractions<T>, {.block = 64}, p.data());
    CHECK(p.read() == std::vector<T>{504, 504, 504});  // exact: multiples of a quarter
  });
}

TEST_CASE("tickets") {
  ballot::test::for_each_schedule([&] {
    device_items<unsigned> ticket(1), drawn(320);
    simt::launch(draw_tickets<>, {.grid = 5, .block = 64}, ticket.data(), drawn.data());
    CHECK(ticket.read()[0] == 320);
    CHECK(drawn.read() == std::vector<unsigned>(320, 1));
  });
}

template <simt::order O, class T>
void check_exchange_and_swap() {
  constexpr unsigned n = 4 * 40;
  ballot::test::for_each_schedule([&] {
    device_items<T> word(1), head(1), previous(n), next(n);
    simt::launch(exchange_and_swap<O, T>, {.grid = 4, .block = 40}, word.data(), head.data(), previous.data(),
                 next.data());
    auto length = [&](T at, const std::vector<T>& link) {
      unsigned k = 0;
      for (; at != T(0) && k <= n; k++) at = link[std::size_t(at) - 1];
      return k;
    };
    CHECK(length(word.read()[0], previous.read()) == n);
    CHECK(length(head.read()[0], next.read()) == n);
  });
}

TEST_CASE_TEMPLATE("exchange and compare-and-swap", T, unsigned, int, std::uint64_t, unsigned long long, float,
                   double) {
  check_exchange_and_swap<simt::order::relaxed, T>();
  check_exchange_and_swap<simt::order::acq_rel, T>();
}

}  // namespace simt_atomics
