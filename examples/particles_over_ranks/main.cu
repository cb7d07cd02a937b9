// SPDX-License-Identifier: Apache-2.0
// Runs step.cuh on two GPUs, a thread each: particles move, are sorted by cell, and neighbours
// exchange their halos. Each step is checked on the host. Leaves with 77 where there are not two
// GPUs.
#include "step.cuh"

#include <ballot/distributed/nccl.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using examples::particle;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr int ranks = 2, steps = 5, cell_bits = 12;
constexpr u64 own_particles = 1 << 18, capacity = own_particles * 2, halo_room = 1 << 14;
constexpr u32 cells = 1u << cell_bits, width = 3;

void must(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "particles_over_ranks: %s\n", what);
  std::exit(1);
}
void must(cudaError_t e, const char* what) { must(e == cudaSuccess, what); }

template <class T>
T* allocate(u64 n) {
  T* items = nullptr;
  must(cudaMalloc(&items, n * sizeof(T)), "cudaMalloc");
  return items;
}

// A pseudo-random walk along x, which says the cell.
__global__ void move_particles(particle* particles, u32* in_cells, const u64* count, u32 step) {
  const u64 i = blockIdx.x * u64{blockDim.x} + threadIdx.x;
  if (i >= *count) return;
  particle p = particles[i];
  const u32 random = (static_cast<u32>(i) * 2654435761u + step) * 2246822519u;
  p.x += (static_cast<float>(random >> 8) / 16777216.0f - 0.5f) * 40.0f;
  p.x = fminf(fmaxf(p.x, 0.0f), static_cast<float>(cells) - 0.5f);
  p.cell = static_cast<u32>(p.x);
  particles[i] = p;
  in_cells[i] = p.cell;
}

struct seen {  // by a rank, in the end of a step
  std::vector<particle> own, from_left, from_right;
  u64 sent;
};
// A count above the room says that some are missing.
std::vector<particle> read(std::span<const particle> from, const u64* count, cudaStream_t stream) {
  u64 n = 0;
  must(cudaMemcpyAsync(&n, count, sizeof n, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
  must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  must(n <= from.size() ? cudaSuccess : cudaErrorInvalidValue, "more particles than there is room for");
  std::vector<particle> items(n);
  must(cudaMemcpyAsync(items.data(), from.data(), n * sizeof(particle), cudaMemcpyDeviceToHost, stream),
       "cudaMemcpyAsync");
  must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return items;
}

void run_rank(int rank, ncclComm_t nccl, std::vector<seen>& found) {
  must(cudaSetDevice(rank), "cudaSetDevice");
  ballot::distributed::nccl_communicator comm(nccl, std::chrono::seconds(60));
  cudaStream_t stream;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  const auto block = [] {
    return examples::particles_of_rank{
        {allocate<u32>(capacity), capacity}, {allocate<particle>(capacity), capacity}, allocate<u64>(1)};
  };
  const auto halo = [] { return examples::halo{{allocate<particle>(halo_room), halo_room}, allocate<u64>(1)}; };
  const examples::particles_of_rank moved = block(), sorted = block();
  const examples::halos halos{halo(), halo(), halo(), halo()};
  u64* const sent = allocate<u64>(1);
  must(cudaMemsetAsync(halos.from_left.count, 0, sizeof(u64), stream), "cudaMemsetAsync");
  must(cudaMemsetAsync(halos.from_right.count, 0, sizeof(u64), stream), "cudaMemsetAsync");

  const std::size_t bytes =
      std::max(examples::sort_by_cell_scratch_bytes(comm, capacity), examples::exchange_halos_scratch_bytes(capacity));
  const std::span<std::byte> scratch(allocate<std::byte>(bytes), bytes);
  const ballot::exec gpu(stream, scratch);
  (void)comm.share(scratch);  // GPUs that reach each other copy directly

  std::vector<particle> start(own_particles);
  for (u64 i = 0; i < own_particles; ++i) {
    const u64 id = i * ranks + static_cast<u64>(rank);
    start[i] = {static_cast<float>(id % cells), 0, static_cast<float>(id), 0};
  }
  must(cudaMemcpyAsync(sorted.particles.data(), start.data(), own_particles * sizeof(particle), cudaMemcpyHostToDevice,
                       stream),
       "cudaMemcpyAsync");
  must(cudaMemcpyAsync(sorted.count, &own_particles, sizeof(u64), cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");

  cudaGraphExec_t halo_step = nullptr;
  for (int step = 0; step < steps; ++step) {
    move_particles<<<capacity / 256, 256, 0, stream>>>(sorted.particles.data(), sorted.cells.data(), sorted.count,
                                                       static_cast<u32>(step));
    must(cudaGetLastError(), "move_particles");
    must(cudaMemcpyAsync(moved.particles.data(), sorted.particles.data(), capacity * sizeof(particle),
                         cudaMemcpyDeviceToDevice, stream),
         "cudaMemcpyAsync");
    must(cudaMemcpyAsync(moved.cells.data(), sorted.cells.data(), capacity * sizeof(u32), cudaMemcpyDeviceToDevice,
                         stream),
         "cudaMemcpyAsync");
    must(cudaMemcpyAsync(moved.count, sorted.count, sizeof(u64), cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
    examples::sort_by_cell(comm, gpu, moved, sorted, cell_bits);
    if (halo_step == nullptr) {
      cudaGraph_t graph;
      must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
      examples::exchange_halos(comm, gpu, sorted, width, halos, sent);
      must(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
      must(cudaGraphInstantiate(&halo_step, graph, 0), "cudaGraphInstantiate");
      must(cudaGraphDestroy(graph), "cudaGraphDestroy");
    }
    must(cudaGraphLaunch(halo_step, stream), "cudaGraphLaunch");
    seen& s = found[static_cast<std::size_t>(step * ranks + rank)];
    s.own = read(sorted.particles, sorted.count, stream);
    s.from_left = read(halos.from_left.particles, halos.from_left.count, stream);
    s.from_right = read(halos.from_right.particles, halos.from_right.count, stream);
    must(cudaMemcpyAsync(&s.sent, sent, sizeof(u64), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  must(cudaGraphExecDestroy(halo_step), "cudaGraphExecDestroy");
  (void)comm.share({});  // no rank copies here any more
}

bool same(const std::vector<particle>& a, const std::vector<particle>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const particle& p, const particle& q) { return p.cell == q.cell && p.z == q.z; });
}

void check(const seen& left, const seen& right, int step) {
  std::vector<bool> there(ranks * own_particles);
  u32 last = 0;
  for (const seen* s : {&left, &right})
    for (const particle& p : s->own) {
      must(p.cell >= last && p.cell == static_cast<u32>(p.x), "the particles are not in the order of their cells");
      last = p.cell;
      there[static_cast<std::size_t>(p.z)] = true;
    }
  must(left.own.size() == own_particles && right.own.size() == own_particles, "the ranks are not in balance");
  must(std::find(there.begin(), there.end(), false) == there.end(), "a particle is lost");
  std::vector<particle> to_right, to_left;
  for (const particle& p : left.own)
    if (left.own.back().cell - p.cell < width) to_right.push_back(p);
  for (const particle& p : right.own)
    if (p.cell - right.own.front().cell < width) to_left.push_back(p);
  must(same(to_right, right.from_left) && same(to_left, left.from_right), "a halo is not what the neighbour has");
  u64 first_cells = 0;
  for (const particle& p : left.own) first_cells += p.cell - left.own.front().cell < width;
  must(left.sent == first_cells + to_left.size() && right.sent == left.sent, "the sum over the ranks is wrong");
  std::printf("step %d: cells 0 to %u on rank 0; halos of %zu and %zu particles\n", step, left.own.back().cell,
              to_right.size(), to_left.size());
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < ranks) {
    std::fprintf(stderr, "not run: two GPUs are needed\n");
    return 77;
  }
  ncclComm_t nccl[ranks];
  must(ncclCommInitAll(nccl, ranks, nullptr) == ncclSuccess, "ncclCommInitAll");
  std::vector<seen> found(ranks * steps);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) threads.emplace_back([&, r] { run_rank(r, nccl[r], found); });
  for (std::thread& t : threads) t.join();
  for (int step = 0; step < steps; ++step)
    check(found[static_cast<std::size_t>(step * ranks)], found[static_cast<std::size_t>(step * ranks + 1)], step);
}
