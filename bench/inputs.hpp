// SPDX-License-Identifier: Apache-2.0
// The data. Every item follows from its position alone, so that runs on all machines have the same.
#pragma once

#include <ballot/core/namespace.hpp>

#include "distributions.hpp"
#include "operation.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ballot::bench {

// How sort keys are spread: a name of distributions.hpp, or
//   0.544     the entropy of a bit: each key is the `and` of three uniform words; 0.201: of five
//             (Thearling and Smith 1992)
//   and:K     the `and` of K uniform words
//   few:K     K distinct keys, evenly spaced, equally likely
struct key_spread {
  enum class kind { conjunction, few, named } how = kind::conjunction;
  unsigned words = 1;  // or distinct keys
  std::string name = "uniform";
  const distribution* named = nullptr;
};
key_spread parse_key_spread(const std::string& name);  // throws std::invalid_argument
inline unsigned given_bits(const key_spread& spread, std::size_t key_bytes) {
  if (spread.named == nullptr) return 0;
  return key_bytes == 8 ? spread.named->given_bits_64 : spread.named->given_bits_32;
}

// Keys of a distribution; none where it has none of that type.
template <class Key>  // std::uint32_t, std::uint64_t, float, double
std::optional<source> distributed(const distribution& how);

// Throws std::invalid_argument where there are no such keys.
template <class Key>
source keys(const key_spread& spread);
template <class Key>
bool has_keys(const key_spread& spread);

// Integers from -2 to 2: their sums stay so small that float sums are exact in any order, and
// answers can be compared by bits.
template <class T>  // std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::int64_t, float, double
source small_numbers();

// The largest items that the library scans: two sums side by side.
struct two_doubles {
  double x, y;
#if defined(__CUDACC__)
  __host__ __device__
#endif
      friend two_doubles
      operator+(const two_doubles& a, const two_doubles& b) {
    return {a.x + b.x, a.y + b.y};
  }
};
source small_pairs();

source nothing();  // for operations without input

source counts();  // n + 1 of them, 0 to 4: u32

source positions();  // 0, 1, 2, ...: u32

// For compaction and split. Uniform u32, of which is_kept takes one half; and the same choice as
// bytes and as bits.
struct is_kept {
#if defined(__CUDACC__)
  __host__ __device__
#endif
      bool
      operator()(std::uint32_t item) const {
    return item < 0x80000000u;
  }
};
source items();
source byte_flags_of_items();
source bit_flags_of_items();

}  // namespace ballot::bench
