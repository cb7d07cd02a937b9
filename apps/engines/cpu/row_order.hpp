// SPDX-License-Identifier: Apache-2.0
// The order of rows by columns of keys; stable, on all cores.
//
// A key and a row's number are sorted as one integer of 64 bits:
//
//     key minus the least key, its top bits | place      those of equal keys differ in their place: stable
//
// Rows that agree in these bits are sorted by the rest of the key, and then by the next column, in
// the same way; a few by comparing them.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "engines/cpu/key_range.hpp"
#include "engines/cpu/local_sort.hpp"
#include "engines/cpu/parallel_items.hpp"
#include "engines/cpu/radix_sort.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

namespace ballot::app::cpu {

// Keys: `std::size_t columns() const`, and an operator()(column, row) for the key, an unsigned
// integer.
template <class Keys>
class row_order {
 public:
  explicit row_order(const Keys& keys) : keys_(keys) {}

  // Fills `rows` with 0 to its size - 1 in the order of their keys.
  void fill(std::span<std::uint64_t> rows) const {
    const auto key_at = [this](std::size_t i) { return keys_(0, i); };
    sort_by(rows, 0, key_at, nullptr);
  }

 private:
  static constexpr std::size_t few = std::size_t{1} << 12;  // rows that one thread compares

  // Sorts rows, which ascend and agree in all columns before this one.
  void sort(std::span<std::uint64_t> rows, std::size_t column) const {
    if (column == keys_.columns() || rows.size() < 2) return;
    if (rows.size() <= few) return compare(rows, column);
    host_buffer before(rows.size_bytes()), gathered(rows.size_bytes());
    const auto numbers = before.as<std::uint64_t>(), keys = gathered.as<std::uint64_t>();
    for_each_item(rows.size(), [&](std::size_t i) {
      numbers[i] = rows[i];
      keys[i] = keys_(column, rows[i]);
    });
    sort_by(
        rows, column, [keys](std::size_t i) { return keys[i]; }, numbers.data());
  }

  void compare(std::span<std::uint64_t> rows, std::size_t column) const {
    const auto before = [&](std::uint64_t a, std::uint64_t b) {
      for (std::size_t c = column; c < keys_.columns(); ++c)
        if (const auto of_a = keys_(c, a), of_b = keys_(c, b); of_a != of_b) return of_a < of_b;
      return a < b;
    };
    if (!std::is_sorted(rows.begin(), rows.end(), before)) std::sort(rows.begin(), rows.end(), before);
  }

  // `numbers` are the rows' numbers; null: their places are.
  template <class KeyAt>
  void sort_by(std::span<std::uint64_t> rows, std::size_t column, const KeyAt& key_at,
               const std::uint64_t* numbers) const {
    const std::size_t count = rows.size();
    if (count == 0) return;
    const auto number_of = [numbers](std::uint64_t place) { return numbers == nullptr ? place : numbers[place]; };
    const bool is_last = column + 1 == keys_.columns();
    const key_range range = range_of_keys(count, key_at);
    if (range.is_ascending || range.is_descending) {
      const bool turned = !range.is_ascending;
      for_each_item(count, [&](std::size_t i) { rows[i] = number_of(turned ? count - 1 - i : i); });
      if (is_last || turned) return;
      for (const auto run : sort_small_runs(rows, column + 1, key_at)) sort(run, column + 1);
      return;
    }
    const int place_bits = bit_width(count - 1);
    const int dropped = std::max(0, bit_width(range.greatest - range.least) + place_bits - 64);
    host_buffer items(rows.size_bytes());
    const auto packed = items.as<std::uint64_t>();
    for_each_item(count, [&](std::size_t i) {
      packed[i] = (static_cast<std::uint64_t>(key_at(i)) - range.least) >> dropped << place_bits | std::uint64_t{i};
    });
    const auto key_of = [place_bits](std::uint64_t item) { return item >> place_bits; };
    const auto local = [&](std::span<std::uint64_t> a, std::span<std::uint64_t> b, int bits, bool into_a) {
      sort_integers_locally(a, b, key_of, true, bits, into_a);
    };
    // The rows' memory is free meanwhile.
    radix_sorter<std::uint64_t, decltype(key_of), decltype(local)>(key_of, local)
        .sort(packed, rows, 0, (range.greatest - range.least) >> dropped);
    const std::uint64_t mask = (std::uint64_t{1} << place_bits) - 1;
    for_each_item(count, [&](std::size_t i) { rows[i] = number_of(packed[i] & mask); });
    if (is_last && dropped == 0) return;
    const std::size_t next = dropped != 0 ? column : column + 1;
    const auto large = sort_small_runs(rows, next, [=](std::size_t i) { return packed[i] >> place_bits; });
    items = host_buffer();
    for (const auto run : large) sort(run, next);
  }

  // Sorts runs of rows with the same `key` by a column and those after it; returns those that are
  // for all threads.
  template <class SortedKey>
  std::vector<std::span<std::uint64_t>> sort_small_runs(std::span<std::uint64_t> rows, std::size_t column,
                                                        const SortedKey& key) const {
    const std::size_t count = rows.size();
    const parts pieces(count);
    std::vector<std::span<std::uint64_t>> large;
    std::mutex mutex;
    tbb::parallel_for(std::size_t{0}, pieces.count(), [&](std::size_t p) {
      std::size_t begin = pieces.begin(p);
      const std::size_t end = pieces.begin(p + 1);
      while (begin != 0 && begin < end && key(begin) == key(begin - 1)) ++begin;  // another part's run
      while (begin < end) {
        std::size_t run_end = begin + 1;
        while (run_end < count && key(run_end) == key(begin)) ++run_end;
        const auto run = rows.subspan(begin, run_end - begin);
        if (run.size() > few) {
          const std::lock_guard lock(mutex);
          large.push_back(run);
        } else if (run.size() > 1) {
          compare(run, column);
        }
        begin = run_end;
      }
    });
    return large;
  }

  const Keys& keys_;
};

}  // namespace ballot::app::cpu
