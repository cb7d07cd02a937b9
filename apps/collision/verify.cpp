// SPDX-License-Identifier: Apache-2.0
#include "collision/verify.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <vector>

namespace ballot::app::collision {
namespace {

constexpr std::uint64_t most_for_all_pairs = 20'000;
constexpr std::uint64_t tests_of_a_sample = 400'000'000;

// The definition, each operation rounded: not the engines' text.
bool have_a_common_point(const sphere& p, const sphere& q) {
  const float away[3] = {q.x - p.x, q.y - p.y, q.z - p.z};
  float square = away[0] * away[0];
  square += away[1] * away[1];
  square += away[2] * away[2];
  const float radii = p.radius + q.radius;
  return !(square > radii * radii);
}

std::string shown(const object_pair& pair) { return fmt::format("({}, {})", pair.a, pair.b); }

}  // namespace

std::vector<std::uint32_t> objects_to_ask(std::uint64_t n) {
  std::vector<std::uint32_t> asked;
  if (n <= most_for_all_pairs) {
    for (std::uint32_t i = 0; i < n; ++i) asked.push_back(i);
    return asked;
  }
  std::mt19937_64 random(n);
  for (std::uint64_t i = 0; i < std::max<std::uint64_t>(64, tests_of_a_sample / n); ++i)
    asked.push_back(static_cast<std::uint32_t>(random() % n));
  return asked;
}

void verify_pairs(std::span<const sphere> objects, std::span<const object_pair> pairs) {
  const std::uint64_t n = objects.size();
  // How many of an object's pairs the list has.
  std::vector<std::uint32_t> listed(objects.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const object_pair pair = pairs[i];
    if (pair.a >= pair.b || pair.b >= n)
      throw verification_failure(fmt::format("verification failed: {} is no pair of {} objects", shown(pair), n));
    if (i > 0 && !(pairs[i - 1].a < pair.a || (pairs[i - 1].a == pair.a && pairs[i - 1].b < pair.b)))
      throw verification_failure(
          fmt::format("verification failed: {} comes behind {}", shown(pair), shown(pairs[i - 1])));
    if (!have_a_common_point(objects[pair.a], objects[pair.b]))
      throw verification_failure(fmt::format("verification failed: {} do not touch", shown(pair)));
    ++listed[pair.a];
    ++listed[pair.b];
  }

  // Each listed pair touches, is listed once, and is in order. So it is enough that an object
  // touches as many others as the list says.
  const std::vector<std::uint32_t> asked = objects_to_ask(n);
  std::atomic<std::uint32_t> wrong{0xffffffffu};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, asked.size()),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        std::uint32_t touched = 0;
                        for (std::uint32_t other = 0; other < n; ++other)
                          touched += other != asked[i] && have_a_common_point(objects[asked[i]], objects[other]);
                        if (touched != listed[asked[i]]) wrong = asked[i];
                      }
                    });
  if (wrong != 0xffffffffu)
    throw verification_failure(
        fmt::format("verification failed: pairs of object {} are missing, {} are there", wrong.load(), listed[wrong]));
}

}  // namespace ballot::app::collision
