// SPDX-License-Identifier: Apache-2.0
#include "files/signal_cleanup.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <iterator>

namespace ballot::app {
namespace {

constexpr int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};

// A handler may not touch the heap: names lie here, each valid while its flag is set.
struct registered_file {
  char path[PATH_MAX];
  std::atomic<bool> is_there = false;
};
registered_file registered_files[4];
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void remove_files_and_raise(int signal_number) {
  for (const registered_file& file : registered_files)
    if (file.is_there.load(std::memory_order_acquire)) unlink(file.path);  // acquires the path that was released
  raise(signal_number);  // SA_RESETHAND put the default action back: it ends the process when this handler returns
}

}  // namespace

void install_signal_handlers() {
  struct sigaction tidy {};
  tidy.sa_handler = remove_files_and_raise;
  tidy.sa_flags = SA_RESETHAND;
  sigfillset(&tidy.sa_mask);
  for (const int number : fatal_signals) {
    struct sigaction current {};
    if (sigaction(number, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) sigaction(number, &tidy, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);
}

std::size_t remove_on_signal(const std::string& path) {
  if (path.size() >= sizeof registered_files[0].path) throw_errno(path, ENAMETOOLONG);
  for (std::size_t i = 0; i < std::size(registered_files); ++i) {
    if (registered_files[i].is_there.load(std::memory_order_relaxed)) continue;
    std::memcpy(registered_files[i].path, path.c_str(), path.size() + 1);
    registered_files[i].is_there.store(true, std::memory_order_release);
    return i;
  }
  throw failure(path + ": too many files are being written at once");
}

void keep_on_signal(std::size_t registered) {
  registered_files[registered].is_there.store(false, std::memory_order_release);
}

}  // namespace ballot::app
