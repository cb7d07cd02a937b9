// SPDX-License-Identifier: Apache-2.0
// Regular expressions of RE2: searched for in time proportional to the text, whatever the
// expression is.
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ballot::app {

struct regular_expression_mistake {
  std::size_t position;  // in the pattern
  std::string what;
};

// If the program was built without RE2, every pattern gets this error.
std::optional<regular_expression_mistake> mistake_in_regular_expression(std::string_view pattern);

class regular_expression {
 public:
  explicit regular_expression(std::string_view pattern);  // one without mistakes
  ~regular_expression();
  // Whether a part of the text matches; from any thread.
  bool is_in(std::string_view text) const;

 private:
  struct compiled;
  std::unique_ptr<compiled> compiled_;
};

}  // namespace ballot::app
