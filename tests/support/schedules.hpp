// SPDX-License-Identifier: Apache-2.0
// for_each_schedule: a test's body under every schedule of the standing set; for_some_schedules,
// depth_first and on_smaller_gpus: under fewer. left_to_checked_run: cases that would run twice in
// the same way.
//
// Emulated: the set below, each run with the policy named if it fails; BALLOT_SEEDS sets the number
// of seeds, BALLOT_POLICY (the line that a report printed) replays exactly one. On the GPU the body
// runs once, and the device must be well afterwards.
#pragma once

#include <ballot/core/namespace.hpp>
#include "support/doctest.hpp"

#include <ballot/simt/simt.cuh>

#include "support/function_ref.hpp"

#include <cstdlib>
#include <functional>
#include <string>
#include <typeinfo>
#include <vector>

#if BALLOT_EMULATED
#  include <ballot/emulator.hpp>
#endif

namespace ballot::test {

#if BALLOT_EMULATED

// The smallest set that catches every planted bug: two fixed schedules that each have a specialty,
// and seeded ones of three kinds. A third of the seeds is wide: 48 blocks resident, more than one
// window of a look-back. Half of the schedules are of a GPU that has no clusters of blocks.
inline std::vector<emulator::policy> schedules() {
  using namespace emulator;
  constexpr unsigned without_clusters = 890;
  std::vector<policy> set;
  if (const char* replay = std::getenv("BALLOT_POLICY")) {
    if (auto p = parse_policy(replay)) return {*p};
    FAIL("BALLOT_POLICY is no policy: " << replay);
  }
  const char* asked = std::getenv("BALLOT_SEEDS");
  const unsigned seeds = asked ? unsigned(std::strtoul(asked, nullptr, 10)) : 3;
  const bool checked = instrumented();

  policy p;
  p.multiprocessors = current_policy().multiprocessors;
  p.clocks = p.weak_memory = checked;
  p.max_resident = 2;
  set.push_back(p);  // depth first, blocks in order
  p.max_resident = 1;
  p.order = block_order::reverse;
  p.architecture = without_clusters;
  set.push_back(p);  // one block at a time, the last one first
  for (unsigned s = 1; s <= seeds; s++) {
    p.seed = s;
    p.architecture = s % 2 == 0 ? without_clusters : policy().architecture;
    p.order = block_order::shuffled;
    p.max_resident = s % 3 == 0 ? 48 : 1 + s % 4;
    p.max_threads = 2048;
    p.preempt_atomic = 3;
    p.preempt_plain = checked ? 32 : 0;
    for (scheduler_kind scheduler : {scheduler_kind::random, scheduler_kind::priority, scheduler_kind::straggler}) {
      p.scheduler = scheduler;
      set.push_back(p);
    }
  }
  return set;
}

/// Runs `body` under one schedule; an emulator's error is a failure that names the policy to
/// replay.
inline void under_schedule(const emulator::policy& p, function_ref<void()> body) {
  const emulator::scoped_policy scope(p);
  const std::string description = p.describe();
  CAPTURE(description);
  try {
    body();
    simt::synchronize(nullptr);  // throws what the host did wrong
  } catch (const emulator::error& e) {
    FAIL_CHECK(std::string(e.what()));  // as a string: doctest prints a char* as an address
  }
}

/// Runs `body` under each schedule, with or without checks: for tests that compare schedules with
/// each other.
inline void for_all_schedules(function_ref<void()> body) {
  for (const emulator::policy& p : schedules()) under_schedule(p, body);
}

/// Runs `body` under each schedule. A binary whose checks are left out (--plain) runs once more
/// with them, under all of these schedules with more places to switch. So two are enough here:
/// depth first and another one for each body.
inline void for_each_schedule(function_ref<void()> body) {
  const std::vector<emulator::policy> set = schedules();
  if (!emulator::left_unchecked() || set.size() == 1 || std::getenv("BALLOT_SEEDS") != nullptr)
    return for_all_schedules(body);
  static unsigned bodies = 0;
  const unsigned turn = (bodies++ * 2654435769u) >> 16;  // far apart, lest loops meet the same ones
  under_schedule(set[0], body);
  under_schedule(set[1 + turn % (set.size() - 1)], body);
}

/// Whether the run with checks, of the same binary, repeats in full what the caller does without a
/// schedule of its own (depth_first is one): the same switches, and no load is old. For tests of
/// many cases that take long. Of each kernel template some case should stay in the plain run.
inline bool left_to_checked_run() {
  return emulator::left_unchecked() && std::getenv("BALLOT_POLICY") == nullptr &&
         std::getenv("BALLOT_SEEDS") == nullptr;
}

/// For tests of many cases that take long, which all run without checks: whether this case is not
/// one of the half that runs with them, too. Cases are numbered along each axis, as the fields of a
/// chess board: of each row and column half are checked.
inline bool left_to_plain_run(unsigned row, unsigned column) {
  return emulator::instrumented() && (row + column) % 2 != 0 && std::getenv("BALLOT_POLICY") == nullptr &&
         std::getenv("BALLOT_SEEDS") == nullptr;
}

/// Runs `body` under a schedule that follows from the seed.
inline void under_random_schedule(std::uint64_t seed, function_ref<void()> body) {
  using namespace emulator;
  policy p;
  p.multiprocessors = current_policy().multiprocessors;
  p.seed = seed;
  p.scheduler = seed % 4 == 0   ? scheduler_kind::depth_first
                : seed % 4 == 1 ? scheduler_kind::random
                : seed % 4 == 2 ? scheduler_kind::priority
                                : scheduler_kind::straggler;
  p.order = seed / 4 % 2 == 0 ? block_order::shuffled : block_order::reverse;
  p.max_resident = seed / 8 % 3 == 0 ? 48 : static_cast<unsigned>(1 + seed / 8 % 4);
  p.max_threads = 2048;
  p.preempt_atomic = seed % 4 == 0 ? 0 : 3;
  under_schedule(p, body);
}

/// For tests of many cases that take long: runs `body` under the turn's schedule alone. The cases
/// together meet all schedules. The plain and the checked run of a case take different ones. The
/// checked build, which is ten times as slow, finds races in any order of the threads. If
/// BALLOT_SEEDS asks for more, all schedules run.
inline void for_some_schedules(unsigned turn, function_ref<void()> body) {
  const std::vector<emulator::policy> set = schedules();
  if (set.size() == 1 || std::getenv("BALLOT_SEEDS") != nullptr) return for_all_schedules(body);
  if (emulator::left_unchecked()) turn += unsigned(set.size() / 2);
  under_schedule(set[turn % set.size()], body);
}

/// The same with turns of the body's own: the cases of a loop take the schedules one after the
/// other. Bodies that differ in a type alone begin at different ones, and each begins at the same
/// one in every run.
template <class F>
void for_some_schedules(F&& body) {
  static unsigned turn = static_cast<unsigned>(std::hash<std::string>{}(typeid(F).name()) % 97);
  for_some_schedules(turn++, body);
}

/// For tests of small and large arrays: all schedules of up to 8192 items, where most of the cases
/// are; some of more.
template <class F>
void for_schedules_by_size(std::size_t n, F&& body) {
  if (n <= 8192) for_each_schedule(body);
  else for_some_schedules(body);
}

/// For large arrays: runs `body` depth first.
inline void depth_first(function_ref<void()> body) { under_schedule(schedules().front(), body); }

/// Runs `body` depth first on GPUs whose blocks may have less shared memory than this one's: sm_75,
/// sm_86 and sm_80.
inline void on_smaller_gpus(function_ref<void()> body) {
  for (const std::size_t kibi : {64, 99, 163}) {
    emulator::policy p = schedules().front();
    p.shared_bytes = kibi * 1024;
    under_schedule(p, body);
  }
}

#else

/// Runs `body` once and waits for the device.
inline void for_each_schedule(function_ref<void()> body) {
  body();
  simt::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  simt::check(cudaGetLastError(), "a launch");
}
inline void for_all_schedules(function_ref<void()> body) { for_each_schedule(body); }
inline void for_some_schedules(unsigned, function_ref<void()> body) { for_each_schedule(body); }
template <class F>
void for_some_schedules(F&& body) {
  for_each_schedule(body);
}
template <class F>
void for_schedules_by_size(std::size_t, F&& body) {
  for_each_schedule(body);
}
inline void depth_first(function_ref<void()> body) { for_each_schedule(body); }
inline bool left_to_checked_run() { return false; }
inline bool left_to_plain_run(unsigned, unsigned) { return false; }

/// The device is what it is.
inline void on_smaller_gpus(function_ref<void()> body) { for_each_schedule(body); }

/// The same: the device has a schedule of its own.
inline void under_random_schedule(std::uint64_t /*seed*/, function_ref<void()> body) { for_each_schedule(body); }

#endif

}  // namespace ballot::test
