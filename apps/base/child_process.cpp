// SPDX-License-Identifier: Apache-2.0
#include "base/child_process.hpp"

#include "base/failure.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has no header for it, glibc has

namespace ballot::app {
namespace {

constexpr int result_descriptor = 3;  // as the child sees it

class file_actions {
 public:
  file_actions() { posix_spawn_file_actions_init(&actions_); }
  ~file_actions() { posix_spawn_file_actions_destroy(&actions_); }
  file_actions(const file_actions&) = delete;
  file_actions& operator=(const file_actions&) = delete;
  posix_spawn_file_actions_t* operator&() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

pid_t spawn(const std::vector<std::string>& words, file_actions& actions) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ); error != 0)
    throw_errno(words[0], error);
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw_errno("waitpid");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string executable_folder() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length < 0) throw_errno("/proc/self/exe");
  const std::string whole(path, static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

int run_program(const std::vector<std::string>& words) {
  file_actions actions;
  return wait_for(spawn(words, actions));
}

program_result run_program_with_result(std::vector<std::string> words, const std::string& option) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
  words.push_back(fmt::format("{}/dev/fd/{}", option, result_descriptor));
  pid_t child = 0;
  {
    file_actions actions;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], result_descriptor);
    try {
      child = spawn(words, actions);
    } catch (...) {
      close(ends[0]);
      close(ends[1]);
      throw;
    }
  }
  close(ends[1]);
  program_result result{};
  std::array<char, 1 << 16> piece{};
  for (;;) {
    const ssize_t got = read(ends[0], piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    result.written.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  result.status = wait_for(child);
  return result;
}

}  // namespace ballot::app
