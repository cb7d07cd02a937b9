// SPDX-License-Identifier: Apache-2.0
// Draws of random calls: lengths, values of many kinds, and places in memory.
#pragma once

#include <ballot/core/namespace.hpp>

#include "support/device_data.hpp"
#include "support/mixed.hpp"
#if BALLOT_EMULATED
#  include "stress/peer_serial.hpp"
#else
#  include "stress/peer_thrust.cuh"
#endif

#include <cstdint>
#include <random>
#include <type_traits>

namespace ballot::test {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct draws {
  std::mt19937_64 random;

  u64 below(u64 n) { return random() % n; }
  bool yes() { return below(2) == 0; }
  // From 0 to 2^24 (2^15 where it is emulated), as many small as large; often beside a multiple of
  // a power of two.
  u64 length() {
    constexpr unsigned most_bits = BALLOT_EMULATED ? 15 : 24, unit_bits = BALLOT_EMULATED ? 8 : 10;
    u64 n = random() >> (64 - most_bits + below(most_bits));
    if (below(3) == 0) n = (n >> unit_bits << unit_bits) + below(3) - (n >> unit_bits != 0 ? 1 : 0);
    return n;
  }
  // For what loops on the host check.
  u64 short_length() { return length() / (BALLOT_EMULATED ? 4 : 16); }
  unsigned shift() { return static_cast<unsigned>(below(2) * below(5)); }
};

// Values of few or many bits: all, the and of several draws, few distinct, ascending, each one
// forty times in a row or many times in all, only one.
struct drawn_value {
  mixed from;
  int spread;
  __host__ __device__ u64 operator()(u64 i) const {
    switch (spread) {
      case 0:
        return from(i);
      case 1:
        return from(i) & from(~i);
      case 2:
        return from(i) & from(~i) & from(i ^ 0x5555555555555555u) & from(i + 0x123456789u);
      case 3:
        return from(i) % 5 * 0x0101010101010101u;
      case 4:
        return i << 7;
      case 5:
        return from(i / 40);
      case 6:
        return from(i % 100'003);
      default:
        return from(0);
    }
  }
};
template <class T>
struct drawn_item {
  drawn_value from;
  __host__ __device__ T operator()(u64 i) const { return static_cast<T>(from(i)); }
};

// Set for one item in mask + 1, a power of two.
struct drawn_flag {
  mixed from;
  u64 mask;
  __host__ __device__ u8 operator()(u64 i) const { return (from(i) & mask) == 0 ? 1 : 0; }
};
// Calls check with one of the types of words.
template <class Check>
void with_drawn_word(draws& draw, Check check) {
  const u64 kind = draw.below(3);
  if (kind == 0) check(std::type_identity<u8>{});
  else if (kind == 1) check(std::type_identity<u32>{});
  else check(std::type_identity<u64>{});
}

template <class T>
struct position_as {
  __host__ __device__ T operator()(u64 i) const { return static_cast<T>(i); }
};

// An array on the device whose first item may lie anywhere in a vector.
template <class T>
class placed {
 public:
  explicit placed(u64 n, unsigned shift = 0) : memory_(n + shift, test_stream()), shift_(shift) {}
  T* data() const { return memory_.data() + shift_; }
  std::size_t size() const { return memory_.size() - shift_; }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }

 private:
  device_array<T> memory_;
  unsigned shift_;
};

template <class T>
struct same_item {
  const T *a, *b;
  __host__ __device__ bool operator()(u64 i) const { return a[i] == b[i]; }
};
template <class T>
bool equal_items(const T* a, const T* b, u64 n) {
  return peer::all(n, same_item<T>{a, b});
}

template <class T>
placed<T> drawn_items(draws& draw, u64 n) {
  placed<T> items(n, draw.shift());
  const drawn_value from{{draw.random()}, static_cast<int>(draw.below(8))};
  peer::make_items(items.data(), n, drawn_item<T>{from});
  return items;
}
template <class T>
placed<T> positions(u64 n, unsigned shift = 0) {
  placed<T> items(n, shift);
  peer::make_items(items.data(), n, position_as<T>{});
  return items;
}

}  // namespace ballot::test
