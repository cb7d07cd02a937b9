// SPDX-License-Identifier: Apache-2.0
#include "report/forecast.hpp"

#include "base/text.hpp"
#include "report/ink.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace ballot::app {
namespace {

using json = nlohmann::ordered_json;

std::string size_in_words(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} bytes", grouped(bytes));
  double amount = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* larger : {"KB", "MB", "GB", "TB"}) {
    if (amount < 1000) break;
    amount /= 1000;
    unit = larger;
  }
  return fmt::format("{:.3g} {}", amount, unit);
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}
json or_null(const std::string& text) { return text.empty() ? json() : json(text); }

void print_json(const forecast& f) {
  json object;
  object["command"] = f.command;
  object["dry_run"] = true;
  object["inputs"] = json::array();
  for (const forecast_input& in : f.inputs)
    object["inputs"].push_back({{"path", in.path},
                                {"format", or_null(in.format)},
                                {"bytes", or_null(in.bytes)},
                                {"n", or_null(in.items)},
                                {"content", in.content},
                                {"note", or_null(in.note)}});
  object["n"] = or_null(f.items);
  object["columns"] = json::array();
  for (const compared_column& c : f.columns) {
    json decided_by;
    if (c.line != 0) decided_by = {{"line", c.line}, {"value", c.text}};
    object["columns"].push_back({{"name", c.name},
                                 {"type", c.type},
                                 {"guessed", c.is_inferred},
                                 {"mixed", c.is_mixed},
                                 {"decided_by", decided_by}});
  }
  object["engine"] = f.engine;
  object["engine_reason"] = f.engine_reason;
  object["device"] = f.device;
  if (f.processes > 1) object["processes"] = f.processes;
  object["memory_bytes"] = or_null(f.memory_bytes);
  object["temporary_bytes"] = or_null(f.temporary_bytes);
  object["temporary_directory"] = or_null(f.temporary_directory);
  object["steps"] = f.steps;
  object["outputs"] = json::array();
  for (const forecast_output& out : f.outputs)
    object["outputs"].push_back(
        {{"path", out.path}, {"content", out.content}, {"replaces_bytes", or_null(out.replaces)}});
  fmt::print("{}\n", object.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string shown(const std::string& path, const char* standard) { return path == "-" ? standard : path; }

void print_text(const forecast& f) {
  const ink colours = ink_of(stdout);
  const auto line = [&](const char* what, const std::string& text) {
    fmt::print("{} {}\n", colours.bold(fmt::format("{:<8}", what)), text);
  };
  fmt::print("ballot {} would do this (--dry-run: nothing is written)\n", f.command);
  for (const forecast_input& in : f.inputs) {
    std::string text = shown(in.path, "standard input");
    if (in.bytes) text += ", " + size_in_words(*in.bytes);
    if (!in.format.empty()) text += ", " + in.format;
    if (in.items) text += fmt::format(": {} {}", grouped(*in.items), in.content);
    else text += fmt::format(": {}", in.content);
    if (!in.note.empty()) text += fmt::format(" ({})", in.note);
    line("read", text);
  }
  // Of a single file its line has said it.
  if (f.items && !f.inputs.empty() && f.items != f.inputs.front().items)
    line("in all", fmt::format("{} {}", grouped(*f.items), f.inputs.front().content));
  for (const compared_column& c : f.columns) {
    std::string text =
        fmt::format("{} as {}", in_quotes(c.name), c.type == "missing" ? "missing values: it is empty" : c.type);
    if (!c.is_inferred) text += ", as it is given";
    else if (c.line != 0) text += fmt::format(", because of {} in line {}", in_quotes(c.text), c.line);
    if (c.is_mixed) text = colours.yellow(text + ", although it also holds numbers");
    line("column", text);
  }
  for (const std::string& step : f.steps) line("do", step);
  line("engine", fmt::format("{} ({}): {}", f.engine, f.engine_reason, f.device));
  line("memory", !f.memory_bytes ? "known only when it is read"
                                 : fmt::format("about {}{}", size_in_words(*f.memory_bytes),
                                               f.processes > 1 ? " in each process" : ""));
  if (!f.temporary_directory.empty()) {
    if (!f.temporary_bytes) line("runs", fmt::format("in {}, if it does not fit into memory", f.temporary_directory));
    else if (*f.temporary_bytes == 0) line("runs", "none: it fits into memory");
    else line("runs", fmt::format("about {} in {}", size_in_words(*f.temporary_bytes), f.temporary_directory));
  }
  for (const forecast_output& out : f.outputs) {
    std::string text = shown(out.path, "standard output") + ": " + out.content;
    if (out.replaces) text += fmt::format(", in place of a file of {}", size_in_words(*out.replaces));
    line("write", text);
  }
}

}  // namespace

void print_forecast(const forecast& f, report_style style) {
  if (style == report_style::json) print_json(f);
  else print_text(f);
}

}  // namespace ballot::app
