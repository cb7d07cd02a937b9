// SPDX-License-Identifier: Apache-2.0
// Sorted runs of a column with some of their keys in memory, so that any key's place in a run is
// found with few reads.
//
// A run need not be in order. Its items may be in buckets, each of which has keys above those of
// the buckets before it:
//
//     run       bacbab|dcdd|eeghf|...          a merge in slices sorts them anyway
//     a cut             d                      this bucket is sorted now: below it are c, and what is in front
#pragma once

#include <ballot/core/namespace.hpp>

#include "base/host_buffer.hpp"
#include "engines/cpu/sort_items.hpp"
#include "engines/engine.hpp"
#include "external_sort/sorted_runs.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ballot::app {

// The key that an item is compared by, for a request: its ordered bits, or some of them.
using key_of_item = std::function<std::uint64_t(const std::byte*)>;
key_of_item key_for(const sort_request& request);

class sampled_runs {
 public:
  // A key of every `spacing` items is kept.
  sampled_runs(const std::string& directory, const sort_request& request, std::uint64_t spacing)
      : file_(directory),
        request_(request),
        key_(key_for(request)),
        item_bytes_(size_of(request.type)),
        spacing_(spacing) {}

  // Appended items are in order, or in these buckets.
  void begin_run(cpu::key_buckets buckets = {}) {
    file_.begin_run();
    runs_.emplace_back();
    runs_.back().is_in_order.resize(buckets.begins.empty() ? 0 : buckets.begins.size() - 1);
    runs_.back().buckets = std::move(buckets);
  }
  void append(std::span<const std::byte> items);  // to the run begun last

  std::size_t count() const { return runs_.size(); }
  std::uint64_t bytes() const { return file_.bytes(); }
  std::uint64_t items(std::size_t run) const { return runs_[run].items; }
  std::uint64_t spacing() const { return spacing_; }
  std::span<const std::uint64_t> samples(std::size_t run) const { return runs_[run].samples; }
  // The number of items of a run whose keys are below `key`. May put some in order.
  std::uint64_t items_below(std::size_t run, std::uint64_t key);
  void read(std::size_t run, std::uint64_t first, std::span<std::byte> into) const {
    file_.read(run, first * item_bytes_, into);
  }
  void release(std::size_t first, std::size_t last) { file_.release(first, last); }

 private:
  struct sampled {
    std::uint64_t items = 0;
    std::vector<std::uint64_t> samples;  // of the items 0, spacing, 2 * spacing, ...
    cpu::key_buckets buckets;
    std::vector<bool> is_in_order;  // of each bucket that was not from the beginning
  };
  // Samples the items first to last - 1, which are in order.
  std::uint64_t first_not_below(std::size_t run, std::uint64_t first, std::uint64_t last, std::uint64_t key) const;

  sorted_runs file_;
  sort_request request_;
  key_of_item key_;
  std::size_t item_bytes_;
  std::uint64_t spacing_;
  std::vector<sampled> runs_;
  host_buffer bucket_, scratch_;
};

}  // namespace ballot::app
