// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms with ballot underneath: a call site gets another policy; the rest of it stays
// as it is.
//
//     #include <ballot/adapters/thrust.cuh>
//
//     thrust::sort_by_key(ballot::on(stream), cells.begin(), cells.end(), ids.begin());
//     auto end = thrust::copy_if(ballot::on(gpu), in.begin(), in.end(), out.begin(), is_alive{});
//
// Ballot's are sort, stable_sort, sort_by_key, stable_sort_by_key; inclusive_scan, exclusive_scan,
// both by key and transform_*; reduce, transform_reduce; copy_if, remove_if, remove_copy_if,
// partition, partition_copy, stable_partition, stable_partition_copy, also by a stencil; unique,
// unique_copy, unique_by_key, unique_by_key_copy, count_if; reduce_by_key; merge, merge_by_key. A
// call goes to ballot if it writes arrays of trivially copyable items, and if its operators give
// the same results as in Thrust (docs/adapters.md has the table). Everything else is Thrust's own,
// on the same stream.
//
// An algorithm of ballot waits for the stream only if it returns something that the device
// computes.
//
// Scratch: ballot::on(stream) allocates it in stream order. ballot::on(exec) takes that of the
// exec, which must have 512 bytes more than the call's *_scratch_bytes. Some algorithms also need a
// bit for each item: unique_by_key (which needs the bytes of compact_in_place), scans by key, and
// those in place with a stencil. Errors are exceptions, as Thrust's are: ballot::invalid_argument,
// ballot::cuda_error.
#pragma once

#include <ballot/adapters/thrust/by_key.cuh>
#include <ballot/adapters/thrust/merge.cuh>
#include <ballot/adapters/thrust/scan.cuh>
#include <ballot/adapters/thrust/scan_by_key.cuh>
#include <ballot/adapters/thrust/select.cuh>
#include <ballot/adapters/thrust/sort.cuh>
#include <ballot/adapters/thrust/stencil.cuh>
#include <ballot/adapters/thrust/transform.cuh>
