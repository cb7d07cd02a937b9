#include "common/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace ballot::app {
namespace {

// The keys in the order in which one reads them.
using json = nlohmann::ordered_json;

void print_to_stderr(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

// File names are bytes: what is not UTF-8 is replaced instead of refused.
std::string dumped(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

std::string rate(double per_second, const char* unit) {
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

}  // namespace

void print_report(const report& r, const phase_clock& clock, report_style style) {
  if (style == report_style::none) return;
  const double total = clock.total_seconds();
  const double bytes = r.table_bytes ? static_cast<double>(*r.table_bytes)
                       : r.type      ? static_cast<double>(r.count) * static_cast<double>(size_of(*r.type))
                                     : 0;
  const char* const items = r.table_bytes ? "rows" : "items";
  const double items_per_second = total > 0 ? static_cast<double>(r.count) / total : 0;
  const double bytes_per_second = total > 0 ? bytes / total : 0;
  if (style == report_style::json) {
    json object = described(r);
    object["n"] = r.count;
    if (r.count_out) object["n_out"] = *r.count_out;
    if (r.rows) object["rows"] = *r.rows;
    if (r.runs) object["runs"] = *r.runs;
    for (const auto& [name, value] : r.details) std::visit([&](auto number) { object[name] = number; }, value);
    object["blank_lines"] = r.blank_lines;
    object["seconds"] = {{"read", clock.seconds(phase::read)},     {"transfer", clock.seconds(phase::transfer)},
                         {"kernel", clock.seconds(phase::kernel)}, {"write", clock.seconds(phase::write)},
                         {"verify", clock.seconds(phase::verify)}, {"total", total}};
    object["throughput"] = {{"items_per_second", items_per_second}, {"bytes_per_second", bytes_per_second}};
    object["verified"] = r.verified ? json(*r.verified) : json();
    print_to_stderr(dumped(object));
    return;
  }
  const std::string what =
      !r.summary.empty()
          ? r.summary
          : fmt::format("{}{}{} {}{}{}", grouped(r.count), r.type ? " " : "", r.type ? name_of(*r.type) : "", items,
                        r.count_out ? fmt::format(", {} kept", grouped(*r.count_out)) : "",
                        r.rows ? fmt::format(" in {} row{}", grouped(*r.rows), *r.rows == 1 ? "" : "s") : "") +
                (r.runs ? fmt::format(", in {} runs", grouped(*r.runs)) : "");
  std::string text =
      fmt::format("ballot {}: {}, engine {} ({}): {}\n", r.command, what, r.engine, r.engine_reason, r.device);
  if (r.blank_lines > 0)
    text += fmt::format("  {} blank line{} skipped\n", grouped(r.blank_lines), r.blank_lines == 1 ? " was" : "s were");
  text += fmt::format(
      "  read {:.3f} s, transfer {:.3f} s, kernel {:.3f} s, write {:.3f} s, verify {:.3f} s, total {:.3f} s\n",
      clock.seconds(phase::read), clock.seconds(phase::transfer), clock.seconds(phase::kernel),
      clock.seconds(phase::write), clock.seconds(phase::verify), total);
  text += fmt::format("  {}, {}{}\n", rate(items_per_second, items), rate(bytes_per_second, "B"),
                      r.verified.value_or(false) ? ", verified" : "");
  print_to_stderr(text);
}

void print_failure(const report& r, const std::string& message, report_style style) {
  if (style != report_style::json) return print_to_stderr(fmt::format("ballot: {}\n", message));
  json object = described(r);
  object["verified"] = r.verified ? json(*r.verified) : json();
  object["error"] = message;
  print_to_stderr(dumped(object));
}

}  // namespace ballot::app
