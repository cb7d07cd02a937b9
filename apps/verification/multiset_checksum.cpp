// SPDX-License-Identifier: Apache-2.0
#include "verification/multiset_checksum.hpp"

#include <ballot/core/key_order.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cstring>

namespace ballot::app {
namespace {

// splitmix64's finaliser: every bit of the input reaches every bit of the output.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Both halves of a product, one upon the other (wyhash's step).
std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<detail::uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

template <class Word>
void multiset_checksum::add_words(std::span<const std::byte> items) {
  std::array<std::uint64_t, 2> sums{};
  for (std::size_t at = 0; at < items.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, items.data() + at, sizeof word);
    const std::uint64_t hash = mixed(word + 0x9e3779b97f4a7c15u);
    sums[0] += hash;
    sums[1] += folded_product(hash, hash ^ 0xd1342543de82ef95u);
  }
  sums_[0] += sums[0];
  sums_[1] += sums[1];
  count_ += items.size() / sizeof(Word);
}

void multiset_checksum::add(std::span<const std::byte> items, std::size_t item_bytes) {
  switch (item_bytes) {
    case 1:
      return add_words<std::uint8_t>(items);
    case 2:
      return add_words<std::uint16_t>(items);
    case 4:
      return add_words<std::uint32_t>(items);
    default:
      return add_words<std::uint64_t>(items);
  }
}

void multiset_checksum::add(const multiset_checksum& others) {
  sums_[0] += others.sums_[0];
  sums_[1] += others.sums_[1];
  count_ += others.count_;
}

multiset_checksum checksum_of(std::span<const std::byte> items, std::size_t item_bytes) {
  constexpr std::size_t grain = std::size_t{1} << 16;  // items
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, items.size() / item_bytes, grain), multiset_checksum{},
      [&](const tbb::blocked_range<std::size_t>& range, multiset_checksum sum) {
        sum.add(items.subspan(range.begin() * item_bytes, range.size() * item_bytes), item_bytes);
        return sum;
      },
      [](multiset_checksum a, const multiset_checksum& b) {
        a.add(b);
        return a;
      });
}

}  // namespace ballot::app
