// SPDX-License-Identifier: Apache-2.0
// Wide loads and stores of every size, and the block's shared memory as one object.
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <cstdint>

namespace simt_memory {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct twice {
  std::uint64_t w[2];
};

template <class T, int W>
__global__ void copy_wide(const T* in, T* out, T* last, unsigned vectors) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= vectors) return;
  const simt::vector<T, W> v = simt::load_vector<T, W>(in + std::size_t(t) * W);
  simt::store_vector(out + std::size_t(t) * W, v);
  last[t] = v[W - 1];
}

template <class T>
T item(unsigned i) {
  if constexpr (sizeof(T) == 16) return {{i * 0x9e3779b97f4a7c15ull, ~std::uint64_t(i)}};
  else return T(i * 0x9e3779b97f4a7c15ull);
}
template <class T>
bool equal(const T& a, const T& b) {
  if constexpr (sizeof(T) == 16) return a.w[0] == b.w[0] && a.w[1] == b.w[1];
  else return a == b;
}

template <class T, int W>
void check_copies() {
  constexpr unsigned vectors = 75;
  std::vector<T> v(vectors * W);
  for (unsigned i = 0; i < v.size(); i++) v[i] = item<T>(i);
  device_items<T> in(v);
  ballot::test::for_each_schedule([&] {
    device_items<T> out(v.size()), last(vectors);
    simt::launch(copy_wide<T, W>, {.grid = 3, .block = 32}, in.data(), out.data(), last.data(), vectors);
    const auto got = out.read(), ends = last.read();
    bool right = true;
    for (unsigned i = 0; i < v.size(); i++) right &= equal(got[i], v[i]);
    for (unsigned i = 0; i < vectors; i++) right &= equal(ends[i], v[i * W + W - 1]);
    CHECK(right);
  });
}

// A block reads the writes of other blocks of the same grid right, if something orders the two.
template <int = 0>
__global__ void write_then_read(unsigned* data, unsigned* done, unsigned* out) {
  const unsigned t = threadIdx.x;
  const simt::vector<unsigned, 4> mine{{t, t + 1, t + 2, t + 3}};
  simt::store_vector(data + (blockIdx.x * 32 + t) * 4, mine);
  simt::sync_block();
  if (t == 0) simt::atomic_add<simt::order::release>(done, 1);  // pairs with the acquire below
  if (blockIdx.x != gridDim.x - 1) return;
  if (t == 0)
    while (simt::load_acquire(done) != gridDim.x) simt::spin_hint();
  simt::sync_block();
  unsigned sum = 0;
  for (unsigned b = 0; b < gridDim.x; b++) {
    const auto v = simt::load_vector<unsigned, 4>(data + (b * 32 + 31 - t) * 4);
    for (int i = 0; i < 4; i++) sum += v[i];
  }
  out[t] = sum;
}

// Each thread's own copies, of all sizes; the neighbour's, behind a barrier; and the same place
// once more.
template <class Unit>
__global__ void copy_through_shared(const Unit* in, Unit* out, Unit* of_neighbour) {
  struct storage {
    Unit unit[2][64];
  };
  auto& s = simt::shared_storage<storage>();
  const unsigned t = threadIdx.x;
  for (unsigned round = 0; round < 3; round++) {
    const unsigned first = round * 128;
    for (unsigned i = 0; i < 2; i++) simt::copy_async<sizeof(Unit)>(&s.unit[i][t], in + first + i * 64 + t);
    simt::wait_for_copies();
    for (unsigned i = 0; i < 2; i++) out[first + i * 64 + t] = s.unit[i][t];
    simt::sync_block();
    for (unsigned i = 0; i < 2; i++) of_neighbour[first + i * 64 + t] = s.unit[i][(t + 1) % 64];
    simt::sync_block();
  }
}

struct big {
  unsigned x[15000];  // 60,000 bytes: above what a kernel has without asking
};
template <int = 0>
__global__ void fill_big(unsigned* out) {
  auto& s = simt::shared_storage<big>();
  for (unsigned i = threadIdx.x; i < 15000; i += blockDim.x) s.x[i] = i * 3 + blockIdx.x;
  simt::sync_block();
  for (unsigned i = threadIdx.x; i < 15000; i += blockDim.x) out[blockIdx.x * 15000 + i] = s.x[14999 - i];
}

struct alignas(128) aligned {
  unsigned char bytes[256];
};
template <int = 0>
__global__ void alignment_of_shared(unsigned* out) {
  *out = unsigned(reinterpret_cast<std::uintptr_t>(&simt::shared_storage<aligned>()) % 128);
}

TEST_CASE("wide copies") {
  check_copies<std::uint8_t, 1>();
  check_copies<std::uint8_t, 2>();
  check_copies<std::uint8_t, 4>();
  check_copies<std::uint8_t, 8>();
  check_copies<std::uint8_t, 16>();
  check_copies<std::int16_t, 1>();
  check_copies<std::int16_t, 4>();
  check_copies<std::int16_t, 8>();
  check_copies<unsigned, 1>();
  check_copies<float, 2>();
  check_copies<unsigned, 4>();
  check_copies<std::uint64_t, 1>();
  check_copies<double, 2>();
  check_copies<twice, 1>();
}

TEST_CASE_TEMPLATE("asynchronous copies", Unit, unsigned, std::uint64_t, twice) {
  std::vector<Unit> items(3 * 128);
  for (unsigned i = 0; i < items.size(); i++) {
    if constexpr (sizeof(Unit) == 16) items[i] = item<Unit>(i);
    else items[i] = Unit(i * 0x9e3779b97f4a7c15ull);
  }
  const device_items<Unit> in(items);
  ballot::test::for_each_schedule([&] {
    device_items<Unit> out(items.size()), of_neighbour(items.size());
    simt::launch(copy_through_shared<Unit>, {.block = 64, .shared_bytes = 2 * 64 * sizeof(Unit)}, in.data(), out.data(),
                 of_neighbour.data());
    const auto own = out.read(), other = of_neighbour.read();
    bool right = true;
    for (std::size_t i = 0; i < items.size(); i++)
      right &= equal(own[i], items[i]) && equal(other[i], items[i / 64 * 64 + (i + 1) % 64]);
    CHECK(right);
  });
}

TEST_CASE("wide loads see what the same grid wrote") {
  constexpr unsigned blocks = 4;
  auto p = [&] {
    device_items<unsigned> data(blocks * 128), done(1), out(32);
    simt::launch(write_then_read<>, {.grid = blocks, .block = 32}, data.data(), done.data(), out.data());
    const auto v = out.read();
    for (unsigned t = 0; t < 32; t++) CHECK(v[t] == blocks * (4 * (31 - t) + 6));
  };
#if BALLOT_EMULATED
  for (ballot::emulator::policy q : ballot::test::schedules()) {  // needs its blocks resident
    q.max_resident = blocks;
    const ballot::emulator::scoped_policy scope(q);
    p();
  }
#else
  p();
#endif
}

TEST_CASE("shared memory above 48 KB") {
  device_items<unsigned> out(2 * 15000);
  ballot::test::for_each_schedule([&] {
    simt::launch(fill_big<>, {.grid = 2, .block = 96, .shared_bytes = sizeof(big)}, out.data());
    const auto v = out.read();
    bool right = true;
    for (unsigned i = 0; i < 30000; i++) right &= v[i] == (14999 - i % 15000) * 3 + i / 15000;
    CHECK(right);
  });
}

TEST_CASE("shared storage is aligned") {
  device_items<unsigned> out(1);
  ballot::test::for_each_schedule([&] {
    simt::launch(alignment_of_shared<>, {.block = 1, .shared_bytes = sizeof(aligned)}, out.data());
    CHECK(out.read()[0] == 0);
  });
}

}  // namespace simt_memory
