// SPDX-License-Identifier: Apache-2.0
// The ends of fields, found 64 bytes at a time, against csv_reader, which reads field by field.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "tables/csv_reader.hpp"
#include "tables/field_ends.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ballot::app;

// Every delimiter and line feed that ends a field; nothing where the text is no CSV.
std::optional<std::vector<std::uint32_t>> ends_by_reader(const std::string& text, char delimiter) {
  std::vector<std::uint32_t> ends;
  const csv_reader reader(text, delimiter);
  try {
    for (std::size_t at = 0; at < text.size();)
      if (reader.is_blank_line(at)) {
        at = text.find('\n', at) + 1;
        ends.push_back(static_cast<std::uint32_t>(at - 1));
      } else {
        const char* last = nullptr;
        at = reader.record(at, [&](const field_bytes& field) {
          if (last != nullptr)
            ends.push_back(
                static_cast<std::uint32_t>(text.find(delimiter, static_cast<std::size_t>(last - text.data()))));
          last = field.text.data() + field.text.size();
          return true;
        });
        ends.push_back(static_cast<std::uint32_t>(at - 1));
      }
  } catch (const csv_error&) {
    return std::nullopt;
  }
  return ends;
}

std::vector<std::uint32_t> places_in(const field_ends& found) {
  return {found.places.begin(), found.places.begin() + std::ptrdiff_t(found.count)};
}

}  // namespace

TEST_CASE("field ends of texts of any bytes are those of the reader, or none") {
  std::mt19937 random(1);
  field_ends found;
  std::size_t taken = 0;
  for (int round = 0; round < 60000; ++round) {
    const std::string_view alphabet = round % 3 == 0   ? "a,\"\n\r"
                                      : round % 3 == 1 ? "aaaaaaaaaaaaaaaa,,\"\n"
                                                       : "\"\"\",\n\ra";
    std::string text(random() % 200, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    if (round % 2 == 0) text += "\n";
    if (!find_field_ends(text, ',', found)) continue;
    ++taken;
    const auto expected = ends_by_reader(text, ',');
    REQUIRE_MESSAGE(expected.has_value(), text);
    REQUIRE_MESSAGE(places_in(found) == *expected, text);
    CHECK(found.line_feeds ==
          static_cast<std::size_t>(
              std::count_if(expected->begin(), expected->end(), [&](std::uint32_t at) { return text[at] == '\n'; })));
    CHECK(found.has_quotes == (text.find('"') != std::string::npos));
  }
  CHECK(taken > 1000);
}

TEST_CASE("no text as nearly all are is left to others") {
  std::mt19937 random(2);
  field_ends found;
  for (int round = 0; round < 20000; ++round) {
    const char delimiter = round % 2 == 0 ? ',' : '\t';
    std::string text;
    const std::size_t rows = 1 + random() % 20;
    for (std::size_t row = 0; row < rows; ++row)
      for (int field = 0; field < 3; ++field) {
        std::string content(random() % 12, 'x');
        const bool is_quoted = random() % 2 == 0;
        if (is_quoted) {
          for (char& c : content) c = ",\n\r\tx"[random() % 5];
          if (random() % 4 == 0) content.insert(random() % (content.size() + 1), "\"\"");
          content = "\"" + content + "\"";
        }
        text += content + (field < 2 ? std::string(1, delimiter) : random() % 2 == 0 ? "\n" : "\r\n");
      }
    REQUIRE_MESSAGE(find_field_ends(text, delimiter, found), text);
    CHECK(found.count == 3 * rows);
    CHECK(places_in(found) == *ends_by_reader(text, delimiter));
  }
}

TEST_CASE("line feeds and quotes are counted") {
  std::mt19937 random(3);
  for (const std::size_t size : {0, 1, 63, 64, 65, 127, 128, 129, 1000, 20000}) {
    std::string text(size, ' ');
    for (char& c : text) c = "a\n\"\xff"[random() % 4];
    const counted_bytes counted = count_line_feeds_and_quotes(text);
    CHECK(counted.line_feeds == static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
    CHECK(counted.quotes == static_cast<std::size_t>(std::count(text.begin(), text.end(), '"')));
  }
}
