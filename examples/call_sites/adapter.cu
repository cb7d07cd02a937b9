// SPDX-License-Identifier: Apache-2.0
// The steps as they are with CUB: two phases, lengths on the host. The adapter puts ballot
// underneath; the text is CUB's.
#include "steps.h"

#include <ballot/adapters/cub.cuh>

#include <algorithm>
#include <stdexcept>

namespace call_sites::adapter {
namespace cub = ballot::adapters::cub;

namespace {

void checked(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}
// The larger of what calls need.
template <class... Calls>
std::size_t most_of(const Calls&... calls) {
  std::size_t most = 0;
  const auto ask = [&](const auto& call) {
    std::size_t bytes = 0;
    checked(call(nullptr, bytes));
    most = std::max(most, bytes);
  };
  (ask(calls), ...);
  return most;
}

}  // namespace

// ---- splatting: the host reads how many pairs there are ----

std::size_t scratch_bytes(const splats& s) {
  return most_of(
      [&](void* t, std::size_t& b) { return cub::DeviceScan::ExclusiveSum(t, b, s.tiles_touched, s.offsets, s.n); },
      [&](void* t, std::size_t& b) {
        return cub::DeviceRadixSort::SortPairs(t, b, s.keys, s.sorted_keys, s.ids, s.sorted_ids, s.most_pairs);
      });
}
constexpr int splats_line = __LINE__;
cost step(const splats& s, const scratch& temporary, cudaStream_t stream) {
  std::size_t bytes = temporary.bytes;
  checked(cub::DeviceScan::ExclusiveSum(temporary.memory, bytes, s.tiles_touched, s.offsets, s.n, stream));
  emit_pairs(s, stream);
  const u32 pairs = read(s.pairs, stream);
  checked(cub::DeviceRadixSort::SortPairs(temporary.memory, bytes, s.keys, s.sorted_keys, s.ids, s.sorted_ids, pairs, 0,
                                          32 + s.tile_bits, stream));
  find_begins(s.sorted_keys, 32, s.pairs, pairs, s.begins, std::size_t{1} << s.tile_bits, stream);
  return {__LINE__ - splats_line, 1};
}

// ---- DEM: two selections by the same flags, and a sort of as many as there are ----

std::size_t scratch_bytes(const contacts& c) {
  return most_of(
      [&](void* t, std::size_t& b) {
        return cub::DeviceSelect::Flagged(t, b, c.first, c.may_touch, c.kept_first, c.count, c.candidates);
      },
      [&](void* t, std::size_t& b) {
        return cub::DeviceRadixSort::SortPairs(t, b, c.kept_first, c.sorted_first, c.kept_second, c.sorted_second,
                                               c.candidates);
      });
}
constexpr int contacts_line = __LINE__;
cost step(const contacts& c, const scratch& temporary, cudaStream_t stream) {
  std::size_t bytes = temporary.bytes;
  checked(cub::DeviceSelect::Flagged(temporary.memory, bytes, c.first, c.may_touch, c.kept_first, c.count, c.candidates,
                                     stream));
  checked(cub::DeviceSelect::Flagged(temporary.memory, bytes, c.second, c.may_touch, c.kept_second, c.count,
                                     c.candidates, stream));
  const u32 count = read(c.count, stream);
  checked(cub::DeviceRadixSort::SortPairs(temporary.memory, bytes, c.kept_first, c.sorted_first, c.kept_second,
                                          c.sorted_second, count, 0, c.body_bits, stream));
  find_begins(c.sorted_first, c.count, count, c.begins, c.bodies, stream);
  return {__LINE__ - contacts_line, 1};
}

// ---- particles: three selections, and a reduction of as many as there are ----

std::size_t scratch_bytes(const particles& p) {
  return most_of(
      [&](void* t, std::size_t& b) {
        return cub::DeviceSelect::Flagged(t, b, p.position, p.inside, p.position_out, p.count, p.n);
      },
      [&](void* t, std::size_t& b) { return cub::DeviceReduce::Max(t, b, p.speed_out, p.fastest, p.n); });
}
constexpr int particles_line = __LINE__;
cost step(const particles& p, const scratch& temporary, cudaStream_t stream) {
  std::size_t bytes = temporary.bytes;
  void* const memory = temporary.memory;
  checked(cub::DeviceSelect::Flagged(memory, bytes, p.position, p.inside, p.position_out, p.count, p.n, stream));
  checked(cub::DeviceSelect::Flagged(memory, bytes, p.speed, p.inside, p.speed_out, p.count, p.n, stream));
  checked(cub::DeviceSelect::Flagged(memory, bytes, p.id, p.inside, p.id_out, p.count, p.n, stream));
  const u32 count = read(p.count, stream);
  checked(cub::DeviceReduce::Max(memory, bytes, p.speed_out, p.fastest, count, stream));
  return {__LINE__ - particles_line, 1};
}

// ---- hash grid ----

std::size_t scratch_bytes(const grid& g) {
  return most_of([&](void* t, std::size_t& b) {
           return cub::DeviceRadixSort::SortPairs(t, b, g.cell, g.sorted_cell, g.id, g.sorted_id, g.n);
         }) +
         256;  // and the number of particles, on the device
}
constexpr int grid_line = __LINE__;
cost step(const grid& g, const scratch& temporary, cudaStream_t stream) {
  auto* const n = static_cast<u32*>(temporary.memory);
  std::size_t bytes = temporary.bytes - 256;
  const auto count = static_cast<u32>(g.n);
  checked(cudaMemcpyAsync(n, &count, sizeof(u32), cudaMemcpyHostToDevice, stream));
  checked(cub::DeviceRadixSort::SortPairs(static_cast<char*>(temporary.memory) + 256, bytes, g.cell, g.sorted_cell,
                                          g.id, g.sorted_id, g.n, 0, g.cell_bits, stream));
  find_begins(g.sorted_cell, n, g.n, g.begins, g.cells, stream);
  gather_items(g.position, g.sorted_id, g.sorted_position, g.n, stream);
  return {__LINE__ - grid_line, 0};
}

}  // namespace call_sites::adapter
