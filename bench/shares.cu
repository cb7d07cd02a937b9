#include <ballot/core/namespace.hpp>

#include "generated.cuh"
#include "operation.hpp"
#include "shares.hpp"

namespace ballot::bench {
namespace {

struct flag_byte {
  shared_item item;
  is_below kept;
  __host__ __device__ std::uint8_t operator()(std::uint64_t i) const { return kept(item(i)) ? 1 : 0; }
};
struct flag_word {
  shared_item item;
  is_below kept;
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const {
    std::uint32_t bits = 0;
    for (unsigned j = 0; j < 32; ++j) bits |= static_cast<std::uint32_t>(kept(item(32 * i + j))) << j;
    return bits;
  }
};

}  // namespace

source items(const share& kept) {
  return generated<std::uint32_t>(kept.clustered ? "items, clustered" : "items, scattered",
                                  shared_item{kept.clustered});
}
source byte_flags(const share& kept) {
  return generated<std::uint8_t>("byte flags, " + kept.name(), flag_byte{{kept.clustered}, {kept.limit()}});
}
source bit_flags(const share& kept) {
  source words = generated<std::uint32_t>("bit flags, " + kept.name(), flag_word{{kept.clustered}, {kept.limit()}});
  const auto count = [](std::uint64_t n) { return n / 32 + (n % 32 != 0); };
  return {words.name, [=](std::uint64_t n) { return words.bytes(count(n)); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) { words.fill(to, count(n), stream); }};
}

}  // namespace ballot::bench
