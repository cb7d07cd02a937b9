// SPDX-License-Identifier: Apache-2.0
// CSV with a header. Splitting is one pass over the text on all cores, which also checks it; a
// column is then taken out of the rows, on all cores too. Blank lines are dropped.
#include "base/failure.hpp"
#include "base/text.hpp"
#include "files/input_file.hpp"
#include "tables/csv_header.hpp"
#include "tables/field_ends.hpp"
#include "tables/field_places.hpp"
#include "tables/file_table.hpp"
#include "tables/split_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

class csv_table final : public text_table {
 public:
  csv_table(const std::string& name, csv_header header)
      : text_table(name, header.bytes.size(), lines_in(header.bytes)),
        header_(std::make_shared<const csv_header>(std::move(header))) {}
  csv_table(const csv_table& other, std::uint64_t line_ends_before)
      : text_table(other, line_ends_before), header_(other.header_) {}

  std::unique_ptr<file_table> without_rows(std::uint64_t line_ends_before) const override {
    return std::make_unique<csv_table>(*this, line_ends_before);
  }
  std::string header(std::uint64_t) const override {
    std::string header = header_->bytes;
    if (header_->has_names && !header.ends_with('\n')) header += line_end();
    return header;
  }
  std::string_view line_end() const override { return header_->line_end; }
  // The column is called count, or count2, count3, ... where there is one of that name.
  std::string counted_header(std::uint64_t) const override {
    std::string front = header(0);
    if (front.empty()) return front;
    std::string name = "count";
    for (int i = 2; std::find(columns().begin(), columns().end(), name) != columns().end(); ++i)
      name = fmt::format("count{}", i);
    front.resize(front.size() - line_end().size());
    return front + header_->delimiter + name + std::string(line_end());
  }
  void append_counted(std::span<const std::byte> row, std::uint64_t count, host_buffer& to) const override {
    to.append(std::as_bytes(std::span(without_line_end(row))));
    fmt::memory_buffer field;
    fmt::format_to(std::back_inserter(field), "{}{}{}", header_->delimiter, count, line_end());
    to.append(std::as_bytes(std::span(field.data(), field.size())));
  }

  void find_rows(bool is_end, batch_room& room) override {
    // Up to the last line end: the bytes after it may be half a record. A line end within quotes
    // may be inside a record.
    const std::string_view lines = is_end ? text() : complete_lines();
    if (open_ && open_->searched == lines.size() && !is_end) return;
    const bool is_piece = room.is_unlimited() && lines.size() <= text_at_once && found_ == 0 && !open_ && rows() == 0;
    if (is_piece && !remembered_.empty()) remember_rows(lines);
    const csv_reader reader(lines, header_->delimiter);
    if (!open_ && !split(lines, reader, room)) return;
    try {
      while (found_ < lines.size()) {
        if (!open_ && reader.is_blank_line(found_)) {
          found_ += lines[found_] == '\r' ? 2 : 1;
          add_blank_line();
        } else if (!take_record(reader, room)) {
          return;
        }
      }
    } catch (const csv_open_quote& problem) {
      if (is_end) throw_csv_error(place(problem.at()), problem.with_place(byte_in_line(text(), problem.at())));
      open_ = problem.search();
    } catch (const csv_error& problem) {
      throw_csv_error(place(problem.at()), problem);
    }
  }
  // Within quotes a line feed is no end. If the number of quotes is odd, the text ends within
  // quotes, or a field has a quote that means nothing.
  std::size_t end_of_last_row(std::string_view text, std::size_t quotes) const override {
    for (std::size_t end = text.size(), behind = 0; end != 0;) {  // quotes behind the line feed
      const std::size_t line_feed = text.rfind('\n', end - 1);
      if (line_feed == std::string_view::npos) break;
      const std::string_view passed = text.substr(line_feed + 1, end - line_feed - 1);
      if (quotes != 0) behind += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '"'));
      if ((quotes - behind) % 2 == 0) return line_feed + 1;
      end = line_feed;
    }
    return text_table::end_of_last_row(text, quotes);
  }
  void remember_fields(const std::vector<std::string>& columns) override {
    for (const std::string& name : columns)
      if (const auto index = header_->find(name))
        if (std::find(remembered_.begin(), remembered_.end(), *index) == remembered_.end())
          remembered_.push_back(*index);
    places_of_record_.resize(remembered_.size());
  }
  void expect_rows(std::uint64_t rows) override {
    text_table::expect_rows(rows);
    places_.reserve(static_cast<std::size_t>(rows) * remembered_.size());
  }
  void count_derived(const std::string& column, std::size_t bytes_a_byte) override {
    derived_.resize(columns().size());
    if (const auto found = header_->find(column)) derived_[*found] += bytes_a_byte;
  }
  std::string describe_open_rest() const override {
    if (!open_) return {};
    return fmt::format("; the quote that begins at {}, {}, is not closed by then", place(open_->field),
                       byte_in_line(text(), open_->field));
  }

  // Throws failure unless the other file has the same columns.
  void join(const file_table& other) override {
    const csv_header& theirs = *static_cast<const csv_table&>(other).header_;
    const auto [mine, other_one] =
        std::mismatch(header_->columns.begin(), header_->columns.end(), theirs.columns.begin(), theirs.columns.end());
    const bool is_mine_all = mine == header_->columns.end(), is_other_all = other_one == theirs.columns.end();
    if (is_mine_all && is_other_all) return;
    throw failure(fmt::format("{}: its header is not that of {}: column {} is {}, and {} there", other.name(), name(),
                              other_one - theirs.columns.begin() + 1, is_other_all ? "missing" : in_quotes(*other_one),
                              is_mine_all ? "missing" : in_quotes(*mine)));
  }

  bool has_column(std::string_view name) const override { return header_->find(name).has_value(); }
  std::string columns_in_words() const override { return header_->columns_in_words(); }
  std::vector<std::string> column_names() const override { return header_->columns; }

  table_column column(const std::string& name, const requested_type& requested) const override {
    return parse_column(fields_of(name), requested);
  }
  bool infers_types() const override { return true; }
  void infer_type(const std::string& name, type_inference& inference) const override { inference.add(fields_of(name)); }

 private:
  const std::vector<std::string>& columns() const { return header_->columns; }

  static std::uint64_t lines_in(const std::string& text) {
    return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  }

  // The bytes read, up to the last line end. Scans every byte once.
  std::string_view complete_lines() {
    const std::size_t line_end = text().substr(scanned_).rfind('\n');
    if (line_end != std::string_view::npos) lines_end_ = scanned_ + line_end + 1;
    scanned_ = text().size();
    return text().substr(0, lines_end_);
  }

  // Takes the records that all cores find; false where there is no room for the next. Errors are
  // left to the caller, which reports them.
  bool split(std::string_view lines, const csv_reader& reader, batch_room& room) {
    bool has_room = true;
    split_text<found_records>(
        lines, found_,
        [&](std::size_t at, std::size_t until, found_records& found) {
          if (add_plain_rows(lines.substr(at, until - at), at, found)) return until;
          try {
            while (at < until) {
              found_row row{at, at};
              if (reader.is_blank_line(at)) {
                row.is_blank = true;
                row.end = at + (lines[at] == '\r' ? 2 : 1);
              } else {
                std::size_t fields = 0;
                const std::size_t begin = at, places = found.places.size();
                found.places.resize(places + remembered_.size());
                row.end = reader.record(at, [&](const field_bytes& field) {
                  note_place(field, fields, lines.data() + begin, std::span(found.places).subspan(places));
                  row.copied += copied_of(field, fields++);
                  return true;
                });
                if (fields != columns().size()) break;
              }
              found.rows.push_back(row);
              at = row.end;
            }
          } catch (const csv_error&) {  // the places of what is no row are behind those of the rows
          }
          return at;
        },
        [&](const found_records& found) {
          const std::uint64_t before = rows();
          has_room = take_rows(found.rows, room);
          take_places(found.places, static_cast<std::size_t>(rows() - before));
          return has_room;
        });
    return has_room;
  }

  // The bytes of a field's copy: a column has the field without its doubled quotes.
  std::size_t copied_of(const field_bytes& field, std::size_t index) const {
    return (field.doubled ? bytes_of_a_copy + field.text.size() : 0) +
           (index < derived_.size() ? derived_[index] * field.text.size() : 0);
  }

  // Notes a field of the row that begins at `row`, if it is to be remembered.
  void note_place(const field_bytes& field, std::size_t index, const char* row, std::span<field_place> places) const {
    for (std::size_t i = 0; i < remembered_.size(); ++i)
      if (remembered_[i] == index)
        places[i] = {static_cast<std::size_t>(field.text.data() - row), field.text.size(), field.doubled};
  }
  void take_places(std::span<const field_place> places, std::size_t of_rows) {
    const auto taken = places.first(of_rows * remembered_.size());
    places_.insert(places_.end(), taken.begin(), taken.end());
  }

  // The record at found_ as a row; false where there is no room for it. A record that was left open
  // goes on where it was.
  bool take_record(const csv_reader& reader, batch_room& room) {
    const auto visit = [&](const field_bytes& field) {
      note_place(field, fields_, text().data() + found_, places_of_record_);
      copied_ += copied_of(field, fields_++);
      return true;
    };
    const std::size_t end = open_ ? reader.record(open_->field, visit, *open_) : reader.record(found_, visit);
    open_.reset();
    const std::size_t count = std::exchange(fields_, 0), copied = std::exchange(copied_, 0);
    if (count != columns().size())
      throw csv_error(found_,
                      fmt::format("{} field{}, the header has {}", count, count == 1 ? "" : "s", columns().size()));
    if (!room.take(end - found_ + copied)) return false;
    add_row(found_, end);
    take_places(places_of_record_, 1);
    found_ = end;
    return true;
  }

  // The fields of a text whose rows have all columns, and no blank line between them; false for
  // others.
  bool find_whole_rows(std::string_view lines, field_ends& ends) const {
    const std::size_t fields = columns().size();
    if (!find_field_ends(lines, header_->delimiter, ends) || ends.count != ends.line_feeds * fields) return false;
    // As many line feeds as rows: if there is one at the end of each row, there is none before.
    const std::uint32_t* const at = ends.places.data();
    for (std::size_t row = 0; row < ends.line_feeds; ++row)
      if (lines[at[(row + 1) * fields - 1]] != '\n') return false;
    // A blank line would be a row of one field.
    if (fields == 1)
      for (std::size_t row = 0, begin = 0; row < ends.line_feeds; begin = at[row++] + std::size_t{1})
        if (at[row] == begin || (at[row] == begin + 1 && lines[begin] == '\r')) return false;
    return true;
  }

  // The fast way for a text whose rows all have the expected fields and no blank line between them.
  // False for other texts. False, too, if fields have quotes and no column is remembered: then the
  // bytes of unquoted copies are not known.
  bool add_plain_rows(std::string_view lines, std::size_t begin, found_records& found) const {
    static thread_local field_ends ends;
    if (!derived_.empty() || !find_whole_rows(lines, ends) || (ends.has_quotes && remembered_.empty())) return false;
    const std::size_t fields = columns().size();
    found.rows.reserve(ends.line_feeds);
    for (std::size_t row = 0, at = begin; row < ends.line_feeds; ++row) {
      const std::size_t end = begin + ends.places[(row + 1) * fields - 1] + 1;
      found.rows.push_back({at, end});
      at = end;
    }
    add_places(lines, ends, fields, remembered_, found.places);
    if (!ends.has_quotes) return true;
    for (std::size_t i = 0; i < found.places.size(); ++i)
      if (const field_place& of = found.places[i]; of.doubled())
        found.rows[i / remembered_.size()].copied += bytes_of_a_copy + of.size();
    return true;
  }

  // Adds rows, and the places of the remembered fields, up to the first piece that
  // find_whole_rows() does not take. On this thread, without limits of room.
  void remember_rows(std::string_view lines) {
    static thread_local field_ends ends;
    const std::size_t fields = columns().size();
    while (found_ < lines.size()) {
      const std::size_t line_end = lines.find('\n', std::min(found_ + piece_of_text, lines.size() - 1));
      const std::string_view piece = lines.substr(found_, line_end + (line_end != std::string_view::npos) - found_);
      if (!find_whole_rows(piece, ends)) break;
      if (found_ == 0) expect_rows(ends.line_feeds * (lines.size() / piece.size() + 1));
      for (std::size_t row = 0, begin = found_; row < ends.line_feeds; ++row) {
        const std::size_t end = found_ + ends.places[(row + 1) * fields - 1] + 1;
        add_row(begin, end);
        begin = end;
      }
      add_places(piece, ends, fields, remembered_, places_);
      found_ += piece.size();
    }
  }

  field_bytes field_of(std::uint64_t row, std::size_t index) const {
    std::size_t at = 0;
    field_bytes result;
    // The reader gets the whole text, not only the row. So it can read whole words of memory up to
    // the row's end and beyond.
    csv_reader(text(), header_->delimiter).record(row_begin(row), [&](const field_bytes& field) {
      result = field;
      return at++ != index;
    });
    return header_->is_null(result.text) ? field_bytes{} : result;
  }

  column_fields fields_of(const std::string& name) const {
    const auto found = header_->find_only(name, this->name());
    if (!found) throw_no_column(name);
    const std::size_t index = *found;
    column_fields fields;
    fields.name = name;
    fields.rows = rows();
    const auto known = std::find(remembered_.begin(), remembered_.end(), index);
    if (known != remembered_.end())
      fields.field = [this, index, slot = static_cast<std::size_t>(known - remembered_.begin())](std::uint64_t row) {
        const auto found = places_[row * remembered_.size() + slot].in(text().data() + row_begin(row));
        if (!found) return field_of(row, index);
        return header_->is_null(found->text) ? field_bytes{} : *found;
      };
    else fields.field = [this, index](std::uint64_t row) { return field_of(row, index); };
    fields.file = this->name();
    fields.line = [this](std::uint64_t row) { return line_of_row(row); };
    fields.where = [this](std::uint64_t row) { return place_of_line(line_of_row(row)); };
    return fields;
  }

  static constexpr std::size_t bytes_of_a_copy = 64;  // of a field with doubled quotes, beside its characters

  std::shared_ptr<const csv_header> header_;
  std::vector<std::size_t> remembered_;      // columns
  bulk_vector<field_place> places_;          // of each row those of the remembered columns
  std::vector<std::size_t> derived_;         // bytes that each byte of a column needs beside it; empty: of none
  std::size_t scanned_ = 0, lines_end_ = 0;  // for line ends; behind the last one
  // Of the record at found_, as far as it has been read: the quoted field that it ends in so far,
  // and the fields before that.
  std::optional<csv_open_quote::place> open_;
  std::size_t fields_ = 0, copied_ = 0;
  std::vector<field_place> places_of_record_;
};

}  // namespace

std::unique_ptr<file_table> open_csv_header(const table_request& request, input_file& file, std::uint64_t longest) {
  return std::make_unique<csv_table>(file.name(), read_csv_header(request, file, longest));
}

}  // namespace ballot::app
