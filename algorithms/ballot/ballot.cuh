// SPDX-License-Identifier: Apache-2.0
// All public functions. Including only the headers that are used compiles faster.
//
//     <ballot/*.cuh>       the functions a program calls, one header each: start here
//     <ballot/core/*>      what they take: exec, ranges, operators, flags, errors
//     <ballot/device/*>    device memory, options and argument types; tile states and look-back for
//                          kernels of your own
//     <ballot/warp/*>, <ballot/block/*>
//                          scans and reductions to call in your own kernels
//     <ballot/simt/*>      the machine: shuffles, votes, atomics, launches; CUDA or the emulator
//     .../detail/*         internal: kernels and their launches
#pragma once

#include <ballot/argsort_by_columns.cuh>
#include <ballot/batched_scan.cuh>
#include <ballot/batched_top_k.cuh>
#include <ballot/bit_ranks.cuh>
#include <ballot/blockwise_scan.cuh>
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/gather.cuh>
#include <ballot/histogram.cuh>
#include <ballot/merge.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/outputs.cuh>
#include <ballot/reduce.cuh>
#include <ballot/reduce_by_key.cuh>
#include <ballot/scan.cuh>
#include <ballot/search.cuh>
#include <ballot/segmented_reduce.cuh>
#include <ballot/segmented_scan.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/top_k.cuh>
#include <ballot/unique.cuh>
#include <ballot/views.cuh>
