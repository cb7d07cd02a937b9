// Holds the device memory of all operations, checks answers, and takes times.
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

  // Runs the reference and then the contender, and throws std::runtime_error where their results differ. Afterwards all
  // memory that timing needs is there.
  void check(const operation& task, const contender& who, mode how, std::uint64_t n);

  // Readies one contender for timing and runs it once; then seconds() is the time of a call, as often as asked for.
  class timing {
   public:
    timing(harness& owner, const operation& task, const contender& who, mode how, std::uint64_t n);
    double seconds();

   private:
    stopwatch& watch_;
    mode how_;
    std::size_t bytes_moved_;
    stopwatch::work prepare_, run_;
    std::optional<captured_graph> graph_;
  };

  stopwatch& watch() { return watch_; }

 private:
  struct results {
    device_memory first, second, count;
  };
  arrays arrays_of(const operation& task, const contender& who, std::uint64_t n, results& into);
  void poison(const arrays& a, const operation& task, int byte);
  static std::uint64_t room(const operation& task, std::uint64_t n);
  std::uint64_t count_of(const arrays& a, const operation& task, const count_on_host& on_host);
  const void* made(const source& data, std::uint64_t n);

  cudaStream_t stream_;
  stopwatch watch_;
  results results_, reference_;
  device_memory scratch_;
  std::map<std::pair<std::string, std::uint64_t>, device_memory> inputs_;
};

// The ceiling: as many bytes as the operation has to move at least, half read and half written.
contender copy_for(const operation& task);
inline std::size_t bytes_moved(const operation& task, std::uint64_t n) {
  return static_cast<std::size_t>(task.bytes_per_item * static_cast<double>(n));
}
inline std::size_t copy_bytes(const operation& task, std::uint64_t n) { return bytes_moved(task, n) / 2; }

}  // namespace ballot::bench
