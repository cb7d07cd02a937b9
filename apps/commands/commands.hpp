// SPDX-License-Identifier: Apache-2.0
// The subcommands, as main() sees them. Each registers its options and returns what runs it.
#pragma once

#include <ballot/core/namespace.hpp>

#include "report/report.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace ballot::app {

// A run fills the report step by step, so that the report of a failure has the facts known by then.
// The style is asked for when a report is due: it is among the options.
struct command_run {
  std::function<void(report&)> run;
  std::function<report_style()> style;
};

command_run add_sort(CLI::App& app);
command_run add_compact(CLI::App& app);
command_run add_scan(CLI::App& app);
command_run add_collide(CLI::App& app);
command_run add_bench(CLI::App& app);
command_run add_info(CLI::App& app);
command_run add_help(CLI::App& app);
command_run add_manual(CLI::App& app);
command_run add_completion(CLI::App& app);

}  // namespace ballot::app
