// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine as ranks of one process, a thread each; what times a call on all of them together.
#pragma once

#include <ballot/distributed/nccl.cuh>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ballot_bench_distributed {

using ballot::distributed::message;
using ballot::distributed::nccl_communicator;

[[noreturn]] inline void die(const std::string& why) {
  std::fprintf(stderr, "ballot_bench_distributed: %s\n", why.c_str());
  std::exit(1);
}
inline void must(cudaError_t e, const char* what) {
  if (e != cudaSuccess) die(std::string(what) + ": " + cudaGetErrorString(e));
}

// A communicator that notes when the stream comes by each of its calls.
class noting_communicator {
 public:
  explicit noting_communicator(nccl_communicator& of) : of_(of) {}
  int rank() const { return of_.rank(); }
  int size() const { return of_.size(); }
  void require_device() const { of_.require_device(); }
  void all_gather(cudaStream_t s, const void* from, void* to, std::size_t n) {
    of_.all_gather(s, from, to, n);
    note(s, "gathered");
  }
  void all_reduce(cudaStream_t s, const std::uint64_t* from, std::uint64_t* to, std::size_t n) {
    note(s, "counted");
    of_.all_reduce(s, from, to, n);
    note(s, "reduced");
  }
  void start_exchange(cudaStream_t s, std::span<const message> a, std::span<const message> b) {
    note(s, "exchange starts");
    of_.start_exchange(s, a, b);
  }
  std::uint64_t shared_offset(const void* address) const { return of_.shared_offset(address); }
  void start_copies(cudaStream_t s, std::span<const ballot::distributed::peer_copy> copies) {
    note(s, "copies start");
    of_.start_copies(s, copies);
  }
  void finish_exchange(cudaStream_t s) {
    note(s, "sorted");
    of_.finish_exchange(s);
    note(s, "arrived");
  }
  int most_exchanges() const { return of_.most_exchanges(); }
  std::size_t most_message_bytes() const { return of_.most_message_bytes(); }
  std::byte* records() const { return of_.records(); }
  void read_back(cudaStream_t s, const void* from, std::size_t n) { of_.read_back(s, from, n); }
  std::size_t host_bytes() const { return of_.host_bytes(); }
  const std::byte* wait() { return of_.wait(); }

  void begin(cudaStream_t s) {
    notes_.clear();
    note(s, "begin");
  }
  void note(cudaStream_t s, const char* what) {
    if (notes_.size() == events_.size()) {
      cudaEvent_t e;
      must(cudaEventCreate(&e), "cudaEventCreate");
      events_.push_back(e);
    }
    must(cudaEventRecord(events_[notes_.size()], s), "cudaEventRecord");
    notes_.push_back(what);
  }
  std::string phases() const {
    std::string text = "[";
    for (std::size_t i = 1; i < notes_.size(); ++i) {
      float ms = 0;
      must(cudaEventElapsedTime(&ms, events_[0], events_[i]), "cudaEventElapsedTime");
      char line[80];
      std::snprintf(line, sizeof line, "%s[\"%s\", %.3f]", i == 1 ? "" : ", ", notes_[i], double(ms));
      text += line;
    }
    return text + "]";
  }

 private:
  nccl_communicator& of_;
  std::vector<cudaEvent_t> events_;
  std::vector<const char*> notes_;
};

struct memory {
  void* at = nullptr;
  explicit memory(std::size_t bytes) { must(cudaMalloc(&at, std::max<std::size_t>(bytes, 256)), "cudaMalloc"); }
  ~memory() { cudaFree(at); }
  memory(const memory&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(at);
  }
};

template <class T>
__global__ void fill_kernel(T* items, std::uint64_t n, std::uint64_t first) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    std::uint64_t z = (first + i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    items[i] = static_cast<T>(z ^ z >> 31);
  }
}
// found[0]: neighbours out of order; found[1]: the sum of what hash makes of each pair of items.
template <class K, class V>
__global__ void look_kernel(const K* keys, const V* values, std::uint64_t n, bool order, unsigned long long* found) {
  unsigned long long wrong = 0, sum = 0;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < n;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    if (order && i + 1 < n && keys[i + 1] < keys[i]) ++wrong;
    unsigned long long z =
        keys[i] * 0x9e3779b97f4a7c15ull + (values == nullptr ? 0 : values[i]) * 0xbf58476d1ce4e5b9ull;
    sum += z ^ z >> 29;
  }
  if (wrong != 0) atomicAdd(&found[0], wrong);
  atomicAdd(&found[1], sum);
}

struct options {
  int log2 = 29, runs = 7, pieces = 0;
  bool share = false;  // sorts copy into the other ranks' scratch
  std::string only;
};

class machine {
 public:
  explicit machine(const options& o) : options_(o) {
    must(cudaGetDeviceCount(&ranks_), "cudaGetDeviceCount");
    if (const char* some = std::getenv("BALLOT_BENCH_GPUS")) ranks_ = std::min(ranks_, std::atoi(some));
    std::vector<ncclComm_t> nccl(static_cast<std::size_t>(ranks_));
    if (ncclCommInitAll(nccl.data(), ranks_, nullptr) != ncclSuccess) die("ncclCommInitAll failed");
    for (int r = 0; r < ranks_; ++r) {
      must(cudaSetDevice(r), "cudaSetDevice");
      comms_.push_back(
          std::make_unique<nccl_communicator>(nccl[static_cast<std::size_t>(r)], std::chrono::seconds(60)));
      cudaStream_t s;
      must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
      streams_.push_back(s);
    }
  }
  int ranks() const { return ranks_; }
  const options& asked() const { return options_; }

  // Of the rank at hand, in its thread.
  void share(int rank, std::span<std::byte> scratch) {
    if (options_.share && !comms_[static_cast<std::size_t>(rank)]->share(scratch)) die("ranks cannot share memory");
  }

  // Every rank prepares and gives a call; those are timed together, and then each looks at its result.
  struct prepared {
    std::function<void(noting_communicator&)> call;
    std::function<void()> check;
  };
  double median_ms(int ranks, const std::function<prepared(int rank, cudaStream_t)>& prepare, std::string* phases) {
    std::barrier everyone(ranks);
    std::vector<std::vector<double>> took(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r)
      threads.emplace_back([&, r] {
        try {
          must(cudaSetDevice(r), "cudaSetDevice");
          const cudaStream_t s = streams_[static_cast<std::size_t>(r)];
          noting_communicator comm(*comms_[static_cast<std::size_t>(r)]);
          const prepared of = prepare(r, s);
          for (int run = -2; run < options_.runs; ++run) {
            must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
            everyone.arrive_and_wait();
            const auto begin = std::chrono::steady_clock::now();
            comm.begin(s);
            of.call(comm);
            comm.note(s, "end");
            must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
            const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
            if (run == -2) of.check();
            if (run >= 0) took[static_cast<std::size_t>(r)].push_back(ms.count());
          }
          if (r == 0 && phases != nullptr) *phases = comm.phases();
          everyone.arrive_and_wait();  // buffers go when nobody sends from them any more
        } catch (const std::exception& e) {
          die(e.what());
        }
      });
    for (std::thread& t : threads) t.join();
    std::vector<double> longest;
    for (int run = 0; run < options_.runs; ++run) {
      double ms = 0;
      for (const auto& of_rank : took) ms = std::max(ms, of_rank[static_cast<std::size_t>(run)]);
      longest.push_back(ms);
    }
    std::sort(longest.begin(), longest.end());
    return longest[longest.size() / 2];
  }

  void report(const std::string& name, std::uint64_t n, std::size_t item_bytes, double one, double all,
              const std::string& phases) {
    std::printf(
        "%s  {\"name\": \"%s\", \"items\": %llu, \"ranks\": %d, \"one_gpu_ms\": %.3f, \"ms\": %.3f, \"ratio\": %.2f, "
        "\"Gitems_per_s\": %.1f, \"GB_per_s\": %.0f, \"phases_ms\": %s}",
        first_ ? "[\n" : ",\n", name.c_str(), static_cast<unsigned long long>(n), ranks_, one, all, one / all,
        double(n) / all / 1e6, double(n) * double(item_bytes) / all / 1e6, phases.c_str());
    std::fflush(stdout);
    first_ = false;
  }
  void end() const { std::printf("%s\n", first_ ? "[]" : "\n]"); }
  bool wants(const std::string& name) const {
    return options_.only.empty() || name.find(options_.only) != std::string::npos;
  }

 private:
  options options_;
  int ranks_ = 0;
  bool first_ = true;
  std::vector<std::unique_ptr<nccl_communicator>> comms_;
  std::vector<cudaStream_t> streams_;
};

void bench_sorts(machine& m);
void bench_selections(machine& m);

}  // namespace ballot_bench_distributed
