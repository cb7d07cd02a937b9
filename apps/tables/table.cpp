// SPDX-License-Identifier: Apache-2.0
#include "tables/table.hpp"

#include "base/buffered_pieces.hpp"
#include "base/failure.hpp"
#include "base/text.hpp"
#include "tables/file_table.hpp"
#include "tables/joined_files.hpp"
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

std::string table::counted_header(std::uint64_t) const {
  throw usage_error(fmt::format("{}: --group-count: rows of this format have no room for a count", name()));
}

void table::append_counted(std::span<const std::byte>, std::uint64_t, host_buffer&) const {}

std::string table::place_of_row(std::uint64_t row) const { return fmt::format("{}: row {}", name(), row); }

std::unique_ptr<table> open_table(const table_request& request, phase_clock& clock) {
  const opened_table opened = [&] {
    scoped_phase reading(clock, phase::read);
    constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
    return open_table_files(request, unlimited, unlimited);
  }();
  return read_table(*opened.header, *opened.file, clock);
}

void write_batches(const table& from, std::span<const std::uint64_t> chosen, std::size_t batch_bytes,
                   const std::function<void(const written_batch&)>& write) {
  constexpr std::size_t most_rows = std::size_t{1} << 17;
  const std::string_view line_end = from.line_end();
  const auto needs_end = [&](std::span<const std::byte> row) {
    return !line_end.empty() && (row.empty() || row.back() != std::byte{'\n'});
  };
  struct batch {
    std::vector<std::size_t> places;  // of the rows, and the end
    host_buffer bytes;
  };
  std::size_t begin = 0;
  const auto collect = [&](batch& to) {
    if (begin == chosen.size()) return false;
    const std::size_t most = std::min({most_rows, batch_bytes / sizeof(std::size_t) + 1, chosen.size() - begin});
    // Rows lie anywhere in the file: on all cores, so that many cache misses are under way at a time.
    to.places.resize(most + 1);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, most, 1024), [&](const auto& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) {
        const auto row = from.row(chosen[begin + i]);
        to.places[i + 1] = row.size() + (needs_end(row) ? line_end.size() : 0);
      }
    });
    to.places[0] = 0;
    std::size_t count = 0;
    while (count < most && to.places[count] < batch_bytes) {
      to.places[count + 1] += to.places[count];
      ++count;
    }
    to.places.resize(count + 1);
    to.bytes.resize(to.places.back());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1024), [&](const auto& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) {
        const auto row = from.row(chosen[begin + i]);
        std::byte* const there = to.bytes.data() + to.places[i];
        if (!row.empty()) std::memcpy(there, row.data(), row.size());
        if (needs_end(row)) std::memcpy(there + row.size(), line_end.data(), line_end.size());
      }
    });
    begin += count;
    return true;
  };
  with_buffers<batch>(
      collect, [](batch&) {},
      [&](batch& from_here) {
        write({from_here.bytes.bytes(), from_here.places});
      });
}

void write_rows(const table& from, std::span<const std::uint64_t> chosen, output_file& to, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  const std::string header = from.header(chosen.size());
  to.write(std::as_bytes(std::span(header)));
  write_batches(from, chosen, std::size_t{8} << 20, [&](const written_batch& batch) { to.write(batch.bytes); });
}

}  // namespace ballot::app
