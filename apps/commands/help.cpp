// SPDX-License-Identifier: Apache-2.0
// ballot help: the same as --help, as a command.
#include "commands/commands.hpp"
#include "commands/described_options.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace ballot::app {
command_run add_help(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("help", "show this help, or the help of a command: ballot help sort");
  command.add_option("COMMAND", *name, "the command")->type_name("");
  return {[name, &app](report&) {
            const CLI::App& wanted = command_named(app, *name, "help");
            // app.help() would be the help of the command that was asked for, which is this one.
            const std::string prefix = &wanted == &app ? "" : app.get_name() + " ";
            const std::string text =
                wanted.get_formatter()->make_help(&wanted, prefix + wanted.get_name(), CLI::AppFormatMode::Normal);
            std::fwrite(text.data(), 1, text.size(), stdout);
          },
          [] { return report_style::human; }};
}

}  // namespace ballot::app
