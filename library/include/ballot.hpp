// SPDX-License-Identifier: Apache-2.0
// libballot for C++14 and later: the calls of ballot.h with types that are deduced and errors that
// are thrown.
//
//     libballot::exec gpu(stream, scratch, libballot::sort_scratch_bytes<float>(n));
//     libballot::sort(gpu, libballot::items(keys, n), libballot::items(sorted, n));
//     libballot::compact(gpu, particles, libballot::greater(0.0f), alive, libballot::value(count));
//
// An array is items(pointer, n), counted(items(pointer, n), count) with the length on the device,
// or whatever has data() and size(), a thrust::device_vector through
// items(thrust::raw_pointer_cast(v.data()), v.size()). Types that are no numbers are moved as
// bytes.
//
// Every call returns the status, and throws libballot::error unless it is BALLOT_OK. With
// BALLOT_NO_EXCEPTIONS defined it only returns. The namespace is not `ballot`, so that this header
// can stand beside the C++20 headers in one source.
//
// It has every call of ballot.h, with one column where that takes several. Segmented scans and
// reductions start from the operator's identity. For several columns, and for other initial values
// within segments, there is ballot.h itself.
#pragma once

#include <ballot.h>
#include <libballot/arguments.hpp>
#include <libballot/gather.hpp>
#include <libballot/histograms.hpp>
#include <libballot/options.hpp>
#include <libballot/reductions.hpp>
#include <libballot/scans.hpp>
#include <libballot/scratch.hpp>
#include <libballot/searches.hpp>
#include <libballot/selections.hpp>
#include <libballot/selectors.hpp>
#include <libballot/sorts.hpp>
#include <libballot/top_k.hpp>
