// SPDX-License-Identifier: Apache-2.0
// The macros of library/instances.cmake's rows: explicit instantiations. For generated sources
// alone.
#pragma once

#include <ballot/core/operators.hpp>

#define SCAN(T, Op) \
  template void scan<T, ballot::device::input_items<T>, Op>(const ballot::exec&, const scan_request&, const Op&);
#define WIDER_SCAN(T, In) \
  template void scan<T, ballot::device::input_items<In>, plus>(const ballot::exec&, const scan_request&, const plus&);
#define FLAGS_SCAN(T) \
  template void scan<T, ballot::device::input_flags, plus>(const ballot::exec&, const scan_request&, const plus&);
#define SEGMENTED_SCAN(T, Op) \
  template void segmented_scan<T, Op>(const ballot::exec&, const segmented_scan_request&, const Op&);
#define REDUCE(T, Op) \
  template void reduce<T, T, Op>(const ballot::exec&, const ballot_array&, const void*, const Op&, void*);
#define WIDER_REDUCE(T, In) \
  template void reduce<T, In, plus>(const ballot::exec&, const ballot_array&, const void*, const plus&, void*);
#define ARG_FIRST(U)                                                                                  \
  template void arg_first<U>(const ballot::exec&, const char*, const ballot_array&, const type_info&, \
                             ballot::direction, void*);
#define BATCHED_SCAN(T, Sum)                                                                        \
  template void batched_scan<T, Sum>(const ballot::exec&, const ballot_array&, const ballot_array&, \
                                     const ballot_batch&, bool, bool);

#define COMPACT(Column, Select) \
  template void compact_column<Column, Select>(const ballot::exec&, const column_request&, const Select&);
#define COMPACT_BYTES(Column) template std::size_t compact_column_bytes<Column>(u64);
#define COMPACT_IN_PLACE(U) \
  template void compact_column_in_place<U>(const ballot::exec&, const column_request&, const ballot::bit_flags&);
#define SPLIT_IN_PLACE(U)                                                                                       \
  template void split_column_in_place<U>(const ballot::exec&, const column_request&, const ballot::bit_flags&); \
  template std::size_t split_column_in_place_bytes<U>(u64);
#define COMPACT_INDICES(U)                                                                                   \
  template void compact_indices_by_comparison<U>(const ballot::exec&, const input<U>&, const comparison<U>&, \
                                                 const column_request&);                                     \
  template std::size_t compact_indices_by_comparison_bytes<U>(u64);
#define COMPARISON(U)                                                                           \
  template void count_by_comparison<U>(ballot::stream_t, const input<U>&, const comparison<U>&, \
                                       const ballot::device_count&);                            \
  template void flag_bits_by_comparison<U>(ballot::stream_t, const input<U>&, const comparison<U>&, u32*);
#define SPLIT(Column, into)                                                                        \
  template void split_column<Column, split_into::into>(const ballot::exec&, const column_request&, \
                                                       const ballot::bit_flags&);
#define SPLIT_BYTES(Column) template std::size_t split_column_bytes<Column>(u64);

#define UNIQUE(U)                                                                                 \
  template void unique<U>(const ballot::exec&, const input<U>&, const same<U>&, const output<U>&, \
                          const ballot::device_count&);                                           \
  template std::size_t unique_bytes<U>(u64);
#define HEAD_BITS(U) template void head_bits<U>(ballot::stream_t, const input<U>&, const same<U>&, u32*, const char*);
#define RUN_OFFSETS(U, Index)                                                                                 \
  template void run_offsets<U, Index>(const ballot::exec&, const input<U>&, const same<U>&, const output<U>&, \
                                      const output<Index>&, const ballot::device_count&);                     \
  template std::size_t run_offsets_bytes<U, Index>(u64);
#define RUN_LENGTHS(U, Length)                                                                                       \
  template void run_length_encode<U, Length>(const ballot::exec&, const input<U>&, const same<U>&, const output<U>&, \
                                             const output<Length>&, const ballot::device_count&);                    \
  template std::size_t run_length_bytes<U, Length>(u64);
#define MULTISPLIT(N, T)                                                                                \
  template void multisplit_column<N, T>(const ballot::exec&, const input<N>&, bool, unsigned, const T*, \
                                        const output<T>&, const ballot::device_count&);
#define MULTISPLIT_POSITIONS(N, Index)                                                               \
  template void multisplit_positions<N, Index>(const ballot::exec&, const input<N>&, bool, unsigned, \
                                               const output<Index>&, const ballot::device_count&);
#define MULTISPLIT_BYTES(T) template std::size_t multisplit_column_bytes<T>(u64, unsigned);

#define SORT(U, W)                                                                         \
  template void sort_words<U, W>(ballot::stream_t, std::byte*, const sort_request<U, W>&); \
  template std::size_t sort_words_bytes<U, W>(u64, sort_use);
#define SEGMENTED_SORT(U, W)                                                                                  \
  template void segmented_sort_words<U, W>(ballot::stream_t, std::byte*, const segmented_sort_request<U, W>&, \
                                           const char*);                                                      \
  template std::size_t segmented_sort_words_bytes<U, W>(u64, u64);                                            \
  template bool segmented_sort_has_room_for<U, W>(u64);

#define REDUCE_FLAGGED(T) \
  template void reduce_flagged<T>(ballot::stream_t, std::byte*, const run_request<T>&, const u32*);
#define ARG_FIRST_OF_RUNS() \
  template void arg_first_of_runs<ranked_request>(ballot::stream_t, std::byte*, const ranked_request&, const u32*);
#define REDUCE_BY_KEY(K, T)                                                                                        \
  template void reduce_by_key<K, T>(ballot::stream_t, std::byte*, const run_request<T>&, const K*, const same<K>&, \
                                    const output<K>&);
#define REDUCE_SEGMENTS(T, In, Op)                                                                                     \
  template void reduce_segments<T, In, Op>(ballot::stream_t, std::byte*, const input<In>&, const segments_request<T>&, \
                                           const Op&);
#define ARG_FIRST_OF_SEGMENTS(U)                                                        \
  template void arg_first_of_segments<U>(ballot::stream_t, std::byte*, const input<U>&, \
                                         const segments_request<ballot::indexed<U>>&, const first_by<U>&);

#define TOP_K(U)                                                                         \
  template length top_k_words<U>(ballot::stream_t, std::byte*, const top_k_request<U>&); \
  template std::size_t top_k_words_bytes<U>(u64, u64);
#define BATCHED_TOP_K(U) template void batched_top_k_words<U>(ballot::stream_t, const batched_top_k_request<U>&);
#define HISTOGRAM(U)                                                                                                \
  template void histogram<U>(ballot::stream_t, const input<U>&, const bin_of_word<U>&, const ballot::device_count&, \
                             u32, const ballot::device_count&);
#define MERGE(U, W) template void merge_words<U, W>(ballot::stream_t, std::byte*, const merge_request<U, W>&);
#define SORTED_WORDS(U)                                                                                                \
  template std::size_t merge_words_bytes<U>(u64);                                                                      \
  template u64 merged_items<U>(u64, u64, const char*);                                                                 \
  template void search_words<U>(ballot::stream_t, const input<U>&, const input<U>&, bool, const ballot::key_codec<U>&, \
                                bool, const ballot::device_count&, const char*);                                       \
  template void check_order<U>(const ballot::exec&, const input<U>&, const ballot::key_codec<U>&, bool,                \
                               const ballot::device_count&, const char*);

namespace ballot_c {
using ballot::plus;
}
