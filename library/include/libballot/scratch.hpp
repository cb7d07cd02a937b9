// SPDX-License-Identifier: Apache-2.0
// Bytes of scratch for n items of these types. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>

#include <cstddef>
#include <cstdint>

namespace libballot {
inline namespace BALLOT_CALLS {

namespace detail {
template <class Size>
std::size_t bytes_of(Size size) {
  std::size_t bytes = 0;
  checked(size(&bytes));
  return bytes;
}
}  // namespace detail

template <class Sum>
std::size_t scan_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_scan_scratch_bytes(code<Sum>(), n, b); });
}
template <class T>
std::size_t segmented_scan_scratch_bytes(ballot_segments_kind kind, std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_segmented_scan_scratch_bytes(code<T>(), kind, n, b); });
}
template <class T>
std::size_t batched_scan_scratch_bytes(std::uint64_t rows, std::uint64_t length,
                                       std::int32_t accumulator = BALLOT_ACCUMULATE_ITEMS) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_batched_scan_scratch_bytes(code<T>(), accumulator, rows, length, b); });
}
template <class Result>
std::size_t reduce_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_reduce_scratch_bytes(code<Result>(), n, b); });
}
template <class T>
std::size_t arg_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_arg_scratch_bytes(code<T>(), n, b); });
}
template <class... T>
std::size_t compact_scratch_bytes(std::uint64_t n) {
  const ballot_type types[] = {code<T>()...};
  return detail::bytes_of([&](std::size_t* b) { return ballot_compact_scratch_bytes(sizeof...(T), types, n, b); });
}
template <class... T>
std::size_t compact_in_place_scratch_bytes(std::uint64_t n) {
  const ballot_type types[] = {code<T>()...};
  return detail::bytes_of(
      [&](std::size_t* b) { return ballot_compact_in_place_scratch_bytes(sizeof...(T), types, n, b); });
}
template <class... T>
std::size_t split_scratch_bytes(std::uint64_t n) {
  const ballot_type types[] = {code<T>()...};
  return detail::bytes_of([&](std::size_t* b) { return ballot_split_scratch_bytes(sizeof...(T), types, n, b); });
}
template <class... T>
std::size_t split_in_place_scratch_bytes(std::uint64_t n) {
  const ballot_type types[] = {code<T>()...};
  return detail::bytes_of(
      [&](std::size_t* b) { return ballot_split_in_place_scratch_bytes(sizeof...(T), types, n, b); });
}
template <class Index>
std::size_t compact_indices_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_compact_indices_scratch_bytes(code<Index>(), n, b); });
}
inline std::size_t multisplit_scratch_bytes(std::uint32_t buckets, std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_multisplit_scratch_bytes(buckets, n, b); });
}
template <class T>
std::size_t unique_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_runs_scratch_bytes(code<T>(), BALLOT_NONE, n, b); });
}
template <class T>
std::size_t unique_in_place_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_unique_in_place_scratch_bytes(code<T>(), n, b); });
}
template <class K>
std::size_t unique_by_key_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_unique_by_key_scratch_bytes(code<K>(), n, b); });
}
template <class T, class Index>
std::size_t runs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_runs_scratch_bytes(code<T>(), code<Index>(), n, b); });
}
template <class K>
std::size_t sort_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_sort_scratch_bytes(code<K>(), n, b); });
}
template <class K, class V>
std::size_t sort_pairs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_sort_pairs_scratch_bytes(code<K>(), code<V>(), n, b); });
}
template <class K>
std::size_t sort_ping_pong_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_sort_ping_pong_scratch_bytes(code<K>(), 0, n, b); });
}
template <class K, class V>
std::size_t sort_pairs_ping_pong_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_sort_ping_pong_scratch_bytes(code<K>(), code<V>(), n, b); });
}
template <class K, class Index>
std::size_t argsort_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_argsort_scratch_bytes(code<K>(), code<Index>(), n, b); });
}
template <class K>
std::size_t segmented_sort_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_segmented_sort_scratch_bytes(code<K>(), 0, n, b); });
}
template <class K, class V>
std::size_t segmented_sort_pairs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_segmented_sort_scratch_bytes(code<K>(), code<V>(), n, b); });
}
template <class K>
std::size_t batched_sort_scratch_bytes(std::uint64_t n, std::uint64_t row) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_batched_sort_scratch_bytes(code<K>(), 0, n, row, b); });
}
/// V: the values, or the positions of batched_argsort.
template <class K, class V>
std::size_t batched_sort_pairs_scratch_bytes(std::uint64_t n, std::uint64_t row) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_batched_sort_scratch_bytes(code<K>(), code<V>(), n, row, b); });
}

template <class Result>
std::size_t segmented_reduce_scratch_bytes(ballot_segments_kind kind, std::uint64_t n) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_segmented_reduce_scratch_bytes(code<Result>(), kind, n, b); });
}
template <class T>
std::size_t segmented_arg_scratch_bytes(ballot_segments_kind kind, std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_segmented_arg_scratch_bytes(code<T>(), kind, n, b); });
}
template <class K, class Result>
std::size_t reduce_by_key_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of(
      [=](std::size_t* b) { return ballot_reduce_by_key_scratch_bytes(code<K>(), code<Result>(), n, b); });
}
template <class K>
std::size_t top_k_scratch_bytes(std::uint64_t n, std::uint64_t k) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_top_k_scratch_bytes(code<K>(), n, k, b); });
}
template <class K>
std::size_t batched_top_k_scratch_bytes(std::uint64_t rows, std::uint64_t k) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_batched_top_k_scratch_bytes(code<K>(), rows, k, b); });
}
template <class K>
std::size_t merge_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_merge_scratch_bytes(code<K>(), BALLOT_NONE, n, b); });
}
template <class K, class V>
std::size_t merge_pairs_scratch_bytes(std::uint64_t n) {
  return detail::bytes_of([=](std::size_t* b) { return ballot_merge_scratch_bytes(code<K>(), code<V>(), n, b); });
}
inline std::size_t is_sorted_scratch_bytes() {
  return detail::bytes_of([](std::size_t* b) { return ballot_is_sorted_scratch_bytes(b); });
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
