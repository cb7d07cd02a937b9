// SPDX-License-Identifier: Apache-2.0
// Parts of runs that subcommands share.
#pragma once

#include <ballot/core/namespace.hpp>

#include "conditions/row_condition.hpp"
#include "engines/engine.hpp"
#include "external_sort/sort_column_in_runs.hpp"
#include "files/output_file.hpp"
#include "plans/run_plan.hpp"
#include "report/report.hpp"
#include "tables/column_type.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace ballot::app {

// Fill the report as soon as the facts are known, so that the report of a failure has them, too.
void record_files(const run_plan& plan, report& facts);
void record_inputs(std::size_t more, report& facts);  // files behind the first
void record_engine(const engine_choice& engine, report& facts);
// The columns that rows were compared by, each once.
void record_columns(std::span<const column_type> columns, report& facts);
// Does the work and records whether the result was verified: not where it throws
// verification_failure.
void record_verification(bool verify, report& facts, const std::function<void()>& work);

// The engine between input and output, with the check in between where `verify`. The output file is
// replaced only after everything, the check included, has succeeded. Items that do not fit within
// the limits are sorted in runs; positions (argsort) are always sorted in memory.
void sort_column(const sort_request& request, engine& worker, source& in, sink& out, output_file& file, bool verify,
                 const run_limits& limits, report& facts, phase_clock& clock);
// condition: null where the request says what is kept.
// top: at most so many items; what is behind them is not read.
void compact_column(const compact_request& request, const row_condition* condition, std::optional<std::uint64_t> top,
                    engine& worker, source& in, sink& out, output_file& file, bool verify, report& facts,
                    phase_clock& clock);

}  // namespace ballot::app
