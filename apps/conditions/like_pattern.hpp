// SPDX-License-Identifier: Apache-2.0
// The patterns of SQL's LIKE: % is any text, _ any character (of UTF-8), and the escape makes the
// next character plain.
#pragma once

#include <ballot/core/namespace.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ballot::app {

class like_pattern {
 public:
  // escape: a character, or empty: none. An escape at the end of the pattern stands for itself.
  like_pattern(std::string_view pattern, std::string_view escape);

  bool matches(std::string_view text) const;

 private:
  struct piece {  // between two %
    std::string text;
    std::vector<bool> is_any;  // of each byte of `text`: whether it stands for any character
    bool has_any = false;
  };
  static std::size_t length_at(const piece& p, std::string_view text);
  static std::size_t find(const piece& p, std::string_view text, std::size_t& length);

  std::vector<piece> pieces_;  // one more than there are %
};

}  // namespace ballot::app
