// SPDX-License-Identifier: Apache-2.0
#include "collision/mesh.hpp"

#include "base/failure.hpp"
#include "base/parse_number.hpp"
#include "collision/sphere.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ballot::app::collision {
namespace {

std::string_view shortened(std::string_view word) { return word.substr(0, 40); }

[[noreturn]] void throw_unusable(std::string_view coordinate, const std::string& where) {
  throw failure(
      fmt::format("{}: coordinate {}: finite ones up to {:g} can be used", where, coordinate, largest_coordinate));
}

// A number of OBJ, from 1, or from the end where negative, as an index.
std::uint32_t parse_corner(std::string_view word, std::size_t vertices, const std::string& where) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t number = 0;
  if (parse_number(digits, number) != number_error::none)
    throw failure(fmt::format("{}: '{}' is not a vertex of a face", where, shortened(word)));
  const auto count = static_cast<std::int64_t>(vertices);
  const std::int64_t index = number < 0 ? count + number : number - 1;
  if (number == 0 || index < 0 || index >= count)
    throw failure(fmt::format("{}: vertex {} of {} that are there so far", where, number, vertices));
  return static_cast<std::uint32_t>(index);
}

}  // namespace

float parse_coordinate(std::string_view word, const std::string& where) {
  float value = 0;
  const number_error error = parse_number(word, value);
  if (word.empty()) throw failure(fmt::format("{}: a coordinate is missing", where));
  if (error == number_error::not_a_number)
    throw failure(fmt::format("{}: '{}' is not a number", where, shortened(word)));
  if (error == number_error::out_of_range || !(std::abs(value) <= largest_coordinate))
    throw_unusable(shortened(word), where);
  return value;
}

float require_coordinate(double value, const std::string& where) {
  if (!(std::abs(value) <= static_cast<double>(largest_coordinate))) throw_unusable(fmt::format("{}", value), where);
  return static_cast<float>(value);
}

void add_polygon(mesh& to, const std::vector<std::uint32_t>& corners) {
  for (std::size_t i = 2; i < corners.size(); ++i) to.triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view blanks = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(word.size());
  return word;
}

std::string_view next_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

mesh read_obj(const std::string& name, std::string_view text) {
  mesh result;
  std::vector<std::uint32_t> corners;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    std::string_view line = next_line(text);
    const std::string_view keyword = next_word(line);
    if (keyword != "v" && keyword != "f") continue;
    const std::string where = fmt::format("{}:{}", name, number);
    if (line.ends_with('\\'))
      throw failure(fmt::format("{}: a line that continues on the next one is not read: join them", where));
    if (keyword == "v") {
      std::array<float, 3> at{};
      for (float& coordinate : at) coordinate = parse_coordinate(next_word(line), where);
      result.vertices.push_back(at);
    } else {
      corners.clear();
      for (std::string_view word = next_word(line); !word.empty(); word = next_word(line))
        corners.push_back(parse_corner(word, result.vertices.size(), where));
      if (corners.size() < 3) throw failure(fmt::format("{}: a face of {} vertices", where, corners.size()));
      add_polygon(result, corners);
    }
  }
  return result;
}

}  // namespace ballot::app::collision
