// Where the records and fields of a CSV lie in the text (RFC 4180), without a copy of either.
//
//     "Boston, MA",02101,"he said ""no"""\r\n
//      ^--------^  ^---^  ^-------------^      what a field's `text` is: without its quotes, doubled quotes as they are
//
// By hand, because what travels is the row as it stands, and the libraries at hand (libcsv among them) hand out unquoted
// copies and no places. A field that begins with a quote ends at the next quote that is not doubled, and then a delimiter
// or a line end has to follow; delimiters and line ends in between belong to it. Elsewhere a quote is a character like
// others. Lines end with LF or CRLF, the last one also with the text.
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "tables/column.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace ballot::app {

// Text that is no CSV, and where.
class csv_error : public failure {
 public:
  csv_error(std::size_t at, const std::string& what) : failure(what), at_(at) {}
  std::size_t at() const { return at_; }

 private:
  std::size_t at_;
};

// A quote that the text ends in: it may be closed by what follows, where something does.
class csv_open_quote final : public csv_error {
 public:
  // Where to go on: the field, and up to where its quotes have been looked for.
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

  // Calls visit(field_bytes) for each field of the record at `at`, which is at least one, and returns the place behind
  // its line end. Where visit returns false the rest of the record is not looked at, and the place means nothing. A record
  // can go on at a field whose quote was open in a shorter text: what has been searched is not searched again.
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
  // A carriage return counts as part of a line end only where the line ends.
  bool is_line_end(std::size_t at) const {
    return text_[at] == '\n' || (text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n');
  }

  std::size_t bare_field(std::size_t begin, field_bytes& field) const {
    std::size_t end = begin;
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
};

}  // namespace ballot::app
