// SPDX-License-Identifier: Apache-2.0
// The distributions of sort keys: what people sort. Each is a function of the position, so all runs
// have the same keys.
//
// A new distribution is a function and a line in `distributions`. `word` gives integer keys,
// right-aligned in `bits` bits;
// `real` gives float and double keys. A distribution of words in any order becomes one of reals by
// as_real. tests/bench/distributions.cpp tests that each has the property that its name promises.
#pragma once

#include <ballot/core/namespace.hpp>

#include "word_at.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace ballot::bench {

// Key i of n, of 32 or 64 bits.
struct key_at {
  std::uint64_t i, n;
  unsigned bits;
};

struct distribution {
  const char* name;
  const char* what;
  std::uint64_t (*word)(key_at) = nullptr;
  double (*real)(key_at) = nullptr;
  unsigned given_bits_32 = 0, given_bits_64 = 0;  // what callers give as the end of the bit range; 0: nothing
  bool quick = false;                             // part of `--grid --quick`
};

namespace distributed_keys {

BALLOT_BENCH_ANYWHERE inline std::uint64_t leading(std::uint64_t word, unsigned bits) { return word >> (64 - bits); }
// A word that is independent of word_at(i) and of those with another number.
BALLOT_BENCH_ANYWHERE inline std::uint64_t draw(std::uint64_t i, unsigned number) {
  return word_at(i ^ (std::uint64_t{number} << 56));
}
BALLOT_BENCH_ANYWHERE inline double unit(std::uint64_t word) {  // in (0, 1)
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t evenly_spaced(std::uint64_t i, key_at at) {
  return i * (leading(~std::uint64_t{0}, at.bits) / at.n);
}
// The leading 8 bits, and behind them those of a random word.
BALLOT_BENCH_ANYWHERE inline std::uint64_t with_leading_digit(unsigned digit, key_at at) {
  return leading(std::uint64_t{digit} << 56 | word_at(at.i) >> 8, at.bits);
}

BALLOT_BENCH_ANYWHERE inline std::uint64_t uniform(key_at at) { return leading(word_at(at.i), at.bits); }
BALLOT_BENCH_ANYWHERE inline std::uint64_t constant(key_at) { return 42; }
// As integers that are not negative.
BALLOT_BENCH_ANYWHERE inline std::uint64_t half_range(key_at at) { return uniform(at) >> 1; }
BALLOT_BENCH_ANYWHERE inline std::uint64_t few(key_at at) { return leading(word_at(~(word_at(at.i) % 16)), at.bits); }
// One in 2^16 differs from the key that it would be in its last eight bits.
BALLOT_BENCH_ANYWHERE inline std::uint64_t few_near(key_at at) {
  const std::uint64_t drawn = draw(at.i, 1);
  return few(at) ^ (drawn % (1u << 16) == 0 ? 1 + (drawn >> 16) % 255 : 0);
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t sorted(key_at at) { return evenly_spaced(at.i, at); }
BALLOT_BENCH_ANYWHERE inline std::uint64_t reversed(key_at at) {
  return leading(~std::uint64_t{0}, at.bits) - sorted(at);
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t saw_tooth(key_at at) { return at.i % (at.n / 64 + 1); }

BALLOT_BENCH_ANYWHERE inline std::uint64_t sorted_moved(key_at at) {
  const std::uint64_t drawn = word_at(at.i);
  return evenly_spaced(drawn % 100 == 0 ? drawn / 100 % at.n : at.i, at);
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t sorted_appended(key_at at) {
  return at.i < at.n - at.n / 100 ? sorted(at) : uniform(at);
}
// Up, and down again.
BALLOT_BENCH_ANYWHERE inline std::uint64_t up_and_down_number(key_at at) {
  return at.i < at.n / 2 ? 2 * at.i : 2 * (at.n - 1 - at.i) + 1;
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t up_and_down(key_at at) { return evenly_spaced(up_and_down_number(at), at); }
// Two ascending sequences, one above the other, by turns.
BALLOT_BENCH_ANYWHERE inline std::uint64_t two_sequences_number(key_at at) {
  return at.i / 2 + (at.i % 2 == 0 ? 0 : (at.n + 1) / 2);
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t two_sequences(key_at at) {
  return evenly_spaced(two_sequences_number(at), at);
}
// 64 bits: nanoseconds, one event a microsecond, up to a millisecond late. 32 bits: ticks, up to
// 1023 events late.
BALLOT_BENCH_ANYWHERE inline std::uint64_t time_stamps(key_at at) {
  if (at.bits == 64) return 1'700'000'000'000'000'000 + 1000 * at.i + word_at(at.i) % 1'000'000;
  const std::uint64_t tick = at.n < (1u << 30) - 1024 ? (1u << 30) / (at.n + 1024) : 1;
  return (1u << 30) + tick * (at.i + word_at(at.i) % 1024);
}

// Rank r with a probability of about 1 / (r ln 2^24), r from 1 to 2^24: Zipf's law with the
// exponent 1.
BALLOT_BENCH_ANYWHERE inline std::uint64_t zipf(key_at at) {
  return static_cast<std::uint64_t>(::exp2(24 * unit(word_at(at.i))));
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t zipf_hashed(key_at at) { return leading(draw(zipf(at), 1), at.bits); }

// All but a thousand keys; of fewer than 100,000, all but one in a hundred.
BALLOT_BENCH_ANYWHERE inline std::uint64_t nearly_constant(key_at at) {
  const std::uint64_t distance = at.n < 100'000 ? 100 : at.n / 1000;
  return at.i % distance == 0 ? uniform(at) : 42;
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t half_zero(key_at at) { return draw(at.i, 1) % 2 == 0 ? 0 : uniform(at); }

constexpr unsigned heavy_digit = 0x5a;
BALLOT_BENCH_ANYWHERE inline std::uint64_t one_digit(key_at at) { return with_leading_digit(heavy_digit, at); }
// Half of the keys in one leading digit.
BALLOT_BENCH_ANYWHERE inline std::uint64_t heavy_one(key_at at) {
  return draw(at.i, 1) % 2 == 0 ? one_digit(at) : uniform(at);
}
// One leading digit six times as frequent as each other.
BALLOT_BENCH_ANYWHERE inline std::uint64_t larger_one(key_at at) {
  return draw(at.i, 1) % 261 < 5 ? one_digit(at) : uniform(at);
}
// Nine tenths of the keys in five leading digits.
BALLOT_BENCH_ANYWHERE inline std::uint64_t heavy_several(key_at at) {
  const std::uint64_t drawn = draw(at.i, 1);
  return drawn % 10 == 0 ? uniform(at) : with_leading_digit(static_cast<unsigned>(37 + 41 * (drawn / 10 % 5)), at);
}

// A coordinate from 0 to 2^bits - 1 of point i: the points lie in 64 clusters, whose sides are 1/32
// of the box's.
BALLOT_BENCH_ANYWHERE inline std::uint64_t clustered_coordinate(std::uint64_t i, unsigned axis, unsigned bits) {
  const double centre = unit(draw(word_at(i) % 64, 2 + axis));
  const double inside = (unit(draw(i, 5 + axis)) + unit(draw(i, 8 + axis)) - 1) / 64;  // triangular
  const double at = centre + inside, last = ::exp2(static_cast<double>(bits)) - 1;
  return static_cast<std::uint64_t>((at < 0 ? 0 : at > 1 ? 1 : at) * last);
}
// 10 or 21 bits of each of three axes, interleaved.
BALLOT_BENCH_ANYWHERE inline std::uint64_t morton(key_at at) {
  const unsigned bits = at.bits / 3;
  std::uint64_t code = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const std::uint64_t x = clustered_coordinate(at.i, axis, bits);
    for (unsigned b = 0; b < bits; ++b) code |= (x >> b & 1) << (3 * b + axis);
  }
  return code;
}
// Particles in clusters, in a grid of 256^3 or 1024^3 cells, most of which are empty.
BALLOT_BENCH_ANYWHERE inline std::uint64_t cells(key_at at) {
  const unsigned bits = at.bits == 64 ? 10 : 8;
  std::uint64_t cell = 0;
  for (unsigned axis = 0; axis < 3; ++axis) cell = cell << bits | clustered_coordinate(at.i, axis, bits);
  return cell;
}
// Gaussian splatting: the tile of 16 x 16 pixels, and the bits of the depth as a float. 1920 x 1080
// pixels are 8160 tiles; those in the middle are hit more often. In 32 bits: the leading 16 of
// these.
BALLOT_BENCH_ANYWHERE inline std::uint64_t tile_depth(key_at at) {
  const double across = (unit(draw(at.i, 1)) + unit(draw(at.i, 2))) / 2, down = unit(draw(at.i, 3));
  const auto tile = static_cast<std::uint64_t>(down * 68) * 120 + static_cast<std::uint64_t>(across * 120);
  // the float 2^e (1 + m), by its bits: depths from 0.25 to 64
  const std::uint64_t drawn = draw(at.i, 4), depth = (125 + drawn % 8) << 23 | drawn >> 41;
  return at.bits == 64 ? tile << 32 | depth : tile << 16 | depth >> 16;
}

template <std::uint64_t (*Word)(key_at)>
BALLOT_BENCH_ANYWHERE double as_real(key_at at) {
  return unit(Word({at.i, at.n, 64}));
}
// A number as a real: its lower bits are zero.
template <std::uint64_t (*Number)(key_at)>
BALLOT_BENCH_ANYWHERE double real_of_number(key_at at) {
  return static_cast<double>(Number(at));
}
BALLOT_BENCH_ANYWHERE inline std::uint64_t up_to_a_million(key_at at) { return word_at(at.i) % 1'000'000; }
BALLOT_BENCH_ANYWHERE inline double half_zero_real(key_at at) {
  return draw(at.i, 1) % 2 == 0 ? 0 : unit(word_at(at.i));
}
// Box and Muller 1958.
BALLOT_BENCH_ANYWHERE inline double normal(key_at at) {
  return ::sqrt(-2 * ::log(unit(draw(at.i, 1)))) * ::cos(6.283185307179586 * unit(draw(at.i, 2)));
}
// Both signs, exponents of 2 up to 120 or 1000 either way.
BALLOT_BENCH_ANYWHERE inline double exponents(key_at at) {
  const int most = at.bits == 64 ? 1000 : 120;
  const std::uint64_t drawn = word_at(at.i);
  const double size = ::ldexp(1 + unit(draw(at.i, 1)), static_cast<int>(drawn / 2 % (2 * most + 1)) - most);
  return drawn % 2 == 0 ? size : -size;
}

}  // namespace distributed_keys

namespace dk = distributed_keys;
inline constexpr auto distributions = std::to_array<distribution>({
    {"uniform", "every value equally likely", dk::uniform, dk::as_real<dk::uniform>, 0, 0, true},
    {"half_range", "every value without the uppermost bit equally likely", dk::half_range},
    {"normal", "the standard normal distribution", nullptr, dk::normal, 0, 0, true},
    {"exponents", "both signs, exponents equally likely", nullptr, dk::exponents},
    {"zipf", "ranks by Zipf's law", dk::zipf, nullptr, 0, 0, true},
    {"zipf_hashed", "hashes of ranks by Zipf's law", dk::zipf_hashed, dk::as_real<dk::zipf_hashed>},
    {"time_stamps", "ascending, each up to 1000 items late", dk::time_stamps},
    {"sorted", "ascending, evenly spaced", dk::sorted, nullptr},
    {"sorted_moved", "ascending, 1 % of the items moved", dk::sorted_moved, dk::as_real<dk::sorted_moved>, 0, 0, true},
    {"sorted_appended", "ascending, then 1 % uniform", dk::sorted_appended},
    {"reversed", "descending", dk::reversed, dk::as_real<dk::reversed>},
    {"up_and_down", "ascending, then descending", dk::up_and_down, dk::real_of_number<dk::up_and_down_number>},
    {"two_sequences", "two ascending sequences by turns", dk::two_sequences,
     dk::real_of_number<dk::two_sequences_number>},
    {"integers", "integers below a million, as reals", nullptr, dk::real_of_number<dk::up_to_a_million>},
    {"saw_tooth", "0, 1, 2, ... 64 times over", dk::saw_tooth},
    {"few", "16 distinct keys", dk::few, dk::as_real<dk::few>, 0, 0, true},
    {"few_near", "16 distinct keys, and some beside them", dk::few_near},
    {"nearly_constant", "all the same, but a thousand or one in a hundred", dk::nearly_constant,
     dk::as_real<dk::nearly_constant>},
    {"half_zero", "half of the keys zero", dk::half_zero, dk::half_zero_real},
    {"one_digit", "all keys in one leading digit of 8 bits", dk::one_digit},
    {"heavy_one", "half of the keys in one leading digit", dk::heavy_one, nullptr, 0, 0, true},
    {"larger_one", "one leading digit six times as frequent as each other", dk::larger_one},
    {"heavy_several", "nine tenths of the keys in five leading digits", dk::heavy_several},
    {"morton", "Morton codes of clustered points", dk::morton, nullptr, 30, 63},
    {"cells", "cell numbers of clustered particles", dk::cells, nullptr, 24, 30, true},
    {"tile_depth", "tile and depth of splatting", dk::tile_depth, nullptr, 29, 45, true},
    {"constant", "all the same", dk::constant, dk::as_real<dk::constant>},
});

// The one of that name; null where there is none.
inline const distribution* find_distribution(std::string_view name) {
  for (const distribution& one : distributions)
    if (name == one.name) return &one;
  return nullptr;
}

}  // namespace ballot::bench
