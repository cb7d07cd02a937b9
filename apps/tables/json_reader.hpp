// SPDX-License-Identifier: Apache-2.0
// Finds the members of a JSON object (RFC 8259) in the text, without copying, and checks the whole
// of it.
//
//     {"city": "Köln", "at": [50.9, 6.9], "n": 1e3}
//      ^ key    ^--^     text of a string: without its quotes, escapes unchanged; of anything else: as it stands
//
// Written by hand, because rows and values are copied as they are, and available libraries
// (nlohmann/json among them) return values without their positions. Strings must be UTF-8, which is
// checked where lines are found.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ballot::app {

// A syntax error, and its position in the text.
class json_error final : public failure {
 public:
  json_error(std::size_t at, const std::string& what) : failure(what), at_(at) {}
  std::size_t at() const { return at_; }

 private:
  std::size_t at_;
};

struct json_value {
  enum kind_of : unsigned char { string, number, boolean, null, nested };
  kind_of kind = null;
  std::string_view text;    // of a string without its quotes
  bool is_escaped = false;  // a string with backslashes
};

class json_reader {
 public:
  explicit json_reader(std::string_view text) : text_(text) {}

  // The text has to be one object. Calls visit(key, value) for each member.
  template <class Visit>
  void object(const Visit& visit) {
    at_ = 0;
    skip_blanks();
    if (!take('{')) fail("an object is needed: { and members");
    skip_blanks();
    if (!take('}')) {
      do {
        skip_blanks();
        if (!next_is('"')) fail("the name of a member is missing");
        const json_value key = value(0);
        skip_blanks();
        if (!take(':')) fail("':' is missing");
        skip_blanks();
        visit(key, value(0));
        skip_blanks();
      } while (take(','));
      if (!take('}')) fail("',' or '}' is missing");
    }
    skip_blanks();
    if (at_ != text_.size()) fail("more text behind the object");
  }

 private:
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      ++at_;
  }
  json_value value(int depth);
  json_value string_value();
  json_value number_value();
  void nested_value(int depth);
  std::size_t digits();
  unsigned hex4();
  [[noreturn]] void fail(const std::string& what) const { throw json_error(at_, "not JSON: " + what); }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The text of a string whose escapes were checked.
std::string unescaped_json(std::string_view text);
// Appends the text between quotes. It has to be UTF-8.
void append_json_string(std::string& to, std::string_view text);

}  // namespace ballot::app
