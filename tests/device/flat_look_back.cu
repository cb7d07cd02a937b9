// SPDX-License-Identifier: Apache-2.0
// Look-back over aggregates that a launch before has stored, against a loop: any number of tiles,
// in their order.
#include <ballot/device/flat_look_back.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <vector>

using namespace ballot;

namespace device_flat_look_back {

using u32 = std::uint32_t;

struct affine {
  u32 a, b;
};
using aggregate = device::count_and_value<affine>;
using look_back = device::flat_look_back<device::count_and_value_state<affine>>;

struct compose_within_runs {  // does not commute
  BALLOT_HOST_DEVICE aggregate operator()(const aggregate& f, const aggregate& g) const {
    const affine both{f.value.a * g.value.a, g.value.a * f.value.b + g.value.b};
    return {f.count + g.count, g.count != 0 ? g.value : both};
  }
};

__global__ void store(const aggregate* of_tile, look_back::word* states) {
  if (simt::thread_rank() == 0) look_back::store_for_next_launch(states, blockIdx.x, of_tile[blockIdx.x]);
}
__global__ void look(const look_back::word* states, aggregate* prefixes) {  // a warp a block
  if (blockIdx.x == 0) return;
  const aggregate prefix = look_back::exclusive_prefix(states, blockIdx.x, compose_within_runs{});
  if (simt::lane_id() == blockIdx.x % simt::warp_size) prefixes[blockIdx.x] = prefix;
}

TEST_CASE("flat_look_back: the sum of all tiles before, in their order") {
  for (const u32 tiles : {1u, 2u, 31u, 32u, 33u, 34u, 64u, 65u, 127u, 129u, 300u, 1025u}) {
    CAPTURE(tiles);
    const auto random = test::random_items<u32>(3 * tiles, tiles);
    std::vector<aggregate> of_tile(tiles), want(tiles);
    for (u32 t = 0; t < tiles; ++t) {
      of_tile[t] = {random[3 * t] % 16 == 0 ? 3u : 0u, {random[3 * t + 1], random[3 * t + 2]}};
      if (t == 1) want[t] = of_tile[0];
      if (t > 1) want[t] = compose_within_runs{}(want[t - 1], of_tile[t - 1]);
    }
    test::for_some_schedules([&] {
      const test::guarded<aggregate> in(of_tile);
      test::guarded<look_back::word> states(look_back::state_count(tiles));
      test::guarded<aggregate> prefixes(tiles);
      states.fill_dirt();
      simt::launch(store, simt::launch_config{dim3(tiles), dim3(32), 0, test::test_stream()}, in.data(), states.data());
      simt::launch(look, simt::launch_config{dim3(tiles), dim3(32), 0, test::test_stream()}, states.data(),
                   prefixes.data());
      const auto got = prefixes.read();
      bool same = true;
      for (u32 t = 1; t < tiles; ++t)
        same &= got[t].count == want[t].count && got[t].value.a == want[t].value.a && got[t].value.b == want[t].value.b;
      CHECK(same);
    });
  }
}

}  // namespace device_flat_look_back
