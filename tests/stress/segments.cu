// SPDX-License-Identifier: Apache-2.0
// Random scans and reductions of segments, by flags, offsets and rows, with an operator that does
// not commute. Compared with loops on the host.
#include <ballot/blockwise_scan.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/segmented_scan.cuh>

#include "stress/checks.hpp"

#include "support/operators.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ballot::test {
namespace {

// Where segments begin: each item with this probability, in some places none.
std::vector<bool> draw_heads(draws& draw, u64 n) {
  std::vector<bool> heads(static_cast<std::size_t>(n));
  const u64 share = u64{1} << draw.below(14);
  for (std::size_t i = 0; i < heads.size(); ++i) heads[i] = draw.below(share) == 0;
  return heads;
}
std::vector<u8> bytes_of(const std::vector<bool>& heads) {
  std::vector<u8> bytes(heads.size());
  for (std::size_t i = 0; i < heads.size(); ++i) bytes[i] = heads[i] ? 255 : 0;
  return bytes;
}
std::vector<u32> bits_of(draws& draw, const std::vector<bool>& heads) {
  std::vector<u32> words((heads.size() + 31) / 32);
  for (u32& word : words) word = static_cast<u32>(draw.random());  // what is behind the last item does not count
  for (std::size_t i = 0; i < heads.size(); ++i)
    words[i / 32] = (words[i / 32] & ~(u32{1} << i % 32)) | (heads[i] ? u32{1} << i % 32 : 0);
  return words;
}
// Ascending, of the heads; item 0 always begins a segment.
std::vector<std::int64_t> offsets_of(const std::vector<bool>& heads) {
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < heads.size(); ++i)
    if (i == 0 || heads[i]) offsets.push_back(static_cast<std::int64_t>(i));
  return offsets;
}

template <class T>
void check_segmented_scan(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  const auto items = random_operands<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  const auto heads = draw_heads(draw, n);
  const T initial = random_operands<T>(1, 3)[0];
  const u64 way = draw.below(6), by = draw.below(4);
  CAPTURE(way);
  CAPTURE(by);
  const u64 block_items = 1 + (draw.yes() ? draw.below(100) : draw.below(5'000));
  const bool is_blockwise = by == 3 && (way == 0 || way == 3);
  const auto head = [&](std::size_t i) { return is_blockwise ? i % block_items == 0 : heads[i]; };
  const bool is_exclusive = way == 3 || way == 4, has_initial = way == 1 || is_exclusive || way == 5;
  const bool backward = way == 2 || way == 4 || way == 5;
  std::vector<T> want(items.size());
  T sum{};
  for (std::size_t k = 0; k < items.size(); ++k) {  // in the order of the scan
    const std::size_t i = backward ? items.size() - 1 - k : k;
    const bool begins = k == 0 || head(backward ? i + 1 : i);
    if (begins) sum = initial;
    const T before = sum;
    sum = begins && !has_initial ? items[i] : compose{}(sum, items[i]);
    want[i] = is_exclusive ? before : sum;
  }
  const bool in_place = draw.yes();
  const unsigned shift = draw.shift();
  guarded<T> in(items, shift), other(items.size(), draw.shift());
  guarded<T>& out = in_place ? in : other;
  const guarded<u8> bytes(bytes_of(heads), draw.shift());
  const guarded<u32> bits(bits_of(draw, heads));
  const guarded<std::int64_t> offsets(offsets_of(heads));
  const auto call = [&](const auto& segments) {
    if (way == 0) segmented_inclusive_scan(where, in, segments, compose{}, out);
    else if (way == 1) segmented_inclusive_scan(where, in, segments, initial, compose{}, out);
    else if (way == 2) segmented_inclusive_scan_backward(where, in, segments, compose{}, out);
    else if (way == 3) segmented_exclusive_scan(where, in, segments, initial, compose{}, out);
    else if (way == 4) segmented_exclusive_scan_backward(where, in, segments, initial, compose{}, out);
    else segmented_inclusive_scan_backward(where, in, segments, initial, compose{}, out);
  };
  if (is_blockwise && way == 0) blockwise_inclusive_scan(where, in, compose{}, out, block_items);
  else if (is_blockwise) blockwise_exclusive_scan(where, in, initial, compose{}, out, block_items);
  else if (by == 0) call(byte_flags{bytes});
  else if (by == 1) call(bit_flags{bits});
  else call(segment_offsets{offsets});
  const auto got = out.read();
  CHECK(got == want);
}

template <class T>
void check_segment_reductions(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  const auto items = random_operands<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  const T initial = random_operands<T>(1, 4)[0];
  const u64 by = draw.below(4);
  CAPTURE(by);
  std::vector<std::pair<u64, u64>> segments;
  const auto heads = draw_heads(draw, n);
  std::vector<u32> offsets;
  const u64 row = 1 + (draw.yes() ? draw.below(70) : draw.below(n + 1));
  if (by == 0) {  // they need not cover all items, and may be empty
    offsets.resize(static_cast<std::size_t>(1 + draw.below(draw.yes() ? 10 : 3'000)));
    for (u32& offset : offsets) offset = static_cast<u32>(draw.below(n + 1));
    std::sort(offsets.begin(), offsets.end());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) segments.emplace_back(offsets[s], offsets[s + 1]);
  } else if (by == 1) {
    for (u64 begin = 0; begin < n; begin += row) segments.emplace_back(begin, std::min(begin + row, n));
  } else {
    for (u64 i = 0; i < n; ++i) {
      if (i == 0 || heads[i]) segments.emplace_back(i, i);
      segments.back().second = i + 1;
    }
  }
  const guarded<T> in(items, draw.shift());
  const guarded<u32> device_offsets(offsets);
  const guarded<u8> bytes(bytes_of(heads), draw.shift());
  const guarded<u32> bits(bits_of(draw, heads));
  const bool is_short = by >= 2 && draw.yes();  // the rest is dropped
  guarded<T> out(is_short ? static_cast<std::size_t>(draw.below(segments.size() + 1)) : segments.size(), draw.shift());
  device_value<u64> count(test_stream());
  if (by == 0) segmented_reduce(where, in, segment_offsets{device_offsets}, initial, compose{}, out);
  else if (by == 1) segmented_reduce(where, in, row_length{row}, initial, compose{}, out);
  else if (by == 2) segmented_reduce(where, in, byte_flags{bytes}, initial, compose{}, out, count);
  else segmented_reduce(where, in, bit_flags{bits}, initial, compose{}, out, count);
  const auto got = out.read();
  if (by >= 2) CHECK(count.read(test_stream()) == segments.size());
  bool same = true;
  for (std::size_t s = 0; s < got.size(); ++s) {
    T sum = initial;
    for (u64 i = segments[s].first; i < segments[s].second; ++i) sum = compose{}(sum, items[i]);
    same &= got[s] == sum;
  }
  CHECK(same);
}

template <class T>
void check_least_of_segments(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  auto items = random_operands<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  if (draw.yes())
    for (T& item : items) item = static_cast<T>(item % 4);
  std::vector<u32> offsets(static_cast<std::size_t>(1 + draw.below(draw.yes() ? 10 : 3'000)));
  for (u32& offset : offsets) offset = static_cast<u32>(draw.below(n + 1));
  std::sort(offsets.begin(), offsets.end());
  const guarded<T> in(items, draw.shift());
  const guarded<u32> device_offsets(offsets);
  guarded<indexed<T>> out(offsets.size() - 1);
  const bool largest = draw.yes();
  CAPTURE(largest);
  if (largest) segmented_arg_max(where, in, segment_offsets{device_offsets}, out);
  else segmented_arg_min(where, in, segment_offsets{device_offsets}, out);
  const auto got = out.read();
  bool same = true;
  for (std::size_t s = 0; s < got.size(); ++s) {
    const auto begin = items.begin() + offsets[s], end = items.begin() + offsets[s + 1];
    const auto best = largest ? std::max_element(begin, end) : std::min_element(begin, end);
    if (begin == end) same &= got[s].index == no_index && got[s].value == 0;
    else same &= got[s].index == static_cast<u64>(best - items.begin()) && got[s].value == *best;
  }
  CHECK(same);
}

template <class T>
void check_compacted_segments(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  const auto items = random_items<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  const auto keep = draw_heads(draw, n);
  std::vector<u32> offsets(static_cast<std::size_t>(2 + draw.below(draw.yes() ? 10 : 3'000)));
  for (u32& offset : offsets) offset = static_cast<u32>(draw.below(n + 1));
  std::sort(offsets.begin(), offsets.end());
  offsets.front() = 0, offsets.back() = static_cast<u32>(n);
  const guarded<T> in(items, draw.shift());
  const guarded<u8> bytes(bytes_of(keep), draw.shift());
  const guarded<u32> device_offsets(offsets);
  guarded<T> out(items.size(), draw.shift());
  guarded<u32> new_offsets(offsets.size());
  compact_segments(where, in, device_offsets, byte_flags{bytes}, out, new_offsets);
  const auto got = out.read();
  const auto got_offsets = new_offsets.read();
  std::vector<u32> before(1);
  bool same = true;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (keep[i]) same &= std::memcmp(&got[before.back()], &items[i], sizeof(T)) == 0;
    before.push_back(before.back() + (keep[i] ? 1 : 0));
  }
  for (std::size_t s = 0; s < offsets.size(); ++s) same &= got_offsets[s] == before[offsets[s]];
  CHECK(same);
}

}  // namespace

void check_segments(draws& draw, const exec& where) {
  const u64 kind = draw.below(9);
  CAPTURE(kind);
  if (kind == 0) check_segmented_scan<affine<u8>>(draw, where);
  else if (kind == 1) check_segmented_scan<affine<std::uint16_t>>(draw, where);
  else if (kind == 2) check_segmented_scan<affine<u64>>(draw, where);
  else if (kind == 3) check_segment_reductions<affine<u8>>(draw, where);
  else if (kind == 4) check_segment_reductions<affine<u64>>(draw, where);
  else if (kind == 5) check_least_of_segments<std::int16_t>(draw, where);
  else if (kind == 6) check_least_of_segments<std::int64_t>(draw, where);
  else if (kind == 7) check_compacted_segments<u8>(draw, where);
  else check_compacted_segments<u64>(draw, where);
}

}  // namespace ballot::test
