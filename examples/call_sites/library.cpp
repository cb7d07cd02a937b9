// SPDX-License-Identifier: Apache-2.0
// C++17, without nvcc: the steps with the compiled library. The same calls as in direct.cu.
#include "steps.h"

#include <ballot.hpp>

#include <algorithm>

namespace call_sites::library {
namespace {

using libballot::as_array;
using libballot::counted;
using libballot::items;

libballot::exec on(const scratch& temporary, cudaStream_t stream) {
  return {stream, temporary.memory, temporary.bytes};
}
ballot_sort_options by_bits(int bits) {
  ballot_sort_options options{};
  options.size = sizeof options;
  options.high_bit = bits;
  return options;
}

}  // namespace

std::size_t scratch_bytes(const splats& s) {
  return std::max(libballot::scan_scratch_bytes<u32>(s.n), libballot::sort_pairs_scratch_bytes<u64, u32>(s.most_pairs));
}
constexpr int splats_line = __LINE__;
cost step(const splats& s, const scratch& temporary, cudaStream_t stream) {
  const auto gpu = on(temporary, stream);
  libballot::exclusive_scan(gpu, items(s.tiles_touched, s.n), BALLOT_PLUS, items(s.offsets, s.n));
  emit_pairs(s, stream);
  libballot::sort_pairs(gpu, counted(items(s.keys, s.most_pairs), s.pairs), items(s.ids, s.most_pairs),
                        items(s.sorted_keys, s.most_pairs), items(s.sorted_ids, s.most_pairs),
                        by_bits(32 + s.tile_bits));
  find_begins(s.sorted_keys, 32, s.pairs, s.most_pairs, s.begins, std::size_t{1} << s.tile_bits, stream);
  return {__LINE__ - splats_line, 0};
}

std::size_t scratch_bytes(const contacts& c) {
  return std::max(libballot::compact_scratch_bytes<u32, u32>(c.candidates),
                  libballot::sort_pairs_scratch_bytes<u32, u32>(c.candidates));
}
constexpr int contacts_line = __LINE__;
cost step(const contacts& c, const scratch& temporary, cudaStream_t stream) {
  const auto gpu = on(temporary, stream);
  const std::size_t n = c.candidates;
  const ballot_array in[] = {items(c.first, n), items(c.second, n)};
  const ballot_array out[] = {items(c.kept_first, n), items(c.kept_second, n)};
  const auto may_touch = libballot::by_bytes(items(c.may_touch, n));
  libballot::checked(ballot_compact(gpu, 2, in, may_touch.get(), out, libballot::value(c.count)));
  libballot::sort_pairs(gpu, counted(out[0], c.count), out[1], items(c.sorted_first, n), items(c.sorted_second, n),
                        by_bits(c.body_bits));
  libballot::lower_bound(gpu, counted(items(c.sorted_first, n), c.count), libballot::positions(c.bodies + 1),
                         items(c.begins, c.bodies + 1));
  return {__LINE__ - contacts_line, 0};
}

std::size_t scratch_bytes(const particles& p) {
  return std::max(libballot::compact_scratch_bytes<float, float, u32>(p.n),
                  libballot::reduce_scratch_bytes<float>(p.n));
}
constexpr int particles_line = __LINE__;
cost step(const particles& p, const scratch& temporary, cudaStream_t stream) {
  const auto gpu = on(temporary, stream);
  const ballot_array in[] = {items(p.position, p.n), items(p.speed, p.n), items(p.id, p.n)};
  const ballot_array out[] = {items(p.position_out, p.n), items(p.speed_out, p.n), items(p.id_out, p.n)};
  const auto inside = libballot::by_bytes(items(p.inside, p.n));
  libballot::checked(ballot_compact(gpu, 3, in, inside.get(), out, libballot::value(p.count)));
  libballot::reduce(gpu, counted(out[1], p.count), BALLOT_MAXIMUM, p.fastest);
  return {__LINE__ - particles_line, 0};
}

std::size_t scratch_bytes(const grid& g) { return libballot::sort_pairs_scratch_bytes<u32, u32>(g.n); }
constexpr int grid_line = __LINE__;
cost step(const grid& g, const scratch& temporary, cudaStream_t stream) {
  const auto gpu = on(temporary, stream);
  libballot::sort_pairs(gpu, items(g.cell, g.n), items(g.id, g.n), items(g.sorted_cell, g.n), items(g.sorted_id, g.n),
                        by_bits(g.cell_bits));
  libballot::lower_bound(gpu, items(g.sorted_cell, g.n), libballot::positions(g.cells + 1),
                         items(g.begins, g.cells + 1));
  libballot::gather(gpu, items(g.position, g.n), items(g.sorted_id, g.n), items(g.sorted_position, g.n));
  return {__LINE__ - grid_line, 0};
}

}  // namespace call_sites::library
