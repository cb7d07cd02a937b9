// SPDX-License-Identifier: Apache-2.0
// A block sorts its words in shared memory: by bins, or, as fallback where a bin overflows, by
// digits.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/radix_sort/block_bin_sort.cuh>
#include <ballot/detail/radix_sort/block_digit_sort.cuh>
#include <ballot/simt/simt.cuh>

namespace ballot::detail {

template <class W, class Shape>
struct block_sort_storage {
  struct binned {
    bin_counts<Shape> bins;
    union {
      W words[Shape::items + 2 * Shape::halo];
      std::uint32_t before[(Shape::items + 2 * Shape::halo) * sizeof(W) / sizeof(std::uint32_t)];  // the caller's
    };
  };
  union {
    binned by_bins;
    digit_sort_counts<Shape> digits;  // in its place while ranking by digits
  };
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
};

// Sorts the block's words into shared.by_bins.words[0, valid). item[i] is at position thread + i *
// threads, if that is less than `valid`; the other items are ~0. All threads. The bins are zero,
// and a barrier has been passed since. bin_of: see sort_by_bins.
//
// Words differ in their bits `lower` and, above those, `upper`. Words that agree in both are
// already in the order of the bits below `lower`. Afterwards each warp may read its own part of the
// words, [warp * warp_items, + warp_items), and after a barrier all words.
template <class Shape, class W, class BinOf>
__device__ __forceinline__ void sort_in_block(block_sort_storage<W, Shape>& shared,
                                              const W (&item)[Shape::items_per_thread], unsigned valid, word_bits lower,
                                              word_bits upper, const BinOf& bin_of) {
  W* const words = shared.by_bins.words;
  if (!sort_by_bins<Shape>(shared.by_bins.bins, shared.scan, words, item, valid, bin_of))
    sort_by_digits<Shape>(shared.digits, shared.scan, words, item, valid, lower, upper);
}

}  // namespace ballot::detail
