#include "common/interruption.hpp"
#include <ballot/core/namespace.hpp>

#include "common/failure.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

namespace ballot::app {
namespace {

constexpr int deadly_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};

// A handler may not touch the heap: the name lies here, valid while the flag is set.
char registered_path[PATH_MAX];
std::atomic<bool> is_registered = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void tidy_up_and_die(int signal_number) {
  if (is_registered.load(std::memory_order_acquire)) unlink(registered_path);
  raise(signal_number);  // SA_RESETHAND put the default action back: it ends the process when this handler returns
}

}  // namespace

void handle_interruptions() {
  struct sigaction tidy {};
  tidy.sa_handler = tidy_up_and_die;
  tidy.sa_flags = SA_RESETHAND;
  sigfillset(&tidy.sa_mask);
  for (const int number : deadly_signals) {
    struct sigaction current {};
    if (sigaction(number, nullptr, &current) == 0 && current.sa_handler == SIG_DFL) sigaction(number, &tidy, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);
}

void remove_when_interrupted(const std::string& path) {
  is_registered.store(false, std::memory_order_release);
  if (path.empty()) return;
  if (path.size() >= sizeof registered_path) throw_errno(path, ENAMETOOLONG);
  std::memcpy(registered_path, path.c_str(), path.size() + 1);
  is_registered.store(true, std::memory_order_release);
}

}  // namespace ballot::app
