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

// Keys of a fixed length that say all, and so can be compared with those of other processes.
row_keys keys_of(const file_table& rows, std::span<const sort_key> keys) {
  row_keys made(rows, keys, false);
  for (const row_keys::part& p : made.parts())
    if (!p.is_exact || p.common_prefix != 0)
      throw usage_error(fmt::format(
          "{}: several processes sort by numbers and by bytes of a fixed length, and not by texts", rows.name()));
  return made;
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

constexpr std::size_t most_checked = 16;  // key columns: 128 bytes

void check_rows(const process_group& group, const file_table& header, std::span<const sort_key> keys,
                std::span<const std::byte> rows, std::span<const std::uint64_t> places) {
  std::unique_ptr<file_table> written;
  std::optional<row_keys> found;
  group.together([&] {
    written = table_of(header, rows);
    found.emplace(keys_of(*written, keys));
    if (found->columns().size() > most_checked) throw usage_error("--verify: keys of more than 128 bytes");
  });
  using key = std::array<std::uint64_t, most_checked>;
  require_order<key>(
      group, written->rows(),
      [&](std::uint64_t i) {
        key k{};
        for (std::size_t c = 0; c < found->columns().size(); ++c) k[c] = found->columns()[c][i];
        return k;
      },
      places.data());
}

}  // namespace

std::uint64_t sort_rows_by_processes(const process_group& group, part_sorter& by, const file_table& header,
                                     const input_file& in, std::span<const sort_key> keys, const std::string& output,
                                     bool verify, phase_clock& clock) {
  host_buffer part;
  std::unique_ptr<file_table> own;
  std::optional<row_keys> own_keys;
  std::uint64_t row_bytes = 0, all_rows = 0;
  group.together([&] {
    scoped_phase reading(clock, phase::read);
    const auto equal = header.rows_of_one_size();
    if (!equal || equal->bytes == 0)
      throw usage_error(fmt::format("{}: several processes sort rows of one size: records, and .npy", header.name()));
    row_bytes = equal->bytes;
    const part_reader reader(in, row_bytes);
    all_rows = reader.items();
    header.check_length(all_rows * row_bytes);
    part = reader.read(group);
    own = table_of(header, part.bytes());
    own_keys.emplace(keys_of(*own, keys));
  });
  host_buffer places, rows;
  {
    scoped_phase computing(clock, phase::kernel);
    places = order_of(group, by, *own_keys, own->rows(), all_rows);
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
