// SPDX-License-Identifier: Apache-2.0
// The passes of a radix sort: histograms, scatters, and a sort from the least significant digit up
// for what fits into a cache. All are stable.
#pragma once

#include <ballot/core/namespace.hpp>

#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

namespace ballot::app::cpu {

inline int bit_width(std::uint64_t x) { return static_cast<int>(std::bit_width(x)); }

inline int hardware_threads() {
  return static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

// The parts of an array that are worked on at a time: a few for each thread. So a thread that is
// held up does not hold up all others.
class parts {
 public:
  explicit parts(std::size_t items) : items_(items) {
    constexpr std::size_t smallest = std::size_t{1} << 14, for_each_thread = 4;
    const auto most = for_each_thread * static_cast<std::size_t>(hardware_threads());
    count_ = std::clamp<std::size_t>(items / smallest, 1, hardware_threads() == 1 ? 1 : most);
  }
  std::size_t count() const { return count_; }
  std::size_t begin(std::size_t part) const {
    // Without the product of both, which may not fit.
    return items_ / count_ * part + std::min(part, items_ % count_);
  }
  std::size_t size(std::size_t part) const { return begin(part + 1) - begin(part); }

 private:
  std::size_t items_, count_;
};

// Adds to counts[digit(item)]; they must be 0 or the caller's.
template <class Item, class Digit>
void count_digits(std::span<const Item> items, const Digit& digit, std::size_t* counts) {
  for (const Item& item : items) ++counts[digit(item)];
}
template <class Item, class Digit>
void count_digits(std::span<Item> items, const Digit& digit, std::size_t* counts) {
  count_digits(std::span<const Item>(items), digit, counts);
}

// Stores a line without leaving it in the caches. Another thread will read it, or this one after
// much else, so it would only push out other data.
inline void store_line(void* to, const void* from) {
#if defined(__SSE2__)
  for (int i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
#else
  std::memcpy(to, from, 64);
#endif
}

// Moves each item to to[places[digit]++]. Items are collected to whole lines of the cache. A store
// to one of a thousand places costs a page walk, a store to the collection does not.
template <class Item, class Digit>
void scatter(std::span<const Item> items, Item* to, const Digit& digit, std::size_t buckets, std::size_t* places,
             bool past_caches = false) {
  constexpr std::size_t line = 64 / sizeof(Item);
  struct alignas(64) collection {
    Item items[line];
  };
  constexpr std::size_t worth_lines = 4;  // items a bucket, of lines
  if (items.size() < buckets * line * worth_lines) {
    for (const Item& item : items) to[places[digit(item)]++] = item;
    return;
  }
  thread_local std::vector<collection> kept;
  if (kept.size() < buckets) kept.resize(buckets);
  collection* const lines = kept.data();
  // Lines of a collection are aligned like lines of memory, so that a full one is written as a
  // whole line of memory.
  const std::size_t skew = (reinterpret_cast<std::uintptr_t>(to) / sizeof(Item)) % line;
  std::vector<std::size_t> begins(places, places + buckets);
  for (const Item& item : items) {
    const std::size_t d = digit(item), place = places[d]++, within = (place + skew) % line;
    lines[d].items[within] = item;
    if (within + 1 != line) continue;
    if (place + 1 >= begins[d] + line) {
      void* const there = to + (place + 1 - line);
      if (past_caches && sizeof(collection) == 64) store_line(there, lines[d].items);
      else std::memcpy(there, lines[d].items, sizeof(collection));
    } else {  // the first line of the bucket begins in the middle
      const std::size_t count = place + 1 - begins[d];
      std::memcpy(static_cast<void*>(to + begins[d]), lines[d].items + (line - count), count * sizeof(Item));
    }
  }
  for (std::size_t d = 0; d < buckets; ++d) {
    const std::size_t left = std::min((places[d] + skew) % line, places[d] - begins[d]);
    const std::size_t within = (places[d] - left + skew) % line;
    std::memcpy(static_cast<void*>(to + (places[d] - left)), lines[d].items + within, left * sizeof(Item));
  }
}
template <class Item, class Digit>
void scatter(std::span<Item> items, Item* to, const Digit& digit, std::size_t buckets, std::size_t* places,
             bool past_caches = false) {
  scatter(std::span<const Item>(items), to, digit, buckets, places, past_caches);
}

// A few items: by insertion.
template <class Item, class KeyOf>
void sort_few(std::span<Item> items, const KeyOf& key_of, std::uint64_t mask) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const Item moved = items[i];
    const std::uint64_t key = key_of(moved) & mask;
    std::size_t place = i;
    for (; place != 0 && (key_of(items[place - 1]) & mask) > key; --place) items[place] = items[place - 1];
    items[place] = moved;
  }
}

inline constexpr int widest_digit = 11;  // of a bucket's sort

// Sorts the items of `a` by the lowest `bits` bits of their keys, into `a` or into `b`.
template <class Item, class KeyOf>
void sort_by_digits(std::span<Item> a, std::span<Item> b, const KeyOf& key_of, int bits, bool into_a) {
  constexpr std::size_t few = 48, many = std::size_t{1} << 12;
  constexpr int most_passes = 11;
  const auto finish = [&](bool in_a) {
    if (in_a != into_a) std::memcpy(static_cast<void*>((into_a ? a : b).data()), (in_a ? a : b).data(), a.size_bytes());
  };
  if (bits == 0 || a.size() < 2) return finish(true);
  if (a.size() <= few) {
    sort_few(a, key_of, ~std::uint64_t{0} >> (64 - bits));
    return finish(true);
  }
  const int widest = a.size() >= many ? widest_digit : a.size() >= 512 ? 8 : 6;
  const int passes = (bits + widest - 1) / widest, width = (bits + passes - 1) / passes;
  const std::size_t buckets = std::size_t{1} << width;
  const auto digit_of = [&](int pass) {
    const int shift = pass * width, left = std::min(width, bits - shift);
    return [&key_of, shift, mask = (std::size_t{1} << left) - 1](const Item& item) {
      return static_cast<std::size_t>(key_of(item) >> shift) & mask;
    };
  };
  // All histograms in one pass over the items.
  std::array<std::uint32_t, std::size_t{most_passes} << 8> small_counts;
  std::vector<std::uint32_t> large_counts;
  std::uint32_t* counts = small_counts.data();
  if (static_cast<std::size_t>(passes) * buckets > small_counts.size()) {
    large_counts.resize(static_cast<std::size_t>(passes) * buckets);
    counts = large_counts.data();
  } else {
    std::fill_n(counts, static_cast<std::size_t>(passes) * buckets, 0u);
  }
  const std::size_t mask = buckets - 1;
  const std::uint64_t used = ~std::uint64_t{0} >> (64 - bits);
  for (const Item& item : a) {
    std::uint64_t key = key_of(item) & used;
    for (int pass = 0; pass < passes; ++pass, key >>= width)
      ++counts[static_cast<std::size_t>(pass) * buckets + (static_cast<std::size_t>(key) & mask)];
  }
  bool in_a = true;
  for (int pass = 0; pass < passes; ++pass) {
    std::uint32_t* const places = counts + static_cast<std::size_t>(pass) * buckets;
    const std::span<Item> from = in_a ? a : b;
    Item* const to = (in_a ? b : a).data();
    const auto digit = digit_of(pass);
    if (places[digit(from[0])] == from.size()) continue;  // all have the same digit
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < buckets; ++d) sum += std::exchange(places[d], sum);
    for (const Item& item : from) to[places[digit(item)]++] = item;
    in_a = !in_a;
  }
  finish(in_a);
}

}  // namespace ballot::app::cpu
