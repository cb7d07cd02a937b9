// SPDX-License-Identifier: Apache-2.0
#include "columnar/row_layout.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ballot::app {
namespace {

constexpr std::int64_t rows_of_part = 1 << 13;
constexpr std::uint64_t longest_row = std::numeric_limits<std::int32_t>::max();

template <class T>
T item(const void* from, std::int64_t at) {
  return row_layout::load<T>(static_cast<const std::byte*>(from) + static_cast<std::size_t>(at) * sizeof(T));
}

bool bit(const void* from, std::int64_t at) {
  return (std::to_integer<unsigned>(static_cast<const std::byte*>(from)[at / 8]) >> at % 8 & 1u) != 0;
}

bool is_valid(const ArrowArray& array, std::int64_t at) {
  return array.n_buffers == 0 || array.buffers[0] == nullptr || bit(array.buffers[0], at);
}

std::int64_t index_at(std::string_view format, const void* indices, std::int64_t at) {
  switch (format.front()) {
    case 'c':
      return item<std::int8_t>(indices, at);
    case 'C':
      return item<std::uint8_t>(indices, at);
    case 's':
      return item<std::int16_t>(indices, at);
    case 'S':
      return item<std::uint16_t>(indices, at);
    case 'i':
      return item<std::int32_t>(indices, at);
    case 'I':
      return item<std::uint32_t>(indices, at);
    default:
      return item<std::int64_t>(indices, at);
  }
}

// A column of a batch: where the value of a row is.
class column_view {
 public:
  column_view(const arrow_column& column, const ArrowArray& array, std::int64_t offset)
      : column_(column), array_(array), offset_(offset + array.offset) {}

  static constexpr std::int64_t null = -1;
  const ArrowArray& values() const { return array_.dictionary != nullptr ? *array_.dictionary : array_; }
  // The place of a row's value in values(), or null.
  std::int64_t place(std::int64_t row) const {
    const std::int64_t at = offset_ + row;
    if (column_.type.kind == arrow_kind::nothing || !is_valid(array_, at)) return null;
    if (array_.dictionary == nullptr) return at;
    const ArrowArray& words = *array_.dictionary;
    const std::int64_t word = index_at(column_.indices, array_.buffers[1], at);
    if (word < 0 || word >= words.length) throw failure("an index is beyond the dictionary");
    return is_valid(words, words.offset + word) ? words.offset + word : null;
  }
  std::string_view text(std::int64_t place) const {
    const ArrowArray& from = values();
    const void* const ends = from.buffers[1];
    const auto* const bytes = static_cast<const char*>(from.buffers[2]);
    if (column_.type.ends == arrow_ends::of_32_bits) {
      const auto begin = item<std::int32_t>(ends, place), end = item<std::int32_t>(ends, place + 1);
      return {bytes + begin, static_cast<std::size_t>(end - begin)};
    }
    if (column_.type.ends == arrow_ends::of_64_bits) {
      const auto begin = item<std::int64_t>(ends, place), end = item<std::int64_t>(ends, place + 1);
      return {bytes + begin, static_cast<std::size_t>(end - begin)};
    }
    struct view {
      std::int32_t length;
      char begin[4];
      std::int32_t buffer, offset;
    };
    const auto* const at = static_cast<const char*>(ends) + static_cast<std::size_t>(place) * sizeof(view);
    const auto found = row_layout::load<view>(reinterpret_cast<const std::byte*>(at));
    constexpr std::int32_t longest_inline = 12;
    if (found.length <= longest_inline) return {at + 4, static_cast<std::size_t>(found.length)};
    return {static_cast<const char*>(from.buffers[2 + found.buffer]) + found.offset,
            static_cast<std::size_t>(found.length)};
  }

 private:
  const arrow_column& column_;
  const ArrowArray& array_;
  std::int64_t offset_;
};

// One column of rows whose beginnings are known. `ends`: of the rows so far, for texts.
class column_writer {
 public:
  column_writer(const row_layout& layout, std::size_t column, const column_view& from)
      : layout_(layout), column_(column), from_(from) {}

  void write(std::int64_t first, std::int64_t last, std::byte* const* rows, std::uint32_t* ends) const {
    const arrow_type& type = layout_.columns()[column_].type;
    if (type.is_variable()) return write_texts(first, last, rows, ends);
    const void* const values = type.kind == arrow_kind::nothing ? nullptr : from_.values().buffers[1];
    if (type.kind == arrow_kind::boolean)
      return each(first, last, rows, [&](std::int64_t place, std::byte* to) { *to = std::byte{bit(values, place)}; });
    switch (type.item_bytes) {
      case 1:
        return write_items<1>(first, last, rows, values);
      case 2:
        return write_items<2>(first, last, rows, values);
      case 4:
        return write_items<4>(first, last, rows, values);
      case 8:
        return write_items<8>(first, last, rows, values);
      default:
        break;
    }
    const auto bytes = static_cast<std::size_t>(type.item_bytes);
    each(first, last, rows, [&](std::int64_t place, std::byte* to) {
      if (bytes != 0)
        std::memcpy(to, static_cast<const std::byte*>(values) + static_cast<std::size_t>(place) * bytes, bytes);
    });
  }

 private:
  template <class F>
  void each(std::int64_t first, std::int64_t last, std::byte* const* rows, const F& f) const {
    const std::uint64_t offset = layout_.offset(column_);
    for (std::int64_t row = first; row < last; ++row) {
      std::byte* const to = rows[row - first];
      const std::int64_t place = from_.place(row);
      if (place == column_view::null) layout_.set_null(to, column_);
      else f(place, to + offset);
    }
  }
  template <std::size_t Bytes>
  void write_items(std::int64_t first, std::int64_t last, std::byte* const* rows, const void* values) const {
    each(first, last, rows, [&](std::int64_t place, std::byte* to) {
      std::memcpy(to, static_cast<const std::byte*>(values) + static_cast<std::size_t>(place) * Bytes, Bytes);
    });
  }
  void write_texts(std::int64_t first, std::int64_t last, std::byte* const* rows, std::uint32_t* ends) const {
    for (std::int64_t row = first; row < last; ++row) {
      std::byte* const to = rows[row - first];
      std::uint32_t& end = ends[row - first];
      if (const std::int64_t place = from_.place(row); place == column_view::null) {
        layout_.set_null(to, column_);
      } else {
        const std::string_view text = from_.text(place);
        if (!text.empty()) std::memcpy(to + end, text.data(), text.size());
        end += static_cast<std::uint32_t>(text.size());
      }
      std::memcpy(to + layout_.offset(column_), &end, sizeof end);
    }
  }

  const row_layout& layout_;
  std::size_t column_;
  const column_view& from_;
};

}  // namespace

row_layout::row_layout(std::vector<arrow_column> columns) : columns_(std::move(columns)) {
  const bool has_texts = std::any_of(columns_.begin(), columns_.end(),
                                     [](const arrow_column& column) { return column.type.is_variable(); });
  nulls_ = has_texts ? sizeof(std::uint32_t) : 0;
  std::uint64_t at = nulls_ + (columns_.size() + 7) / 8;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    offsets_.push_back(at);
    at += columns_[i].type.item_bytes;
    before_.push_back(texts_.empty() ? none : texts_.back());
    if (columns_[i].type.is_variable()) texts_.push_back(i);
  }
  fixed_bytes_ = std::max<std::uint64_t>(at, 1);  // of no columns, too, rows can be counted
}

void append_rows(const row_layout& layout, const ArrowArray& batch, const std::string& name, std::uint64_t first,
                 host_buffer& to) {
  const std::int64_t rows = batch.length;
  std::vector<column_view> views;
  for (std::size_t i = 0; i < layout.columns().size(); ++i)
    views.emplace_back(layout.columns()[i], *batch.children[i], batch.offset);
  const auto for_parts = [&](const auto& f) {
    tbb::parallel_for(std::int64_t{0}, (rows + rows_of_part - 1) / rows_of_part,
                      [&](std::int64_t part) { f(part * rows_of_part, std::min(rows, (part + 1) * rows_of_part)); });
  };
  std::vector<std::uint64_t> ends(layout.is_variable() ? static_cast<std::size_t>(rows) : 0, layout.fixed_bytes());
  if (layout.is_variable())
    for_parts([&](std::int64_t begin, std::int64_t end) {
      for (const std::size_t column : layout.texts())
        for (std::int64_t row = begin; row < end; ++row)
          if (const std::int64_t place = views[column].place(row); place != column_view::null)
            ends[static_cast<std::size_t>(row)] += views[column].text(place).size();
    });
  std::uint64_t all = 0;
  for (std::size_t row = 0; row < ends.size(); ++row) {
    if (ends[row] > longest_row)
      throw failure(fmt::format("{}: row {} has {} bytes: rows of up to 2 GiB are read", name, first + row, ends[row]));
    all += ends[row];
    ends[row] = all;
  }
  if (!layout.is_variable()) all = static_cast<std::uint64_t>(rows) * layout.fixed_bytes();
  const std::size_t before = to.size();
  to.resize(before + static_cast<std::size_t>(all));
  std::byte* const base = to.data() + before;
  for_parts([&](std::int64_t begin, std::int64_t end) {
    std::vector<std::byte*> places(static_cast<std::size_t>(end - begin));
    std::vector<std::uint32_t> text_ends(places.size(), static_cast<std::uint32_t>(layout.fixed_bytes()));
    for (std::int64_t row = begin; row < end; ++row) {
      const auto r = static_cast<std::size_t>(row);
      const std::uint64_t from = ends.empty() ? r * layout.fixed_bytes() : r == 0 ? 0 : ends[r - 1];
      std::byte* const place = places[static_cast<std::size_t>(row - begin)] = base + from;
      std::memset(place, 0, static_cast<std::size_t>(layout.fixed_bytes()));
      if (ends.empty()) continue;
      const auto length = static_cast<std::uint32_t>(ends[r] - from);
      std::memcpy(place, &length, sizeof length);
    }
    for (std::size_t column = 0; column < views.size(); ++column)
      column_writer(layout, column, views[column]).write(begin, end, places.data(), text_ends.data());
  });
}

}  // namespace ballot::app
