// SPDX-License-Identifier: Apache-2.0
#include "columns/npy_header.hpp"
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "files/text_encoding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <optional>
#include <utility>

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

// Nothing where UTF-8 has other characters.
std::optional<std::string> as_latin1(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      bytes += text[i];
      continue;
    }
    // U+0080 to U+00FF are two bytes, of which the first is one of these.
    if ((byte != 0xc2 && byte != 0xc3) || i + 1 == text.size()) return std::nullopt;
    const auto second = static_cast<unsigned char>(text[++i]);
    if ((second & 0xc0u) != 0x80) return std::nullopt;
    bytes += static_cast<char>((byte & 3u) << 6 | (second & 0x3fu));
  }
  return bytes;
}

constexpr std::uint64_t largest_item = std::uint64_t{1} << 40;  // bytes: far beyond any, and sums of them do not wrap

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > largest_item / b) literal_reader::fail("items of more than a terabyte");
  return a * b;
}

// "<f8", "|S12", "<U5", "<M8[ns]"
std::uint64_t plain_type_bytes(std::string_view descr) {
  std::string_view rest = descr;
  if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) rest.remove_prefix(1);
  if (rest.empty() || std::string_view("biufcSaVMmU").find(rest[0]) == std::string_view::npos)
    throw failure(fmt::format("items hold type '{}', which is no plain bytes", descr));
  const bool is_wide = rest[0] == 'U';
  rest.remove_prefix(1);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  if (error != std::errc{} || (end != rest.data() + rest.size() && *end != '['))
    literal_reader::fail(fmt::format("type '{}'", descr.substr(0, 32)));
  return times(count, is_wide ? 4 : 1);
}

// [('name', type), ('name', type, (shape)), ...]; a name can be a pair of title and name, a type
// such a list again.
std::vector<npy_field> fields_in(literal_reader& reader, int depth) {
  constexpr int deepest = 32;
  if (depth > deepest) literal_reader::fail("structures too deep");
  std::vector<npy_field> fields;
  std::uint64_t offset = 0;
  reader.expect('[');
  while (!reader.take(']')) {
    npy_field field;
    reader.expect('(');
    if (reader.take('(')) {
      reader.string();
      reader.expect(',');
      field.name = reader.string();
      reader.expect(')');
    } else {
      field.name = reader.string();
    }
    reader.expect(',');
    if (reader.next_is('[')) {
      for (const npy_field& inner : fields_in(reader, depth + 1)) field.bytes += inner.bytes;
    } else {
      field.descr = reader.string();
      field.bytes = plain_type_bytes(field.descr);
    }
    if (reader.take(',') && reader.next_is('(')) {
      field.descr.clear();
      for (const std::uint64_t n : reader.tuple()) field.bytes = times(field.bytes, n);
    }
    reader.expect(')');
    field.offset = offset;
    offset += field.bytes;
    if (offset > largest_item) literal_reader::fail("items of more than a terabyte");
    fields.push_back(std::move(field));
    if (!reader.take(',')) {
      reader.expect(']');
      break;
    }
  }
  return fields;
}

}  // namespace

std::string npy_dictionary_of(std::string_view bytes, int version) {
  constexpr int first_in_utf8 = 3;
  if (version >= first_in_utf8) {
    if (first_not_utf8(bytes)) literal_reader::fail("bytes that are not UTF-8");
    return std::string(bytes);
  }
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xc0u | byte >> 6);
    text += byte >= 0x80 ? static_cast<char>(0x80u | (byte & 0x3fu)) : c;
  }
  return text;
}

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
  if (!has_descr || !has_order || !has_shape) literal_reader::fail("descr, fortran_order or shape is missing");
  return header;
}

std::vector<npy_field> npy_fields(const npy_header& header) {
  if (!header.structured) return {{"", header.descr, 0, plain_type_bytes(header.descr)}};
  literal_reader reader(header.descr);
  return fields_in(reader, 0);
}

std::string npy_preamble(std::string_view descr, const std::vector<std::uint64_t>& shape) {
  npy_header header;
  header.descr = descr;
  header.shape = shape;
  return npy_preamble(header);
}

std::string npy_preamble(const npy_header& header) {
  constexpr std::size_t magic_bytes = 8, alignment = 64;  // of the data, so that it can be mapped
  constexpr std::size_t longest_of_version_1 = 0xffff;
  const std::string descr = header.structured ? header.descr : fmt::format("'{}'", header.descr);
  // Python's tuple of one has a comma.
  std::string dictionary = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                       fmt::join(header.shape, ", "), header.shape.size() == 1 ? "," : "");
  auto latin1 = as_latin1(dictionary);
  const bool is_utf8 = !latin1;
  if (latin1) dictionary = *std::move(latin1);
  const bool is_long = is_utf8 || dictionary.size() + alignment > longest_of_version_1;
  const std::size_t length_bytes = is_long ? 4 : 2;
  const std::size_t unpadded = magic_bytes + length_bytes + dictionary.size() + 1;
  dictionary.append((alignment - unpadded % alignment) % alignment, ' ').push_back('\n');
  std::string preamble(is_utf8   ? std::string_view("\x93NUMPY\x03\x00", magic_bytes)
                       : is_long ? std::string_view("\x93NUMPY\x02\x00", magic_bytes)
                                 : std::string_view("\x93NUMPY\x01\x00", magic_bytes));
  for (std::size_t i = 0; i < length_bytes; ++i)
    preamble.push_back(static_cast<char>(dictionary.size() >> (8 * i) & 0xff));
  return preamble + dictionary;
}

}  // namespace ballot::app
