// SPDX-License-Identifier: Apache-2.0
#include "columnar/batch_maker.hpp"

#include "base/failure.hpp"
#include "base/host_buffer.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <deque>
#include <limits>
#include <span>
#include <vector>

namespace ballot::app {
namespace {

constexpr std::int64_t rows_of_part = 1 << 13;  // whole bytes of bits

struct made_column {
  host_buffer valid, values, texts;
  std::array<const void*, 3> buffers{};
  std::int64_t buffer_count = 0, nulls = 0;
};

template <class F>
void for_parts(std::int64_t rows, const F& f) {
  tbb::parallel_for(std::int64_t{0}, (rows + rows_of_part - 1) / rows_of_part,
                    [&](std::int64_t part) { f(part * rows_of_part, std::min(rows, (part + 1) * rows_of_part)); });
}

host_buffer zeros(std::size_t bytes) {
  host_buffer made(std::max<std::size_t>(bytes, 1));
  std::memset(made.data(), 0, made.size());
  return made;
}

void set_bit(host_buffer& bits, std::int64_t row) { bits.data()[row / 8] |= std::byte{1} << static_cast<int>(row % 8); }

}  // namespace

struct batch_maker::made {
  std::int64_t rows;
  std::deque<made_column> columns;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> places;
  const void* no_validity = nullptr;

  std::size_t bytes_of_bits() const { return static_cast<std::size_t>((rows + 7) / 8); }
  // Calls f(first, last, nulls) for parts of the rows. f stores in `nulls` how many of its rows are
  // null.
  template <class F>
  made_column& add(const F& f) {
    made_column& column = columns.emplace_back();
    column.valid = zeros(bytes_of_bits());
    std::atomic<std::int64_t> nulls = 0;
    f(column, nulls);
    column.nulls = nulls;
    column.buffers = {nulls == 0 ? nullptr : column.valid.data(), column.values.data(), column.texts.data()};
    column.buffer_count = 2;
    return column;
  }

  static void release(ArrowArray* array) {
    delete static_cast<std::shared_ptr<made>*>(array->private_data);
    array->release = nullptr;
  }
  // Children may be moved out of their parent, and released after it: each holds what it points to.
  // Those that were not moved are released with the parent.
  static void release_parent(ArrowArray* array) {
    for (std::int64_t i = 0; i < array->n_children; ++i)
      if (array->children[i]->release != nullptr) array->children[i]->release(array->children[i]);
    release(array);
  }
};

batch_maker::batch_maker(std::int64_t rows) : made_(std::make_shared<made>()) { made_->rows = rows; }

batch_maker::~batch_maker() = default;

void batch_maker::add_values(std::size_t bytes, const std::function<bool(std::int64_t, std::byte*)>& value) {
  made_->add([&](made_column& column, std::atomic<std::int64_t>& nulls) {
    column.values = zeros(static_cast<std::size_t>(made_->rows) * bytes);
    for_parts(made_->rows, [&](std::int64_t first, std::int64_t last) {
      std::int64_t found = 0;
      for (std::int64_t row = first; row < last; ++row) {
        if (value(row, column.values.data() + static_cast<std::size_t>(row) * bytes)) set_bit(column.valid, row);
        else ++found;
      }
      nulls += found;
    });
  });
}

void batch_maker::add_bits(const std::function<int(std::int64_t)>& bit) {
  made_->add([&](made_column& column, std::atomic<std::int64_t>& nulls) {
    column.values = zeros(made_->bytes_of_bits());
    for_parts(made_->rows, [&](std::int64_t first, std::int64_t last) {
      std::int64_t found = 0;
      for (std::int64_t row = first; row < last; ++row) {
        const int value = bit(row);
        if (value > 0) set_bit(column.values, row);
        if (value >= 0) set_bit(column.valid, row);
        else ++found;
      }
      nulls += found;
    });
  });
}

void batch_maker::add_texts(bool wide_ends, const std::function<std::string_view(std::int64_t)>& text) {
  const std::int64_t rows = made_->rows;
  std::vector<std::int64_t> ends(static_cast<std::size_t>(rows) + 1);
  made_column& column = made_->add([&](made_column& made, std::atomic<std::int64_t>& nulls) {
    for_parts(rows, [&](std::int64_t first, std::int64_t last) {
      std::int64_t found = 0;
      for (std::int64_t row = first; row < last; ++row) {
        const std::string_view here = text(row);
        ends[static_cast<std::size_t>(row) + 1] = static_cast<std::int64_t>(here.size());
        if (here.data() != nullptr) set_bit(made.valid, row);
        else ++found;
      }
      nulls += found;
    });
  });
  for (std::size_t row = 0; row + 1 < ends.size(); ++row) ends[row + 1] += ends[row];
  const std::int64_t all = ends.back();
  if (!wide_ends && all > std::numeric_limits<std::int32_t>::max())
    throw failure("a text of more than 2 GiB, for which a column of texts has no room");
  column.texts.resize(std::max<std::size_t>(static_cast<std::size_t>(all), 1));
  for_parts(rows, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      if (const std::string_view here = text(row); !here.empty())
        std::memcpy(column.texts.data() + ends[static_cast<std::size_t>(row)], here.data(), here.size());
  });
  if (wide_ends) {
    column.values.append(std::as_bytes(std::span(ends)));
  } else {
    column.values.resize(ends.size() * sizeof(std::int32_t));
    std::ranges::transform(ends, column.values.as<std::int32_t>().begin(),
                           [](std::int64_t end) { return static_cast<std::int32_t>(end); });
  }
  column.buffers[1] = column.values.data();
  column.buffers[2] = column.texts.data();
  column.buffer_count = 3;
}

void batch_maker::add_nothing() { made_->columns.emplace_back().nulls = made_->rows; }

void batch_maker::add_column(const row_layout& layout, std::size_t column,
                             const std::function<const std::byte*(std::int64_t)>& row_at) {
  const arrow_type& type = layout.columns()[column].type;
  const std::uint64_t offset = layout.offset(column);
  const auto bytes = static_cast<std::size_t>(type.item_bytes);
  if (type.kind == arrow_kind::nothing) return add_nothing();
  if (type.is_variable())
    return add_texts(type.format == "U" || type.format == "Z", [&](std::int64_t row) {
      const std::byte* const from = row_at(row);
      return layout.is_null(from, column) ? std::string_view() : layout.text(from, column);
    });
  if (type.kind == arrow_kind::boolean)
    return add_bits([&](std::int64_t row) {
      const std::byte* const from = row_at(row);
      return layout.is_null(from, column) ? -1 : std::to_integer<int>(from[offset]);
    });
  add_values(bytes, [&](std::int64_t row, std::byte* to) {
    const std::byte* const from = row_at(row);
    if (layout.is_null(from, column)) return false;
    if (bytes != 0) std::memcpy(to, from + offset, bytes);
    return true;
  });
}

void batch_maker::give(ArrowArray& to) {
  const std::shared_ptr<made> owned = made_;
  owned->children.resize(owned->columns.size());
  for (std::size_t i = 0; i < owned->columns.size(); ++i) {
    made_column& column = owned->columns[i];
    ArrowArray& child = owned->children[i];
    child = ArrowArray{};
    child.length = owned->rows;
    child.null_count = column.nulls;
    child.n_buffers = column.buffer_count;
    child.buffers = column.buffers.data();
    child.release = made::release;
    child.private_data = new std::shared_ptr<made>(owned);
    owned->places.push_back(&child);
  }
  to = ArrowArray{};
  to.length = owned->rows;
  to.n_buffers = 1;
  to.buffers = &owned->no_validity;
  to.n_children = static_cast<std::int64_t>(owned->children.size());
  to.children = owned->places.data();
  to.release = made::release_parent;
  to.private_data = new std::shared_ptr<made>(owned);
  made_.reset();
}

}  // namespace ballot::app
