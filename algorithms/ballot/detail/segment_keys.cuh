// Keys that carry their segment: what makes one device-wide sort of a sort in segments.
//
//     composite   | segment | asked bits of the key | its other bits |      twice as wide as the key
//
// A sort of the composites by their segment and asked bits sorts every segment by itself, however the items are spread
// over segments; the other bits come along so that the key can be had back. The key's bits are its ordered bits, so
// direction and type are dealt with here, and the sort knows only words.
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
  BALLOT_HOST_DEVICE U asked(U raw) const {
    return static_cast<U>(static_cast<U>(codec.encode(raw) >> low) & static_cast<U>(mask(high - low)));
  }
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

// The same for all lanes of a warp, which ask for 32 offsets at once: a vote says between which two of them it goes on.
template <class Offset>
__device__ __forceinline__ std::uint64_t offsets_up_to_by_warp(const Offset* offsets, std::uint64_t count,
                                                               std::uint64_t i) {
  const unsigned lane = simt::lane_id();
  const auto are_up_to = [&](std::uint64_t at, bool is_there) {  // the leading lanes that say so
    const std::uint32_t votes = simt::ballot(is_there && static_cast<std::uint64_t>(offsets[at]) <= i);
    return votes == simt::full_mask ? simt::warp_size : static_cast<unsigned>(simt::find_first(~votes));
  };
  std::uint64_t first = 0, last = count;
  while (last - first > simt::warp_size) {
    const std::uint64_t step = (last - first) / simt::warp_size;
    const unsigned pieces = are_up_to(first + (lane + 1) * step - 1, true);
    if (pieces < simt::warp_size) last = first + (pieces + 1) * step - 1;
    first += pieces * step;
  }
  return first + are_up_to(first + lane, first + lane < last);
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
