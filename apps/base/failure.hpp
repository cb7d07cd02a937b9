// How a run ends other than well. Messages carry no "ballot: " in front: main() adds it.
#pragma once

#include <ballot/core/namespace.hpp>
#include <stdexcept>
#include <string>

namespace ballot::app {

enum exit_code : int { exit_done = 0, exit_failed = 1, exit_usage = 2 };

// The data, a file or a device did not do: exit code 1.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The engine's answer is not the answer: exit code 1, and the report says `verified: false`.
class verification_failure : public failure {
 public:
  using failure::failure;
};

// The command line asks for something that does not exist: exit code 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void throw_errno(const std::string& what);  // "what: No such file or directory"
[[noreturn]] void throw_errno(const std::string& what, int error_number);

}  // namespace ballot::app
