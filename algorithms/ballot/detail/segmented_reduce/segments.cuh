// SPDX-License-Identifier: Apache-2.0
// The segments of a segmented reduction: where segment s begins and how many items it has. Whatever
// the offsets are, a segment lies within the items.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/simt/simt.cuh>

#include <cstdint>

namespace ballot {

/// Segments of one length: the rows of a matrix without gaps. The last one may be shorter.
struct row_length {
  std::uint64_t items;

  /// Rows of so many items, at least one.
  explicit row_length(std::uint64_t items_of_row) : items(items_of_row) {}
};

namespace detail {

// The threads that a multiprocessor runs at once, at least: the code of sm_80 also runs on sm_86, and
// the PTX of sm_90 on sm_120, which have room for 1536 and not for 2048. For the launch bounds of
// kernels that get along with 32 registers.
inline constexpr int most_threads_at_once = simt::architecture >= 800 ? 1536 : 1024;

struct segment_range {
  std::uint64_t begin, length;
};

// Segment s begins at offsets[s] and ends before offsets[s + 1]. An offset that is negative or
// above n counts as n; a segment that would end before it begins is empty.
template <class Offset>
struct segments_by_offsets {
  const Offset* offsets;
  ballot::detail::length entries;

  __device__ __forceinline__ std::uint64_t count(std::uint64_t /*n*/) const {
    const std::uint64_t there = entries.get();
    return there == 0 ? 0 : there - 1;
  }
  // What is loaded for a segment below the capacity. The segment need not exist.
  struct loaded {
    Offset begin, end;
  };
  __device__ __forceinline__ loaded load(std::uint64_t segment) const {
    if (entries.count != nullptr && segment >= count(0)) return {};
    return {offsets[segment], offsets[segment + 1]};
  }
  __device__ __forceinline__ segment_range range(const loaded& of, std::uint64_t /*segment*/, std::uint64_t n) const {
    const auto begin = static_cast<std::uint64_t>(of.begin);
    const std::uint64_t end = smaller(static_cast<std::uint64_t>(of.end), n);
    return {begin, end > begin ? end - begin : 0};
  }
  __device__ __forceinline__ segment_range operator()(std::uint64_t segment, std::uint64_t n) const {
    return range({offsets[segment], offsets[segment + 1]}, segment, n);
  }
  // Of a segment, where there is no other limit.
  __device__ __forceinline__ std::uint64_t begin(std::uint64_t segment) const {
    return static_cast<std::uint64_t>(offsets[segment]);
  }
};

struct segments_by_length {
  std::uint64_t items, all_items, all_rows;  // of a row; the capacity, and its rows: mostly no division is needed

  __device__ __forceinline__ std::uint64_t count(std::uint64_t n) const {
    return n == all_items ? all_rows : ceil_div(n, items);
  }
  struct loaded {};
  __device__ __forceinline__ loaded load(std::uint64_t /*segment*/) const { return {}; }
  __device__ __forceinline__ segment_range range(const loaded&, std::uint64_t segment, std::uint64_t n) const {
    return (*this)(segment, n);
  }
  __device__ __forceinline__ segment_range operator()(std::uint64_t segment, std::uint64_t n) const {
    const std::uint64_t begin = segment * items;
    return {begin, smaller(n - begin, items)};
  }
  __device__ __forceinline__ std::uint64_t begin(std::uint64_t segment) const { return segment * items; }
};

}  // namespace detail
}  // namespace ballot
