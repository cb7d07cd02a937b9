// SPDX-License-Identifier: Apache-2.0
// The library's exceptions: one type for mistakes of the caller, one for errors of the CUDA
// runtime. No CUDA header is needed here, so host code that only catches can include it.
#pragma once

#include <ballot/core/namespace.hpp>

#include <initializer_list>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

// Thrown in a CUDA source and caught in a host source: one type for both (namespace.hpp).
namespace BALLOT_VERSION_NAMESPACE {

namespace detail {
// The functions for messages are made to be small, not fast, because they are compiled into every
// source that includes this header. A loop takes less code and less compile time than a chain of +,
// or std::to_string.
[[gnu::cold, gnu::noinline]] inline std::string joined(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}
[[gnu::cold, gnu::noinline]] inline std::string digits_of(unsigned long long number, unsigned base = 10) {
  char digits[20], *begin = digits + sizeof(digits);
  do *--begin = "0123456789abcdef"[number % base];
  while ((number /= base) != 0);
  return {begin, digits + sizeof(digits)};
}
[[gnu::cold, gnu::noinline]] inline std::string text_of_cuda_error(int code, const char* call, const char* text,
                                                                   const std::source_location& location) {
  return joined({call, ": ", text, " (error ", digits_of(static_cast<unsigned>(code)), ", ", location.file_name(), ":",
                 digits_of(location.line()), ")"});
}
}  // namespace detail

/// An argument is wrong, for example: scratch is too small, lengths differ, ranges overlap, or a
/// bit range is wrong. Nothing was launched.
class invalid_argument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A call of the CUDA runtime failed.
class cuda_error : public std::runtime_error {
 public:
  /// `code` is the runtime's cudaError_t, `call` the function that returned it, `text` the
  /// runtime's words for it.
  [[gnu::cold]] cuda_error(int code, const char* call, const char* text,
                           const std::source_location& location = std::source_location::current())
      : std::runtime_error(detail::text_of_cuda_error(code, call, text, location)),
        code_(code),
        call_(call),
        location_(location) {}

  /// The cudaError_t, as an int.
  int code() const noexcept { return code_; }
  /// The runtime function that failed.
  const std::string& call() const noexcept { return call_; }
  /// Where it was called.
  const std::source_location& location() const noexcept { return location_; }

 private:
  int code_;
  std::string call_;
  std::source_location location_;
};

}  // namespace BALLOT_VERSION_NAMESPACE

namespace ballot {
using BALLOT_VERSION_NAMESPACE::cuda_error;
using BALLOT_VERSION_NAMESPACE::invalid_argument;
namespace detail {
using BALLOT_VERSION_NAMESPACE::detail::digits_of;
using BALLOT_VERSION_NAMESPACE::detail::joined;
}  // namespace detail
}  // namespace ballot
