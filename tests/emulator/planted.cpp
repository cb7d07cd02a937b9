// SPDX-License-Identifier: Apache-2.0
// Every planted bug is caught by the standing set of schedules, as what it is; the right kernels
// pass under all of them.
#include <support/schedules.hpp>

#include <emulator/planted.cuh>
#include <emulator/words.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

namespace {

using namespace ballot::test::planted;
using ballot::emulator::error_kind;
using ballot::emulator::instrumented;
using ballot::test::device_items;
using ballot::test::random_words;

// Each of these runs one kernel and says whether its result is right.

template <bug Bug>
bool block_scan_works() {
  constexpr int threads = 128, blocks = 6, n = threads * blocks - 40;
  const auto v = random_words(n, n, 5);
  device_items in(v), out(n);
  simt::launch(block_scan_kernel<threads, Bug>,
               {.grid = blocks, .block = threads, .shared_bytes = sizeof(block_sums<threads>)}, in.data(), out.data(),
               n);
  const auto o = out.read();
  for (int b = 0; b < blocks; b++) {
    unsigned sum = 0, flags = 0;
    for (int i = b * threads; i < std::min(n, (b + 1) * threads); sum += v[i], flags += v[i] != 0, i++)
      if (o[i] != sum + flags) return false;
  }
  return true;
}

template <state_kind Kind, bug Bug>
bool device_scan_works() {
  constexpr int threads = 64, tiles = 40;
  const unsigned n = threads * tiles - 7;
  const auto v = random_words(n, n, 5);
  device_items in(v), out(n), ticket(1), flag(tiles);
  device_items<> aggregate(tiles, device_items<>::uninitialized{}), prefix(tiles, device_items<>::uninitialized{});
  device_items<unsigned long long> packed(tiles);
  device_items<wide_state> wide(tiles);
  const tile_states states{packed.data(), wide.data(), flag.data(), aggregate.data(), prefix.data()};
  simt::launch(device_scan_kernel<threads, Kind, Bug>, {.grid = tiles, .block = threads, .shared_bytes = 64}, in.data(),
               out.data(), n, ticket.data(), states);
  std::vector<unsigned> want(n);
  std::partial_sum(v.begin(), v.end(), want.begin());
  return out.read() == want;
}

template <bug Bug>
bool digit_rank_works() {
  constexpr int rounds = 6, n = 64 * rounds;
  const auto keys = random_words(n, 5, 8);
  device_items in(keys), out(n);
  simt::launch(digit_rank_kernel<Bug>, {.block = 64, .shared_bytes = 64}, in.data(), out.data(), rounds);
  const auto rank = out.read();
  for (int w = 0; w < 2; w++) {
    unsigned count[8] = {};
    for (int r = 0; r < rounds; r++)
      for (int i = r * 64 + w * 32; i < r * 64 + w * 32 + 32; i++)
        if (rank[i] != count[keys[i]]++) return false;
  }
  return true;
}

template <bug Bug>
bool masked_sum_works() {
  const auto v = random_words(64, 64, 5);
  device_items in(v), out(64);
  simt::launch(masked_sum<Bug>, {.block = 64}, in.data(), out.data());
  const auto o = out.read();
  for (unsigned t = 0; t < 64; t++) {
    const unsigned lane = t % 32, w = t - lane;
    const unsigned want = lane >= 20 ? 0 : v[w + (lane >= 12 ? lane : lane + 8)] + (lane < 16 ? v[w + (lane ^ 1)] : 0);
    if (o[t] != want) return false;
  }
  return true;
}

template <bug Bug, bool Fences>
bool message_works() {
  ballot::emulator::policy p = ballot::emulator::current_policy();
  p.max_resident = 9;  // the sender has to be there
  const ballot::emulator::scoped_policy scope(p);
  device_items data(1), flag(1), out(9);
  if constexpr (Fences)
    simt::launch(message_with_fences<Bug>, {.grid = 9, .block = 32}, data.data(), flag.data(), out.data());
  else simt::launch(message<Bug>, {.grid = 9, .block = 32}, data.data(), flag.data(), out.data());
  const auto o = out.read();
  return std::count(o.begin() + 1, o.end(), 42u) == 8;
}

template <bug Bug>
bool exchange_works() {
  device_items out(64);
  simt::launch(warp_exchange<Bug>, {.block = 64, .shared_bytes = 256}, out.data());
  const auto o = out.read();
  for (unsigned t = 0; t < 64; t++)
    if (o[t] != ((t & 32) | ((t + 1) & 31))) return false;
  return true;
}

template <bug Bug>
bool stray_works() {
  device_items in(std::vector<unsigned>(100, 1)), out(100);
  simt::launch(stray<Bug>, {.grid = 2, .block = 64, .shared_bytes = 256}, in.data(), out.data(), 100u);
  return out.read() == std::vector<unsigned>(100, 2);
}

template <bug Bug>
bool wide_copy_works() {
  const auto v = random_words(100, 1, 1000);
  device_items in(v), out(100);
  simt::launch(wide_copy<Bug>, {.block = 32}, in.data(), out.data(), 100u);
  return out.read() == v;
}

template <bug Bug>
bool count_works() {
  device_items count(1);
  simt::launch(count_blocks<Bug>, {.grid = 5, .block = 32}, count.data());
  return count.read()[0] == 160;
}

template <bug Bug>
bool producer_consumer_works() {
  device_items out(8 * 32);
  simt::launch(producer_consumer<Bug>, {.block = 64, .shared_bytes = 128}, out.data(), 8);
  const auto o = out.read();
  for (unsigned i = 0; i < 256; i++)
    if (o[i] != 31 - i % 32 + i / 32) return false;
  return true;
}

bool full_mask_in_branch_works() {
  device_items out(64);
  simt::launch(full_mask_in_branch<>, {.block = 64}, out.data());
  return true;
}
bool small_shared_memory_works() {
  device_items out(64);
  simt::launch(warp_exchange<bug::none>, {.block = 64, .shared_bytes = 64}, out.data());
  return true;
}
bool dead_flag_works() {
  device_items flag(1);
  simt::launch(spin_on_dead_flag<>, {}, flag.data());
  return true;
}
template <bug Bug>
bool copy_of_neighbour_works() {
  device_items in(std::vector<unsigned>(64, 7)), out(64);
  simt::launch(copy_of_neighbour<Bug>, {.block = 64, .shared_bytes = 256}, in.data(), out.data());
  return out.read() == std::vector<unsigned>(64, 7);
}

template <int Blocks>
bool grid_barrier_works() {
  ballot::emulator::policy p = ballot::emulator::current_policy();
  p.max_resident = 4;
  const ballot::emulator::scoped_policy scope(p);
  device_items count(1);
  simt::launch(grid_barrier<>, {.grid = Blocks}, count.data());
  return true;
}

template <bug Bug>
bool cluster_works() {
  ballot::emulator::policy p = ballot::emulator::current_policy();
  p.architecture = 900;
  const ballot::emulator::scoped_policy scope(p);
  device_items out(5);
  simt::launch(cluster_sum<Bug>, {.grid = 5, .block = 64, .shared_bytes = 64, .is_cluster = true}, out.data());
  return out.read() == std::vector<unsigned>(5, 10);
}

struct right_kernel {
  const char* name;
  bool (*works)();
};
const right_kernel right_kernels[] = {
    {"block scan", block_scan_works<bug::none>},
    {"device scan, packed state", device_scan_works<state_kind::packed, bug::none>},
    {"device scan, 16-byte state", device_scan_works<state_kind::wide, bug::none>},
    {"device scan, flag and value apart", device_scan_works<state_kind::apart, bug::none>},
    {"digit ranks", digit_rank_works<bug::none>},
    {"masked shuffles", masked_sum_works<bug::none>},
    {"message with release and acquire", message_works<bug::none, false>},
    {"message with fences", message_works<bug::none, true>},
    {"warp exchange", exchange_works<bug::none>},
    {"bounds", stray_works<bug::none>},
    {"wide copies", wide_copy_works<bug::none>},
    {"asynchronous copies", copy_of_neighbour_works<bug::none>},
    {"counting blocks", count_works<bug::none>},
    {"named barriers", producer_consumer_works<bug::none>},
    {"grid barrier, all resident", grid_barrier_works<4>},
    {"cluster", cluster_works<bug::none>},
};

// Which build catches it: any, or only the checked one, which alone sees plain accesses.
enum class seen { everywhere, checked };
struct wrong_kernel {
  const char* name;
  bool (*works)();
  seen by;
  std::set<error_kind> kinds;  // that the checked build may call it
};
const wrong_kernel wrong_kernels[] = {
    {"no block barrier before reading",
     block_scan_works<bug::no_sync>,
     seen::everywhere,
     {error_kind::uninitialized_read, error_kind::data_race}},
    {"no block barrier before reuse", block_scan_works<bug::no_reuse_sync>, seen::everywhere, {error_kind::data_race}},
    {"barriers in divergent branches",
     block_scan_works<bug::divergent_barrier>,
     seen::everywhere,
     {error_kind::barrier_divergence}},
    {"return before a barrier", block_scan_works<bug::early_exit>, seen::everywhere, {error_kind::barrier_divergence}},
    {"tile number from blockIdx",
     device_scan_works<state_kind::packed, bug::tile_by_block>,
     seen::everywhere,
     {error_kind::deadlock}},
    {"flag stored relaxed",
     device_scan_works<state_kind::apart, bug::relaxed_flag>,
     seen::checked,
     {error_kind::data_race}},
    {"flag loaded relaxed",
     device_scan_works<state_kind::apart, bug::relaxed_reader>,
     seen::checked,
     {error_kind::data_race}},
    {"release of block scope",
     device_scan_works<state_kind::apart, bug::block_scope>,
     seen::checked,
     {error_kind::data_race}},
    {"atomic of block scope", count_works<bug::block_scope>, seen::checked, {error_kind::data_race}},
    {"message: no release", message_works<bug::relaxed_flag, false>, seen::checked, {}},
    {"message: no acquire", message_works<bug::relaxed_reader, false>, seen::checked, {}},
    {"message: writer's fence missing", message_works<bug::relaxed_flag, true>, seen::checked, {error_kind::data_race}},
    {"message: reader's fence missing",
     message_works<bug::relaxed_reader, true>,
     seen::checked,
     {error_kind::data_race}},
    {"message: writer's fence of block scope",
     message_works<bug::block_scope, true>,
     seen::checked,
     {error_kind::data_race}},
    {"message: reader's fence of block scope",
     message_works<bug::block_scope_reader, true>,
     seen::checked,
     {error_kind::data_race}},
    {"digit ranks: no sync_warp", digit_rank_works<bug::no_syncwarp>, seen::everywhere, {error_kind::data_race}},
    {"exchange: a vote for sync_warp", exchange_works<bug::no_syncwarp>, seen::checked, {error_kind::data_race}},
    {"caller outside its mask", masked_sum_works<bug::wrong_mask>, seen::everywhere, {error_kind::collective_misuse}},
    {"lanes disagree on the mask",
     masked_sum_works<bug::narrow_mask>,
     seen::everywhere,
     {error_kind::collective_misuse}},
    {"lanes in different collectives",
     masked_sum_works<bug::other_collective>,
     seen::everywhere,
     {error_kind::collective_misuse}},
    {"full mask in a branch", full_mask_in_branch_works, seen::everywhere, {error_kind::deadlock}},
    {"write past a buffer", stray_works<bug::out_of_bounds>, seen::everywhere, {error_kind::out_of_bounds}},
    {"shared word never written", stray_works<bug::uninitialized>, seen::everywhere, {error_kind::uninitialized_read}},
    {"wide access past a buffer", wide_copy_works<bug::out_of_bounds>, seen::everywhere, {error_kind::out_of_bounds}},
    {"wide access off its boundary", wide_copy_works<bug::misaligned>, seen::everywhere, {error_kind::misaligned}},
    {"asynchronous copy not waited for",
     copy_of_neighbour_works<bug::no_wait>,
     seen::everywhere,
     {error_kind::uninitialized_read, error_kind::data_race}},
    {"asynchronous copy read by others without a barrier",
     copy_of_neighbour_works<bug::no_barrier>,
     seen::everywhere,
     {error_kind::uninitialized_read, error_kind::data_race}},
    {"asynchronous copy past the shared memory",
     copy_of_neighbour_works<bug::out_of_bounds>,
     seen::everywhere,
     {error_kind::out_of_bounds}},
    {"shared storage larger than launched", small_shared_memory_works, seen::everywhere, {error_kind::bad_shared}},
    {"spin on a dead flag", dead_flag_works, seen::everywhere, {error_kind::deadlock}},
    {"grid barrier, not all resident", grid_barrier_works<24>, seen::everywhere, {error_kind::deadlock}},
    {"cluster: writes before all have begun",
     cluster_works<bug::no_first_meeting>,
     seen::everywhere,
     {error_kind::bad_shared}},
    {"cluster: reads before all have written",
     cluster_works<bug::no_second_meeting>,
     seen::everywhere,
     {error_kind::data_race, error_kind::uninitialized_read, error_kind::bad_shared}},
    {"cluster: arrives twice", cluster_works<bug::twice>, seen::everywhere, {error_kind::barrier_divergence}},
    {"cluster: arrives relaxed with what it wrote",
     cluster_works<bug::arrives_relaxed>,
     seen::checked,
     {error_kind::data_race}},
    {"cluster: writes to a block that has ended",
     cluster_works<bug::leaves>,
     seen::everywhere,
     {error_kind::bad_shared}},
    {"named barriers: reuse unguarded",
     producer_consumer_works<bug::no_reuse_sync>,
     seen::everywhere,
     {error_kind::data_race, error_kind::deadlock, error_kind::uninitialized_read}},
};

}  // namespace

TEST_CASE("right kernels pass under every schedule") {
  for (const right_kernel& k : right_kernels) {
    const std::string kernel = k.name;
    CAPTURE(kernel);
    ballot::test::for_each_schedule([&] { CHECK(k.works()); });
  }
}

TEST_CASE("right kernels pass under many seeds") {
  using namespace ballot::emulator;
  for (const right_kernel& k : right_kernels)
    for (const scheduler_kind scheduler :
         {scheduler_kind::fifo, scheduler_kind::random, scheduler_kind::straggler, scheduler_kind::priority})
      for (unsigned seed = 1; seed <= 12; seed++) {
        policy p;
        p.scheduler = scheduler;
        p.seed = 1000 + seed;
        p.max_resident = 1 + seed % 5;
        p.order = block_order::shuffled;
        p.preempt_atomic = 2;
        p.clocks = p.weak_memory = true;
        p.preempt_plain = instrumented() ? 8 : 0;
        const auto e =
            ballot::test::error_of(p, [&] { CHECK_MESSAGE(k.works(), std::string(k.name), " under ", p.describe()); });
        CHECK_MESSAGE(!e, std::string(k.name), ": ", std::string(e->what()));
      }
}

TEST_CASE("every planted bug is caught") {
  for (const wrong_kernel& k : wrong_kernels) {
    const std::string kernel = k.name;
    CAPTURE(kernel);
    int caught = 0;
    for (ballot::emulator::policy p : ballot::test::schedules()) {
      p.max_steps = 20'000'000;
      bool right = true;
      const auto kind = ballot::test::kind_of(p, [&] { right = k.works(); });
      caught += kind || !right;
      if (kind && instrumented()) CHECK_MESSAGE(k.kinds.contains(*kind), "called ", std::string(name(*kind)));
    }
    const bool expected = k.by == seen::everywhere || instrumented();
    CHECK((caught != 0 || !expected));
  }
}

TEST_CASE("what happens-before can tell is told by one schedule") {
  if (!instrumented()) return;
  ballot::emulator::policy p;  // depth first, in order: nothing ever goes wrong by itself
  p.clocks = true;
  for (const wrong_kernel& k : wrong_kernels)
    if (k.kinds == std::set{error_kind::data_race})
      CHECK_MESSAGE(ballot::test::kind_of(p, k.works) == error_kind::data_race, std::string(k.name));
}
