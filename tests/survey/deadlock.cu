// SPDX-License-Identifier: Apache-2.0
// The chained scan and the order of tiles, as a test. Numbered by ticket it ends under every
// schedule. Numbered by block index it ends exactly when every block that waits has all its
// predecessors running or done. Otherwise the emulator names the deadlock.
//
//     start order 2 0 1 3, two resident:   {2, 0}: 0 ends, 1 comes, both end, 3 comes: fine
//     start order 2 3 1 0, two resident:   {2, 3}: both wait for 0, which waits for a place: deadlock
#include <ballot/survey/chained_scan.cuh>

#include "support/device_data.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

#include "emulator/words.hpp"

using namespace ballot;
using emulator::block_order;
using emulator::error_kind;
using emulator::policy;
using emulator::scheduler_kind;

namespace survey_deadlock {

constexpr unsigned tiles = 40;
using shape = survey::tile_shape<32, 32>;

template <survey::tile_order Order, class LookBack>
using chained = survey::chained_scan<shape, survey::radix_raking_reduce_scan, LookBack, Order>;

// The end of the scan of 40 tiles under the policy: an error's kind, or nothing and the right sums.
template <class Algorithm>
std::optional<error_kind> outcome(const policy& p) {
  static const auto items = test::small_items<std::uint32_t>(tiles * shape::items - 5);
  static const auto sums = test::serial_exclusive(items, 1u);
  const test::guarded<std::uint32_t> in(items);
  test::guarded<std::uint32_t> out(items.size());
  const auto kind = test::kind_of(p, [&] { Algorithm::exclusive(allocating(test::test_stream()), in, 1u, out); });
  if (!kind) CHECK_MESSAGE(out.read() == sums, p.describe());
  return kind;
}

// Seeded schedules that take a few hundred microseconds each; `seeds` of each kind of scheduler.
template <class Visit>
void for_each_seeded_schedule(block_order order, unsigned seeds, Visit&& visit) {
  for (const scheduler_kind scheduler : {scheduler_kind::depth_first, scheduler_kind::fifo, scheduler_kind::random,
                                         scheduler_kind::straggler, scheduler_kind::priority})
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      policy p;
      p.scheduler = scheduler;
      p.order = order;
      p.seed = seed;
      p.max_resident = 1 + seed % 7;
      p.preempt_atomic = 1 + seed % 4;
      visit(p);
    }
}

template <int = 0>
__global__ void note_start(std::uint32_t* started, std::uint32_t* order) {
  if (simt::thread_rank() == 0) order[simt::atomic_add(started, 1u)] = blockIdx.x;
}

// The order in which the policy starts the blocks of a grid of that many.
std::vector<std::uint32_t> start_order(policy p) {
  p.max_resident = 1;
  const emulator::scoped_policy scope(p);
  const test::guarded<std::uint32_t> started(std::vector<std::uint32_t>{0}), order(tiles);
  simt::launch(note_start<>, simt::launch_config{dim3(tiles), dim3(32), 0, test::test_stream()}, started.data(),
               order.data());
  return order.read();
}

// Whether blocks that take the tiles of their own index come to a halt. A resident block ends once
// all blocks before it have been started, since each publishes its tile's sum without waiting for
// others. That is monotone, so no scheduler changes it.
bool comes_to_a_halt(const std::vector<std::uint32_t>& order, unsigned places) {
  std::vector<std::uint32_t> resident;
  for (std::size_t next = 0; next < order.size();) {
    while (resident.size() < places && next < order.size()) resident.push_back(order[next++]);
    if (next == order.size()) return false;
    const std::uint32_t first_missing = *std::min_element(order.begin() + std::ptrdiff_t(next), order.end());
    if (std::erase_if(resident, [&](std::uint32_t b) { return b < first_missing; }) == 0) return true;
  }
  return false;
}

using by_lane = survey::look_back_by_lane;
using by_warp = survey::look_back_by_warp;
constexpr unsigned seeds = 40;

TEST_CASE_TEMPLATE("chained scan by ticket ends under hundreds of schedules", LookBack, by_lane, by_warp) {
  for (const block_order order : {block_order::linear, block_order::reverse, block_order::shuffled})
    for_each_seeded_schedule(order, seeds, [&](const policy& p) {
      const auto kind = outcome<chained<survey::tile_order::ticket, LookBack>>(p);
      CHECK_MESSAGE(!kind, p.describe());
    });
}

TEST_CASE_TEMPLATE("chained scan by block index deadlocks exactly when it must", LookBack, by_lane, by_warp) {
  using by_index = chained<survey::tile_order::block_index, LookBack>;
  unsigned halts = 0, ends = 0;
  for (const block_order order : {block_order::linear, block_order::reverse, block_order::shuffled})
    for (const unsigned places : {0u, tiles / 2, tiles - 5, tiles})  // 0: as the schedule has it, a few
      for_each_seeded_schedule(order, places == 0 ? seeds : seeds / 8, [&](policy p) {
        if (places != 0) p.max_resident = places;
        const bool halt = comes_to_a_halt(start_order(p), p.max_resident);
        CHECK_MESSAGE(outcome<by_index>(p) == (halt ? std::optional(error_kind::deadlock) : std::nullopt),
                      p.describe());
        if (order == block_order::linear || places == tiles) CHECK(!halt);  // a kind machine
        if (order == block_order::reverse && places != tiles) CHECK(halt);
        (halt ? halts : ends) += order == block_order::shuffled && places != tiles;
      });
  CHECK(halts > 0);
  CHECK(ends > 0);
}

TEST_CASE("the report of a deadlock says where who waits, and under which policy") {
  policy p;
  p.order = block_order::reverse;
  p.max_resident = 1;
  const test::guarded<std::uint32_t> in(std::vector<std::uint32_t>(64, 1));
  test::guarded<std::uint32_t> out(64);
  const auto error = test::error_of(p, [&] {
    chained<survey::tile_order::block_index, by_lane>::inclusive(allocating(test::test_stream()), in, out);
  });
  REQUIRE(error);
  const std::string report = error->what();
  CAPTURE(report);
  CHECK(report.find("chained_scan.cuh") != std::string::npos);
  CHECK(report.find("resident=1") != std::string::npos);
}

}  // namespace survey_deadlock
