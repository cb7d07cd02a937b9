// SPDX-License-Identifier: Apache-2.0
#include "commands/sort_by_processes.hpp"

#include "base/failure.hpp"
#include "commands/dry_run.hpp"
#include "commands/run.hpp"
#include "files/output_file.hpp"
#include "processes/process_group.hpp"
#include "processes/same_arguments.hpp"
#include "processes/sort_by_processes.hpp"
#include "tables/joined_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ballot::app {
namespace {

void require_possible(const run_plan& plan, const sort_options& options) {
  const auto refuse_option = [](const char* option) {
    throw usage_error(
        fmt::format("{} is not for sorts by several processes ({} were started)", option, launched_processes()));
  };
  if (options.gpus) refuse_option("--gpus");
  if (options.memory != 0) refuse_option("--memory");
  if (!options.run_directory.empty()) refuse_option("--runs-in");
  if (plan.input == "-" || is_standard_output(plan.output))
    throw usage_error("several processes read and write parts of files: name the input, and the output by -o");
  if (!options.column.more_inputs.empty()) throw usage_error("several processes sort one file");
}
void require_possible(const column_sort_plan& plan) {
  if (plan.input_format == format::text || plan.output_format == format::text)
    throw usage_error("several processes read and write raw and npy, and not text");
}
void require_possible(const table_sort_plan& plan) {
  if (plan.unique || plan.group_count || plan.top || plan.result.result != table_result::rows || plan.result.conversion)
    throw usage_error("several processes write all rows as they are");
}

struct chosen_sorter {
  std::unique_ptr<part_sorter> sorter;
  std::string reason;
};

chosen_sorter sorter_of(const process_group& group, engine_name engine) {
  std::string reason = fmt::format("of {} processes, by {}", group.size(), group.library());
  if (engine == engine_name::automatic) {
    std::uint8_t has_gpu = 0;
    group.together([&] { has_gpu = find_gpu_of_process(group).problem.empty() ? 1 : 0; });
    const std::vector<std::uint8_t> all = group.gather(has_gpu);
    if (std::none_of(all.begin(), all.end(), [](std::uint8_t has) { return has != 0; })) {
      engine = engine_name::cpu;
      reason += ", none of which has a usable GPU";
    }
  }
  return {engine == engine_name::cpu ? make_cpu_part_sorter(group) : make_gpu_part_sorter(group), std::move(reason)};
}

column_file files_of(const column_sort_plan& plan) {
  return {plan.input, plan.output, plan.input_format, plan.output_format, plan.type, plan.verify};
}
sort_request request_of(const column_sort_plan& plan, dtype type) {
  return {type, plan.order, plan.bits.of(type), plan.argsort};
}

struct opened_rows {
  opened_table table;
  std::vector<sort_key> keys;
};

opened_rows open_rows(const table_sort_plan& plan) {
  const std::uint64_t memory = std::numeric_limits<std::uint64_t>::max() / 4;
  opened_rows opened{open_table_files(plan.request, memory, memory), {}};
  const file_table& header = *opened.table.header;
  opened.keys = parse_sort_keys(header, plan.keys, plan.order);
  if (opened.keys.empty())
    throw usage_error(fmt::format("{}: no column to sort by: use --by COLUMN: the columns are {}", header.name(),
                                  header.columns_in_words()));
  return opened;
}

void sort(const column_sort_plan& plan, const process_group& group, part_sorter& by, report& facts,
          phase_clock& clock) {
  const auto request_for = [&](dtype type) {
    facts.type = type;
    return request_of(plan, type);
  };
  facts.count = sort_column_by_processes(group, by, files_of(plan), request_for, clock);
}

void sort(const table_sort_plan& plan, const process_group& group, part_sorter& by, report& facts, phase_clock& clock) {
  opened_rows rows;
  group.together([&] { rows = open_rows(plan); });
  const file_table& header = *rows.table.header;
  facts.counted = "rows";
  facts.count = sort_rows_by_processes(group, by, header, *rows.table.file, rows.keys, plan.output, plan.verify, clock);
  facts.table_bytes = facts.count * header.rows_of_one_size()->bytes;
}

// What the input is to be, as the run has it, and about how many bytes a process holds for each of
// its items: the items before and after they are sent, words of keys, order and places.
std::uint64_t look_at_input(const column_sort_plan& plan, const process_group& group) {
  opened_column opened;
  group.together([&] {
    opened = open_column_of_processes(files_of(plan));
    (void)request_of(plan, opened.type);
  });
  opened.reader->require_agreement(group);
  const std::uint64_t item = size_of(opened.type), word = item <= 4 ? 4 : 8;
  return item + 2 * word + 2 * sizeof(std::uint64_t) + (plan.argsort || plan.verify ? 2 * sizeof(std::uint64_t) : 0);
}
std::uint64_t look_at_input(const table_sort_plan& plan, const process_group& group) {
  opened_rows rows;
  std::optional<part_reader> reader;
  std::uint64_t bytes = 0;
  group.together([&] {
    rows = open_rows(plan);
    const file_table& header = *rows.table.header;
    reader.emplace(open_rows_of_processes(header, *rows.table.file, rows.keys, plan.verify));
    const row_keys of_part = row_keys::of_part(header, rows.keys);
    for (const key_column& column : of_part.columns()) bytes += column.key_bytes;
    bytes += 4 * header.rows_of_one_size()->bytes + 4 * sizeof(std::uint64_t);
  });
  reader->require_agreement(group);
  return bytes;
}

template <class Plan>
void print_forecast_of(const Plan& plan, const process_group& group, const report& facts) {
  const std::uint64_t bytes_an_item = look_at_input(plan, group);
  group.together([&] {
    if (group.rank() != 0) return;
    Plan alone = plan;
    alone.engine = engine_name::cpu;
    forecast f = forecast_of(alone);
    f.engine = facts.engine;
    f.engine_reason = facts.engine_reason;
    f.device = facts.device;
    f.processes = group.size();
    f.memory_bytes = (f.items.value_or(0) / static_cast<std::uint64_t>(group.size()) + 1) * bytes_an_item;
    f.temporary_bytes = 0;
    f.temporary_directory.clear();
    print_forecast(f, plan.style);
  });
}

template <class Plan>
void run(const Plan& plan, const process_group& group, report& facts, phase_clock& clock) {
  record_files(plan, facts);
  const chosen_sorter by = sorter_of(group, plan.engine);
  facts.engine = by.sorter->name();
  facts.engine_reason = by.reason;
  facts.device = fmt::format("{} x {}", group.size(), by.sorter->device());
  if (plan.dry_run) return print_forecast_of(plan, group, facts);
  record_verification(plan.verify, facts, [&] { sort(plan, group, *by.sorter, facts, clock); });
  if (group.rank() == 0) print_report(facts, clock, plan.style);
}

void plan_and_run(const sort_options& options, const process_group& group, report& facts, phase_clock& clock) {
  std::optional<sort_plan> plan;
  group.together([&] {
    plan = plan_sort(options);
    std::visit(
        [&](const auto& kind) {
          require_possible(kind, options);
          require_possible(kind);
          output_file::require_shareable(kind.output);
        },
        *plan);
  });
  std::visit([&](const auto& kind) { run(kind, group, facts, clock); }, *plan);
}

}  // namespace

void run_by_processes(const sort_options& options, report& facts) {
  phase_clock clock;
  const process_group group;
  try {
    require_same_arguments(group);
    plan_and_run(options, group, facts, clock);
  } catch (const std::exception& problem) {
    if (group.has_agreed_to_leave()) throw;
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&problem) != nullptr;
    print_failure(facts, is_memory ? "out of memory" : problem.what(), options.column.style());
    group.abort_all(exit_failed);
    throw;
  }
}

}  // namespace ballot::app
