// SPDX-License-Identifier: Apache-2.0
// How a merge compares items: keys by their ordered bits, as integers; others by the caller's
// comparison.
#pragma once

#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>

namespace ballot::detail {

// Items as they are, for comparisons of the caller's.
template <class T>
struct plain_items {
  BALLOT_HOST_DEVICE const T& encode(const T& item) const { return item; }
  BALLOT_HOST_DEVICE const T& decode(const T& item) const { return item; }
};
// For integers: the ordered bits of each differ from its bits in the same bits.
template <class U>
struct flipped_bits {
  U flip;
  BALLOT_HOST_DEVICE U encode(U bits) const { return static_cast<U>(bits ^ flip); }
  BALLOT_HOST_DEVICE U decode(U bits) const { return static_cast<U>(bits ^ flip); }
};
template <class K>
auto merge_codec(direction d, nan_order nans) {
  const auto codec = key_codec_of<K>(d, nans);
  if constexpr (key_traits<K>::kind == key_kind::floating) return codec;
  else return flipped_bits<ordered_bits_t<K>>{codec.flip};
}
struct smaller_bits {
  template <class U>
  BALLOT_HOST_DEVICE bool operator()(U a, U b) const {
    return a < b;
  }
};

}  // namespace ballot::detail
