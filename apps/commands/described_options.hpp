// SPDX-License-Identifier: Apache-2.0
// The command line as it is declared, for what is generated from it: completion for shells and
// manual pages.
#pragma once

#include <ballot/core/namespace.hpp>

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ballot::app {

struct described_option {
  std::string long_name;   // without dashes; empty for a word without an option
  std::string short_name;  // one letter, or empty
  std::string value;       // what stands for the value in the help; empty for a flag
  std::string text;        // what it does, on one line
  std::vector<std::string> choices;
  bool takes_value = false;
  bool is_file = false;
  bool is_directory = false;
};

struct described_command {
  std::string name;     // of a subcommand; of the program itself empty
  std::string summary;  // one line
  std::string text;     // the description at the top of the help
  std::string footer;
  std::vector<described_option> options;
  std::vector<described_option> words;  // without an option, in their order
};

described_command describe_command(const CLI::App& app, const CLI::App& command);
// All subcommands, in the order of the help.
std::vector<described_command> describe_commands(const CLI::App& app);
// Throws a usage_error that names what there is.
const CLI::App& command_named(const CLI::App& app, const std::string& name, const char* asked_by);

}  // namespace ballot::app
