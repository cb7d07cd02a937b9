// The digit counts of all passes in one read of the keys, and from them where each digit's keys begin in the output.
//
// The counts of a digit do not change when the keys move, so one histogram serves every pass. Blocks count in shared
// memory and add what they have; the last block to finish turns the counts into starts (an exclusive scan of each
// pass's 256 counts).
//
// Shared memory: 1 KiB a pass. Barriers: four, and two a pass in the last block.
// Adinets and Merrill, Onesweep, 2022 (one upfront histogram).
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/radix_rank.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

inline constexpr int radix_passes_at_most = 8;

// The digits that the passes of one sort look at: pass p takes `radix_bits` bits from low + p * radix_bits, less in the
// last.
struct radix_digit_plan {
  int low;
  int high;

  BALLOT_HOST_DEVICE constexpr int passes() const { return (high - low + radix_bits - 1) / radix_bits; }
  BALLOT_HOST_DEVICE constexpr int shift(int pass) const { return low + pass * radix_bits; }
  BALLOT_HOST_DEVICE constexpr unsigned mask(int pass) const {
    const int bits = high - shift(pass);
    return bits >= radix_bits ? radix_digits - 1u : (1u << bits) - 1u;
  }
};

struct radix_histogram_storage {
  std::uint32_t count[radix_passes_at_most][radix_digits];
  typename block::scan<std::uint64_t, radix_digits>::storage scan;
  bool last_block;
};

// starts[pass][digit] gets the number of keys with a smaller digit. It and `finished` are zero at launch.
// Shape::threads is 256: one thread a digit. No block takes 2^32 keys or more (the grid sees to that), so that shared
// counts of 32 bits suffice.
template <class U, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    radix_histogram_kernel(const U* keys, length length, key_codec<U> codec, radix_digit_plan plan, bool whole_vectors,
                           std::uint64_t* starts, std::uint32_t* finished) {
  static_assert(Shape::threads == radix_digits, "one thread a digit");
  using tile = block::tile<U, Shape>;
  auto& shared = simt::shared_storage<radix_histogram_storage>();
  const unsigned digit_of_thread = simt::thread_rank();
  const int passes = plan.passes();
  for (int p = 0; p < passes; ++p) shared.count[p][digit_of_thread] = 0;
  simt::sync_block();

  const std::uint64_t n = length.get();
  for (std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * Shape::items; begin < n;
       begin += static_cast<std::uint64_t>(gridDim.x) * Shape::items) {
    const auto valid = static_cast<unsigned>(smaller(n - begin, Shape::items));
    typename tile::items key;
    tile::load(keys + begin, valid, whole_vectors, key);
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
#pragma unroll
      for (int j = 0; j < Shape::width; ++j) {
        if (tile::first_item(c) + j >= valid) continue;
        const U ordered = codec.encode(key[c][j]);
        for (int p = 0; p < passes; ++p)
          simt::atomic_add<simt::order::relaxed, simt::scope::block>(
              &shared.count[p][static_cast<unsigned>(ordered >> plan.shift(p)) & plan.mask(p)], 1u);
      }
    }
  }
  simt::sync_block();

  for (int p = 0; p < passes; ++p) {
    const std::uint32_t count = shared.count[p][digit_of_thread];
    if (count != 0) simt::atomic_add(&starts[p * radix_digits + digit_of_thread], static_cast<std::uint64_t>(count));
  }
  // Each thread's additions are released to the device by its fence before the block reports by one acq_rel increment;
  // the last block's increment and the fence after it acquire them all.
  simt::fence();
  simt::sync_block();
  if (digit_of_thread == 0) shared.last_block = simt::atomic_add<simt::order::acq_rel>(finished, 1u) + 1u == gridDim.x;
  simt::sync_block();
  if (!shared.last_block) return;
  simt::fence();
  for (int p = 0; p < passes; ++p) {
    // Pairs with the relaxed additions of all blocks, ordered by `finished`.
    std::uint64_t* const start = &starts[p * radix_digits + digit_of_thread];
    std::uint64_t total;
    const std::uint64_t count = simt::load_relaxed(start);
    *start = block::scan<std::uint64_t, radix_digits>::exclusive(shared.scan, count, std::uint64_t{0}, total);
    simt::sync_block();
  }
}

}  // namespace ballot::detail
