// SPDX-License-Identifier: Apache-2.0
// Keeps the first of each run of equal rows.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ballot::app {

// Checks that `kept` are the first rows of the runs of equal rows in `rows`. Throws
// verification_failure.
template <class Equal>
void verify_repeats_dropped(std::span<const std::uint64_t> rows, std::span<const std::uint64_t> kept,
                            const Equal& equal) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != 0 && equal(rows[i - 1], rows[i])) continue;
    if (next == kept.size() || kept[next] != rows[i])
      throw_verification_failure(fmt::format("row {} is missing, although it differs from its predecessor", rows[i]));
    ++next;
  }
  if (next != kept.size())
    throw_verification_failure(fmt::format("row {} is present although its predecessor equals it", kept[next]));
}

// Drops rows (u64) on all cores. Each piece is compacted where it is, and then moved. repeats(i,
// before, row): whether row i of them is dropped. It is called with the row before it, for all rows
// except the first.
template <class Repeats>
void drop_rows(host_buffer& rows, const Repeats& repeats) {
  constexpr std::size_t piece_rows = std::size_t{1} << 14;
  const std::span<std::uint64_t> all = rows.as<std::uint64_t>();
  const std::size_t pieces = (all.size() + piece_rows - 1) / piece_rows;
  std::vector<std::uint64_t> before(pieces);  // the row in front of each piece, which other threads move
  for (std::size_t piece = 1; piece < pieces; ++piece) before[piece] = all[piece * piece_rows - 1];
  std::vector<std::size_t> kept(pieces);
  tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t piece) {
    const std::size_t begin = piece * piece_rows, end = std::min(all.size(), begin + piece_rows);
    std::uint64_t last = before[piece];
    std::size_t to = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t row = all[i];
      if (i == 0 || !repeats(i, last, row)) all[to++] = row;
      last = row;
    }
    kept[piece] = to - begin;
  });
  std::size_t count = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const auto from = all.begin() + std::ptrdiff_t(piece * piece_rows);
    std::copy(from, from + std::ptrdiff_t(kept[piece]), all.begin() + std::ptrdiff_t(count));
    count += kept[piece];
  }
  rows.resize(count * sizeof(std::uint64_t));
}

// std::unique for row numbers (u64).
template <class Equal>
void keep_first_of_runs(host_buffer& rows, const Equal& equal) {
  drop_rows(rows, [&](std::size_t, std::uint64_t before, std::uint64_t row) { return equal(before, row); });
}

// Drops all but the first of each run from `rows` (u64). `check_equal` is the comparison for the
// check, if `verify`. `repeats`: where it is known already, 1 for each row that equals the one
// before it.
template <class Equal, class CheckEqual>
void drop_repeated_rows(host_buffer& rows, bool verify, phase_clock& clock, const Equal& equal,
                        const CheckEqual& check_equal, std::span<const std::uint8_t> repeats = {}) {
  host_buffer before;
  if (verify) before.append(rows.bytes());
  {
    scoped_phase computing(clock, phase::compute);
    if (repeats.empty()) keep_first_of_runs(rows, equal);
    else drop_rows(rows, [&](std::size_t i, std::uint64_t, std::uint64_t) { return repeats[i] != 0; });
  }
  if (!verify) return;
  scoped_phase checking(clock, phase::verify);
  verify_repeats_dropped(before.as<std::uint64_t>(), rows.as<std::uint64_t>(), check_equal);
}

}  // namespace ballot::app
