// SPDX-License-Identifier: Apache-2.0
#include "external_sort/sampled_runs.hpp"

#include <ballot/core/key_order.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace ballot::app {

key_of_item key_for(const sort_request& request) {
  return visit_dtype(request.type, [&]<class K>(std::type_identity<K>) -> key_of_item {
    using U = ordered_bits_t<K>;
    const int width = request.bits.high - request.bits.low;
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    return [codec = key_codec_of<K>(request.order), low = request.bits.low, mask](const std::byte* item) {
      U raw{};
      std::memcpy(&raw, item, sizeof raw);
      return static_cast<std::uint64_t>(codec.encode(raw)) >> low & mask;
    };
  });
}

void sampled_runs::append(std::span<const std::byte> items) {
  sampled& run = runs_.back();
  const std::uint64_t count = items.size() / item_bytes_;
  for (std::uint64_t next = run.samples.size() * spacing_; next < run.items + count; next += spacing_)
    run.samples.push_back(key_(items.data() + (next - run.items) * item_bytes_));
  run.items += count;
  file_.append(items);
}

std::uint64_t sampled_runs::first_not_below(std::size_t run, std::uint64_t first, std::uint64_t last,
                                            std::uint64_t key) const {
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    std::array<std::byte, sizeof(std::uint64_t)> bytes{};
    read(run, middle, std::span(bytes).first(item_bytes_));
    if (key_(bytes.data()) < key) first = middle + 1;
    else last = middle;
  }
  return first;
}

std::uint64_t sampled_runs::items_below(std::size_t run, std::uint64_t key) {
  sampled& of = runs_[run];
  if (of.buckets.begins.empty()) {
    // Between the last sample below the key, and the next.
    const auto sample = std::lower_bound(of.samples.begin(), of.samples.end(), key);
    if (sample == of.samples.begin()) return 0;
    const std::uint64_t first = static_cast<std::uint64_t>(sample - of.samples.begin() - 1) * spacing_;
    return first_not_below(run, first, std::min(first + spacing_, of.items), key);
  }
  const cpu::key_buckets& buckets = of.buckets;
  if (key <= buckets.least) return 0;
  const std::uint64_t bucket = (key - buckets.least) >> buckets.shift;
  if (bucket >= of.is_in_order.size()) return of.items;
  const std::uint64_t first = buckets.begins[bucket], last = buckets.begins[bucket + 1];
  if (bucket << buckets.shift == key - buckets.least) return first;  // the cut is between two buckets
  if (last - first <= buckets.most && !of.is_in_order[bucket]) {
    bucket_.resize(static_cast<std::size_t>(last - first) * item_bytes_);
    if (bucket_.size() != 0) read(run, first, bucket_.bytes());
    cpu::sort_items(request_, bucket_.bytes(), scratch_);
    file_.overwrite(run, first * item_bytes_, bucket_.bytes());
    of.is_in_order[bucket] = true;
  }
  return first_not_below(run, first, last, key);
}

}  // namespace ballot::app
