// SPDX-License-Identifier: Apache-2.0
#include "pictures/lettering.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

namespace ballot::app {
namespace {

// Strokes in a grid whose unit is a seventh of the height of a digit; y upwards from the base line.
//
//     L x y x y ...         a line through these points
//     O x y w h from to     a part of an ellipse around (x, y) with these half axes, in degrees,
//                           counterclockwise
struct glyph {
  char letter;
  double width;  // without the gap to the next one
  const char* strokes;
};

constexpr glyph glyphs[] = {
    {'0', 4, "O 2 3.5 2 3.5 0 360"},
    {'1', 2, "L 0 5.6 1.6 7 1.6 0"},
    {'2', 4, "O 2 5 2 2 165 -30 L 3.73 4 0 0 4 0"},
    {'3', 4, "L 0.3 7 3.8 7 1.8 4.2 O 1.8 2.1 2.2 2.1 90 -140"},
    {'4', 4.4, "L 3.3 0 3.3 7 0 2 4.4 2"},
    {'5', 4, "L 3.6 7 0.7 7 0.4 4 O 1.8 2.2 2.2 2.2 130 -140"},
    {'6', 4, "O 2 2.1 2 2.1 0 360 L 0.25 3.1 2.8 7"},
    {'7', 4, "L 0 7 4 7 1.2 0"},
    {'8', 4, "O 2 5.3 1.7 1.7 0 360 O 2 1.8 2 1.8 0 360"},
    {'9', 4, "O 2 4.9 2 2.1 0 360 L 3.75 3.9 1.2 0"},
    {'a', 3.6, "O 1.8 2.3 1.8 2.3 0 360 L 3.6 4.6 3.6 0"},
    {'b', 3.6, "O 1.8 2.3 1.8 2.3 0 360 L 0 7 0 0"},
    {'c', 3.2, "O 1.8 2.3 1.8 2.3 45 315"},
    {'d', 3.6, "O 1.8 2.3 1.8 2.3 0 360 L 3.6 7 3.6 0"},
    {'e', 3.6, "O 1.8 2.3 1.8 2.3 0 318 L 0 2.3 3.6 2.3"},
    {'f', 2.2, "O 2.2 5.4 1.3 1.6 90 180 L 0.9 5.4 0.9 0 L 0 4.4 2.1 4.4"},
    {'g', 3.6, "O 1.8 2.3 1.8 2.3 0 360 L 3.6 4.6 3.6 0 O 1.8 0 1.8 2.1 0 -150"},
    {'h', 3.4, "L 0 7 0 0 O 1.7 2.9 1.7 1.7 180 0 L 3.4 2.9 3.4 0"},
    {'i', 0.2, "L 0.1 4.5 0.1 0 L 0.1 6.4 0.1 6.5"},
    {'j', 1.2, "L 1 4.5 1 -0.8 O 0 -0.8 1 1.2 0 -90 L 1 6.4 1 6.5"},
    {'k', 3.2, "L 0 7 0 0 L 3 4.5 0 1.8 L 1.1 2.8 3.2 0"},
    {'l', 0.2, "L 0.1 7 0.1 0"},
    {'m', 5.6, "L 0 4.5 0 0 O 1.4 3.1 1.4 1.5 180 0 L 2.8 3.1 2.8 0 O 4.2 3.1 1.4 1.5 180 0 L 5.6 3.1 5.6 0"},
    {'n', 3.4, "L 0 4.5 0 0 O 1.7 2.9 1.7 1.7 180 0 L 3.4 2.9 3.4 0"},
    {'o', 3.6, "O 1.8 2.3 1.8 2.3 0 360"},
    {'p', 3.6, "O 1.8 2.3 1.8 2.3 0 360 L 0 4.6 0 -2.1"},
    {'q', 3.6, "O 1.8 2.3 1.8 2.3 0 360 L 3.6 4.6 3.6 -2.1"},
    {'r', 2, "L 0 4.5 0 0 O 1.8 2.6 1.8 2 180 85"},
    {'s', 3, "O 1.5 3.4 1.3 1.2 30 270 O 1.5 1.1 1.4 1.1 90 -150"},
    {'t', 2.2, "L 0.9 6.2 0.9 1.2 O 2.1 1.2 1.2 1.2 180 270 L 0 4.4 2.1 4.4"},
    {'u', 3.4, "L 0 4.5 0 1.7 O 1.7 1.7 1.7 1.7 180 360 L 3.4 4.5 3.4 0"},
    {'v', 3.4, "L 0 4.5 1.7 0 3.4 4.5"},
    {'w', 5, "L 0 4.5 1.25 0 2.5 4.3 3.75 0 5 4.5"},
    {'x', 3.2, "L 0 4.5 3.2 0 L 0 0 3.2 4.5"},
    {'y', 3.4, "L 0 4.5 1.8 0.2 L 3.4 4.5 0.9 -2.1"},
    {'z', 3.2, "L 0 4.5 3.2 4.5 0 0 3.2 0"},
    {',', 0.6, "L 0.5 0.2 0.1 -1.1"},
    {'.', 0.2, "L 0.1 0.1 0.1 0.15"},
    {':', 0.2, "L 0.1 0.4 0.1 0.45 L 0.1 3.9 0.1 3.95"},
    {'/', 3, "L 0 -1 3 7.4"},
    {'-', 2.4, "L 0 2.3 2.4 2.3"},
};
constexpr double units = 7, gap = 1.5, blank = 2.2, half_stroke = 0.42;

struct place {
  double x, y;
};

const glyph* glyph_of(char letter) {
  const auto* const found =
      std::find_if(std::begin(glyphs), std::end(glyphs), [&](const glyph& g) { return g.letter == letter; });
  return found == std::end(glyphs) ? nullptr : found;
}

double advance_of(char letter) {
  const glyph* const g = glyph_of(letter);
  return (g != nullptr ? g->width : blank) + gap;
}

// The polylines of a glyph, ellipses cut into pieces of some degrees.
std::vector<std::vector<place>> lines_of(const glyph& g) {
  std::vector<std::vector<place>> lines;
  const char* at = g.strokes;
  while (*at != '\0') {
    const char kind = *at++;
    std::vector<double> numbers;
    for (char* end = nullptr;; at = end) {
      const double number = std::strtod(at, &end);
      if (end == at) break;
      numbers.push_back(number);
    }
    while (*at == ' ') ++at;
    std::vector<place>& line = lines.emplace_back();
    if (kind == 'L') {
      for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) line.push_back({numbers[i], numbers[i + 1]});
      continue;
    }
    constexpr int pieces = 36;
    for (int i = 0; i <= pieces; ++i) {
      const double degrees = numbers[4] + (numbers[5] - numbers[4]) * i / pieces;
      const double angle = degrees * std::numbers::pi / 180;
      line.push_back({numbers[0] + numbers[2] * std::cos(angle), numbers[1] + numbers[3] * std::sin(angle)});
    }
  }
  return lines;
}

double distance(const place& p, const place& a, const place& b) {
  const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
  const double along = square > 0 ? std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - along * x, p.y - a.y - along * y);
}

}  // namespace

double width_of_text(std::string_view text, double height) {
  double width = text.empty() ? 0 : -gap;
  for (const char letter : text) width += advance_of(letter);
  return width * height / units;
}

void draw_text(image& on, std::string_view text, double left, double top, double height, const colour& ink) {
  const double unit = height / units, thick = std::max(half_stroke * unit, 0.5);
  for (const char letter : text) {
    if (const glyph* const g = glyph_of(letter)) {
      const auto lines = lines_of(*g);
      const int first_x = std::max(0, static_cast<int>(left - 2 * thick)),
                first_y = std::max(0, static_cast<int>(top - 2 * thick));
      const int last_x = std::min(on.size.width - 1, static_cast<int>(left + g->width * unit + 2 * thick) + 1);
      const int last_y = std::min(on.size.height - 1, static_cast<int>(top + (units + 2.5) * unit + 2 * thick) + 1);
      for (int y = first_y; y <= last_y; ++y) {
        for (int x = first_x; x <= last_x; ++x) {
          const place here{(x + 0.5 - left) / unit, units - (y + 0.5 - top) / unit};
          double nearest = 1e9;
          for (const auto& line : lines)
            for (std::size_t i = 1; i < line.size(); ++i)
              nearest = std::min(nearest, distance(here, line[i - 1], line[i]));
          const double cover = std::clamp(thick + 0.5 - nearest * unit, 0.0, 1.0);
          if (cover == 0) continue;
          colour& c = on.at(x, y);
          const auto mixed = [&](std::uint8_t old, std::uint8_t fresh) {
            return static_cast<std::uint8_t>(std::lround(old + (fresh - old) * cover));
          };
          c = {mixed(c.red, ink.red), mixed(c.green, ink.green), mixed(c.blue, ink.blue)};
        }
      }
    }
    left += advance_of(letter) * unit;
  }
}

}  // namespace ballot::app
