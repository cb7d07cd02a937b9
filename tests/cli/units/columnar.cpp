// SPDX-License-Identifier: Apache-2.0
// Columns of Arrow as rows and back, and their values as texts: without Arrow's library.
#include "base/failure.hpp"
#include "columnar/batch_maker.hpp"
#include "columnar/row_layout.hpp"
#include "columnar/value_texts.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace columnar_units {
namespace {

using namespace ballot::app;

ArrowSchema schema_of(const char* format) {
  ArrowSchema schema{};
  schema.format = format;
  return schema;
}

arrow_type type_of(const char* format) { return arrow_type_of(schema_of(format)); }

std::string time_text(const char* format, std::int64_t value) {
  std::string text = "<";
  append_time_text(text, type_of(format), value);
  return text.substr(1);
}

// Little-endian, with the sign in all further bytes.
std::vector<std::byte> decimal_of(std::int64_t value, std::size_t bytes) {
  std::vector<std::byte> made(bytes, value < 0 ? std::byte{0xff} : std::byte{0});
  std::memcpy(made.data(), &value, std::min(bytes, sizeof value));
  return made;
}

std::string decimal_text(const char* format, const std::vector<std::byte>& value) {
  std::string text;
  append_decimal_text(text, type_of(format), value.data());
  return text;
}

TEST_CASE("columnar: times as texts") {
  CHECK(time_text("tdD", 0) == "1970-01-01");
  CHECK(time_text("tdD", -1) == "1969-12-31");
  CHECK(time_text("tdD", 11016) == "2000-02-29");
  CHECK(time_text("tdD", -719529) == "-0001-12-31");
  CHECK(time_text("tdD", 2932897) == "+10000-01-01");
  CHECK(time_text("tdm", 86400000) == "1970-01-02");
  CHECK(time_text("tdm", 86400001) == "1970-01-02T00:00:00.001");
  CHECK(time_text("tss:", -1) == "1969-12-31T23:59:59");
  CHECK(time_text("tsm:", -1) == "1969-12-31T23:59:59.999");
  CHECK(time_text("tsu:UTC", 1'500'000) == "1970-01-01T00:00:01.500000Z");
  CHECK(time_text("tsn:+02:00", std::numeric_limits<std::int64_t>::min()) == "1677-09-21T00:12:43.145224192Z");
  CHECK(time_text("tsn:", std::numeric_limits<std::int64_t>::max()) == "2262-04-11T23:47:16.854775807");
  CHECK(time_text("tts", 86399) == "23:59:59");
  CHECK(time_text("ttn", 1) == "00:00:00.000000001");
  CHECK(time_text("tDm", std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
}

TEST_CASE("columnar: decimals as texts and as numbers") {
  CHECK(decimal_text("d:5,2", decimal_of(-5, 16)) == "-0.05");
  CHECK(decimal_text("d:5,2", decimal_of(0, 16)) == "0.00");
  CHECK(decimal_text("d:5,0", decimal_of(12345, 16)) == "12345");
  CHECK(decimal_text("d:5,-3", decimal_of(-12, 16)) == "-12000");
  CHECK(decimal_text("d:5,-3", decimal_of(0, 16)) == "0");
  CHECK(decimal_text("d:9,4,32", decimal_of(1'000'000'001, 4)) == "100000.0001");
  CHECK(decimal_text("d:18,0,64", decimal_of(std::numeric_limits<std::int64_t>::min(), 8)) == "-9223372036854775808");
  CHECK(decimal_text("d:38,10", std::vector(16, std::byte{0x7f})) == "16947396313317327396019049076.0135540607");
  std::vector<std::byte> least(32);
  least.back() = std::byte{0x80};
  CHECK(decimal_text("d:76,0,256", least) ==
        "-57896044618658097711785492504343953926634992332820282019728792003956564819968");
  CHECK(number_of_decimal(type_of("d:15,2"), decimal_of(999999999999999, 16).data()) == 9999999999999.99);
  CHECK(number_of_decimal(type_of("d:15,2"), decimal_of(-1, 16).data()) == -0.01);
  CHECK(number_of_decimal(type_of("d:16,2"), decimal_of(1000000000000000, 16).data()) == std::nullopt);
  CHECK(number_of_decimal(type_of("d:38,30"), decimal_of(123, 16).data()) == 123e-30);
}

TEST_CASE("columnar: types") {
  for (const char* const format : {"+l", "+s", "+w:3", "+ud:0,1", "+r", "", "?", "d:", "d:1", "d:x,1", "d:5,2,17", "t"})
    CHECK_MESSAGE(type_of(format).kind == arrow_kind::nested, format);
  CHECK(type_of("tsu:Europe/Berlin").in_words() == "timestamp[us, Europe/Berlin]");
  CHECK(type_of("w:16").item_bytes == 16);
  CHECK(type_of("vu").format == "u");
  CHECK(type_of("tiM").kind == arrow_kind::interval);
}

// One column of each way of storing values.
constexpr std::array formats = {"l", "u", "b", "U", "d:38,2,256", "n", "w:0", "w:3", "C", "z", "e"};

struct values {
  std::int64_t rows;
  std::vector<std::vector<std::optional<std::string>>> columns;  // bytes
};

values random_values(std::int64_t rows, std::mt19937& random) {
  values made{rows, {}};
  for (const char* const format : formats) {
    const arrow_type type = type_of(format);
    auto& column = made.columns.emplace_back();
    for (std::int64_t row = 0; row < rows; ++row) {
      if (type.kind == arrow_kind::nothing || random() % 5 == 0) {
        column.emplace_back();
        continue;
      }
      std::string value(type.is_variable() ? random() % 20 : type.item_bytes, '\0');
      for (char& c : value) c = static_cast<char>(random());
      if (type.kind == arrow_kind::boolean) value[0] = static_cast<char>(random() % 2);
      column.push_back(value);
    }
  }
  return made;
}

void give(const values& from, ArrowArray& to) {
  batch_maker made(from.rows);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const arrow_type type = type_of(formats[i]);
    const auto& column = from.columns[i];
    const auto at = [&](std::int64_t row) -> const std::optional<std::string>& { return column[std::size_t(row)]; };
    if (type.kind == arrow_kind::nothing) made.add_nothing();
    else if (type.kind == arrow_kind::boolean)
      made.add_bits([&](std::int64_t row) { return at(row) ? (*at(row))[0] : -1; });
    else if (type.is_variable())
      made.add_texts(type.ends == arrow_ends::of_64_bits,
                     [&](std::int64_t row) { return at(row) ? std::string_view(*at(row)) : std::string_view(); });
    else
      made.add_values(type.item_bytes, [&](std::int64_t row, std::byte* place) {
        if (at(row) && !at(row)->empty()) std::memcpy(place, at(row)->data(), at(row)->size());
        return at(row).has_value();
      });
  }
  made.give(to);
}

row_layout layout() {
  std::vector<arrow_column> columns;
  for (const char* const format : formats) columns.push_back({format, type_of(format)});
  return row_layout(std::move(columns));
}

std::vector<const std::byte*> places_of(const row_layout& of, const host_buffer& rows) {
  std::vector<const std::byte*> places;
  for (std::size_t at = 0; at < rows.size(); at += of.length_of(rows.data() + at)) places.push_back(rows.data() + at);
  return places;
}

void check_rows(const row_layout& of, const std::vector<const std::byte*>& places, const values& expected) {
  REQUIRE(places.size() == static_cast<std::size_t>(expected.rows));
  for (std::size_t i = 0; i < formats.size(); ++i)
    for (std::size_t row = 0; row < places.size(); ++row) {
      const auto& value = expected.columns[i][row];
      REQUIRE(of.is_null(places[row], i) == !value.has_value());
      const auto stored = of.columns()[i].type.is_variable()
                              ? of.text(places[row], i)
                              : std::string_view(reinterpret_cast<const char*>(places[row] + of.offset(i)),
                                                 of.columns()[i].type.item_bytes);
      if (value) REQUIRE(stored == *value);
    }
}

TEST_CASE("columnar: columns become rows, and rows columns") {
  std::mt19937 random(9);
  const row_layout of = layout();
  for (const std::int64_t rows : {0, 1, 7, 8, 9, 8191, 8192, 20001}) {
    const values expected = random_values(rows, random);
    arrow_owned<ArrowArray> batch;
    give(expected, *batch.get());
    host_buffer bytes;
    append_rows(of, *batch, "file", 0, bytes);
    append_rows(of, *batch, "file", 0, bytes);  // behind what is there
    auto places = places_of(of, std::as_const(bytes));
    REQUIRE(places.size() == 2 * static_cast<std::size_t>(rows));
    check_rows(of, {places.begin() + rows, places.end()}, expected);
    places.resize(static_cast<std::size_t>(rows));
    check_rows(of, places, expected);

    batch_maker again(rows);
    for (std::size_t i = 0; i < formats.size(); ++i)
      again.add_column(of, i, [&](std::int64_t row) { return places[static_cast<std::size_t>(row)]; });
    arrow_owned<ArrowArray> second;
    again.give(*second.get());
    host_buffer once;
    append_rows(of, *second, "file", 0, once);
    CHECK(places_of(of, once).size() == static_cast<std::size_t>(rows));
    CHECK((once.size() == 0 || std::memcmp(once.data(), bytes.data(), once.size()) == 0));
  }
}

// A dictionary, a part of a batch, and views.
TEST_CASE("columnar: dictionaries, offsets and views") {
  const std::array<std::int8_t, 4> indices{9, 1, 0, 1};
  const std::array<std::int32_t, 4> ends{0, 1, 1, 4};  // "a", "", "bcd"
  const char texts[] = "abcd";
  const std::uint8_t valid = 0b1011;
  std::array<const void*, 3> of_words{nullptr, ends.data(), texts};
  ArrowArray words{};
  words.length = 3;
  words.n_buffers = 3;
  words.buffers = of_words.data();
  std::array<const void*, 2> of_column{&valid, indices.data()};
  ArrowArray column{};
  column.length = 3;
  column.offset = 1;
  column.n_buffers = 2;
  column.buffers = of_column.data();
  column.dictionary = &words;
  ArrowArray* children[] = {&column};
  ArrowArray batch{};
  batch.length = 3;
  batch.n_children = 1;
  batch.children = children;
  arrow_column described{"w", type_of("u")};
  described.indices = "c";
  const row_layout of({described});
  host_buffer rows;
  append_rows(of, batch, "file", 0, rows);
  auto places = places_of(of, std::as_const(rows));
  REQUIRE(places.size() == 3);
  CHECK(of.text(places[0], 0) == "");
  CHECK(!of.is_null(places[0], 0));
  CHECK(of.is_null(places[1], 0));
  CHECK(of.text(places[2], 0) == "");
  column.offset = 0;  // now the first index is beyond the dictionary
  CHECK_THROWS_AS(append_rows(of, batch, "file", 0, rows), failure);

  const char far[] = "__a text of more than 12";
  struct view {
    std::int32_t length;
    char begin[12];
  };
  std::array<view, 2> views{{{3, "xyz"}, {22, ""}}};
  const std::array<std::int32_t, 2> where{0, 2};  // the first buffer, behind two bytes
  std::memcpy(views[1].begin + 4, where.data(), sizeof where);
  std::array<const void*, 3> of_views{nullptr, views.data(), far};
  ArrowArray view_column{};
  view_column.length = 2;
  view_column.n_buffers = 3;
  view_column.buffers = of_views.data();
  children[0] = &view_column;
  batch.length = 2;
  const row_layout of_texts({arrow_column{"v", type_of("vu")}});
  host_buffer more;
  append_rows(of_texts, batch, "file", 0, more);
  places = places_of(of_texts, std::as_const(more));
  REQUIRE(places.size() == 2);
  CHECK(of_texts.text(places[0], 0) == "xyz");
  CHECK(of_texts.text(places[1], 0) == "a text of more than 12");
}

TEST_CASE("columnar: schemas") {
  arrow_schema schema;
  const std::int32_t count = 1, lengths[] = {1, 2};
  std::string metadata(reinterpret_cast<const char*>(&count), 4);
  metadata.append(reinterpret_cast<const char*>(&lengths[0]), 4).append("k");
  metadata.append(reinterpret_cast<const char*>(&lengths[1]), 4).append("vv");
  schema.metadata = metadata;
  schema.columns.push_back({"a", type_of("tsu:UTC"), "", metadata});
  schema.columns.push_back({"b", type_of("l")});
  schema.columns.back().is_nullable = false;
  arrow_owned<ArrowSchema> made;
  make_arrow_schema(schema, *made.get());
  const arrow_schema again = read_arrow_schema(*made);
  REQUIRE(again.columns.size() == 2);
  CHECK(again.metadata == metadata);
  CHECK(again.columns[0].name == "a");
  CHECK(again.columns[0].type.format == "tsu:UTC");
  CHECK(again.columns[0].metadata == metadata);
  CHECK(again.columns[0].is_nullable);
  CHECK(!again.columns[1].is_nullable);
}

}  // namespace
}  // namespace columnar_units
