// SPDX-License-Identifier: Apache-2.0
// Nonzero, masks, groups, cell lists, culling and nearest candidates, against serial references,
// replayed with other data.
#include "examples/cell_lists.cuh"
#include "examples/frustum_culling.cuh"
#include "examples/group_by.cuh"
#include "examples/nearest_candidates.cuh"
#include "examples/nonzero_and_mask.cuh"

#include "support/step.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

using namespace ballot;
using test::exact_scratch;
using test::guarded;

namespace examples_lists {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 6000;

template <class T>
std::vector<T> first_of(const guarded<T>& items, std::size_t count) {
  std::vector<T> all = items.read();
  REQUIRE(count <= all.size());
  all.resize(count);
  return all;
}

TEST_CASE("example: nonzero elements and a mask") {
  constexpr u32 width = 75;
  guarded<float> matrix(n), selected(n);
  guarded<u8> mask(n);
  guarded<u32> rows(n), columns(n);
  guarded<u64> count(1), selected_count(1);
  const exact_scratch scratch(examples::nonzero_scratch_bytes(n)), of_mask(examples::masked_scratch_bytes(n));
  std::vector<float> now(n);
  std::vector<u8> bytes(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (float& x : now) x = random() % 3 == 0 ? static_cast<float>(random() % 9) : 0.0f;
        for (u8& b : bytes) b = static_cast<u8>(random() % 4);
        matrix.write(now), mask.write(bytes);
      },
      [&] {
        examples::nonzero(scratch.where(), matrix, width, rows, columns, count.data());
        examples::masked(of_mask.where(), matrix, mask, selected, selected_count.data());
      },
      [&] {
        std::vector<u32> want_rows, want_columns;
        std::vector<float> want;
        for (u32 i = 0; i < n; ++i) {
          if (now[i] != 0) want_rows.push_back(i / width), want_columns.push_back(i % width);
          if (bytes[i] != 0) want.push_back(now[i]);
        }
        CHECK(count.read()[0] == want_rows.size());
        CHECK(first_of(rows, want_rows.size()) == want_rows);
        CHECK(first_of(columns, want_columns.size()) == want_columns);
        CHECK(selected_count.read()[0] == want.size());
        CHECK(first_of(selected, want.size()) == want);
      });
}

TEST_CASE("example: group by") {
  guarded<u32> keys(n), sorted_keys(n), group_keys(n), counts(n);
  guarded<float> values(n), sorted_values(n), sums(n), largest(n);
  guarded<u64> number(1);
  const exact_scratch scratch(examples::group_by_scratch_bytes(n));
  std::vector<u32> now(n);
  std::vector<float> of_rows(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& k : now) k = static_cast<u32>(random() % 700) << 20;
        for (float& v : of_rows) v = static_cast<float>(random() % 50);  // sums are exact
        keys.write(now), values.write(of_rows);
      },
      [&] {
        examples::group_by(scratch.where(), keys, values, sorted_keys, sorted_values,
                           {group_keys, sums, largest, counts, number.data()});
      },
      [&] {
        struct group {
          float sum = 0, largest = 0;
          u32 count = 0;
        };
        std::map<u32, group> groups;
        for (std::size_t i = 0; i < n; ++i) {
          group& g = groups[now[i]];
          g.sum += of_rows[i], g.largest = std::max(g.largest, of_rows[i]), ++g.count;
        }
        REQUIRE(number.read()[0] == groups.size());
        const auto got_keys = group_keys.read(), got_counts = counts.read();
        const auto got_sums = sums.read(), got_largest = largest.read();
        std::size_t at = 0;
        for (const auto& [key, g] : groups) {
          REQUIRE(got_keys[at] == key);
          REQUIRE(got_counts[at] == g.count);
          REQUIRE(got_sums[at] == g.sum);
          REQUIRE(got_largest[at] == g.largest);
          ++at;
        }
      });
}

TEST_CASE("example: cell lists") {
  constexpr u32 cells = 1000;
  guarded<u32> cell_of(n), sorted_cells(n), particles(n), begins(cells + 1);
  const exact_scratch scratch(examples::cell_lists_scratch_bytes(n));
  std::vector<u32> now(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (u32& c : now) c = static_cast<u32>(random() % cells / 3 * 2);  // many cells are empty
        cell_of.write(now);
      },
      [&] { examples::cell_lists(scratch.where(), cell_of, sorted_cells, particles, begins); },
      [&] {
        const auto got = particles.read(), at = begins.read();
        std::vector<std::vector<u32>> lists(cells);
        for (u32 i = 0; i < n; ++i) lists[now[i]].push_back(i);
        REQUIRE(at[0] == 0);
        for (u32 c = 0; c < cells; ++c) {
          REQUIRE(at[c + 1] - at[c] == lists[c].size());
          REQUIRE(std::equal(lists[c].begin(), lists[c].end(), got.begin() + at[c]));
        }
      });
}

TEST_CASE("example: objects that two cameras see") {
  // Boxes: the camera's sight from one corner to the other.
  const auto box = [](float from, float to) {
    return examples::frustum{
        {{1, 0, 0, -from}, {-1, 0, 0, to}, {0, 1, 0, -from}, {0, -1, 0, to}, {0, 0, 1, -from}, {0, 0, -1, to}}};
  };
  const examples::frustum left = box(0, 60), right = box(30, 90);
  guarded<float> x(n), y(n), z(n), radius(n);
  guarded<u32> visible(2 * n), counts(2);
  const exact_scratch scratch(examples::cull_scratch_bytes(n));
  std::vector<float> all[4];
  for (auto& of : all) of.resize(n);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (int axis = 0; axis < 4; ++axis)
          for (float& v : all[axis]) v = static_cast<float>(random() % (axis == 3 ? 4 : 100));
        x.write(all[0]), y.write(all[1]), z.write(all[2]), radius.write(all[3]);
      },
      [&] {
        examples::cull_for_two(scratch.where(), {x, y, z, radius}, left, right, visible, counts.data());
      },
      [&] {
        std::vector<u32> want, of_each;
        for (const examples::frustum& camera : {left, right}) {
          const std::size_t before = want.size();
          for (u32 i = 0; i < n; ++i)
            if (camera(all[0][i], all[1][i], all[2][i], all[3][i])) want.push_back(i);
          of_each.push_back(static_cast<u32>(want.size() - before));
        }
        CHECK(of_each[0] > 100);
        CHECK(counts.read() == of_each);
        CHECK(first_of(visible, want.size()) == want);
      });
}

TEST_CASE("example: nearest candidates") {
  constexpr std::size_t queries = 40, k = 7;
  guarded<float> distances(n), distances_out(queries * k);
  guarded<u32> ids(n), begins(queries + 1), nearest(queries * k), found(queries);
  const exact_scratch scratch(examples::nearest_scratch_bytes(queries, k));
  std::vector<float> now(n);
  std::vector<u32> id_of(n), at(queries + 1);
  test::replay_with_new_data(
      [&](unsigned seed) {
        std::mt19937 random(seed);
        for (std::size_t i = 0; i < n; ++i)
          now[i] = static_cast<float>(random() % 300), id_of[i] = static_cast<u32>(random());
        for (u32& begin : at) begin = random() % 4 == 0 ? 3000u : static_cast<u32>(random() % n);
        std::sort(at.begin(), at.end());
        distances.write(now), ids.write(id_of), begins.write(at);
      },
      [&] { examples::nearest_candidates(scratch.where(), distances, ids, begins, k, distances_out, nearest, found); },
      [&] {
        const auto got = nearest.read(), got_found = found.read();
        const auto got_distances = distances_out.read();
        for (std::size_t q = 0; q < queries; ++q) {
          std::vector<u32> order(at[q + 1] - at[q]);
          std::iota(order.begin(), order.end(), at[q]);
          std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return now[a] < now[b]; });
          REQUIRE(got_found[q] == std::min(k, order.size()));
          for (std::size_t i = 0; i < got_found[q]; ++i) {
            REQUIRE(got[q * k + i] == id_of[order[i]]);
            REQUIRE(got_distances[q * k + i] == now[order[i]]);
          }
        }
      });
}

}  // namespace examples_lists
