// SPDX-License-Identifier: Apache-2.0
// ballot_collide_bench: the step of `ballot collide` against the same step on Thrust.
//
//     ballot_collide_bench [OBJECTS...]        10000 100000 1000000 10000000 if none are given
//
// Uniform particles, half an object a cell. Three contenders on the same scene: our launches one by one, our launches as a
// graph, and Thrust's sort_by_key, scans and copy_if around the same kernels for what is particular to collisions. Thrust
// has to know the number of candidates before it can go on, and its calls allocate: from a pool here, as its users do it.
// The numbers of pairs are compared first. Prints the median of 21 steps, in microseconds, after 3 that are not counted.
//
// The pipeline is the command's own: this program is the one place where bench looks into apps.
#include "collision/pipeline.cuh"

#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

using namespace ballot;
using namespace ballot::app::collision;

namespace {

constexpr int warm_ups = 3, repetitions = 21;

struct world {
  std::vector<sphere> spheres;
  bounding_box box{{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
  cell_grid grid{};
  pair_counts room{};
};

world make_world(std::uint64_t n) {
  world w;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> coordinate(-0.5f, 0.5f);
  const auto radius = static_cast<float>(0.5 * std::cbrt(0.5 / static_cast<double>(n)));
  w.spheres.resize(n);
  for (sphere& s : w.spheres) s = {coordinate(random), coordinate(random), coordinate(random), radius};
  w.grid = fit_grid(w.box, radius, most_cells_for(n));
  w.room = {32 * n, 16 * n};
  return w;
}

// Thrust's temporary memory, kept from call to call.
class pool {
 public:
  using value_type = char;
  ~pool() {
    for (const auto& [bytes, block] : free_) cudaFree(block);
  }
  char* allocate(std::ptrdiff_t bytes) {
    const auto found = free_.lower_bound(static_cast<std::size_t>(bytes));
    void* block = nullptr;
    std::size_t size = static_cast<std::size_t>(bytes);
    if (found != free_.end()) {
      size = found->first;
      block = found->second;
      free_.erase(found);
    } else {
      simt::check(cudaMalloc(&block, size), "cudaMalloc");
    }
    used_[block] = size;
    return static_cast<char*>(block);
  }
  void deallocate(char* block, std::size_t) {
    const auto found = used_.find(block);
    free_.emplace(found->second, block);
    used_.erase(found);
  }

 private:
  std::multimap<std::size_t, void*> free_;
  std::map<void*, std::size_t> used_;
};

struct candidate_touches {
  const sphere* sorted;
  __device__ bool operator()(const object_pair& pair) const { return touch(sorted[pair.a], sorted[pair.b]); }
};

struct plus_u64 {  // counts are of 32 bits, offsets of 64
  __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

class thrust_pipeline {
 public:
  thrust_pipeline(const world& w, cudaStream_t stream)
      : n_(static_cast<std::uint32_t>(w.spheres.size())),
        grid_(w.grid),
        room_(w.room),
        stream_(stream),
        spheres_(w.spheres.begin(), w.spheres.end()),
        sorted_(w.spheres.size()),
        keys_(w.spheres.size()),
        ids_(w.spheres.size()),
        counts_(w.spheres.size()),
        starts_(w.grid.cells() + std::size_t{1}),
        offsets_(w.spheres.size() + 1),
        candidates_(w.room.candidates),
        pairs_(w.room.pairs) {}

  pair_counts detect() {
    const auto on_stream = thrust::cuda::par_nosync(pool_).on(stream_);
    const simt::launch_config config{dim3((n_ + threads_a_block - 1) / threads_a_block), dim3(threads_a_block), 0,
                                     stream_};
    simt::launch(number_cells_kernel<>, config, spheres_.data().get(), n_, grid_, keys_.data().get(),
                 ids_.data().get());
    thrust::sort_by_key(on_stream, keys_.begin(), keys_.end(), ids_.begin());
    simt::fill_bytes(stream_, starts_.data().get(), 0xff, starts_.size() * sizeof(std::uint32_t));
    simt::launch(begin_cells_kernel<>, config, spheres_.data().get(), keys_.data().get(), ids_.data().get(), n_,
                 grid_.cells(), sorted_.data().get(), starts_.data().get());
    const auto from_end = thrust::make_reverse_iterator(starts_.end());
    thrust::inclusive_scan(on_stream, from_end, from_end + static_cast<std::ptrdiff_t>(starts_.size()), from_end,
                           thrust::minimum<std::uint32_t>());
    simt::launch(count_candidates_kernel<>, config, keys_.data().get(), starts_.data().get(), n_, grid_,
                 counts_.data().get(), static_cast<std::uint32_t*>(nullptr), std::uint64_t{0});
    simt::fill_bytes(stream_, offsets_.data().get(), 0, sizeof(std::uint64_t));
    thrust::inclusive_scan(on_stream, counts_.begin(), counts_.end(), offsets_.begin() + 1, plus_u64{});
    simt::launch_config with_owners = config;
    with_owners.shared_bytes = sizeof(list_candidates_storage);
    simt::launch(list_candidates_kernel<>, with_owners, sorted_.data().get(), keys_.data().get(), starts_.data().get(),
                 offsets_.data().get(), n_, grid_, candidates_.data().get(), room_.candidates,
                 static_cast<std::uint32_t*>(nullptr));
    std::uint64_t candidates = 0;
    simt::copy_bytes(stream_, &candidates, offsets_.data().get() + n_, sizeof candidates);
    simt::synchronize(stream_);
    const auto end =
        thrust::copy_if(on_stream, candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(candidates),
                        pairs_.begin(), candidate_touches{sorted_.data().get()});
    return {candidates, static_cast<std::uint64_t>(end - pairs_.begin())};
  }

 private:
  std::uint32_t n_;
  cell_grid grid_;
  pair_counts room_;
  cudaStream_t stream_;
  pool pool_;
  thrust::device_vector<sphere> spheres_, sorted_;
  thrust::device_vector<std::uint32_t> keys_, ids_, counts_, starts_;
  thrust::device_vector<std::uint64_t> offsets_;
  thrust::device_vector<object_pair> candidates_, pairs_;
};

// The median of steps that are each measured between two events.
template <class Step>
double median_microseconds(cudaStream_t stream, const Step& step) {
  cudaEvent_t begin, end;
  simt::check(cudaEventCreate(&begin), "cudaEventCreate");
  simt::check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<float> times;
  for (int i = 0; i < warm_ups + repetitions; ++i) {
    simt::check(cudaEventRecord(begin, stream), "cudaEventRecord");
    step();
    simt::check(cudaEventRecord(end, stream), "cudaEventRecord");
    simt::check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = 0;
    simt::check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    if (i >= warm_ups) times.push_back(milliseconds);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
  return 1000.0 * static_cast<double>(times[repetitions / 2]);
}

void measure(std::uint64_t n, cudaStream_t stream) {
  const world w = make_world(n);
  pipeline ours(w.spheres, std::vector<velocity>(w.spheres.size()), w.grid, {0, w.box, 1, 1}, w.room, stream);
  thrust_pipeline theirs(w, stream);
  ours.detect();
  const step_account account = ours.account();
  const pair_counts found = theirs.detect();
  if (account.overflowed != 0 || account.last.candidates != found.candidates || account.last.pairs != found.pairs) {
    std::fprintf(stderr, "%llu objects: the pipelines disagree\n", static_cast<unsigned long long>(n));
    std::exit(1);
  }

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  simt::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  ours.detect();
  simt::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  simt::check(cudaGraphInstantiate(&step, graph, 0), "cudaGraphInstantiate");
  const double launches = median_microseconds(stream, [&] { ours.detect(); });
  const double replayed =
      median_microseconds(stream, [&] { simt::check(cudaGraphLaunch(step, stream), "cudaGraphLaunch"); });
  const double thrust = median_microseconds(stream, [&] { theirs.detect(); });
  cudaGraphExecDestroy(step);
  cudaGraphDestroy(graph);
  std::printf("%10llu %12llu %12llu %12.1f %12.1f %12.1f %8.2f\n", static_cast<unsigned long long>(n),
              static_cast<unsigned long long>(found.candidates), static_cast<unsigned long long>(found.pairs), launches,
              replayed, thrust, thrust / replayed);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::uint64_t> sizes{10'000, 100'000, 1'000'000, 10'000'000};
  if (argc > 1) sizes.clear();
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  try {
    cudaStream_t stream = nullptr;
    simt::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    std::printf("%10s %12s %12s %12s %12s %12s %8s\n", "objects", "candidates", "pairs", "launches us", "graph us",
                "Thrust us", "ratio");
    for (std::uint64_t n : sizes) {
      if (n == 0 || n > 0x7fffffff) throw invalid_argument("a number of objects is from 1 to 2^31 - 1");
      measure(n, stream);
    }
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "ballot_collide_bench: %s\n", problem.what());
    return 1;
  }
}
