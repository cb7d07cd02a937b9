// SPDX-License-Identifier: Apache-2.0
// Segments, their reductions by a loop, and an operator whose operands must stay in order.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/simt/common.hpp>

#include "support/patterns.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace ballot::test::reductions_of_segments {

template <class T, class V, class Op>
T reduce_of(const std::vector<V>& in, std::size_t begin, std::size_t end, T initial, Op op) {
  T sum = initial;
  for (std::size_t i = begin; i < end; ++i) sum = static_cast<T>(op(sum, static_cast<T>(in[i])));
  return sum;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Offsets of segments whose lengths are drawn from `lengths`, up to n items.
template <class Offset>
std::vector<Offset> offsets_of(std::size_t n, const std::vector<std::uint32_t>& lengths, std::uint32_t seed) {
  std::vector<Offset> offsets{0};
  const auto random = test::random_items<std::uint32_t>(1000, seed);
  for (std::size_t i = 0; static_cast<std::size_t>(offsets.back()) < n; ++i)
    offsets.push_back(static_cast<Offset>(std::min<std::size_t>(
        n, static_cast<std::size_t>(offsets.back()) + lengths[random[i % 1000] % lengths.size()])));
  return offsets;
}

struct affine {
  std::uint32_t a, b;
};
struct compose {  // does not commute
  BALLOT_HOST_DEVICE affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
template <class T>
std::vector<T> as_items(const std::vector<std::uint32_t>& random) {
  std::vector<T> items(random.size() * sizeof(std::uint32_t) / sizeof(T));
  std::memcpy(static_cast<void*>(items.data()), random.data(), items.size() * sizeof(T));
  return items;
}

}  // namespace ballot::test::reductions_of_segments
