// SPDX-License-Identifier: Apache-2.0
#include "table_sort/text_ties.hpp"

#include "base/bulk_vector.hpp"
#include "table_sort/key_bits.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::uint8_t more = word + 1, empty_field = 255;
constexpr std::size_t few = 24;                        // items that are sorted by insertion
constexpr std::size_t many = std::size_t{1} << 15;     // items that are sorted by all threads
constexpr int deepest = 1000;                          // of the recursion, which has a stack
constexpr std::size_t a_piece = std::size_t{1} << 12;  // of these, the items whose runs are work for several

}  // namespace

// A text that ends within the bytes comes before one that goes on with zeros. An empty field is
// last in both orders.
void text_ties::take(keyed& item) const {
  if (by_.column.is_empty(item.row)) {
    item.key = last_key;
    item.length = empty_field;
    return;
  }
  const bool descending = by_.order == direction::descending;
  const auto length = static_cast<std::uint8_t>(std::min<std::size_t>(item.rest.size(), more));
  item.key = big_endian_key(item.rest) ^ (descending ? last_key : 0);
  item.length = descending ? static_cast<std::uint8_t>(more - length) : length;
}

bool text_ties::goes_on(const keyed& item) const {
  return item.length == (by_.order == direction::descending ? 0 : more);
}

// The items have their keys.
void text_ties::sort(std::span<keyed> items, std::span<std::uint64_t> rows, int depth) const {
  // Bytes that all have in common need no sort.
  while (std::all_of(items.begin(), items.end(), [&](const keyed& item) { return item.agrees(items[0]); })) {
    if (!goes_on(items[0])) break;
    for (keyed& item : items) {
      item.rest.remove_prefix(word);
      take(item);
    }
  }
  const auto before = [](const keyed& a, const keyed& b) { return a.is_before(b); };
  if (items.size() > many) {
    tbb::parallel_sort(items.begin(), items.end(), before);
  } else if (items.size() > few) {
    std::sort(items.begin(), items.end(), before);
  } else {
    for (std::size_t i = 1; i < items.size(); ++i) {
      const keyed moved = items[i];
      std::size_t place = i;
      for (; place != 0 && moved.is_before(items[place - 1]); --place) items[place] = items[place - 1];
      items[place] = moved;
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> large;  // runs: begin and size
  for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    // Found before any run is sorted further, which changes the keys of its items.
    for (end = begin; end < items.size() && items[end].agrees(items[begin]); ++end) rows[end] = items[end].row;
    if (end - begin == 1) continue;
    if (items.size() > a_piece) large.emplace_back(begin, end - begin);
    else sort_run(items.subspan(begin, end - begin), rows.subspan(begin, end - begin), depth);
  }
  tbb::parallel_for(std::size_t{0}, large.size(), [&](std::size_t i) {
    const auto [begin, size] = large[i];
    sort_run(items.subspan(begin, size), rows.subspan(begin, size), depth);
  });
}

// Items that go on, by their whole texts.
void text_ties::compare(std::span<keyed> items, std::span<std::uint64_t> rows) const {
  const bool descending = by_.order == direction::descending;
  std::sort(items.begin(), items.end(), [descending](const keyed& a, const keyed& b) {
    const int order = descending ? b.rest.compare(a.rest) : a.rest.compare(b.rest);
    return order != 0 ? order < 0 : a.row < b.row;
  });
  for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
    for (end = begin; end < items.size() && items[end].rest == items[begin].rest; ++end) rows[end] = items[end].row;
    if (end - begin > 1) after_text_(rows.subspan(begin, end - begin));
  }
}

// Items that agree in their key and length.
void text_ties::sort_run(std::span<keyed> items, std::span<std::uint64_t> rows, int depth) const {
  if (!goes_on(items[0])) return after_text_(rows);
  if (depth == deepest) return compare(items, rows);
  for (keyed& item : items) {
    item.rest.remove_prefix(word);
    take(item);
  }
  sort(items, rows, depth + 1);
}

void text_ties::sort(std::span<std::uint64_t> rows, std::size_t known) const {
  bulk_vector<keyed> items(rows.size());
  const auto begin = [&](std::size_t i) {
    items[i].row = rows[i];
    const std::string_view text = by_.column.texts[rows[i]];
    items[i].rest = text.substr(std::min(known, text.size()));
    take(items[i]);
  };
  if (rows.size() > many) tbb::parallel_for(std::size_t{0}, rows.size(), begin);
  else
    for (std::size_t i = 0; i < rows.size(); ++i) begin(i);
  sort(items, rows, 0);
}

}  // namespace ballot::app
