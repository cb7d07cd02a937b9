// How far a long run is: one line on a terminal that is written over, with the rate and the time left.
#pragma once

#include <ballot/core/namespace.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ballot::app {

class progress {
 public:
  // Says nothing where `wanted` is false or standard error is no terminal.
  explicit progress(bool wanted);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  // Another part of the run; total: its bytes, where they are known.
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
