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

std::uint64_t sampled_runs::items_below(std::size_t run, std::uint64_t key) const {
  const sampled& of = runs_[run];
  const auto sample = std::lower_bound(of.samples.begin(), of.samples.end(), key);
  if (sample == of.samples.begin()) return 0;
  // Between the last sample below the key, and the next.
  std::uint64_t low = static_cast<std::uint64_t>(sample - of.samples.begin() - 1) * spacing_;
  std::uint64_t high = std::min(low + spacing_, of.items);
  const auto is_below = [&](std::uint64_t item) {
    std::array<std::byte, sizeof(std::uint64_t)> bytes{};
    read(run, item, std::span(bytes).first(item_bytes_));
    return key_(bytes.data()) < key;
  };
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (is_below(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

}  // namespace ballot::app
