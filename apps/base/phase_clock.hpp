// SPDX-License-Identifier: Apache-2.0
// Measures the phases of a run. Phases exclude each other: entering one pauses the one around it,
// so that they add up to the total. Work that overlaps another phase (a copy to the GPU while the
// next chunk is read) is not counted. Phases that other threads than the clock's enter are not
// counted, either.
#pragma once

#include <array>
#include <ballot/core/namespace.hpp>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

namespace ballot::app {

// `kernel` and `transfer` are the GPU's; `compute` is work of the host: everything without a GPU,
// and merges with one.
enum class phase : std::size_t { other, read, transfer, kernel, compute, write, verify, count };

class phase_clock {
 public:
  phase enter(phase next) {
    if (std::this_thread::get_id() != owner_) return next;
    const auto now = clock::now();
    spent_[static_cast<std::size_t>(current_)] += now - since_;
    since_ = now;
    return std::exchange(current_, next);
  }
  double seconds(phase p) const { return std::chrono::duration<double>(spent_[static_cast<std::size_t>(p)]).count(); }
  double total_seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  std::thread::id owner_ = std::this_thread::get_id();
  clock::time_point begin_ = clock::now();
  clock::time_point since_ = begin_;
  phase current_ = phase::other;
  std::array<clock::duration, static_cast<std::size_t>(phase::count)> spent_{};
};

class scoped_phase {
 public:
  scoped_phase(phase_clock& clock, phase p) : clock_(clock), outer_(clock.enter(p)) {}
  ~scoped_phase() { clock_.enter(outer_); }
  scoped_phase(const scoped_phase&) = delete;
  scoped_phase& operator=(const scoped_phase&) = delete;

 private:
  phase_clock& clock_;
  phase outer_;
};

}  // namespace ballot::app
