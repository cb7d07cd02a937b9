// SPDX-License-Identifier: Apache-2.0
// The check of colliding pairs must catch a liar, and the grid must keep its promise to the last
// bit.
#include "base/failure.hpp"
#include "collision/grid.hpp"
#include "collision/run_scene.hpp"
#include "collision/verify.hpp"
#include "collision/verify_triangles.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

using namespace ballot::app;
using namespace ballot::app::collision;

TEST_CASE("verify_pairs finds what is wrong with a list") {
  std::vector<sphere> line;
  for (int i = 0; i < 50; ++i) line.push_back({static_cast<float>(i), 0, 0, 0.5f});
  std::vector<object_pair> right;
  for (std::uint32_t i = 0; i + 1 < 50; ++i) right.push_back({i, i + 1});
  CHECK_NOTHROW(verify_pairs(line, right));
  CHECK_NOTHROW(verify_pairs({}, {}));
  CHECK_THROWS_AS(verify_pairs(line, {}), verification_failure);
  const auto wrong = [&](auto&& change) {
    auto pairs = right;
    change(pairs);
    CHECK_THROWS_AS(verify_pairs(line, pairs), verification_failure);
  };
  wrong([](auto& pairs) { pairs.pop_back(); });
  wrong([](auto& pairs) { pairs.erase(pairs.begin() + 20); });
  wrong([](auto& pairs) { pairs.insert(pairs.begin() + 3, pairs[3]); });
  wrong([](auto& pairs) { std::swap(pairs[4], pairs[5]); });
  wrong([](auto& pairs) { std::swap(pairs[4].a, pairs[4].b); });
  wrong([](auto& pairs) { pairs[4].b = 6; });
  wrong([](auto& pairs) { pairs.push_back({49, 50}); });
  wrong([](auto& pairs) { pairs[48] = {48, 48}; });
}

TEST_CASE("verify_triangles finds what is wrong with a list") {
  std::vector<triangle> all;  // each shares a corner with the next
  for (int i = 0; i < 30; ++i) {
    const auto x = static_cast<float>(i);
    all.push_back({corner{x, 0, 0}, corner{x + 1, 0, 0}, corner{x, 0.25f, 0}});
  }
  all.push_back({corner{0.5f, 0.25f, 0}, corner{0.75f, 0.25f, 0}, corner{0.5f, 0.5f, 0}});  // near to the first
  const std::uint32_t near = 30;
  std::vector<object_pair> right{{0, 1}}, of_spheres{{0, 1}, {0, near}};
  for (std::uint32_t i = 1; i + 1 < 30; ++i) {
    right.push_back({i, i + 1});
    of_spheres.push_back({i, i + 1});
  }
  CHECK(touching(of_spheres, all) == right);
  CHECK_NOTHROW(verify_triangles(all, of_spheres, right));
  CHECK_NOTHROW(verify_triangles({}, {}, {}));
  const auto wrong = [&](auto&& change) {
    auto pairs = right, candidates = of_spheres;
    change(pairs, candidates);
    CHECK_THROWS_AS(verify_triangles(all, candidates, pairs), verification_failure);
  };
  wrong([](auto& pairs, auto&) { pairs.pop_back(); });
  wrong([](auto& pairs, auto&) { pairs.erase(pairs.begin() + 20); });
  wrong([](auto& pairs, auto&) { pairs.insert(pairs.begin() + 1, {0, near}); });
  wrong([](auto& pairs, auto&) { std::swap(pairs[4], pairs[5]); });
  wrong([](auto& pairs, auto&) { pairs.push_back({29, near}); });
  wrong([](auto& pairs, auto& candidates) {  // which the spheres have missed
    pairs.erase(pairs.begin() + 7);
    candidates.erase(candidates.begin() + 8);
  });
}

TEST_CASE("both tests of triangles agree, for whole numbers of all sizes and for triangles without area") {
  std::mt19937 random(5);
  int touching_pairs = 0;
  for (const int exponent : {0, -149, -80, 20, 56}) {
    for (const int spread : {1, 2, 3, 6}) {
      const auto number = [&](bool fine) {
        const int whole = static_cast<int>(random() % static_cast<unsigned>(2 * spread + 1)) - spread;
        return std::ldexp(static_cast<float>(whole), exponent) + (fine ? std::ldexp(1.0f, exponent - 20) : 0);
      };
      for (int i = 0; i < 400; ++i) {
        triangle pair[2];
        for (triangle& t : pair)
          for (corner& c : t)
            for (float& x : c) x = number(i % 5 == 0 && random() % 4 == 0);
        if (i % 7 == 0) pair[0][2] = pair[0][1];                            // a line
        if (i % 11 == 0) pair[1][1] = pair[1][2] = pair[1][0];              // a point
        if (i % 3 == 0) pair[0][0][2] = pair[0][1][2] = pair[0][2][2] = 0;  // in a plane of two axes
        if (i % 6 == 0) pair[1][0][2] = pair[1][1][2] = pair[1][2][2] = 0;  // both in it
        if (i % 13 == 0) pair[1][0] = pair[0][0];                           // a common corner
        const bool touches = touch(pair[0], pair[1]);
        touching_pairs += touches;
        REQUIRE(touch_in_whole_numbers(pair[0], pair[1]) == touches);
        REQUIRE(touch_in_whole_numbers(pair[1], pair[0]) == touches);
      }
    }
  }
  CHECK(touching_pairs > 1000);
  CHECK(touching_pairs < 7000);
  // Beside each other by the smallest float, with corners as far away as they may be.
  const float far = 1e18f, tiny = std::numeric_limits<float>::denorm_min();
  const triangle floor{corner{-far, -far, 0}, corner{far, -far, 0}, corner{0, far, 0}};
  CHECK_FALSE(touch_in_whole_numbers(floor, {corner{0, 0, tiny}, corner{1, 0, far}, corner{0, 1, far}}));
  CHECK(touch_in_whole_numbers(floor, {corner{0, 0, -tiny}, corner{1, 0, far}, corner{0, 1, far}}));
}

TEST_CASE("spheres that touch are in neighbouring cells, also where everything rounds") {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (float extent : {1e-3f, 1.0f, 1000.0f, 1e15f}) {
    for (float relative_radius : {1e-5f, 0.0005f, 0.013f, 0.3f}) {
      const float radius = relative_radius * extent, low = -extent * uniform(random), high = low + extent;
      const bounding_box box{{low, low, low}, {high, high, high}};
      const cell_grid grid = fit_grid(box, radius, std::uint64_t{1} << 30);
      CHECK(grid.along_x <= most_cells_along);
      for (int i = 0; i < 20'000; ++i) {
        const sphere a{low + extent * uniform(random), low, low, radius};
        sphere b{a.x + 2 * radius, low, low, radius};  // on the border of touching
        for (int nearer = 0; nearer < 2; ++nearer) b.x = std::nextafter(b.x, std::numeric_limits<float>::infinity());
        while (!touch(a, b)) b.x = std::nextafter(b.x, a.x);
        if (a.x > high || b.x > high) continue;
        const auto cell_of = [&](const sphere& s) {
          return static_cast<int>(grid.along(s.x, grid.low_x, grid.along_x));
        };
        REQUIRE(std::abs(cell_of(a) - cell_of(b)) <= 1);
      }
    }
  }
}

TEST_CASE("a grid has no more cells than it may, and never none") {
  const bounding_box box{{-1, -1, -1}, {1, 1, 1}}, point{{3, 3, 3}, {3, 3, 3}}, flat{{0, 0, 0}, {1, 1, 0}};
  CHECK(fit_grid(box, 0, 1000).cells() <= 1000);
  CHECK(fit_grid(box, 0, 1000).cells() > 500);
  CHECK(fit_grid(box, 0, 1).cells() == 1);
  CHECK(fit_grid(box, 0.5f, 1000).cells() == 8);
  CHECK(fit_grid(point, 0, 1000).cells() == 1);
  CHECK(fit_grid(point, 1, 1000).cells() == 1);
  CHECK(fit_grid(flat, 0, std::uint64_t{1} << 22).along_z == 1);
  CHECK(fit_grid(box, 1e17f, 1000).cells() == 1);
}

TEST_CASE("room that did not suffice grows past what was wanted, and stays where it did") {
  const step_account account{3, {10, 2}, 2, {1000, 5}};
  const pair_counts more = grown({100, 50}, account);
  CHECK(more.candidates == 1250);
  CHECK(more.pairs == 50);
  CHECK(grown({2000, 4}, account).pairs == 6);
  CHECK_NOTHROW(require_room(account, {no_limit, no_limit}));
  CHECK_THROWS_AS(require_room(account, {999, no_limit}), failure);
  CHECK_THROWS_AS(require_room(account, {no_limit, 4}), failure);
}

TEST_CASE("on the CPU the list of pairs grows, and a limit is kept to the item") {
  scene what;
  for (int i = 0; i < 300; ++i) what.spheres.push_back({0, 0, 0, 1});
  what.velocities.resize(300);
  what.largest_radius = 1;
  constexpr std::uint64_t all = 300 * 299 / 2;
  for (const std::uint64_t limit : {no_limit, all, all - 1}) {
    const pair_counts room{no_limit, limit};
    const auto world = make_cpu_simulation(what, settings_for(what, 0.01f, room, false));
    world->advance(2);
    CHECK(world->account().last.pairs == all);
    CHECK(world->account().overflowed == (limit < all ? 1 : 0));
    CHECK(world->pairs().size() == std::min(all, limit));
  }
}

TEST_CASE("a run whose room does not suffice begins again with more, and ends as one that had enough") {
  const scene what = make_particles({2000, 3, 2, 0.02f, 1, 1});
  const settings enough = settings_for(what, 0.01f, {no_limit, no_limit}, true);
  settings how = enough;
  const auto expected = run_scene(what, how, 12, how.room, make_cpu_simulation, nullptr);
  CHECK(expected.begun_again == 0);
  CHECK(expected.world->pairs().size() > 10);
  const pair_counts first = make_cpu_simulation(what, enough)->account().last;
  CHECK(first.pairs == 0);  // before any step
  for (const pair_counts& room : {pair_counts{1, 1}, pair_counts{no_limit, 7}, pair_counts{1000, no_limit}}) {
    settings little = enough;
    little.room = room;
    const auto again = run_scene(what, little, 12, {no_limit, no_limit}, make_cpu_simulation, nullptr);
    CHECK(again.begun_again >= 1);
    CHECK(again.begun_again < 50);
    CHECK(again.world->account().steps == 12);
    CHECK(again.world->account().overflowed == 0);
    CHECK(again.world->pairs() == expected.world->pairs());
    // A limit of the user's is kept.
    little.room = room;
    CHECK_THROWS_AS(run_scene(what, little, 12, {no_limit, 20}, make_cpu_simulation, nullptr), failure);
  }
}
