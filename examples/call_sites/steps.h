// SPDX-License-Identifier: Apache-2.0
// Four steps of simulations, each written three times: with CUB's calls through the adapter
// (adapter.cu), with ballot's own (direct.cu, C++20), and with the compiled library from C++17
// (library.cpp). They share the domain's part, kernels.cu. main.cpp runs them beside each other.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace call_sites {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Gaussian splatting: which splats each tile of the image draws, from front to back. Every pointer
// is to the device.
struct splats {
  std::size_t n, most_pairs;  // splats; room for (tile, splat)
  int tile_bits;
  u32* tiles_touched;       // [n]
  u32* offsets;             // [n]: where a splat's pairs begin
  u64 *keys, *sorted_keys;  // [most_pairs]: tile and depth
  u32 *ids, *sorted_ids;    // [most_pairs]
  u32* pairs;               // [1]: how many there are
  u32* begins;              // [tiles + 1]: where a tile's splats begin
};

// DEM, the broad phase: of the candidate pairs those that may touch, in order of their first body.
struct contacts {
  std::size_t candidates, bodies;
  int body_bits;
  const u32 *first, *second;          // [candidates]
  const u8* may_touch;                // [candidates]
  u32 *kept_first, *kept_second;      // [candidates]
  u32 *sorted_first, *sorted_second;  // [candidates]
  u32* count;                         // [1]
  u32* begins;                        // [bodies + 1]: where a body's contacts begin
};

// Particles: those that are left in the domain, and the largest speed of them, which bounds the
// next time step.
struct particles {
  std::size_t n;
  const u8* inside;               // [n]
  const float *position, *speed;  // [n]
  const u32* id;                  // [n]
  float *position_out, *speed_out;
  u32* id_out;
  u32* count;      // [1]
  float* fastest;  // [1]
};

// A hash grid: particles in order of their cell, and where each cell begins.
struct grid {
  std::size_t n, cells;
  int cell_bits;
  u32 *cell, *sorted_cell;  // [n]
  u32 *id, *sorted_id;      // [n]
  const float* position;    // [n]
  float* sorted_position;   // [n]
  u32* begins;              // [cells + 1]
};

struct scratch {
  void* memory;
  std::size_t bytes;
};

// The cost of a step: set by each function. Lines of code, and how often it waited for the device.
struct cost {
  int lines, waits;
};

// Of each way: how much scratch, and the step.
#define CALL_SITES_STEPS                                     \
  std::size_t scratch_bytes(const splats&);                  \
  std::size_t scratch_bytes(const contacts&);                \
  std::size_t scratch_bytes(const particles&);               \
  std::size_t scratch_bytes(const grid&);                    \
  cost step(const splats&, const scratch&, cudaStream_t);    \
  cost step(const contacts&, const scratch&, cudaStream_t);  \
  cost step(const particles&, const scratch&, cudaStream_t); \
  cost step(const grid&, const scratch&, cudaStream_t);
namespace adapter {
CALL_SITES_STEPS
}
namespace direct {
CALL_SITES_STEPS
}
namespace library {
CALL_SITES_STEPS
}

// The kernels of the domain (kernels.cu). count: on the device.
void emit_pairs(const splats&,
                cudaStream_t);  // behind the offsets, keys and ids of each splat; and how many pairs there are
void find_begins(const u64* keys, int shift, const u32* count, std::size_t most, u32* begins, std::size_t buckets,
                 cudaStream_t);
void find_begins(const u32* keys, const u32* count, std::size_t most, u32* begins, std::size_t buckets, cudaStream_t);
void gather_items(const float* in, const u32* order, float* out, std::size_t n, cudaStream_t);
u32 read(const u32* on_device, cudaStream_t);  // waits

// A splat of this example touches 0 to 4 tiles, at some depth.
#if defined(__CUDACC__)
#  define CALL_SITES_BOTH __host__ __device__
#else
#  define CALL_SITES_BOTH
#endif
CALL_SITES_BOTH inline u64 key_of_pair(u32 splat, u32 k, int tile_bits) {
  const u32 tile = (splat * 2654435761u + k * 40503u) >> (32 - tile_bits);
  const u32 depth = (splat * 2246822519u) >> 8;
  return u64{tile} << 32 | depth;
}

}  // namespace call_sites
