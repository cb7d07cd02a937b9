// SPDX-License-Identifier: Apache-2.0
// The places of the fields and records of a CSV, against a state machine from RFC 4180 that goes
// character by character.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "tables/csv_reader.hpp"

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ballot::app;

struct record {
  std::vector<std::string> fields;  // doubled quotes made single
  std::size_t end = 0;
  bool operator==(const record&) const = default;
};

std::string plain(const field_bytes& field) {
  std::string text(field.text);
  if (field.doubled)
    for (std::size_t at = 0; (at = text.find("\"\"", at)) != std::string::npos; ++at) text.erase(at, 1);
  return text;
}

std::optional<record> read(const std::string& text, std::size_t at, char delimiter = ',') {
  record result;
  try {
    result.end = csv_reader(text, delimiter).record(at, [&](const field_bytes& field) {
      result.fields.push_back(plain(field));
      return true;
    });
  } catch (const csv_error&) {
    return std::nullopt;
  }
  return result;
}

std::optional<record> reference(const std::string& text, std::size_t at, char delimiter) {
  enum { begin, bare, quoted, closed } state = begin;
  record result;
  std::string field;
  for (;; ++at) {
    const bool at_end = at == text.size();
    const char c = at_end ? '\n' : text[at];
    const bool crlf = c == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if (state == quoted) {
      if (at_end) return std::nullopt;
      if (c != '"') field += c;
      else state = closed;
    } else if (state == closed && c == '"') {
      field += c;
      state = quoted;
    } else if (state == begin && c == '"') {
      state = quoted;
    } else if (c == delimiter || c == '\n' || crlf) {
      result.fields.push_back(field);
      field.clear();
      state = begin;
      if (c == delimiter && !at_end) continue;
      result.end = at_end ? at : at + (crlf ? 2 : 1);
      return result;
    } else {
      if (state == closed) return std::nullopt;
      field += c;
      state = bare;
    }
  }
}

}  // namespace

TEST_CASE("records end where they end") {
  CHECK(read("a,b\nc", 0) == record{{"a", "b"}, 4});
  CHECK(read("a,b\r\nc", 0) == record{{"a", "b"}, 5});
  CHECK(read("a,b\nc", 4) == record{{"c"}, 5});
  CHECK(read("\"a\r\n,\"\"b\"\"\",\n", 0) == record{{"a\r\n,\"b\"", ""}, 13});
  CHECK(read("a\"b,\"\"\r\n", 0) == record{{"a\"b", ""}, 8});
  CHECK(read("a;b,c", 0, ';') == record{{"a", "b,c"}, 5});
  CHECK(read("a\rb\n", 0) == record{{"a\rb"}, 4});
  CHECK(read("a,", 0) == record{{"a", ""}, 2});
}

TEST_CASE("what is no CSV says where") {
  const auto place_of = [](const std::string& text) {
    try {
      csv_reader(text, ',').record(0, [](const field_bytes&) { return true; });
    } catch (const csv_error& problem) {
      return static_cast<int>(problem.at());
    }
    return -1;
  };
  CHECK(place_of("a,\"b\nc") == 2);
  CHECK(place_of("a,\"b\"c\n") == 5);
  CHECK(place_of("a,\"") == 2);
  CHECK(place_of("a,\"b\"\rc") == 5);
}

TEST_CASE("a record whose quote is open goes on where it was") {
  std::mt19937 random(8);
  constexpr char alphabet[] = {'a', ',', '"', '"', '"', '\n'};
  int went_on = 0;
  for (int trial = 0; trial < 50'000; ++trial) {
    std::string text(random() % 30, ' ');
    for (char& c : text) c = alphabet[random() % std::size(alphabet)];
    text = "\"" + text + "\n";
    INFO(std::string(text));
    const auto expected = read(text, 0);
    // The records of a text that comes line by line, as tables read it.
    csv_open_quote::place open;
    record result;
    bool failed = false;
    for (std::size_t end = text.find('\n') + 1; result.end == 0 && !failed; end = text.find('\n', end) + 1) {
      try {
        went_on += open.searched != 0;
        result.end = csv_reader(std::string_view(text).substr(0, end), ',')
                         .record(
                             open.field,
                             [&](const field_bytes& field) {
                               result.fields.push_back(plain(field));
                               return true;
                             },
                             open);
      } catch (const csv_open_quote& problem) {
        open = problem.search();
        CHECK(open.searched == end);
        failed = end == text.size();
      } catch (const csv_error&) {
        failed = true;
      }
    }
    if (failed) CHECK(!expected);
    else CHECK(expected == result);
  }
  CHECK(went_on > 10'000);
}

TEST_CASE("every short text, and random ones, against the state machine") {
  std::mt19937 random(7);
  constexpr char alphabet[] = {'a', ',', '"', '\n', '\r', ';'};
  for (int trial = 0; trial < 200'000; ++trial) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = alphabet[random() % std::size(alphabet)];
    const char delimiter = trial % 2 == 0 ? ',' : ';';
    INFO(std::string(text));
    for (std::size_t at = 0; at < text.size();) {
      const auto expected = reference(text, at, delimiter);
      REQUIRE(read(text, at, delimiter) == expected);
      if (!expected) break;
      REQUIRE(expected->end > at);
      at = expected->end;
    }
  }
}
