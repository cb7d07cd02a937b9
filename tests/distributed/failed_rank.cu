// SPDX-License-Identifier: Apache-2.0
// A GPU of `ballot sort` that fails while the others wait for it: all end soon, and the failure is
// the one that is said. With the argument `threads`, GPUs of one process (--gpus N); with
// `processes`, two processes. Leaves with 77 where there are not two GPUs. A hang ends by an alarm.
#include "engines/gpus/process_rank.hpp"
#include "engines/gpus/ranks.hpp"

#include <ballot/device/memory.cuh>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace ballot;
using namespace std::chrono_literals;

constexpr std::size_t n = 1 << 16;

void must(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "failed_rank: %s\n", what.c_str());
  _exit(1);
}

// What the work throws; it takes no longer than `most`.
std::string failure_of(const char* name, std::chrono::seconds most, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  std::string said;
  try {
    work();
  } catch (const std::exception& problem) {
    said = problem.what();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("failed_rank: %s: %.1f s: %s\n", name, took.count(), said.c_str());
  std::fflush(stdout);
  must(took < most, std::string(name) + ": it took too long");
  return said;
}

// Buffers of a rank, for calls that all ranks make.
struct rank_call {
  app::thread_ranks& all;
  int rank;
  device_buffer in{n, all.stream(rank)}, out{n * static_cast<std::size_t>(all.size()), all.stream(rank)};

  void gather() { all.comm(rank).all_gather(all.stream(rank), in.data(), out.data(), n); }
  void wait() { all.comm(rank).wait_for(all.stream(rank), 60s); }
  // From and to the next rank, which needs connections of its own.
  void exchange() {
    const int next = (rank + 1) % all.size(), last = (rank + all.size() - 1) % all.size();
    const std::vector<distributed::message> sends{{next, in.data(), n}}, receives{{last, out.data(), n}};
    all.comm(rank).start_exchange(all.stream(rank), sends, receives);
    all.comm(rank).finish_exchange(all.stream(rank));
  }
};

// The last rank fails. The others do the work, with ranks that have met before, or not.
void fail_beside(int gpus, const char* name, bool have_met, std::chrono::seconds most,
                 const std::function<void(rank_call&)>& work) {
  app::thread_ranks all(gpus);
  if (have_met)
    all.on_all([&](int rank) {
      rank_call call{all, rank};
      call.gather();
      call.wait();
    });
  const std::string said = failure_of(name, most, [&] {
    all.on_all([&](int rank) {
      rank_call call{all, rank};
      if (rank == all.size() - 1) {
        std::this_thread::sleep_for(500ms);  // the others wait by now
        throw app::failure("planted");
      }
      work(call);
    });
  });
  must(said == "planted", "that is not the cause");
  // There is no further call, and nobody waits in one.
  must(failure_of(
           "a further call", 5s,
           [&] {
             all.on_all([&](int rank) { rank_call{all, rank}.gather(); });
           }).find("no longer") != std::string::npos,
       "a further call has begun");
}

// A GPU without memory: NCCL finds none for its connections, or CUDA none for a kernel.
void fill_last_gpu(int gpus) {
  must(cudaSetDevice(gpus - 1) == cudaSuccess, "cudaSetDevice");
  void* for_the_sort = nullptr;  // stays in the pool, so that the sort gets as far as to its calls together
  must(cudaMallocAsync(&for_the_sort, std::size_t{64} << 20, nullptr) == cudaSuccess &&
           cudaFreeAsync(for_the_sort, nullptr) == cudaSuccess && cudaStreamSynchronize(nullptr) == cudaSuccess,
       "cudaMallocAsync");
  for (std::size_t bytes = std::size_t{16} << 30; bytes >= 4096;) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) bytes /= 2;
  }
  (void)cudaGetLastError();
  must(cudaSetDevice(0) == cudaSuccess, "cudaSetDevice");
}

std::vector<std::uint32_t> keys_to_sort() {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  return keys;
}

void run_threads(int gpus) {
  const auto waits = [](rank_call& call) {
    call.gather();
    call.wait();
  };
  fail_beside(gpus, "a wait for the device", true, 9s, waits);
  fail_beside(gpus, "a first call, where NCCL connects ranks", false, 9s, waits);
  fail_beside(gpus, "a first exchange", true, 9s, [](rank_call& call) {
    call.exchange();
    call.wait();
  });
  fail_beside(gpus, "a wait that cannot be told", true, 30s, [](rank_call& call) {
    call.gather();
    simt::synchronize(call.all.stream(call.rank));
  });
  {  // the process can begin anew
    app::gpu_ranks ranks(gpus);
    std::vector<std::uint32_t> keys = keys_to_sort();
    ranks.sort<std::uint32_t>(keys, {0, 32});
    must(std::is_sorted(keys.begin(), keys.end()), "a sort after all");
  }
  std::optional<app::gpu_ranks> ranks(gpus);
  fill_last_gpu(gpus);
  std::vector<std::uint32_t> keys = keys_to_sort();
  const std::string said = failure_of("a GPU without memory", 60s, [&] { ranks->sort<std::uint32_t>(keys, {0, 32}); });
  if (said.empty()) std::printf("failed_rank: the GPU needed no more memory\n");
  must(said.find("no longer") == std::string::npos, "that is not the cause");
  (void)failure_of("the end", 20s, [&] { ranks.reset(); });
}

// The second process cannot take part, while the first waits for its bytes. It comes to the point
// where it says so and ends all, though the first one has not given up.
void run_process(int rank, const std::vector<std::byte>& id) {
  std::optional<app::gpu_process_rank> mine(std::in_place, id, rank, 2, rank);
  std::vector<std::uint32_t> keys = keys_to_sort();
  mine->sort<std::uint32_t>(keys, {0, 32});
  std::vector<std::byte> sent(n), received(2 * n);
  const std::vector<std::uint64_t> sizes{n / 2, n / 2};
  mine->exchange(sent, sizes, std::span(received).first(n), sizes);
  if (rank == 0) {
    mine->exchange(sent, sizes, std::span(received).first(n), sizes);
    must(false, "an exchange with a process that has failed");
  }
  const std::string said = failure_of("a process", 20s, [&] {
    std::this_thread::sleep_for(1s);  // the other one waits by now
    try {
      // More than any GPU has: what is received is not looked at before.
      mine->exchange(sent, sizes, std::span(received.data(), std::size_t{1} << 42), sizes);
    } catch (...) {
      mine.reset();
      throw;
    }
  });
  must(said.find("memory") != std::string::npos, "that is not the cause");
  _exit(0);
}

int devices() {  // asked in a process of its own: a process that has used CUDA cannot fork
  int count[2], found = 0;
  must(pipe(count) == 0, "pipe");
  if (fork() == 0) {
    if (cudaGetDeviceCount(&found) != cudaSuccess) found = 0;
    must(write(count[1], &found, sizeof found) == sizeof found, "write");
    _exit(0);
  }
  must(read(count[0], &found, sizeof found) == sizeof found, "read");
  wait(nullptr);
  return found;
}

void run_processes() {
  int to_second[2];
  must(pipe(to_second) == 0, "pipe");
  const pid_t first = fork();
  if (first == 0) {
    alarm(150);
    const std::vector<std::byte> id = app::gpu_process_rank::make_id();
    must(write(to_second[1], id.data(), id.size()) == static_cast<ssize_t>(id.size()), "write");
    run_process(0, id);
  }
  const pid_t second = fork();
  if (second == 0) {
    alarm(90);
    std::vector<std::byte> id(sizeof(ncclUniqueId));
    must(read(to_second[0], id.data(), id.size()) == static_cast<ssize_t>(id.size()), "read");
    run_process(1, id);
  }
  int status = 0;
  must(waitpid(second, &status, 0) == second, "waitpid");
  (void)kill(first, SIGKILL);  // as the launcher does
  must(waitpid(first, nullptr, 0) == first, "waitpid");
  must(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the process that fails has not come to say so");
}

}  // namespace

int main(int argc, char** argv) {
  const int gpus = devices();
  if (gpus < 2) {
    std::fprintf(stderr, "not run: %d GPUs, two are needed\n", gpus);
    return 77;
  }
  if (argc > 1 && std::strcmp(argv[1], "processes") == 0) {
    run_processes();
  } else {
    alarm(240);
    run_threads(gpus);
  }
  return 0;
}
