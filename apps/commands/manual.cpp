// SPDX-License-Identifier: Apache-2.0
// ballot manual: pages for man, generated from the declaration of the command line.
#include "commands/commands.hpp"
#include "commands/described_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace ballot::app {
namespace {

// Text that roff takes as it is. Backslashes and dashes are escaped, and so is a dot or a quote at
// the begin of a line.
std::string plain(std::string_view text) {
  std::string all;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) all += "\\&";
    if (c == '\\') all += "\\e";
    else if (c == '-') all += "\\-";
    else all += c;
    begins = c == '\n';
  }
  return all;
}

void print_options(const char* heading, const std::vector<described_option>& options) {
  if (options.empty()) return;
  fmt::print(".SH {}\n", heading);
  for (const described_option& o : options) {
    std::string names;
    if (!o.short_name.empty()) names += "\\fB\\-" + o.short_name + "\\fR";
    if (!o.long_name.empty()) names += (names.empty() ? "\\fB\\-\\-" : ", \\fB\\-\\-") + plain(o.long_name) + "\\fR";
    if (!o.value.empty()) names += (names.empty() ? "\\fI" : " \\fI") + plain(o.value) + "\\fR";
    fmt::print(".TP\n{}\n{}\n", names, plain(o.text));
  }
}

// The footer of a help: headings at the begin of a line, and under each its lines, which keep their
// layout.
void print_footer(std::string_view footer) {
  bool literal = false;
  while (!footer.empty()) {
    const std::size_t end = std::min(footer.find('\n'), footer.size());
    const std::string_view line = footer.substr(0, end);
    footer.remove_prefix(std::min(end + 1, footer.size()));
    if (!line.empty() && line.front() != ' ') {
      if (literal) fmt::print(".fi\n");
      fmt::print(".SH {}\n.nf\n", plain(line));
      literal = true;
    } else if (literal) {
      fmt::print("{}\n", plain(line.substr(std::min<std::size_t>(2, line.size()))));
    }
  }
  if (literal) fmt::print(".fi\n");
}

void print_page(const CLI::App& app, const described_command& page) {
  const std::string name = page.name.empty() ? "ballot" : "ballot-" + page.name;
  std::string upper;
  for (const char c : name) upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  fmt::print(".TH {} 1 \"\" \"ballot {}\" \"User Commands\"\n", upper, BALLOT_APP_VERSION);
  fmt::print(".SH NAME\n{} \\- {}\n", plain(name), plain(page.summary));
  fmt::print(".SH SYNOPSIS\n\\fBballot\\fR{}", page.name.empty() ? " \\fICOMMAND\\fR" : " \\fB" + page.name + "\\fR");
  for (const described_option& word : page.words) fmt::print(" \\fI{}\\fR", plain(word.value));
  fmt::print(" [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n", plain(page.text));
  if (page.name.empty()) {
    fmt::print(".SH COMMANDS\n");
    for (const described_command& c : describe_commands(app))
      fmt::print(".TP\n\\fBballot\\-{}\\fR(1)\n{}\n", plain(c.name), plain(c.summary));
  }
  print_options("ARGUMENTS", page.words);
  print_options("OPTIONS", page.options);
  print_footer(page.footer);
}

}  // namespace

command_run add_manual(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("manual", "print the manual page of a command");
  command.description(
      "print the manual page of ballot, or of one of its commands. `cmake --install` installs all of them.");
  command.add_option("COMMAND", *name, "the command")->type_name("");
  command.footer("\nExamples\n  ballot manual sort | man -l -");
  return {[name, &app](report&) { print_page(app, describe_command(app, command_named(app, *name, "manual"))); },
          [] { return report_style::human; }};
}

}  // namespace ballot::app
