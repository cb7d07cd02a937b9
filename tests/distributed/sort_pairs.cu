// SPDX-License-Identifier: Apache-2.0
// Sorts of pairs over ranks, stable in the order of the ranks, and argsort with positions among all
// keys.
#include <ballot/distributed/sort.cuh>

#include "distributed/ranks.hpp"
#include "support/patterns.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;

namespace distributed_sort_pairs {

// Empty ranges are one to the reference, which shifts by the lowest bit's number.
ballot::sort_options of_one_device(const distributed::sort_options& o) {
  return {o.direction, o.bits.low == o.bits.high ? bit_range{0, 0} : o.bits, o.nans};
}

template <class T>
std::vector<T> in_order(const std::vector<T>& items, const std::vector<std::uint64_t>& order) {
  std::vector<T> result;
  result.reserve(items.size());
  for (std::uint64_t i : order) result.push_back(items[i]);
  return result;
}

template <class K, class V>
void check_pairs(test::rank& comm, const std::vector<K>& keys, const std::vector<V>& values,
                 const std::vector<std::size_t>& in_sizes, const std::vector<std::size_t>& out_sizes,
                 const distributed::sort_options& options = {}) {
  const auto order = test::serial_argsort(keys, of_one_device(options));
  const auto want_keys = test::block_of(in_order(keys, order), out_sizes, comm.rank());
  const auto want_values = test::block_of(in_order(values, order), out_sizes, comm.rank());
  const test::guarded<K> in(test::block_of(keys, in_sizes, comm.rank()));
  const test::guarded<V> values_in(test::block_of(values, in_sizes, comm.rank()));
  test::guarded<K> out(want_keys.size());
  test::guarded<V> values_out(want_keys.size());
  const test::exact_scratch scratch(
      distributed::sort_pairs_scratch_bytes<K, V>(comm.size(), in.size(), want_keys.size()));
  distributed::sort_pairs(comm, scratch.where(), in, values_in, out, values_out, options);
  CHECK(test::as_words(out.read()) == test::as_words(want_keys));
  CHECK(values_out.read() == want_values);
  scratch.check_guards();
}

template <class Index, class K>
void check_argsort(test::rank& comm, const std::vector<K>& keys, const std::vector<std::size_t>& in_sizes,
                   const std::vector<std::size_t>& out_sizes, const distributed::sort_options& options = {}) {
  const auto order = test::serial_argsort(keys, of_one_device(options));
  const auto want_keys = test::block_of(in_order(keys, order), out_sizes, comm.rank());
  const auto want = test::block_of(std::vector<Index>(order.begin(), order.end()), out_sizes, comm.rank());
  const test::guarded<K> in(test::block_of(keys, in_sizes, comm.rank()));
  test::guarded<K> out(want.size());
  test::guarded<Index> indices(want.size());
  const test::exact_scratch scratch(distributed::argsort_scratch_bytes<K, Index>(comm.size(), in.size(), want.size()));
  distributed::argsort(comm, scratch.where(), in, out, indices, options);
  CHECK(test::as_words(out.read()) == test::as_words(want_keys));
  CHECK(indices.read() == want);
  scratch.check_guards();
}

struct wide {
  std::uint32_t words[5];
  friend bool operator==(const wide&, const wide&) = default;
};

TEST_CASE("distributed sort_pairs: stable, whatever the keys") {
  using K = std::uint32_t;
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (const test::key_pattern& pattern : test::key_patterns) {
      CAPTURE(ranks);
      CAPTURE(pattern.name);
      const auto keys = test::make_keys<K>(pattern, 2600);
      std::vector<std::uint32_t> places(keys.size());
      std::iota(places.begin(), places.end(), 0u);
      const auto in = test::block_sizes(test::blocks::uneven, keys.size(), ranks);
      const auto out = test::block_sizes(test::blocks::one_empty, keys.size(), ranks);
      test::on_ranks_under_some_schedules(ranks, ++turn, [&](test::rank& comm) {
        check_pairs(comm, keys, places, in, out, {.pieces = int(turn % 4)});
      });
    }
}

// Tiles of the kernel that brings items to where they are sent from; among them those whose equal
// keys go to several ranks. 2, 3 and 15 splitters; 23 are too many for that kernel.
TEST_CASE("distributed sort_pairs: many tiles") {
  using K = std::uint32_t;
  const std::size_t n = 33000;
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  struct shape {
    int ranks, pieces;
  };
  unsigned row = 0, column = 0;
  for (const shape s : {shape{3, 1}, shape{2, 2}, shape{8, 2}, shape{8, 3}}) {
    ++row;
    if (s.ranks > test::rank_counts().back()) continue;
    for (unsigned distinct : {~0u, 1000u, 3u, 1u}) {
      if (test::left_to_plain_run(row, ++column)) continue;
      CAPTURE(s.ranks);
      CAPTURE(distinct);
      auto keys = test::random_items<K>(n, distinct);
      for (K& key : keys) key = key % distinct * (~0u / distinct);
      const auto in = test::block_sizes(test::blocks::uneven, n, s.ranks);
      const auto out = test::block_sizes(test::blocks::equal, n, s.ranks);
      test::on_ranks_under_some_schedules(
          s.ranks, distinct, [&](test::rank& comm) { check_pairs(comm, keys, places, in, out, {.pieces = s.pieces}); });
    }
  }
}

TEST_CASE_TEMPLATE("distributed sort_pairs: values of every size", V, std::uint8_t, std::uint64_t, wide) {
  using K = float;
  const std::size_t n = 1300;
  const auto keys = test::keys_as<K>(test::keys_of_entropy<std::uint32_t>(n, 3, 8));
  const auto values = test::random_items<V>(n, 9);
  for (int ranks : test::rank_counts()) {
    const auto in = test::block_sizes(test::blocks::uneven, n, ranks);
    test::on_ranks_under_some_schedules(ranks, 3, [&](test::rank& comm) {
      check_pairs(comm, keys, values, in, in, {.direction = direction::descending, .bits = {8, 32}, .pieces = 2});
    });
  }
}

TEST_CASE_TEMPLATE("distributed argsort: places among the keys of all ranks", Index, std::uint32_t, std::int32_t,
                   std::uint64_t, std::int64_t) {
  const std::size_t n = 1700;
  const auto keys = test::keys_of_entropy<std::uint64_t>(n, 5, 10);
  unsigned turn = 0;
  for (int ranks : test::rank_counts()) {
    const auto in = test::block_sizes(test::blocks::one_empty, n, ranks);
    const auto out = test::block_sizes(test::blocks::uneven, n, ranks);
    test::on_ranks_under_some_schedules(
        ranks, ++turn, [&](test::rank& comm) { check_argsort<Index>(comm, keys, in, out, {.pieces = 2}); });
  }
}

// No bits are compared: items keep their order, and only move into the rooms.
TEST_CASE("distributed sort_pairs and argsort: empty bit ranges") {
  using K = std::uint32_t;
  const std::size_t n = 2500;
  const auto keys = test::random_items<K>(n, 12);
  const auto words = test::random_items<std::uint32_t>(n, 13);
  const auto wides = test::random_items<wide>(n, 14);
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (const int bit : {0, 7, 32}) {
      CAPTURE(ranks);
      CAPTURE(bit);
      const distributed::sort_options options{.bits = {bit, bit}, .pieces = bit % 3};
      const auto in = test::block_sizes(test::blocks::uneven, n, ranks);
      const auto out = test::block_sizes(test::blocks::equal, n, ranks);
      test::on_ranks_under_some_schedules(ranks, ++turn, [&](test::rank& comm) {
        check_pairs(comm, keys, words, in, out, options);
        check_pairs(comm, keys, wides, in, out, options);
        check_argsort<std::uint32_t>(comm, keys, in, out, options);
        check_argsort<std::int64_t>(comm, keys, in, out, options);
      });
    }
}

}  // namespace distributed_sort_pairs
