// SPDX-License-Identifier: Apache-2.0
// Sorted runs of a column with some of their keys in memory, so that any key's place in a run is found with one read.
#pragma once

#include <ballot/core/namespace.hpp>

#include "engines/engine.hpp"
#include "external_sort/sorted_runs.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ballot::app {

// The key that an item is compared by, for a request: its ordered bits, or some of them.
using key_of_item = std::function<std::uint64_t(const std::byte*)>;
key_of_item key_for(const sort_request& request);

class sampled_runs {
 public:
  // A key of every `spacing` items is kept.
  sampled_runs(const std::string& directory, const sort_request& request, std::uint64_t spacing)
      : file_(directory), key_(key_for(request)), item_bytes_(size_of(request.type)), spacing_(spacing) {}

  void begin_run() {
    file_.begin_run();
    runs_.emplace_back();
  }
  void append(std::span<const std::byte> items);  // to the run begun last

  std::size_t count() const { return runs_.size(); }
  std::uint64_t bytes() const { return file_.bytes(); }
  std::uint64_t items(std::size_t run) const { return runs_[run].items; }
  std::uint64_t spacing() const { return spacing_; }
  std::span<const std::uint64_t> samples(std::size_t run) const { return runs_[run].samples; }
  // The number of items of a run whose keys are below `key`.
  std::uint64_t items_below(std::size_t run, std::uint64_t key) const;
  void read(std::size_t run, std::uint64_t first, std::span<std::byte> into) const {
    file_.read(run, first * item_bytes_, into);
  }
  void release(std::size_t first, std::size_t last) { file_.release(first, last); }

 private:
  struct sampled {
    std::uint64_t items = 0;
    std::vector<std::uint64_t> samples;  // of the items 0, spacing, 2 * spacing, ...
  };
  sorted_runs file_;
  key_of_item key_;
  std::size_t item_bytes_;
  std::uint64_t spacing_;
  std::vector<sampled> runs_;
};

}  // namespace ballot::app
