// SPDX-License-Identifier: Apache-2.0
// The calls of CUB with ballot underneath: call sites stay as they are.
//
//     #include <ballot/adapters/cub.cuh>
//     namespace cub = ballot::adapters::cub;      // in a namespace or function of the program
//
//     std::size_t bytes = 0;
//     cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys_out, ids, ids_out, n, 0, 30,
//                                     stream);
//     cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, keys_out, ids, ids_out, n, 0, 30,
//                                     stream);
//
// A call is ballot's if it writes arrays and ballot has that call with the same results
// (docs/adapters.md has the table, and which iterators are read). Otherwise it is CUB's own, with
// its other iterators, types and operators. With BALLOT_ADAPTERS_ONLY_BALLOT defined such a call
// does not compile. The types decide which library takes the call. So both phases of a call go to
// the same library, and the temporary storage fits.
//
// Everything else of CUB is in the namespace, too: block and warp primitives, iterators,
// DoubleBuffer.
//
// Sources that say cub:: everywhere and cannot be changed need no alias with
// <ballot/adapters/replace_cub.cuh>.
//
// Errors: cudaErrorInvalidValue for what ballot refuses (null, overlap, a bit range outside the
// key, temporary storage that is too small, too many items), otherwise what the runtime says.
// Nothing has been launched then. Host code only.
#pragma once

#include <ballot/adapters/cub/histogram.cuh>
#include <ballot/adapters/cub/merge.cuh>
#include <ballot/adapters/cub/partition.cuh>
#include <ballot/adapters/cub/radix_sort.cuh>
#include <ballot/adapters/cub/reduce.cuh>
#include <ballot/adapters/cub/run_length_encode.cuh>
#include <ballot/adapters/cub/scan.cuh>
#include <ballot/adapters/cub/segmented_reduce.cuh>
#include <ballot/adapters/cub/segmented_sort.cuh>
#include <ballot/adapters/cub/select.cuh>
#include <ballot/adapters/cub/top_k.cuh>
