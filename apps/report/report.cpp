// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "base/failure.hpp"
#include "base/resources.hpp"
#include "base/text.hpp"
#include "report/ink.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace ballot::app {
namespace {

// The keys in the order in which one reads them.
using json = nlohmann::ordered_json;

// False, with errno, where not all of it has been written: standard error has no buffer.
bool print_to_stderr(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stderr) == text.size();
}

// Of a report that was asked for.
void require_printed(bool is_printed) {
  if (!is_printed) throw_errno("standard error: the report");
}

// File names are bytes. Bytes that are not UTF-8 are replaced, not refused.
std::string dumped(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

std::string rate(double per_second, const std::string& unit) {
  const char* prefix = "";
  for (const char* larger : {"k", "M", "G", "T"}) {
    if (per_second < 1000) break;
    per_second /= 1000;
    prefix = larger;
  }
  return fmt::format("{:.3g} {}{}/s", per_second, prefix, unit);
}

json described(const report& r) {
  const auto or_null = [](const std::string& text) { return text.empty() ? json() : json(text); };
  json object;
  object["command"] = r.command;
  object["engine"] = or_null(r.engine);
  object["engine_reason"] = or_null(r.engine_reason);
  object["device"] = or_null(r.device);
  object["input"] = or_null(r.input);
  object["output"] = or_null(r.output);
  object["dtype"] = r.type ? json(name_of(*r.type)) : json();
  return object;
}

json described(const compared_column& c) {
  json decided_by;
  if (c.line != 0) decided_by = {{"line", c.line}, {"value", c.text}};
  return {{"name", c.name},
          {"type", c.type},
          {"guessed", c.is_inferred},
          {"mixed", c.is_mixed},
          {"decided_by", decided_by}};
}

// The type of a column that was guessed, and why. One odd field makes text of numbers: that is said
// in more words.
std::string in_words(const compared_column& c) {
  std::string words = fmt::format("  {} is compared as {}", in_quotes(c.name),
                                  c.type == "missing" ? "missing values: the column is empty" : c.type);
  if (c.line != 0) words += fmt::format(", because of {} in line {}", in_quotes(c.text), c.line);
  if (c.is_mixed)
    words += ", although it also holds numbers (COLUMN:TYPE makes other fields an error, --null names missing values)";
  return words + "\n";
}

// Without a GPU nothing is transferred, and there are no kernels.
std::vector<std::pair<std::string, phase>> phases_of(const report& r) {
  if (r.engine != "cuda")
    return {{"read", phase::read}, {"compute", phase::compute}, {"write", phase::write}, {"verify", phase::verify}};
  return {{"read", phase::read},       {"transfer", phase::transfer}, {"kernel", phase::kernel},
          {"compute", phase::compute}, {"write", phase::write},       {"verify", phase::verify}};
}

}  // namespace

bool is_small(const report& r) {
  constexpr std::uint64_t small_bytes = std::uint64_t{16} << 20;
  return r.table_bytes.value_or(0) + r.count * (r.type ? size_of(*r.type) : 0) + r.detail_bytes < small_bytes;
}

void print_report(const report& r, const phase_clock& clock, report_style style) {
  if (style == report_style::none) return;
  const ink colours = ink_of(stderr);
  if (style == report_style::automatic && isatty(STDERR_FILENO) == 0 && is_small(r)) {
    // A possible mistake is reported in any case.
    for (const compared_column& c : r.columns)
      if (c.is_mixed) (void)print_to_stderr("ballot " + r.command + ":" + in_words(c));
    return;
  }
  const double total = clock.total_seconds();
  const auto per_second = [&](double amount) { return total > 0 ? amount / total : 0; };
  const std::string items = r.table_bytes ? "rows" : r.counted;
  const double items_per_second = per_second(static_cast<double>(r.count));
  std::optional<double> bytes_per_second;
  if (r.table_bytes) bytes_per_second = per_second(static_cast<double>(*r.table_bytes));
  else if (r.type) bytes_per_second = items_per_second * static_cast<double>(size_of(*r.type));
  if (style == report_style::json) {
    json object = described(r);
    object["n"] = r.count;
    if (r.count_out) object["n_out"] = *r.count_out;
    if (r.rows) object["rows"] = *r.rows;
    if (r.runs) object["runs"] = *r.runs;
    for (const auto& [name, value] : r.details) std::visit([&](const auto& known) { object[name] = known; }, value);
    object["blank_lines"] = r.blank_lines;
    for (const compared_column& c : r.columns) object["columns"].push_back(described(c));
    json& seconds = object["seconds"] = json::object();
    for (const auto& [name, which] : phases_of(r)) seconds[name] = clock.seconds(which);
    seconds["total"] = total;
    object["throughput"] = {{"items_per_second", items_per_second}};
    if (bytes_per_second) object["throughput"]["bytes_per_second"] = *bytes_per_second;
    const used_resources used = resources_used();
    object["used"] = {{"threads", used.threads},
                      {"processor_seconds", used.processor_seconds},
                      {"peak_memory_bytes", used.peak_memory}};
    object["verified"] = r.verified ? json(*r.verified) : json();
    require_printed(print_to_stderr(dumped(object)));
    return;
  }
  const std::string what =
      !r.summary.empty()
          ? r.summary
          : fmt::format("{}{}{} {}{}{}", grouped(r.count), r.type ? " " : "", r.type ? name_of(*r.type) : "", items,
                        r.count_out ? fmt::format(", {} kept", grouped(*r.count_out)) : "",
                        r.rows ? fmt::format(" in {} row{}", grouped(*r.rows), *r.rows == 1 ? "" : "s") : "") +
                (r.runs ? fmt::format(", in {} runs", grouped(*r.runs)) : "");
  std::string text = fmt::format("{} {}, engine {} ({}): {}\n", colours.bold("ballot " + r.command + ":"), what,
                                 r.engine, r.engine_reason, r.device);
  if (r.blank_lines > 0)
    text += fmt::format("  {} blank line{} skipped\n", grouped(r.blank_lines), r.blank_lines == 1 ? " was" : "s were");
  for (const compared_column& c : r.columns)
    if (c.is_inferred) text += c.is_mixed ? colours.yellow(in_words(c)) : in_words(c);
  text += "  ";
  for (const auto& [name, which] : phases_of(r)) text += fmt::format("{} {:.3f} s, ", name, clock.seconds(which));
  const used_resources used = resources_used();
  text += fmt::format("total {:.3f} s; {} thread{} took part, {:.3f} s of processor time, {} MB of memory\n  {}{}{}\n",
                      total, used.threads, used.threads == 1 ? "" : "s", used.processor_seconds,
                      grouped((used.peak_memory + 999'999) / 1'000'000), rate(items_per_second, items),
                      bytes_per_second ? ", " + rate(*bytes_per_second, "B") : "",
                      r.verified.value_or(false) ? ", " + colours.green("verified") : "");
  const bool is_printed = print_to_stderr(text);
  if (style != report_style::automatic) require_printed(is_printed);
}

void print_failure(const report& r, const std::string& message, report_style style) {
  if (style != report_style::json) {
    (void)print_to_stderr(fmt::format("{} {}\n", ink_of(stderr).red("ballot:"), message));
    return;
  }
  json object = described(r);
  object["verified"] = r.verified ? json(*r.verified) : json();
  object["error"] = message;
  (void)print_to_stderr(dumped(object));
}

}  // namespace ballot::app
