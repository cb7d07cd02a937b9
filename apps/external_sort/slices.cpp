// SPDX-License-Identifier: Apache-2.0
#include "external_sort/slices.hpp"

#include <algorithm>
#include <limits>

namespace ballot::app {

std::uint64_t slice::items() const {
  std::uint64_t sum = 0;
  for (std::size_t run = 0; run < begins.size(); ++run) sum += ends[run] - begins[run];
  return sum;
}

namespace {

// The items that the samples of a run leave open at either end of a slice, in spacings. They are
// less than one, and a bucket if there are buckets.
std::uint64_t open_spacings(std::uint64_t slice_items, std::uint64_t spacing) {
  return can_have_buckets(slice_items, spacing) ? 3 : 1;
}

}  // namespace

bool can_have_buckets(std::uint64_t slice_items, std::uint64_t spacing) { return slice_items / spacing >= 256; }

std::size_t runs_in_slices(std::uint64_t slice_items, std::uint64_t spacing) {
  return static_cast<std::size_t>(
      std::clamp<std::uint64_t>(slice_items / (2 * open_spacings(slice_items, spacing) * spacing), 2, 1u << 16));
}

// A wider spacing leaves more open, so that fewer runs merge at a time; a closer one has more
// samples to keep.
std::uint64_t sample_spacing(std::uint64_t slice_items, std::uint64_t memory_bytes) {
  constexpr std::uint64_t memory_of_one = 16 << 10, fewest = 16, most = 1024;  // samples of a slice
  return std::max<std::uint64_t>(1, slice_items / std::clamp(memory_bytes / memory_of_one, fewest, most));
}

slice_reader::slice_reader(sampled_runs& runs, std::size_t first, std::size_t last, std::uint64_t items)
    : runs_(runs), first_(first), last_(last), at_(last - first) {
  std::vector<std::uint64_t> samples;
  for (std::size_t run = first; run < last; ++run)
    samples.insert(samples.end(), runs.samples(run).begin(), runs.samples(run).end());
  std::sort(samples.begin(), samples.end());
  const std::uint64_t open = open_spacings(items, runs.spacing()) * runs.spacing() * (last - first);
  const std::uint64_t most = items > open ? (items - open) / runs.spacing() : 0;  // samples of a slice
  // A key's samples stay together; a key with too many of them is a slice of its own.
  std::uint64_t taken = 0;
  for (std::size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    const std::uint64_t key = samples[begin];
    end = static_cast<std::size_t>(std::upper_bound(samples.begin() + std::ptrdiff_t(begin), samples.end(), key) -
                                   samples.begin());
    const std::uint64_t of_key = end - begin;
    const bool is_many = of_key > 1 && of_key > most;
    if (taken != 0 && (is_many || taken + of_key > most)) {
      cuts_.push_back({key, is_many});
      taken = 0;
    } else if (taken == 0 && is_many) {
      cuts_.push_back({key, true});
    }
    if (is_many && key != std::numeric_limits<std::uint64_t>::max()) cuts_.push_back({key + 1, false});
    if (!is_many) taken += of_key;
  }
}

bool slice_reader::next(slice& found) {
  while (!ended_) {
    found.begins = at_;
    found.has_one_key = one_key_;
    if (next_cut_ == cuts_.size()) {
      ended_ = true;
      for (std::size_t run = first_; run < last_; ++run) at_[run - first_] = runs_.items(run);
    } else {
      const cut& here = cuts_[next_cut_++];
      for (std::size_t run = first_; run < last_; ++run) at_[run - first_] = runs_.items_below(run, here.key);
      one_key_ = here.has_one_key;
    }
    found.ends = at_;
    if (found.items() != 0) return true;
  }
  return false;
}

}  // namespace ballot::app
