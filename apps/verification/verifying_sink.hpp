// SPDX-License-Identifier: Apache-2.0
// A sink that checks items before it passes them on: the base of all checks of columns. The time of
// a check is counted apart from the writing that it interrupts.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/phase_clock.hpp"
#include "columns/stream.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ballot::app {

class verifying_sink : public sink {
 public:
  verifying_sink(sink& next, phase_clock& clock) : next_(next), clock_(clock) {}

  void begin(std::uint64_t count) final {
    {
      scoped_phase checking(clock_, phase::verify);
      check_count(count);
    }
    promised_ = count;
    next_.begin(count);
  }
  void write(std::span<const std::byte> items) final {
    {
      scoped_phase checking(clock_, phase::verify);
      check_items(items);
    }
    next_.write(items);
  }
  void finish() final {
    {
      scoped_phase checking(clock_, phase::verify);
      if (seen_ != promised_) fail(fmt::format("{} items were promised and {} written", promised_, seen_));
      check_end();
    }
    next_.finish();
  }

 protected:
  virtual void check_count(std::uint64_t count) = 0;
  virtual void check_items(std::span<const std::byte> items) = 0;
  virtual void check_end() {}

  [[noreturn]] static void fail(const std::string& what) { throw_verification_failure(what); }

  // The first of `count` items that is wrong; `count` if none is. first_in(begin, end) answers the
  // same for a range. All cores call it.
  template <class FirstIn>
  static std::size_t first_wrong(std::size_t count, const FirstIn& first_in) {
    constexpr std::size_t grain = std::size_t{1} << 14;
    return tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, count, grain), count,
        [&](const tbb::blocked_range<std::size_t>& range, std::size_t found) {
          const std::size_t here = first_in(range.begin(), range.end());
          return here == range.end() ? found : std::min(found, here);
        },
        [](std::size_t a, std::size_t b) { return std::min(a, b); });
  }

  std::uint64_t seen_ = 0;

 private:
  sink& next_;
  phase_clock& clock_;
  std::uint64_t promised_ = 0;
};

}  // namespace ballot::app
