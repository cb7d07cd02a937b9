// SPDX-License-Identifier: Apache-2.0
#include "commands/described_options.hpp"

#include "base/dtype.hpp"
#include "base/failure.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>

namespace ballot::app {
namespace {

std::vector<std::string> split(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t at; (at = text.find(between)) != text.npos; text.remove_prefix(at + between.size()))
    parts.emplace_back(text.substr(0, at));
  parts.emplace_back(text);
  return parts;
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

described_option describe(const CLI::Option& option) {
  described_option d;
  if (!option.get_lnames().empty()) d.long_name = option.get_lnames().front();
  if (!option.get_snames().empty()) d.short_name = option.get_snames().front();
  d.takes_value = option.get_items_expected_max() > 0;
  if (d.takes_value) d.value = option.get_type_name();
  d.text = on_one_line(option.get_description());
  if (d.value.find('|') != d.value.npos) d.choices = split(d.value, "|");
  else if (d.long_name == "dtype") d.choices = split(dtype_names, ", ");
  d.is_file = d.value == "FILE" || d.value == "OUTPUT" || (d.long_name.empty() && option.get_name() == "INPUT");
  d.is_directory = d.value == "DIR";
  if (d.long_name.empty() && d.value.empty()) d.value = option.get_name();
  return d;
}

}  // namespace

described_command describe_command(const CLI::App& app, const CLI::App& command) {
  described_command d;
  if (&command != &app) d.name = command.get_name();
  d.text = command.get_description();
  d.summary = on_one_line(d.text.substr(0, d.text.find(". ")));
  d.footer = command.get_footer();
  for (const CLI::Option* option : command.get_options())
    (option->get_positional() ? d.words : d.options).push_back(describe(*option));
  return d;
}

std::vector<described_command> describe_commands(const CLI::App& app) {
  std::vector<described_command> all;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(describe_command(app, *command));
  return all;
}

const CLI::App& command_named(const CLI::App& app, const std::string& name, const char* asked_by) {
  if (name.empty()) return app;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == name) return *command;
  throw usage_error(std::string(asked_by) + ": unknown command '" + name + "'");
}

}  // namespace ballot::app
