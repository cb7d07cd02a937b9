// SPDX-License-Identifier: Apache-2.0
#include "tables/table.hpp"

#include "base/failure.hpp"
#include "base/text.hpp"
#include "tables/file_table.hpp"
#include "tables/table_batches.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace ballot::app {

void table::throw_no_column(std::string_view name) const {
  throw usage_error(
      fmt::format("{}: no column {}: the columns are {}", this->name(), in_quotes(name), columns_in_words()));
}

std::unique_ptr<table> open_table(const table_request& request, phase_clock& clock) {
  input_file file(request.path);
  const auto header = [&] {
    scoped_phase reading(clock, phase::read);
    return open_table_header(request, file, std::numeric_limits<std::uint64_t>::max());
  }();
  return read_table(*header, file, clock);
}

void write_batches(const table& from, std::span<const std::uint64_t> chosen, std::size_t batch_bytes,
                   const std::function<void(std::span<const std::byte>)>& write) {
  constexpr std::size_t most_rows = std::size_t{1} << 17;
  const std::string_view line_end = from.line_end();
  const auto needs_end = [&](std::span<const std::byte> row) {
    return !line_end.empty() && (row.empty() || row.back() != std::byte{'\n'});
  };
  std::vector<std::size_t> places;  // of the rows of a batch, and its end
  host_buffer batch;
  for (std::size_t begin = 0; begin < chosen.size();) {
    places.assign(1, 0);
    std::size_t end = begin;
    while (end < chosen.size() && places.back() < batch_bytes &&
           end - begin < std::min(most_rows, batch_bytes / sizeof(std::size_t))) {
      const auto row = from.row(chosen[end++]);
      places.push_back(places.back() + row.size() + (needs_end(row) ? line_end.size() : 0));
    }
    batch.resize(places.back());
    // Rows lie anywhere in the file: on all cores, so that many cache misses are under way at a time.
    tbb::parallel_for(tbb::blocked_range<std::size_t>(begin, end, 1024), [&](const auto& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) {
        const auto row = from.row(chosen[i]);
        std::byte* const there = batch.data() + places[i - begin];
        if (!row.empty()) std::memcpy(there, row.data(), row.size());
        if (needs_end(row)) std::memcpy(there + row.size(), line_end.data(), line_end.size());
      }
    });
    write(batch.bytes());
    begin = end;
  }
}

void write_rows(const table& from, std::span<const std::uint64_t> chosen, output_file& to, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  const std::string header = from.header(chosen.size());
  to.write(std::as_bytes(std::span(header)));
  write_batches(from, chosen, std::size_t{8} << 20, [&](std::span<const std::byte> batch) { to.write(batch); });
}

}  // namespace ballot::app
