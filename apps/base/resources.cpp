// SPDX-License-Identifier: Apache-2.0
#include "base/resources.hpp"

#include "base/cgroup_memory.hpp"
#include "base/failure.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace ballot::app {
namespace {

std::atomic<std::size_t> workers = 0;

class worker_counter final : public tbb::task_scheduler_observer {
 public:
  worker_counter() { observe(true); }
  void on_scheduler_entry(bool is_worker) override {
    thread_local bool is_counted = false;
    if (is_worker && !is_counted) ++workers;
    is_counted = true;
  }
};

}  // namespace

void count_threads() {
  static worker_counter* const counter = new worker_counter;  // never destroyed: workers may outlive main()
  (void)counter;
}

used_resources resources_used() {
  struct rusage used {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {1 + workers, seconds(used.ru_utime) + seconds(used.ru_stime),
          static_cast<std::uint64_t>(used.ru_maxrss) * 1024};
}

std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::uint64_t kibibytes = 0, free = 0;
  for (std::string name; free == 0 && file >> name; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n'))
    if (name == "MemAvailable:" && file >> kibibytes) free = kibibytes * 1024;
  const std::optional<std::uint64_t> of_group = free_memory_of_cgroup();
  if (!of_group) return free;
  // 0 would say that nothing is known.
  return std::max<std::uint64_t>(free == 0 ? *of_group : std::min(free, *of_group), 1);
}

void require_free_memory(std::uint64_t bytes, const std::string& what) {
  const std::uint64_t free = free_memory();
  if (free != 0 && bytes > free)
    throw failure(
        fmt::format("{} need about {} MB of memory, and {} MB are free", what, bytes / 1'000'000, free / 1'000'000));
}

}  // namespace ballot::app
