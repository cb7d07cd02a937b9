// SPDX-License-Identifier: Apache-2.0
// The collision pipeline of `ballot collide` on the device, against all pairs tested by hand.
// Scenes have objects on the borders of cells, in one cell, in one place, far apart. Also too
// little room, and steps in time with and without response.
//
// Coordinates are multiples of 1/16, so that no operation rounds and compilers cannot disagree.
#include "collision/pipeline.cuh"

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <random>

using namespace ballot;
using namespace ballot::app::collision;

namespace collision_pipeline {

struct test_scene {
  std::string name;
  std::vector<sphere> spheres;
  float largest_radius = 0;
};

std::vector<sphere> random_spheres(std::size_t n, int extent, float radius, unsigned seed) {
  std::mt19937 random(seed);
  const auto coordinate = [&] {
    return static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * extent)) - extent) / 16;
  };
  std::vector<sphere> spheres(n);
  for (sphere& s : spheres) s = {coordinate(), coordinate(), coordinate(), random() % 2 ? radius : radius / 2};
  return spheres;
}

std::vector<test_scene> scenes() {
  std::vector<test_scene> all;
  all.push_back({"nothing", {}, 1});
  all.push_back({"one", {{1, 2, 3, 0.5f}}, 0.5f});
  all.push_back({"touching", {{0, 0, 0, 0.5f}, {1, 0, 0, 0.5f}, {2.0625f, 0, 0, 0.5f}}, 0.5f});
  all.push_back({"one place", std::vector<sphere>(40, {-3, 4, 5, 0}), 0});
  std::vector<sphere> lattice;  // each touches its neighbours in all directions
  for (int z = -2; z < 2; ++z)
    for (int y = -2; y < 3; ++y)
      for (int x = -3; x < 3; ++x)
        lattice.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0.5f});
  all.push_back({"lattice", lattice, 0.5f});
  all.push_back({"sparse", random_spheres(33, 400, 1, 1), 1});
  all.push_back({"dense", random_spheres(300, 40, 0.5f, 2), 0.5f});
  all.push_back({"one cell", random_spheres(70, 8, 4, 3), 4});
  all.push_back({"flat", random_spheres(257, 64, 0.5f, 4), 0.5f});
  for (sphere& s : all.back().spheres) s.z = 0;
  return all;
}

std::vector<object_pair> all_pairs(const std::vector<sphere>& s) {
  std::vector<object_pair> pairs;
  for (std::uint32_t a = 0; a < s.size(); ++a)
    for (std::uint32_t b = a + 1; b < s.size(); ++b) {
      const double x = double(s[b].x) - double(s[a].x), y = double(s[b].y) - double(s[a].y),
                   z = double(s[b].z) - double(s[a].z), reach = double(s[a].radius) + double(s[b].radius);
      if (x * x + y * y + z * z <= reach * reach) pairs.push_back({a, b});
    }
  return pairs;
}

bounding_box box_of(const std::vector<sphere>& spheres) {
  bounding_box box{{0, 0, 0}, {0, 0, 0}};
  for (const sphere& s : spheres) {
    const float at[3] = {s.x, s.y, s.z};
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], at[axis]);
      box.high[axis] = std::max(box.high[axis], at[axis]);
    }
  }
  return box;
}

// As apps/collision/grid.cpp fits it, for scenes as small as these.
cell_grid small_grid(const bounding_box& box, float edge) {
  const auto along = [&](int axis) { return static_cast<std::uint32_t>((box.high[axis] - box.low[axis]) / edge) + 1; };
  return {box.low[0], box.low[1], box.low[2], 1 / edge, along(0), along(1), along(2)};
}

float edge_for(const test_scene& scene) { return scene.largest_radius == 0 ? 1.0f : 2 * scene.largest_radius; }

std::vector<sphere> moved_serially(std::vector<sphere> spheres, std::vector<velocity>& velocities, const motion& how,
                                   bool response) {
  std::vector<push> pushes(spheres.size(), push{});
  if (response) {
    for (const object_pair& pair : all_pairs(spheres)) {
      const push to_b = push_of(how, spheres[pair.a], velocities[pair.a], spheres[pair.b], velocities[pair.b]);
      for (unsigned c = 0; c < push_components; ++c) {
        pushes[pair.b].sum[c] += to_b.sum[c];
        pushes[pair.a].sum[c] -= to_b.sum[c];
      }
    }
  }
  for (std::size_t i = 0; i < spheres.size(); ++i) move(how, pushes[i], spheres[i], velocities[i]);
  return spheres;
}

TEST_CASE("collision pipeline: the pairs that all pairs give") {
  for (const test_scene& scene : scenes()) {
    CAPTURE(scene.name);
    const auto want = all_pairs(scene.spheres);
    const bounding_box box = box_of(scene.spheres);
    const cell_grid grid = small_grid(box, edge_for(scene));
    const std::uint64_t n = scene.spheres.size();
    const pair_counts room{std::max<std::uint64_t>(1, n * (n - 1) / 2), want.size() + 1};
    test::for_some_schedules([&] {
      pipeline device(scene.spheres, std::vector<velocity>(n), grid, {0, box, 1, 1}, room, test::test_stream());
      test::directly_and_captured([] {}, [&] { device.detect(); },
                                  [&] {
                                    const step_account account = device.account();
                                    CHECK(account.last.pairs == want.size());
                                    CHECK(account.last.candidates >= want.size());
                                    CHECK(account.overflowed == 0);
                                    CHECK(device.pairs() == want);
                                  });
    });
  }
}

TEST_CASE("collision pipeline: pairs that do not fit are counted, and nothing is written past the room") {
  const auto spheres = random_spheres(100, 24, 0.5f, 9);
  const auto want = all_pairs(spheres);
  const bounding_box box = box_of(spheres);
  const cell_grid grid = small_grid(box, 1);
  std::uint64_t candidates = 0;
  {
    pipeline device(spheres, std::vector<velocity>(100), grid, {0, box, 1, 1}, {5000, 5000}, test::test_stream());
    device.detect();
    candidates = device.account().last.candidates;
  }
  REQUIRE(candidates > want.size());
  REQUIRE(want.size() > 1);
  const auto account_with = [&](const pair_counts& room) {
    pipeline device(spheres, std::vector<velocity>(100), grid, {0, box, 1, 1}, room, test::test_stream());
    device.detect();
    device.detect();
    return device.account();
  };
  test::for_each_schedule([&] {
    const step_account exact = account_with({candidates, want.size()});
    CHECK(exact.overflowed == 0);
    CHECK(exact.steps == 2);
    const step_account few_pairs = account_with({candidates, want.size() - 1});
    CHECK(few_pairs.overflowed == 1);
    CHECK(few_pairs.wanted.pairs == want.size());
    const step_account few_candidates = account_with({candidates - 1, want.size()});
    CHECK(few_candidates.overflowed == 1);
    CHECK(few_candidates.wanted.candidates == candidates);
    CHECK(account_with({1, 1}).wanted.candidates == candidates);
  });
}

TEST_CASE("collision pipeline: steps in time are those of a loop over all pairs") {
  const auto begin = random_spheres(120, 40, 0.5f, 5);
  std::mt19937 random(6);
  std::vector<velocity> speeds(begin.size());
  for (velocity& v : speeds)
    v = {static_cast<float>(random() % 33) - 16, static_cast<float>(random() % 33) - 16,
         static_cast<float>(random() % 33) - 16};
  const bounding_box box = box_of(begin);
  const cell_grid grid = small_grid(box, 1.5f);
  const motion how{1.0f / 64, box, 0x1p30, 0x1p30};
  for (bool response : {false, true}) {
    CAPTURE(response);
    test::for_some_schedules([&] {
      pipeline device(begin, speeds, grid, how, {7140, 7140}, test::test_stream());
      device.detect();
      auto want = begin;
      auto want_speeds = speeds;
      for (int step = 0; step < 3; ++step) {
        device.move(response);
        device.detect();
        want = moved_serially(want, want_speeds, how, response);
        const auto got = device.objects();
        bool close = true;  // to the bit where no compiler fuses; the tests on the GPU are not built so
        for (std::size_t i = 0; i < want.size(); ++i)
          close = close && std::abs(got[i].x - want[i].x) < 1e-4f && std::abs(got[i].y - want[i].y) < 1e-4f &&
                  std::abs(got[i].z - want[i].z) < 1e-4f;
        CHECK(close);
        // Not against `want`, which may differ in the last bit.
        CHECK(device.pairs().size() == device.account().last.pairs);
        if (!response) CHECK(device.pairs() == all_pairs(got));
      }
    });
  }
}

}  // namespace collision_pipeline
