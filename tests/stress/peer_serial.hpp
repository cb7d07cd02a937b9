// SPDX-License-Identifier: Apache-2.0
// References for random calls in the emulator, where Thrust's headers and CUDA's cannot be used.
// They are serial loops over the device's memory, which is the host's. The functions are those of
// peer_thrust.cuh.
#pragma once

#include <ballot/core/namespace.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace ballot::test::peer {

template <class T, class Make>
void make_items(T* out, std::uint64_t n, Make make) {
  for (std::uint64_t i = 0; i < n; ++i) out[i] = make(i);
}
template <class Holds>
bool all(std::uint64_t n, Holds holds) {
  for (std::uint64_t i = 0; i < n; ++i)
    if (!holds(i)) return false;
  return true;
}
template <class T>
void copy(const T* in, std::uint64_t n, T* out) {
  std::copy(in, in + n, out);
}

template <class T, class Before>
void stable_sort(T* items, std::uint64_t n, Before before) {
  std::stable_sort(items, items + n, before);
}
template <class K, class V, class Before>
void stable_sort_by_key(K* keys, std::uint64_t n, V* values, Before before) {
  const std::vector<K> from(keys, keys + n);
  const std::vector<V> values_from(values, values + n);
  std::vector<std::uint64_t> order(n);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return before(from[a], from[b]); });
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = from[order[i]], values[i] = values_from[order[i]];
}

template <class T, class R>
void inclusive_scan(const T* in, std::uint64_t n, R* out) {
  R sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) out[i] = sum = static_cast<R>(sum + in[i]);
}
template <class T>
void exclusive_scan(const T* in, std::uint64_t n, T* out, T initial) {
  T sum = initial;
  for (std::uint64_t i = 0; i < n; ++i) {
    const T item = in[i];
    out[i] = sum;
    sum = static_cast<T>(sum + item);
  }
}
template <class K, class T>
void inclusive_scan_by_key(const K* keys, const T* in, std::uint64_t n, T* out) {
  for (std::uint64_t i = 0; i < n; ++i)
    out[i] = i != 0 && keys[i] == keys[i - 1] ? static_cast<T>(out[i - 1] + in[i]) : in[i];
}

template <class T>
std::uint64_t stable_partition(const T* in, std::uint64_t n, const std::uint8_t* flags, T* kept, T* rest) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < n; ++i) (flags[i] != 0 ? kept[count++] : rest[i - count]) = in[i];
  return count;
}
template <class K, class V>
std::uint64_t unique_by_key(const K* keys, const V* values, std::uint64_t n, K* keys_out, V* values_out) {
  std::uint64_t runs = 0;
  for (std::uint64_t i = 0; i < n; ++i)
    if (i == 0 || keys[i] != keys[i - 1]) keys_out[runs] = keys[i], values_out[runs++] = values[i];
  return runs;
}

}  // namespace ballot::test::peer
