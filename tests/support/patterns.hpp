// SPDX-License-Identifier: Apache-2.0
// Inputs that tests share: flags and keys of the kinds that break scans, compactions and sorts.
#pragma once

#include <ballot/core/namespace.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::test {

struct flag_pattern {
  std::string name;  // not a char*: doctest prints those as addresses
  bool (*set)(std::size_t i, std::size_t n, std::uint32_t random);
};

inline const flag_pattern flag_patterns[] = {
    {"none", [](std::size_t, std::size_t, std::uint32_t) { return false; }},
    {"all", [](std::size_t, std::size_t, std::uint32_t) { return true; }},
    {"alternate", [](std::size_t i, std::size_t, std::uint32_t) { return i % 2 == 0; }},
    {"first", [](std::size_t i, std::size_t, std::uint32_t) { return i == 0; }},
    {"last", [](std::size_t i, std::size_t n, std::uint32_t) { return i + 1 == n; }},
    {"half", [](std::size_t, std::size_t, std::uint32_t random) { return random % 2 == 0; }},
    {"one in 50", [](std::size_t, std::size_t, std::uint32_t random) { return random % 50 == 0; }},
    {"runs", [](std::size_t i, std::size_t, std::uint32_t) { return i / 77 % 2 == 0; }},
};

inline std::vector<bool> make_flags(const flag_pattern& pattern, std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  std::vector<bool> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = pattern.set(i, n, static_cast<std::uint32_t>(random()));
  return flags;
}

// Flags as a caller hands them over: a byte each, of several values, or packed.
inline std::vector<std::uint8_t> as_bytes(const std::vector<bool>& flags) {
  std::vector<std::uint8_t> bytes(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i) bytes[i] = flags[i] ? static_cast<std::uint8_t>(1u << i % 8) : 0;
  return bytes;
}
inline std::vector<std::uint32_t> as_bits(
    const std::vector<bool>& flags) {  // bits past the last are set, to be ignored
  std::vector<std::uint32_t> words((flags.size() + 31) / 32, ~0u);
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (!flags[i]) words[i / 32] &= ~(1u << i % 32);
  return words;
}

// Items of any trivially copyable type from random bytes.
template <class T>
std::vector<T> random_items(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> items(n);
  for (T& item : items) {
    unsigned char bytes[sizeof(T)];
    for (std::size_t b = 0; b < sizeof(T); b += 8) {
      const std::uint64_t word = random();
      std::memcpy(bytes + b, &word, std::min<std::size_t>(8, sizeof(T) - b));
    }
    std::memcpy(static_cast<void*>(&item), bytes, sizeof(T));
  }
  return items;
}
template <class T>
std::vector<T> sorted_items(std::size_t n, unsigned seed) {
  auto items = random_items<T>(n, seed);
  std::sort(items.begin(), items.end());
  return items;
}

// The keys of the field's sort benchmarks: the `and` of several uniform words, whose bits are set
// with probability 2^-words; entropy 1 (one word), 0.811, 0.544, 0.337, 0.201 a bit.
template <class U>
std::vector<U> keys_of_entropy(std::size_t n, int words, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<U> keys(n);
  for (U& key : keys) {
    std::uint64_t bits = random();
    for (int w = 1; w < words; ++w) bits &= random();
    key = static_cast<U>(bits);
  }
  return keys;
}

struct key_pattern {
  std::string_view name;  // not a char*: doctest prints those as addresses
  std::uint64_t (*key)(std::size_t i, std::size_t n, std::uint64_t random);
};

inline const key_pattern key_patterns[] = {
    {"uniform", [](std::size_t, std::size_t, std::uint64_t random) { return random; }},
    {"sorted", [](std::size_t i, std::size_t, std::uint64_t) { return std::uint64_t{i} * 0x0101010101010101u; }},
    {"reversed",
     [](std::size_t i, std::size_t n, std::uint64_t) { return std::uint64_t{n - i} * 0x0001000100010001u; }},
    {"constant", [](std::size_t, std::size_t, std::uint64_t) { return std::uint64_t{0x8000000080008040u}; }},
    {"few distinct", [](std::size_t, std::size_t, std::uint64_t random) { return random % 5 * 0x3003003003003003u; }},
    {"few bits", [](std::size_t, std::size_t,
                    std::uint64_t random) { return random & (random >> 21) & (random << 17 | random >> 47); }},
    {"largest keys",
     [](std::size_t i, std::size_t, std::uint64_t random) { return i % 3 ? ~std::uint64_t{0} : random; }},
};

template <class U>
std::vector<U> make_keys(const key_pattern& pattern, std::size_t n) {
  std::mt19937_64 random(n + 7);
  std::vector<U> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<U>(pattern.key(i, n, random()));
  return keys;
}

// Lengths around everything that has a size: warps, tiles, several tiles.
inline std::vector<std::size_t> lengths_around(std::size_t tile) {
  std::vector<std::size_t> lengths{0, 1, 31, 32, 33, tile - 1, tile, tile + 1, 3 * tile + 7};
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

}  // namespace ballot::test
