// SPDX-License-Identifier: Apache-2.0
// ballot_bench_grid: measures the grid (grid.hpp), and writes the medians as JSON for
// bench/grid_report.py. Exit status: 1 if an answer is wrong or a call fails, 2 if the arguments
// are wrong, 77 if there is no GPU.
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"
#include "context.hpp"
#include "grid.hpp"
#include "progress.hpp"
#include "sizes.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <regex>
#include <stdexcept>

namespace ballot::bench {
namespace {

constexpr const char* help =
    "ballot_bench_grid: what people do, at sizes that are no powers of two; medians as JSON\n"
    "  --quick           fewer sizes, distributions and rounds: about 2 minutes\n"
    "  --out=FILE        default: standard output\n"
    "  --sizes=N,...     numbers of items, also as 2^K\n"
    "  --offset=N        each range begins so many items behind an aligned address\n"
    "  --filter=REGEX    operations whose name contains it\n"
    "  --seconds=N       begin no further case after so long\n"
    "  --list            names only: needs no GPU\n";

struct grid_options {
  bool list = false, help = false;
  grid_effort effort;
  std::vector<std::uint64_t> sizes;
  std::uint64_t offset = 0;
  std::string out, filter;
  double seconds = 1e9;
};

struct measured {
  std::vector<grid_row> rows;
  std::vector<std::string> failed;  // cases, and why
};

grid_options parse(int argc, char** argv) {
  grid_options chosen;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") chosen.effort.quick = true;
    else if (word == "--list") chosen.list = true;
    else if (word == "--help" || word == "-h") chosen.help = true;
    else if (word.starts_with("--out=")) chosen.out = word.substr(6);
    else if (word.starts_with("--filter=")) chosen.filter = word.substr(9);
    else if (word.starts_with("--offset=")) chosen.offset = parse_size(word.substr(9));
    else if (word.starts_with("--seconds=")) chosen.seconds = std::stod(word.substr(10));
    else if (word.starts_with("--sizes=")) chosen.sizes = parse_sizes(word.substr(8));
    else throw std::invalid_argument("unknown: " + word + "\n" + help);
  }
  if (!chosen.sizes.empty()) return chosen;
  if (chosen.effort.quick) chosen.sizes = {1'000, 65'537, 1'000'003, 12'000'017, 50'000'017};
  else
    chosen.sizes = {
        1'000, 10'007, 65'537, 300'007, 1'000'003, 5'000'011, 12'000'017, 50'000'017, (std::uint64_t{1} << 28) - 3};
  return chosen;
}

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", std::gmtime(&time));
  return text;
}

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c < ' ' && c >= 0 ? ' ' : c;
  }
  return all + '"';
}

void write(std::FILE* file, const measured& all) {
  const std::vector<grid_row>& rows = all.rows;
  std::fprintf(file, "{\"context\": {\n \"date\": %s", quoted(now()).c_str());
  for (const auto& [key, value] : context_of_run())
    std::fprintf(file, ",\n %s: %s", quoted(key).c_str(), quoted(value).c_str());
  std::fprintf(file, "},\n\"failed\": [");
  for (const std::string& one : all.failed)
    std::fprintf(file, "%s%s", &one == all.failed.data() ? "" : ", ", quoted(one).c_str());
  std::fprintf(file, "],\n\"grid\": [\n");
  for (const grid_row& row : rows) {
    std::fprintf(file, "%s{\"case\": %s, \"n\": %llu, \"mode\": \"%s\", \"us\": {", &row == rows.data() ? "" : ",\n",
                 quoted(row.name).c_str(), static_cast<unsigned long long>(row.n), name_of(row.how));
    const char* between = "";
    for (const auto& [who, seconds] : row.seconds) {
      std::fprintf(file, "%s%s: %.5g", between, quoted(who).c_str(), 1e6 * seconds);
      between = ", ";
    }
    std::fprintf(file, "}}");
  }
  std::fprintf(file, "\n]}\n");
}

std::size_t room_on_device() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free - free / 32;
}

// Before the measurement, which takes minutes. What is in the file stays.
void require_writable(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (file == nullptr || std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

measured measure_all(const grid_options& chosen, const std::vector<operation>& tasks) {
  using clock = std::chrono::steady_clock;
  const clock::time_point begin = clock::now();
  harness device;
  const std::size_t room = room_on_device();
  progress shown("measuring", chosen.sizes.size() * tasks.size());
  measured all;
  std::size_t left_out = 0;
  for (const std::uint64_t n : chosen.sizes) {
    for (const operation& task : tasks) {
      const std::string name = task.name + "/n:" + std::to_string(n);
      shown.step(name);
      if (items_of(task, n) == 0) continue;
      if (std::chrono::duration<double>(clock::now() - begin).count() > chosen.seconds) {
        ++left_out;
        continue;
      }
      try {
        if (harness::bytes_needed(task, n) > room) {
          std::fprintf(stderr, "left out: %s, the device's memory is too small\n", name.c_str());
          continue;
        }
        const std::vector<grid_row> rows = measure_case(device, task, n, chosen.effort);
        all.rows.insert(all.rows.end(), rows.begin(), rows.end());
      } catch (const std::exception& error) {
        all.failed.push_back(name + ": " + error.what());
        std::fprintf(stderr, "%s\n", all.failed.back().c_str());
      }
    }
  }
  if (left_out != 0)
    std::fprintf(stderr, "left out: the last %zu cases, because the time is over (--seconds)\n", left_out);
  return all;
}

int run(int argc, char** argv) {
  const grid_options chosen = parse(argc, argv);
  if (chosen.help) {
    std::fputs(help, stdout);
    return 0;
  }
  std::vector<operation> tasks = grid_operations(chosen.effort.quick);
  if (chosen.offset != 0) begin_all_at(tasks, chosen.offset);
  if (!chosen.filter.empty()) {
    const std::regex filter(chosen.filter);
    std::erase_if(tasks, [&](const operation& task) { return !std::regex_search(task.name, filter); });
  }
  if (chosen.list) {
    for (const operation& task : tasks) {
      std::printf("%s:", task.name.c_str());
      for (const contender& who : task.contenders)
        std::printf(" %s%s", who.name.c_str(), who.only_reference ? " (reference)" : "");
      std::printf("\n");
    }
    return 0;
  }
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::fprintf(stderr, "ballot_bench_grid: no usable GPU (%s)\n", cudaGetErrorString(cudaGetLastError()));
    return 77;
  }
  if (!chosen.out.empty()) require_writable(chosen.out);
  const measured all = measure_all(chosen, tasks);
  if (all.rows.empty() && all.failed.empty()) throw std::invalid_argument("nothing was measured");
  std::FILE* const file = chosen.out.empty() ? stdout : std::fopen(chosen.out.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("cannot write " + chosen.out);
  write(file, all);
  const bool is_written = std::fflush(file) == 0 && std::ferror(file) == 0;
  if ((file != stdout && std::fclose(file) != 0) || !is_written)
    throw std::runtime_error("cannot write " + (chosen.out.empty() ? std::string("the results") : chosen.out));
  return all.failed.empty() ? 0 : 1;
}

}  // namespace
}  // namespace ballot::bench

int main(int argc, char** argv) try { return ballot::bench::run(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "ballot_bench_grid: %s\n", error.what());
  return 2;
}
