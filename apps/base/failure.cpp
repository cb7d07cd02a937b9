// SPDX-License-Identifier: Apache-2.0
#include "base/failure.hpp"
#include <ballot/core/namespace.hpp>

#include <cerrno>
#include <system_error>

namespace ballot::app {

void throw_verification_failure(const std::string& what) { throw verification_failure("verification failed: " + what); }

void throw_errno(const std::string& what, int error_number) {
  throw failure(what + ": " + std::generic_category().message(error_number));
}

void throw_errno(const std::string& what) { throw_errno(what, errno); }

}  // namespace ballot::app
