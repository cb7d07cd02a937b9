// SPDX-License-Identifier: Apache-2.0
#include "base/failure.hpp"
#include "processes/fetch_items.hpp"
#include "processes/order_check.hpp"
#include "processes/part_files.hpp"
#include "processes/parts.hpp"
#include "processes/sort_by_processes.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

// The rows as a table of their own.
std::unique_ptr<file_table> table_of(const file_table& header, std::span<const std::byte> rows) {
  auto part = header.without_rows(0);
  part->buffer().append(rows);
  batch_room room;
  part->find_rows(true, room);
  return part;
}

// Keys of the process's rows that can be compared with those of the others: all processes have the
// same columns of keys. Where one has empty fields, all flag them: the key of an empty field may be
// that of a number that another process has. Collective.
row_keys keys_of(const process_group& group, const file_table& rows, std::span<const sort_key> keys) {
  std::optional<row_keys> made;
  group.together([&] { made.emplace(row_keys::of_part(rows, keys)); });
  const std::size_t parts = keys.size();
  std::vector<std::uint8_t> own(parts), all(parts * static_cast<std::size_t>(group.size()));
  for (std::size_t i = 0; i < parts; ++i) own[i] = made->parts()[i].column.empty.empty() ? 0 : 1;
  group.gather_bytes(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
  group.together([&] {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != 0 && !made->parts()[i % parts].has_flags) made->add_flags(i % parts);
  });
  return std::move(*made);
}

// The order of the rows of all processes: the places of those that this one gets. Column by column,
// the last first.
host_buffer order_of(const process_group& group, part_sorter& by, const row_keys& keys, std::uint64_t rows,
                     std::uint64_t all_rows) {
  host_buffer places(rows * sizeof(std::uint64_t));
  const auto of_rows = places.as<std::uint64_t>();
  std::iota(of_rows.begin(), of_rows.end(), part_begin(all_rows, group.rank(), group.size()));
  for (std::size_t c = keys.columns().size(); c-- > 0;) {
    const key_column& column = keys.columns()[c];
    const bool is_first = c + 1 == keys.columns().size();  // then the rows are where they were
    host_buffer moved;
    if (is_first) moved.append(column.keys.bytes());
    else
      moved = fetch_items(group, by, column.keys.bytes(), column.key_bytes, all_rows,
                          std::as_const(places).as<std::uint64_t>());
    by.sort(moved, column.key_bytes, &places, {0, static_cast<int>(8 * column.key_bytes)});
  }
  return places;
}

// Columns of keys. Flags come on top, at most one for each.
constexpr std::size_t most_checked = 16;

void check_rows(const process_group& group, const file_table& header, std::span<const sort_key> keys,
                std::span<const std::byte> rows, std::span<const std::uint64_t> places) {
  std::unique_ptr<file_table> written;
  group.together([&] { written = table_of(header, rows); });
  const row_keys found = keys_of(group, *written, keys);
  using key = std::array<std::uint64_t, 2 * most_checked>;
  require_order<key>(
      group, written->rows(),
      [&](std::uint64_t i) {
        key k{};
        for (std::size_t c = 0; c < found.columns().size(); ++c) k[c] = found.columns()[c][i];
        return k;
      },
      places.data());
}

}  // namespace

part_reader open_rows_of_processes(const file_table& header, const input_file& in, std::span<const sort_key> keys,
                                   bool verify) {
  const auto equal = header.rows_of_one_size();
  if (!equal || equal->bytes == 0)
    throw usage_error(fmt::format("{}: several processes sort rows of one size: records, and .npy", header.name()));
  row_keys::require_keys_of_parts(header, keys);
  if (const std::size_t columns = row_keys::of_part(header, keys).columns().size(); verify && columns > most_checked)
    throw usage_error(
        fmt::format("--verify: several processes compare up to {} words of keys (a number, or up to 8 "
                    "bytes), and these keys have {}",
                    most_checked, columns));
  part_reader reader(in, equal->bytes);
  header.check_length(reader.items() * equal->bytes);
  return reader;
}

std::uint64_t sort_rows_by_processes(const process_group& group, part_sorter& by, const file_table& header,
                                     const input_file& in, std::span<const sort_key> keys, const std::string& output,
                                     bool verify, phase_clock& clock) {
  host_buffer part;
  std::unique_ptr<file_table> own;
  std::optional<part_reader> reader;
  group.together([&] { reader.emplace(open_rows_of_processes(header, in, keys, verify)); });
  reader->require_agreement(group);
  group.together([&] {
    scoped_phase reading(clock, phase::read);
    part = reader->read(group);
    own = table_of(header, part.bytes());
  });
  const std::uint64_t row_bytes = header.rows_of_one_size()->bytes, all_rows = reader->items();
  const row_keys own_keys = keys_of(group, *own, keys);
  host_buffer places, rows;
  {
    scoped_phase computing(clock, by.works_in());
    places = order_of(group, by, own_keys, own->rows(), all_rows);
    rows = fetch_items(group, by, part.bytes(), row_bytes, all_rows, std::as_const(places).as<std::uint64_t>());
  }
  if (verify) {
    scoped_phase checking(clock, phase::verify);
    require_same_sum(group, sum_of_hashes(part.bytes(), row_bytes), sum_of_hashes(rows.bytes(), row_bytes));
    check_rows(group, header, keys, rows.bytes(), std::as_const(places).as<std::uint64_t>());
  }
  scoped_phase writing(clock, phase::write);
  const std::string front = header.header(all_rows);
  part_writer out(group, output, front.size() + all_rows * row_bytes);
  group.together([&] {
    if (group.rank() == 0) out.write(0, std::as_bytes(std::span(front)));
    out.write(front.size() + part_begin(all_rows, group.rank(), group.size()) * row_bytes, rows.bytes());
  });
  out.commit();
  return all_rows;
}

}  // namespace ballot::app
