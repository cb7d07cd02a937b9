// SPDX-License-Identifier: Apache-2.0
// mpirun -n N ballot sort: the run of a plan by several processes.
#pragma once

#include <ballot/core/namespace.hpp>

#include "plans/sort_plan.hpp"
#include "report/report.hpp"

namespace ballot::app {

// Throw usage_error, also for what several processes cannot do. One of them prints the report.
void run_by_processes(const column_sort_plan& plan, report& facts);
void run_by_processes(const table_sort_plan& plan, report& facts);

}  // namespace ballot::app
