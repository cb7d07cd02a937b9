// SPDX-License-Identifier: Apache-2.0
// The instances of runs and of multisplit: included by the sources that library/instances.cmake
// generates.
#pragma once

#include <ballot/c/run_calls.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/multisplit/launch.cuh>
#include <ballot/detail/partition/flag_bits_kernel.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/unique.cuh>

#include <tuple>

namespace ballot_c {

template <class U>
std::size_t unique_bytes(u64 n) {
  return ballot::unique_scratch_bytes<U>(n);
}
template <class U>
void unique(const ballot::exec& where, const input<U>& in, const same<U>& equal, const output<U>& out,
            const ballot::device_count& count) {
  ballot::detail::unique(where, in, equal, out, count);
}

template <class U>
void head_bits(ballot::stream_t stream, const input<U>& in, const same<U>& equal, u32* words, const char* function) {
  ballot::detail::launch_flag_bits(stream, ballot::detail::make_source<1>(in), in.length,
                                   ballot::detail::make_head_selector(in, equal), words, function);
}

template <class U, class Index>
std::size_t run_offsets_bytes(u64 n) {
  return ballot::run_offsets_scratch_bytes<U, Index>(n);
}
template <class U, class Index>
void run_offsets(const ballot::exec& where, const input<U>& in, const same<U>& equal, const output<U>& values,
                 const output<Index>& offsets, const ballot::device_count& count) {
  ballot::detail::run_offsets(where, in, equal, values, offsets, count);
}

template <class U, class Length>
std::size_t run_length_bytes(u64 n) {
  return ballot::run_length_encode_scratch_bytes<U, Length>(n);
}
template <class U, class Length>
void run_length_encode(const ballot::exec& where, const input<U>& in, const same<U>& equal, const output<U>& values,
                       const output<Length>& lengths, const ballot::device_count& count) {
  ballot::detail::run_length_encode(where, in, equal, values, lengths, count);
}

template <class T>
std::size_t multisplit_column_bytes(u64 n, unsigned buckets) {
  return ballot::multisplit_scratch_bytes<T>(n, buckets);
}

// The bucket comes from another array than the column's.
template <class Item, class N, class In>
void multisplit_by_numbers(const ballot::exec& where, const input<N>& numbers, bool is_signed, unsigned buckets,
                           const In& in, const output<Item>& out, const ballot::device_count& offsets) {
  using namespace ballot::detail;
  using sources_of_numbers = sources<source_of<input<N>>>;
  const source_buckets<bucket_number<N>, sources_of_numbers> bucket_of{{is_signed},
                                                                       make_sources<1>(std::tuple(numbers))};
  launch_multisplit<multisplit_shape<Item>>(where, numbers.length,
                                            make_device_columns<1>(std::tuple(in), std::tuple(out), std::tuple()),
                                            bucket_of, buckets, offsets, "multisplit");
}
template <class N, class T>
void multisplit_column(const ballot::exec& where, const input<N>& numbers, bool is_signed, unsigned buckets,
                       const T* in, const output<T>& out, const ballot::device_count& offsets) {
  multisplit_by_numbers<T>(where, numbers, is_signed, buckets, input<T>{in, numbers.length}, out, offsets);
}
template <class N, class Index>
void multisplit_positions(const ballot::exec& where, const input<N>& numbers, bool is_signed, unsigned buckets,
                          const output<Index>& out, const ballot::device_count& offsets) {
  multisplit_by_numbers<Index>(where, numbers, is_signed, buckets,
                               ballot::detail::make_position_input<Index>(numbers.length), out, offsets);
}

}  // namespace ballot_c
