// SPDX-License-Identifier: Apache-2.0
// A k-way merge of sorted runs with a heap. Equal items come out in the order of their runs, so the
// merge is as stable as the runs are. Knuth, The Art of Computer Programming 3, 5.4.
#pragma once

#include <ballot/core/namespace.hpp>

#include "external_sort/sorted_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ballot::app {

// A Reader has the type `item`, whose <=> is the order, and `bool next(item&)`, which is false at
// the end of its run. Calls take(item, run) for each merged item until it returns false. An item is
// not used after the next call of its run's next(), which comes after take() has returned.
template <class Reader, class Take>
void merge_runs(std::vector<Reader>& runs, Take take) {
  struct head {
    typename Reader::item item;
    std::size_t run;
    bool operator<(const head& other) const {
      const auto order = item <=> other.item;
      return order != 0 ? order < 0 : run < other.run;
    }
  };
  std::vector<head> heap;  // the smallest head first
  for (std::size_t run = 0; run < runs.size(); ++run)
    if (head first{{}, run}; runs[run].next(first.item)) heap.push_back(first);
  std::sort(heap.begin(), heap.end());
  while (!heap.empty()) {
    if (!take(std::as_const(heap.front().item), heap.front().run)) return;
    // The run's next item takes the place, or the last head does, and sinks to where it belongs.
    head moved{{}, heap.front().run};
    if (!runs[moved.run].next(moved.item)) {
      moved = heap.back();
      heap.pop_back();
      if (heap.empty()) return;
    }
    std::size_t place = 0;
    for (std::size_t child = 1; child < heap.size(); child = 2 * place + 1) {
      if (child + 1 < heap.size() && heap[child + 1] < heap[child]) ++child;
      if (!(heap[child] < moved)) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = moved;
  }
}

// One pass that merges every `at_once` runs into one, for more runs than can be merged at a time.
// merge(runs, first, last, into): appends the merged run to `into`.
template <class Merge>
void merge_into_fewer(sorted_runs& runs, std::size_t at_once, const std::string& directory, Merge merge) {
  sorted_runs fewer(directory);
  for (std::size_t first = 0; first < runs.count(); first += at_once) {
    const std::size_t last = std::min(first + at_once, runs.count());
    fewer.begin_run();
    merge(std::as_const(runs), first, last, fewer);
    runs.release(first, last);
  }
  runs = std::move(fewer);
}

}  // namespace ballot::app
