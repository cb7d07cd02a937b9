// The data. Every item follows from its position alone, so that runs on all machines have the same.
#pragma once

#include <ballot/core/namespace.hpp>

#include "operation.hpp"

#include <cstdint>
#include <string>

namespace ballot::bench {

// How sort keys are spread.
//   uniform   every value equally likely
//   0.544     the entropy of a bit: each key is the `and` of three uniform words; 0.201: of five (Thearling and Smith 1992)
//   and:K     the `and` of K uniform words
//   sorted    ascending and evenly spaced; reversed
//   constant  all the same
struct key_spread {
  enum class kind { conjunction, sorted, reversed, constant } how = kind::conjunction;
  unsigned words = 1;
  std::string name = "uniform";
};
key_spread parse_key_spread(const std::string& name);  // throws std::invalid_argument

template <class Key>  // std::uint32_t, std::uint64_t
source keys(const key_spread& spread);

// Integers from -2 to 2: their sums stay so small that float sums are exact in any order, and answers can be compared
// by bits.
template <class T>  // std::int32_t, std::int64_t, float
source small_numbers();

source positions();  // 0, 1, 2, ...: u32

// For compaction and split. Uniform u32, of which is_kept takes one half; and the same choice as bytes and as bits.
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
