// SPDX-License-Identifier: Apache-2.0
#include "commands/run.hpp"

#include "base/failure.hpp"
#include "verification/verify_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace ballot::app {
namespace {

void finish(sink& out, output_file& file, phase_clock& clock) {
  scoped_phase writing(clock, phase::write);
  out.finish();
  file.commit();
}

}  // namespace

void record_files(const run_plan& plan, report& facts) {
  facts.input = plan.input;
  facts.output = plan.output;
}

void record_inputs(std::size_t more, report& facts) {
  if (more != 0) facts.input += fmt::format(" and {} more", more);
}

void record_engine(const engine_choice& engine, report& facts) {
  facts.engine = engine.chosen->name();
  facts.engine_reason = engine.reason;
  facts.device = engine.chosen->device();
}

void record_columns(std::span<const column_type> columns, report& facts) {
  for (const column_type& column : columns) {
    compared_column recorded{column.name, column.in_words(), column.is_inferred, column.is_mixed};
    if (column.decided_by) {
      recorded.line = column.decided_by->line;
      recorded.text = column.decided_by->text;
    }
    const auto is_same = [&](const compared_column& other) {
      return other.name == recorded.name && other.type == recorded.type;
    };
    if (std::none_of(facts.columns.begin(), facts.columns.end(), is_same)) facts.columns.push_back(std::move(recorded));
  }
}

void record_verification(bool verify, report& facts, const std::function<void()>& work) {
  try {
    work();
    if (verify) facts.verified = true;
  } catch (const verification_failure&) {
    facts.verified = false;
    throw;
  }
}

void sort_column(const sort_request& request, engine& worker, source& in, sink& out, output_file& file, bool verify,
                 const run_limits& limits, report& facts, phase_clock& clock) {
  item_counts counts;
  const auto sort = [&](source& from, sink& to) {
    if (request.argsort) {
      counts = worker.sort(request, from, to, clock);
      return;
    }
    const column_runs sorted = sort_column_in_runs(request, worker, from, to, limits, clock);
    counts = sorted.counts;
    if (sorted.runs > 1) facts.runs = sorted.runs;
  };
  record_verification(verify, facts, [&] {
    if (!verify) {
      sort(in, out);
      finish(out, file, clock);
      return;
    }
    recording_source recorded_input(in, check_needs_items(request), clock);
    const auto check = check_sort(request, recorded_input, out, clock);
    sort(recorded_input, *check);
    finish(*check, file, clock);
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
}

void compact_column(const compact_request& request, engine& worker, source& in, sink& out, output_file& file,
                    bool verify, report& facts, phase_clock& clock) {
  item_counts counts;
  record_verification(verify, facts, [&] {
    if (!verify) {
      counts = worker.compact(request, in, out, clock);
      finish(out, file, clock);
      return;
    }
    recording_source items(in, true, clock);
    std::optional<recording_source> flags;
    compact_request with_memory = request;
    if (request.flags != nullptr) with_memory.flags = &flags.emplace(*request.flags, true, clock);
    const auto check = check_compact(request, items, flags ? &*flags : nullptr, out, clock);
    counts = worker.compact(with_memory, items, *check, clock);
    finish(*check, file, clock);
  });
  facts.count = counts.in;
  facts.blank_lines = in.blank_lines();
  facts.count_out = counts.out;
}

}  // namespace ballot::app
