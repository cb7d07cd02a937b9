// SPDX-License-Identifier: Apache-2.0
#include "commands/sort_by_processes.hpp"

#include "base/failure.hpp"
#include "commands/run.hpp"
#include "processes/process_group.hpp"
#include "processes/sort_by_processes.hpp"
#include "tables/joined_files.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace ballot::app {
namespace {

// All processes have the same plan: one of them says what is wrong with it.
[[noreturn]] void refuse_plan(const std::string& what) {
  if (launched_rank() != 0) throw failed_elsewhere();
  throw usage_error(what);
}
template <class Plan>
void require_possible(const Plan& plan) {
  const auto refuse_option = [](const char* option) {
    refuse_plan(
        fmt::format("{} is not for sorts by several processes ({} were started)", option, launched_processes()));
  };
  if (plan.gpus != 0) refuse_option("--gpus");
  if (plan.limits.memory_bytes != 0) refuse_option("--memory");
  if (plan.input == "-" || plan.output == "-")
    refuse_plan("several processes read and write parts of files: name the input, and the output by -o");
}

std::unique_ptr<part_sorter> sorter_of(const process_group& group, engine_name engine, report& facts) {
  auto made = engine == engine_name::cpu ? make_cpu_part_sorter(group) : make_gpu_part_sorter(group);
  facts.engine = made->name();
  facts.engine_reason = fmt::format("of {} processes, by {}", group.size(), group.library());
  facts.device = fmt::format("{} x {}", group.size(), made->device());
  return made;
}

// `work` returns the number of items.
void run_together(engine_name engine, bool verify, report_style style, report& facts,
                  const std::function<std::uint64_t(const process_group&, part_sorter&, phase_clock&)>& work) {
  phase_clock clock;
  const process_group group;
  const auto by = sorter_of(group, engine, facts);
  record_verification(verify, facts, [&] { facts.count = work(group, *by, clock); });
  if (group.rank() == 0) print_report(facts, clock, style);
}

}  // namespace

void run_by_processes(const column_sort_plan& plan, report& facts) {
  require_possible(plan);
  if (!plan.more_inputs.empty()) refuse_plan("several processes sort one file");
  if (plan.input_format == format::text || plan.output_format == format::text)
    refuse_plan("several processes read and write raw and npy, and not text");
  run_together(plan.engine, plan.verify, plan.style, facts,
               [&](const process_group& group, part_sorter& by, phase_clock& clock) {
                 return sort_column_by_processes(
                     group, by,
                     {plan.input, plan.output, plan.input_format, plan.output_format, plan.type, plan.verify},
                     [&](dtype type) {
                       facts.type = type;
                       return sort_request{type, plan.order, plan.bits.of(type), plan.argsort};
                     },
                     clock);
               });
}

void run_by_processes(const table_sort_plan& plan, report& facts) {
  require_possible(plan);
  if (!plan.request.more_paths.empty()) refuse_plan("several processes sort one file");
  if (plan.unique || plan.group_count || plan.top || plan.result.result != table_result::rows || plan.result.conversion)
    refuse_plan("several processes write all rows as they are");
  run_together(plan.engine, plan.verify, plan.style, facts,
               [&](const process_group& group, part_sorter& by, phase_clock& clock) {
                 opened_table opened;
                 std::vector<sort_key> keys;
                 group.together([&] {
                   const std::uint64_t memory = std::numeric_limits<std::uint64_t>::max() / 4;
                   opened = open_table_files(plan.request, memory, memory);
                   keys = parse_sort_keys(*opened.header, plan.keys, plan.order);
                   if (keys.empty())
                     throw usage_error(fmt::format("{}: no column to sort by: use --by COLUMN: the columns are {}",
                                                   opened.header->name(), opened.header->columns_in_words()));
                 });
                 facts.counted = "rows";
                 return sort_rows_by_processes(group, by, *opened.header, *opened.file, keys, plan.output, plan.verify,
                                               clock);
               });
}

}  // namespace ballot::app
