// SPDX-License-Identifier: Apache-2.0
#include "table_sort/write_merged.hpp"

#include "files/temporary_file.hpp"
#include "tables/row_conversion.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ballot::app {
namespace {

void write_front(const table& from, std::uint64_t rows, output_file& to) {
  const std::string header = from.header(rows);
  to.write(std::as_bytes(std::span(header)));
}

// Writes a header with the count, which is known only after the merge, and then the rows.
std::uint64_t write_behind_count(const table& header, table_run_sorter& from, const std::string& directory,
                                 output_file& to, const std::function<void(std::span<const std::byte>)>& seen) {
  temporary_file rows(directory);
  const std::uint64_t count = from.merge([&](std::span<const std::byte> bytes) {
    if (seen) seen(bytes);
    rows.append(bytes);
  });
  write_front(header, count, to);
  std::vector<std::byte> batch(std::size_t{64} << 10);
  for (std::uint64_t at = 0; at < rows.size(); at += batch.size()) {
    batch.resize(static_cast<std::size_t>(std::min<std::uint64_t>(batch.size(), rows.size() - at)));
    rows.read(at, batch);
    to.write(batch);
  }
  return count;
}

}  // namespace

std::uint64_t write_merged(const table_output& output, const table_request& source, const file_table& header,
                           table_run_sorter& from, const std::string& directory, output_file& to, phase_clock& clock,
                           const std::function<void(std::span<const std::byte>)>& seen, const inferred_columns* types) {
  std::optional<std::uint64_t> count = from.count();
  if (output.result == table_result::count) {
    if (!count) count = from.merge([](std::span<const std::byte>) {});
    write_count(*count, to);
  } else if (output.conversion) {
    row_conversion converted(*output.conversion, source, header, directory, to);
    if (types != nullptr) converted.take_types(*types);
    count = from.merge([&](std::span<const std::byte> rows) { converted.add(rows); });
    scoped_phase writing(clock, phase::write);
    converted.finish();
  } else if (const bool says_count = header.header(1) != header.header(2); !count && says_count) {
    count = write_behind_count(header, from, directory, to, seen);
  } else {
    write_front(header, count.value_or(0), to);
    count = from.merge([&](std::span<const std::byte> rows) {
      if (seen) seen(rows);
      to.write(rows);
    });
  }
  scoped_phase writing(clock, phase::write);
  to.commit();
  return *count;
}

}  // namespace ballot::app
