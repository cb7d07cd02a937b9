// SPDX-License-Identifier: Apache-2.0
// Sort, scan and compaction over all GPUs of this machine, by NCCL, against one of them with as many items: prints JSON.
//
//   ballot_bench_distributed [--log2 29] [--runs 7] [--only sort.u32] [--pieces 0]
//
// One process, a thread a GPU. Answers are checked before anything is timed. A time is from a common start of all threads
// to the last one's end, on the host's clock, waits included; the median of the runs. Phases are of rank 0, on its stream.
#include <ballot/compact.cuh>
#include <ballot/distributed/compact.cuh>
#include <ballot/distributed/nccl.cuh>
#include <ballot/distributed/scan.cuh>
#include <ballot/distributed/sort.cuh>
#include <ballot/scan.cuh>

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

namespace {

using ballot::distributed::message;
using ballot::distributed::nccl_communicator;

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "ballot_bench_distributed: %s\n", why.c_str());
  std::exit(1);
}
void must(cudaError_t e, const char* what) {
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

// What the ranks find out together.
struct findings {
  std::mutex mutex;
  unsigned long long before = 0, after = 0;
  int looked = 0;
};

// V: unsigned for pairs, void* for keys alone (a pointer that is null).
template <class K, class V>
void bench_sort(machine& m, const char* name) {
  if (!m.wants(name)) return;
  constexpr bool pairs = std::is_integral_v<V>;
  using value = std::conditional_t<pairs, V, std::uint32_t>;
  const std::uint64_t n = std::uint64_t{1} << m.asked().log2;
  const int pieces = m.asked().pieces;
  const auto run = [&](int ranks, std::string* phases) {
    findings found;
    return m.median_ms(
        ranks,
        [&](int r, cudaStream_t s) -> machine::prepared {
          const std::uint64_t begin = n * unsigned(r) / unsigned(ranks),
                              mine = n * unsigned(r + 1) / unsigned(ranks) - begin;
          struct buffers {
            memory keys, out, values, values_out, scratch, found;
            std::size_t scratch_bytes;
          };
          const std::size_t bytes =
              ranks == 1 ? (pairs ? ballot::sort_pairs_scratch_bytes<K, value>(n) : ballot::sort_scratch_bytes<K>(n))
              : pairs    ? ballot::distributed::sort_pairs_scratch_bytes<K, value>(ranks, mine, mine)
                         : ballot::distributed::sort_scratch_bytes<K>(ranks, mine, mine);
          auto b = std::shared_ptr<buffers>(
              new buffers{memory(mine * sizeof(K)), memory(mine * sizeof(K)), memory(pairs ? mine * sizeof(value) : 0),
                          memory(pairs ? mine * sizeof(value) : 0), memory(bytes), memory(16), bytes});
          fill_kernel<<<2048, 256, 0, s>>>(b->keys.template as<K>(), mine, begin);
          if (pairs) fill_kernel<<<2048, 256, 0, s>>>(b->values.template as<value>(), mine, begin + 12345);
          const auto look = [=](const memory& keys, const memory& values, bool order) {
            unsigned long long f[2];
            must(cudaMemsetAsync(b->found.at, 0, sizeof f, s), "cudaMemsetAsync");
            look_kernel<<<2048, 256, 0, s>>>(keys.template as<K>(), pairs ? values.template as<value>() : nullptr, mine,
                                             order, b->found.template as<unsigned long long>());
            must(cudaMemcpyAsync(f, b->found.at, sizeof f, cudaMemcpyDeviceToHost, s), "cudaMemcpyAsync");
            must(cudaStreamSynchronize(s), "cudaStreamSynchronize");
            if (f[0] != 0) die(std::string(name) + ": the result is not in order");
            return f[1];
          };
          {
            const auto sum = look(b->keys, b->values, false);
            const std::lock_guard lock(found.mutex);
            found.before += sum;
          }
          return {[=](noting_communicator& comm) {
                    const std::span<const K> keys(b->keys.template as<K>(), mine);
                    const std::span<K> out(b->out.template as<K>(), mine);
                    const std::span<const value> values(b->values.template as<value>(), pairs ? mine : 0);
                    const std::span<value> values_out(b->values_out.template as<value>(), pairs ? mine : 0);
                    const ballot::exec gpu(s, std::span(b->scratch.template as<std::byte>(), b->scratch_bytes));
                    if constexpr (pairs) {
                      if (ranks == 1) ballot::sort_pairs(gpu, keys, values, out, values_out);
                      else
                        ballot::distributed::sort_pairs(comm, gpu, keys, values, out, values_out, {.pieces = pieces});
                    } else {
                      if (ranks == 1) ballot::sort(gpu, keys, out);
                      else ballot::distributed::sort(comm, gpu, keys, out, {.pieces = pieces});
                    }
                  },
                  [=, &found] {
                    const auto sum = look(b->out, b->values_out, true);
                    K ends[2];
                    must(cudaMemcpy(&ends[0], b->out.template as<K>(), sizeof(K), cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
                    must(cudaMemcpy(&ends[1], b->out.template as<K>() + mine - 1, sizeof(K), cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
                    // Uniform keys: each rank's stretch lies where its number says, to within a thousandth of all.
                    const double of_all = double(static_cast<K>(~K{0})), low = double(ends[0]) / of_all * ranks - r,
                                 high = double(ends[1]) / of_all * ranks - r;
                    if (low < -0.001 || high > 1.001 || high < low)
                      die(std::string(name) + ": a rank has others' keys");
                    const std::lock_guard lock(found.mutex);
                    found.after += sum;
                    if (++found.looked == ranks && found.after != found.before)
                      die(std::string(name) + ": items are lost");
                  }};
        },
        phases);
  };
  const double one = run(1, nullptr);
  std::string phases;
  const double all = m.ranks() == 1 ? one : run(m.ranks(), &phases);
  m.report(name, n, sizeof(K) + (pairs ? sizeof(value) : 0), one, all, phases.empty() ? "[]" : phases);
}

struct is_odd_half {
  __device__ bool operator()(const std::uint32_t& v) const { return (v & 1u) != 0; }
};

void bench_scan(machine& m) {
  if (!m.wants("scan.u32")) return;
  const std::uint64_t n = std::uint64_t{1} << m.asked().log2;
  const auto run = [&](int ranks, std::string* phases) {
    return m.median_ms(
        ranks,
        [&](int r, cudaStream_t s) -> machine::prepared {
          const std::uint64_t begin = n * unsigned(r) / unsigned(ranks),
                              mine = n * unsigned(r + 1) / unsigned(ranks) - begin;
          struct buffers {
            memory in, out, scratch;
            std::size_t scratch_bytes;
          };
          const std::size_t bytes = ballot::distributed::scan_scratch_bytes<std::uint32_t>(mine);
          auto b = std::shared_ptr<buffers>(new buffers{memory(4 * mine), memory(4 * mine), memory(bytes), bytes});
          fill_kernel<<<2048, 256, 0, s>>>(b->in.as<std::uint32_t>(), mine, begin);
          return {[=](noting_communicator& comm) {
                    const std::span<const std::uint32_t> in(b->in.as<std::uint32_t>(), mine);
                    const std::span<std::uint32_t> out(b->out.as<std::uint32_t>(), mine);
                    const ballot::exec gpu(s, std::span(b->scratch.as<std::byte>(), b->scratch_bytes));
                    if (ranks == 1) ballot::inclusive_scan(gpu, in, out);
                    else ballot::distributed::inclusive_scan(comm, gpu, in, out);
                  },
                  [=] {
                    std::uint32_t last = 0, want = 0;
                    must(cudaMemcpy(&last, b->out.as<std::uint32_t>() + mine - 1, 4, cudaMemcpyDeviceToHost),
                         "cudaMemcpy");
                    for (std::uint64_t i = 0; i < begin + mine; ++i) {
                      std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
                      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
                      z = (z ^ z >> 27) * 0x94d049bb133111ebull;
                      want += static_cast<std::uint32_t>(z ^ z >> 31);
                    }
                    if (last != want) die("scan.u32: a rank's last sum is wrong");
                  }};
        },
        phases);
  };
  const double one = run(1, nullptr);
  std::string phases;
  const double all = m.ranks() == 1 ? one : run(m.ranks(), &phases);
  m.report("scan.u32", n, 8, one, all, phases.empty() ? "[]" : phases);
}

void bench_compact(machine& m) {
  if (!m.wants("compact.u32")) return;
  const std::uint64_t n = std::uint64_t{1} << m.asked().log2;
  const auto run = [&](int ranks, std::string* phases) {
    return m.median_ms(
        ranks,
        [&](int r, cudaStream_t s) -> machine::prepared {
          const std::uint64_t begin = n * unsigned(r) / unsigned(ranks),
                              mine = n * unsigned(r + 1) / unsigned(ranks) - begin;
          struct buffers {
            memory in, out, counts, scratch;
            std::size_t scratch_bytes;
          };
          const std::size_t bytes = ballot::compact_scratch_bytes<std::uint32_t>(mine);
          auto b = std::shared_ptr<buffers>(
              new buffers{memory(4 * mine), memory(4 * mine), memory(64), memory(bytes), bytes});
          fill_kernel<<<2048, 256, 0, s>>>(b->in.as<std::uint32_t>(), mine, begin);
          return {[=](noting_communicator& comm) {
                    const std::span<const std::uint32_t> in(b->in.as<std::uint32_t>(), mine);
                    const std::span<std::uint32_t> out(b->out.as<std::uint32_t>(), mine);
                    const ballot::exec gpu(s, std::span(b->scratch.as<std::byte>(), b->scratch_bytes));
                    auto* const counts = b->counts.as<std::uint64_t>();
                    if (ranks == 1) ballot::compact(gpu, in, is_odd_half{}, out, counts);
                    else
                      ballot::distributed::compact(comm, gpu, in, is_odd_half{}, out, counts,
                                                   {.offset = counts + 1, .total = counts + 2});
                  },
                  [=] {
                    std::uint64_t counts[3];
                    must(cudaMemcpy(counts, b->counts.at, sizeof counts, cudaMemcpyDeviceToHost), "cudaMemcpy");
                    if (counts[0] < mine / 2 - mine / 100 || counts[0] > mine / 2 + mine / 100)
                      die("compact.u32: a wrong count");
                    if (ranks > 1 &&
                        (counts[1] + counts[0] > counts[2] || (r == ranks - 1 && counts[1] + counts[0] != counts[2])))
                      die("compact.u32: a wrong place");
                  }};
        },
        phases);
  };
  const double one = run(1, nullptr);
  std::string phases;
  const double all = m.ranks() == 1 ? one : run(m.ranks(), &phases);
  m.report("compact.u32", n, 6, one, all, phases.empty() ? "[]" : phases);
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--log2") o.log2 = std::atoi(argv[i + 1]);
    else if (name == "--runs") o.runs = std::max(1, std::atoi(argv[i + 1]));
    else if (name == "--pieces") o.pieces = std::atoi(argv[i + 1]);
    else if (name == "--only") o.only = argv[i + 1];
    else die("unknown option " + name);
  }
  machine m(o);
  bench_sort<std::uint32_t, void*>(m, "sort.u32");
  bench_sort<std::uint64_t, void*>(m, "sort.u64");
  bench_sort<std::uint32_t, std::uint32_t>(m, "sort_pairs.u32.u32");
  bench_scan(m);
  bench_compact(m);
  m.end();
}
