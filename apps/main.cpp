// SPDX-License-Identifier: Apache-2.0
// ballot: sorts, compacts and sums numbers and finds collisions, on the GPU where there is one.
#include "base/failure.hpp"
#include "base/resources.hpp"
#include "commands/commands.hpp"
#include "files/signal_cleanup.hpp"
#include "processes/process_group.hpp"
#include "processes/same_arguments.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ballot::app;

constexpr auto command_names = "sort, compact, scan, collide, bench, info, help, manual, completion";

// An empty value names nothing. Of a column it does, and an empty condition is shown with its
// place.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (name == "--by" || name == "--where") continue;
    for (const std::string& value : option->results())
      if (value.empty()) throw usage_error(name + ": the value is empty");
  }
}

// Where several files are allowed, CLI11 takes "[a,b]" for the files "a" and "b".
void refuse_values_that_were_divided(const CLI::App& command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.size() < 2 || word.front() != '[' || word.back() != ']') continue;
    bool is_whole = false;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& value : option->results()) is_whole |= value == word;
    if (!is_whole) throw usage_error(word + ": the name of a file in brackets is written with its folder: ./" + word);
  }
}

// What help, info, manual, completion and forecasts print may not have been written yet.
void require_standard_output() {
  const bool had_failed = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0) throw_errno("standard output");
  if (had_failed) throw failure("standard output: it could not be written");
}

int print_asked_for(const CLI::App& app, const CLI::ParseError& problem) {
  const int code = app.exit(problem);
  try {
    require_standard_output();
  } catch (const failure& unwritten) {
    print_failure({}, unwritten.what(), report_style::human);
    return exit_failed;
  }
  return code;
}

int run(int argc, char** argv) {
  CLI::App app{"Sorts, compacts and sums columns of numbers, on the GPU where there is one."};
  app.name("ballot");
  app.set_version_flag("-V,--version", std::string("ballot ") + BALLOT_APP_VERSION);
  app.require_subcommand(0, 1);
  const command_run commands[] = {add_sort(app), add_compact(app), add_scan(app),   add_collide(app),   add_bench(app),
                                  add_info(app), add_help(app),    add_manual(app), add_completion(app)};

  bool is_understood = false;
  report facts;
  report_style style = report_style::human;
  // A wrong command line. Of processes that sort together, one says so. Other commands work in each
  // process for itself, and so may have arguments of its own. Without a command, the first says so.
  const auto refuse = [&](const std::string& message, report_style shown_as) -> int {
    const auto say = [&] { print_failure(facts, message, shown_as); };
    if (launched_processes() > 1) {
      if (app.got_subcommand("sort")) return refuse_by_processes(say);
      if (app.get_subcommands().empty() && launched_rank() != 0) return exit_done;
    }
    say();
    return exit_usage;
  };
  try {
    app.parse(argc, argv);
    // This function and the commands check for missing arguments. CLI11 would report these before
    // arguments that it does not know.
    if (app.get_subcommands().empty()) throw usage_error(std::string("which command? ") + command_names);
    for (const CLI::App* parsed : app.get_subcommands()) {
      refuse_empty_values(*parsed);
      refuse_values_that_were_divided(*parsed, {argv + 1, argv + argc});
    }
    is_understood = true;
    for (std::size_t i = 0; i < std::size(commands); ++i) {
      const CLI::App* subcommand = app.get_subcommands([](CLI::App*) { return true; })[i];
      if (!subcommand->parsed()) continue;
      style = commands[i].style();
      facts.command = subcommand->get_name();
      commands[i].run(facts);
    }
    require_standard_output();
    return exit_done;
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return print_asked_for(app, problem);  // --help, --version
    std::string message = problem.what(), command;
    if (!app.get_subcommands().empty()) command = app.get_subcommands().front()->get_name() + " ";
    else if (argc > 1 && argv[1][0] != '-')
      message = std::string("unknown command '") + argv[1] + "': " + command_names;
    return refuse(message + " (see ballot " + command + "--help)", report_style::human);
  } catch (const failed_elsewhere&) {
    return exit_done;
  } catch (const usage_error& problem) {
    if (!is_understood) return refuse(problem.what(), style);
    print_failure(facts, problem.what(), style);
    return exit_usage;
  } catch (const std::bad_alloc&) {
    print_failure(facts, "out of memory", style);
  } catch (const std::exception& problem) {
    print_failure(facts, problem.what(), style);
  }
  return exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  count_threads();
  return run(argc, argv);
}
