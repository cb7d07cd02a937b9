// SPDX-License-Identifier: Apache-2.0
#include "conditions/regular_expression.hpp"

#include <fmt/format.h>

#ifdef BALLOT_APP_RE2
#  include <re2/re2.h>
#endif

namespace ballot::app {

#ifdef BALLOT_APP_RE2

struct regular_expression::compiled {
  re2::RE2 pattern;
};

namespace {

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  return options;
}

}  // namespace

std::optional<regular_expression_mistake> mistake_in_regular_expression(std::string_view pattern) {
  const re2::RE2 tried(re2::StringPiece(pattern.data(), pattern.size()), quiet());
  if (tried.ok()) return std::nullopt;
  // RE2 returns the wrong part of the pattern, and not its position. So the position is searched
  // for.
  const std::string part(tried.error_arg().data(), tried.error_arg().size());
  const std::size_t found = part.empty() ? std::string_view::npos : pattern.find(part);
  return regular_expression_mistake{found == std::string_view::npos ? 0 : found,
                                    "not a regular expression: " + tried.error()};
}

regular_expression::regular_expression(std::string_view pattern)
    : compiled_(new compiled{re2::RE2(re2::StringPiece(pattern.data(), pattern.size()), quiet())}) {}

bool regular_expression::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->pattern);
}

#else

struct regular_expression::compiled {};

std::optional<regular_expression_mistake> mistake_in_regular_expression(std::string_view) {
  return regular_expression_mistake{0, "this program was built without regular expressions (RE2; Debian: libre2-dev)"};
}

regular_expression::regular_expression(std::string_view) {}
bool regular_expression::is_in(std::string_view) const { return false; }

#endif

regular_expression::~regular_expression() = default;

}  // namespace ballot::app
