#include "common/formats/npy_header.hpp"
#include <ballot/core/namespace.hpp>

#include "common/failure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace ballot::app {
namespace {

// A reader for the subset of Python's literals that headers are written in.
class literal_reader {
 public:
  explicit literal_reader(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing", c));
  }
  bool next_is(char c) {
    skip_blanks();
    return rest_.starts_with(c);
  }

  std::string_view string() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) fail("a string is missing");
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail("a string does not end");
    const std::string_view value = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return value;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail("True or False is missing");
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc{}) fail("the shape is not a tuple of lengths");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      values.push_back(value);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  // Everything up to the bracket that closes this one; strings in it may hold brackets.
  std::string_view bracketed() {
    skip_blanks();
    const std::string_view begin = rest_;
    int depth = 0;
    do {
      if (next_is('\'') || next_is('"')) {
        string();
        continue;
      }
      if (rest_.empty()) fail("a bracket does not close");
      depth += rest_[0] == '[' || rest_[0] == '(' ? 1 : rest_[0] == ']' || rest_[0] == ')' ? -1 : 0;
      rest_.remove_prefix(1);
    } while (depth > 0);
    return begin.substr(0, begin.size() - rest_.size());
  }

  [[noreturn]] static void fail(std::string_view what) { throw failure(fmt::format("bad .npy header: {}", what)); }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace

npy_header parse_npy_dictionary(std::string_view text) {
  npy_header header;
  bool has_descr = false, has_order = false, has_shape = false;
  literal_reader reader(text);
  reader.expect('{');
  while (!reader.take('}')) {
    const std::string_view key = reader.string();
    reader.expect(':');
    if (key == "descr") {
      header.structured = reader.next_is('[') || reader.next_is('(');
      header.descr = header.structured ? reader.bracketed() : reader.string();
      has_descr = true;
    } else if (key == "fortran_order") {
      header.fortran_order = reader.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = reader.tuple();
      has_shape = true;
    } else {
      literal_reader::fail(fmt::format("unknown entry '{}'", key.substr(0, 32)));
    }
    if (!reader.take(',')) {
      reader.expect('}');
      break;
    }
  }
  if (!has_descr || !has_order || !has_shape) literal_reader::fail("descr, fortran_order and shape are not all there");
  return header;
}

std::string npy_preamble(std::string_view descr, const std::vector<std::uint64_t>& shape) {
  constexpr std::size_t fixed_part = 10;  // magic, version, length
  constexpr std::size_t alignment = 64;   // of the data, so that it can be mapped
  // Python's tuple of one has a comma.
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                       fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t unpadded = fixed_part + dictionary.size() + 1;
  dictionary.append((alignment - unpadded % alignment) % alignment, ' ').push_back('\n');
  std::string preamble("\x93NUMPY\x01\x00", 8);
  preamble.push_back(static_cast<char>(dictionary.size() & 0xff));
  preamble.push_back(static_cast<char>(dictionary.size() >> 8));
  return preamble + dictionary;
}

}  // namespace ballot::app
