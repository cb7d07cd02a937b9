// SPDX-License-Identifier: Apache-2.0
// ballot_collide_bench: the step of `ballot collide` against the same step on Thrust.
//
//     ballot_collide_bench [OBJECTS...]        10000 100000 1000000 10000000 if none are given
//
// Uniform particles, half an object a cell. Three contenders on the same scene: our launches one by
// one, our launches as a graph, and Thrust's sort_by_key, scans and copy_if, which needs a list of
// all candidates. The other kernels that are particular to collisions are the same. Thrust has to
// know the number of candidates before it can go on, and its calls allocate. They allocate from a
// pool here, as its users do it. The numbers of pairs are compared first. Prints the median of 21
// steps, in microseconds, after 3 that are not counted.
//
// The pipeline is the command's own: this program is the one place where bench looks into apps.
#include "collision/pipeline.cuh"
#include "collision/thrust_step.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace ballot;
using namespace ballot::app::collision;

namespace {

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

void measure(std::uint64_t n, cudaStream_t stream) {
  const world w = make_world(n);
  pipeline ours(w.spheres, std::vector<velocity>(w.spheres.size()), w.grid, {0, w.box, 1, 1}, w.room, stream);
  thrust_pipeline theirs(w.spheres, w.grid, w.room, stream);
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
  simt::check(cudaGraphExecDestroy(step), "cudaGraphExecDestroy");
  simt::check(cudaGraphDestroy(graph), "cudaGraphDestroy");
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
