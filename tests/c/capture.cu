// SPDX-License-Identifier: Apache-2.0
// The C library's calls in a graph that is replayed; and, on a GPU, arrays that the device cannot
// read.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/support.hpp"

#include <algorithm>
#include <numeric>

namespace ballot::test::c {
namespace capture {

TEST_CASE("calls in a graph") {
  const std::size_t n = 5000;
  const auto items = random_items<u32>(n, 1, 500);
  const guarded<u32> keys(items);
  guarded<u32> kept(n), sorted(n), order(n), heads(n), begins(n + 1), count(1), runs(1), total(1);
  const guarded<std::byte> scratch(1 << 20);
  const u32 limit = 250;
  std::vector<u32> expected;
  for (const u32 item : items)
    if (item < limit) expected.push_back(item);
  std::sort(expected.begin(), expected.end());
  directly_and_captured(
      [&] {
        kept.fill_dirt(), sorted.fill_dirt(), order.fill_dirt(), heads.fill_dirt(), count.fill_dirt(), runs.fill_dirt();
      },
      [&] {
        // Selected, sorted, and their runs: the lengths stay on the device.
        const ballot_exec gpu = ballot_on(test_stream(), scratch.data(), scratch.size());
        const ballot_array from = in(keys), to = out(kept);
        ok(ballot_compact(gpu, 1, &from, ballot_where(BALLOT_LESS, &limit), &to, out(count)));
        ok(ballot_argsort(gpu, counted(kept, count), out(sorted), out(order), nullptr));
        ok(ballot_run_offsets(gpu, counted(sorted, count), out(heads), out(begins), out(runs)));
        ok(ballot_reduce(gpu, counted(kept, count), nullptr, BALLOT_PLUS, out(total)));
      },
      [&] {
        CHECK(value_at(count) == expected.size());
        CHECK(first_of(sorted.read(), expected.size()) == expected);
        auto distinct = expected;
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        CHECK(value_at(runs) == distinct.size());
        CHECK(first_of(heads.read(), distinct.size()) == distinct);
        CHECK(begins.read()[distinct.size()] == expected.size());
        CHECK(value_at(total) == std::accumulate(expected.begin(), expected.end(), 0u));
      });
}

#if !BALLOT_EMULATED
TEST_CASE("the host's memory is refused") {
  int device = 0, reads_host = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&reads_host, cudaDevAttrPageableMemoryAccess, device);
  const std::size_t n = 100;
  std::vector<u32> host(n);
  const guarded<u32> from(n), to(n);
  const guarded<std::byte> scratch(1 << 16);
  const ballot_exec gpu = ballot_on(test_stream(), scratch.data(), scratch.size());
  const ballot_status status = ballot_sort(gpu, ballot_input(host.data(), n, BALLOT_U32), out(to), nullptr);
  if (reads_host != 0) {
    CHECK(status == BALLOT_OK);  // there the device reads all memory
    simt::synchronize(test_stream());
  } else {
    CHECK(status == BALLOT_INVALID_ARGUMENT);
    CHECK(std::string(ballot_last_error()).find("`keys` [0x") != std::string::npos);
    CHECK(std::string(ballot_last_error()).find("host's memory") != std::string::npos);
  }
  u32* pinned = nullptr;  // the device reads it
  REQUIRE(cudaMallocHost(&pinned, n * sizeof(u32)) == cudaSuccess);
  for (std::size_t i = 0; i < n; ++i) pinned[i] = static_cast<u32>(n - i);
  ok(ballot_sort(gpu, ballot_input(pinned, n, BALLOT_U32), out(to), nullptr));
  CHECK(to.read()[0] == 1);
  cudaFreeHost(pinned);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("memory of another device is refused, and its streams are an error") {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices < 2) return;
  const std::size_t n = 100;
  const guarded<u32> to(n);
  const guarded<std::byte> scratch(1 << 16);
  u32* other = nullptr;
  cudaStream_t stream_of_other = nullptr;
  cudaSetDevice(1);
  REQUIRE(cudaMalloc(&other, n * sizeof(u32)) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&stream_of_other) == cudaSuccess);
  cudaSetDevice(0);
  CHECK(ballot_sort(ballot_on(test_stream(), scratch.data(), scratch.size()), ballot_input(other, n, BALLOT_U32),
                    out(to), nullptr) == BALLOT_INVALID_ARGUMENT);
  CHECK(std::string(ballot_last_error()).find("memory of device 1") != std::string::npos);
  const guarded<u32> from(std::vector<u32>(n, 3));
  const std::vector<u32> before = to.read();
  const ballot_status status =
      ballot_sort(ballot_on(stream_of_other, scratch.data(), scratch.size()), in(from), out(to), nullptr);
#  if CUDART_VERSION >= 12080
  CHECK(status == BALLOT_INVALID_ARGUMENT);
  CHECK(std::string(ballot_last_error()).find("stream is one of device 1") != std::string::npos);
#  else
  CHECK(status == BALLOT_CUDA_ERROR);  // a driver of that time
#  endif
  CHECK(to.read() == before);
  cudaGetLastError();
  cudaStreamDestroy(stream_of_other);
  cudaFree(other);
}
#endif

}  // namespace capture
}  // namespace ballot::test::c
