// SPDX-License-Identifier: Apache-2.0
// Small kernels, each right with bug::none and with one mistake otherwise. The emulator has to find
// each mistake and to say nothing against the right ones.
#pragma once

#include <ballot/core/namespace.hpp>

#include <ballot/simt/simt.cuh>

namespace ballot::test::planted {

namespace simt = ballot::simt;

enum class bug {
  none,
  no_sync,
  no_reuse_sync,
  divergent_barrier,
  early_exit,
  wrong_mask,
  narrow_mask,
  other_collective,
  tile_by_block,
  relaxed_flag,
  relaxed_reader,
  block_scope,
  block_scope_reader,
  no_syncwarp,
  out_of_bounds,
  uninitialized,
  misaligned,
  no_wait,
  no_barrier,
  no_first_meeting,
  no_second_meeting,
  twice,
  leaves,
  arrives_relaxed
};

// ---- a block ----

template <int Threads>
struct block_sums {
  unsigned of_warp[Threads / 32];
};

// Exclusive sum over the block; the storage is free again after the next barrier.
template <int Threads, bug Bug>
__device__ __forceinline__ unsigned block_scan(block_sums<Threads>& s, unsigned v, unsigned& total) {
  const unsigned warp = simt::warp_id(), lane = simt::lane_id();
  unsigned inclusive = v;
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned below = simt::shuffle_up(inclusive, d);
    if (lane >= d) inclusive += below;
  }
  if (lane == 31) s.of_warp[warp] = inclusive;
  if constexpr (Bug != bug::no_sync) simt::sync_block();
  unsigned before = 0;
  total = 0;
  for (unsigned w = 0; w < Threads / 32; w++) {
    const unsigned x = s.of_warp[w];
    if (w < warp) before += x;
    total += x;
  }
  return before + inclusive - v;
}

// The scan of the values plus the scan of the flags `v != 0`, both over the same storage.
template <int Threads, bug Bug>
__global__ void block_scan_kernel(const unsigned* in, unsigned* out, int n) {
  auto& s = simt::shared_storage<block_sums<Threads>>();
  const int i = int(blockIdx.x) * Threads + int(threadIdx.x);
  if constexpr (Bug == bug::early_exit) {
    if (i >= n) return;
  }
  const unsigned v = i < n ? in[i] : 0;
  unsigned total = 0, first = 0;
  if constexpr (Bug == bug::divergent_barrier) {
    if (threadIdx.x < Threads / 2) first = block_scan<Threads, bug::none>(s, v, total);
    else simt::sync_block();
  } else {
    first = block_scan<Threads, Bug>(s, v, total);
  }
  if constexpr (Bug != bug::no_reuse_sync) simt::sync_block();
  const unsigned second = block_scan<Threads, Bug>(s, v != 0, total);
  if (i < n) out[i] = first + second;
}

// ---- a device-wide scan with look-back ----

// packed: status and value in one word. wide: the same in 16 bytes. apart: a flag that guards plain
// values.
enum class state_kind { packed, wide, apart };
struct alignas(16) wide_state {
  unsigned long long status, value;
};
struct tile_states {
  unsigned long long* packed;
  wide_state* wide;
  unsigned* flag;
  unsigned* aggregate;
  unsigned* prefix;
};

template <state_kind Kind, bug Bug>
__device__ __forceinline__ void publish(const tile_states& s, unsigned tile, unsigned status, unsigned value) {
  if constexpr (Kind == state_kind::packed) {
    simt::store_relaxed(s.packed + tile, static_cast<unsigned long long>(status) << 32 | value);
  } else if constexpr (Kind == state_kind::wide) {
    simt::store_relaxed(s.wide + tile, wide_state{status, value});
  } else {
    (status == 1 ? s.aggregate : s.prefix)[tile] = value;
    if constexpr (Bug == bug::relaxed_flag) simt::store_relaxed(s.flag + tile, status);
    else if constexpr (Bug == bug::block_scope) simt::store_release<simt::scope::block>(s.flag + tile, status);
    else simt::store_release(s.flag + tile, status);  // pairs with the acquire in wait_for
  }
}

template <state_kind Kind, bug Bug>
__device__ __forceinline__ unsigned wait_for(const tile_states& s, unsigned tile, unsigned& value) {
  if constexpr (Kind == state_kind::packed) {
    unsigned long long w;
    while (((w = simt::load_relaxed(s.packed + tile)) >> 32) == 0) simt::spin_hint();
    value = unsigned(w);
    return unsigned(w >> 32);
  } else if constexpr (Kind == state_kind::wide) {
    wide_state w;
    while ((w = simt::load_relaxed(s.wide + tile)).status == 0) simt::spin_hint();
    value = unsigned(w.value);
    return unsigned(w.status);
  } else {
    unsigned f = 0;
    while (f == 0) {
      f = Bug == bug::relaxed_reader ? simt::load_relaxed(s.flag + tile) : simt::load_acquire(s.flag + tile);
      if (f == 0) simt::spin_hint();
    }
    value = (f == 1 ? s.aggregate : s.prefix)[tile];
    return f;
  }
}

template <state_kind Kind, bug Bug>
__device__ __forceinline__ unsigned look_back(const tile_states& s, unsigned tile) {
  unsigned sum = 0;
  for (int last = int(tile) - 1; last >= 0; last -= 32) {
    const int t = last - int(simt::lane_id());
    unsigned value = 0, status = 2;  // before the first tile: a prefix of nothing
    if (t >= 0) status = wait_for<Kind, Bug>(s, unsigned(t), value);
    const unsigned prefixes = simt::ballot(status == 2);
    const int upto = prefixes ? simt::find_first(prefixes) : 31;
    sum += simt::reduce_add(int(simt::lane_id()) <= upto ? value : 0u);
    if (prefixes) break;
  }
  return sum;
}

template <int Threads, state_kind Kind, bug Bug>
__global__ void device_scan_kernel(const unsigned* in, unsigned* out, unsigned n, unsigned* ticket,
                                   tile_states states) {
  struct storage {
    block_sums<Threads> sums;
    unsigned tile, before;
  };
  auto& s = simt::shared_storage<storage>();
  unsigned tile = blockIdx.x;
  if constexpr (Bug != bug::tile_by_block) {
    if (threadIdx.x == 0) s.tile = simt::atomic_add(ticket, 1);
    simt::sync_block();
    tile = s.tile;
  }
  const unsigned i = tile * Threads + threadIdx.x, v = i < n ? in[i] : 0;
  unsigned total;
  unsigned sum = block_scan<Threads, bug::none>(s.sums, v, total) + v;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) publish<Kind, Bug>(states, tile, tile == 0 ? 2 : 1, total);
    const unsigned before = look_back<Kind, Bug>(states, tile);
    if (threadIdx.x == 0) {
      if (tile != 0) publish<Kind, Bug>(states, tile, 2, before + total);
      s.before = before;
    }
  }
  simt::sync_block();
  if (i < n) out[i] = s.before + sum;
}

// ---- ranks of digits in a warp, as a radix sort counts them ----

template <bug Bug>
__global__ void digit_rank_kernel(const unsigned* keys, unsigned* rank, int rounds) {
  struct storage {
    unsigned count[2][8];
  };
  auto& s = simt::shared_storage<storage>();
  const unsigned warp = simt::warp_id(), lane = simt::lane_id();
  if (lane < 8) s.count[warp][lane] = 0;
  simt::sync_warp();
  for (int r = 0; r < rounds; r++) {
    const unsigned i = unsigned(r) * 64 + threadIdx.x, digit = keys[i] & 7, peers = simt::match_any(digit);
    const unsigned below = simt::popcount(peers & simt::lanemask_lt()), had = s.count[warp][digit];
    if constexpr (Bug != bug::no_syncwarp) simt::sync_warp();
    if (below == 0) s.count[warp][digit] = had + simt::popcount(peers);
    simt::sync_warp();
    rank[i] = had + below;
  }
}

// ---- a warp ----

// Lanes 0 to 19 shuffle among themselves.
template <bug Bug>
__global__ void masked_sum(const unsigned* in, unsigned* out) {
  const unsigned lane = simt::lane_id(), v = in[threadIdx.x];
  unsigned r = 0;
  if (lane < 20) {
    unsigned mask = (1u << 20) - 1;
    if (Bug == bug::wrong_mask) mask = 0x0000ffffu;             // lanes 16 to 19 call without being in it
    if (Bug == bug::narrow_mask && lane >= 10) mask = 0xffc00;  // lanes 0 to 9 still name 10 to 19
    r = simt::shuffle(v, lane >= 12 ? lane : lane + 8, mask);
    if (Bug == bug::other_collective && lane == 3) r = simt::any(true, mask);
    else r += simt::shuffle_xor(lane < 16 ? v : 0u, 1, mask);
  }
  out[threadIdx.x] = r;
}

// The full mask, but only some lanes come.
template <int = 0>
__global__ void full_mask_in_branch(unsigned* out) {
  unsigned r = 0;
  if (simt::lane_id() < 20) r = simt::ballot(true);
  simt::sync_block();
  out[threadIdx.x] = r;
}

// Neighbours exchange values through shared memory.
template <bug Bug>
__global__ void warp_exchange(unsigned* out) {
  struct storage {
    unsigned x[64];
  };
  auto& s = simt::shared_storage<storage>();
  const unsigned t = threadIdx.x, first = t & ~31u;
  s.x[t] = t;
  if (Bug == bug::no_syncwarp) simt::ballot(true);  // together, but nothing is ordered
  else simt::sync_warp();
  out[t] = s.x[first + (t + 1) % 32];
}

// ---- messages between blocks ----

// Both words are atomic, so there is no race: only the order can be wrong.
template <bug Bug>
__global__ void message(unsigned* data, unsigned* flag, unsigned* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    simt::store_relaxed(data, 42);
    if (Bug == bug::relaxed_flag) simt::store_relaxed(flag, 1);
    else simt::store_release(flag, 1);  // pairs with the acquire below
  } else {
    while ((Bug == bug::relaxed_reader ? simt::load_relaxed(flag) : simt::load_acquire(flag)) == 0) simt::spin_hint();
    out[blockIdx.x] = simt::load_relaxed(data);
  }
}
// The same with plain data, relaxed flags and fences.
template <bug Bug>
__global__ void message_with_fences(unsigned* data, unsigned* flag, unsigned* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;
    if (Bug == bug::block_scope) simt::fence<simt::scope::block>();
    else if (Bug != bug::relaxed_flag) simt::fence();  // pairs with the fence below
    simt::store_relaxed(flag, 1);
  } else {
    while (simt::load_relaxed(flag) == 0) simt::spin_hint();
    if (Bug == bug::block_scope_reader) simt::fence<simt::scope::block>();
    else if (Bug != bug::relaxed_reader) simt::fence();
    out[blockIdx.x] = *data;
  }
}
// All blocks count in one word; of block scope, that is not one count.
template <bug Bug>
__global__ void count_blocks(unsigned* count) {
  constexpr auto s = Bug == bug::block_scope ? simt::scope::block : simt::scope::device;
  simt::atomic_add<simt::order::relaxed, s>(count, 1);
}

// ---- memory ----

template <bug Bug>
__global__ void stray(const unsigned* in, unsigned* out, unsigned n) {
  struct storage {
    unsigned x[64];
  };
  auto& s = simt::shared_storage<storage>();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (Bug != bug::uninitialized || threadIdx.x != 5) s.x[threadIdx.x] = 1;
  simt::sync_block();
  if (i < n || Bug == bug::out_of_bounds) out[i] = in[i] + s.x[63 - threadIdx.x];
}

template <bug Bug>
__global__ void wide_copy(const unsigned* in, unsigned* out, unsigned n) {
  const unsigned i = threadIdx.x * 4 + (Bug == bug::misaligned ? 2 : 0);
  if (i + 4 <= n || Bug == bug::out_of_bounds) simt::store_vector(out + i, simt::load_vector<unsigned, 4>(in + i));
}

// The neighbour's item, by an asynchronous copy.
template <bug Bug>
__global__ void copy_of_neighbour(const unsigned* in, unsigned* out) {
  struct storage {
    unsigned x[64];
  };
  auto& s = simt::shared_storage<storage>();
  const unsigned t = threadIdx.x;
  simt::copy_async<4>(&s.x[t + (Bug == bug::out_of_bounds ? 64 : 0)], in + t);
  if (Bug != bug::no_wait) simt::wait_for_copies();
  if (Bug != bug::no_barrier) simt::sync_block();
  out[t] = s.x[(t + 1) % 64];
}

// ---- progress ----

template <int = 0>
__global__ void spin_on_dead_flag(unsigned* flag) {
  while (simt::load_acquire(flag) == 0) {
  }
}
// A barrier of the whole grid: needs every block resident.
template <int = 0>
__global__ void grid_barrier(unsigned* count) {
  if (threadIdx.x == 0) {
    simt::atomic_add<simt::order::acq_rel>(count, 1);
    while (simt::load_acquire(count) < gridDim.x) simt::spin_hint();
  }
  simt::sync_block();
}
// A warp that makes, a warp that takes, named barriers between.
template <bug Bug>
__global__ void producer_consumer(unsigned* out, int rounds) {
  struct storage {
    unsigned x[32];
  };
  auto& s = simt::shared_storage<storage>();
  const unsigned lane = simt::lane_id();
  for (int r = 0; r < rounds; r++) {
    if (threadIdx.x < 32) {
      if (r != 0 && Bug != bug::no_reuse_sync) simt::named_barrier_sync(2, 64);
      s.x[lane] = lane + unsigned(r);
      simt::named_barrier_arrive(1, 64);
    } else {
      simt::named_barrier_sync(1, 64);
      out[r * 32 + int(lane)] = s.x[31 - lane];
      if (r + 1 < rounds && Bug != bug::no_reuse_sync) simt::named_barrier_arrive(2, 64);
    }
  }
}

// Each block of a cluster gives its number to all of them, and adds up what it got.
template <bug Bug>
__global__ void cluster_sum(unsigned* out) {
  struct storage {
    unsigned of_block[simt::most_cluster_blocks];
  };
  auto& s = simt::shared_storage<storage>();
  if (Bug == bug::leaves && blockIdx.x == 1) return;
  if constexpr (Bug != bug::no_first_meeting) {
    simt::cluster_arrive<simt::order::relaxed>();
    if constexpr (Bug == bug::twice) simt::cluster_arrive();
    simt::cluster_wait();
  }
  if (threadIdx.x < gridDim.x) simt::shared_of_block(s.of_block[blockIdx.x], threadIdx.x) = blockIdx.x;
  if constexpr (Bug != bug::no_second_meeting) {
    simt::cluster_arrive<Bug == bug::arrives_relaxed ? simt::order::relaxed : simt::order::release>();
    simt::cluster_wait();
  }
  if (threadIdx.x != 0) return;
  unsigned sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += s.of_block[b];
  out[blockIdx.x] = sum;
}

}  // namespace ballot::test::planted
