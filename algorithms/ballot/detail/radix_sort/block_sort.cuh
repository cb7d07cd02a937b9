// Words of a block put in order: by bins, or, where a bin has too many, by digits.
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
    W words[Shape::items + 2 * Shape::halo];
  };
  union {
    binned by_bins;
    digit_sort_counts<Shape> digits;  // instead of it, while ranking
  };
  typename block::scan<std::uint32_t, Shape::threads>::storage scan;
};

// Orders item[i], of place thread + i * threads where that is less than `valid`, into shared.by_bins.words[0, valid);
// the others are ~0. Words differ in their bits `lower`, in `upper` above them, and below `lower`, where words that are
// the same in both are in order already. bin_of as for sort_by_bins. The bins are zero, and a barrier lies behind
// that. Each warp may read what lies in its own part of the words, [warp * warp_items, + warp_items), and the others
// behind a barrier.
template <class Shape, class W, class BinOf>
__device__ __forceinline__ void sort_in_block(block_sort_storage<W, Shape>& shared,
                                              const W (&item)[Shape::items_per_thread], unsigned valid, word_bits lower,
                                              word_bits upper, const BinOf& bin_of) {
  W* const words = shared.by_bins.words;
  if (!sort_by_bins<Shape>(shared.by_bins.bins, shared.scan, words, item, valid, bin_of))
    sort_by_digits<Shape>(shared.digits, shared.scan, words, item, valid, lower, upper);
}

}  // namespace ballot::detail
