// SPDX-License-Identifier: Apache-2.0
// The errors that end a run. Messages do not begin with "ballot: ": main() adds it.
#pragma once

#include <ballot/core/namespace.hpp>
#include <stdexcept>
#include <string>

namespace ballot::app {

enum exit_code : int { exit_done = 0, exit_failed = 1, exit_usage = 2 };

// The data, a file or a device failed: exit code 1.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The engine's result is wrong: exit code 1, and the report has `verified: false`.
class verification_failure : public failure {
 public:
  using failure::failure;
};

// The command line is wrong: exit code 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void throw_verification_failure(const std::string& what);  // "verification failed: what"
[[noreturn]] void throw_errno(const std::string& what);                 // "what: No such file or directory"
[[noreturn]] void throw_errno(const std::string& what, int error_number);

}  // namespace ballot::app
