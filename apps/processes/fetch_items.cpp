// SPDX-License-Identifier: Apache-2.0
#include "processes/fetch_items.hpp"

#include "processes/parts.hpp"

#include <cstring>

namespace ballot::app {

host_buffer fetch_items(const process_group& group, part_sorter& by, std::span<const std::byte> own,
                        std::size_t item_bytes, std::uint64_t items, std::span<const std::uint64_t> places) {
  const auto ranks = static_cast<std::size_t>(group.size());
  std::vector<std::uint64_t> asked(ranks), next(ranks), begins;
  std::vector<std::uint32_t> owners(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    owners[i] = static_cast<std::uint32_t>(owner_of(places[i], items, group.size()));
    ++asked[owners[i]];
  }
  for (std::size_t r = 1; r < ranks; ++r) next[r] = next[r - 1] + asked[r - 1];
  begins = next;
  host_buffer questions(places.size() * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < places.size(); ++i) questions.as<std::uint64_t>()[next[owners[i]]++] = places[i];
  const auto in_bytes = [](std::vector<std::uint64_t> counts, std::size_t bytes) {
    for (std::uint64_t& count : counts) count *= bytes;
    return counts;
  };
  const host_buffer of_others = by.exchange(questions.bytes(), in_bytes(asked, sizeof(std::uint64_t)));
  const auto wanted = of_others.as<std::uint64_t>();

  const std::uint64_t first = part_begin(items, group.rank(), group.size());
  host_buffer answers(wanted.size() * item_bytes);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    std::memcpy(answers.data() + i * item_bytes, own.data() + (wanted[i] - first) * item_bytes, item_bytes);
  const host_buffer answered = by.exchange(answers.bytes(), in_bytes(sizes_received(group, asked), item_bytes));

  host_buffer found(places.size() * item_bytes);
  next = begins;
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(found.data() + i * item_bytes, answered.data() + next[owners[i]]++ * item_bytes, item_bytes);
  return found;
}

}  // namespace ballot::app
