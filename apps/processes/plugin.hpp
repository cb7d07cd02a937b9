// SPDX-License-Identifier: Apache-2.0
// The interface of ballot-mpi.so to the command: MPI behind functions of C. It is for the start of
// several processes and for their messages (names, sizes, keys at the ends of parts, errors).
// Between GPUs items go by NCCL; between processes that sort without one, by MPI, too.
//
// It is a plug-in, because MPI's libraries do not exist on most machines, and every implementation
// has a binary interface of its own. The command stays one file, and the plug-in is built on the
// cluster.
#pragma once

#include <cstdint>

extern "C" {

// Changes with every change below.
#define BALLOT_MPI_PLUGIN_VERSION 1

struct ballot_mpi_error {
  char text[1024];
};

struct ballot_mpi_place {
  std::int32_t rank, ranks;
  std::int32_t local_rank, local_ranks;  // among those of this host
};

// Functions that return bool set the error where it is false. All but abort are collective.
struct ballot_mpi_functions {
  std::int32_t version;
  const char* library;  // "Open MPI v4.1.4, ..."

  bool (*start)(ballot_mpi_place* to, ballot_mpi_error*);  // once a process
  bool (*broadcast)(void* bytes, std::int64_t count, std::int32_t from, ballot_mpi_error*);
  bool (*gather)(const void* own, void* all, std::int64_t count, ballot_mpi_error*);  // of each, in their order
  // Bytes of each to each, one behind the other: `counts` by receiver, `from_counts` by sender.
  bool (*exchange)(const void* sent, const std::uint64_t* counts, void* received, const std::uint64_t* from_counts,
                   ballot_mpi_error*);
  void (*finish)();                       // nothing after it
  void (*abort)(std::int32_t exit_code);  // ends the processes of all ranks; does not return
};

using ballot_mpi_entry = const ballot_mpi_functions*();
inline constexpr char ballot_mpi_entry_name[] = "ballot_mpi_plugin";
}
