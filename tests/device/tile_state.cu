// SPDX-License-Identifier: Apache-2.0
// States of tiles that pack values into few bits: what goes in comes out, up to the largest, and
// zero is empty.
#include <ballot/device/tile_state.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace device_tile_state {

using device::tile_status;

template <class State>
struct unpacked {
  tile_status status;
  typename State::value_type value;
};

// One thread. `seen` has one more than `values`: an empty state.
template <class State>
__global__ void pack_and_unpack(const typename State::value_type* values, unsigned count, unpacked<State>* seen) {
  for (unsigned i = 0; i < count; ++i) {
    const auto word = State::pack(i % 2 == 0 ? tile_status::aggregate : tile_status::prefix, values[i]);
    seen[i] = {State::status(word), State::value(word)};
  }
  seen[count] = {State::status({}), State::value({})};
}

template <class State>
std::vector<unpacked<State>> seen_of(const std::vector<typename State::value_type>& values) {
  const test::guarded<typename State::value_type> in(values);
  test::guarded<unpacked<State>> seen(values.size() + 1);
  simt::launch(pack_and_unpack<State>, simt::launch_config{dim3(1), dim3(1), 0, test::test_stream()}, in.data(),
               static_cast<unsigned>(values.size()), seen.data());
  return seen.read();
}

TEST_CASE_TEMPLATE("a count and a place come out of the state as they went in", State, device::count_and_last_state,
                   device::tile_state<device::count_and_last<std::uint64_t>>) {
  using value = typename State::value_type;
  using Index = decltype(value::count);
  constexpr Index most = sizeof(Index) == 4 ? Index{0x7fffffff} : ~Index{0};
  const std::vector<value> values{{0, 0}, {0, most}, {most, 0}, {most, most}, {1, most - 1}, {most - 1, 1}};
  test::for_each_schedule([&] {
    const auto seen = seen_of<State>(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(seen[i].status == (i % 2 == 0 ? tile_status::aggregate : tile_status::prefix));
      CHECK(seen[i].value.count == values[i].count);
      CHECK(seen[i].value.last == values[i].last);
    }
    CHECK(seen.back().status == tile_status::empty);
  });
}

TEST_CASE("a count of 62 bits comes out of the state as it went in") {
  const std::vector<std::uint64_t> values{0, 1, 0x7fffffff, 0x80000000, std::uint64_t{1} << 40, ~std::uint64_t{0} >> 2};
  test::for_each_schedule([&] {
    const auto seen = seen_of<device::count_state>(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(seen[i].status == (i % 2 == 0 ? tile_status::aggregate : tile_status::prefix));
      CHECK(seen[i].value == values[i]);
    }
    CHECK(seen.back().status == tile_status::empty);
  });
}

}  // namespace device_tile_state
