// SPDX-License-Identifier: Apache-2.0
// The runtime calls of a library call: kernels, fills, copies. Also those that the library promises
// never to make by itself (allocate, release, wait, touch host memory).
//
// Emulated, the emulator counts. On the GPU the linker sends the runtime's functions through
// counters (--wrap, in tests/CMakeLists.txt; runtime_calls.cu), which works with cudart as a static
// and as a shared library.
#pragma once

#include <ballot/core/namespace.hpp>
#include "support/doctest.hpp"

#include "support/device_data.hpp"
#include "support/function_ref.hpp"
#include "support/schedules.hpp"

#include <cstdint>
#include <string>

#if BALLOT_EMULATED
#  include <ballot/emulator.hpp>
#endif

namespace ballot::test {

struct runtime_calls {
  std::uint64_t launches = 0, fills = 0, copies = 0;
  std::uint64_t allocations = 0, releases = 0;
  std::uint64_t waits = 0;  // also blocking copies and fills, and copies to or from host memory
};

#if BALLOT_EMULATED
inline runtime_calls runtime_calls_so_far() {
  const emulator::host_calls& c = emulator::host_calls_so_far();
  return {c.launches, c.fills, c.copies, c.allocations, c.releases, c.waits + c.host_copies};
}
#else
runtime_calls runtime_calls_so_far();
#endif

// The runtime calls of `call`.
inline runtime_calls runtime_calls_of(function_ref<void()> call) {
  const runtime_calls before = runtime_calls_so_far();
  call();
  const runtime_calls after = runtime_calls_so_far();
  return {after.launches - before.launches,       after.fills - before.fills,       after.copies - before.copies,
          after.allocations - before.allocations, after.releases - before.releases, after.waits - before.waits};
}

// The work of a call on the stream, as docs/reference.md says it.
struct stream_work {
  std::uint64_t kernels;
  std::uint64_t fills = 0;
  std::uint64_t copies = 0;
};

// The contract of one public call. `call(exec)` runs with exactly `scratch_bytes` of dirty scratch,
// does that work and nothing else, also at an odd address. With too little scratch it throws and
// does nothing. With an allocating exec it allocates once, if it needs scratch at all. On the GPU
// it is captured as well, which fails if a call is not allowed under capture, and replayed.
inline void check_contract(const std::string& name, std::size_t scratch_bytes, const stream_work& work,
                           function_ref<void(const exec&)> call) {
  CAPTURE(name);
  const exact_scratch scratch(scratch_bytes);
  const auto check_work = [&](const runtime_calls& done) {
    CHECK(done.launches == work.kernels);
    CHECK(done.fills == work.fills);
    CHECK(done.copies == work.copies);
    CHECK(done.waits == 0);
  };
  const auto check_nothing = [&](const runtime_calls& done) {
    CHECK(done.launches + done.fills + done.copies + done.allocations + done.releases + done.waits == 0);
  };
  const runtime_calls direct = runtime_calls_of([&] { call(scratch.where()); });
  check_work(direct);
  CHECK(direct.allocations == 0);
  CHECK(direct.releases == 0);
  if (left_to_checked_run()) return;  // so a test that calls this has a checked run

  if (scratch_bytes != 0) {
    const std::span<std::byte> whole = scratch.where().scratch();
    const auto refused = [&](std::span<std::byte> part) {
      check_nothing(
          runtime_calls_of([&] { CHECK_THROWS_AS(call(exec(test_stream(), part)), ballot::invalid_argument); }));
    };
    // The size has room for alignment, which memory at a multiple of 256 bytes does not need.
    refused(whole.first(whole.size() - 257));
    const guarded<unsigned char> odd(scratch_bytes, 1);
    check_work(runtime_calls_of([&] {
      call(exec(test_stream(), {reinterpret_cast<std::byte*>(odd.data()), odd.size()}));
    }));
  }

  const runtime_calls allocating_call = runtime_calls_of([&] { call(allocating(test_stream())); });
  check_work(allocating_call);
  CHECK(allocating_call.allocations == (scratch_bytes == 0 ? 0 : 1));
  CHECK(allocating_call.releases == allocating_call.allocations);

  directly_and_captured([] {}, [&] { call(scratch.where()); }, [] {});
  scratch.check_guards();
}

// In the emulator: calls body(launches) on a GPU with clusters of blocks and on one without. On a
// GPU: on the GPU at hand. launches: those of a call for few tiles. These are one cluster, or else
// take one launch more.
template <class Body>
void with_and_without_clusters(Body&& body) {
#if BALLOT_EMULATED
  for (const unsigned architecture : {890u, 900u}) {
    emulator::policy p = emulator::current_policy();
    p.architecture = architecture;
    const emulator::scoped_policy scope(p);
    body(std::uint64_t{architecture >= 900 ? 1u : 2u});
  }
#else
  body(std::uint64_t{simt::device_architecture() >= 900 ? 1u : 2u});
#endif
}

}  // namespace ballot::test
