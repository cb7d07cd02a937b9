// SPDX-License-Identifier: Apache-2.0
// Keeps the first of each run of equal rows.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/host_buffer.hpp"
#include "base/phase_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace ballot::app {

// Checks that `kept` are the first rows of the runs of equal rows in `rows`. Throws verification_failure.
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

// Drops all but the first of each run from `rows` (u64). `check_equal` is the comparison for the check, if `verify`.
template <class Equal, class CheckEqual>
void drop_repeated_rows(host_buffer& rows, bool verify, phase_clock& clock, const Equal& equal,
                        const CheckEqual& check_equal) {
  host_buffer before;
  if (verify) before.append(rows.bytes());
  {
    scoped_phase computing(clock, phase::compute);
    const std::span<std::uint64_t> all = rows.as<std::uint64_t>();
    const auto end = std::unique(all.begin(), all.end(), equal);
    rows.resize(static_cast<std::size_t>(end - all.begin()) * sizeof(std::uint64_t));
  }
  if (!verify) return;
  scoped_phase checking(clock, phase::verify);
  verify_repeats_dropped(before.as<std::uint64_t>(), rows.as<std::uint64_t>(), check_equal);
}

}  // namespace ballot::app
