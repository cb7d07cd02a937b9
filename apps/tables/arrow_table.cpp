// SPDX-License-Identifier: Apache-2.0
#include "tables/arrow_table.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "columnar/arrow_reader.hpp"
#include "tables/output_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace ballot::app {

arrow_table::arrow_table(std::string name, std::shared_ptr<const arrow_schema> schema,
                         const std::vector<std::size_t>& read, row_layout layout)
    : file_table(std::move(name), 0),
      schema_(std::move(schema)),
      places_(schema_->columns.size(), not_read),
      layout_(std::make_shared<row_layout>(std::move(layout))) {
  for (std::size_t i = 0; i < read.size(); ++i) places_[read[i]] = i;
}

arrow_table::arrow_table(const arrow_table& other, std::shared_ptr<const row_layout> layout)
    : file_table(other),
      schema_(other.schema_),
      places_(other.places_),
      layout_(std::move(layout)),
      derived_(other.derived_) {}

std::unique_ptr<file_table> arrow_table::without_rows(std::uint64_t) const {
  return std::unique_ptr<file_table>(new arrow_table(*this, layout_));
}

std::span<const std::byte> arrow_table::row(std::uint64_t i) const {
  if (!layout_->is_variable())
    return bytes_.bytes().subspan(static_cast<std::size_t>(i * layout_->fixed_bytes()),
                                  static_cast<std::size_t>(layout_->fixed_bytes()));
  const auto begin = static_cast<std::size_t>(begins_[i]);
  return bytes_.bytes().subspan(begin, layout_->length_of(bytes_.data() + begin));
}

void arrow_table::find_rows(bool, batch_room& room) {
  if (!layout_->is_variable()) {
    std::uint64_t copied = 0;
    for (const derived& d : derived_) copied += layout_->columns()[d.place].type.item_bytes * d.bytes_a_byte;
    fixed_rows_ += room.take_rows((bytes_.size() - found_) / layout_->fixed_bytes(), layout_->fixed_bytes() + copied);
    found_ = static_cast<std::size_t>(fixed_rows_ * layout_->fixed_bytes());
    return;
  }
  while (bytes_.size() - found_ >= layout_->fixed_bytes()) {
    const std::byte* const row = std::as_const(bytes_).data() + found_;
    const std::uint32_t length = layout_->length_of(row);
    if (length > bytes_.size() - found_) return;
    std::uint64_t copied = 0;
    for (const derived& d : derived_)
      copied += d.bytes_a_byte * (layout_->columns()[d.place].type.is_variable()
                                      ? layout_->text(row, d.place).size()
                                      : layout_->columns()[d.place].type.item_bytes);
    if (!room.take(length + copied)) return;
    begins_.push_back(found_);
    found_ += length;
  }
}

void arrow_table::count_derived(const std::string& column, std::size_t bytes_a_byte) {
  if (const auto found = find(column); found && places_[*found] != not_read)
    derived_.push_back({places_[*found], bytes_a_byte});
}

void arrow_table::join(const file_table& other) {
  const auto& theirs = static_cast<const arrow_table&>(other);
  const auto words = [](const arrow_schema& of) {
    std::vector<std::string> columns;
    for (const arrow_column& column : of.columns)
      columns.push_back(fmt::format("{}: {}", column.name, column.type.in_words()));
    return fmt::format("{}", fmt::join(columns, ", "));
  };
  const auto is_same = [](const arrow_column& a, const arrow_column& b) {
    return a.name == b.name && a.type.format == b.type.format;
  };
  if (!std::equal(schema_->columns.begin(), schema_->columns.end(), theirs.schema_->columns.begin(),
                  theirs.schema_->columns.end(), is_same))
    throw failure(fmt::format("{}: its columns are {}, and those of {} {}", other.name(), words(*theirs.schema_),
                              name(), words(*schema_)));
  std::vector<arrow_column> columns = layout_->columns();
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i].is_nullable = columns[i].is_nullable || theirs.layout_->columns()[i].is_nullable;
  layout_ = std::make_shared<row_layout>(std::move(columns));
}

std::optional<std::size_t> arrow_table::find(std::string_view name) const {
  const auto& columns = schema_->columns;
  const auto is_it = [&](const arrow_column& column) { return column.name == name; };
  const auto found = std::find_if(columns.begin(), columns.end(), is_it);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  std::size_t number = 0;
  if (!name.starts_with('#')) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number == 0 || number > columns.size())
    return std::nullopt;
  return number - 1;
}

std::size_t arrow_table::place_of(const std::string& name) const {
  const auto found = find(name);
  if (!found) throw_no_column(name);
  const auto& columns = schema_->columns;
  if (std::count_if(columns.begin(), columns.end(), [&](const arrow_column& c) { return c.name == name; }) > 1)
    throw usage_error(
        fmt::format("{}: there are two columns {}: use their numbers (#2)", this->name(), in_quotes(name)));
  if (places_[*found] == not_read)
    throw usage_error(fmt::format("{}: column {} was not read", this->name(), in_quotes(name)));
  return places_[*found];
}

std::vector<std::string> arrow_table::column_names() const {
  std::vector<std::string> names;
  for (const arrow_column& column : schema_->columns) names.push_back(column.name);
  return names;
}

std::string arrow_table::columns_in_words() const { return listed(column_names()); }

std::unique_ptr<file_table> arrow_table::counted_table() const {
  std::string name = "count";
  for (int i = 2; has_column(name); ++i) name = fmt::format("count{}", i);
  arrow_column count;
  count.name = name;
  count.type.kind = arrow_kind::number;
  count.type.format = arrow_format_of(dtype::u64);
  count.type.number = dtype::u64;
  count.type.item_bytes = sizeof(std::uint64_t);
  count.is_nullable = false;
  arrow_schema schema = *schema_;
  schema.columns.push_back(count);
  std::vector<arrow_column> columns = layout_->columns();
  columns.push_back(count);
  auto made = std::unique_ptr<arrow_table>(new arrow_table(*this, std::make_shared<row_layout>(std::move(columns))));
  made->schema_ = std::make_shared<arrow_schema>(std::move(schema));
  made->places_.push_back(layout_->columns().size());
  made->derived_.clear();
  return made;
}

void arrow_table::append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const {
  if (!counted_) counted_ = std::make_unique<row_layout>(static_cast<arrow_table&>(*counted_table()).layout());
  const row_layout& wider = *counted_;
  const std::size_t columns = layout_->columns().size(), before = to.size();
  const auto texts = row.subspan(static_cast<std::size_t>(layout_->fixed_bytes()));
  to.resize(before + static_cast<std::size_t>(wider.fixed_bytes()) + texts.size());
  std::byte* const made = to.data() + before;
  std::memset(made, 0, static_cast<std::size_t>(wider.fixed_bytes()));
  const auto moved = static_cast<std::uint32_t>(wider.fixed_bytes() - layout_->fixed_bytes());
  if (layout_->is_variable()) {
    const auto length = static_cast<std::uint32_t>(row.size()) + moved;
    std::memcpy(made, &length, sizeof length);
  }
  for (std::size_t i = 0; i < columns; ++i) {
    const arrow_type& type = layout_->columns()[i].type;
    if (layout_->is_null(row.data(), i)) wider.set_null(made, i);
    std::memcpy(made + wider.offset(i), row.data() + layout_->offset(i), static_cast<std::size_t>(type.item_bytes));
    if (!type.is_variable()) continue;
    const std::uint32_t end = row_layout::load<std::uint32_t>(row.data() + layout_->offset(i)) + moved;
    std::memcpy(made + wider.offset(i), &end, sizeof end);
  }
  std::memcpy(made + wider.offset(columns), &count, sizeof count);
  if (!texts.empty()) std::memcpy(made + wider.fixed_bytes(), texts.data(), texts.size());
}

namespace {

// The columns of the schema that are read. More than are needed do no harm.
std::vector<std::size_t> columns_to_read(const used_columns& used, const arrow_table& whole) {
  const auto& columns = whole.schema().columns;
  std::vector<bool> is_read(columns.size(), used.all);
  const auto read = [&](std::string_view name) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].name == name || name == fmt::format("#{}", i + 1)) is_read[i] = true;
  };
  for (const std::string& name : used.named) read(name);
  // A type or an order may follow.
  for (const std::string& text : used.of_keys)
    for (std::size_t end = text.size(); end != std::string::npos && end != 0; end = text.rfind(':', end - 1))
      read(std::string_view(text).substr(0, end));
  conversion_request written{};
  written.columns = used.written;
  if (!used.written.empty())
    for (const output_column& column : output_columns(written, whole)) read(column.name);
  if (used.of_keys.empty() && columns.size() == 1) is_read[0] = true;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!is_read[i]) continue;
    if (columns[i].type.kind == arrow_kind::nested || columns[i].type.kind == arrow_kind::interval)
      throw usage_error(fmt::format("{}: column {} is {}: such columns are not read: choose others by --columns",
                                    whole.name(), in_quotes(columns[i].name), columns[i].what));
    found.push_back(i);
  }
  return found;
}

}  // namespace

std::unique_ptr<file_table> open_arrow_table(const table_request& request, input_file& file, std::uint64_t memory) {
  const auto reader = std::make_shared<arrow_reader>(file, request.format == table_format::parquet, memory);
  const auto schema = std::make_shared<arrow_schema>(reader->schema());
  const std::vector<std::size_t> read =
      columns_to_read(request.used, arrow_table(reader->name(), schema, {}, row_layout()));
  const row_layout& layout = reader->choose(read);
  file.replace_rest([reader](std::span<std::byte> into) { return reader->read(into); }, reader->name());
  return std::make_unique<arrow_table>(reader->name(), schema, read, layout);
}

}  // namespace ballot::app
