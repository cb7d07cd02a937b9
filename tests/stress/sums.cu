// SPDX-License-Identifier: Apache-2.0
// Random scans and reductions with an operator that does not commute, of items of 2 to 32 bytes;
// ranks of flags and bits, offsets of counts. Compared with loops on the host.
#include <ballot/bit_ranks.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>

#include "stress/checks.hpp"

#include "support/operators.hpp"

#include <algorithm>
#include <vector>

namespace ballot::test {
namespace {

template <class T>
void check_composed_scan(draws& draw, const exec& where) {
  const u64 n = draw.short_length(), there = draw.yes() ? n : draw.below(n + 1);
  CAPTURE(n);
  CAPTURE(there);
  const auto items = random_operands<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  const T initial = random_operands<T>(1, 5)[0];
  const u64 way = draw.below(5);
  CAPTURE(way);
  guarded<T> in(items, draw.shift()), other(items.size(), draw.shift());
  const bool in_place = draw.yes();
  guarded<T>& out = in_place ? in : other;
  device_value<u64> length(test_stream());
  length.write(test_stream(), there);
  device_value<T> total(test_stream()), first(test_stream());
  first.write(test_stream(), initial);
  scan_options<T> options;
  const bool wants_total = draw.yes(), backward = draw.yes();
  CAPTURE(backward);
  if (wants_total) options.total = total;
  options.order = backward ? scan_order::backward : scan_order::forward;
  options.reproducible = draw.below(4) == 0;
  const auto call = [&](const auto& from) {
    if (way == 0) inclusive_scan(where, from, compose{}, out, options);
    else if (way == 1) inclusive_scan(where, from, initial, compose{}, out, options);
    else if (way == 2) exclusive_scan(where, from, initial, compose{}, out, options);
    else if (way == 3) inclusive_scan(where, from, on_device(first), compose{}, out, options);
    else exclusive_scan(where, from, on_device(first), compose{}, out, options);
  };
  if (there == n && draw.yes()) call(in);
  else call(counted{in, length});
  const bool has_initial = way != 0, is_exclusive = way == 2 || way == 4;
  std::vector<T> want(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(there));
  if (backward) std::reverse(want.begin(), want.end());
  T sum = initial;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const T before = sum;
    sum = i == 0 && !has_initial ? want[i] : compose{}(sum, want[i]);
    want[i] = is_exclusive ? before : sum;
  }
  if (backward) std::reverse(want.begin(), want.end());
  if (wants_total && (there != 0 || has_initial)) CHECK(total.read(test_stream()) == sum);
  const auto got = out.read();
  CHECK(std::equal(want.begin(), want.end(), got.begin()));
  for (std::size_t i = want.size(); i < got.size(); ++i)
    if (in_place ? !(got[i] == items[i]) : !is_dirt(got[i])) {
      FAIL_CHECK("item " << i << " behind the length was written");
      break;
    }
}

template <class T>
void check_reduction(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  const auto items = random_operands<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  const T initial = random_operands<T>(1, 6)[0];
  const guarded<T> in(items, draw.shift());
  device_value<T> result(test_stream());
  reduce(where, in, initial, compose{}, result);
  T want = initial;
  for (const T& item : items) want = compose{}(want, item);
  CHECK(result.read(test_stream()) == want);
}

template <class T>
void check_least(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  auto items = random_items<T>(static_cast<std::size_t>(n), static_cast<unsigned>(draw.random()));
  if (draw.yes())
    for (T& item : items) item = static_cast<T>(item % 3);
  const guarded<T> in(items, draw.shift());
  device_value<indexed<T>> place(test_stream());
  device_value<T> extreme(test_stream());
  const bool largest = draw.yes();
  if (largest) arg_max(where, in, place), maximum_of(where, in, extreme);
  else arg_min(where, in, place), minimum_of(where, in, extreme);
  if (items.empty()) return;
  const auto best =
      largest ? std::max_element(items.begin(), items.end()) : std::min_element(items.begin(), items.end());
  const auto got = place.read(test_stream());
  CHECK(got.index == static_cast<u64>(best - items.begin()));
  CHECK(got.value == *best);
  CHECK(extreme.read(test_stream()) == *best);
}

template <class Rank>
void check_ranks(draws& draw, const exec& where) {
  const u64 n = draw.short_length(), share = u64{1} << draw.below(12);
  CAPTURE(n);
  std::vector<u8> flags(static_cast<std::size_t>(n));
  for (u8& flag : flags) flag = draw.below(share) == 0 ? 3 : 0;
  const bool inverted = draw.yes();
  std::vector<u32> words(static_cast<std::size_t>((n + 31) / 32));
  for (u32& word : words) word = static_cast<u32>(draw.random());
  for (std::size_t i = 0; i < flags.size(); ++i)
    words[i / 32] = (words[i / 32] & ~(u32{1} << i % 32)) | ((flags[i] != 0) != inverted ? u32{1} << i % 32 : 0);
  std::vector<Rank> before(1);
  for (const u8 flag : flags) before.push_back(static_cast<Rank>(before.back() + (flag != 0 ? 1 : 0)));
  const u64 way = draw.below(4);
  CAPTURE(way);
  const guarded<u8> in(flags, draw.shift());
  const guarded<u32> bits(words);
  const bool of_words = way == 3, appends = way >= 2 && draw.yes();
  guarded<Rank> out(static_cast<std::size_t>(of_words ? (n + 31) / 32 : n) + (appends ? 1 : 0), draw.shift());
  device_value<u64> total(test_stream());
  if (way == 0) inclusive_scan_flags(where, in, out);
  else if (way == 1) exclusive_scan_flags(where, in, out);
  else if (way == 2) bit_ranks(where, bit_flags{bits, inverted}, n, out, total);
  else word_ranks(where, bit_flags{bits, inverted}, n, out, total);
  const auto got = out.read();
  bool same = true;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::size_t at = std::min(of_words ? 32 * i : i, flags.size());
    same &= got[i] == (way == 0 ? before[i + 1] : before[at]);
  }
  if (appends) same &= got.back() == before.back();
  CHECK(same);
  if (way >= 2) CHECK(total.read(test_stream()) == static_cast<u64>(before.back()));
}

void check_offsets(draws& draw, const exec& where) {
  const u64 n = draw.short_length();
  CAPTURE(n);
  std::vector<std::uint16_t> counts(static_cast<std::size_t>(n));
  for (auto& count : counts) count = static_cast<std::uint16_t>(draw.random());
  const guarded<std::uint16_t> in(counts, draw.shift());
  guarded<u64> offsets(counts.size() + 1, draw.shift());
  counts_to_offsets(where, in, offsets);
  const auto got = offsets.read();
  u64 sum = 0;
  bool same = true;
  for (std::size_t i = 0; i < counts.size(); ++i) same &= got[i] == sum, sum += counts[i];
  CHECK(same);
  CHECK(got.back() == sum);
}

}  // namespace

void check_sums(draws& draw, const exec& where) {
  const u64 kind = draw.below(10);
  CAPTURE(kind);
  if (kind == 0) check_composed_scan<affine<u8>>(draw, where);
  else if (kind == 1) check_composed_scan<affine<std::uint16_t>>(draw, where);
  else if (kind == 2) check_composed_scan<affine<u32>>(draw, where);
  else if (kind == 3) check_composed_scan<affine<u64>>(draw, where);
  else if (kind == 4) check_reduction<affine<u8>>(draw, where);
  else if (kind == 5) check_reduction<affine<u64>>(draw, where);
  else if (kind == 6) check_least<std::int8_t>(draw, where);
  else if (kind == 7) check_ranks<u32>(draw, where);
  else if (kind == 8) check_ranks<std::int64_t>(draw, where);
  else check_offsets(draw, where);
}

}  // namespace ballot::test
