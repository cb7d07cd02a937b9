// SPDX-License-Identifier: Apache-2.0
// A stable radix sort on all cores. The most significant bits go first, so that what follows stays
// in a core's cache.
//
//     items, any number            the range of the keys is known: bits that all share are never
//                                  looked at
//       |  scatter, all threads    a histogram and a scatter for each thread's part: stable
//     buckets of about 2^15        one thread each; a large bucket is sorted like the whole
//       |  local sort              from the least significant digit up, or a vectorised sort (vector_sort.hpp)
//     sorted
//
// Each scatter takes the highest of the bits in which the keys of its bucket differ. So skewed keys
// cost passes and never a quadratic time. Source: Knuth, The Art of Computer Programming 3, 5.2.5;
// the scatter by lines of the cache is that of Satish and others, Fast Sort on CPUs and GPUs
// (2010).
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/cpu/radix_passes.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ballot::app::cpu {

// key_of(item): the key, an unsigned integer. local(a, b, bits, into_a): sorts the items of a
// bucket in `a`, whose keys agree except for the lowest `bits` bits. The result is in `a` if
// into_a, else in `b`.
template <class Item, class KeyOf, class Local>
class radix_sorter {
 public:
  radix_sorter(const KeyOf& key_of, const Local& local) : key_of_(key_of), local_(local) {}

  // Sorts the items of `a`, whose keys are in [least, greatest]; `b` is as large. The result is in
  // `a`.
  void sort(std::span<Item> a, std::span<Item> b, std::uint64_t least, std::uint64_t greatest) const {
    sort_parallel(a, b, least, greatest, true);
  }

  // Moves the items of `a`, whose keys are below 2^bits, to `b`, in buckets by the top `digits` of
  // these bits. Items of a bucket keep their order; those of more than `most` items are sorted.
  // Returns where the buckets begin, and their end.
  std::vector<std::size_t> partition(std::span<Item> a, std::span<Item> b, int bits, int digits,
                                     std::size_t most) const {
    const std::size_t large = large_of(a.size());
    std::vector<std::size_t> begins = scatter_parallel(a, b, bits, digits);
    const auto size_of = [&](std::size_t d) { return begins[d + 1] - begins[d]; };
    tbb::parallel_for(std::size_t{0}, begins.size() - 1, [&](std::size_t d) {
      if (size_of(d) <= most || size_of(d) > large) return;
      sort_alone(b.subspan(begins[d], size_of(d)), a.subspan(begins[d], size_of(d)), bits - digits, true);
    });
    for (std::size_t d = 0; d + 1 < begins.size(); ++d) {
      if (size_of(d) <= std::max(most, large)) continue;
      const std::span<Item> from = b.subspan(begins[d], size_of(d));
      const auto [low, high] = range_of(from);
      sort_parallel(from, a.subspan(begins[d], size_of(d)), low, high, true);
    }
    return begins;
  }

 private:
  static constexpr std::size_t bucket_items = std::size_t{1} << 15, small = std::size_t{1} << 16;
  static constexpr int least_digits = 6, most_digits = 11;

  // The result is in `a` or in `b`; the items are in `a`.
  void sort_parallel(std::span<Item> a, std::span<Item> b, std::uint64_t least, std::uint64_t greatest,
                     bool into_a) const {
    const int bits = bit_width(least ^ greatest);
    if (bits == 0 || a.size() <= small || hardware_threads() == 1) return sort_alone(a, b, bits, into_a);
    const int digits = digits_for(a.size(), bits);
    const std::size_t buckets = std::size_t{1} << digits, large = large_of(a.size());
    const std::vector<std::size_t> begins = scatter_parallel(a, b, bits, digits);
    tbb::parallel_for(std::size_t{0}, buckets, [&](std::size_t d) {
      const std::size_t begin = begins[d], size = begins[d + 1] - begin;
      if (size == 0 || size > large) return;
      sort_alone(b.subspan(begin, size), a.subspan(begin, size), bits - digits, !into_a);
    });
    for (std::size_t d = 0; d < buckets; ++d) {
      const std::size_t begin = begins[d], size = begins[d + 1] - begin;
      if (size <= large) continue;
      const std::span<Item> from = b.subspan(begin, size);
      const auto [low, high] = range_of(from);
      sort_parallel(from, a.subspan(begin, size), low, high, !into_a);
    }
  }

  // Buckets that one thread should not have to itself.
  static std::size_t large_of(std::size_t items) {
    return std::max(small, items / (4 * static_cast<std::size_t>(hardware_threads())));
  }

  // Moves the items to buckets by the top `digits` of the lowest `bits` bits of their keys.
  std::vector<std::size_t> scatter_parallel(std::span<Item> a, std::span<Item> b, int bits, int digits) const {
    const parts pieces(a.size());
    const std::size_t buckets = std::size_t{1} << digits;
    const auto digit = [this, shift = bits - digits, mask = buckets - 1](const Item& item) {
      return static_cast<std::size_t>(key_of_(item) >> shift) & mask;
    };
    constexpr std::size_t largest_cached = std::size_t{8} << 20;
    const bool past_caches = a.size_bytes() > largest_cached;
    std::vector<std::size_t> places(pieces.count() * buckets);
    tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
      count_digits(a.subspan(pieces.begin(p), pieces.size(p)), digit, places.data() + p * buckets);
    });
    std::vector<std::size_t> begins(buckets + 1, a.size());
    std::size_t sum = 0;
    for (std::size_t d = 0; d < buckets; ++d) {
      begins[d] = sum;
      for (std::size_t p = 0; p < pieces.count(); ++p) sum += std::exchange(places[p * buckets + d], sum);
    }
    tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
      scatter(a.subspan(pieces.begin(p), pieces.size(p)), b.data(), digit, buckets, places.data() + p * buckets,
              past_caches);
    });
    return begins;
  }

  // On one thread: the keys of `a` differ in the lowest `bits` bits.
  void sort_alone(std::span<Item> a, std::span<Item> b, int bits, bool into_a) const {
    if (a.size() <= 2 * bucket_items || bits == 0) return local_(a, b, bits, into_a);
    const int digits = digits_for(a.size(), bits);
    const std::size_t buckets = std::size_t{1} << digits;
    const auto digit = [this, shift = bits - digits, mask = buckets - 1](const Item& item) {
      return static_cast<std::size_t>(key_of_(item) >> shift) & mask;
    };
    std::vector<std::size_t> ends(buckets);
    count_digits(a, digit, ends.data());
    std::size_t sum = 0;
    for (std::size_t& place : ends) sum += std::exchange(place, sum);
    scatter(a, b.data(), digit, buckets, ends.data());
    std::size_t begin = 0;
    for (std::size_t d = 0; d < buckets; begin = ends[d++]) {
      const std::size_t size = ends[d] - begin;
      if (size == 0) continue;
      const std::span<Item> from = b.subspan(begin, size), to = a.subspan(begin, size);
      if (size <= 2 * bucket_items) {
        local_(from, to, bits - digits, !into_a);
        continue;
      }
      std::uint64_t low = key_of_(from[0]), high = low;
      for (const Item& item : from) {
        low = std::min<std::uint64_t>(low, key_of_(item));
        high = std::max<std::uint64_t>(high, key_of_(item));
      }
      sort_alone(from, to, bit_width(low ^ high), !into_a);
    }
  }

  std::pair<std::uint64_t, std::uint64_t> range_of(std::span<const Item> items) const {
    const parts pieces(items.size());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges(pieces.count());
    tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
      std::uint64_t low = ~std::uint64_t{0}, high = 0;
      for (const Item& item : items.subspan(pieces.begin(p), pieces.size(p))) {
        low = std::min<std::uint64_t>(low, key_of_(item));
        high = std::max<std::uint64_t>(high, key_of_(item));
      }
      ranges[p] = {low, high};
    });
    for (const auto& [low, high] : ranges) {
      ranges[0].first = std::min(ranges[0].first, low);
      ranges[0].second = std::max(ranges[0].second, high);
    }
    return ranges[0];
  }

  static int digits_for(std::size_t items, int bits) {
    int digits = std::clamp(bit_width(items / bucket_items), least_digits, most_digits);
    // One or two more where that leaves the local sort a pass less.
    const auto passes = [&](int taken) { return (bits - taken + widest_digit - 1) / widest_digit; };
    for (int more = 1; more <= 2 && digits + more <= most_digits; ++more)
      if (passes(digits + more) < passes(digits)) digits += more;
    return std::min(bits, digits);
  }

  const KeyOf& key_of_;
  const Local& local_;
};

}  // namespace ballot::app::cpu
