// SPDX-License-Identifier: Apache-2.0
// Several processes that make one run together, as mpirun starts them: their numbers and their
// messages to each other. By the plug-in ballot-mpi.so (plugin.hpp).
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/failure.hpp"
#include "base/host_buffer.hpp"
#include "processes/plugin.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ballot::app {

// How many processes the launcher says that there are, in the environment of each; 1 where there is
// no launcher. Open MPI, MPICH and its relatives, and Slurm's steps are known.
int launched_processes();
// This process's number among them, as far as it is known before MPI has started.
int launched_rank();

// Another process has failed and reports why. This one prints nothing and exits with success. If it
// exited with an error, the launcher would end all processes, perhaps before the other one has
// printed its message.
class failed_elsewhere : public std::runtime_error {
 public:
  failed_elsewhere() : std::runtime_error("another process has failed") {}
};

// All of it is collective, where it does not say otherwise: every process makes the same calls.
class process_group {
 public:
  // Throws usage_error if there is no plug-in, and says which package to install; and failure if
  // MPI knows of other processes than the launcher.
  process_group();
  // Ends MPI, unless this process leaves by an error that the others do not know about. Then
  // abort_all() ends them.
  ~process_group();
  process_group(const process_group&) = delete;
  process_group& operator=(const process_group&) = delete;

  // Not collective.
  int rank() const { return place_.rank; }
  int size() const { return place_.ranks; }
  int local_rank() const { return place_.local_rank; }
  std::string library() const { return functions_->library; }

  template <class T>
  std::vector<T> gather(const T& own) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    gather_bytes(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
    return all;
  }
  void gather_bytes(std::span<const std::byte> own, std::span<std::byte> all) const;
  void broadcast(std::span<std::byte> bytes, int from) const;
  std::string broadcast(std::string text, int from) const;  // of that rank, on all

  // Runs the work that each process does by itself. If one of them fails, all leave: that process
  // by its error, the others by failed_elsewhere. If several fail, the first one says why.
  void together(const std::function<void()>& work) const;
  // Whether all leave because of a failure that one of them says.
  bool has_agreed_to_leave() const { return have_agreed_; }
  // Not collective: ends all processes, of which the others may wait for this one. Does not return.
  void abort_all(int exit_code) const;
  // Items go from each process to each other one: `sent`, of these sizes by receiver. Returns those
  // that come, by sender; `received`: their sizes.
  host_buffer exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes,
                       std::span<const std::uint64_t> received) const;

 private:
  void check(bool succeeded, const ballot_mpi_error& error) const;

  const ballot_mpi_functions* functions_;
  ballot_mpi_place place_{};
  int exceptions_ = std::uncaught_exceptions();
  mutable bool have_agreed_ = false;  // to leave
};

}  // namespace ballot::app
