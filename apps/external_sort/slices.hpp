// SPDX-License-Identifier: Apache-2.0
// A merge of runs in slices: the output is cut at some keys, and a slice is what lies between two
// cuts in all runs.
//
//     runs      aabcddeefgh   abbbcefgghi   bcddeeffhij
//     cuts            d   g         d  g         d    g
//     slices    aab c abbbc bc | ddeef ef ddeeff | gh gghi hij      each fits into memory, in the order of the runs
//
// So a slice, sorted by a stable sort on all cores, is the next piece of the output. The next slice
// can be read while it is sorted. If one key alone has more items than a slice can hold, they are
// copied. The cuts come from the runs' samples: Varman and others, Merging Multiple Lists on
// Hierarchical-Memory Multiprocessors (1991).
#pragma once

#include <ballot/core/namespace.hpp>

#include "external_sort/sampled_runs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ballot::app {

struct slice {
  std::vector<std::uint64_t> begins, ends;  // items, for each run
  bool has_one_key = false;                 // nothing to sort, and any number of items

  std::uint64_t items() const;
};

// Cuts the runs first to last - 1 into slices of at most `items` items. Slices of one key may have
// more.
class slice_reader {
 public:
  slice_reader(sampled_runs& runs, std::size_t first, std::size_t last, std::uint64_t items);

  // The next slice; false after the last.
  bool next(slice& found);

 private:
  sampled_runs& runs_;
  std::size_t first_, last_;
  struct cut {
    std::uint64_t key;
    bool has_one_key;  // the slice behind it
  };
  std::vector<cut> cuts_;
  std::size_t next_cut_ = 0;
  std::vector<std::uint64_t> at_;
  bool ended_ = false;
  bool one_key_ = false;
};

// The number of items between samples, for slices of so many items.
std::uint64_t sample_spacing(std::uint64_t slice_items, std::uint64_t memory_bytes);
// Whether slices have samples enough for runs whose buckets are not sorted.
bool can_have_buckets(std::uint64_t slice_items, std::uint64_t spacing);
// The number of runs that can be merged at a time with these slices and samples.
std::size_t runs_in_slices(std::uint64_t slice_items, std::uint64_t spacing);

}  // namespace ballot::app
