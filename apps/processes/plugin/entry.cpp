// SPDX-License-Identifier: Apache-2.0
#include "processes/plugin.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace ballot_mpi {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 30;  // of one call: MPI counts in int

bool succeeded(int result, const char* call, ballot_mpi_error* error) {
  if (result == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  (void)MPI_Error_string(result, text, &length);
  const std::string line = std::string(call) + ": " + text;
  const std::size_t shown = std::min(line.size(), sizeof error->text - 1);
  std::memcpy(error->text, line.data(), shown);
  error->text[shown] = '\0';
  return false;
}

bool start(ballot_mpi_place* to, ballot_mpi_error* error) {
  int started = 0, provided = 0;
  if (!succeeded(MPI_Initialized(&started), "MPI_Initialized", error)) return false;
  // Other threads read files and wait for GPUs; MPI's calls are made by one.
  if (!started &&
      !succeeded(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread", error))
    return false;
  (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0, ranks = 0, local_rank = 0, local_ranks = 0;
  MPI_Comm host = MPI_COMM_NULL;
  if (!succeeded(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank", error) ||
      !succeeded(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size", error) ||
      !succeeded(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host),
                 "MPI_Comm_split_type", error) ||
      !succeeded(MPI_Comm_rank(host, &local_rank), "MPI_Comm_rank", error) ||
      !succeeded(MPI_Comm_size(host, &local_ranks), "MPI_Comm_size", error))
    return false;
  (void)MPI_Comm_free(&host);
  *to = {rank, ranks, local_rank, local_ranks};
  return true;
}

bool broadcast(void* bytes, std::int64_t count, std::int32_t from, ballot_mpi_error* error) {
  auto* at = static_cast<char*>(bytes);
  for (; count > 0; count -= most_bytes, at += most_bytes)
    if (!succeeded(MPI_Bcast(at, static_cast<int>(std::min(count, most_bytes)), MPI_BYTE, from, MPI_COMM_WORLD),
                   "MPI_Bcast", error))
      return false;
  return true;
}

bool gather(const void* own, void* all, std::int64_t count, ballot_mpi_error* error) {
  if (count > most_bytes) return succeeded(MPI_ERR_COUNT, "MPI_Allgather", error);
  return succeeded(
      MPI_Allgather(own, static_cast<int>(count), MPI_BYTE, all, static_cast<int>(count), MPI_BYTE, MPI_COMM_WORLD),
      "MPI_Allgather", error);
}

// In messages, as the counts of MPI's collective calls are int. From and to each rank in another
// order, so that not all send to one.
bool exchange(const void* sent, const std::uint64_t* counts, void* received, const std::uint64_t* from_counts,
              ballot_mpi_error* error) {
  int rank = 0, ranks = 0;
  if (!succeeded(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank", error) ||
      !succeeded(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size", error))
    return false;
  const auto begin_of = [](const std::uint64_t* of, int peer) {
    std::uint64_t begin = 0;
    for (int r = 0; r < peer; ++r) begin += of[r];
    return begin;
  };
  std::vector<MPI_Request> under_way;
  const auto add = [&](auto start, auto* at, std::uint64_t bytes, int peer, const char* call) {
    for (; bytes > 0; at += most_bytes) {
      const auto now = std::min<std::uint64_t>(bytes, most_bytes);
      under_way.emplace_back();
      if (!succeeded(start(at, static_cast<int>(now), MPI_BYTE, peer, 0, MPI_COMM_WORLD, &under_way.back()), call,
                     error))
        return false;
      bytes -= now;
      if (bytes == 0) break;
    }
    return true;
  };
  for (int step = 0; step < ranks; ++step) {
    const int from = (rank + ranks - step) % ranks;
    if (!add(MPI_Irecv, static_cast<char*>(received) + begin_of(from_counts, from), from_counts[from], from,
             "MPI_Irecv"))
      return false;
  }
  for (int step = 0; step < ranks; ++step) {
    const int to = (rank + step) % ranks;
    if (!add(MPI_Isend, static_cast<const char*>(sent) + begin_of(counts, to), counts[to], to, "MPI_Isend"))
      return false;
  }
  return succeeded(MPI_Waitall(static_cast<int>(under_way.size()), under_way.data(), MPI_STATUSES_IGNORE),
                   "MPI_Waitall", error);
}

void finish() { (void)MPI_Finalize(); }
void abort(std::int32_t exit_code) { (void)MPI_Abort(MPI_COMM_WORLD, exit_code); }

const char* library() {
  static const std::string text = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "MPI";
    int length = 0;
    (void)MPI_Get_library_version(version, &length);
    const std::string all(version, static_cast<std::size_t>(length));
    return all.substr(0, all.find_first_of(",\n"));
  }();
  return text.c_str();
}

}  // namespace
}  // namespace ballot_mpi

extern "C" __attribute__((visibility("default"))) const ballot_mpi_functions* ballot_mpi_plugin() {
  using namespace ballot_mpi;
  static const ballot_mpi_functions functions{
      BALLOT_MPI_PLUGIN_VERSION, library(), start, broadcast, gather, exchange, finish, abort};
  return &functions;
}
