// SPDX-License-Identifier: Apache-2.0
#include "engines/cpu/sort_items.hpp"

#include "engines/cpu/row_order.hpp"

#include <type_traits>
#include <utility>

namespace ballot::app::cpu {
namespace {

// The bits of a key that are compared; from_least: less the least of all keys.
template <class U, bool from_least = false>
struct bits_of_key {
  int low;
  U mask, least = 0;

  explicit bits_of_key(bit_range bits) : low(bits.low) {
    const int width = bits.high - bits.low;
    mask = width >= static_cast<int>(8 * sizeof(U)) ? static_cast<U>(~U{0})
                                                    : static_cast<U>((std::uint64_t{1} << width) - 1);
  }
  U operator()(U key) const {
    const U compared = static_cast<U>(key >> low) & mask;
    return from_least ? static_cast<U>(compared - least) : compared;
  }
  bool is_whole() const { return low == 0 && mask == static_cast<U>(~U{0}); }
};

template <class U>
void reverse(std::span<U> items) {
  const std::size_t last = items.size() - 1;
  for_each_item(items.size() / 2, [&](std::size_t i) { std::swap(items[i], items[last - i]); });
}

// Calls f(sorter) with a sorter by these keys.
template <class U, bool from_least, class F>
void with_sorter(const bits_of_key<U, from_least>& key_of, const key_codec<U>& codec, const F& f) {
  if (codec.is_identity()) {
    const auto local = [&](std::span<U> a, std::span<U> b, int local_bits, bool into_a) {
      sort_integers_locally(a, b, key_of, key_of.is_whole(), local_bits, into_a);
    };
    return f(radix_sorter<U, bits_of_key<U, from_least>, decltype(local)>(key_of, local));
  }
  // Encoded in the cache, where a bucket is sorted, and not in a pass of their own.
  const auto raw_key_of = [&](U raw) { return key_of(codec.encode(raw)); };
  const auto local = [&](std::span<U> a, std::span<U> b, int local_bits, bool into_a) {
    const bool has_order = local_bits == 0;
    if (!has_order)
      for (U& key : a) key = codec.encode(key);
    sort_integers_locally(a, b, key_of, key_of.is_whole(), local_bits, into_a);
    if (!has_order)
      for (U& key : into_a ? a : b) key = codec.decode(key);
  };
  f(radix_sorter<U, decltype(raw_key_of), decltype(local)>(raw_key_of, local));
}

// Whether they are in order, if need be after they have been turned round. Else their range.
template <class U>
bool puts_in_order(std::span<U> keys, const key_codec<U>& codec, const bits_of_key<U>& key_of, key_range& range) {
  range = range_of_keys(keys.size(), [&](std::size_t i) { return key_of(codec.encode(keys[i])); });
  if (range.is_ascending || range.least >= range.greatest) return true;
  if (range.is_descending) reverse(keys);
  return range.is_descending;
}

template <class U>
void sort_keys(std::span<U> keys, host_buffer& scratch, const key_codec<U>& codec, bit_range bits) {
  key_range range;
  const bits_of_key<U> key_of(bits);
  if (puts_in_order(keys, codec, key_of, range)) return;
  scratch.resize(std::max(scratch.size(), keys.size_bytes()));
  const std::span<U> room = scratch.as<U>().first(keys.size());
  const std::uint64_t last = range.greatest - range.least;
  if (bit_width(last) == range.bits()) {
    with_sorter(key_of, codec, [&](const auto& sorter) { sorter.sort(keys, room, range.least, range.greatest); });
    return;
  }
  // A slice of all keys may lie across a power of two, and differ in the bit of it.
  bits_of_key<U, true> from_least(bits);
  from_least.least = static_cast<U>(range.least);
  with_sorter(from_least, codec, [&](const auto& sorter) { sorter.sort(keys, room, 0, last); });
}

template <class U>
key_buckets partition_keys(host_buffer& items, host_buffer& scratch, const key_codec<U>& codec, bit_range bits,
                           std::uint64_t bucket_items) {
  constexpr int most_digits = 11;
  const std::span<U> keys = items.as<U>();
  key_range range;
  key_buckets found;
  if (puts_in_order(keys, codec, bits_of_key<U>(bits), range)) return found;
  bits_of_key<U, true> key_of(bits);
  key_of.least = static_cast<U>(range.least);
  const int width = bit_width(range.greatest - range.least);
  const int digits = std::min({most_digits, width, bit_width(keys.size() / bucket_items) + 1});
  found.least = range.least;
  found.shift = width - digits;
  found.most = 2 * bucket_items;
  scratch.resize(std::max(scratch.size(), items.size()));
  const std::span<U> room = scratch.as<U>().first(keys.size());
  with_sorter(key_of, codec, [&](const auto& sorter) {
    for (const std::size_t begin : sorter.partition(keys, room, width, digits, found.most))
      found.begins.push_back(begin);
  });
  scratch.resize(items.size());
  std::swap(items, scratch);
  return found;
}

// A column as the keys of rows.
template <class U>
struct keys_of_items {
  const U* raw;
  key_codec<U> codec;
  bits_of_key<U> key_of;
  std::size_t columns() const { return 1; }
  U operator()(std::size_t, std::uint64_t row) const { return key_of(codec.encode(raw[row])); }
};

}  // namespace

void sort_items(const sort_request& request, std::span<std::byte> items, host_buffer& scratch) {
  if (items.empty()) return;
  visit_dtype(request.type, [&]<class K>(std::type_identity<K>) {
    using U = ordered_bits_t<K>;
    sort_keys(std::span(reinterpret_cast<U*>(items.data()), items.size() / sizeof(U)), scratch,
              key_codec_of<K>(request.order), request.bits);
  });
}

key_buckets partition_items(const sort_request& request, host_buffer& items, host_buffer& scratch,
                            std::uint64_t bucket_items) {
  key_buckets found;
  if (items.size() == 0) return found;
  visit_dtype(request.type, [&]<class K>(std::type_identity<K>) {
    found =
        partition_keys<ordered_bits_t<K>>(items, scratch, key_codec_of<K>(request.order), request.bits, bucket_items);
  });
  return found;
}

host_buffer sorted_positions(const sort_request& request, std::span<const std::byte> items) {
  host_buffer positions(items.size() / size_of(request.type) * sizeof(std::uint64_t));
  if (items.empty()) return positions;
  visit_dtype(request.type, [&]<class K>(std::type_identity<K>) {
    using U = ordered_bits_t<K>;
    const auto codec = key_codec_of<K>(request.order);
    const bits_of_key<U> key_of(request.bits);
    const keys_of_items<U> keys{reinterpret_cast<const U*>(items.data()), codec, key_of};
    row_order<keys_of_items<U>>(keys).fill(positions.as<std::uint64_t>());
  });
  return positions;
}

std::uint64_t sort_bytes_an_item(const sort_request& request) {
  if (!request.argsort) return 2 * size_of(request.type);
  // Twice the positions. If nearly all keys share their top bits, the positions of these once more,
  // with their keys.
  return size_of(request.type) + 4 * sizeof(std::uint64_t);
}

}  // namespace ballot::app::cpu
