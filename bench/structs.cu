// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "generated.cuh"
#include "structs.hpp"

namespace ballot::bench {
namespace {

__host__ __device__ float unit_float(std::uint64_t word) { return static_cast<float>(word >> 40) * 0x1p-24f; }
__host__ __device__ double unit_double(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

template <class T>
struct uniform_item;
template <>
struct uniform_item<std::uint8_t> {
  static constexpr const char* name = "bytes";
  __host__ __device__ std::uint8_t operator()(std::uint64_t i) const {
    return static_cast<std::uint8_t>(word_at(i) >> 56);
  }
};
template <>
struct uniform_item<three_floats> {
  static constexpr const char* name = "three floats";
  __host__ __device__ three_floats operator()(std::uint64_t i) const {
    return {unit_float(word_at(3 * i)), unit_float(word_at(3 * i + 1)), unit_float(word_at(3 * i + 2))};
  }
};
template <>
struct uniform_item<two_doubles> {
  static constexpr const char* name = "two doubles";
  __host__ __device__ two_doubles operator()(std::uint64_t i) const {
    return {unit_double(word_at(2 * i)), unit_double(word_at(2 * i + 1))};
  }
};
template <>
struct uniform_item<eight_words> {
  static constexpr const char* name = "eight words";
  __host__ __device__ eight_words operator()(std::uint64_t i) const {
    eight_words item{};
    for (unsigned w = 0; w < 8; ++w) item.words[w] = static_cast<std::uint32_t>(word_at(8 * i + w) >> 32);
    return item;
  }
};

__host__ __device__ float small_float(std::uint64_t position) {
  return static_cast<float>(static_cast<int>(word_at(position) % 5) - 2);
}
struct small_triple {
  __host__ __device__ three_floats operator()(std::uint64_t i) const {
    return {small_float(3 * i), small_float(3 * i + 1), small_float(3 * i + 2)};
  }
};

struct box_at {
  __host__ __device__ box operator()(std::uint64_t i) const {
    box made{};
    for (unsigned axis = 0; axis < 3; ++axis) {
      made.low[axis] = unit_float(word_at(6 * i + axis));
      made.high[axis] = made.low[axis] + unit_float(word_at(6 * i + 3 + axis)) / 64;
    }
    return made;
  }
};

}  // namespace

template <class T>
source uniform_items() {
  return generated<T>(std::string("uniform ") + uniform_item<T>::name, uniform_item<T>{});
}
template source uniform_items<std::uint8_t>();
template source uniform_items<three_floats>();
template source uniform_items<two_doubles>();
template source uniform_items<eight_words>();

source small_triples() { return generated<three_floats>("small triples", small_triple{}); }
source boxes() { return generated<box>("boxes", box_at{}); }

}  // namespace ballot::bench
