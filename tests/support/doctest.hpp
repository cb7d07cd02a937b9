// SPDX-License-Identifier: Apache-2.0
// doctest, with assertions and CAPTURE that take the compiler a fraction of the time. A fifth of
// the emulated tests' code was doctest's for each CAPTURE, and a tenth the block around each
// assertion.
#pragma once

#include <doctest/doctest.h>

#include <ostream>
#include <string>
#include <type_traits>

namespace ballot_test {

// The words of CAPTURE(x) if an assertion fails: a name, and the value at that time. Of a
// temporary, it is the value at the capture.
class capture_words {
 public:
  capture_words(const char* name, const void* value, void (*print)(std::ostream&, const void*))
      : name_(name), value_(value), print_(print) {}
  capture_words(const char* name, std::string text) : name_(name), print_(nullptr), text_(std::move(text)) {}
  void operator()(std::ostream* out) const {
    *out << name_ << " := ";
    if (print_ != nullptr) print_(*out, value_);
    else *out << text_;
  }

 private:
  const char* name_;
  const void* value_ = nullptr;
  void (*print_)(std::ostream&, const void*);
  std::string text_;
};

template <class T>
[[gnu::noinline]] void print_captured(std::ostream& out, const void* value) {
  out << doctest::toString(*static_cast<const T*>(value));
}

class [[nodiscard]] captured {
 public:
  template <class T>
  captured(const char* name, const T& value) : captured(name, &value, print_captured<T>) {}
  template <class T, class = std::enable_if_t<!std::is_lvalue_reference_v<T>>>
  captured(const char* name, T&& value) : captured(name, std::string(doctest::toString(value).c_str()), 0) {}

 private:
  [[gnu::noinline]] captured(const char* name, const void* value, void (*print)(std::ostream&, const void*))
      : scope_(capture_words(name, value, print)) {}
  [[gnu::noinline]] captured(const char* name, std::string text, int) : scope_(capture_words(name, std::move(text))) {}

  doctest::detail::ContextScope<capture_words> scope_;
};

}  // namespace ballot_test

#undef CAPTURE
#define CAPTURE(...) const ::ballot_test::captured DOCTEST_ANONYMOUS(DOCTEST_CAPTURE_)(#__VA_ARGS__, __VA_ARGS__)
