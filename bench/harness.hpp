// SPDX-License-Identifier: Apache-2.0
// Holds the device memory of all operations, checks answers, and takes times.
//
// Inputs stay on the device from one operation to the next, as far as there is room; those used
// longest ago go first, and are made again when they are needed (they follow from their name and
// length). That happens before a contender's time is taken, and after it the contender runs once
// untimed.
#pragma once

#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "operation.hpp"
#include "stopwatch.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace ballot::bench {

enum class mode { call, burst, graph };  // stopwatch.hpp
const char* name_of(mode how);

class harness {
 public:
  harness();
  ~harness();
  harness(const harness&) = delete;
  harness& operator=(const harness&) = delete;

  // Runs the reference and then the contender, and throws std::runtime_error where their results
  // differ. Afterwards all memory that timing needs is there.
  void check(const operation& task, const contender& who, mode how, std::uint64_t n);

  // Readies one contender for timing and runs it once; then seconds() is the time of a call, as
  // often as asked for.
  // Several at a time: of one operation and size, all of whose contenders have been checked, with
  // `room` already made.
  enum class room { make, made };
  class timing {
   public:
    timing(harness& owner, const operation& task, const contender& who, mode how, std::uint64_t n,
           room there = room::make);
    double seconds();

   private:
    stopwatch& watch_;
    mode how_;
    std::size_t bytes_moved_;
    stopwatch::work prepare_, run_;
    std::optional<captured_graph> graph_;
  };

  stopwatch& watch() { return watch_; }

  // The device memory that an operation takes while it is checked, with a guess at what Thrust asks
  // for.
  static std::size_t bytes_needed(const operation& task, std::uint64_t n);

 private:
  struct results {
    device_memory first, second, count;
  };
  struct made_input {
    device_memory memory;
    std::uint64_t used_at = 0;
  };
  arrays arrays_of(const operation& task, const contender& who, std::uint64_t n, results& into);
  static std::size_t scratch_needed(const operation& task, std::uint64_t n);
  static std::size_t needed_by_thrust(const operation& task, std::uint64_t n);
  void make_room(const operation& task, std::uint64_t n);
  void poison(const arrays& a, const operation& task, int byte);
  std::uint64_t count_of(const arrays& a, const operation& task, const count_on_host& on_host);
  const void* made(const source& data, std::uint64_t n, std::uint64_t offset_items = 0);

  cudaStream_t stream_;
  stopwatch watch_;
  results results_, reference_;
  device_memory scratch_;
  std::map<std::pair<std::string, std::uint64_t>, made_input> inputs_;
  std::uint64_t uses_ = 0;
};

// The ceiling: as many bytes as the operation has to move at least, half read and half written.
contender copy_for(const operation& task);
// With how many items an operation works where it is asked for n.
inline std::uint64_t items_of(const operation& task, std::uint64_t n) { return task.items ? task.items(n) : n; }
// For that many items.
inline std::size_t bytes_moved(const operation& task, std::uint64_t n) {
  return static_cast<std::size_t>(task.bytes_per_item * static_cast<double>(n));
}
inline std::size_t copy_bytes(const operation& task, std::uint64_t n) { return bytes_moved(task, n) / 2; }

}  // namespace ballot::bench
