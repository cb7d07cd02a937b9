// SPDX-License-Identifier: Apache-2.0
#include "processes/process_group.hpp"

#include "base/plugin.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>

namespace ballot::app {
namespace {

constexpr std::string_view plugin_name = "ballot-mpi.so";

int number_in_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  return *end == '\0' && number >= 0 && number < 1 << 30 ? static_cast<int>(number) : otherwise;
}

const ballot_mpi_functions& load() {
  const loaded_plugin found = load_plugin(plugin_name, "BALLOT_MPI_PLUGIN", ballot_mpi_entry_name);
  const auto* const functions = static_cast<const ballot_mpi_functions*>(found.functions);
  std::string problem = found.problem;
  if (functions != nullptr) {
    if (functions->version == BALLOT_MPI_PLUGIN_VERSION) return *functions;
    problem = found.place + " belongs to another version of ballot";
  }
  // Each says so: MPI has not started, and nobody knows whether the others can start it.
  throw usage_error(fmt::format(
      "started as one of {} processes, which needs MPI, by the plug-in {}: {}. It is built where CMake finds MPI "
      "(Debian, Ubuntu: libopenmpi-dev, and openmpi-bin for mpirun)",
      launched_processes(), plugin_name, problem));
}

}  // namespace

int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const int number = number_in_environment(name, 0); number > 0) return number;
  // srun gives its processes their numbers by PMIx; how many they are is Slurm's to say.
  if (std::getenv("PMIX_RANK") != nullptr) return number_in_environment("SLURM_STEP_NUM_TASKS", 1);
  return 1;
}
int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK"})
    if (const int number = number_in_environment(name, -1); number >= 0) return number;
  return 0;
}

process_group::process_group() : functions_(&load()) {
  ballot_mpi_error error{};
  check(functions_->start(&place_, &error), error);
  if (const int launched = launched_processes(); size() != launched)
    throw failure(
        fmt::format("MPI: the launcher has started {} processes, and {} ({}) knows of {}: start them by the "
                    "launcher of this MPI",
                    launched, plugin_name, library(), size()));
}
process_group::~process_group() {
  if (have_agreed_ || std::uncaught_exceptions() == exceptions_) functions_->finish();
}

void process_group::check(bool succeeded, const ballot_mpi_error& error) const {
  if (!succeeded) throw failure(fmt::format("MPI: {}", error.text));
}

void process_group::abort_all(int exit_code) const { functions_->abort(exit_code); }

void process_group::gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) const {
  ballot_mpi_error error{};
  check(functions_->gather(own.data(), all.data(), static_cast<std::int64_t>(own.size()), &error), error);
}
void process_group::broadcast(std::span<std::byte> bytes, int from) const {
  ballot_mpi_error error{};
  check(functions_->broadcast(bytes.data(), static_cast<std::int64_t>(bytes.size()), from, &error), error);
}
std::string process_group::broadcast(std::string text, int from) const {
  std::uint64_t size = text.size();
  broadcast(std::as_writable_bytes(std::span(&size, 1)), from);
  text.resize(size);
  broadcast(std::as_writable_bytes(std::span(text)), from);
  return text;
}

void process_group::together(const std::function<void()>& work) const {
  std::exception_ptr own;
  std::uint8_t has_failed = 0;
  try {
    work();
  } catch (...) {
    own = std::current_exception(), has_failed = 1;
  }
  const std::vector<std::uint8_t> all = gather(has_failed);
  for (int r = 0; r < size(); ++r) {
    if (all[static_cast<std::size_t>(r)] == 0) continue;
    have_agreed_ = true;
    if (r == rank()) std::rethrow_exception(own);
    throw failed_elsewhere();
  }
}

host_buffer process_group::exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes,
                                    std::span<const std::uint64_t> received) const {
  host_buffer all(std::accumulate(received.begin(), received.end(), std::uint64_t{0}));
  ballot_mpi_error error{};
  check(functions_->exchange(sent.data(), sizes.data(), all.data(), received.data(), &error), error);
  return all;
}

}  // namespace ballot::app
