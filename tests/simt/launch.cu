// SPDX-License-Identifier: Apache-2.0
// The host's side: launches, stream operations, and errors.
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <string>

namespace simt_launch {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct parameters {
  unsigned a;
  double b;
  unsigned char c[40];
};

template <class F>
__global__ void apply(parameters p, F f, unsigned* out) {
  p.a += threadIdx.x;  // a thread's parameters are its own
  out[threadIdx.x] = f(p.a + unsigned(p.b) + p.c[39]);
}

template <class T>
__global__ void touch_shared(unsigned bytes, T* out) {
  unsigned char* const shared = &simt::shared_storage<unsigned char>();
  if (threadIdx.x == 0) {
    shared[0] = 7;
    shared[bytes - 1] = 9;
  }
  simt::sync_block();
  if (threadIdx.x == 31) *out = unsigned(shared[0]) + shared[bytes - 1];
}

// A kernel for each size: what one has asked for it keeps.
template <std::size_t Bytes>
__global__ void touch_both_ends(unsigned* out) {
  unsigned char* const shared = &simt::shared_storage<unsigned char>();
  if (threadIdx.x == 0) shared[0] = 7;
  if (threadIdx.x == 1) shared[Bytes - 1] = 9;
  simt::sync_block();
  if (threadIdx.x == 31) *out = unsigned(shared[0]) + shared[Bytes - 1];
}
template <std::size_t Bytes>
void check_both_ends() {
  CAPTURE(Bytes);
  device_items<unsigned> out(1);
  simt::launch(touch_both_ends<Bytes>, {.block = 32, .shared_bytes = Bytes}, out.data());
  CHECK(out.read()[0] == 7 + 9);
}

struct add_seven {
  __device__ unsigned operator()(unsigned v) const { return v + 7; }
};

TEST_CASE("parameters go by value, converted to the kernel's types") {
  device_items<unsigned> out(64);
  ballot::test::for_each_schedule([&] {
    parameters p{100, 20.5, {}};
    p.c[39] = 3;
    simt::launch(apply<add_seven>, {.block = 64}, p, add_seven{}, out.data());
    const auto v = out.read();
    for (unsigned t = 0; t < 64; t++) CHECK(v[t] == t + 130);
  });
}

TEST_CASE("a block gets as much shared memory as the limit says, to the last byte, and no more") {
  const std::size_t limit = simt::shared_bytes_limit();
  CHECK(limit >= 48 * 1024);
  device_items<unsigned> out(1);
  ballot::test::for_each_schedule([&] {
    simt::launch(touch_shared<unsigned>, {.block = 32, .shared_bytes = limit}, unsigned(limit), out.data());
    CHECK(out.read()[0] == 7 + 9);
  });
#if BALLOT_EMULATED
  CHECK_THROWS_AS(
      simt::launch(touch_shared<unsigned>, {.block = 32, .shared_bytes = limit + 16}, unsigned(limit), out.data()),
      ballot::emulator::error);
#else
  CHECK_THROWS_AS(
      simt::launch(touch_shared<unsigned>, {.block = 32, .shared_bytes = limit + 16}, unsigned(limit), out.data()),
      ballot::cuda_error);
  CHECK(cudaGetLastError() == cudaSuccess);  // the exception has told it
#endif
}

TEST_CASE("a kernel's first launch gets the shared memory it asks for, below and above what needs no asking") {
  constexpr std::size_t kibi = 1024;
  check_both_ends<48 * kibi>();
  check_both_ends<48 * kibi + 16>();
  check_both_ends<56 * kibi>();
  check_both_ends<simt::least_shared_bytes_limit>();
  // And who asks first how many of its blocks are resident.
  const simt::launch_config more{.block = 32, .shared_bytes = 48 * kibi + 32};
  CHECK(simt::resident_blocks(touch_both_ends<48 * kibi + 32>, more) > 0);
  check_both_ends<48 * kibi + 32>();
}

TEST_CASE("fills and copies in every direction") {
  std::vector<unsigned char> v(1000), back(1000);
  for (unsigned i = 0; i < 1000; i++) v[i] = static_cast<unsigned char>(i * 7);
  auto* a = static_cast<unsigned char*>(simt::allocate(nullptr, 1000));
  auto* b = static_cast<unsigned char*>(simt::allocate(nullptr, 1000));
  CHECK(reinterpret_cast<std::uintptr_t>(a) % 256 == 0);
  simt::copy_bytes(nullptr, a, v.data(), 1000);
  simt::fill_bytes(nullptr, b, 0x5a, 1000);
  simt::copy_bytes(nullptr, b + 3, a + 10, 901);
  simt::copy_bytes(nullptr, back.data(), b, 1000);
  simt::synchronize(nullptr);
  bool right = true;
  for (unsigned i = 0; i < 1000; i++) right &= back[i] == (i >= 3 && i < 904 ? v[i + 7] : 0x5a);
  CHECK(right);
  simt::fill_bytes(nullptr, nullptr, 0, 0);
  simt::copy_bytes(nullptr, nullptr, nullptr, 0);
  CHECK(simt::allocate(nullptr, 0) == nullptr);
  simt::release(nullptr, nullptr);
  simt::release(nullptr, a);
  simt::release(nullptr, b);
  simt::synchronize(nullptr);
}

TEST_CASE("an error of the runtime says what, where, and its code") {
  int line = 0;
  try {
#if BALLOT_EMULATED
    line = __LINE__ + 1;
    simt::check(2, "cudaMalloc");
#else
    line = __LINE__ + 1;
    simt::check(cudaErrorMemoryAllocation, "cudaMalloc");
#endif
    FAIL("no error");
  } catch (const ballot::cuda_error& e) {
    CHECK(e.code() == 2);
    CHECK(e.call() == "cudaMalloc");
    CHECK(int(e.location().line()) == line);
    const std::string what = e.what();
    CHECK(what.find("cudaMalloc") != what.npos);
    CHECK(what.find("launch.cu:" + std::to_string(line)) != what.npos);
  }
#if BALLOT_EMULATED
  simt::check(0, "cudaMalloc");
#else
  simt::check(cudaSuccess, "cudaMalloc");
#endif
}

TEST_CASE("a launch that no device takes is refused") {
  device_items<unsigned> out(64);
  auto launch = [&](simt::launch_config c) {
    simt::launch(apply<add_seven>, c, parameters{}, add_seven{}, out.data());
  };
#if BALLOT_EMULATED
  CHECK_THROWS_AS(launch({.block = 2048}), ballot::emulator::error);
  CHECK_THROWS_AS(launch({.block = dim3(32, 1, 65)}), ballot::emulator::error);
  CHECK_THROWS_AS(launch({.grid = 0}), ballot::emulator::error);
  CHECK_THROWS_AS(launch({.grid = 1u << 31}), ballot::emulator::error);
  CHECK_THROWS_AS(launch({.grid = dim3(1, 65536)}), ballot::emulator::error);
  CHECK_THROWS_AS(launch({.shared_bytes = 1 << 20}), ballot::emulator::error);
#else
  CHECK_THROWS_AS(launch({.block = 2048}), ballot::cuda_error);
  CHECK_THROWS_AS(launch({.grid = 0}), ballot::cuda_error);
  CHECK_THROWS_AS(launch({.grid = 1u << 31}), ballot::cuda_error);
  CHECK_THROWS_AS(launch({.shared_bytes = 1 << 20}), ballot::cuda_error);
  cudaGetLastError();
#endif
  launch({.block = 64});  // and the next one runs
  simt::synchronize(nullptr);
}

}  // namespace simt_launch
