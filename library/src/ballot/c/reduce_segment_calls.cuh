// SPDX-License-Identifier: Apache-2.0
// Reductions of segments by offsets and of rows: the instances that reduce_segments.cuh defines.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/segmented_reduce/segments.cuh>
#include <ballot/device/indexed.hpp>
#include <ballot/simt/simt.cuh>

namespace ballot_c {

// Segments by offsets of any type, or rows: known at run time.
struct any_segments {
  const void* offsets;  // null: rows
  length entries;
  ballot::detail::count_type type;
  ballot::detail::segments_by_length rows;

  __device__ __forceinline__ u64 offset(u64 i) const {
    const u64 bits = type.is_wide ? static_cast<const u64*>(offsets)[i] : static_cast<const u32*>(offsets)[i];
    const bool is_negative = type.is_signed && (bits >> (type.is_wide ? 63 : 31)) != 0;
    return is_negative ? ~u64{0} : bits;
  }
  __device__ __forceinline__ u64 count(u64 n) const {
    if (offsets == nullptr) return rows.count(n);
    const u64 there = entries.get();
    return there == 0 ? 0 : there - 1;
  }
  // The value that is loaded for a segment below the capacity, which need not exist. Of rows:
  // nothing.
  struct loaded {
    u64 begin, end;
  };
  __device__ __forceinline__ loaded load(u64 segment) const {
    if (offsets == nullptr || (entries.count != nullptr && segment >= count(0))) return {};
    return {offset(segment), offset(segment + 1)};
  }
  __device__ __forceinline__ ballot::detail::segment_range range(const loaded& of, u64 segment, u64 n) const {
    if (offsets == nullptr) return rows(segment, n);
    const u64 end = ballot::detail::smaller(of.end, n);
    return {of.begin, end > of.begin ? end - of.begin : 0};
  }
  __device__ __forceinline__ ballot::detail::segment_range operator()(u64 segment, u64 n) const {
    return range(offsets == nullptr ? loaded{} : loaded{offset(segment), offset(segment + 1)}, segment, n);
  }
  // Of a segment, where there is no other limit.
  __device__ __forceinline__ u64 begin(u64 segment) const {
    return offsets == nullptr ? rows.begin(segment) : offset(segment);
  }
};

// All operators of integers of one width, and minimum and maximum of floats.
template <class U>
struct any_operation {
  bool adds, is_of_bits;
  extreme<U> first;
  bitwise<U> of_bits;
  BALLOT_HOST_DEVICE U operator()(const U& a, const U& b) const {
    if (adds) return static_cast<U>(a + b);
    return is_of_bits ? of_bits(a, b) : first(a, b);
  }
};

// scratch: aligned, of so many bytes.
template <class T>
struct segments_request {
  any_segments segments;
  T initial;
  output<T> out;
  const char* function;
};
template <class T, class In, class Op>
void reduce_segments(ballot::stream_t stream, std::byte* scratch, const input<In>& in, const segments_request<T>& r,
                     const Op& op);
template <class U>
void arg_first_of_segments(ballot::stream_t stream, std::byte* scratch, const input<U>& in,
                           const segments_request<ballot::indexed<U>>& r, const first_by<U>& first);

}  // namespace ballot_c

namespace ballot {

template <class U>
inline constexpr bool is_commutative<ballot_c::any_operation<U>, U> = true;
template <class U>
inline constexpr bool detail::accepts_any_operand<ballot_c::any_operation<U>, U> = true;

}  // namespace ballot
