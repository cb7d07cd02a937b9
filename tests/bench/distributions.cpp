// SPDX-License-Identifier: Apache-2.0
// bench/distributions.hpp: each distribution has the property that its name promises.
#include <doctest/doctest.h>

#include <bench/distributions.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace ballot::bench;

constexpr std::uint64_t n = 100'000;
std::set<std::string> tested;

const distribution& named(const char* name) {
  tested.insert(name);
  const distribution* found = find_distribution(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::vector<std::uint64_t> words(const char* name, unsigned bits, std::uint64_t count = n) {
  const distribution& how = named(name);
  REQUIRE((how.word != nullptr));
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = how.word({i, count, bits});
  if (bits == 32) REQUIRE(*std::max_element(keys.begin(), keys.end()) <= 0xffffffffu);
  return keys;
}
std::vector<double> reals(const char* name, unsigned bits = 64) {
  const distribution& how = named(name);
  REQUIRE((how.real != nullptr));
  std::vector<double> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = how.real({i, n, bits});
  return keys;
}

template <class Keys>
std::size_t distinct(Keys keys) {
  std::sort(keys.begin(), keys.end());
  return static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
}
// The shares of the leading digits of 8 bits, largest first.
std::vector<double> digit_shares(const std::vector<std::uint64_t>& keys, unsigned bits) {
  std::vector<double> shares(256);
  for (const std::uint64_t key : keys) shares[key >> (bits - 8)] += 1.0 / static_cast<double>(keys.size());
  std::sort(shares.rbegin(), shares.rend());
  return shares;
}
// The share of neighbours in order.
template <class Keys>
double ascents(const Keys& keys) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) count += keys[i - 1] <= keys[i] ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(keys.size() - 1);
}
bool near(double value, double wanted, double off) { return std::abs(value - wanted) <= off; }

TEST_CASE("uniform: all leading digits equally often, hardly a key twice") {
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("uniform", bits);
    const auto shares = digit_shares(keys, bits);
    CHECK(shares.front() < 1.3 / 256);
    CHECK(shares.back() > 0.7 / 256);
    CHECK(distinct(keys) > n - 10);
    CHECK(near(ascents(keys), 0.5, 0.01));
  }
  const auto keys = reals("uniform");
  CHECK(std::all_of(keys.begin(), keys.end(), [](double key) { return 0 < key && key < 1; }));
}

TEST_CASE("normal: mean 0, deviation 1, two thirds within one deviation") {
  const auto keys = reals("normal");
  double sum = 0, squares = 0, within = 0;
  for (const double key : keys) {
    REQUIRE(std::isfinite(key));
    sum += key;
    squares += key * key;
    within += std::abs(key) < 1 ? 1 : 0;
  }
  CHECK(near(sum / n, 0, 0.02));
  CHECK(near(squares / n, 1, 0.02));
  CHECK(near(within / n, 0.6827, 0.01));
}

TEST_CASE("exponents: both signs, all exponents, finite in their type") {
  for (const unsigned bits : {32u, 64u}) {
    const int most = bits == 64 ? 1000 : 120;
    std::map<int, int> exponents;
    int negative = 0;
    for (const double key : reals("exponents", bits)) {
      REQUIRE(std::isfinite(bits == 32 ? static_cast<double>(static_cast<float>(key)) : key));
      REQUIRE(key != 0);
      ++exponents[std::ilogb(key)];
      negative += key < 0 ? 1 : 0;
    }
    CHECK(near(negative / static_cast<double>(n), 0.5, 0.01));
    CHECK(exponents.size() == static_cast<std::size_t>(2 * most + 1));
    CHECK(exponents.begin()->first == -most);
  }
}

TEST_CASE("zipf: rank r in 1 / r of the cases of rank 1") {
  std::map<std::uint64_t, double> counts;
  for (const std::uint64_t key : words("zipf", 32)) {
    REQUIRE(key >= 1);
    REQUIRE(key <= 1u << 24);
    ++counts[key];
  }
  const double of_rank_1 = std::log(2) / std::log(double{1u << 24});
  CHECK(near(counts[1] / n, of_rank_1, 0.003));
  for (const std::uint64_t rank : {2u, 3u, 10u, 30u}) {
    const auto r = static_cast<double>(rank);
    CHECK(near(counts[rank] / counts[1], std::log((r + 1) / r) / std::log(2), 0.05));
  }
}

TEST_CASE("zipf_hashed: as often as the ranks, but spread") {
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("zipf_hashed", bits);
    CHECK(near(static_cast<double>(distinct(keys)), static_cast<double>(distinct(words("zipf", bits))), 20));
    std::map<std::uint64_t, double> counts;
    double most = 0;
    for (const std::uint64_t key : keys) most = std::max(most, ++counts[key]);
    CHECK(near(most / n, 1.0 / 24, 0.003));
    CHECK((counts.rbegin()->first >> (bits - 8)) >= 250);
  }
}

TEST_CASE("time_stamps: ascending as a whole, in disorder within a thousand items") {
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("time_stamps", bits);
    const double ordered = ascents(keys);
    CHECK(ordered > 0.45);
    CHECK(ordered < 0.55);
    for (std::uint64_t i = 0; i + 1100 < n; i += 97) REQUIRE(keys[i] < keys[i + 1100]);
  }
  words("time_stamps", 32, 1000);
  words("time_stamps", 32, 3);
}

TEST_CASE("sorted and reversed: in order, over most of the range") {
  for (const unsigned bits : {32u, 64u}) {
    const auto up = words("sorted", bits);
    CHECK(std::is_sorted(up.begin(), up.end()));
    CHECK(distinct(up) == n);
    CHECK((up.back() >> (bits - 8)) == 255);
    auto down = words("reversed", bits);
    CHECK((down.front() >> (bits - 8)) == 255);
    CHECK(std::is_sorted(down.rbegin(), down.rend()));
    CHECK(distinct(down) == n);
  }
  const auto down = reals("reversed");
  CHECK(std::is_sorted(down.rbegin(), down.rend()));
}

TEST_CASE("sorted_moved: sorted except one item in a hundred") {
  const auto keys = words("sorted_moved", 64), sorted = words("sorted", 64);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < n; ++i) moved += keys[i] != sorted[i] ? 1 : 0;
  CHECK(near(static_cast<double>(moved) / n, 0.01, 0.002));
  const auto real = reals("sorted_moved");
  CHECK(near(ascents(real), 0.99, 0.003));
}

TEST_CASE("sorted_appended: sorted, and a hundredth behind that is not") {
  const auto keys = words("sorted_appended", 32);
  const auto behind = keys.begin() + (n - n / 100);
  CHECK(std::is_sorted(keys.begin(), behind));
  CHECK(near(ascents(std::vector(behind, keys.end())), 0.5, 0.05));
}

TEST_CASE("up_and_down, two_sequences: n different keys, in order in two parts") {
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("up_and_down", bits);
    CHECK(std::is_sorted(keys.begin(), keys.begin() + n / 2));
    CHECK(std::is_sorted(keys.rbegin(), keys.rend() - n / 2));
    CHECK(distinct(keys) == n);
    CHECK((*std::max_element(keys.begin(), keys.end()) >> (bits - 8)) == 255);
  }
  const auto check = [](const auto& keys) {
    for (std::size_t i = 2; i < n; ++i) REQUIRE(keys[i - 2] < keys[i]);
    CHECK(keys[n - 2] < keys[1]);
  };
  check(words("two_sequences", 32));
  check(words("two_sequences", 64));
  check(reals("two_sequences"));
  CHECK(distinct(reals("up_and_down")) == n);
}

TEST_CASE("integers: below a million, none more frequent than others") {
  const auto keys = reals("integers");
  for (const double key : keys) REQUIRE((0 <= key && key < 1e6 && key == std::floor(key)));
  CHECK(distinct(keys) > 0.9 * n);
}

TEST_CASE("saw_tooth: 64 ascending runs of the same small keys") {
  const auto keys = words("saw_tooth", 32);
  std::size_t falls = 0;
  for (std::size_t i = 1; i < n; ++i) falls += keys[i] < keys[i - 1] ? 1 : 0;
  CHECK(falls == 63);
  CHECK(*std::max_element(keys.begin(), keys.end()) == n / 64);
}

TEST_CASE("few: sixteen keys, equally likely") {
  for (const unsigned bits : {32u, 64u}) {
    std::map<std::uint64_t, int> counts;
    for (const std::uint64_t key : words("few", bits)) ++counts[key];
    CHECK(counts.size() == 16);
    for (const auto& [key, count] : counts) CHECK(near(count, n / 16.0, 400));
  }
  CHECK(distinct(reals("few")) == 16);
}

TEST_CASE("half_range: the upper bit is of none, the others are spread") {
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("half_range", bits);
    CHECK((*std::max_element(keys.begin(), keys.end()) >> (bits - 1)) == 0);
    const auto shares = digit_shares(keys, bits);
    CHECK(shares.front() < 1.3 / 128);
    CHECK(shares[127] > 0.7 / 128);
  }
}
TEST_CASE("few_near: sixteen keys, and some that differ from them in their last bits") {
  for (const unsigned bits : {32u, 64u}) {
    std::map<std::uint64_t, std::uint64_t> counts, leading;
    for (const std::uint64_t key : words("few_near", bits)) ++counts[key], ++leading[key >> 8];
    std::uint64_t rare = 0;
    for (const auto& [key, count] : counts)
      if (count < n / 100) rare += count;
    CHECK(leading.size() == 16);
    CHECK(rare > 0);
    CHECK(rare < n / 10000);
  }
}

TEST_CASE("nearly_constant, half_zero: one key is nearly all, or half of all") {
  const auto share_of_most = [](const auto& keys) {
    std::map<typename std::decay_t<decltype(keys)>::value_type, std::uint64_t> counts;
    std::uint64_t most = 0;
    for (const auto& key : keys) most = std::max(most, ++counts[key]);
    return static_cast<double>(most) / n;
  };
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("nearly_constant", bits);
    CHECK(near(share_of_most(keys) * n, n - 1000, 20));
    CHECK(near(static_cast<double>(distinct(keys)), 1001, 20));
    CHECK(near(share_of_most(words("half_zero", bits)), 0.5, 0.01));
  }
  CHECK(near(share_of_most(reals("nearly_constant")), 0.99, 0.001));
  CHECK(near(share_of_most(reals("half_zero")), 0.5, 0.01));
  CHECK(distinct(reals("half_zero")) > 0.49 * n);
}

TEST_CASE("leading digits: all in one, half in one, one larger, five heavy ones") {
  for (const unsigned bits : {32u, 64u}) {
    const auto one = words("one_digit", bits);
    CHECK(digit_shares(one, bits).front() > 0.9999);
    CHECK(distinct(one) > 0.99 * n);
    const auto half = digit_shares(words("heavy_one", bits), bits);
    CHECK(near(half[0], 0.5, 0.01));
    CHECK(half[1] < 0.01);
    const auto larger = digit_shares(words("larger_one", bits), bits);
    CHECK(near(larger[0] / (1.0 / 261), 6, 0.5));
    CHECK(larger[1] < 1.4 / 261);
    const auto several = digit_shares(words("heavy_several", bits), bits);
    for (int i = 0; i < 5; ++i) CHECK(near(several[static_cast<std::size_t>(i)], 0.18, 0.01));
    CHECK(several[5] < 0.002);
  }
}

TEST_CASE("morton: clustered points, within the bits that callers give") {
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("morton", bits);
    const unsigned given = bits == 64 ? named("morton").given_bits_64 : named("morton").given_bits_32;
    CHECK(std::bit_width(*std::max_element(keys.begin(), keys.end())) <= static_cast<int>(given));
    // of 2^12 boxes by the leading 12 bits, 64 clusters are in few
    std::set<std::uint64_t> boxes;
    for (const std::uint64_t key : keys) boxes.insert(key >> (given - 12));
    CHECK(boxes.size() > 30);
    CHECK(boxes.size() < 600);
  }
  // the bits of x, y and z are interleaved: the lowest three bits of neighbours differ as much as
  // random ones
  std::set<std::uint64_t> low;
  for (const std::uint64_t key : words("morton", 64)) low.insert(key % 8);
  CHECK(low.size() == 8);
}

TEST_CASE("cells: most are empty, some are crowded") {
  for (const unsigned bits : {32u, 64u}) {
    const auto keys = words("cells", bits);
    const unsigned given = bits == 64 ? named("cells").given_bits_64 : named("cells").given_bits_32;
    CHECK(std::bit_width(*std::max_element(keys.begin(), keys.end())) <= static_cast<int>(given));
    CHECK(distinct(keys) < (std::size_t{1} << given) / 50);
    CHECK(distinct(keys) > 1000);
  }
}

TEST_CASE("tile_depth: tiles of a screen above the bits of a positive depth") {
  std::set<std::uint64_t> tiles;
  for (const std::uint64_t key : words("tile_depth", 64)) {
    REQUIRE(std::bit_width(key) <= static_cast<int>(named("tile_depth").given_bits_64));
    tiles.insert(key >> 32);
    const auto depth = std::bit_cast<float>(static_cast<std::uint32_t>(key));
    REQUIRE(depth >= 0.25f);
    REQUIRE(depth < 64.0f);
  }
  CHECK(*tiles.rbegin() < 8160);
  CHECK(tiles.size() > 7000);
  for (const std::uint64_t key : words("tile_depth", 32))
    REQUIRE(std::bit_width(key) <= static_cast<int>(named("tile_depth").given_bits_32));
}

TEST_CASE("constant: one key") {
  CHECK(distinct(words("constant", 32)) == 1);
  CHECK(distinct(reals("constant")) == 1);
}

// The last one: the cases above have run, in the order of this file.
TEST_CASE("every distribution is tested, and every one gives keys for each length" *
          doctest::description("needs the cases above")) {
  for (const distribution& one : distributions) {
    CHECK_MESSAGE(tested.contains(one.name), one.name);
    for (const std::uint64_t count : {1u, 2u, 31u}) {
      for (std::uint64_t i = 0; i < count; ++i) {
        for (const unsigned bits : {32u, 64u}) {
          if (one.word != nullptr && bits == 32) CHECK(one.word({i, count, bits}) <= 0xffffffffu);
          if (one.word != nullptr && bits == 64) one.word({i, count, bits});
          if (one.real != nullptr) CHECK(std::isfinite(one.real({i, count, bits})));
        }
      }
    }
    CHECK((one.word != nullptr || one.real != nullptr));
  }
}

}  // namespace
