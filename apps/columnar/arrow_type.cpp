// SPDX-License-Identifier: Apache-2.0
#include "columnar/arrow_type.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::pair<char, dtype> numbers[] = {
    {'c', dtype::i8},  {'C', dtype::u8},  {'s', dtype::i16}, {'S', dtype::u16}, {'i', dtype::i32},
    {'I', dtype::u32}, {'l', dtype::i64}, {'L', dtype::u64}, {'f', dtype::f32}, {'g', dtype::f64}};
constexpr std::pair<std::string_view, std::string_view> nested_names[] = {
    {"+l", "list"},   {"+L", "large_list"}, {"+vl", "list_view"}, {"+vL", "large_list_view"}, {"+w", "fixed_size_list"},
    {"+s", "struct"}, {"+m", "map"},        {"+u", "union"},      {"+r", "run_end_encoded"}};

std::string_view name_of_unit(char unit) { return unit == 's' ? "s" : unit == 'm' ? "ms" : unit == 'u' ? "us" : "ns"; }

// "P,S" or "P,S,BITS"; false where it is none.
bool take_decimal(std::string_view text, arrow_type& to) {
  int parts[3] = {0, 0, 128};
  int count = 0, at = 0, sign = 1;
  for (const char c : text) {
    if (c == ',') {
      parts[at] *= sign;
      if (++at == 3) return false;
      parts[at] = 0;
      sign = 1;
    } else if (c == '-') {
      sign = -1;
    } else if (c >= '0' && c <= '9' && parts[at] < 10000) {
      parts[at] = 10 * parts[at] + (c - '0');
      ++count;
    } else {
      return false;
    }
  }
  parts[at] *= sign;
  const int bits = parts[2];
  if (count == 0 || at == 0 || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) return false;
  to.precision = parts[0];
  to.scale = parts[1];
  to.item_bytes = static_cast<std::uint64_t>(bits / 8);
  return true;
}

void take_time(std::string_view format, arrow_type& to) {
  to.unit = format[2];
  switch (format[1]) {
    case 'd':
      to.kind = arrow_kind::date;
      to.number = to.unit == 'D' ? dtype::i32 : dtype::i64;
      break;
    case 't':
      to.kind = arrow_kind::time;
      to.number = to.unit == 's' || to.unit == 'm' ? dtype::i32 : dtype::i64;
      break;
    case 's':
      to.kind = arrow_kind::instant;
      to.number = dtype::i64;
      if (format.size() > 4) to.zone = format.substr(4);
      break;
    case 'D':
      to.kind = arrow_kind::duration;
      to.number = dtype::i64;
      break;
    default:
      to.kind = arrow_kind::interval;
      to.item_bytes = to.unit == 'M' ? 4 : to.unit == 'D' ? 8 : 16;
      return;
  }
  to.item_bytes = size_of(*to.number);
}

arrow_type type_of(std::string_view format) {
  arrow_type type;
  type.format = format;
  type.kind = arrow_kind::nested;  // what is not known here
  if (format.empty()) return type;
  for (const auto& [letter, number] : numbers)
    if (format.size() == 1 && format[0] == letter) {
      type.kind = arrow_kind::number;
      type.number = number;
      type.item_bytes = size_of(number);
      return type;
    }
  const bool is_view = format == "vu" || format == "vz";
  if (format == "n") {
    type.kind = arrow_kind::nothing;
  } else if (format == "b") {
    type.kind = arrow_kind::boolean;
    type.number = dtype::u8;
    type.item_bytes = 1;
  } else if (format == "e") {
    type.kind = arrow_kind::half;
    type.number = dtype::f32;
    type.item_bytes = 2;
  } else if (is_view || format == "u" || format == "U" || format == "z" || format == "Z") {
    const char letter = format.back();
    type.kind = letter == 'u' || letter == 'U' ? arrow_kind::text : arrow_kind::bytes;
    type.ends = is_view                          ? arrow_ends::views
                : letter == 'U' || letter == 'Z' ? arrow_ends::of_64_bits
                                                 : arrow_ends::of_32_bits;
    if (is_view) type.format = letter;
    type.item_bytes = sizeof(std::uint32_t);
  } else if (format.starts_with("w:")) {
    type.kind = arrow_kind::fixed_bytes;
    for (const char digit : format.substr(2))
      type.item_bytes = 10 * type.item_bytes + static_cast<std::uint64_t>(digit - '0');
  } else if (format.starts_with("d:") && take_decimal(format.substr(2), type)) {
    type.kind = arrow_kind::decimal;
  } else if (format[0] == 't' && format.size() >= 3) {
    take_time(format, type);
  }
  return type;
}

std::string metadata_of(const char* from) {
  if (from == nullptr) return {};
  const char* at = from;
  const auto take = [&] {
    std::int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  };
  for (std::int32_t left = 2 * take(); left > 0; --left) at += take();
  return {from, at};
}

std::string nested_words(const ArrowSchema& schema, int depth = 0) {
  const std::string_view format = schema.format;
  std::string text(format);
  for (const auto& [letters, name] : nested_names)
    if (format.starts_with(letters)) text = name;
  if (!format.starts_with('+')) return arrow_type_of(schema).in_words();
  if (depth == 3) return text + "<...>";
  text += '<';
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ", child.name != nullptr ? child.name : "",
                        nested_words(child, depth + 1));
  }
  return text + ">";
}

// The data that a schema made here owns.
struct made_schema {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> places;
};

void release_schema(ArrowSchema* schema) {
  const std::unique_ptr<made_schema> owned(static_cast<made_schema*>(schema->private_data));
  for (ArrowSchema& child : owned->children)
    if (child.release != nullptr) child.release(&child);
  schema->release = nullptr;
}

made_schema& begin_schema(ArrowSchema& to, std::string format, std::string name, std::string metadata) {
  auto made = std::make_unique<made_schema>();
  made->format = std::move(format);
  made->name = std::move(name);
  made->metadata = std::move(metadata);
  to = ArrowSchema{};
  to.format = made->format.c_str();
  to.name = made->name.c_str();
  to.metadata = made->metadata.empty() ? nullptr : made->metadata.data();
  to.release = release_schema;
  to.private_data = made.get();
  return *made.release();
}

}  // namespace

std::string arrow_type::in_words() const {
  const std::string in_zone = zone.empty() ? "" : ", " + zone;
  switch (kind) {
    case arrow_kind::nothing:
      return "null";
    case arrow_kind::boolean:
      return "bool";
    case arrow_kind::number:
      return std::string(name_of(*number));
    case arrow_kind::half:
      return "f16";
    case arrow_kind::decimal:
      return fmt::format("decimal{}({}, {})", 8 * item_bytes, precision, scale);
    case arrow_kind::text:
      return "text";
    case arrow_kind::bytes:
      return "bytes";
    case arrow_kind::fixed_bytes:
      return fmt::format("{} bytes", item_bytes);
    case arrow_kind::date:
      return unit == 'D' ? "date" : "date[ms]";
    case arrow_kind::time:
      return fmt::format("time[{}]", name_of_unit(unit));
    case arrow_kind::instant:
      return fmt::format("timestamp[{}{}]", name_of_unit(unit), in_zone);
    case arrow_kind::duration:
      return fmt::format("duration[{}]", name_of_unit(unit));
    case arrow_kind::interval:
      return "interval";
    case arrow_kind::nested:
      break;
  }
  return format;
}

arrow_type arrow_type_of(const ArrowSchema& schema) {
  return type_of(schema.dictionary != nullptr ? schema.dictionary->format : schema.format);
}

arrow_schema read_arrow_schema(const ArrowSchema& from) {
  arrow_schema schema;
  schema.metadata = metadata_of(from.metadata);
  for (std::int64_t i = 0; i < from.n_children; ++i) {
    const ArrowSchema& child = *from.children[i];
    arrow_column column;
    column.name = child.name != nullptr ? child.name : "";
    column.type = arrow_type_of(child);
    if (child.dictionary != nullptr) column.indices = child.format;
    column.metadata = metadata_of(child.metadata);
    column.is_nullable = (child.flags & arrow_flag_nullable) != 0;
    column.what = column.type.in_words();
    if (column.type.kind == arrow_kind::nested)
      column.what = nested_words(child.dictionary != nullptr ? *child.dictionary : child);
    schema.columns.push_back(std::move(column));
  }
  return schema;
}

void make_arrow_schema(const arrow_schema& from, ArrowSchema& to) {
  made_schema& made = begin_schema(to, "+s", "", from.metadata);
  made.children.resize(from.columns.size());
  for (std::size_t i = 0; i < from.columns.size(); ++i) {
    const arrow_column& column = from.columns[i];
    begin_schema(made.children[i], column.type.format, column.name, column.metadata);
    made.children[i].flags = column.is_nullable ? arrow_flag_nullable : 0;
    made.places.push_back(&made.children[i]);
  }
  to.n_children = static_cast<std::int64_t>(made.places.size());
  to.children = made.places.data();
}

std::string arrow_format_of(dtype type) {
  for (const auto& [letter, number] : numbers)
    if (number == type) return {letter};
  return {};
}

}  // namespace ballot::app
