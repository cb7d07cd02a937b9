// SPDX-License-Identifier: Apache-2.0
#include "base/resources.hpp"

#include <sys/resource.h>
#include <tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>
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
  for (std::string line; std::getline(file, line);) {
    unsigned long long kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %llu kB", &kibibytes) == 1) return kibibytes * 1024;
  }
  return 0;
}

}  // namespace ballot::app
