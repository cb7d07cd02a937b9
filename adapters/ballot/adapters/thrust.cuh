// SPDX-License-Identifier: Apache-2.0
// Thrust's algorithms with ballot underneath: a call site gets another policy, and keeps the rest
// of its text.
//
//     #include <ballot/adapters/thrust.cuh>
//
//     thrust::sort_by_key(ballot::on(stream), cells.begin(), cells.end(), ids.begin());
//     auto end = thrust::copy_if(ballot::on(gpu), in.begin(), in.end(), out.begin(), is_alive{});
//
// Ballot's are sort, stable_sort, sort_by_key, stable_sort_by_key; inclusive_scan, exclusive_scan,
// both by key and transform_*; reduce, transform_reduce; copy_if, remove_if, remove_copy_if,
// partition, partition_copy, stable_partition, stable_partition_copy, also by a stencil; unique,
// unique_copy, unique_by_key, unique_by_key_copy, count_if; reduce_by_key; merge, merge_by_key. They
// are ballot's if they write arrays of trivially copyable items and the operators are such that the
// results are Thrust's (docs/adapters.md has the table). All else is Thrust's own, on the same
// stream.
//
// Algorithms of ballot that return nothing that the device has to compute do not wait. The others
// wait for the stream.
//
// Scratch: ballot::on(stream) allocates it in stream order. ballot::on(exec) takes what the exec
// has, 512 bytes more than the call's *_scratch_bytes. unique_by_key takes those of
// compact_in_place and a bit of each item; so do, with those of their own, scans by key, and by a
// stencil what is in place. Errors are exceptions, as Thrust's are:
// ballot::invalid_argument, ballot::cuda_error.
#pragma once

#include <ballot/adapters/thrust/by_key.cuh>
#include <ballot/adapters/thrust/merge.cuh>
#include <ballot/adapters/thrust/scan.cuh>
#include <ballot/adapters/thrust/scan_by_key.cuh>
#include <ballot/adapters/thrust/select.cuh>
#include <ballot/adapters/thrust/sort.cuh>
#include <ballot/adapters/thrust/stencil.cuh>
#include <ballot/adapters/thrust/transform.cuh>
