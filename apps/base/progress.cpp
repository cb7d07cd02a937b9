// SPDX-License-Identifier: Apache-2.0
#include "base/progress.hpp"
#include <ballot/core/namespace.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ballot::app {
namespace {

constexpr auto pause = std::chrono::milliseconds(200);

}  // namespace

progress::progress(bool wanted) : shows_(wanted && isatty(STDERR_FILENO) != 0) {}

progress::~progress() {
  if (is_shown_) fmt::print(stderr, "\r\033[K");
}

void progress::begin(const std::string& what, std::optional<std::uint64_t> total) {
  what_ = what;
  total_ = total;
  done_ = 0;
  begin_ = shown_ = clock::now();
  if (shows_) show(begin_);
}

void progress::advance(std::uint64_t bytes) {
  done_ += bytes;
  if (!shows_) return;
  const auto now = clock::now();
  if (now - shown_ >= pause) show(now);
}

void progress::show(clock::time_point now) {
  shown_ = now;
  is_shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  std::string line = fmt::format("\r\033[K{}: {:.2f} GB", what_, static_cast<double>(done_) * 1e-9);
  if (total_ && *total_ != 0) {
    constexpr std::size_t width = 24;
    const auto filled =
        static_cast<std::size_t>(width * std::min(1.0, static_cast<double>(done_) / static_cast<double>(*total_)));
    line += fmt::format(" of {:.2f} [{}{}]", static_cast<double>(*total_) * 1e-9, std::string(filled, '#'),
                        std::string(width - filled, '.'));
  }
  line += fmt::format(", {:.0f} MB/s", rate * 1e-6);
  if (total_ && rate > 0 && done_ < *total_)
    line += fmt::format(", {:.0f} s left", static_cast<double>(*total_ - done_) / rate);
  fmt::print(stderr, "{}", line);
  std::fflush(stderr);
}

}  // namespace ballot::app
