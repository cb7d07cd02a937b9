// SPDX-License-Identifier: Apache-2.0
// The progress of a long run: one line on a terminal, overwritten, with the rate and the remaining
// time.
#pragma once

#include <ballot/core/namespace.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ballot::app {

class progress {
 public:
  // Shows nothing if `wanted` is false or standard error is not a terminal.
  explicit progress(bool wanted);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Begins another part of the run. total: its bytes, if known.
  void begin(const std::string& what, std::optional<std::uint64_t> total);
  void advance(std::uint64_t bytes);

 private:
  using clock = std::chrono::steady_clock;
  void show(clock::time_point now);

  bool shows_;
  std::string what_;
  std::optional<std::uint64_t> total_;
  std::uint64_t done_ = 0;
  clock::time_point begin_, shown_;
  bool is_shown_ = false;
};

}  // namespace ballot::app
