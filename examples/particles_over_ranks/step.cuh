// SPDX-License-Identifier: Apache-2.0
// Particles in cells over several GPUs: sorted by cell over all ranks, then what neighbours need of
// each other (the halo) selected and exchanged. Lengths stay on the device.
//
//     rank 0   cells 0 0 1 2 2 3        to the right: those of the last cells        2 2 3
//     rank 1   cells 3 4 4 6 7 7        to the left: those of the first cells        3 4 4
//
// Sorting waits on the host and is called. The halo's step waits for nothing: it is captured once,
// with NCCL's messages in it, and replayed.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/compact.cuh>
#include <ballot/distributed/communicator.hpp>
#include <ballot/distributed/reduce.cuh>
#include <ballot/distributed/sort.cuh>

#include <algorithm>
#include <cstdint>
#include <span>

namespace examples {

struct particle {
  float x, y, z;
  std::uint32_t cell;
};

// The particles of a rank, in memory for more of them: after a sort, how many there are depends on
// the others.
struct particles_of_rank {
  std::span<std::uint32_t> cells;
  std::span<particle> particles;
  std::uint64_t* count;  // on the device
};

template <class Communicator>
std::size_t sort_by_cell_scratch_bytes(const Communicator& comm, std::uint64_t capacity) {
  return ballot::distributed::sort_pairs_scratch_bytes<std::uint32_t, particle>(comm.size(), capacity, capacity);
}
// cell_bits: that a cell's number has. Each rank gets as many particles as the others, if all have
// the same capacity.
template <class Communicator>
void sort_by_cell(Communicator& comm, const ballot::exec& gpu, const particles_of_rank& from,
                  const particles_of_rank& to, int cell_bits) {
  ballot::distributed::sort_pairs(comm, gpu, ballot::counted{from.cells, from.count}, from.particles, to.cells,
                                  to.particles, {.bits = {0, cell_bits}, .count = to.count});
}

// The items that one side gets, in memory of a fixed size, so that the message has one, too. A
// count above it says that particles are missing.
struct halo {
  std::span<particle> particles;
  std::uint64_t* count;
};
struct halos {
  halo to_left, to_right, from_left, from_right;
};

struct is_near_first {
  const std::uint32_t* cells;  // sorted
  std::uint32_t width;
  BALLOT_HOST_DEVICE bool operator()(const particle& p) const { return p.cell - cells[0] < width; }
};
struct is_near_last {
  const std::uint32_t* cells;
  const std::uint64_t* count;
  std::uint32_t width;
  BALLOT_HOST_DEVICE bool operator()(const particle& p) const { return cells[*count - 1] - p.cell < width; }
};

inline std::size_t exchange_halos_scratch_bytes(std::uint64_t capacity) {
  return std::max(ballot::compact_scratch_bytes<particle>(capacity),
                  ballot::distributed::reduce_scratch_bytes<std::uint64_t>(1));
}
// Those in the first and in the last `width` cells that this rank has particles in. sent: on the
// device, how many all ranks have for their left; what the first rank has goes nowhere.
template <class Communicator>
void exchange_halos(Communicator& comm, const ballot::exec& gpu, const particles_of_rank& own, std::uint32_t width,
                    const halos& h, std::uint64_t* sent) {
  const ballot::counted particles{std::span<const particle>(own.particles), own.count};
  ballot::compact(gpu, particles, is_near_first{own.cells.data(), width}, h.to_left.particles, h.to_left.count);
  ballot::compact(gpu, particles, is_near_last{own.cells.data(), own.count, width}, h.to_right.particles,
                  h.to_right.count);

  using ballot::distributed::message;
  message sends[4], receives[4];
  std::size_t messages = 0;
  const auto exchange = [&](int peer, const halo& out, const halo& in) {
    if (peer < 0 || peer >= comm.size()) return;
    sends[messages] = {peer, out.particles.data(), out.particles.size_bytes()};
    receives[messages++] = {peer, in.particles.data(), in.particles.size_bytes()};
    sends[messages] = {peer, out.count, sizeof *out.count};
    receives[messages++] = {peer, in.count, sizeof *in.count};
  };
  exchange(comm.rank() - 1, h.to_left, h.from_left);
  exchange(comm.rank() + 1, h.to_right, h.from_right);
  comm.start_exchange(gpu.stream(), std::span<const message>(sends, messages),
                      std::span<const message>(receives, messages));
  ballot::distributed::sum(comm, gpu, std::span<const std::uint64_t>(h.to_left.count, 1), sent);  // meanwhile
  comm.finish_exchange(gpu.stream());
}

}  // namespace examples
