// SPDX-License-Identifier: Apache-2.0
// batched_top_k against a stable sort of each row: layouts, lengths and offsets on the device,
// short and long rows, ties, types.
#include <ballot/batched_top_k.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <numeric>

using namespace ballot;

namespace algorithms_batched_top_k {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct row {
  std::size_t begin, items;
};

template <class K>
std::vector<u64> best_of(const std::vector<K>& keys, const row& r, std::size_t k, const top_k_options& options) {
  std::vector<u64> order(r.items);
  std::iota(order.begin(), order.end(), u64{0});
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) {
    return ordered_bits(keys[r.begin + a], options.direction, options.nans) <
           ordered_bits(keys[r.begin + b], options.direction, options.nans);
  });
  order.resize(std::min(k, order.size()));
  if (options.order == top_k_order::by_position) std::sort(order.begin(), order.end());
  return order;
}

// The rows as the host knows them, and as the call gets them.
template <class K, class Rows>
void check(const std::vector<K>& keys, const std::vector<row>& rows, const Rows& given, std::size_t k,
           const top_k_options& options) {
  CAPTURE(rows.size());
  CAPTURE(k);
  const std::size_t room = rows.size() * k;
  std::vector<K> want_keys(room);
  std::vector<u32> want_values(room), want_indices(room), want_counts, values(keys.size());
  std::vector<bool> is_there(room);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<u32>(5 * i);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto order = best_of(keys, rows[r], k, options);
    want_counts.push_back(static_cast<u32>(order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t to = r * k + i, at = rows[r].begin + static_cast<std::size_t>(order[i]);
      is_there[to] = true;
      want_keys[to] = keys[at], want_values[to] = values[at], want_indices[to] = static_cast<u32>(order[i]);
    }
  }
  const auto same = [&](const auto& got, const auto& want) {
    bool all = got.size() == want.size();
    for (std::size_t i = 0; i < room && all; ++i)
      all = is_there[i] ? std::memcmp(&got[i], &want[i], sizeof(got[i])) == 0 : test::is_dirt(got[i]);
    return all;
  };
  test::for_some_schedules([&] {
    const test::guarded<K> in(keys, 1);
    const test::guarded<u32> in_values(values);
    test::guarded<K> keys_out(room, 1), pair_keys(room);
    test::guarded<u32> values_out(room), indices(room), counts(rows.size()), more_counts(rows.size());
    const test::unaligned_scratch of_pairs(batched_top_k_pairs_scratch_bytes(rows.size(), k)),
        of_indices(batched_top_k_indices_scratch_bytes<K>(rows.size(), k));
    test::directly_and_captured(
        [&] {
          keys_out.fill_dirt(), pair_keys.fill_dirt(), values_out.fill_dirt(), indices.fill_dirt(), counts.fill_dirt();
          more_counts.fill_dirt();
        },
        [&] {
          batched_top_k(exec(test::test_stream(), {}), in, given, k, keys_out, counts, options);
          batched_top_k_pairs(of_pairs.where(), in, in_values, given, k, pair_keys, values_out, more_counts, options);
          batched_top_k_indices(of_indices.where(), in, given, k, indices, nullptr, options);
        },
        [&] {
          CHECK(same(keys_out.read(), want_keys));
          CHECK(same(pair_keys.read(), want_keys));
          CHECK(same(values_out.read(), want_values));
          CHECK(same(indices.read(), want_indices));
          CHECK(counts.read() == want_counts);
          CHECK(more_counts.read() == want_counts);
        });
    of_pairs.check_guards(), of_indices.check_guards();
  });
}

constexpr top_k_options largest{}, smallest{.direction = direction::ascending},
    in_place_order{.order = top_k_order::by_position};

template <class K>
void check_rows(const std::vector<K>& keys, std::size_t rows, std::size_t width, std::size_t pitch, std::size_t k,
                const top_k_options& options) {
  std::vector<row> all;
  for (std::size_t r = 0; r < rows; ++r) all.push_back({r * pitch, width});
  check(keys, all, row_layout{rows, width, pitch}, k, options);
}

TEST_CASE("batched_top_k: rows of one width") {
  const auto keys = test::random_items<u32>(40'000, 1);
  for (const std::size_t k : {1, 31, 33, 64, 65, 100, 128, 129, 199, 200, 201, 1'000})
    check_rows(keys, 12, 200, 210, k, largest);
  for (const std::size_t k : {32, 255, 256, 257}) check_rows(keys, 9, 700, 701, k, smallest);
  check_rows(keys, 9, 4'100, 4'100, 4'096, smallest);
  check_rows(keys, 5, 5'000, 7'000, 77, in_place_order);
  for (const std::size_t width : {1'023, 1'024, 1'025, 4'096, 4'097, 12'288, 12'289})
    check_rows(keys, 3, width, width, 100, smallest);
  check_rows(keys, BALLOT_EMULATED ? 200 : 5'000, 1, 1, 1, largest);  // on a GPU more than run at once
  check_rows(keys, 3, 0, 10, 5, largest);
  auto equal = keys;
  for (u32& key : equal) key %= 2;
  check_rows(equal, 6, 1'900, 2'000, 300, largest);
  // The last key of the order is selected, of rows that no warp has a whole number of rows of its
  // lanes of: what stands behind a warp's keys is that key, too.
  const std::vector<u32> zeros(20'000);
  std::vector<u32> tied(20'000);  // each warp has some of these zeros
  for (std::size_t i = 0; i < tied.size(); i += 7) tied[i] = 9;
  for (const std::size_t width : {300, 1'100, 5'000})
    for (const std::size_t k : {40, 299}) {
      check_rows(zeros, 3, width, width + 1, k, largest);
      check_rows(tied, 3, width, width + 1, k, largest);
    }
}

// A lane has every 32nd key of its warp. Where keys descend, the first ones of all lanes come
// first. So the last selected key is the first, second or fourth one of a lane, or one behind it.
TEST_CASE("batched_top_k: as many keys as lanes, twice and four times as many") {
  std::vector<u32> keys(9'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<u32>(keys.size() - i) * 1'000;
  for (const std::size_t k : {32, 64, 128, 256, 512})  // a row has one warp or more
    for (const std::size_t more : {0, 1, 60}) check_rows(keys, 3, 900, 901, k + more, largest);
  for (const std::size_t k : {256, 257, 512, 513, 1'024, 1'025}) check_rows(keys, 3, 2'900, 2'901, k, largest);
}

// A block takes row after row. That many rows are too many to emulate, so there are fewer blocks.
// given: what the call gets, rows from these offsets on. Shape: of rows that a warp has; void: as
// the call chooses.
template <class Shape = void, class Rows>
void check_with_blocks(const std::vector<u32>& keys, const std::vector<u64>& offsets, const Rows& given, std::size_t k,
                       std::uint64_t blocks) {
  const std::size_t rows = offsets.size() - 1;
  std::vector<u32> want(rows * k), want_counts;
  std::vector<bool> is_there(rows * k);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto begin = static_cast<std::size_t>(offsets[r]), items = static_cast<std::size_t>(offsets[r + 1]) - begin;
    const auto order = best_of(keys, {begin, items}, k, largest);
    want_counts.push_back(static_cast<u32>(order.size()));
    for (std::size_t i = 0; i < order.size(); ++i)
      want[r * k + i] = keys[begin + static_cast<std::size_t>(order[i])], is_there[r * k + i] = true;
  }
  test::for_each_schedule([&] {
    const test::guarded<u32> in(keys);
    test::guarded<u32> out(rows * k), counts(rows);
    const auto taken = detail::as_input(in);
    const detail::batched_top_k_arguments<u32, u32> arguments{detail::rows_of("test", taken, given),
                                                              taken.data,
                                                              key_codec_of<u32>(direction::descending),
                                                              k,
                                                              out.data(),
                                                              nullptr,
                                                              detail::counts_of_rows(counts).counts,
                                                              true};
    if constexpr (std::is_void_v<Shape>)
      detail::launch_batched_top_k<false, !std::is_same_v<Rows, row_layout>>(test::test_stream(), arguments, true,
                                                                             blocks);
    else detail::launch_held_rows<Shape, false>(test::test_stream(), arguments, Shape::warps, blocks);
    const auto got = out.read();
    bool same = true;
    for (std::size_t i = 0; i < got.size(); ++i) same &= is_there[i] ? got[i] == want[i] : test::is_dirt(got[i]);
    CHECK(same);
    CHECK(counts.read() == want_counts);
  });
}

TEST_CASE("batched_top_k: more rows than blocks") {
  for (const std::size_t width : {50, 5'000, 17'000}) {
    const std::size_t rows = 7;
    std::vector<u64> offsets(rows + 1);
    for (std::size_t r = 0; r <= rows; ++r) offsets[r] = r * width;
    check_with_blocks(test::random_items<u32>(rows * width, 6), offsets, row_layout{rows, width}, 40, 3);
  }
}

// Of many rows, each has a warp. Here there are fewer rows.
template <class Shape>
void check_rows_of_a_warp(std::size_t width, std::initializer_list<std::size_t> ks) {
  const std::size_t rows = 2 * Shape::rows + 1, lanes = 32;
  std::vector<u64> offsets(rows + 1);
  for (std::size_t r = 0; r <= rows; ++r) offsets[r] = r * width;
  auto keys = test::random_items<u32>(rows * width, 8);
  for (const std::size_t k : {std::size_t{5}, std::size_t{250}})
    check_with_blocks<Shape>(keys, offsets, row_layout{rows, width}, k, 1);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<u32>(keys.size() - i) * 1'000;
  for (const std::size_t k : ks) check_with_blocks<Shape>(keys, offsets, row_layout{rows, width}, k, 1);
  // The least keys of lanes are all that is wanted. A key that comes behind these shares the last
  // one's digit.
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = ~(i % width / lanes == 3 ? 16 * static_cast<u32>(i % lanes) : 497u);
  check_with_blocks<Shape>(keys, offsets, row_layout{rows, width}, lanes, 1);
}

TEST_CASE("batched_top_k: a warp has a row") {
  check_rows_of_a_warp<detail::held_row_shape<1, 8>>(256, {32, 33, 64, 65, 128, 129, 200});
  check_rows_of_a_warp<detail::held_row_shape<1, 32>>(1'024, {32, 33, 64, 65, 128, 129, 200});
}

// Rows of one shape, of which a block takes several, keys and positions.
template <class Shape, class K>
void check_shape(const std::vector<K>& keys, std::size_t width, std::size_t k, bool sorted) {
  CAPTURE(width);
  CAPTURE(k);
  CAPTURE(sorted);
  const std::size_t rows = keys.size() / width;
  std::vector<K> want_keys(rows * k);
  std::vector<u32> want_positions(rows * k);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto order = best_of(keys, {r * width, width}, k, sorted ? largest : in_place_order);
    for (std::size_t i = 0; i < k; ++i) {
      want_positions[r * k + i] = static_cast<u32>(order[i]);
      want_keys[r * k + i] = keys[r * width + static_cast<std::size_t>(order[i])];
    }
  }
  using U = ordered_bits_t<K>;
  test::for_some_schedules([&] {
    const test::guarded<K> in(keys);
    for (const bool has_positions : {false, true}) {
      test::guarded<K> out(rows * k);
      test::guarded<u32> positions(rows * k);
      const auto taken = detail::as_input(in);
      detail::batched_top_k_arguments<U, u32> arguments{detail::rows_of("test", taken, row_layout{rows, width}),
                                                        reinterpret_cast<const U*>(taken.data),
                                                        key_codec_of<K>(direction::descending),
                                                        k,
                                                        reinterpret_cast<U*>(out.data()),
                                                        has_positions ? positions.data() : nullptr,
                                                        {},
                                                        sorted};
      detail::launch_held_rows<Shape, false>(test::test_stream(), arguments, Shape::warps, 2);
      CHECK(out.read() == want_keys);
      if (has_positions) CHECK(positions.read() == want_positions);
    }
  });
}

// Keys that need one digit or several, that are equal, or that are few of many above the others.
template <class K>
std::vector<std::vector<K>> several_spreads(std::size_t items) {
  std::vector<std::vector<K>> all{test::random_items<K>(items, 21)};
  for (const unsigned kind : {0u, 1u, 2u, 3u, 4u}) {
    std::vector<K> keys = all.front();
    for (std::size_t i = 0; i < items; ++i) {
      if (kind == 0) keys[i] = static_cast<K>(keys[i] % 3);
      if (kind == 1) keys[i] = i % 11 == 0 ? keys[i] : static_cast<K>(1'000'000 + keys[i] % 5'000);
      if (kind == 2) keys[i] = i % 3 == 0 ? K{7} : static_cast<K>(keys[i] % 4'000);
      if (kind == 3) keys[i] = static_cast<K>(~K{0} - keys[i] % 9);
      if (kind == 4) keys[i] = static_cast<K>(all.front()[i / 2] % 1'000);
    }
    all.push_back(std::move(keys));
  }
  return all;
}

TEST_CASE("batched_top_k: short rows of one warp and of several") {
  const auto check_all = []<class Shape, class K>(std::type_identity<Shape>, K,
                                                  std::initializer_list<std::size_t> widths,
                                                  std::initializer_list<std::size_t> ks) {
    for (const std::size_t width : widths)
      for (const auto& keys : several_spreads<K>(width * (2 * Shape::rows + 1)))
        for (const std::size_t k : ks)
          for (const bool sorted : {false, true})
            if (k <= width && (!sorted || k <= detail::most_sorted_by_rank)) check_shape<Shape>(keys, width, k, sorted);
  };
  check_all(std::type_identity<detail::held_row_shape<1, 8>>{}, u32{}, {1, 31, 33, 256},
            {1, 32, 33, 64, 65, 128, 129, 250});
  check_all(std::type_identity<detail::held_row_shape<4, 8>>{}, u32{}, {100, 257, 1'024}, {1, 30, 64, 129, 256, 700});
  check_all(std::type_identity<detail::held_row_shape<8, 8>>{}, u32{}, {2'047}, {40, 256});
  check_all(std::type_identity<detail::held_row_shape<1, 8>>{}, u64{}, {200}, {1, 16, 60, 200});
  check_all(std::type_identity<detail::held_row_shape<4, 8>>{}, u64{}, {700}, {64, 200});
  check_all(std::type_identity<detail::held_row_shape<1, 32>>{}, u32{}, {900}, {64, 100, 200});
}

// What one row leaves in shared memory must not reach the next one. Rows are long, empty, shorter
// than k, too long for the block, or sorted by a sample. Blocks of 64, 256 and 1024 threads.
TEST_CASE("batched_top_k: a block takes rows of several lengths") {
  for (const auto& lengths : {std::vector<u64>{3'000, 0, 30, 450, 1, 1'024, 41, 1'025, 850, 20},
                              std::vector<u64>{9'000, 100, 4'096, 4'097, 3'000, 0, 1},
                              std::vector<u64>{20'000, 0, 30, 9'000, 1, 20'000, 41, 0, 17'000, 400}}) {
    std::vector<u64> offsets{0};
    for (const u64 items : lengths) offsets.push_back(offsets.back() + items);
    auto keys = test::random_items<u32>(static_cast<std::size_t>(offsets.back()), 7);
    for (std::size_t i = 0; i < keys.size() / 2; ++i) keys[i] %= 3;
    const test::guarded<u64> device_offsets(offsets);
    for (const std::uint64_t blocks : {1, 2}) check_with_blocks(keys, offsets, device_offsets, 40, blocks);
  }
}

TEST_CASE("batched_top_k: long rows, by a sample") {
  const std::size_t width = 20'011;
  const auto keys = test::random_items<u32>(2 * width, 2);
  check_rows(keys, 2, width, width, 500, largest);
  check_rows(keys, 2, width, width, 4'096, in_place_order);
  std::vector<u32> equal(2 * width, 7), rising(2 * width);
  std::iota(rising.begin(), rising.end(), 3u);
  check_rows(equal, 2, width, width, 50, largest);
  check_rows(rising, 2, width, width, 1'000, largest);
  // The sample misleads: its keys are the smallest of all, or the largest.
  for (const u32 bit : {0u, 1u << 31}) {
    auto misleading = keys;
    for (u32& key : misleading) key = key / 4 + (1u << 30);
    for (u64 i = 0; i < detail::sample_of_block; ++i)
      misleading[static_cast<std::size_t>(detail::sampled_position(i, width, detail::sample_of_block))] =
          static_cast<u32>(i) | bit;
    check_rows(misleading, 2, width, width, 300, largest);
  }
}

// Keys of fewer than four bytes are held in registers of four. What stands behind a warp's keys is
// then still the last key of their own type.
TEST_CASE("batched_top_k: whole rows of small keys, by several warps") {
  const auto small = test::random_items<std::int16_t>(20'000, 12);
  for (const std::size_t width : {33, 100, 256})
    for (const std::size_t k : {width, std::size_t{256}, std::size_t{300}}) {
      check_rows(small, 4, width, width + 1, k, largest);
      check_rows(small, 4, width, width + 1, k, smallest);
    }
  check_rows(test::random_items<std::uint8_t>(2'000, 13), 4, 100, 101, 100, in_place_order);
  const std::vector<u32> lengths{100, 2'000, 33, 0, 255, 300};
  const test::guarded<u32> device_lengths(lengths);
  for (const std::size_t width : {2'000, 3'300}) {
    std::vector<row> rows;
    for (std::size_t r = 0; r < lengths.size(); ++r) rows.push_back({r * width, lengths[r]});
    for (const std::size_t k : {100, 256})
      check(small, rows, row_layout{lengths.size(), width, width, device_lengths.data()}, k, largest);
  }
}

TEST_CASE("batched_top_k: types, NaNs") {
  check_rows(test::random_items<std::int8_t>(6'000, 1), 6, 999, 1'000, 100, largest);
  check_rows(test::random_items<u64>(20'000, 2), 2, 9'000, 9'001, 1'000, smallest);
  auto floats = test::random_items<float>(20'000, 3);
  for (std::size_t i = 0; i < floats.size(); i += 3)
    floats[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : -0.0f;
  for (const nan_order nans : {nan_order::last, nan_order::first, nan_order::by_bits})
    check_rows(floats, 5, 4'000, 4'000, 3'000, {direction::descending, nans, top_k_order::sorted});
}

TEST_CASE("batched_top_k: lengths and offsets on the device") {
  const auto keys = test::random_items<u32>(30'000, 4);
  const std::vector<u32> lengths{0, 7, 500, 499, 1'000'000, 1};
  const test::guarded<u32> device_lengths(lengths);
  std::vector<row> rows;
  for (std::size_t r = 0; r < lengths.size(); ++r) rows.push_back({r * 600, std::min<std::size_t>(lengths[r], 500)});
  for (const std::size_t k : {3, 499, 4'000}) {
    check(keys, rows, row_layout{lengths.size(), 500, 600, device_lengths.data()}, k, largest);
  }
  // A row that ends before it begins, one that ends behind the keys, one of many keys.
  const std::vector<std::int64_t> offsets{0, 5, 5, 25'000, 24'000, 29'000, 40'000, 50'000};
  const test::guarded<std::int64_t> device_offsets(offsets);
  const std::vector<row> ragged{{0, 5}, {5, 0}, {5, 24'995}, {0, 0}, {24'000, 5'000}, {29'000, 1'000}, {0, 0}};
  for (const std::size_t k : {3, 1'000}) check(keys, ragged, device_offsets, k, smallest);
  const test::guarded<u64> few(std::vector<u64>{5});  // offsets: four rows; a fifth would have items
  std::vector<row> four(ragged);
  for (std::size_t r = 4; r < four.size(); ++r) four[r] = {0, 0};
  check(keys, four, counted{device_offsets, few.data()}, 20, largest);
}

}  // namespace algorithms_batched_top_k
