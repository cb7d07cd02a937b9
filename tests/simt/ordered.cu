// SPDX-License-Identifier: Apache-2.0
// Ordered loads and stores of 4, 8 and 16 bytes: whole values, messages between blocks and within
// one, fences.
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <cstdint>

namespace simt_ordered {

namespace simt = ballot::simt;
using ballot::test::device_items;
using simt::scope;

struct alignas(16) pair128 {
  std::uint64_t low, high;
};

template <class T>
__host__ __device__ T make(unsigned i) {
  if constexpr (sizeof(T) == 16) return T{i * 0x9e3779b97f4a7c15ull, ~(i * 0x9e3779b97f4a7c15ull)};
  else return T(i * 0x9e3779b97f4a7c15ull);
}
template <class T>
__host__ __device__ bool equal(const T& a, const T& b) {
  if constexpr (sizeof(T) == 16) return a.low == b.low && a.high == b.high;
  else return a == b;
}

template <class T>
__global__ void copy(const T* in, T* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  simt::store_relaxed(out + 5 * t, simt::load_relaxed(in + t));
  simt::store_release(out + 5 * t + 1, simt::load_acquire(in + t));
  simt::store_relaxed<scope::block>(out + 5 * t + 2, simt::load_relaxed<scope::block>(in + t));
  simt::store_release<scope::block>(out + 5 * t + 3, simt::load_acquire<scope::block>(in + t));
  simt::publish_relaxed(out + 5 * t + 4, simt::load_relaxed(in + t));
}

// A relay: each block waits for its predecessor's flag, reads its plain data, and hands on data and
// flag.
template <class T>
__global__ void relay(T* flag, unsigned* data, unsigned* ticket, unsigned* bad) {
  auto& mine = simt::shared_storage<unsigned>();
  if (threadIdx.x == 0) mine = simt::atomic_add(ticket, 1);
  simt::sync_block();
  if (threadIdx.x != 0) return;
  const unsigned b = mine;
  if (b != 0) {
    while (!equal(simt::load_acquire(flag + b - 1), make<T>(b))) simt::spin_hint();  // pairs with the release below
    if (data[b - 1] != b) simt::atomic_add(bad, 1);
  }
  data[b] = b + 1;
  simt::store_release(flag + b, make<T>(b + 1));
}

// The same in one block's shared memory, between warps.
template <class T>
__global__ void relay_in_block(unsigned* bad) {
  struct storage {
    T flag[4];
    unsigned data[4];
  };
  auto& s = simt::shared_storage<storage>();
  const unsigned w = simt::warp_id();
  if (threadIdx.x < 4) s.flag[threadIdx.x] = make<T>(0);
  simt::sync_block();
  if (simt::lane_id() != 0) return;
  if (w != 0) {
    while (!equal(simt::load_acquire<scope::block>(s.flag + w - 1), make<T>(w)))
      simt::spin_hint();  // pairs with the release below
    if (s.data[w - 1] != w) simt::atomic_add(bad, 1);
  }
  s.data[w] = w + 1;
  simt::store_release<scope::block>(s.flag + w, make<T>(w + 1));
}

template <int = 0>
__global__ void relay_with_fences(unsigned* flag, unsigned* data, unsigned* ticket, unsigned* bad) {
  if (threadIdx.x != 0) return;
  const unsigned b = simt::atomic_add(ticket, 1);
  if (b != 0) {
    while (simt::load_relaxed(flag + b - 1) == 0) simt::spin_hint();
    simt::fence();  // pairs with the fence below
    if (data[b - 1] != b) simt::atomic_add(bad, 1);
  }
  data[b] = b + 1;
  simt::fence();
  simt::store_relaxed(flag + b, 1);
}

// Words of 2 bytes beside others, each stored by several threads: the last store of any of them
// stays, and no neighbour changes.
template <int = 0>
__global__ void store_halves(std::uint16_t* out) {
  auto& s = simt::shared_storage<std::uint16_t[32]>();
  simt::store_relaxed<scope::block>(&s[threadIdx.x % 32], static_cast<std::uint16_t>(threadIdx.x));
  simt::sync_block();
  if (threadIdx.x < 32) out[threadIdx.x] = s[threadIdx.x];
}

// 16 bytes are never torn: one block changes both halves together, others look.
template <int = 0>
__global__ void watch(pair128* word, unsigned* torn, unsigned* ticket) {
  if (threadIdx.x != 0) return;
  if (simt::atomic_add(ticket, 1) == 0) {
    for (unsigned i = 1; i <= 50; i++) simt::store_relaxed(word, make<pair128>(i));
  } else {
    pair128 v = make<pair128>(0);
    for (int looks = 0; looks < 500 && !equal(v, make<pair128>(50)); looks++) {
      v = simt::load_relaxed(word);
      if (v.low != ~v.high) simt::atomic_add(torn, 1);
    }
  }
}

// The same where the looker uses three words of four: the compiler must not make two narrower loads
// of the one.
struct alignas(16) words {
  unsigned low, high, unused, number;
};
template <int = 0>
__global__ void watch_part(words* word, unsigned changes, unsigned* torn, unsigned* ticket) {
  if (threadIdx.x != 0) return;
  if (simt::atomic_add(ticket, 1) == 0) {
    for (unsigned i = 1; i <= changes; i++) simt::publish_relaxed(word, words{i * 3, ~i, 0, i});
  } else {
    unsigned number = 0;
    for (unsigned looks = 0; looks < 10 * changes && number != changes; looks++) {
      const words seen = simt::load_relaxed(word);
      number = seen.number;
      if (seen.low != number * 3 || seen.high != ~number) simt::atomic_add(torn, 1);
    }
  }
}

TEST_CASE_TEMPLATE("ordered copies", T, unsigned, int, float, std::uint64_t, unsigned long long, double, pair128) {
  constexpr unsigned n = 64;
  std::vector<T> v(n);
  for (unsigned i = 0; i < n; i++) v[i] = make<T>(i);
  device_items<T> in(v);
  ballot::test::for_each_schedule([&] {
    device_items<T> out(5 * n);
    simt::launch(copy<T>, {.grid = 2, .block = 32}, in.data(), out.data());
    const auto got = out.read();
    bool right = true;
    for (unsigned i = 0; i < 5 * n; i++) right &= equal(got[i], v[i / 5]);
    CHECK(right);
  });
}

TEST_CASE("2 bytes stored by several threads of a block") {
  ballot::test::for_each_schedule([&] {
    device_items<std::uint16_t> out(32);
    simt::launch(store_halves<>, {.block = 128, .shared_bytes = 64}, out.data());
    const auto got = out.read();
    for (unsigned i = 0; i < 32; i++) CHECK(got[i] % 32 == i);
  });
}

TEST_CASE_TEMPLATE("released data is there when the flag is", T, unsigned, std::uint64_t, pair128) {
  constexpr unsigned blocks = 40;
  ballot::test::for_each_schedule([&] {
    device_items<T> flag(blocks);
    device_items<unsigned> data(blocks), ticket(1), bad(1);
    simt::launch(relay<T>, {.grid = blocks, .block = 32, .shared_bytes = 4}, flag.data(), data.data(), ticket.data(),
                 bad.data());
    CHECK(bad.read()[0] == 0);
    CHECK(data.read()[blocks - 1] == blocks);
    simt::launch(relay_in_block<T>, {.block = 128, .shared_bytes = 128}, bad.data());
    CHECK(bad.read()[0] == 0);
  });
}

TEST_CASE("fences do the same for relaxed flags") {
  constexpr unsigned blocks = 40;
  ballot::test::for_each_schedule([&] {
    device_items<unsigned> flag(blocks), data(blocks), ticket(1), bad(1);
    simt::launch(relay_with_fences<>, {.grid = blocks, .block = 32}, flag.data(), data.data(), ticket.data(),
                 bad.data());
    CHECK(bad.read()[0] == 0);
    CHECK(data.read()[blocks - 1] == blocks);
  });
}

TEST_CASE("16 bytes move as one") {
  ballot::test::for_each_schedule([&] {
    device_items<pair128> word(std::vector<pair128>{make<pair128>(0)});
    device_items<unsigned> torn(1), ticket(1);
    simt::launch(watch<>, {.grid = 8, .block = 32}, word.data(), torn.data(), ticket.data());
    CHECK(torn.read()[0] == 0);
  });
}

TEST_CASE("16 bytes move as one although one word of them is not looked at") {
  constexpr unsigned changes = BALLOT_EMULATED ? 50 : 20000;
  ballot::test::for_each_schedule([&] {
    device_items<words> word(std::vector<words>{{0, ~0u, 0, 0}});
    device_items<unsigned> torn(1), ticket(1);
    simt::launch(watch_part<>, {.grid = 8, .block = 32}, word.data(), changes, torn.data(), ticket.data());
    CHECK(torn.read()[0] == 0);
  });
}

}  // namespace simt_ordered
