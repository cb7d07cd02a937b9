// SPDX-License-Identifier: Apache-2.0
// Rows selected piece by piece, with pieces of some rows, against the same of the whole table.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "engines/engine.hpp"
#include "table_select/select_in_pieces.hpp"
#include "table_select/select_rows.hpp"
#include "tables/joined_files.hpp"
#include "tables/table_batches.hpp"
#include "temporary_folder.hpp"

#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ballot::app;

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

struct outcome {
  std::string rows;
  std::vector<std::uint64_t> numbers;
  std::uint64_t count = 0, blank_lines = 0, bytes = 0;
  std::vector<std::string> types;
};

std::vector<std::string> in_words(const std::vector<column_type>& types) {
  std::vector<std::string> words;
  for (const column_type& type : types)
    words.push_back(
        type.in_words() + (type.is_mixed ? ", mixed" : "") +
        (type.decided_by ? " by " + type.decided_by->text + " in line " + std::to_string(type.decided_by->line) : ""));
  return words;
}

outcome of_whole_table(const table_request& request, const row_condition& where, bool invert) {
  phase_clock clock;
  const auto cpu = make_cpu_engine();
  const opened_table opened = open_table_files(request, unlimited, unlimited);
  const auto all = read_table(*opened.header, *opened.file, clock);
  row_selection wanted;
  wanted.where = &where;
  wanted.invert = invert;
  std::vector<column_type> types;
  const host_buffer chosen = select_rows(*all, wanted, *cpu, clock, &types);
  outcome found;
  for (const std::uint64_t row : chosen.as<std::uint64_t>()) found.numbers.push_back(row);
  write_batches(*all, std::as_const(chosen).as<std::uint64_t>(), 1000, [&](const written_batch& batch) {
    found.rows.append(reinterpret_cast<const char*>(batch.bytes.data()), batch.bytes.size());
  });
  found.count = all->rows();
  found.blank_lines = all->blank_lines();
  found.bytes = all->bytes();
  found.types = in_words(types);
  return found;
}

std::optional<outcome> in_pieces(const table_request& request, const row_condition& where, bool invert,
                                 std::size_t piece_bytes) {
  phase_clock clock;
  const opened_table opened = open_table_files(request, unlimited, unlimited);
  REQUIRE(can_select_in_pieces(*opened.header, *opened.file));
  const std::uint64_t place = opened.file->position();
  piecewise_selection wanted{&where, invert, true, true, true, piece_bytes};
  outcome found;
  const auto selected = select_in_pieces(
      *opened.header, *opened.file, wanted, [&] { found = {}; },
      [&](std::span<const std::byte> rows, std::span<const std::uint64_t> numbers) {
        found.rows.append(reinterpret_cast<const char*>(rows.data()), rows.size());
        found.numbers.insert(found.numbers.end(), numbers.begin(), numbers.end());
      },
      clock);
  if (!selected) {
    CHECK(opened.file->position() == place);
    return std::nullopt;
  }
  CHECK(selected->selected == found.numbers.size());
  found.count = selected->rows;
  found.blank_lines = selected->blank_lines;
  found.bytes = selected->bytes;
  found.types = in_words(selected->types);
  return found;
}

void check_same(const outcome& pieces, const outcome& whole) {
  CHECK(pieces.rows == whole.rows);
  CHECK(pieces.numbers == whole.numbers);
  CHECK(pieces.count == whole.count);
  CHECK(pieces.blank_lines == whole.blank_lines);
  CHECK(pieces.bytes == whole.bytes);
  CHECK(pieces.types == whole.types);
}

class written_file {
 public:
  explicit written_file(const std::string& text) : path_(folder_ / "rows.txt") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  table_request as(table_format format) const { return {path_, format}; }

 private:
  temporary_folder folder_;
  std::string path_;
};

std::string random_csv(std::mt19937& random, bool may_have_line_feeds) {
  const bool has_quotes = random() % 2 == 0, has_blank_lines = random() % 4 == 0;
  const std::string line_end = random() % 2 == 0 ? "\n" : "\r\n";
  std::string text = "k,s,x" + line_end;
  const std::size_t rows = random() % 300;
  for (std::size_t row = 0; row < rows; ++row) {
    if (has_blank_lines && random() % 8 == 0) text += line_end;
    const auto k = static_cast<int>(random() % 1000) - 500;
    text += random() % 9 == 0 && row > 20 ? "" : std::to_string(k);
    std::string s(random() % 20, 'a');
    for (char& c : s) c = static_cast<char>('a' + random() % 4);
    if (has_quotes && random() % 3 == 0) {
      if (may_have_line_feeds) s += random() % 4 == 0 ? "\n" : "";
      s = "\"" + s + (random() % 3 == 0 ? "\"\"," : "") + "\"";
    } else if (random() % 40 == 0) {
      s = "b\"";  // a quote that means nothing
    }
    text += "," + s + "," + std::to_string(k * 0.25) + line_end;
  }
  if (random() % 3 == 0) text.resize(text.size() - line_end.size());
  return text;
}

}  // namespace

TEST_CASE("rows selected in pieces are those of the whole table") {
  std::mt19937 random(7);
  std::vector<row_condition> conditions;
  for (const char* text : {"k > 0", "s contains 'b' and x < 50", "text(k) starts with '1' or isempty(k)", "#2 >= 'b'",
                           "1 < 2", "k:i32 % 2 == 0"})
    conditions.push_back(parse_row_condition(text));
  int done = 0, left = 0;
  for (int round = 0; round < 300; ++round) {
    const written_file file(random_csv(random, round % 2 == 0));
    const table_request request = file.as(table_format::csv);
    for (const row_condition& where : conditions) {
      const bool invert = random() % 2 == 0;
      const std::size_t piece_bytes = 1 + random() % 400;
      const auto pieces = in_pieces(request, where, invert, piece_bytes);
      ++(pieces ? done : left);
      if (pieces) check_same(*pieces, of_whole_table(request, where, invert));
    }
  }
  // Left to others are texts whose first piece has no number yet, or is all of a row within quotes.
  CHECK(done > 3 * left);
}

TEST_CASE("lines and JSON Lines in pieces") {
  std::mt19937 random(8);
  std::string lines, objects;
  for (int i = 0; i < 500; ++i) {
    const std::string k = std::to_string(random() % 1000);
    lines += random() % 5 == 0 ? "\n" : "line " + k + "\n";
    objects += random() % 9 == 0 ? "\n" : R"({"k":)" + k + R"(,"s":"a\n)" + k + "\"}\n";
  }
  const written_file text(lines + "the last"), json(objects);
  for (const std::size_t piece_bytes : {30, 100, 1000, 100000}) {
    const row_condition of_line = parse_row_condition("line contains '7' or line starts with 'the'");
    const auto kept = in_pieces(text.as(table_format::lines), of_line, false, piece_bytes);
    REQUIRE(kept);
    check_same(*kept, of_whole_table(text.as(table_format::lines), of_line, false));
    const row_condition of_member = parse_row_condition("k > 500 and s ends with '7'");
    const auto found = in_pieces(json.as(table_format::json_lines), of_member, true, piece_bytes);
    REQUIRE(found);
    check_same(*found, of_whole_table(json.as(table_format::json_lines), of_member, true));
  }
}

TEST_CASE("types that the first piece does not tell") {
  const row_condition where = parse_row_condition("k > 1");
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += "1,a\n2,b\n";
  const auto last = [&](const std::string& row) { return written_file("k,s\n" + rows + row + "\n"); };
  // A larger first piece has it all.
  for (const char* row : {"0.5,c", "18446744073709551615,c", "-1,c"}) {
    const written_file file = last(row);
    for (const std::size_t piece_bytes : {16, 40}) {
      const auto found = in_pieces(file.as(table_format::csv), where, false, piece_bytes);
      REQUIRE(found);
      check_same(*found, of_whole_table(file.as(table_format::csv), where, false));
    }
    // Or not.
    if (row[0] != '-') CHECK_FALSE(in_pieces(file.as(table_format::csv), where, false, 4));
  }
  // A string of JSON is no number, even if it reads like one.
  std::string objects;
  for (int i = 0; i < 500; ++i) objects += "{\"k\":1}\n";
  const written_file numbers(objects + "{\"k\":9}\n"), mixed(objects + "{\"k\":\"9\"}\n");
  REQUIRE(in_pieces(numbers.as(table_format::json_lines), where, false, 10));
  CHECK_FALSE(in_pieces(mixed.as(table_format::json_lines), where, false, 10));
  // Errors are left to the caller, which reports them.
  for (const char* row : {"word,c", "1,c,d", "1", "1,\"c"})
    CHECK_FALSE(in_pieces(last(row).as(table_format::csv), where, false, 40));
  std::string without = "k,s\n";
  for (int i = 0; i < 600; ++i) without += ",a\n";
  CHECK_FALSE(in_pieces(written_file(without).as(table_format::csv), where, false, 16));
}

TEST_CASE("texts that turn out to hold numbers, too") {
  std::string rows = "k,s\n";
  for (int i = 0; i < 100; ++i) rows += "word,a\n";
  const written_file file(rows + "12,b\n");
  const row_condition where = parse_row_condition("k != 'word'");
  const auto found = in_pieces(file.as(table_format::csv), where, false, 50);
  REQUIRE(found);
  CHECK(found->types == std::vector<std::string>{"text, mixed by word in line 2"});
  check_same(*found, of_whole_table(file.as(table_format::csv), where, false));
}
