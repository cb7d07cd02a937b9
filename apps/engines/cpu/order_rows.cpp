// SPDX-License-Identifier: Apache-2.0
#include "engines/cpu/order_rows.hpp"

#include "engines/cpu/row_order.hpp"

namespace ballot::app::cpu {
namespace {

struct keys_of_columns {
  std::span<const key_column> all;
  std::size_t columns() const { return all.size(); }
  std::uint64_t operator()(std::size_t column, std::uint64_t row) const { return all[column][row]; }
};

}  // namespace

void order_rows(std::span<const key_column> columns, std::span<std::uint64_t> rows) {
  const keys_of_columns keys{columns};
  row_order<keys_of_columns>(keys).fill(rows);
}

}  // namespace ballot::app::cpu
