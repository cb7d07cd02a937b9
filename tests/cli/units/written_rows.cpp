// SPDX-License-Identifier: Apache-2.0
// --verify of a sorted table looks at the bytes that are written: each of these is wrong in one
// way.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "table_sort/written_rows_check.hpp"
#include "tables/joined_files.hpp"
#include "tables/table_batches.hpp"
#include "temporary_folder.hpp"

#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace ballot::app::test_written_rows {
namespace {

struct csv_file {
  explicit csv_file(const std::string& text) : path(folder / "in.csv") {
    std::ofstream(path, std::ios::binary) << text;
    opened = open_table_files({path, table_format::csv}, most, most);
    phase_clock clock;
    rows = read_table(*opened.header, *opened.file, clock);
  }
  static constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  temporary_folder folder;
  std::string path;
  opened_table opened;
  std::unique_ptr<table> rows;
};

std::string problem_of(const csv_file& file, const std::string& by, std::initializer_list<const char*> written,
                       const std::vector<std::uint64_t>& chosen, bool unique = false) {
  written_rows_check check(*file.opened.header, {parse_sort_key(by, *file.rows, direction::ascending)}, unique);
  try {
    for (const std::string rows : written) check.add(std::as_bytes(std::span(rows)));
    check.require_rows(*file.rows, chosen);
  } catch (const verification_failure& problem) {
    return problem.what();
  }
  return "";
}

TEST_CASE("rows as they are written") {
  const csv_file file("k,day\n1,03.02.2024\n2,01.03.2023\n3,05.01.2025");
  for (const char* by : {"k:i64", "k:i64:desc"}) {
    const bool is_up = std::string(by) == "k:i64";
    CHECK(problem_of(file, by, {"1,03.02.2024\n2,01.03.2023\n", "3,05.01.2025\n"}, {0, 1, 2}).empty() == is_up);
    CHECK(problem_of(file, by, {"3,05.01.2025\n", "2,01.03.2023\n1,03.02.2024\n"}, {2, 1, 0}).empty() == !is_up);
  }
  const auto say = [&](std::initializer_list<const char*> written) {
    return problem_of(file, "k:i64", written, {0, 1, 2});
  };
  CHECK(say({"2,01.03.2023\n1,03.02.2024\n3,05.01.2025\n"}) ==
        "verification failed: written row 1 belongs before its predecessor");
  CHECK(say({"2,01.03.2023\n", "1,03.02.2024\n3,05.01.2025\n"}) ==
        "verification failed: written row 1 belongs before its predecessor");
  CHECK(say({"1,03.02.2024\n2,01.03.2023\n"}) == "verification failed: 2 rows are written, not 3");
  CHECK(say({"1,03.02.2024\n2,02.03.2023\n3,05.01.2025\n"}) ==
        "verification failed: the written rows are not those of the input");
  CHECK(say({"1,03.02.2024\n2,\"01.03.2023\n3,05.01.2025\n"})
            .starts_with("verification failed: the written rows cannot be read"));
}

TEST_CASE("keys that are made of fields are made of the written ones") {
  const csv_file file("k,day\n1,03.02.2024\n2,01.03.2023\n3,05.01.2025\n");
  const std::string by = "day:date(%d.%m.%Y)";
  CHECK(problem_of(file, by, {"2,01.03.2023\n1,03.02.2024\n3,05.01.2025\n"}, {1, 0, 2}) == "");
  CHECK(problem_of(file, by, {"2,01.03.2023\n3,05.01.2025\n1,03.02.2024\n"}, {1, 2, 0}) ==
        "verification failed: written row 2 belongs before its predecessor");
}

TEST_CASE("rows with equal keys, where there may be none") {
  const csv_file file("k,s\n1,a\n1,b\n");
  CHECK(problem_of(file, "k:i64", {"1,a\n1,b\n"}, {0, 1}) == "");
  CHECK(problem_of(file, "k:i64", {"1,a\n1,b\n"}, {0, 1}, true) ==
        "verification failed: written row 1 equals its predecessor");
}

}  // namespace
}  // namespace ballot::app::test_written_rows
