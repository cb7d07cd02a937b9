// SPDX-License-Identifier: Apache-2.0
// How far a run is, on a terminal: a line that is written over. Nothing where standard error is a
// file or a pipe.
#pragma once

#include <ballot/core/namespace.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace ballot::bench {

class progress {
 public:
  progress(std::string what, std::size_t steps) : what_(std::move(what)), steps_(steps) {}
  ~progress() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Another step begins.
  void step(const std::string& name) {
    ++begun_;
    if (!is_terminal_ || steps_ == 0) return;
    shown_ = true;
    const std::size_t done = begun_ <= steps_ ? begun_ - 1 : steps_;
    constexpr std::size_t width = 24;
    const std::size_t filled = width * done / steps_;
    const double spent = std::chrono::duration<double>(clock::now() - begin_).count();
    const double left = done == 0 ? 0 : spent / static_cast<double>(done) * static_cast<double>(steps_ - done);
    std::fprintf(stderr, "\r\033[K%s [%s%s] %zu/%zu", what_.c_str(), std::string(filled, '#').c_str(),
                 std::string(width - filled, '.').c_str(), done, steps_);
    if (done != 0) std::fprintf(stderr, ", %.0f s left", left);
    std::fprintf(stderr, "  %.48s", name.c_str());
    std::fflush(stderr);
  }

 private:
  using clock = std::chrono::steady_clock;
  std::string what_;
  std::size_t steps_;
  std::size_t begun_ = 0;
  clock::time_point begin_ = clock::now();
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

}  // namespace ballot::bench
