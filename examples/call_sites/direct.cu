// SPDX-License-Identifier: Apache-2.0
// The steps with ballot's own calls: lengths stay on the device, one selection moves all columns,
// and searches and gathers take the place of kernels.
#include "steps.h"

#include <ballot/compact.cuh>
#include <ballot/gather.cuh>
#include <ballot/reduce.cuh>
#include <ballot/scan.cuh>
#include <ballot/search.cuh>
#include <ballot/sort.cuh>

#include <algorithm>
#include <span>

namespace call_sites::direct {
namespace {

template <class T>
std::span<T> items(T* data, std::size_t n) {
  return {data, n};
}
ballot::exec on(const scratch& temporary, cudaStream_t stream) { return {stream, temporary.memory, temporary.bytes}; }

}  // namespace

std::size_t scratch_bytes(const splats& s) {
  return std::max(ballot::scan_scratch_bytes<u32>(s.n), ballot::sort_pairs_scratch_bytes<u64, u32>(s.most_pairs));
}
constexpr int splats_line = __LINE__;
cost step(const splats& s, const scratch& temporary, cudaStream_t stream) {
  const ballot::exec gpu = on(temporary, stream);
  ballot::exclusive_scan(gpu, items(s.tiles_touched, s.n), items(s.offsets, s.n));
  emit_pairs(s, stream);
  ballot::sort_pairs(gpu, ballot::counted{items(s.keys, s.most_pairs), s.pairs}, items(s.ids, s.most_pairs),
                     items(s.sorted_keys, s.most_pairs), items(s.sorted_ids, s.most_pairs),
                     {.bits = {0, 32 + s.tile_bits}});
  find_begins(s.sorted_keys, 32, s.pairs, s.most_pairs, s.begins, std::size_t{1} << s.tile_bits, stream);
  return {__LINE__ - splats_line, 0};
}

std::size_t scratch_bytes(const contacts& c) {
  return std::max(ballot::compact_scratch_bytes<u32, u32>(c.candidates),
                  ballot::sort_pairs_scratch_bytes<u32, u32>(c.candidates));
}
constexpr int contacts_line = __LINE__;
cost step(const contacts& c, const scratch& temporary, cudaStream_t stream) {
  const ballot::exec gpu = on(temporary, stream);
  const std::size_t n = c.candidates;
  ballot::compact(gpu, ballot::zip{items(c.first, n), items(c.second, n)}, ballot::byte_flags{items(c.may_touch, n)},
                  ballot::zip{items(c.kept_first, n), items(c.kept_second, n)}, c.count);
  ballot::sort_pairs(gpu, ballot::counted{items(c.kept_first, n), c.count}, items(c.kept_second, n),
                     items(c.sorted_first, n), items(c.sorted_second, n), {.bits = {0, c.body_bits}});
  ballot::lower_bound(gpu, ballot::counted{items(c.sorted_first, n), c.count},
                      ballot::positions(static_cast<u32>(c.bodies + 1)), items(c.begins, c.bodies + 1));
  return {__LINE__ - contacts_line, 0};
}

std::size_t scratch_bytes(const particles& p) {
  return std::max(ballot::compact_scratch_bytes<float, float, u32>(p.n), ballot::reduce_scratch_bytes<float>(p.n));
}
constexpr int particles_line = __LINE__;
cost step(const particles& p, const scratch& temporary, cudaStream_t stream) {
  const ballot::exec gpu = on(temporary, stream);
  ballot::compact(gpu, ballot::zip{items(p.position, p.n), items(p.speed, p.n), items(p.id, p.n)},
                  ballot::byte_flags{items(p.inside, p.n)},
                  ballot::zip{items(p.position_out, p.n), items(p.speed_out, p.n), items(p.id_out, p.n)}, p.count);
  ballot::reduce(gpu, ballot::counted{items(p.speed_out, p.n), p.count}, 0.0f, ballot::maximum{}, p.fastest);
  return {__LINE__ - particles_line, 0};
}

std::size_t scratch_bytes(const grid& g) { return ballot::sort_pairs_scratch_bytes<u32, u32>(g.n); }
constexpr int grid_line = __LINE__;
cost step(const grid& g, const scratch& temporary, cudaStream_t stream) {
  const ballot::exec gpu = on(temporary, stream);
  ballot::sort_pairs(gpu, items(g.cell, g.n), items(g.id, g.n), items(g.sorted_cell, g.n), items(g.sorted_id, g.n),
                     {.bits = {0, g.cell_bits}});
  ballot::lower_bound(gpu, items(g.sorted_cell, g.n), ballot::positions(static_cast<u32>(g.cells + 1)),
                      items(g.begins, g.cells + 1));
  ballot::gather(gpu, items(g.position, g.n), items(g.sorted_id, g.n), items(g.sorted_position, g.n));
  return {__LINE__ - grid_line, 0};
}

}  // namespace call_sites::direct
