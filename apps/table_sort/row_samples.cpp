// SPDX-License-Identifier: Apache-2.0
#include "table_sort/row_samples.hpp"

#include <algorithm>

namespace ballot::app {

void row_samples::add(const written_batch& rows, run& to) const {
  const auto ends = rows.places.subspan(1);
  for (std::size_t row = 0; row < ends.size(); ++row) {
    const std::uint64_t offset = to.bytes + rows.places[row];
    if (offset < to.next) {  // the next row that begins behind it
      const auto place = std::lower_bound(rows.places.begin(), rows.places.end() - 1, to.next - to.bytes);
      row = static_cast<std::size_t>(place - rows.places.begin());
      if (row >= ends.size()) break;
    }
    const auto bytes = rows.bytes.subspan(rows.places[row], rows.places[row + 1] - rows.places[row]);
    to.samples.push_back({to.bytes + rows.places[row], to.rows + row});
    to.sampled.append(bytes);
    to.next = to.samples.back().offset + std::max<std::uint64_t>(spacing_, share_of_long_rows * bytes.size());
  }
  to.bytes += rows.bytes.size();
  to.rows += ends.size();
}

}  // namespace ballot::app
