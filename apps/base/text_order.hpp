// SPDX-License-Identifier: Apache-2.0
// Orders of texts beside that of their bytes. Each is one of keys: bytes that are made of a text
// once, and then compared.
//
//     natural   as bytes, but digits as the number they are: file9 before file10
//     version   as GNU sort -V has it: file names with version numbers and suffixes
//     nocase    in capital letters, as GNU sort -f; also together with natural or version
//     locale    that of the environment (LC_ALL, LC_COLLATE, LANG) or of the one that is named:
//               locale(de_DE.UTF-8)
#pragma once

#include <ballot/core/namespace.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace ballot::app {

class text_order {
 public:
  bool is_bytes() const { return kind_ == kind::bytes && !nocase_; }
  // Takes one of the words above; false if it is none of them. Throws usage_error where it
  // contradicts another, or where there is no such locale.
  bool take(std::string_view word);
  // Appends the key of a text.
  void append_key(std::string_view text, std::string& to) const;
  // A key has at most so many bytes for each byte of the text, and a few more.
  std::size_t key_bytes_a_byte() const;
  std::string in_words() const;  // "natural, nocase"

 private:
  enum class kind { bytes, natural, version, locale };
  class collation;

  void append_key_of_kind(std::string_view text, std::string& to) const;

  kind kind_ = kind::bytes;
  bool nocase_ = false;
  std::shared_ptr<const collation> collation_;
};

}  // namespace ballot::app
