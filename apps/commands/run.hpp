// One run: the engine between input and output, with the checks that were asked for in between.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"
#include "external_sort/sort_column_in_runs.hpp"
#include "files/output_file.hpp"
#include "report/report.hpp"

#include <functional>
#include <string>

namespace ballot::app {

// Tells the report who works.
void introduce(const engine& worker, const std::string& reason, report& facts);

// Does the work and notes in the report whether it was verified: where it throws verification_failure, it was not.
void noting_the_verdict(bool verify, report& facts, const std::function<void()>& work);

// Fills the report, also as far as it gets. The output is in place only after everything, the check included, went
// well.
// Sorts in runs what does not fit within the limits; places (argsort) always in one.
void sort_column(const sort_request& request, engine& worker, source& in, sink& out, output_file& file, bool verify,
                 const run_limits& limits, const std::string& engine_reason, report& facts, phase_clock& clock);
void compact_column(const compact_request& request, engine& worker, source& in, sink& out, output_file& file,
                    bool verify, const std::string& engine_reason, report& facts, phase_clock& clock);

}  // namespace ballot::app
