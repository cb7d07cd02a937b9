// SPDX-License-Identifier: Apache-2.0
// Finds the records and fields of a CSV (RFC 4180) in the text, without copying.
//
//     "Boston, MA",02101,"he said ""no"""\r\n
//      ^--------^  ^---^  ^-------------^      a field's `text`: without its quotes, doubled quotes unchanged
//
// Written by hand, because rows are copied as they are, and available libraries (libcsv among them)
// return unquoted copies without positions. A field that begins with a quote ends at the next quote
// that is not doubled; a delimiter or a line end must follow. Delimiters and line ends inside the
// quotes belong to the field. In other fields a quote is an ordinary character. Lines end with LF
// or CRLF; the last line may end with the text.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "tables/column.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ballot::app {

// A syntax error, and its position.
class csv_error : public failure {
 public:
  csv_error(std::size_t at, const std::string& what) : failure(what), at_(at) {}
  std::size_t at() const { return at_; }

 private:
  std::size_t at_;
};

// A quote that is still open at the end of the text. More text may close it.
class csv_open_quote final : public csv_error {
 public:
  // Where to continue: the field, and the position up to which its closing quote has been searched.
  struct place {
    std::size_t field = 0, searched = 0;
    bool doubled = false;
  };

  explicit csv_open_quote(const place& search, const std::string& more = {})
      : csv_error(search.field, "the quote that begins here is never closed" + more), search_(search) {}
  const place& search() const { return search_; }
  csv_open_quote with_place(const std::string& words) const { return csv_open_quote(search_, " (" + words + ")"); }

 private:
  place search_;
};

class csv_reader {
 public:
  csv_reader(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {}

  bool is_blank_line(std::size_t at) const {
    return at < text_.size() && (text_[at] == '\n' || (text_[at] == '\r' && is_line_end(at)));
  }

  // Calls visit(field_bytes) for each field of the record at `at` (at least one), and returns the
  // position after its line end. If visit returns false, the rest of the record is skipped, and the
  // returned position is unspecified. `open` continues a record at a field whose quote was open in
  // a shorter text, without searching the same bytes again.
  template <class Visit>
  std::size_t record(std::size_t at, const Visit& visit, csv_open_quote::place open = {}) const {
    for (;; open = {}) {
      field_bytes field;
      at = at < text_.size() && text_[at] == '"' ? quoted_field(at, field, open) : bare_field(at, field);
      if (!visit(field)) return at;
      if (at == text_.size()) return at;
      if (text_[at] != delimiter_) return at + (text_[at] == '\r' ? 2 : 1);
      ++at;
    }
  }

 private:
  // A carriage return belongs to a line end only if a line feed follows.
  bool is_line_end(std::size_t at) const {
    return text_[at] == '\n' || (text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n');
  }

  // The top bit of each byte that is 0, and maybe of bytes above the lowest of them: the lowest is
  // right. Mycroft, 1987.
  static std::uint64_t zero_bytes(std::uint64_t word) { return (word - every_byte) & ~word & (every_byte << 7); }
  static constexpr std::uint64_t every_byte = 0x0101010101010101;

  std::size_t bare_field(std::size_t begin, field_bytes& field) const {
    std::size_t end = begin;
    while (text_.size() - end >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text_.data() + end, sizeof word);
      const std::uint64_t found = zero_bytes(word ^ delimiters_) | zero_bytes(word ^ (every_byte * '\n'));
      if (found != 0) {
        end += static_cast<std::size_t>(std::countr_zero(found)) / 8;
        break;
      }
      end += sizeof word;
    }
    while (end < text_.size() && text_[end] != delimiter_ && text_[end] != '\n') ++end;
    if (end < text_.size() && text_[end] == '\n' && end > begin && text_[end - 1] == '\r') --end;
    field.text = text_.substr(begin, end - begin);
    return end;
  }

  std::size_t quoted_field(std::size_t begin, field_bytes& field, const csv_open_quote::place& open) const {
    std::size_t at = std::max(begin + 1, open.searched);
    field.doubled = open.doubled;
    for (;;) {
      const void* const quote = at < text_.size() ? std::memchr(text_.data() + at, '"', text_.size() - at) : nullptr;
      if (quote == nullptr) throw csv_open_quote({begin, text_.size(), field.doubled});
      at = static_cast<std::size_t>(static_cast<const char*>(quote) - text_.data());
      if (at + 1 == text_.size() || text_[at + 1] != '"') break;
      field.doubled = true;
      at += 2;
    }
    field.text = text_.substr(begin + 1, at - begin - 1);
    ++at;
    if (at < text_.size() && text_[at] != delimiter_ && !is_line_end(at))
      throw csv_error(at, "a quoted field goes on after its closing quote (a quote inside quotes is written twice)");
    return at;
  }

  std::string_view text_;
  char delimiter_;
  std::uint64_t delimiters_ = every_byte * static_cast<unsigned char>(delimiter_);
};

}  // namespace ballot::app
