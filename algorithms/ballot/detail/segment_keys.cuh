// Keys that carry their segment: what makes one device-wide sort of a sort in segments.
//
//     composite   | segment | asked bits of the key | its other bits |      twice as wide as the key
//
// A sort of the composites by their segment and asked bits sorts every segment by itself, however the items are spread
// over segments; the other bits come along so that the key can be had back. The key's bits are its ordered bits, so
// direction and type are dealt with here, and the sort knows only words.
//
// The segment of item i is the number of offsets not above i. A block looks up the segments of its first and its last
// item, and each item is looked for between the two: long segments cost no search, short ones one within a few words.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/detail/key_kernels.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

// Keys of U in words of twice their width, at least 64 bits: at least 32 remain for the segment.
template <class U>
using composite_of_t = std::conditional_t<sizeof(U) <= 4, std::uint64_t, uint128>;

// How a key's ordered bits lie in a composite: bits [low, high) of them, the asked ones, above the others.
template <class U>
struct composite_layout {
  using word = composite_of_t<U>;
  static constexpr int key_bits = 8 * sizeof(U);
  key_codec<U> codec;
  int low;
  int high;

  BALLOT_HOST_DEVICE int other_bits() const { return key_bits - (high - low); }
  BALLOT_HOST_DEVICE word make(std::uint64_t segment, U raw) const {
    const word ordered = codec.encode(raw);
    const word asked = ordered >> low & mask(high - low);
    const word others = ordered >> high << low | (ordered & mask(low));
    return static_cast<word>(segment) << key_bits | asked << other_bits() | others;
  }
  BALLOT_HOST_DEVICE std::uint64_t segment(word composite) const {
    return static_cast<std::uint64_t>(composite >> key_bits);
  }
  BALLOT_HOST_DEVICE U key(word composite) const {
    const word asked = composite >> other_bits() & mask(high - low), others = composite & mask(other_bits());
    return codec.decode(static_cast<U>(others >> low << high | asked << low | (others & mask(low))));
  }

 private:
  static BALLOT_HOST_DEVICE word mask(int bits) { return (word{1} << bits) - 1; }
};

// How many of offsets[first, last) are not above i; they ascend.
template <class Offset>
__device__ __forceinline__ std::uint64_t offsets_up_to(const Offset* offsets, std::uint64_t first, std::uint64_t last,
                                                       std::uint64_t i) {
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (static_cast<std::uint64_t>(offsets[middle]) <= i) first = middle + 1;
    else last = middle;
  }
  return first;
}

struct segment_range_of_tile {
  std::uint64_t first, last;
};

// composites[i] from keys[i] and its segment. One barrier.
template <class U, class Offset>
__global__ void __launch_bounds__(key_threads)
    make_composites_kernel(const U* keys, length length, const Offset* offsets, detail::length segments,
                           composite_layout<U> layout, composite_of_t<U>* composites) {
  auto& shared = simt::shared_storage<segment_range_of_tile>();
  const std::uint64_t n = length.get();
  const std::uint64_t begin = static_cast<std::uint64_t>(blockIdx.x) * key_tile;
  if (begin >= n) return;  // the whole block
  if (threadIdx.x < 2) {
    const std::uint64_t end = smaller(n, begin + key_tile);
    const std::uint64_t found = offsets_up_to(offsets, 0, segments.get(), threadIdx.x == 0 ? begin : end - 1);
    (threadIdx.x == 0 ? shared.first : shared.last) = found;
  }
  simt::sync_block();
  const std::uint64_t first = shared.first, last = shared.last;
  make_tile(
      n, [&](std::uint64_t i) { return layout.make(offsets_up_to(offsets, first, last, i), keys[i]); },
      [&](std::uint64_t i, composite_of_t<U> composite) { composites[i] = composite; });
}

// keys[i] = the key of composites[i]
template <class U>
__global__ void __launch_bounds__(key_threads)
    keys_of_composites_kernel(const composite_of_t<U>* composites, length length, composite_layout<U> layout, U* keys) {
  make_tile(
      length.get(), [&](std::uint64_t i) { return layout.key(composites[i]); },
      [&](std::uint64_t i, U key) { keys[i] = key; });
}

}  // namespace ballot::detail
