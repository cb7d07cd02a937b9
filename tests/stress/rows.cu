// SPDX-License-Identifier: Apache-2.0
// Random calls on rows: the best keys of each, scans of each, compactions of each. Compared with
// loops on the host.
#include <ballot/batched_scan.cuh>
#include <ballot/batched_top_k.cuh>
#include <ballot/compact_rows.cuh>

#include "stress/checks.hpp"

#include "support/patterns.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace ballot::test {
namespace {

struct drawn_rows {
  std::vector<u64> begins, lengths;
  u64 rows = 0, width = 0, pitch = 0, items = 0;
  bool has_lengths = false;
};

// So many items in all at most; rows of any shape.
drawn_rows draw_rows(draws& draw, u64 most) {
  drawn_rows drawn;
  drawn.width = draw.yes() ? draw.below(300) : draw.below(most + 1);
  drawn.pitch = drawn.width + draw.below(2) * draw.below(9);
  drawn.rows = std::min<u64>(most / std::max<u64>(drawn.pitch, 1), draw.yes() ? draw.below(20) : draw.below(2'000));
  drawn.has_lengths = draw.yes();
  for (u64 r = 0; r < drawn.rows; ++r) {
    drawn.begins.push_back(r * drawn.pitch);
    drawn.lengths.push_back(drawn.has_lengths ? draw.below(drawn.width + 1) : drawn.width);
  }
  drawn.items = drawn.rows == 0 ? 0 : (drawn.rows - 1) * drawn.pitch + drawn.width;
  return drawn;
}

constexpr u64 most_items = BALLOT_EMULATED ? 1 << 13 : 1 << 20;

// Few distinct keys, or many.
template <class K>
std::vector<K> draw_keys(draws& draw, u64 n) {
  auto keys = random_items<K>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  if (draw.yes()) {
    const std::vector<K> few(keys.begin(), keys.begin() + std::min<std::ptrdiff_t>(std::ssize(keys), 3));
    for (K& key : keys) key = few[draw.below(few.size())];
  }
  return keys;
}

template <class K>
void check_best_keys(draws& draw, const exec& where) {
  drawn_rows rows = draw_rows(draw, most_items);
  const auto keys = draw_keys<K>(draw, rows.items);
  const bool by_offsets = draw.yes();
  std::vector<u32> offsets;
  if (by_offsets) {  // the same begins; each row ends where the next one begins
    for (const u64 begin : rows.begins) offsets.push_back(static_cast<u32>(begin));
    offsets.push_back(static_cast<u32>(rows.items));
    for (u64 r = 0; r < rows.rows; ++r) rows.lengths[r] = offsets[r + 1] - offsets[r];
  }
  const u64 k = std::min<u64>({draw.yes() ? draw.below(64) : draw.below(rows.width + 2), u64{4096},
                               4 * most_items / std::max<u64>(rows.rows, 1)});
  top_k_options options;
  options.direction = draw.yes() ? direction::ascending : direction::descending;
  options.nans = draw.yes() ? nan_order::last : draw.yes() ? nan_order::first : nan_order::by_bits;
  options.order = draw.yes() ? top_k_order::sorted : top_k_order::by_position;
  CAPTURE(rows.rows);
  CAPTURE(rows.width);
  CAPTURE(by_offsets);
  CAPTURE(k);

  const guarded<K> in(keys, draw.shift());
  const guarded<u64> values(random_items<u64>(keys.size(), 5));
  std::vector<u32> lengths(rows.lengths.begin(), rows.lengths.end());
  const guarded<u32> device_lengths(lengths), device_offsets(offsets);
  const auto room = static_cast<std::size_t>(rows.rows * k);
  guarded<K> best(room, draw.shift());
  guarded<u64> best_values(room);
  guarded<u32> indices(room), counts(static_cast<std::size_t>(rows.rows));
  const u64 way = draw.below(3);
  CAPTURE(way);
  const auto call = [&](const auto& given) {
    if (way == 0) batched_top_k(where, in, given, k, best, counts, options);
    else if (way == 1) batched_top_k_pairs(where, in, values, given, k, best, best_values, counts, options);
    else batched_top_k_indices(where, in, given, k, indices, counts, options);
  };
  row_layout layout{rows.rows, rows.width, rows.pitch};
  if (rows.has_lengths) layout.lengths = device_lengths.data();
  if (by_offsets) call(device_offsets);
  else call(layout);

  const auto got = best.read();
  const auto got_values = best_values.read();
  const auto got_indices = indices.read(), got_counts = counts.read();
  const auto from_values = values.read();
  bool same = true;
  for (u64 r = 0; r < rows.rows; ++r) {
    std::vector<u64> order(rows.lengths[r]);
    std::iota(order.begin(), order.end(), u64{0});
    const K* const row = keys.data() + rows.begins[r];
    std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) {
      return ordered_bits(row[a], options.direction, options.nans) <
             ordered_bits(row[b], options.direction, options.nans);
    });
    order.resize(std::min<u64>(k, order.size()));
    if (options.order == top_k_order::by_position) std::sort(order.begin(), order.end());
    same &= got_counts[r] == order.size();
    for (u64 i = 0; i < k; ++i) {
      const u64 to = r * k + i;
      const bool is_there = i < order.size();
      if (way != 2) same &= is_there ? std::memcmp(&got[to], row + order[i], sizeof(K)) == 0 : is_dirt(got[to]);
      if (way == 1)
        same &= is_there ? got_values[to] == from_values[rows.begins[r] + order[i]] : is_dirt(got_values[to]);
      if (way == 2) same &= is_there ? got_indices[to] == order[i] : is_dirt(got_indices[to]);
    }
  }
  CHECK(same);
}

template <class T>
void check_scans_of_rows(draws& draw, const exec& where) {
  const drawn_rows rows = draw_rows(draw, most_items);
  const u64 out_pitch = rows.width + draw.below(2) * draw.below(9);
  const auto directions = static_cast<scan_directions>(draw.below(3));
  CAPTURE(rows.rows);
  CAPTURE(rows.width);
  CAPTURE(static_cast<int>(directions));
  std::vector<T> items(static_cast<std::size_t>(rows.items));
  for (T& item : items) item = static_cast<T>(draw.random() % 64);
  const guarded<T> in(items, draw.shift());
  guarded<T> out(static_cast<std::size_t>(rows.rows == 0 ? 0 : (rows.rows - 1) * out_pitch + rows.width), draw.shift());
  batched_scan(where, in, out, {rows.rows, rows.width, rows.pitch, out_pitch}, directions);
  const auto got = out.read();
  bool same = true;
  for (u64 r = 0; r < rows.rows; ++r) {
    // One sum after the other in `float` would be off by more than a scan is.
    using Sum = std::conditional_t<std::is_floating_point_v<T>, double, T>;
    std::vector<Sum> sums(items.begin() + static_cast<std::ptrdiff_t>(rows.begins[r]),
                          items.begin() + static_cast<std::ptrdiff_t>(rows.begins[r] + rows.width));
    const auto add = [](Sum a, Sum b) { return static_cast<Sum>(a + b); };
    if (directions != scan_directions::backward) std::partial_sum(sums.begin(), sums.end(), sums.begin(), add);
    if (directions != scan_directions::forward) std::partial_sum(sums.rbegin(), sums.rend(), sums.rbegin(), add);
    // Sums of floats that are no small numbers may be rounded.
    for (u64 i = 0; i < rows.width; ++i) {
      const auto a = static_cast<double>(got[r * out_pitch + i]), b = static_cast<double>(sums[i]);
      same &= std::is_floating_point_v<T> ? std::abs(a - b) <= 1e-5 * std::abs(b) : got[r * out_pitch + i] == sums[i];
    }
  }
  CHECK(same);
}

template <class T>
void check_compacted_rows(draws& draw, const exec& where) {
  const drawn_rows rows = draw_rows(draw, most_items);
  const u64 share = 1 + draw.below(4);
  CAPTURE(rows.rows);
  CAPTURE(rows.width);
  const auto items = random_items<T>(static_cast<std::size_t>(rows.items), static_cast<unsigned>(draw.random()));
  std::vector<u8> flags(items.size());
  for (u8& flag : flags) flag = draw.below(share) == 0;
  const guarded<T> in(items, draw.shift());
  const guarded<u8> device_flags(flags, draw.shift());
  std::vector<u32> lengths(rows.lengths.begin(), rows.lengths.end());
  const guarded<u32> device_lengths(lengths);
  guarded<T> out(items.size(), draw.shift());
  guarded<u32> counts(static_cast<std::size_t>(rows.rows));
  row_layout layout{rows.rows, rows.width, rows.pitch};
  if (rows.has_lengths) layout.lengths = device_lengths.data();
  compact_rows(where, in, layout, byte_flags{device_flags}, out, counts);
  const auto got = out.read();
  const auto got_counts = counts.read();
  bool same = true;
  for (u64 r = 0; r < rows.rows; ++r) {
    u64 at = rows.begins[r];
    for (u64 i = rows.begins[r]; i < rows.begins[r] + rows.lengths[r]; ++i)
      if (flags[i] != 0) same &= std::memcmp(&got[at++], &items[i], sizeof(T)) == 0;
    same &= got_counts[r] == at - rows.begins[r];
  }
  CHECK(same);
}

}  // namespace

void check_rows(draws& draw, const exec& where) {
  const u64 kind = draw.below(8);
  CAPTURE(kind);
  if (kind == 0) check_best_keys<std::int8_t>(draw, where);
  else if (kind == 1) check_best_keys<std::uint16_t>(draw, where);
  else if (kind == 2) check_best_keys<float>(draw, where);
  else if (kind == 3) check_best_keys<std::int64_t>(draw, where);
  else if (kind == 4) check_scans_of_rows<std::uint16_t>(draw, where);
  else if (kind == 5) check_scans_of_rows<float>(draw, where);
  else if (kind == 6) check_compacted_rows<u8>(draw, where);
  else check_compacted_rows<u64>(draw, where);
}

}  // namespace ballot::test
