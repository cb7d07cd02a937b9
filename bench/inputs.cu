// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "generated.cuh"
#include "inputs.hpp"

#include <limits>
#include <stdexcept>

namespace ballot::bench {
namespace {

__host__ __device__ std::uint32_t item_at(std::uint64_t position) {
  return static_cast<std::uint32_t>(word_at(position) >> 32);
}

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
struct one_of_few {
  unsigned distinct;
  __host__ __device__ Key operator()(std::uint64_t i) const {
    return static_cast<Key>(word_at(i) % distinct * (static_cast<Key>(-1) / distinct));
  }
};
template <class T>
struct small_number {
  __host__ __device__ T operator()(std::uint64_t i) const {
    return static_cast<T>(static_cast<int>(word_at(i) % 5) - 2);
  }
};
struct small_pair {
  __host__ __device__ two_doubles operator()(std::uint64_t i) const {
    return {small_number<double>{}(i), small_number<double>{}(~i)};
  }
};
struct small_count {
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const {
    return static_cast<std::uint32_t>(word_at(i) % 5);
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
  if (const distribution* named = find_distribution(name)) return {kind::named, 0, name, named};
  if (name == "0.544") return {kind::conjunction, 3, name};
  if (name == "0.201") return {kind::conjunction, 5, name};
  // "and:3"
  const auto number_after = [&](const std::string& prefix, unsigned long most) -> unsigned {
    if (!name.starts_with(prefix)) return 0;
    const std::string digits = name.substr(prefix.size());
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos) return 0;
    const unsigned long number = std::stoul(digits);
    return number <= most ? static_cast<unsigned>(number) : 0;
  };
  if (const unsigned words = number_after("and:", 64)) return {kind::conjunction, words, name};
  if (const unsigned distinct = number_after("few:", 1ul << 24)) return {kind::few, distinct, name};
  std::string known;
  for (const distribution& one : distributions) known += std::string(one.name) + ", ";
  throw std::invalid_argument("no such spread of keys: " + name + " (" + known + "0.544, 0.201, and:K, few:K)");
}

template <class Key>
source keys(const key_spread& spread) {
  using kind = key_spread::kind;
  if (spread.how == kind::named) {
    if (std::optional<source> made = distributed<Key>(*spread.named)) return *std::move(made);
  } else if constexpr (std::is_integral_v<Key>) {
    const std::string name = "keys of " + std::to_string(8 * sizeof(Key)) + " bits, " + spread.name;
    if (spread.how == kind::few) return generated<Key>(name, one_of_few<Key>{spread.words});
    return generated<Key>(name, conjunction_of<Key>{spread.words});
  }
  throw std::invalid_argument("there are no such keys of this type: " + spread.name);
}
template source keys<std::uint32_t>(const key_spread&);
template source keys<std::uint64_t>(const key_spread&);
template source keys<float>(const key_spread&);
template source keys<double>(const key_spread&);

template <class Key>
bool has_keys(const key_spread& spread) {
  return spread.named != nullptr ? distributed<Key>(*spread.named).has_value() : std::is_integral_v<Key>;
}
template bool has_keys<std::uint32_t>(const key_spread&);
template bool has_keys<std::uint64_t>(const key_spread&);
template bool has_keys<float>(const key_spread&);
template bool has_keys<double>(const key_spread&);

template <class T>
source small_numbers() {
  using limits = std::numeric_limits<T>;
  return generated<T>(std::string("small numbers of ") +
                          (!limits::is_integer ? "f"
                           : limits::is_signed ? "i"
                                               : "u") +
                          std::to_string(8 * sizeof(T)),
                      small_number<T>{});
}
template source small_numbers<std::uint8_t>();
template source small_numbers<std::int16_t>();
template source small_numbers<std::uint16_t>();
template source small_numbers<std::int32_t>();
template source small_numbers<std::int64_t>();
template source small_numbers<float>();
template source small_numbers<double>();

source nothing() {
  return {"nothing", [](std::uint64_t) { return std::size_t{1}; }, [](void*, std::uint64_t, cudaStream_t) {}};
}

source small_pairs() { return generated<two_doubles>("small pairs", small_pair{}); }

source counts() {
  source one_more = generated<std::uint32_t>("counts", small_count{});
  return {one_more.name, [=](std::uint64_t n) { return one_more.bytes(n + 1); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) { one_more.fill(to, n + 1, stream); }};
}

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
