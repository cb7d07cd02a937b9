// SPDX-License-Identifier: Apache-2.0
// Look-back of a pass of the radix sort: 256 sums side by side, one thread for each digit.
//
//     states   tile 0: [256 words] tile 1: [256 words] ...
//              thread d reads word d of one tile after the other, newest first
//
// A word has the status in 2 bits and the count in 30. A thread polls Window older tiles in one
// step, so that their loads overlap. One after the other, each load would wait for the one before.
// Sources: Merrill and Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016;
// Adinets and Merrill, Onesweep, 2022.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/plan.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot::detail {

// Status and count of one digit of one tile.
struct digit_state {
  using word = std::uint32_t;
  static constexpr unsigned value_bits = 30;
  static constexpr std::uint32_t most = (1u << value_bits) - 1u;
  static BALLOT_HOST_DEVICE word pack(device::tile_status status, std::uint32_t count) {
    return static_cast<word>(status) << value_bits | count;
  }
  static BALLOT_HOST_DEVICE device::tile_status status(word w) {
    return static_cast<device::tile_status>(w >> value_bits);
  }
  static BALLOT_HOST_DEVICE std::uint32_t value(word w) { return w & most; }
};

// The count of a digit in all tiles before `tile`, which is not 0. states_of_digit: its word of tile 0.
template <int Window>
__device__ __forceinline__ std::uint32_t look_back_for_digit(const digit_state::word* states_of_digit,
                                                             std::uint32_t tile) {
  // Before tile 0: tile 0 again. It only ever publishes a prefix, so its first occurrence ends the walk.
  const auto state_of = [&](std::uint32_t newest, unsigned back) {
    return states_of_digit + static_cast<std::size_t>(newest > back ? newest - back : 0) * radix_digits;
  };
  std::uint32_t sum = 0;
  for (std::uint32_t newest = tile - 1;; newest -= Window) {
    digit_state::word w[Window];
    // Pairs with publish_relaxed by the older tile's thread of this digit.
#pragma unroll
    for (unsigned j = 0; j < Window; ++j) w[j] = simt::load_relaxed(state_of(newest, j));
#pragma unroll
    for (unsigned j = 0; j < Window; ++j) {
      if (digit_state::status(w[j]) == device::tile_status::empty) {
        // Pairs as above. Loaded again before the first pause, since the value seen is as old as the whole window. The
        // address is computed again, too: to hold one for each would take registers from the tile's items.
        const digit_state::word* const state = state_of(simt::opaque(newest), j);
        while (digit_state::status(w[j] = simt::load_relaxed(state)) == device::tile_status::empty) simt::spin_hint();
      }
      sum += digit_state::value(w[j]);
      if (digit_state::status(w[j]) == device::tile_status::prefix) return sum;
    }
  }
}

}  // namespace ballot::detail
