// Everything. Including only what is used compiles faster.
#pragma once

#include <ballot/argsort_by_columns.cuh>
#include <ballot/batched_scan.cuh>
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/device/bit_ranks.cuh>
#include <ballot/device/blockwise_scan.cuh>
#include <ballot/device/reduce.cuh>
#include <ballot/device/reduce_arg.cuh>
#include <ballot/device/scan.cuh>
#include <ballot/device/segmented_scan.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>
