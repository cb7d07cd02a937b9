// SPDX-License-Identifier: Apache-2.0
// Registers every contender of every operation with Google Benchmark as
// OPERATION/n:N/MODE/CONTENDER, checks all answers, and only then takes times. Leaves with 1 where
// an answer is wrong or a call fails, with 77 where there is no GPU.
#include <ballot/core/namespace.hpp>

#include "all_operations.hpp"
#include "context.hpp"
#include "harness.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ballot::bench {
namespace {

// Timing happens in the second of two rounds through the same selection of benchmarks.
struct run_state {
  std::unique_ptr<harness> device;
  bool checking = true;
  bool failed = false;
  std::set<std::string> checked;
  std::optional<progress> shown;
};

// In the first round Google Benchmark only serves to go through what was selected.
class silent_reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// Enough for a stable mean; repetitions, which interleave, do the rest.
benchmark::IterationCount iterations_for(std::uint64_t n, mode how) {
  if (how != mode::call) return 4;
  return n <= std::uint64_t{1} << 20 ? 40 : n <= std::uint64_t{1} << 24 ? 20 : 3;
}

constexpr std::uint64_t largest_burst = std::uint64_t{1} << 20;

void run_one(benchmark::State& state, run_state& run, const std::string& name, const operation& task,
             const contender& who, mode how, std::uint64_t n) try {
  if (run.shown) run.shown->step(name);
  if (run.checking) {
    if (run.checked.insert(name).second) run.device->check(task, who, how, n);
    for (auto _ : state) state.SetIterationTime(1);
    return;
  }
  harness::timing timing(*run.device, task, who, how, n);
  for (auto _ : state) state.SetIterationTime(timing.seconds());
  const std::uint64_t items = items_of(task, n);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes_moved(task, items)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
} catch (const std::exception& error) {
  run.failed = true;
  std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
  state.SkipWithError(error.what());
}

void add(run_state& run, const operation& task, const contender& who, mode how, std::uint64_t n) {
  const std::string name = task.name + "/n:" + std::to_string(n) + "/" + name_of(how) + "/" + who.name;
  benchmark::RegisterBenchmark(
      name.c_str(),
      [&run, &task, &who, how, n, name](benchmark::State& state) { run_one(state, run, name, task, who, how, n); })
      ->Iterations(iterations_for(n, how))
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

// At which sizes an operation runs. `room`: the device memory that one operation may take.
std::vector<std::uint64_t> sizes_of(const operation& task, const options& chosen, std::size_t room) {
  std::vector<std::uint64_t> sizes = chosen.sizes;
  if (!chosen.sizes_were_asked_for) sizes.insert(sizes.end(), task.also_at.begin(), task.also_at.end());
  std::erase_if(sizes, [&](std::uint64_t n) {
    if (items_of(task, n) == 0) return true;
    if (chosen.list || harness::bytes_needed(task, n) <= room) return false;
    std::fprintf(stderr, "left out: %s of %llu items, the device's memory is too small\n", task.name.c_str(),
                 static_cast<unsigned long long>(n));
    return true;
  });
  return sizes;
}

// All but a margin: the harness gives back what an operation does not need where another one needs
// the room.
std::size_t memory_of_one_operation() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free - free / 32;
}

void add_all(run_state& run, std::vector<operation>& tasks, const options& chosen) {
  const std::size_t room = chosen.list ? 0 : memory_of_one_operation();
  for (operation& task : tasks) {
    if (!task.in_registers) task.contenders.push_back(copy_for(task));
    for (const std::uint64_t n : sizes_of(task, chosen, room)) {
      for (const contender& who : task.contenders) {
        if (who.only_reference) continue;
        add(run, task, who, mode::call, n);
        if (n > largest_burst || who.waits || who.prepare || task.in_registers) continue;
        add(run, task, who, mode::burst, n);
        add(run, task, who, mode::graph, n);
      }
    }
  }
}

int run_benchmarks(std::vector<char*> arguments) {
  options chosen = take_options(arguments);
  int argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  bool writes_file = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = arguments[static_cast<std::size_t>(i)];
    writes_file |= word.starts_with("--benchmark_out=");
    if (word == "--help") std::printf("ballot_bench: Google Benchmark's options, and\n%s\n", options::help);
  }
  benchmark::Initialize(&argc, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) {
    std::fprintf(stderr, "beside Google Benchmark's options there are:\n%s", options::help);
    return 2;
  }
  int count = 0;
  if (!chosen.list && (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)) {
    std::fprintf(stderr, "ballot_bench: no usable GPU (%s)\n", cudaGetErrorString(cudaGetLastError()));
    return 77;
  }

  std::vector<operation> tasks = all_operations(chosen.spreads);
  run_state run;
  if (!chosen.list) {
    run.device = std::make_unique<harness>();
    for (const auto& [key, value] : context_of_run()) benchmark::AddCustomContext(key, value);
  }
  add_all(run, tasks, chosen);
  if (chosen.list) return benchmark::RunSpecifiedBenchmarks() == 0 ? 2 : 0;

  silent_reporter display, file;
  const std::size_t selected = benchmark::RunSpecifiedBenchmarks(&display, writes_file ? &file : nullptr);
  if (run.failed) return 1;
  std::fprintf(stderr, "%zu answers are right\n", selected);
  run.checking = false;
  run.shown.emplace("measuring", selected * chosen.repetitions);
  benchmark::RunSpecifiedBenchmarks();
  run.shown.reset();
  benchmark::Shutdown();
  return run.failed || selected == 0 ? 1 : 0;
}

}  // namespace
}  // namespace ballot::bench

int main(int argc, char** argv) try {
  return ballot::bench::run_benchmarks({argv, argv + argc});
} catch (const std::exception& error) {
  std::fprintf(stderr, "ballot_bench: %s\n", error.what());
  return 2;
}
