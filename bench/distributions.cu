// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "cuda.hpp"
#include "distributions.hpp"
#include "inputs.hpp"

#include <type_traits>
#include <utility>

namespace ballot::bench {
namespace {

template <auto Of, class Key>
__global__ void fill_keys(Key* to, std::uint64_t n) {
  const std::uint64_t stride = std::uint64_t{blockDim.x} * gridDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
    to[i] = static_cast<Key>(Of(key_at{i, n, 8 * sizeof(Key)}));
}

// Null where the distribution is none of such keys.
template <class Key>
using fill_function = void (*)(Key* to, std::uint64_t n, cudaStream_t stream);
template <class Key, std::size_t Index>
constexpr fill_function<Key> fill_of() {
  constexpr auto of = [] {
    if constexpr (std::is_floating_point_v<Key>) return distributions[Index].real;
    else return distributions[Index].word;
  }();
  if constexpr (of == nullptr) {
    return nullptr;
  } else {
    return [](Key* to, std::uint64_t n, cudaStream_t stream) {
      fill_keys<of, Key><<<1024, 256, 0, stream>>>(to, n);
      check(cudaGetLastError(), "fill_keys");
    };
  }
}

template <class Key, std::size_t... Indices>
fill_function<Key> fill_number(std::size_t index, std::index_sequence<Indices...>) {
  static constexpr fill_function<Key> all[] = {fill_of<Key, Indices>()...};
  return all[index];
}

}  // namespace

template <class Key>
std::optional<source> distributed(const distribution& how) {
  const auto fill = fill_number<Key>(static_cast<std::size_t>(&how - distributions.data()),
                                     std::make_index_sequence<distributions.size()>{});
  if (fill == nullptr) return std::nullopt;
  std::string name = std::is_floating_point_v<Key> ? "floating-point" : "unsigned";
  name.append(" keys of ").append(std::to_string(8 * sizeof(Key))).append(" bits, ").append(how.name);
  return source{name, [](std::uint64_t n) { return static_cast<std::size_t>(n * sizeof(Key)); },
                [fill](void* to, std::uint64_t n, cudaStream_t stream) { fill(static_cast<Key*>(to), n, stream); }};
}
template std::optional<source> distributed<std::uint32_t>(const distribution&);
template std::optional<source> distributed<std::uint64_t>(const distribution&);
template std::optional<source> distributed<float>(const distribution&);
template std::optional<source> distributed<double>(const distribution&);

}  // namespace ballot::bench
