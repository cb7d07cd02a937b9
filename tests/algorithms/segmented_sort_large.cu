// SPDX-License-Identifier: Apache-2.0
// Sorts within segments by the public calls, in the sizes at which they change their ways, with
// segments of all lengths among each other. Emulated in one schedule: tests of small shapes
// (segmented_sort_shapes.cu) have the others.
#include <ballot/segmented_sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_order.hpp"

using namespace ballot;

namespace algorithms_segmented_sort_large {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Stays where it is while keys are sorted.
struct record {
  u32 words[3];
};

// Large arrays are for builds that run fast.
#if BALLOT_EMULATED
bool all_sizes() { return !emulator::instrumented(); }
#else
bool all_sizes() { return true; }
#endif

// Stretches of empty segments, of tiny ones, and of ones that a block can hold, between longer
// ones. The longer ones are merged once, twice, or sorted by digits.
std::vector<u64> segments_of_all_lengths(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<u64> at;
  u64 next = 3;  // before it, a segment that no offset begins
  const auto add = [&](std::size_t count, u64 least, u64 most) {
    for (std::size_t i = 0; i < count; ++i, next += least + random() % (most - least + 1)) at.push_back(next);
  };
  while (next < n) {
    add(random() % 5, 0, 0);
    add(200, 0, 60);
    add(5, 500, 5000);
    add(1, 5000, 20'000);
    add(1, 10'000, 90'000);
    add(random() % 2, 1023, 1025);
  }
  while (at.back() > n) at.pop_back();
  return at;
}

// Spread keys, and from the middle on keys of which many are the same.
template <class K>
std::vector<K> keys_of_two_kinds(std::size_t n) {
  auto keys = test::random_items<K>(n, 71);
  for (std::size_t i = n / 2; i < n; ++i) keys[i] = static_cast<K>(keys[i] % 100 << (4 * sizeof(K)));
  return keys;
}

template <class T>
bool same_bytes(const std::vector<T>& items, const std::vector<T>& others, const std::vector<u64>& order) {
  bool same = items.size() == order.size();
  for (std::size_t i = 0; same && i < items.size(); ++i)
    same = std::memcmp(&items[i], &others[order[i]], sizeof(T)) == 0;
  return same;
}

template <class V, class K>
void check_pairs(const std::vector<K>& keys, const std::vector<u64>& at, const std::vector<u64>& order,
                 const sort_options& options) {
  const std::size_t n = keys.size();
  const auto values = test::random_items<V>(n, 72);
  const test::guarded<K> in(keys);
  const test::guarded<V> values_in(values);
  const test::guarded<u64> offsets(at);
  test::guarded<K> out(n);
  test::guarded<V> values_out(n);
  const test::exact_scratch scratch(segmented_sort_pairs_scratch_bytes<K, V>(n));
  segmented_sort_pairs(scratch.where(), in, values_in, offsets, out, values_out, options);
  CHECK(same_bytes(out.read(), keys, order));
  CHECK(same_bytes(values_out.read(), values, order));
  scratch.check_guards();
}

template <class K>
void check_keys(const std::vector<K>& keys, const std::vector<u64>& at, const std::vector<u64>& order,
                const sort_options& options) {
  const test::guarded<K> in(keys);
  const test::guarded<u32> offsets(std::vector<u32>(at.begin(), at.end()));
  test::guarded<K> out(keys.size());
  const test::exact_scratch scratch(segmented_sort_scratch_bytes<K>(keys.size()));
  segmented_sort(scratch.where(), in, offsets, out, options);
  CHECK(same_bytes(out.read(), keys, order));
  scratch.check_guards();
}

enum calls : unsigned { keys_alone = 1, inline_values = 2, indirect_values = 4, all_calls = 7 };

template <class K>
void check_size(std::size_t n, unsigned which, const sort_options& options = {}) {
  CAPTURE(n);
  const auto keys = keys_of_two_kinds<K>(n);
  const auto at = segments_of_all_lengths(n);
  const auto order = test::serial_segmented_argsort(keys, n, at, options);
  test::depth_first([&] {
    if ((which & keys_alone) != 0) check_keys(keys, at, order, options);
    if ((which & inline_values) != 0) check_pairs<K>(keys, at, order, options);
    if ((which & indirect_values) != 0) check_pairs<record>(keys, at, order, options);
  });
}

// On the GPU, which takes no time for it, each call in each size.
TEST_CASE("large segmented sort of u32: merged in two rounds, and gathered as composites") {
  check_size<u32>(140'000, all_calls, {direction::descending, {3, 29}});
  if (!all_sizes()) return;
  check_size<u32>(700'000, BALLOT_EMULATED ? inline_values : all_calls);
  check_size<u32>(1'100'000, BALLOT_EMULATED ? indirect_values : all_calls);
}

TEST_CASE("large segmented sort of u64: merged in two rounds, and gathered as composites") {
  check_size<u64>(140'000, BALLOT_EMULATED ? inline_values | indirect_values : all_calls);
  if (!all_sizes()) return;
  check_size<u64>(700'000, BALLOT_EMULATED ? inline_values : all_calls, {direction::descending, {0, 40}});
  if (!BALLOT_EMULATED) check_size<u64>(1'100'000, all_calls);
}

TEST_CASE("segmented sort on both sides of what few items are") {
  for (const std::size_t n :
       {std::size_t{detail::small_segmented_items}, std::size_t{detail::small_segmented_items} + 1})
    if (all_sizes()) check_size<u32>(n, keys_alone);
}

}  // namespace algorithms_segmented_sort_large
