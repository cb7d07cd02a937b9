// SPDX-License-Identifier: Apache-2.0
#include "commands/memory_forecast.hpp"

#include "engines/cpu/sort_items.hpp"
#include "files/output_file.hpp"
#include "verification/verify_column.hpp"

#include <algorithm>

namespace ballot::app {
namespace {

constexpr std::uint64_t number = sizeof(std::uint64_t);  // of an item or of a row

// What compact holds for each item where it holds all of them.
std::uint64_t bytes_an_item(const column_compact_plan& plan, std::uint64_t item) {
  // The items as they are read, as the column of the condition, and as they are written.
  if (plan.condition && !plan.where) return 3 * item + number;
  const std::uint64_t flag = plan.flags ? 1 : 0;
  return 2 * item + flag + (plan.verify ? item + flag : 0);
}

// Whether the CPU's engine selects while it reads, in two pieces of 4 MiB and what is selected of
// each.
bool selects_while_it_reads(const column_compact_plan& plan) {
  return plan.where && !plan.verify && plan.output_format != format::npy &&
         output_file::look_at(plan.output).is_seen_when_complete;
}

// The places of rows, and what is collected for the output: a batch of rows, twice.
std::uint64_t memory_of_rows(const row_amount& of, std::uint64_t bytes_a_row, bool writes_rows) {
  constexpr std::uint64_t written_at_once = std::uint64_t{8} << 20;
  return of.bytes + of.rows * bytes_a_row + (writes_rows ? 2 * std::min(written_at_once, of.bytes) : 0);
}

}  // namespace

std::uint64_t memory_of_sort(const sort_request& request, engine& worker, std::uint64_t count, bool fits,
                             const column_sort_plan& plan) {
  const std::uint64_t item = size_of(request.type), all = count * item, memory = plan.limits.memory();
  const bool holds_items = plan.verify && check_needs_items(request);
  std::uint64_t sorted = memory;
  if (fits && worker.sorts_in_host_memory()) {
    sorted = count * cpu::sort_bytes_an_item(request);
  } else if (fits) {
    // In proportion to what the limit holds.
    const std::uint64_t most = std::max<std::uint64_t>(1, worker.sort_capacity(request, memory));
    sorted = static_cast<std::uint64_t>(static_cast<double>(memory) * static_cast<double>(count) /
                                        static_cast<double>(most));
    sorted = std::max(sorted, std::min(memory, all));
  }
  if (!holds_items) return sorted;
  if (request.argsort) return sorted + all;
  // A second sort, of a copy, with half as much for its merges. The engine's has ended by then,
  // but for the sorted items if they are in memory.
  return std::max(sorted + all, (fits ? all : 0) + all + all + all / 2);
}

std::uint64_t memory_of_compact(const column_compact_plan& plan, dtype type, const engine& worker,
                                std::uint64_t count) {
  const std::uint64_t item = size_of(type);
  if (!worker.sorts_in_host_memory()) return 2 * item * count;
  if (plan.top) {
    // Part by part, the largest of so many items, until there are enough.
    constexpr std::uint64_t largest_part = std::uint64_t{1} << 22;
    return std::min(count, largest_part) * bytes_an_item(plan, item) + std::min(count, *plan.top) * item;
  }
  constexpr std::uint64_t pieces = std::uint64_t{2} * 2 * (std::uint64_t{4} << 20);
  if (selects_while_it_reads(plan)) return std::min(pieces, count * bytes_an_item(plan, item));
  return count * bytes_an_item(plan, item);
}

std::uint64_t memory_of_sorted_rows(const row_amount& of, bool writes_rows) {
  // Measured: places and numbers of rows, what the engine and the comparisons move; for each column
  // its fields, whether they are empty, and their keys.
  constexpr std::uint64_t bytes_a_row = 40, bytes_a_key = 32;
  return memory_of_rows(of, bytes_a_row + of.columns * bytes_a_key, writes_rows);
}

std::uint64_t memory_of_selected_rows(const row_amount& of, bool writes_rows) {
  constexpr std::uint64_t bytes_a_row = 24, bytes_a_field = 16;
  return memory_of_rows(of, bytes_a_row + of.columns * bytes_a_field, writes_rows);
}

}  // namespace ballot::app
