// SPDX-License-Identifier: Apache-2.0
// Sorts over ranks whose lengths are on the device: of keys that are counted, into outputs longer
// than needed.
#include <ballot/distributed/sort.cuh>

#include "distributed/ranks.hpp"
#include "support/patterns.hpp"
#include "support/sort_reference.hpp"

using namespace ballot;

namespace distributed_sort_sizes {

TEST_CASE("a share of a product of more than 64 bits") {
  using distributed::detail::share_begin;
  CHECK(share_begin(0, 24, 40) == 0);
  CHECK(share_begin(20, 24, 40) == 12);
  CHECK(share_begin(40, 24, 40) == 24);
  CHECK(share_begin(7, 5, 11) == 3);
  constexpr std::uint64_t large = std::uint64_t{1} << 60;
  CHECK(share_begin(large / 2, large - 2, large) == large / 2 - 1);
  CHECK(share_begin(large, large - 1, large) == large - 1);
  CHECK(share_begin(large - 1, large, large) == large - 1);
}

// The first lengths[r] keys of each rank's block, into rooms.
template <class Count, class K>
void check_counted(test::rank& comm, const std::vector<K>& keys, const std::vector<std::size_t>& in_sizes,
                   const std::vector<std::size_t>& lengths, const std::vector<std::size_t>& rooms, bool pairs) {
  std::vector<K> taken;
  std::vector<std::uint64_t> places;
  for (int r = 0; r < comm.size(); ++r) {
    const auto block = test::block_of(keys, in_sizes, r);
    for (std::size_t i = 0; i < lengths[std::size_t(r)]; ++i) places.push_back(taken.size()), taken.push_back(block[i]);
  }
  const std::uint64_t items = taken.size(), all_room = test::total(rooms);
  std::vector<std::size_t> sizes;
  std::uint64_t before = 0, given = 0, first = 0;
  for (int r = 0; r < comm.size(); ++r) {
    if (r == comm.rank()) first = given;
    before += rooms[std::size_t(r)];
    const std::uint64_t end = all_room == 0 ? 0 : before * items / all_room;
    sizes.push_back(end - given);
    given = end;
  }
  const auto rank = std::size_t(comm.rank());
  const auto order = test::serial_argsort(taken, {});
  std::vector<K> sorted;
  for (std::uint64_t i : order) sorted.push_back(taken[i]);
  const auto want = test::block_of(sorted, sizes, comm.rank());
  const auto want_places = test::block_of(order, sizes, comm.rank());

  const test::guarded<K> in(test::block_of(keys, in_sizes, comm.rank()));
  const test::guarded<Count> length(std::vector<Count>{static_cast<Count>(lengths[rank])});
  test::guarded<K> out(rooms[rank]);
  test::guarded<std::uint64_t> indices(rooms[rank]);
  test::guarded<Count> count(1), offset(1), total(1);
  const distributed::sort_options options{
      .pieces = 2, .count = count.data(), .offset = offset.data(), .total = total.data()};
  const test::exact_scratch scratch(
      pairs ? distributed::argsort_scratch_bytes<K, std::uint64_t>(comm.size(), in.size(), out.size())
            : distributed::sort_scratch_bytes<K>(comm.size(), in.size(), out.size()));
  if (pairs) distributed::argsort(comm, scratch.where(), counted{in, length.data()}, out, indices, options);
  else distributed::sort(comm, scratch.where(), counted{in, length.data()}, out, options);
  const auto got = out.read();
  CHECK(std::equal(want.begin(), want.end(), got.begin()));
  CHECK(std::all_of(got.begin() + std::ptrdiff_t(want.size()), got.end(), [](const K& k) { return test::is_dirt(k); }));
  if (pairs) {
    const auto got_places = indices.read();
    CHECK(std::equal(want_places.begin(), want_places.end(), got_places.begin()));
  }
  CHECK(count.read()[0] == static_cast<Count>(want.size()));
  CHECK(offset.read()[0] == static_cast<Count>(first));
  CHECK(total.read()[0] == static_cast<Count>(items));
  scratch.check_guards();
}

TEST_CASE_TEMPLATE("distributed sort of counted keys into longer outputs", Count, std::uint32_t, std::int64_t) {
  using K = std::uint32_t;
  const std::size_t n = 2400;
  unsigned turn = 0;
  for (int ranks : test::rank_counts())
    for (test::blocks kind : {test::blocks::uneven, test::blocks::one_empty})
      for (bool pairs : {false, true}) {
        CAPTURE(ranks);
        CAPTURE(int(kind));
        const auto keys = test::keys_of_entropy<K>(n, 2, ++turn);
        const auto in = test::block_sizes(kind, n, ranks);
        const auto rooms = test::block_sizes(test::blocks::uneven, n + 50 * turn, ranks);
        auto lengths = in, none = in;
        for (std::size_t r = 0; r < lengths.size(); ++r) lengths[r] = in[r] * (r % 3) / 2, none[r] = 0;
        if (ranks == 1) lengths[0] = n / 3;
        test::on_ranks_under_some_schedules(ranks, turn, [&](test::rank& comm) {
          check_counted<Count>(comm, keys, in, lengths, rooms, pairs);
          check_counted<Count>(comm, keys, in, none, rooms, pairs);
        });
      }
}

TEST_CASE("distributed sort: too little room for what comes, and counts that some ranks ask for") {
  using K = std::uint32_t;
  const int ranks = test::rank_counts().back();
  if (ranks < 2) return;
  test::on_ranks(ranks, [&](test::rank& comm) {
    const test::guarded<K> in(test::random_items<K>(500, 3));
    test::guarded<K> out(comm.rank() == 0 ? 499 : 500);
    test::guarded<std::uint32_t> count(1);
    const exec where = allocating(test::test_stream());
    const auto refused = [&](const std::string& words, const distributed::sort_options& options) {
      try {
        distributed::sort(comm, where, in, out, options);
        FAIL_CHECK("nothing was thrown");
      } catch (const invalid_argument& e) {
        CHECK_MESSAGE(std::string(e.what()).find(words) != std::string::npos, std::string(e.what()));
      }
      CHECK(test::is_dirt(out.read()[0]));
    };
    refused("room for " + std::to_string(500 * ranks - 1), {.count = count.data()});
    refused("options", {.count = comm.rank() == 1 ? count.data() : nullptr});
    refused("overlap", {.count = count.data(), .total = count.data()});
  });
}

struct triple {
  std::uint8_t bytes[3];
};
struct wide {
  std::uint32_t words[5];
};

// The scratch of the calls that a sort makes, for every number of pieces, and for fewer items than
// there may be: keys may be counted, and an output arrives in pieces.
template <class K, class V>
void check_scratch_within(int ranks, std::uint64_t n) {
  using scratch_of = distributed::detail::sort_scratch<K, V>;
  CAPTURE(ranks);
  CAPTURE(n);
  detail::scratch_carver measure;
  const scratch_of scratch(measure, ranks, n, n);
  for (const std::uint64_t items : {n, n - 1, n / 2, n * 15 / 16}) {
    CAPTURE(items);
    CHECK(detail::pairs_scratch_bytes<K, V>(items, false) <= scratch.sorting.size());
    if constexpr (scratch_of::by_bytes)
      CHECK(detail::radix_scratch_bytes<std::uint8_t, detail::value_word_t<V>>(items, detail::sort_mode::values_only) <=
            scratch.splitting.size());
    else
      for (int pieces = 1; pieces <= distributed::detail::pieces_at_most(ranks); ++pieces) {
        CAPTURE(pieces);
        CHECK(multisplit_scratch_bytes<K, V>(items, distributed::detail::groups_of(ranks * pieces - 1)) <=
              scratch.splitting.size());
      }
  }
}
TEST_CASE_TEMPLATE("distributed sort: scratch for every number of pieces, and for fewer items", V, triple, wide,
                   std::uint64_t) {
  for (int ranks : {1, 2, 8, 17, 32, 33, 64, 100, 128})
    for (int shift = 8; shift <= 33; ++shift)
      for (const std::uint64_t more : {0, 1, 3}) {
        check_scratch_within<std::uint32_t, V>(ranks, (std::uint64_t{1} << shift) + (more << (shift - 2)));
        check_scratch_within<std::uint16_t, V>(ranks, (std::uint64_t{1} << shift) - more);
        if (shift < 32) check_scratch_within<std::uint64_t, V>(ranks, (std::uint64_t{1} << shift) + more);
      }
  check_scratch_within<std::uint32_t, V>(32, 12 * (std::uint64_t{1} << 20));
}

}  // namespace distributed_sort_sizes
