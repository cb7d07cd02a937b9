// SPDX-License-Identifier: Apache-2.0
// Sorts over ranks against a stable sort of everything on the host.
#include <ballot/distributed/sort.cuh>

#include <ballot/core/key_order.hpp>
#include "distributed/ranks.hpp"

#include "support/patterns.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;

namespace distributed_sort {

// Empty ranges are one to the reference, which shifts by the lowest bit's number.
ballot::sort_options of_one_device(const distributed::sort_options& o) {
  return {o.direction, o.bits.low == o.bits.high ? bit_range{0, 0} : o.bits, o.nans};
}

// Every rank sorts its block, and has what belongs into its block of the result.
template <class K>
void check_sort(test::rank& comm, const std::vector<K>& keys, const std::vector<std::size_t>& in_sizes,
                const std::vector<std::size_t>& out_sizes, const distributed::sort_options& options = {}) {
  const auto want = test::block_of(test::serial_sort(keys, of_one_device(options)), out_sizes, comm.rank());
  const auto mine = test::block_of(keys, in_sizes, comm.rank());
  const test::guarded<K> in(mine);
  test::guarded<K> out(want.size());
  const test::exact_scratch scratch(distributed::sort_scratch_bytes<K>(comm.size(), mine.size(), want.size()));
  distributed::sort(comm, scratch.where(), in, out, options);
  CHECK(test::as_words(out.read()) == test::as_words(want));
  CHECK(test::as_words(in.read()) == test::as_words(mine));
  scratch.check_guards();
}

TEST_CASE("distributed sort: numbers of ranks, patterns") {
  using K = std::uint32_t;
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (const test::key_pattern& pattern : test::key_patterns) {
      CAPTURE(ranks);
      CAPTURE(pattern.name);
      const auto keys = test::make_keys<K>(pattern, 3000);
      const auto in = test::block_sizes(test::blocks::uneven, keys.size(), ranks);
      const auto out = test::block_sizes(test::blocks::equal, keys.size(), ranks);
      test::on_ranks_under_some_schedules(ranks, ++turn, [&](test::rank& comm) { check_sort(comm, keys, in, out); });
    }
}

TEST_CASE("distributed sort: blocks of every kind, in and out, in pieces") {
  using K = std::uint32_t;
  const test::blocks kinds[] = {test::blocks::equal, test::blocks::uneven, test::blocks::one_empty,
                                test::blocks::all_on_last};
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (test::blocks in_kind : kinds)
      for (test::blocks out_kind : kinds) {
        ++turn;
        if (test::left_to_plain_run(unsigned(in_kind), unsigned(out_kind) + unsigned(ranks))) continue;
        CAPTURE(ranks);
        CAPTURE(int(in_kind));
        CAPTURE(int(out_kind));
        const auto keys = test::keys_of_entropy<K>(2500, 2, turn);
        const auto in = test::block_sizes(in_kind, keys.size(), ranks);
        const auto out = test::block_sizes(out_kind, keys.size(), ranks);
        test::on_ranks_under_some_schedules(
            ranks, turn, [&](test::rank& comm) { check_sort(comm, keys, in, out, {.pieces = int(turn % 5)}); });
      }
}

TEST_CASE("distributed sort: few keys or none") {
  using K = std::uint64_t;
  for (int ranks : test::rank_counts()) {
    CAPTURE(ranks);
    for (std::size_t items : {std::size_t{0}, std::size_t{1}, std::size_t(ranks - 1)}) {
      CAPTURE(items);
      const auto keys = test::random_items<K>(items, 5);
      for (test::blocks kind : {test::blocks::equal, test::blocks::all_on_last}) {
        const auto in = test::block_sizes(kind, items, ranks);
        const auto out = test::block_sizes(test::blocks::equal, items, ranks);
        test::on_ranks_under_some_schedules(ranks, unsigned(items), [&](test::rank& comm) {
          check_sort(comm, keys, in, out, {.pieces = 3});
          check_sort(comm, keys, out, in);
        });
      }
    }
    const auto scattered = test::block_sizes(test::blocks::fewer_than_ranks, 0, ranks);
    const auto keys = test::random_items<K>(test::total(scattered), 6);
    test::on_ranks(ranks, [&](test::rank& comm) { check_sort(comm, keys, scattered, scattered); });
  }
}

TEST_CASE_TEMPLATE("distributed sort: every kind of key, both directions", K, std::uint8_t, std::int16_t, std::int32_t,
                   std::uint64_t, float, double, detail::uint128) {
  const std::size_t n = 1200;
  const auto keys = test::keys_as<K>(test::random_items<ordered_bits_t<K>>(n, 31));
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (direction d : {direction::ascending, direction::descending}) {
      const auto in = test::block_sizes(test::blocks::uneven, n, ranks);
      test::on_ranks_under_some_schedules(ranks, ++turn, [&](test::rank& comm) {
        check_sort(comm, keys, in, in,
                   {.direction = d, .nans = d == direction::ascending ? nan_order::last : nan_order::by_bits});
      });
    }
}

TEST_CASE("distributed sort: bit ranges") {
  using K = std::uint32_t;
  const std::size_t n = 1500;
  const auto keys = test::random_items<K>(n, 22);
  unsigned turn = 0;
  for (bit_range bits : {bit_range{0, 1}, bit_range{3, 8}, bit_range{0, 9}, bit_range{4, 27}, bit_range{31, 32}}) {
    CAPTURE(bits.low);
    CAPTURE(bits.high);
    const auto in = test::block_sizes(test::blocks::uneven, n, test::rank_counts().back());
    const auto out = test::block_sizes(test::blocks::equal, n, test::rank_counts().back());
    test::on_ranks_under_some_schedules(test::rank_counts().back(), ++turn,
                                        [&](test::rank& comm) { check_sort(comm, keys, in, out, {.bits = bits}); });
  }
}

// No bits are compared, so the keys keep their order, and only move into the rooms.
template <class K>
void check_empty_ranges(int ranks, std::initializer_list<int> at, unsigned turn) {
  const std::size_t n = 4100;
  const auto keys = test::keys_as<K>(test::random_items<ordered_bits_t<K>>(n, 41));
  const auto in = test::block_sizes(test::blocks::uneven, n, ranks);
  const auto out = test::block_sizes(test::blocks::one_empty, n, ranks);
  for (const int bit : at) {
    CAPTURE(bit);
    test::on_ranks_under_some_schedules(ranks, turn + unsigned(bit), [&](test::rank& comm) {
      check_sort(comm, keys, in, out, {.bits = {bit, bit}, .pieces = bit % 3});
      check_sort(comm, keys, in, out, {.direction = direction::descending, .bits = {bit, bit}});
    });
  }
}
TEST_CASE("distributed sort: empty bit ranges") {
  for (int ranks : test::rank_counts()) {
    CAPTURE(ranks);
    check_empty_ranges<std::uint32_t>(ranks, {0, 7, 32}, 1);
    check_empty_ranges<std::uint64_t>(ranks, {0, 7, 64}, 2);
    check_empty_ranges<std::uint8_t>(ranks, {0, 8}, 3);
    check_empty_ranges<detail::uint128>(ranks, {0, 7, 128}, 4);
  }
#if BALLOT_EMULATED
  check_empty_ranges<std::uint32_t>(20, {7}, 5);  // too many splitters for distribute_kernel.cuh
#endif
}

#if !BALLOT_EMULATED

// So many that pieces are sorted by a prefix, and that every kernel has more tiles than blocks.
TEST_CASE_TEMPLATE("distributed sort of many keys", K, std::uint32_t, std::uint64_t) {
  const int ranks = test::rank_counts().back();
  const std::size_t n = (std::size_t{1} << 24) + 12345;
  for (int words : {1, 4}) {
    const auto keys = test::keys_of_entropy<K>(n, words, 77);
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    const auto in = test::block_sizes(test::blocks::uneven, n, ranks),
               out = test::block_sizes(test::blocks::equal, n, ranks);
    for (int pieces : {1, 4})
      test::on_ranks(ranks, [&](test::rank& comm) {
        const test::guarded<K> mine(test::block_of(keys, in, comm.rank()));
        test::guarded<K> result(out[static_cast<std::size_t>(comm.rank())]);
        const test::exact_scratch scratch(distributed::sort_scratch_bytes<K>(comm.size(), mine.size(), result.size()));
        distributed::sort(comm, scratch.where(), mine, result, {.pieces = pieces});
        CHECK((result.read() == test::block_of(sorted, out, comm.rank())));
        scratch.check_guards();
      });
  }
}

#endif

}  // namespace distributed_sort
