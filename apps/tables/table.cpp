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
  require_known_header();
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

namespace {

// Rows of one size, read some ahead: they lie anywhere in memory.
struct copied_records {
  table::equal_rows rows;

  std::size_t size(std::uint64_t) const { return rows.bytes; }
  void prefetch(std::uint64_t row) const {
    const std::byte* const at = rows.first + row * rows.bytes;
    __builtin_prefetch(at);
    __builtin_prefetch(at + rows.bytes - 1);
  }
  void copy(std::uint64_t row, std::byte* to) const { std::memcpy(to, rows.first + row * rows.bytes, rows.bytes); }
};

// Rows of any size, which get a line end where they lack one.
struct copied_rows {
  const table& from;
  std::string_view line_end;

  bool needs_end(std::span<const std::byte> row) const {
    return !line_end.empty() && (row.empty() || row.back() != std::byte{'\n'});
  }
  std::size_t size(std::uint64_t number) const {
    const auto row = from.row(number);
    return row.size() + (needs_end(row) ? line_end.size() : 0);
  }
  void prefetch(std::uint64_t) const {}
  void copy(std::uint64_t number, std::byte* to) const {
    const auto row = from.row(number);
    if (!row.empty()) std::memcpy(to, row.data(), row.size());
    if (needs_end(row)) std::memcpy(to + row.size(), line_end.data(), line_end.size());
  }
};

template <class F>
void with_copies(const table& from, const F& f) {
  if (const auto records = from.rows_of_one_size(); records && records->bytes != 0) f(copied_records{*records});
  else f(copied_rows{from, from.line_end()});
}

template <class Copies>
void copy_rows(const Copies& copies, std::span<const std::uint64_t> chosen, std::span<const std::size_t> places,
               std::byte* to) {
  constexpr std::size_t ahead = 12;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i + ahead < chosen.size()) copies.prefetch(chosen[i + ahead]);
    copies.copy(chosen[i], to + places[i]);
  }
}

}  // namespace

std::uint64_t bytes_of_rows(const table& from, std::span<const std::uint64_t> chosen) {
  if (const auto records = from.rows_of_one_size()) return chosen.size() * std::uint64_t{records->bytes};
  const copied_rows copies{from, from.line_end()};
  std::uint64_t bytes = 0;
  if (chosen.size() == from.rows())  // in any order: as they lie
    for (std::uint64_t row = 0; row < from.rows(); ++row) bytes += copies.size(row);
  else
    for (const std::uint64_t row : chosen) bytes += copies.size(row);
  return bytes;
}

std::size_t collect_rows(const table& from, std::span<const std::uint64_t> chosen, std::size_t most_bytes,
                         std::vector<std::size_t>& places, host_buffer& bytes) {
  places.assign(1, 0);
  with_copies(from, [&](const auto& copies) {
    while (places.size() <= chosen.size() && (places.size() == 1 || places.back() < most_bytes))
      places.push_back(places.back() + copies.size(chosen[places.size() - 1]));
    bytes.resize(places.back());
    copy_rows(copies, chosen.first(places.size() - 1), places, bytes.data());
  });
  return places.size() - 1;
}

void write_batches(const table& from, std::span<const std::uint64_t> chosen, std::size_t batch_bytes,
                   const std::function<void(const written_batch&)>& write) {
  constexpr std::size_t most_rows = std::size_t{1} << 17;
  struct batch {
    std::vector<std::size_t> places;  // of the rows, and the end
    host_buffer bytes;
  };
  std::size_t begin = 0;
  with_copies(from, [&](const auto& copies) {
    const auto collect = [&](batch& to) {
      if (begin == chosen.size()) return false;
      const std::size_t most = std::min({most_rows, batch_bytes / sizeof(std::size_t) + 1, chosen.size() - begin});
      // Rows lie anywhere in the file: on all cores, so that many cache misses are under way at a
      // time.
      to.places.resize(most + 1);
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, most, 1024), [&](const auto& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) to.places[i + 1] = copies.size(chosen[begin + i]);
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
        const std::size_t first = range.begin(), rows = range.size();
        copy_rows(copies, chosen.subspan(begin + first, rows), std::span(to.places).subspan(first, rows),
                  to.bytes.data());
      });
      begin += count;
      return true;
    };
    with_buffers<batch>(
        collect, [](batch&) {},
        [&](batch& from_here) {
          write({from_here.bytes.bytes(), from_here.places});
        });
  });
}

void write_rows(const table& from, std::span<const std::uint64_t> chosen, output_file& to, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  const std::string header = from.header(chosen.size());
  to.write(std::as_bytes(std::span(header)));
  write_batches(from, chosen, std::size_t{8} << 20, [&](const written_batch& batch) { to.write(batch.bytes); });
}

}  // namespace ballot::app
