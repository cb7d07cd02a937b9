// SPDX-License-Identifier: Apache-2.0
// A rank that dies in mid-sort: the other one's call ends with communication_error, and it can
// leave. Two processes, a GPU each; with the argument `share`, they write into each other's memory.
// Leaves with 77 where there are not two GPUs.
#include <ballot/distributed/nccl.cuh>
#include <ballot/distributed/sort.cuh>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::uint64_t n = 1 << 20;
constexpr std::chrono::seconds patience{5};

void must(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "killed_rank: %s\n", what);
  _exit(1);
}

// A communicator whose rank dies where it is to start its exchange: the others have counted with
// it, and wait for items.
class dying_communicator : public ballot::distributed::nccl_communicator {
 public:
  using nccl_communicator::nccl_communicator;
  bool dies = false;
  void start_exchange(cudaStream_t stream, std::span<const ballot::distributed::message> sends,
                      std::span<const ballot::distributed::message> receives) {
    if (dies) (void)kill(getpid(), SIGKILL);
    nccl_communicator::start_exchange(stream, sends, receives);
  }
  void start_copies(cudaStream_t stream, std::span<const ballot::distributed::peer_copy> copies) {
    if (dies) (void)kill(getpid(), SIGKILL);
    nccl_communicator::start_copies(stream, copies);
  }
};

void run_rank(int rank, const ncclUniqueId& id, bool shares) {
  must(cudaSetDevice(rank) == cudaSuccess, "cudaSetDevice");
  ncclComm_t nccl;
  must(ncclCommInitRank(&nccl, 2, id, rank) == ncclSuccess, "ncclCommInitRank");
  auto* const comm = new dying_communicator(nccl, patience);
  cudaStream_t stream;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "cudaStreamCreateWithFlags");
  const std::size_t bytes = ballot::distributed::sort_scratch_bytes<std::uint32_t>(2, n, n);
  std::uint32_t* items;
  std::byte* scratch;
  must(cudaMalloc(&items, 2 * n * 4) == cudaSuccess && cudaMalloc(&scratch, bytes) == cudaSuccess, "cudaMalloc");
  std::vector<std::uint32_t> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>((i + n * unsigned(rank)) * 2654435761u);
  must(cudaMemcpy(items, keys.data(), n * 4, cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
  const ballot::exec gpu(stream, std::span(scratch, bytes));
  if (shares) must(comm->share_mailboxes() && comm->share(gpu.scratch()), "the ranks do not reach each other's memory");
  const auto sort = [&] {
    ballot::distributed::sort(*comm, gpu, std::span<const std::uint32_t>(items, n), std::span(items + n, n));
  };
  sort();
  must(cudaStreamSynchronize(stream) == cudaSuccess, "a first sort");
  comm->dies = rank == 1;
  // This rank's work so far ends before the exchange. The next sort has to notice. NCCL may notice,
  // too, and earlier.
  bool noticed = false;
  const auto begin = std::chrono::steady_clock::now();
  try {
    sort();
    sort();
  } catch (const ballot::distributed::communication_error& e) {
    std::printf("killed_rank: rank %d: %s\n", rank, e.what());
    noticed = true;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  must(noticed, "nobody noticed that a rank is dead");
  must(took < patience + std::chrono::seconds(10), "it took too long to notice");
  comm->abandon();
  (void)ncclCommAbort(nccl);
  must(cudaStreamSynchronize(stream) == cudaSuccess, "the stream after the abort");
  bool has_ended = false;  // NCCL's communicator is no more
  try {
    (void)comm->share({});
  } catch (const ballot::distributed::communication_error&) {
    has_ended = true;
  }
  must(has_ended, "a call began though the communicator was given up");
  delete comm;
  std::printf("killed_rank: rank %d left after %.1f s\n", rank, took.count());
}

}  // namespace

int main(int argc, char** argv) {
  const bool shares = argc > 1 && std::strcmp(argv[1], "share") == 0;
  int count[2], to_second[2];
  must(pipe(count) == 0 && pipe(to_second) == 0, "pipe");
  if (fork() == 0) {  // asked in a process of its own: a process that has used CUDA cannot fork
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
    must(write(count[1], &devices, sizeof devices) == sizeof devices, "write");
    _exit(0);
  }
  int devices = 0;
  must(read(count[0], &devices, sizeof devices) == sizeof devices, "read");
  wait(nullptr);
  if (devices < 2) {
    std::fprintf(stderr, "not run: %d GPUs, two are needed\n", devices);
    return 77;
  }
  ncclUniqueId id;
  const pid_t second = fork();
  if (second == 0) {
    must(read(to_second[0], &id, sizeof id) == sizeof id, "read");
    run_rank(1, id, shares);
    _exit(0);
  }
  must(ncclGetUniqueId(&id) == ncclSuccess, "ncclGetUniqueId");
  must(write(to_second[1], &id, sizeof id) == sizeof id, "write");
  run_rank(0, id, shares);
  int status = 0;
  must(waitpid(second, &status, 0) == second && WIFSIGNALED(status), "the second rank was not killed");
  return 0;
}
