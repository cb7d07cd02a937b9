// One run: the engine between input and output, with the checks that were asked for in between.
#pragma once

#include <ballot/core/namespace.hpp>

#include "common/engine.hpp"
#include "common/output_file.hpp"
#include "common/report.hpp"

#include <string>

namespace ballot::app {

// Fills the report, also as far as it gets. The output is in place only after everything, the check included, went
// well.
void sort_column(const sort_request& request, engine& worker, source& in, sink& out, output_file& file, bool verify,
                 const std::string& engine_reason, report& facts, phase_clock& clock);
void compact_column(const compact_request& request, engine& worker, source& in, sink& out, output_file& file,
                    bool verify, const std::string& engine_reason, report& facts, phase_clock& clock);

}  // namespace ballot::app
