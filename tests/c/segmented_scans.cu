// SPDX-License-Identifier: Apache-2.0
// The C library's scans within segments and of rows, against loops.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/serial_scans.hpp"
#include "c/support.hpp"

namespace ballot::test::c {
namespace segmented_scans {

template <class T>
void check_segments(std::size_t n, ballot_operator op) {
  const auto items = items_for<T>(op, n);
  std::vector<u8> heads(n);
  std::vector<u32> bits((n + 31) / 32);
  std::vector<i32> offsets{-5};
  std::mt19937 random(static_cast<unsigned>(n));
  for (std::size_t i = 0; i < n; ++i) {
    heads[i] = random() % 40 == 0 ? 2 : 0;
    if (heads[i] == 0) continue;
    bits[i / 32] |= 1u << (i % 32);
    offsets.push_back(static_cast<i32>(i));
    offsets.push_back(static_cast<i32>(i));
  }
  offsets.push_back(static_cast<i32>(n));
  const guarded<T> from(items), to(n);
  const guarded<u8> head_bytes(heads);
  const guarded<u32> head_bits(bits);
  const guarded<i32> begins(offsets);
  const ballot_segments all[] = {ballot_segments_by(BALLOT_HEAD_BYTES, in(head_bytes)),
                                 ballot_segments_by(BALLOT_HEAD_BITS, in(head_bits)),
                                 ballot_segments_by(BALLOT_SEGMENT_OFFSETS, in(begins))};
  const T initial = op == BALLOT_PLUS ? T(3) : identity<T>(op);
  for (const ballot_segments& segments : all)
    for (const bool backward : {false, true}) {
      CAPTURE(segments.kind);
      CAPTURE(backward);
      std::vector<T> inclusive, exclusive;
      for (std::size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && heads[end] == 0;) ++end;
        const std::vector<T> segment(items.begin() + static_cast<std::ptrdiff_t>(begin),
                                     items.begin() + static_cast<std::ptrdiff_t>(end));
        const auto one = serial_scan<T>(segment, nullptr, op, backward),
                   two = serial_scan<T>(segment, &initial, op, backward);
        inclusive.insert(inclusive.end(), one.begin(), one.end());
        exclusive.insert(exclusive.end(), two.begin(), two.end());
      }
      const std::size_t bytes =
          bytes_of([&](std::size_t* b) { return ballot_segmented_scan_scratch_bytes(code<T>, segments.kind, n, b); });
      run(bytes, [&](ballot_exec gpu) {
        return ballot_segmented_inclusive_scan(gpu, in(from), segments, op, out(to), backward);
      });
      CHECK(same_bits(to.read(), inclusive));
      run(bytes, [&](ballot_exec gpu) {
        return ballot_segmented_exclusive_scan(gpu, in(from), segments, op == BALLOT_PLUS ? &initial : nullptr, op,
                                               out(to), backward);
      });
      const auto found = to.read();
      for (std::size_t i = 0; i < n; ++i)
        REQUIRE((found[i] == exclusive[i] || (found[i] != found[i] && exclusive[i] != exclusive[i])));
    }
}

TEST_CASE("segmented scans") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{33}, std::size_t{6001}}) {
    check_segments<u32>(n, BALLOT_PLUS);
    check_segments<i16>(n, BALLOT_MAXIMUM);
    check_segments<float>(n, BALLOT_PLUS);
    check_segments<double>(n, BALLOT_MINIMUM);
    check_segments<u64>(n, BALLOT_BIT_XOR);
    check_segments<i64>(n, BALLOT_PLUS);
    check_segments<u8>(n, BALLOT_BIT_AND);
  }
}

// ---- rows ----

template <class T>
void check_rows(std::int32_t accumulator) {
  const u64 rows = 7, length = 301, pitch = 310, out_pitch = 304;
  const auto items = random_items<T>(rows * pitch, 1, 9);
  const guarded<T> from(items), to(rows * out_pitch);
  for (std::int32_t directions = 0; directions < 3; ++directions) {
    run(bytes_of(
            [&](std::size_t* b) { return ballot_batched_scan_scratch_bytes(code<T>, accumulator, rows, length, b); }),
        [&](ballot_exec gpu) {
          return ballot_batched_scan(gpu, in(from), out(to), ballot_batch{rows, length, pitch, out_pitch}, directions,
                                     accumulator);
        });
    const auto found = to.read();
    for (u64 r = 0; r < rows; ++r) {
      const auto begin = items.begin() + static_cast<std::ptrdiff_t>(r * pitch);
      std::vector<T> row(begin, begin + static_cast<std::ptrdiff_t>(length));
      if (directions != BALLOT_ROWS_BACKWARD) row = serial_scan<T>(row, nullptr, BALLOT_PLUS, false);
      if (directions != BALLOT_ROWS_FORWARD) row = serial_scan<T>(row, nullptr, BALLOT_PLUS, true);
      for (u64 i = 0; i < length; ++i) REQUIRE(found[r * out_pitch + i] == row[i]);
    }
  }
}

TEST_CASE("rows") {
  check_rows<i32>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<u8>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<i16>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<u64>(BALLOT_ACCUMULATE_ITEMS);
  check_rows<double>(BALLOT_ACCUMULATE_ITEMS);
  for (std::int32_t accumulator = 0; accumulator < 3; ++accumulator) check_rows<float>(accumulator);
}

}  // namespace segmented_scans
}  // namespace ballot::test::c
