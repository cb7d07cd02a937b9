// SPDX-License-Identifier: Apache-2.0
// mpirun -n N ballot sort: the run, or its forecast, by several processes.
#pragma once

#include <ballot/core/namespace.hpp>

#include "plans/sort_plan.hpp"
#include "report/report.hpp"

namespace ballot::app {

// The processes make the plan together, so that an error of any of them ends all, and one says it.
// Throws usage_error, also for what several processes cannot do. One of them prints the report.
void run_by_processes(const sort_options& options, report& facts);

}  // namespace ballot::app
