// SPDX-License-Identifier: Apache-2.0
// libballot for C++14 and later: the calls of ballot.h. They deduce the types of arrays, and throw
// errors.
//
//     libballot::exec gpu(stream, scratch, libballot::sort_scratch_bytes<float>(n));
//     libballot::sort(gpu, libballot::items(keys, n), libballot::items(sorted, n));
//     libballot::compact(gpu, particles, libballot::greater(0.0f), alive, libballot::value(count));
//
// An array argument is one of these: items(pointer, n); counted(items(pointer, n), count), with the
// length on the device; or any object with data() and size(). A thrust::device_vector is
// items(thrust::raw_pointer_cast(v.data()), v.size()). Items that are not numbers are moved as
// bytes.
//
// Every call returns its status. If that is not BALLOT_OK, the call throws libballot::error
// instead. In a source with BALLOT_NO_EXCEPTIONS defined it never throws. The namespace is not `ballot`, so
// that this header can stand beside the C++20 headers in one source.
//
// It has every call of ballot.h. Where ballot.h takes several columns, this header takes one.
// Segmented scans and reductions start from the operator's identity. For several columns, and for
// other initial values within segments, call ballot.h directly.
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
