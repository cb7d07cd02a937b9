// SPDX-License-Identifier: Apache-2.0
// Makes the columns of a batch, for a library to take: of rows (row_layout.hpp), or of numbers and
// texts.
#pragma once

#include <ballot/core/namespace.hpp>

#include "columnar/arrow_type.hpp"
#include "columnar/row_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ballot::app {

class batch_maker {
 public:
  explicit batch_maker(std::int64_t rows);
  ~batch_maker();

  // Values of a fixed size. `value` writes that of a row, or returns false where there is none.
  void add_values(std::size_t bytes, const std::function<bool(std::int64_t row, std::byte* to)>& value);
  void add_bits(const std::function<int(std::int64_t row)>& bit);  // -1: none
  // Texts. Null where the data is null: there is none. Throws failure where 32 bits have no room
  // for the ends.
  void add_texts(bool wide_ends, const std::function<std::string_view(std::int64_t row)>& text);
  void add_nothing();
  // A column of rows.
  void add_column(const row_layout& layout, std::size_t column,
                  const std::function<const std::byte*(std::int64_t row)>& row_at);

  void give(ArrowArray& to);  // once; whoever gets it releases it

 private:
  struct made;
  std::shared_ptr<made> made_;
};

}  // namespace ballot::app
