// Lines of a text. As lines they are compared by bytes, whole, and an empty one is a row like others; as numbers they
// are a column "value", and blank ones are no rows.
#include "common/failure.hpp"
#include "common/input_file.hpp"
#include "common/table/table.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

class lines_table final : public table {
 public:
  lines_table(input_file file, bool are_numbers, std::optional<dtype> type)
      : name_(file.name()), bytes_(read_rest(file)), are_numbers_(are_numbers), type_(type) {
    std::size_t at = are_numbers && text().starts_with("\xef\xbb\xbf") ? 3 : 0;
    front_ = text().substr(0, at);
    while (at < text().size()) {
      const void* const found = std::memchr(text().data() + at, '\n', text().size() - at);
      const std::size_t end = found == nullptr
                                  ? text().size()
                                  : static_cast<std::size_t>(static_cast<const char*>(found) - text().data()) + 1;
      const std::string_view line = text().substr(at, end - at);
      if (are_numbers && line.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        ++blank_lines_;
      } else {
        lines_.push_back(line);
      }
      at = end;
    }
    line_end_ = !lines_.empty() && lines_.front().ends_with("\r\n") ? "\r\n" : "\n";
  }

  const std::string& name() const override { return name_; }
  std::uint64_t rows() const override { return lines_.size(); }
  std::uint64_t bytes() const override { return bytes_.size(); }
  std::span<const std::byte> row(std::uint64_t i) const override { return std::as_bytes(std::span(lines_[i])); }
  std::string front(std::uint64_t) const override { return std::string(front_); }
  std::string_view line_end() const override { return line_end_; }
  std::uint64_t blank_lines() const override { return blank_lines_; }

  bool has_column(std::string_view name) const override { return name == only_column(); }
  std::string columns_in_words() const override { return only_column(); }
  std::string only_column() const override { return are_numbers_ ? "value" : "line"; }

  table_column column(const std::string& name, const column_wish& wish) const override {
    if (!has_column(name)) throw_no_column(name);
    fields_of_column fields;
    fields.name = name;
    fields.rows = rows();
    fields.field = [this](std::uint64_t row) {
      std::string_view line = lines_[row];
      if (line.ends_with('\n')) line.remove_suffix(1);
      return field_bytes{line};
    };
    fields.place = [this](std::uint64_t row) {
      const auto before = static_cast<std::size_t>(lines_[row].data() - text().data());
      std::size_t line = 1;
      for (const char c : text().substr(0, before)) line += c == '\n';
      return fmt::format("{}:{}", name_, line);
    };
    column_wish meant = wish;
    if (!wish.as_text && !wish.type) {
      if (are_numbers_) meant.type = type_.value_or(dtype::i64);
      else meant.as_text = true;
    }
    table_column column = column_of_fields(fields, meant);
    if (column.is_text) column.empty.clear();  // an empty line has its place in the order of bytes
    return column;
  }

 private:
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()}; }

  std::string name_;
  host_buffer bytes_;
  bool are_numbers_;
  std::optional<dtype> type_;
  std::string_view front_;
  std::vector<std::string_view> lines_;
  std::string_view line_end_;
  std::uint64_t blank_lines_ = 0;
};

}  // namespace

std::unique_ptr<table> open_lines_table(const table_request& request) {
  return std::make_unique<lines_table>(input_file(request.path), request.format == table_format::text, request.type);
}

}  // namespace ballot::app
