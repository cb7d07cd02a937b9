// SPDX-License-Identifier: Apache-2.0
// ballot completion: the script by which a shell completes ballot's command lines, generated from
// their declaration.
#include "base/failure.hpp"
#include "commands/commands.hpp"
#include "commands/described_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <iterator>
#include <memory>
#include <string>

namespace ballot::app {
namespace {

// Single quotes: nothing within means anything to a shell.
std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

std::string words_of(const std::vector<described_command>& commands) {
  std::string words;
  for (const described_command& c : commands) words += (words.empty() ? "" : " ") + c.name;
  return words;
}
std::string option_words(const described_command& command) {
  std::string words;
  for (const described_option& o : command.options) {
    if (!o.long_name.empty()) words += (words.empty() ? "--" : " --") + o.long_name;
    if (!o.short_name.empty()) words += (words.empty() ? "-" : " -") + o.short_name;
  }
  return words;
}
// -o|--output
std::string pattern_of(const described_option& o) {
  std::string pattern = o.short_name.empty() ? "" : "-" + o.short_name;
  if (!o.long_name.empty()) pattern += (pattern.empty() ? "--" : "|--") + o.long_name;
  return pattern;
}

void bash(const std::vector<described_command>& commands, const std::string& program_options) {
  fmt::print(R"(# bash completion for ballot
_ballot() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} {}' -- "$word"))
    return
  fi
  case $command in
)",
             words_of(commands), program_options);
  for (const described_command& c : commands) {
    fmt::print("    {})\n      case $before in\n", c.name);
    for (const described_option& o : c.options) {
      if (!o.takes_value) continue;
      if (!o.choices.empty())
        fmt::print("        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n", pattern_of(o),
                   fmt::join(o.choices, " "));
      else if (o.is_file || o.is_directory)
        fmt::print("        {}) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n",
                   pattern_of(o), o.is_directory ? "-d" : "-f");
      else fmt::print("        {}) return ;;\n", pattern_of(o));
    }
    fmt::print("      esac\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$word\")); return; fi\n",
               option_words(c));
    bool has_files = false;
    for (const described_option& w : c.words) {
      has_files |= w.is_file;
      if (!w.choices.empty())
        fmt::print("      COMPREPLY=($(compgen -W '{}' -- \"$word\")); return\n", fmt::join(w.choices, " "));
    }
    if (has_files) fmt::print("      compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\"))\n");
    fmt::print("      ;;\n");
  }
  fmt::print("  esac\n}}\ncomplete -F _ballot ballot\n");
}

// Within [...] and after a colon, _arguments reads some characters itself.
std::string for_arguments(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}
std::string zsh_action(const described_option& o) {
  if (!o.choices.empty()) return fmt::format("({})", fmt::join(o.choices, " "));
  if (o.is_file) return "_files";
  if (o.is_directory) return "_files -/";
  return " ";
}
void zsh(const std::vector<described_command>& commands) {
  fmt::print("#compdef ballot\n_ballot() {{\n  local -a commands=(\n");
  for (const described_command& c : commands) fmt::print("    {}\n", quoted(c.name + ":" + for_arguments(c.summary)));
  fmt::print(R"(  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
)");
  for (const described_command& c : commands) {
    fmt::print("    {}) _arguments -s", c.name);
    for (const described_option& o : c.options)
      for (const std::string& name :
           {o.long_name.empty() ? "" : "--" + o.long_name, o.short_name.empty() ? "" : "-" + o.short_name}) {
        if (name.empty()) continue;
        std::string spec = name + "[" + for_arguments(o.text) + "]";
        if (o.takes_value) spec += ":" + for_arguments(o.value) + ":" + zsh_action(o);
        fmt::print(" \\\n      {}", quoted("*" + spec));
      }
    for (std::size_t i = 0; i < c.words.size(); ++i)
      fmt::print(" \\\n      {}",
                 quoted(fmt::format("{}:{}:{}", i + 1, for_arguments(c.words[i].value), zsh_action(c.words[i]))));
    fmt::print(" ;;\n");
  }
  fmt::print("  esac\n}}\n_ballot \"$@\"\n");
}

void fish(const std::vector<described_command>& commands) {
  fmt::print("# fish completion for ballot\ncomplete -c ballot -f\n");
  for (const described_command& c : commands)
    fmt::print("complete -c ballot -n __fish_use_subcommand -a {} -d {}\n", c.name, quoted(c.summary));
  for (const described_command& c : commands) {
    const std::string within = fmt::format("complete -c ballot -n '__fish_seen_subcommand_from {}'", c.name);
    for (const described_option& w : c.words)
      if (w.is_file) fmt::print("{} -F\n", within);
      else if (!w.choices.empty())
        fmt::print("{} -a {}\n", within, quoted(fmt::format("{}", fmt::join(w.choices, " "))));
    for (const described_option& o : c.options) {
      std::string line = within;
      if (!o.long_name.empty()) line += " -l " + o.long_name;
      if (!o.short_name.empty()) line += " -s " + o.short_name;
      if (o.takes_value) line += o.is_file || o.is_directory ? " -rF" : " -x";
      if (!o.choices.empty()) line += " -a " + quoted(fmt::format("{}", fmt::join(o.choices, " ")));
      fmt::print("{} -d {}\n", line, quoted(o.text));
    }
  }
}

}  // namespace

command_run add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& command = *app.add_subcommand("completion", "print a script for completion in a shell");
  command.description(
      "print a script by which a shell completes ballot's command lines. `cmake --install` puts it where the "
      "shells "
      "look for it.");
  command.add_option("SHELL", *shell, "bash, zsh or fish")->type_name("bash|zsh|fish");
  command.footer(R"(
Examples
  source <(ballot completion bash)                                     # in this shell
  ballot completion fish > ~/.config/fish/completions/ballot.fish)");
  return {[shell, &app](report&) {
            const auto commands = describe_commands(app);
            if (*shell == "bash") bash(commands, option_words(describe_command(app, app)));
            else if (*shell == "zsh") zsh(commands);
            else if (*shell == "fish") fish(commands);
            else if (shell->empty()) throw usage_error("completion: SHELL is missing: bash, zsh, fish");
            else throw usage_error("completion: unknown shell '" + *shell + "': bash, zsh, fish");
          },
          [] { return report_style::human; }};
}

}  // namespace ballot::app
