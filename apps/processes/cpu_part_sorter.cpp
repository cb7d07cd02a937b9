// SPDX-License-Identifier: Apache-2.0
// Sorts by the processors of all processes. Each sorts its part, and counts find the parts' ends
// exactly. Each sorts the items that arrive once more.
#include "processes/part_sorter.hpp"

#include "base/phase_clock.hpp"
#include "engines/engine.hpp"
#include "processes/parts.hpp"

#include <ballot/distributed/detail/shares.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace ballot::app {
namespace {

class cpu_part_sorter final : public part_sorter {
 public:
  explicit cpu_part_sorter(const process_group& group) : group_(group), engine_(make_cpu_engine()) {}

  std::string name() const override { return engine_->name(); }
  std::string device() const override { return engine_->device(); }
  phase works_in() const override { return phase::compute; }

  void sort(host_buffer& keys, std::size_t key_bytes, host_buffer* values, bit_range bits) override {
    const std::uint64_t own = keys.size() / key_bytes;
    const auto sizes = group_.gather(own);
    sort_here(keys, key_bytes, values, bits);
    const auto begins = ends_of_parts(keys, key_bytes, bits, sizes);
    keys = exchange_items(keys, key_bytes, begins);
    if (values != nullptr) *values = exchange_items(*values, sizeof(std::uint64_t), begins);
    sort_here(keys, key_bytes, values, bits);  // by source, so that a stable sort makes a stable whole
  }

  host_buffer exchange(std::span<const std::byte> sent, std::span<const std::uint64_t> sizes) override {
    return group_.exchange(sent, sizes, sizes_received(group_, sizes));
  }

 private:
  static std::uint64_t compared(const host_buffer& keys, std::size_t key_bytes, bit_range bits, std::size_t i) {
    const std::uint64_t key = key_bytes == 4 ? keys.as<std::uint32_t>()[i] : keys.as<std::uint64_t>()[i];
    const int width = bits.high - bits.low;
    return (key >> bits.low) & (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1);
  }

  void sort_here(host_buffer& keys, std::size_t key_bytes, host_buffer* values, bit_range bits) {
    const std::size_t n = keys.size() / key_bytes;
    if (n == 0) return;
    key_column column;
    column.keys.resize(n * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < n; ++i) column.keys.as<std::uint64_t>()[i] = compared(keys, key_bytes, bits, i);
    host_buffer order(n * sizeof(std::uint64_t));
    phase_clock clock;
    engine_->order(std::span(&column, 1), order.as<std::uint64_t>(), clock);
    const auto moved = [&]<class T>(const host_buffer& from, std::type_identity<T>) {
      host_buffer to(n * sizeof(T));
      for (std::size_t i = 0; i < n; ++i) to.as<T>()[i] = from.as<T>()[order.as<std::uint64_t>()[i]];
      return to;
    };
    keys = key_bytes == 4 ? moved(keys, std::type_identity<std::uint32_t>{})
                          : moved(keys, std::type_identity<std::uint64_t>{});
    if (values != nullptr) *values = moved(*values, std::type_identity<std::uint64_t>{});
  }

  // Finds which of this process's items go to each process. It searches for the key at each
  // boundary, bit by bit from the highest, with counts of all processes.
  std::vector<std::uint64_t> ends_of_parts(const host_buffer& keys, std::size_t key_bytes, bit_range bits,
                                           const std::vector<std::uint64_t>& sizes) const {
    const int ranks = group_.size(), boundaries = ranks - 1;
    const std::size_t n = keys.size() / key_bytes;
    const auto below = [&](std::uint64_t key, bool also_equal) {
      std::size_t low = 0, high = n;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const std::uint64_t found = compared(keys, key_bytes, bits, middle);
        if (found < key || (also_equal && found == key)) low = middle + 1;
        else high = middle;
      }
      return static_cast<std::uint64_t>(low);
    };
    const auto of = static_cast<std::size_t>(boundaries);
    std::vector<std::uint64_t> left(of), key(of, 0), counts(of), all(of * static_cast<std::size_t>(ranks));
    for (std::size_t j = 0, before = 0; j < of; ++j) left[j] = before += sizes[j];
    for (int bit = bits.high - bits.low - 1; bit >= 0 && of != 0; --bit) {
      for (std::size_t j = 0; j < of; ++j) counts[j] = below(key[j] | std::uint64_t{1} << bit, false);
      group_.gather_bytes(std::as_bytes(std::span(counts)), std::as_writable_bytes(std::span(all)));
      for (std::size_t j = 0; j < of; ++j) {  // the largest key with at most `left` keys below it
        std::uint64_t smaller = 0;
        for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) smaller += all[r * of + j];
        if (smaller <= left[j]) key[j] |= std::uint64_t{1} << bit;
      }
    }
    std::vector<std::uint64_t> own(2 * of), gathered(2 * of * static_cast<std::size_t>(ranks));
    for (std::size_t j = 0; j < of; ++j) {
      own[2 * j] = below(key[j], false);
      own[2 * j + 1] = below(key[j], true) - own[2 * j];
    }
    if (of != 0) group_.gather_bytes(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(gathered)));
    const distributed::detail::shares shares(ranks, boundaries, gathered.data(), left.data(), sizes.data());
    std::vector<std::uint64_t> begins;
    for (int r = 0; r <= ranks; ++r) begins.push_back(shares.begin(group_.rank(), r));
    return begins;
  }

  host_buffer exchange_items(const host_buffer& items, std::size_t item_bytes,
                             const std::vector<std::uint64_t>& begins) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t r = 0; r + 1 < begins.size(); ++r) sizes.push_back((begins[r + 1] - begins[r]) * item_bytes);
    return exchange(items.bytes(), sizes);
  }

  const process_group& group_;
  std::unique_ptr<engine> engine_;
};

}  // namespace

std::vector<std::uint64_t> sizes_received(const process_group& group, std::span<const std::uint64_t> sent) {
  const auto ranks = static_cast<std::size_t>(group.size());
  std::vector<std::uint64_t> all(ranks * ranks), received(ranks);
  group.gather_bytes(std::as_bytes(sent), std::as_writable_bytes(std::span(all)));
  for (std::size_t r = 0; r < ranks; ++r) received[r] = all[r * ranks + static_cast<std::size_t>(group.rank())];
  return received;
}

std::unique_ptr<part_sorter> make_cpu_part_sorter(const process_group& group) {
  return std::make_unique<cpu_part_sorter>(group);
}

}  // namespace ballot::app
