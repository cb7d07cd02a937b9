// SPDX-License-Identifier: Apache-2.0
// The step of a simulation that docs/design.md shows, as it stands there: allocations at set-up,
// then launches only. The count of one call is the length of the next.
#include <ballot/compact.cuh>
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <numeric>

namespace algorithms_step {

using cell = std::uint32_t;
using index = std::uint32_t;

struct particle {
  cell at;
  float age;
};

struct is_alive {
  __device__ bool operator()(const particle& p) const { return p.age < 10.0f; }
};

template <int = 0>
__global__ void number_cells(const particle* particles, const std::uint64_t* count, cell* cells, index* ids) {
  const std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= *count) return;
  cells[i] = particles[i].at;
  ids[i] = static_cast<index>(i);
}

TEST_CASE("a step: compact, then sort pairs of as many as survived") {
  const std::size_t capacity = 3000;
  std::vector<particle> before(capacity);
  for (std::size_t i = 0; i < capacity; ++i)
    before[i] = {static_cast<cell>(i * 2654435761u >> 14 & 0x3ffffu), static_cast<float>(i * 7 % 13)};
  std::vector<particle> alive_before;
  std::copy_if(before.begin(), before.end(), std::back_inserter(alive_before),
               [](const particle& p) { return p.age < 10.0f; });
  std::vector<index> order(alive_before.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](index a, index b) { return alive_before[a].at < alive_before[b].at; });

  ballot::test::for_each_schedule([&] {
    const ballot::stream_t stream = ballot::test::test_stream();
    ballot::device_array<particle> particles(capacity, stream), survivors(capacity, stream);
    ballot::device_array<cell> cells(capacity, stream), sorted_cells(capacity, stream);
    ballot::device_array<index> ids(capacity, stream), sorted_ids(capacity, stream);
    particles.write(before);

    auto bytes = std::max(ballot::compact_scratch_bytes<particle>(capacity),
                          ballot::sort_pairs_scratch_bytes<cell, index>(capacity));
    ballot::device_buffer scratch(bytes, stream);
    ballot::device_value<std::uint64_t> alive(stream);
    ballot::exec gpu{stream, scratch};

    ballot::compact(gpu, particles, is_alive{}, survivors, alive);
    ballot::simt::launch(number_cells<>, ballot::simt::launch_config{dim3(12), dim3(256), 0, stream}, survivors.data(),
                         alive.address(), cells.data(), ids.data());
    ballot::sort_pairs(gpu, ballot::counted{cells, alive}, ids, sorted_cells, sorted_ids, {.bits = {0, 18}});

    REQUIRE(alive.read(stream) == alive_before.size());
    const ballot::test::guarded<index> in_order(alive_before.size());
    ballot::simt::copy_bytes(stream, in_order.data(), sorted_ids.data(), alive_before.size() * sizeof(index));
    CHECK(in_order.read() == order);
  });
}

}  // namespace algorithms_step
