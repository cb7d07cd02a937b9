# SPDX-License-Identifier: Apache-2.0
# The table of libballot's instances: which kernels it has. Each row becomes a small source of explicit instantiations, so
# that the build is parallel, and a compiler cache keeps what has not changed.
#
#   ballot_c_instances(HEADER NAME  LINE...)   NAME.cu includes <ballot/c/HEADER.cuh> and has the lines, which are macros of
#                                              src/ballot/c/instances.hpp
#
# An instance that is missing here is a symbol that the linker misses. ballot_c_instance_sources(OUT ROWS) makes the sources,
# with so many rows in each: fewer for a release, which is built in parallel; more take less time, half of which is parsing.
set(ballot_c_headers "")
function(ballot_c_instances header name)
  list(JOIN ARGN " \n" lines)
  set(ballot_c_names_${header} ${ballot_c_names_${header}} ${name} PARENT_SCOPE)
  set(ballot_c_lines_${name} "${lines}" PARENT_SCOPE)
  list(APPEND ballot_c_headers ${header})
  list(REMOVE_DUPLICATES ballot_c_headers)
  set(ballot_c_headers ${ballot_c_headers} PARENT_SCOPE)
endfunction()

function(ballot_c_instance_sources out rows)
  set(sources "")
  foreach(header IN LISTS ballot_c_headers)
    set(names ${ballot_c_names_${header}})
    while(names)
      list(SUBLIST names 0 ${rows} these)
      list(REMOVE_ITEM names ${these})
      set(lines "")
      foreach(name IN LISTS these)
        string(APPEND lines "${ballot_c_lines_${name}}\n")
      endforeach()
      list(GET these 0 first)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/instances_${rows}/${first}.cu)
      file(CONFIGURE OUTPUT ${file} CONTENT "// Made from library/instances.cmake.
#include <ballot/c/${header}.cuh>
#include <ballot/c/instances.hpp>

namespace ballot_c {
${lines}}  // namespace ballot_c
" @ONLY)
      list(APPEND sources ${file})
    endwhile()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# ---- scans, segmented scans and reductions: sums by type, minimum, maximum and bits by width ----
foreach(word u8 u16 u32 u64)
  ballot_c_instances(scan scan_extreme_${word} "SCAN(${word}, extreme<${word}>)" "REDUCE(${word}, extreme<${word}>)")
  ballot_c_instances(scan scan_bits_${word} "SCAN(${word}, bitwise<${word}>)" "REDUCE(${word}, bitwise<${word}>)")
  ballot_c_instances(scan segmented_scan_${word}
    "SEGMENTED_SCAN(${word}, extreme<${word}>)" "SEGMENTED_SCAN(${word}, bitwise<${word}>)")
endforeach()
foreach(sum u8 u16 u32 u64 float16 bfloat16 float double)
  ballot_c_instances(scan scan_plus_${sum} "SCAN(${sum}, plus)" "REDUCE(${sum}, plus)")
  ballot_c_instances(scan segmented_scan_plus_${sum} "SEGMENTED_SCAN(${sum}, plus)")
endforeach()
ballot_c_instances(scan reduce_u128 "REDUCE(u128, plus)" "REDUCE(u128, extreme<u128>)" "REDUCE(u128, bitwise<u128>)")
foreach(item std::int8_t u8 std::int16_t u16 std::int32_t u32)
  string(REGEX REPLACE "[^a-z0-9]|std" "" name ${item})
  ballot_c_instances(scan scan_plus_${name}_to_u64 "WIDER_SCAN(u64, ${item})" "WIDER_REDUCE(u64, ${item})")
endforeach()
ballot_c_instances(scan scan_plus_u8_to_u32 "WIDER_SCAN(u32, u8)" "WIDER_REDUCE(u32, u8)")
ballot_c_instances(scan scan_plus_floats
  "WIDER_SCAN(double, float)" "WIDER_REDUCE(double, float)"
  "WIDER_SCAN(float, float16)" "WIDER_REDUCE(float, float16)"
  "WIDER_SCAN(float, bfloat16)" "WIDER_REDUCE(float, bfloat16)")
ballot_c_instances(scan scan_flags "FLAGS_SCAN(u32)" "FLAGS_SCAN(u64)")
ballot_c_instances(scan arg_first "ARG_FIRST(u8)" "ARG_FIRST(u16)" "ARG_FIRST(u32)" "ARG_FIRST(u64)")
foreach(item u8 u16 u32 u64 float double)
  ballot_c_instances(scan batched_scan_${item} "BATCHED_SCAN(${item}, ${item})")
endforeach()
ballot_c_instances(scan batched_scan_of_floats "BATCHED_SCAN(float, double)" "BATCHED_SCAN(float, ballot::double_float)"
  "BATCHED_SCAN(float16, float)" "BATCHED_SCAN(bfloat16, float)")

# ---- selections: by the width of the column ----
foreach(word u8 u16 u32 u64 u128)
  ballot_c_instances(select compact_by_flags_${word}
    "COMPACT(${word}, ballot::byte_flags)" "COMPACT(${word}, ballot::bit_flags)" "COMPACT_BYTES(${word})"
    "COMPACT_IN_PLACE(${word})")
  ballot_c_instances(select split_in_place_${word} "SPLIT_IN_PLACE(${word})")
endforeach()
foreach(word u8 u16 u32 u64)
  ballot_c_instances(select compact_by_comparison_${word} "COMPACT(${word}, comparison<${word}>)")
  ballot_c_instances(select compact_indices_by_comparison_${word} "COMPACT_INDICES(${word})")
endforeach()
ballot_c_instances(select comparisons
  "COMPARISON(u8)" "COMPARISON(u16)" "COMPARISON(u32)" "COMPARISON(u64)" "COMPARISON(u128)")
foreach(word u32 u64)
  ballot_c_instances(select compact_positions_${word}
    "COMPACT(positions_of<${word}>, ballot::byte_flags)" "COMPACT(positions_of<${word}>, ballot::bit_flags)")
  ballot_c_instances(select split_${word} "SPLIT(${word}, one)" "SPLIT(${word}, two)" "SPLIT_BYTES(${word})")
  ballot_c_instances(select split_positions_${word}
    "SPLIT(positions_of<${word}>, one)" "SPLIT(positions_of<${word}>, two)")
endforeach()

# ---- runs and buckets ----
foreach(word u8 u16 u32 u64 u128)
  ballot_c_instances(runs unique_${word} "UNIQUE(${word})" "HEAD_BITS(${word})")
  ballot_c_instances(runs run_offsets_${word} "RUN_OFFSETS(${word}, u32)" "RUN_OFFSETS(${word}, u64)")
  ballot_c_instances(runs run_lengths_${word} "RUN_LENGTHS(${word}, u32)" "RUN_LENGTHS(${word}, u64)")
endforeach()
foreach(number u8 u16 u32 u64)
  ballot_c_instances(runs multisplit_positions_${number}
    "MULTISPLIT_POSITIONS(${number}, u32)" "MULTISPLIT_POSITIONS(${number}, u64)")
endforeach()
ballot_c_instances(runs multisplit_columns
  "MULTISPLIT(u8, u32)" "MULTISPLIT(u8, u64)" "MULTISPLIT(u32, u32)" "MULTISPLIT(u32, u64)"
  "MULTISPLIT_BYTES(u32)" "MULTISPLIT_BYTES(u64)")

# ---- sorts: by the widths of keys and values; z: of floats with equal zeros ----
foreach(key u8 u16 u32 u64 u128 z16 z32 z64)
  foreach(value no_value u32 u64)
    ballot_c_instances(sort sort_${key}_${value} "SORT(${key}, ${value})")
    if(NOT key STREQUAL "u128")
      ballot_c_instances(sort segmented_sort_${key}_${value} "SEGMENTED_SORT(${key}, ${value})")
    endif()
  endforeach()
endforeach()

# ---- reductions within segments, and of runs: by words ----
foreach(word u8 u16 u32 u64)
  ballot_c_instances(reduce_segments reduce_segments_${word}
    "REDUCE_SEGMENTS(${word}, ${word}, any_operation<${word}>)" "ARG_FIRST_OF_SEGMENTS(${word})")
endforeach()
ballot_c_instances(reduce_segments reduce_segments_to_u64
  "REDUCE_SEGMENTS(u64, std::int8_t, plus)" "REDUCE_SEGMENTS(u64, u8, plus)" "REDUCE_SEGMENTS(u64, std::int16_t, plus)"
  "REDUCE_SEGMENTS(u64, u16, plus)" "REDUCE_SEGMENTS(u64, std::int32_t, plus)" "REDUCE_SEGMENTS(u64, u32, plus)"
  "REDUCE_SEGMENTS(u32, u8, plus)")
ballot_c_instances(reduce_segments reduce_segments_floats
  "REDUCE_SEGMENTS(float16, float16, plus)" "REDUCE_SEGMENTS(bfloat16, bfloat16, plus)"
  "REDUCE_SEGMENTS(float, float, plus)" "REDUCE_SEGMENTS(double, double, plus)" "REDUCE_SEGMENTS(double, float, plus)"
  "REDUCE_SEGMENTS(float, float16, plus)" "REDUCE_SEGMENTS(float, bfloat16, plus)")
foreach(sum u32 u64 float double)
  ballot_c_instances(reduce_runs reduce_runs_${sum} "REDUCE_FLAGGED(${sum})" "REDUCE_BY_KEY(u32, ${sum})"
    "REDUCE_BY_KEY(u64, ${sum})")
endforeach()
ballot_c_instances(reduce_runs arg_first_of_runs "ARG_FIRST_OF_RUNS()")

# ---- the k best, histograms, sorted arrays: by the width of keys ----
foreach(key u8 u16 u32 u64 u128)
  ballot_c_instances(top_k top_k_${key} "TOP_K(${key})")
  ballot_c_instances(merge merge_${key}
    "MERGE(${key}, no_value)" "MERGE(${key}, u32)" "MERGE(${key}, u64)" "SORTED_WORDS(${key})")
endforeach()
foreach(key u8 u16 u32 u64)
  ballot_c_instances(top_k batched_top_k_${key} "BATCHED_TOP_K(${key})")
  ballot_c_instances(histogram histogram_${key} "HISTOGRAM(${key})")
endforeach()
