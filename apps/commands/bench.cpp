// SPDX-License-Identifier: Apache-2.0
// ballot bench: runs ballot_bench on this machine's GPU, keeps its results, and shows them.
#include "base/child_process.hpp"
#include "base/failure.hpp"
#include "commands/commands.hpp"
#include "files/compression.hpp"
#include "files/output_file.hpp"
#include "files/output_name.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ballot::app {
namespace {

constexpr auto bench_help = R"(
Examples
  ballot bench -o mine.json                                  # everything, some minutes; prints a table
  ballot bench --quick --page mine.html -o mine.json         # one page of tables and plots, opens offline
  ballot bench --filter sort --keys uniform,0.201,sorted --sizes 2^20,2^24,2^28 -o sorts.json
  ballot bench --baseline before.json -o after.json          # what changed beyond the noise

Method
  Each operation runs with every contender (ballot, CUB, Thrust, the device's copy) in turn, after all results have been
  compared. The table and the page need python3; the page needs matplotlib, too.

Exit status
  0 success; 1 failure (no GPU, a wrong result, files); 2 wrong command line.)";

struct bench_options {
  std::string output, page, baseline, filter, sizes, keys;
  bool quick = false;
};

// The folder of the benchmark's program and scripts: beside the command, as built, as installed.
std::string bench_folder() {
  const std::string here = executable_folder();
  for (const std::string& folder : {here, here + "/../bench", here + "/../libexec/ballot"})
    if (access((folder + "/ballot_bench").c_str(), X_OK) == 0) return folder;
  throw failure(fmt::format(
      "the benchmark's program, ballot_bench, is not beside {}: build it (cmake -DBALLOT_BENCH=ON, needs nvcc "
      "and Google Benchmark), or run scripts/bench from the sources",
      here));
}

void show(const std::vector<std::string>& words, const std::string& results) {
  if (const int status = run_program(words); status != 0)
    throw failure(fmt::format("{} ended with {}; the results are in {}", words[1], status, results));
}

// Whether both paths name one file, by links, too. A file that is not there yet has its folder.
bool are_one_file(const std::string& a, const std::string& b) {
  std::error_code unknown;
  const auto place = std::filesystem::weakly_canonical(a, unknown);
  return !unknown && place == std::filesystem::weakly_canonical(b, unknown) && !unknown;
}

// The measurement takes minutes. What the page and the comparison need is checked before it.
void check_files(const bench_options& options) {
  if (!options.page.empty()) {
    if (options.page == "-") throw usage_error("--page -: the page goes to a file, for example mine.html");
    if (are_one_file(options.page, options.output))
      throw usage_error(fmt::format("--page {}: it would replace the results of --output", options.page));
    static_cast<void>(output_file::look_at(options.page));
  }
  if (options.baseline.empty()) return;
  for (const auto& [name, file] : {std::pair("--output", &options.output), std::pair("--page", &options.page)})
    if (!file->empty() && are_one_file(options.baseline, *file))
      throw usage_error(fmt::format("--baseline {}: {} would replace it before it is read", options.baseline, name));
  if (access(options.baseline.c_str(), R_OK) != 0)
    throw failure(fmt::format("--baseline {}: {}", options.baseline, std::strerror(errno)));
}

void run_bench(const bench_options& options, report& facts) {
  if (options.output.empty()) throw usage_error("--output is missing: the JSON file for the results");
  require_extension(options.output, {}, "JSON");
  require_extension(options.page, {}, "HTML");
  // Its own scripts read the results again, as they are.
  if (options.output == "-") throw usage_error("--output -: the results go to a file, for example mine.json");
  if (compression_of_extension(options.output) != compression::none)
    throw usage_error(fmt::format("--output {}: the results are not compressed: use {}", options.output,
                                  without_compression(options.output)));
  check_files(options);
  facts.output = options.output;
  const std::string folder = bench_folder();
  std::vector<std::string> words{folder + "/ballot_bench", "--benchmark_out_format=json"};
  if (options.quick) words.push_back("--quick");
  if (!options.sizes.empty()) words.push_back("--sizes=" + options.sizes);
  if (!options.keys.empty()) words.push_back("--keys=" + options.keys);
  if (!options.filter.empty()) words.push_back("--benchmark_filter=" + options.filter);

  output_file results(options.output);
  if (!results.is_seen_when_complete())
    throw failure(fmt::format("{}: not a regular file, and the results are read again", options.output));
  const program_result measured = run_program_with_result(words, "--benchmark_out=");
  if (measured.status == 77) throw failure("there is no usable GPU: nothing was measured");
  if (measured.status == 2) throw usage_error("ballot_bench refused these options, see above");
  if (measured.status != 0)
    throw failure(fmt::format("ballot_bench ended with {}: no results were written", measured.status));
  results.write(std::as_bytes(std::span(measured.written)));
  results.commit();

  std::vector<std::string> table{"python3", folder + "/report.py", options.output};
  std::vector<std::string> page{"python3", folder + "/page.py", options.output, "--output", options.page};
  if (!options.baseline.empty())
    for (auto* words_of : {&table, &page}) words_of->insert(words_of->end(), {"--baseline", options.baseline});
  show(table, options.output);
  if (!options.page.empty()) show(page, options.output);
}

}  // namespace

command_run add_bench(CLI::App& app) {
  const auto options = std::make_shared<bench_options>();
  CLI::App& command = *app.add_subcommand("bench", "compare ballot with CUB, Thrust and a copy on this machine's GPU");
  command.add_option("-o,--output", options->output, "the JSON file for the results (required)")->type_name("FILE");
  command.add_option("--page", options->page, "one HTML page with tables and plots")->type_name("FILE");
  command.add_option("--baseline", options->baseline, "older results to compare with")->type_name("FILE");
  command
      .add_option("--filter", options->filter, "run only operations that match, for example sort or scan_i32/n:1048576")
      ->type_name("REGEX");
  command
      .add_option("--sizes", options->sizes,
                  "numbers of items, also as 2^K, less than 2^31 (default\n2^16,2^20,2^24,2^28, and for some "
                  "operations 2^30 or 10^8)")
      ->type_name("N,...");
  command
      .add_option("--keys", options->keys,
                  "spread of sort keys: uniform (default), 0.544, 0.201, and:K,\nfew:K, sorted, reversed, constant")
      ->type_name("SPREAD,...");
  command.add_flag("--quick", options->quick, "all sizes but 2^24, 3 repetitions: a first look");
  command.footer(bench_help);
  return {[options](report& facts) { run_bench(*options, facts); }, [] { return report_style::human; }};
}

}  // namespace ballot::app
