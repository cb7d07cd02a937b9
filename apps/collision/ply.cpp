// SPDX-License-Identifier: Apache-2.0
// PLY: a header in text that declares elements and their properties, then the elements, as text or
// as bytes. It takes the properties x, y, z of the element `vertex`, and the list vertex_indices
// (or vertex_index) of `face`. http://gamma.cs.unc.edu/POWERPLANT/papers/ply.pdf
#include "collision/mesh.hpp"

#include "base/failure.hpp"
#include "base/parse_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace ballot::app::collision {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes of a big-endian PLY are swapped");

enum class scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

struct property {
  std::string name;
  scalar type{};
  std::optional<scalar> length;  // of a list: the type of its length
};

struct element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<property> properties;
};

std::optional<scalar> scalar_named(std::string_view name) {
  constexpr std::pair<std::string_view, scalar> names[] = {
      {"char", scalar::i8},   {"int8", scalar::i8},     {"uchar", scalar::u8},   {"uint8", scalar::u8},
      {"short", scalar::i16}, {"int16", scalar::i16},   {"ushort", scalar::u16}, {"uint16", scalar::u16},
      {"int", scalar::i32},   {"int32", scalar::i32},   {"uint", scalar::u32},   {"uint32", scalar::u32},
      {"float", scalar::f32}, {"float32", scalar::f32}, {"double", scalar::f64}, {"float64", scalar::f64}};
  for (const auto& [known, type] : names)
    if (known == name) return type;
  return std::nullopt;
}

class ply_reader {
 public:
  ply_reader(const std::string& name, std::string_view bytes) : name_(name), rest_(bytes), size_(bytes.size()) {}

  mesh read() {
    read_header();
    mesh result;
    for (const element& e : elements_) {
      for (std::uint64_t i = 0; i < e.count; ++i) {
        element_ = &e;
        index_ = i;
        if (is_text_) {
          ++line_number_;
          if (rest_.empty()) throw failure(fmt::format("{}: the file ends before {} {}", where(), e.name, i));
          line_ = next_line(rest_);
        }
        if (e.name == "vertex") read_vertex(e, result);
        else if (e.name == "face") read_face(e, result);
        else
          for (const property& p : e.properties) skip(p);
      }
    }
    return result;
  }

 private:
  // The place that messages name: a line of text, else an element.
  std::string where() const {
    if (is_text_) return fmt::format("{}:{}", name_, line_number_);
    return fmt::format("{}: {} {}, byte {}", name_, element_->name, index_, size_ - rest_.size());
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw failure(fmt::format("{}:{}: {}", name_, line_number_, what));
  }

  std::string_view header_line() {
    if (rest_.empty()) refuse("the PLY header has no end_header");
    ++line_number_;
    return next_line(rest_);
  }

  void read_header() {
    if (header_line() != "ply") refuse("not a PLY file");
    for (bool has_format = false;;) {
      std::string_view line = header_line();
      const std::string_view keyword = next_word(line);
      if (keyword == "end_header") {
        if (!has_format) refuse("the PLY header gives no format");
        for (const element& e : elements_)
          if (e.properties.empty()) refuse(fmt::format("the element '{}' has no properties", e.name.substr(0, 40)));
        return;
      }
      if (keyword == "format") {
        const std::string_view format = next_word(line);
        is_text_ = format == "ascii";
        is_swapped_ = format == "binary_big_endian";
        if (!is_text_ && !is_swapped_ && format != "binary_little_endian")
          refuse(fmt::format("PLY format '{}': ascii, binary_little_endian and binary_big_endian are read",
                             format.substr(0, 40)));
        has_format = true;
      } else if (keyword == "element") {
        element e{std::string(next_word(line)), 0, {}};
        if (parse_number(next_word(line), e.count) != number_error::none) refuse("an element needs a name and a count");
        elements_.push_back(e);
      } else if (keyword == "property") {
        if (elements_.empty()) refuse("a property before any element");
        elements_.back().properties.push_back(parse_property(line));
      } else if (keyword != "comment" && keyword != "obj_info") {
        refuse(fmt::format("'{}' in a PLY header", keyword.substr(0, 40)));
      }
    }
  }

  property parse_property(std::string_view line) const {
    property p;
    const auto type_named = [&](std::string_view word) {
      const auto type = scalar_named(word);
      if (!type) refuse(fmt::format("unknown type '{}'", word.substr(0, 40)));
      return *type;
    };
    std::string_view word = next_word(line);
    if (word == "list") {
      p.length = type_named(next_word(line));
      if (*p.length == scalar::f32 || *p.length == scalar::f64) refuse("a list whose length is a float");
      word = next_word(line);
    }
    p.type = type_named(word);
    p.name = next_word(line);
    return p;
  }

  template <class T>
  double take_as() {
    if (rest_.size() < sizeof(T)) throw failure(where() + ": the file ends within it");
    T value;
    char bytes[sizeof(T)];
    std::memcpy(bytes, rest_.data(), sizeof(T));
    if (is_swapped_) std::reverse(bytes, bytes + sizeof(T));
    std::memcpy(&value, bytes, sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return static_cast<double>(value);
  }

  // The next scalar: of bytes exact in a double, of text as a double.
  double take(scalar type) {
    if (is_text_) {
      const std::string_view word = next_word(line_);
      double value = 0;
      if (word.empty()) throw failure(where() + ": a number is missing");
      const number_error error = parse_number(word, value);
      if (error != number_error::none)
        throw failure(fmt::format("{}: '{}' is {}", where(), word.substr(0, 40),
                                  error == number_error::out_of_range ? "too large" : "not a number"));
      return value;
    }
    switch (type) {
      case scalar::i8:
        return take_as<std::int8_t>();
      case scalar::u8:
        return take_as<std::uint8_t>();
      case scalar::i16:
        return take_as<std::int16_t>();
      case scalar::u16:
        return take_as<std::uint16_t>();
      case scalar::i32:
        return take_as<std::int32_t>();
      case scalar::u32:
        return take_as<std::uint32_t>();
      case scalar::f32:
        return take_as<float>();
      case scalar::f64:
        break;
    }
    return take_as<double>();
  }

  std::uint64_t take_length(const property& p) {
    const double length = take(*p.length);
    if (!(length >= 0) || length != std::floor(length) || length > 4e9)
      throw failure(fmt::format("{}: a list of length {}", where(), length));
    return static_cast<std::uint64_t>(length);
  }

  void skip(const property& p) {
    const std::uint64_t count = p.length ? take_length(p) : 1;
    for (std::uint64_t i = 0; i < count; ++i) take(p.type);
  }

  void read_vertex(const element& e, mesh& to) {
    std::array<float, 3> at{};
    unsigned seen = 0;
    for (const property& p : e.properties) {
      const bool is_coordinate = !p.length && p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z';
      if (!is_coordinate) {
        skip(p);
        continue;
      }
      const auto axis = static_cast<unsigned>(p.name[0] - 'x');
      at[axis] = is_text_ ? parse_coordinate(next_word(line_), where()) : require_coordinate(take(p.type), where());
      seen |= 1u << axis;
    }
    if (seen != 7) refuse("vertices without x, y and z");
    to.vertices.push_back(at);
  }

  void read_face(const element& e, mesh& to) {
    for (const property& p : e.properties) {
      if (!p.length || (p.name != "vertex_indices" && p.name != "vertex_index")) {
        skip(p);
        continue;
      }
      const std::uint64_t count = take_length(p);
      corners_.clear();
      for (std::uint64_t i = 0; i < count; ++i) {
        const double index = take(p.type);
        if (!(index >= 0) || index != std::floor(index) || index >= static_cast<double>(to.vertices.size()))
          throw failure(fmt::format("{}: vertex {} of {}, counted from 0", where(), index, to.vertices.size()));
        corners_.push_back(static_cast<std::uint32_t>(index));
      }
      if (count < 3) throw failure(fmt::format("{}: a face of {} vertices", where(), count));
      add_polygon(to, corners_);
    }
  }

  const std::string& name_;
  std::string_view rest_;
  std::size_t size_;
  bool is_text_ = true, is_swapped_ = false;
  std::vector<element> elements_;
  std::uint64_t line_number_ = 0;
  std::string_view line_;  // of text: the rest of it
  const element* element_ = nullptr;
  std::uint64_t index_ = 0;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

mesh read_ply(const std::string& name, std::string_view bytes) { return ply_reader(name, bytes).read(); }

}  // namespace ballot::app::collision
