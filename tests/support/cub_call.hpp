// SPDX-License-Identifier: Apache-2.0
// For the pairs of docs/coming-from-cub.md, and for the adapters: CUB's calls of two phases, arrays
// on the device, and what they hold.
#pragma once

#include <ballot/core/namespace.hpp>
#include "support/doctest.hpp"

#include "support/device_data.hpp"

#include <thrust/execution_policy.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace ballot::test {

// `call(temporary, bytes)` as every Device* of CUB: without memory it says how much it needs.
template <class Call>
void by_cub(Call&& call) {
  std::size_t bytes = 0;
  simt::check(call(nullptr, bytes), "cub, the size of its temporary memory");
  const device_buffer temporary(std::max<std::size_t>(bytes, 1), test_stream());
  simt::check(call(temporary.data(), bytes), "cub");
}

inline auto on_stream() { return thrust::cuda::par.on(test_stream()); }

// Integers from 0 to below - 1.
template <class T>
std::vector<T> random_below(std::size_t n, std::uint64_t below, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> items(n);
  for (T& item : items) item = static_cast<T>(random() % below);
  return items;
}

// Whether the first `count` items are the same.
template <class T>
bool same(const guarded<T>& a, const guarded<T>& b, std::size_t count) {
  const std::vector<T> x = a.read(), y = b.read();
  return std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), y.begin());
}
template <class T>
bool same(const guarded<T>& a, const guarded<T>& b) {
  return a.size() == b.size() && same(a, b, a.size());
}

// Lengths at which each call of an adapter runs beside CUB's own.
inline constexpr std::size_t lengths_beside_cub[] = {0, 1, 1000, 5003, 100'003, 1'200'007};

}  // namespace ballot::test
