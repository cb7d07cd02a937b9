// SPDX-License-Identifier: Apache-2.0
// Whole numbers and sizes on the command line.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "options/number_option.hpp"

#include <limits>
#include <string>

namespace {

using namespace ballot::app;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

std::string why_not(std::string_view text, const number_range& range = {}) {
  try {
    parse_whole_number("--n", text, range);
  } catch (const usage_error& problem) {
    return problem.what();
  }
  return "";
}

std::string why_no_size(std::string_view text, const number_range& range = {}) {
  try {
    parse_size("--n", text, range);
  } catch (const usage_error& problem) {
    return problem.what();
  }
  return "";
}

}  // namespace

TEST_CASE("whole numbers up to the last one") {
  CHECK(parse_whole_number("--n", "0") == 0);
  CHECK(parse_whole_number("--n", "007") == 7);
  CHECK(parse_whole_number("--n", "18446744073709551615") == largest);
  CHECK(parse_whole_number("--n", "9", {1, 9}) == 9);
  CHECK(why_not("18446744073709551616").ends_with("at most 18446744073709551615 is needed"));
  CHECK(why_not("10", {1, 9}) == "--n 10: a whole number of at most 9 is needed");
  CHECK(why_not("0", {1, 9}) == "--n 0: a whole number of at least 1 is needed");
  CHECK(why_not("-1", {1, 9}) == "--n -1: a whole number of at least 1 is needed");
  CHECK(why_not("-18446744073709551615") == "--n -18446744073709551615: a whole number of at least 0 is needed");
  for (const char* text : {"", "-", "+1", "1 ", " 1", "1k", "1.0", "1e3", "0x1", "--1", "one"})
    CHECK(why_not(text) == "--n " + std::string(text) + ": not a whole number");
}

TEST_CASE("sizes") {
  CHECK(parse_size("--n", "5") == 5);
  CHECK(parse_size("--n", "5b") == 5);
  for (const char* text : {"3k", "3K", "3kB", "3Ki", "3KiB"}) CHECK(parse_size("--n", text) == 3072);
  CHECK(parse_size("--n", "2m") == std::uint64_t{2} << 20);
  CHECK(parse_size("--n", "2G") == std::uint64_t{2} << 30);
  CHECK(parse_size("--n", "2T") == std::uint64_t{2} << 40);
  CHECK(parse_size("--n", "2P") == std::uint64_t{2} << 50);
  CHECK(parse_size("--n", "15E") == std::uint64_t{15} << 60);
  CHECK(why_no_size("16E").ends_with("at most 18446744073709551615 is needed"));
  CHECK(why_no_size("17179869184G").ends_with("at most 18446744073709551615 is needed"));
  CHECK(why_no_size("2K", {1, 2047}).ends_with("at most 2047 is needed"));
  CHECK(why_no_size("1K", {1025, 4096}).ends_with("at least 1025 is needed"));
  CHECK(why_no_size("-1K").ends_with("at least 0 is needed"));
  for (const char* text : {"", "K", "-", "1.5G", "1 K", "1KK", "1Kx", "1x", "+1K"})
    CHECK(why_no_size(text).starts_with("--n " + std::string(text) + ": not a size: "));
}
