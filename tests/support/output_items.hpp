// SPDX-License-Identifier: Apache-2.0
// For tests that write into output views: functions that convert, and what an output has in the
// end.
#pragma once

#include "support/doctest.hpp"

#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include "support/device_data.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballot::test {

struct tenth {
  __host__ __device__ float operator()(std::uint32_t x) const { return static_cast<float>(x % 1000) / 10; }
};
// Not callable as const: each call is made on a fresh copy.
struct grows {
  std::uint32_t by = 3;
  __host__ __device__ std::uint64_t operator()(std::uint32_t x) { return std::uint64_t{x} << 8 | by++; }
};
// The first items of an output; the others are dirt.
template <class T>
void check_items(const guarded<T>& of, const std::vector<T>& want, std::size_t begin = 0) {
  const auto items = of.read();
  bool same = true, others_are_dirt = true;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (i >= begin && i - begin < want.size()) same &= items[i] == want[i - begin];
    else others_are_dirt &= is_dirt(items[i]);
  CHECK(same);
  CHECK(others_are_dirt);
}
template <class To, class From, class F>
std::vector<To> mapped(const std::vector<From>& items, F f) {
  std::vector<To> all;
  for (const From& x : items) all.push_back(static_cast<To>(f(x)));
  return all;
}

}  // namespace ballot::test
