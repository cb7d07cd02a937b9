// SPDX-License-Identifier: Apache-2.0
// Runs and buckets by width: the instances that runs.cuh defines.
#pragma once

#include <ballot/c/calls.hpp>
#include <ballot/c/operators.cuh>
#include <ballot/core/count.hpp>

namespace ballot_c {

template <class U>
void unique(const ballot::exec& where, const input<U>& in, const same<U>& equal, const output<U>& out,
            const ballot::device_count& count);
template <class U>
std::size_t unique_bytes(u64 n);

// words[i / 32] bit i % 32: whether a run begins with item i.
template <class U>
void head_bits(ballot::stream_t stream, const input<U>& in, const same<U>& equal, u32* words, const char* function);

template <class U, class Index>
void run_offsets(const ballot::exec& where, const input<U>& in, const same<U>& equal, const output<U>& values,
                 const output<Index>& offsets, const ballot::device_count& count);
template <class U, class Index>
std::size_t run_offsets_bytes(u64 n);

template <class U, class Length>
void run_length_encode(const ballot::exec& where, const input<U>& in, const same<U>& equal, const output<U>& values,
                       const output<Length>& lengths, const ballot::device_count& count);
template <class U, class Length>
std::size_t run_length_bytes(u64 n);

// The bucket of a number: a negative one is none.
template <class N>
struct bucket_number {
  bool is_signed;
  BALLOT_HOST_DEVICE u64 operator()(const N& number) const {
    return is_signed && number >> (8 * sizeof(N) - 1) != 0 ? ~u64{0} : u64{number};
  }
};
// Items T, or of void their positions of type Index. Arguments are checked but the scratch.
template <class N, class T>
void multisplit_column(const ballot::exec& where, const input<N>& numbers, bool is_signed, unsigned buckets,
                       const T* in, const output<T>& out, const ballot::device_count& offsets);
template <class N, class Index>
void multisplit_positions(const ballot::exec& where, const input<N>& numbers, bool is_signed, unsigned buckets,
                          const output<Index>& out, const ballot::device_count& offsets);
template <class T>
std::size_t multisplit_column_bytes(u64 n, unsigned buckets);

}  // namespace ballot_c
