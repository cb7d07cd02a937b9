// SPDX-License-Identifier: Apache-2.0
#include "commands/dry_run.hpp"

#include "base/failure.hpp"
#include "commands/run.hpp"
#include "files/output_file.hpp"
#include "files/temporary_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace ballot::app {
namespace {

constexpr auto not_read = "not read: bytes that are read from a pipe are gone";

}  // namespace

forecast begin_forecast(const char* command, const engine_choice& engine) {
  forecast f;
  f.command = command;
  f.engine = engine.chosen->name();
  f.engine_reason = engine.reason;
  f.device = engine.chosen->device();
  return f;
}

forecast_input look_at_input(const std::string& path, std::string_view format) {
  forecast_input in;
  in.path = path;
  in.format = format;
  if (path == "-") {
    in.note = not_read;
    return in;
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw_errno(path);
  if (access(path.c_str(), R_OK) != 0) throw_errno(path);
  if (S_ISDIR(status.st_mode)) throw_errno(path, EISDIR);
  if (S_ISREG(status.st_mode)) in.bytes = static_cast<std::uint64_t>(status.st_size);
  else in.note = not_read;
  return in;
}

void add_output(forecast& to, const std::string& path, std::string content) {
  to.outputs.push_back({path, std::move(content), output_file::look_at(path).replaces});
}

void add_runs(forecast& to, const std::string& directory) {
  to.temporary_directory = directory;
  if (to.temporary_bytes.value_or(0) != 0) temporary_file::require_place(directory);
}

void add_types(forecast& to, std::span<const column_type> types) {
  report recorded;
  record_columns(types, recorded);
  to.columns = std::move(recorded.columns);
}

// Files that are read behind the first. If one is a pipe, none is read.
void add_more_inputs(forecast& to, forecast_input& first, const std::vector<std::string>& paths,
                     std::string_view format) {
  for (const std::string& path : paths) {
    forecast_input in = look_at_input(path, format);
    in.content = "read behind it";
    if (first.note.empty()) first.note = in.note;
    to.inputs.push_back(std::move(in));
  }
}

void add_flags(forecast& to, const std::optional<std::string>& flags) {
  if (!flags) return;
  forecast_input in = look_at_input(*flags, "");
  in.content = "flags, a byte each";
  to.inputs.push_back(in);
}

forecast forecast_of(const scan_plan& plan) {
  forecast f = begin_forecast("scan", choose_engine(plan.engine));
  const auto names = [&] {
    switch (plan.request.format) {
      case array_format::npy:
        return "npy";
      case array_format::segy:
        return "SEG-Y";
      case array_format::text:
        return "text";
      case array_format::raw:
        break;
    }
    return "raw";
  }();
  forecast_input in = look_at_input(plan.input, names);
  in.content = "items";
  if (in.note.empty()) {
    // Read as the run reads it: only then are the rows of a text or of a SEG-Y file known to be
    // whole.
    phase_clock clock;
    const array_rows data = open_array(plan.request)->read(clock);
    (void)plan.accumulate.of(data.type);
    f.items = in.items = data.items.size() / size_of(data.type);
    in.content = fmt::format("{} items in {} rows of {}", name_of(data.type), data.rows, data.length);
    f.memory_bytes = (plan.request.format == array_format::segy ? 3 : 2) * data.items.size();
  }
  f.inputs.push_back(in);
  f.steps.push_back(plan.direction == row_direction::forward    ? "sum forward along the rows"
                    : plan.direction == row_direction::backward ? "sum backward along the rows"
                                                                : "sum forward, then backward, along the rows");
  add_output(f, plan.output, fmt::format("as many items, {}", names));
  return f;
}

}  // namespace ballot::app
