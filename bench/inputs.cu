#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "inputs.hpp"

#include <limits>
#include <stdexcept>

namespace ballot::bench {
namespace {

constexpr std::uint64_t seed = 0x6a09e667f3bcc908;

// SplitMix64 (Steele, Lea and Flood 2014) by position.
__host__ __device__ std::uint64_t word_at(std::uint64_t position) {
  std::uint64_t z = seed + (position + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

template <class T, class Value>
__global__ void fill(T* to, std::uint64_t n, Value value) {
  const std::uint64_t stride = std::uint64_t{blockDim.x} * gridDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) to[i] = value(i);
}

template <class T, class Value>
source generated(std::string name, Value value) {
  return {std::move(name), [](std::uint64_t n) { return static_cast<std::size_t>(n * sizeof(T)); },
          [value](void* to, std::uint64_t n, cudaStream_t stream) {
            fill<<<1024, 256, 0, stream>>>(static_cast<T*>(to), n, value);
            check(cudaGetLastError(), "fill");
          }};
}

__host__ __device__ std::uint32_t item_at(std::uint64_t position) {
  return static_cast<std::uint32_t>(word_at(position) >> 32);
}

// Functors and not lambdas: nvcc then needs no flag for them.
template <class Key>
struct conjunction_of {
  unsigned words;
  __host__ __device__ Key operator()(std::uint64_t i) const {
    std::uint64_t key = ~std::uint64_t{0};
    for (unsigned w = 0; w < words; ++w) key &= word_at(i * words + w);
    return static_cast<Key>(key >> (64 - 8 * sizeof(Key)));
  }
};
template <class Key>
struct evenly_spaced {
  bool descending;
  std::uint64_t step;
  __host__ __device__ Key operator()(std::uint64_t i) const {
    return static_cast<Key>(descending ? ~(i * step) : i * step);
  }
};
template <class Key>
struct always {
  __host__ __device__ Key operator()(std::uint64_t) const { return 42; }
};
template <class T>
struct small_number {
  __host__ __device__ T operator()(std::uint64_t i) const {
    return static_cast<T>(static_cast<int>(word_at(i) % 5) - 2);
  }
};
struct position {
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>(i); }
};
struct item {
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const { return item_at(i); }
};
struct flag_byte {
  __host__ __device__ std::uint8_t operator()(std::uint64_t i) const { return is_kept{}(item_at(i)) ? 1 : 0; }
};
struct flag_word {
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const {
    std::uint32_t bits = 0;
    for (unsigned j = 0; j < 32; ++j) bits |= static_cast<std::uint32_t>(is_kept{}(item_at(32 * i + j))) << j;
    return bits;
  }
};

}  // namespace

key_spread parse_key_spread(const std::string& name) {
  using kind = key_spread::kind;
  if (name == "uniform") return {kind::conjunction, 1, name};
  if (name == "0.544") return {kind::conjunction, 3, name};
  if (name == "0.201") return {kind::conjunction, 5, name};
  if (name == "sorted") return {kind::sorted, 0, name};
  if (name == "reversed") return {kind::reversed, 0, name};
  if (name == "constant") return {kind::constant, 0, name};
  if (name.starts_with("and:") && name.size() > 4 && name.find_first_not_of("0123456789", 4) == std::string::npos) {
    const unsigned long words = std::stoul(name.substr(4));
    if (words >= 1 && words <= 64) return {kind::conjunction, static_cast<unsigned>(words), name};
  }
  throw std::invalid_argument("no such spread of keys: " + name +
                              " (uniform, 0.544, 0.201, and:K, sorted, reversed, constant)");
}

template <class Key>
source keys(const key_spread& spread) {
  using kind = key_spread::kind;
  const std::string name = "keys of " + std::to_string(8 * sizeof(Key)) + " bits, " + spread.name;
  if (spread.how == kind::conjunction) return generated<Key>(name, conjunction_of<Key>{spread.words});
  if (spread.how == kind::constant) return generated<Key>(name, always<Key>{});
  // the spacing follows from the length
  const bool descending = spread.how == kind::reversed;
  source made = generated<Key>(name, evenly_spaced<Key>{descending, 0});
  made.fill = [name, descending](void* to, std::uint64_t n, cudaStream_t stream) {
    const std::uint64_t step = n == 0 ? 0 : std::numeric_limits<Key>::max() / n;
    generated<Key>(name, evenly_spaced<Key>{descending, step}).fill(to, n, stream);
  };
  return made;
}
template source keys<std::uint32_t>(const key_spread&);
template source keys<std::uint64_t>(const key_spread&);

template <class T>
source small_numbers() {
  return generated<T>(std::string("small numbers of ") + (std::numeric_limits<T>::is_integer ? "i" : "f") +
                          std::to_string(8 * sizeof(T)),
                      small_number<T>{});
}
template source small_numbers<std::int32_t>();
template source small_numbers<std::int64_t>();
template source small_numbers<float>();

source positions() { return generated<std::uint32_t>("positions", position{}); }
source items() { return generated<std::uint32_t>("items", item{}); }
source byte_flags_of_items() { return generated<std::uint8_t>("byte flags of items", flag_byte{}); }
source bit_flags_of_items() {
  source words = generated<std::uint32_t>("bit flags of items", flag_word{});
  const auto count = [](std::uint64_t n) { return n / 32 + (n % 32 != 0); };
  return {words.name, [=](std::uint64_t n) { return words.bytes(count(n)); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) { words.fill(to, count(n), stream); }};
}

}  // namespace ballot::bench
