// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "generated.cuh"
#include "operation.hpp"
#include "shares.hpp"

namespace ballot::bench {
namespace {

struct flag_byte {
  shared_item item;
  is_below selected;
  __host__ __device__ std::uint8_t operator()(std::uint64_t i) const { return selected(item(i)) ? 1 : 0; }
};
struct flag_word {
  shared_item item;
  is_below selected;
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const {
    std::uint32_t bits = 0;
    for (unsigned j = 0; j < 32; ++j) bits |= static_cast<std::uint32_t>(selected(item(32 * i + j))) << j;
    return bits;
  }
};

}  // namespace

source items(const share& selected) {
  return generated<std::uint32_t>(selected.clustered ? "items, clustered" : "items, scattered",
                                  shared_item{selected.clustered});
}
source byte_flags(const share& selected) {
  return generated<std::uint8_t>("byte flags, " + selected.name(), flag_byte{{selected.clustered}, {selected.limit()}});
}
source bit_flags(const share& selected) {
  source words =
      generated<std::uint32_t>("bit flags, " + selected.name(), flag_word{{selected.clustered}, {selected.limit()}});
  const auto count = [](std::uint64_t n) { return n / 32 + (n % 32 != 0); };
  return {words.name, [=](std::uint64_t n) { return words.bytes(count(n)); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) { words.fill(to, count(n), stream); }};
}

}  // namespace ballot::bench
