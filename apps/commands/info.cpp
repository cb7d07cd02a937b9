// SPDX-License-Identifier: Apache-2.0
// ballot info
#include "columnar/library.hpp"
#include "commands/commands.hpp"
#include "engines/engine.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace ballot::app {
namespace {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

double gibibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

void print_json(const cuda_status& cuda, const std::string& cpu, const arrow_library_state& arrow) {
  using json = nlohmann::ordered_json;
  const auto or_null = [](const std::string& text) { return text.empty() ? json() : json(text); };
  json devices = json::array();
  for (const cuda_device& d : cuda.devices)
    devices.push_back({{"index", d.index},
                       {"name", d.name},
                       {"compute_capability", d.compute_capability},
                       {"memory_bytes", d.memory_bytes},
                       {"free_bytes", d.free_bytes}});
  json object;
  object["command"] = "info";
  object["version"] = BALLOT_APP_VERSION;
  object["auto"] = {{"engine", cuda.usable ? "cuda" : "cpu"},
                    {"reason", cuda.usable ? "there is a usable GPU" : cuda.reason}};
  object["cuda"] = {{"compiled", cuda.compiled},
                    {"usable", cuda.usable},
                    {"reason", or_null(cuda.reason)},
                    {"toolkit", or_null(cuda.toolkit)},
                    {"runtime", or_null(cuda.runtime)},
                    {"driver", or_null(cuda.driver)},
                    {"devices", devices}};
  object["cpu"] = {{"device", cpu}};
  object["arrow"] = {{"library", or_null(arrow.name)}, {"reason", or_null(arrow.reason)}};
  print(object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

void print_text(const cuda_status& cuda, const std::string& cpu, const arrow_library_state& arrow) {
  const auto or_dash = [](const std::string& text) { return text.empty() ? std::string("-") : text; };
  print(fmt::format("ballot {}\n", BALLOT_APP_VERSION));
  print(fmt::format("cuda: {}\n", cuda.usable ? "usable" : "not usable: " + cuda.reason));
  if (cuda.compiled)
    print(fmt::format("  toolkit {}, runtime {}, driver {}\n", or_dash(cuda.toolkit), or_dash(cuda.runtime),
                      or_dash(cuda.driver)));
  for (const cuda_device& d : cuda.devices)
    print(fmt::format("  GPU {}: {}, compute capability {}, {:.1f} GiB, {:.1f} GiB free\n", d.index, d.name,
                      d.compute_capability, gibibytes(d.memory_bytes), gibibytes(d.free_bytes)));
  print(fmt::format("cpu: {}\n", cpu));
  print(fmt::format("Arrow and Parquet: {}\n", arrow.name.empty() ? "no library: " + arrow.reason : arrow.name));
  print(fmt::format("--engine auto uses {}: {}\n", cuda.usable ? "cuda" : "cpu",
                    cuda.usable ? "there is a usable GPU" : cuda.reason));
}

}  // namespace

command_run add_info(CLI::App& app) {
  const auto as_json = std::make_shared<bool>(false);
  CLI::App& command = *app.add_subcommand(
      "info", "show the devices of this machine, the engine that --engine auto uses, and the library for Parquet");
  command.add_flag("--json", *as_json, "one JSON object");
  return {[as_json](report&) {
            cuda_status cuda = probe_cuda();
            if (cuda.usable) add_free_memory(cuda);
            const std::string cpu = make_cpu_engine()->device();
            const arrow_library_state arrow = find_arrow_library();
            *as_json ? print_json(cuda, cpu, arrow) : print_text(cuda, cpu, arrow);
          },
          [as_json] { return *as_json ? report_style::json : report_style::human; }};
}

}  // namespace ballot::app
