// SPDX-License-Identifier: Apache-2.0
// Calls of the C library with random arguments. They end with a status, write nothing if they are
// refused, and never write outside of their outputs.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/random_draws.hpp"
#include "c/support.hpp"

#include <cstring>
#include <functional>
#include <utility>

namespace ballot::test::c {
namespace random_arguments {

using fuzzed = std::function<ballot_status(draw&, ballot_exec)>;

struct columns_of {
  ballot_array in[3], out[3], more[3];
  std::int32_t count;
  explicit columns_of(draw& d, bool two = false) : in{}, out{}, more{}, count(d.rarely(4) ? d.choice(3) : 1) {
    for (int c = 0; c < 3; ++c) {
      in[c] = c == 0 ? d.in() : d.array(d.type());
      if (c != 0 && !d.rarely()) in[c].count = nullptr;
      out[c] = d.array(in[c].type, true);
      if (two) more[c] = d.array(in[c].type, true);
    }
  }
};

const std::vector<std::pair<const char*, fuzzed>>& calls() {
  static const std::vector<std::pair<const char*, fuzzed>> all{
      {"inclusive_scan",
       [](draw& d, ballot_exec gpu) {
         return ballot_inclusive_scan(gpu, d.in(), d.choice(6), d.out(), d.scan_options());
       }},
      {"exclusive_scan",
       [](draw& d, ballot_exec gpu) {
         return ballot_exclusive_scan(gpu, d.in(), d.host(), d.choice(6), d.out(), d.scan_options());
       }},
      {"exclusive_scan_from",
       [](draw& d, ballot_exec gpu) {
         const bool on_device = d.rarely(2);
         const void* const initial = on_device ? d.address() : d.host();
         return ballot_exclusive_scan_from(gpu, d.in(), initial, on_device, d.choice(6), d.out(), d.scan_options());
       }},
      {"inclusive_scan_from",
       [](draw& d, ballot_exec gpu) {
         return ballot_inclusive_scan_from(gpu, d.in(), d.host(), 0, d.choice(6), d.out(), d.scan_options());
       }},
      {"counts_to_offsets",
       [](draw& d, ballot_exec gpu) { return ballot_counts_to_offsets(gpu, d.in(), d.counts(1)); }},
      {"inclusive_scan_flags",
       [](draw& d, ballot_exec gpu) {
         return ballot_inclusive_scan_flags(gpu, d.array(BALLOT_U8), d.counts(), d.scan_options());
       }},
      {"exclusive_scan_flags",
       [](draw& d, ballot_exec gpu) {
         return ballot_exclusive_scan_flags(gpu, d.array(BALLOT_U8), d.counts(), d.scan_options());
       }},
      {"segmented_inclusive_scan",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments_kind kind = d.choice(3);
         const ballot_array array =
             kind == BALLOT_SEGMENT_OFFSETS ? d.offsets() : d.array(kind == BALLOT_HEAD_BITS ? BALLOT_U32 : BALLOT_U8);
         return ballot_segmented_inclusive_scan(gpu, d.in(), ballot_segments_by(kind, array), d.choice(6), d.out(),
                                                d.choice(2));
       }},
      {"segmented_exclusive_scan",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments_kind kind = d.choice(3);
         const ballot_array array =
             kind == BALLOT_SEGMENT_OFFSETS ? d.offsets() : d.array(kind == BALLOT_HEAD_BITS ? BALLOT_U32 : BALLOT_U8);
         return ballot_segmented_exclusive_scan(gpu, d.in(), ballot_segments_by(kind, array), d.host(), d.choice(6),
                                                d.out(), d.choice(2));
       }},
      {"batched_scan",
       [](draw& d, ballot_exec gpu) {
         const u64 rows = static_cast<u64>(d.choice(5)) + 1;
         const u64 width = rows == 0 ? 3 : d.n() / rows;
         return ballot_batched_scan(gpu, d.in(), d.out(), ballot_batch{rows, width, d.rarely(4) ? d.n() : 0, 0},
                                    d.choice(3), d.rarely(3) ? d.choice(3) : 0);
       }},
      {"reduce", [](draw& d, ballot_exec gpu) { return ballot_reduce(gpu, d.in(), d.host(), d.choice(6), d.out()); }},
      {"arg_min", [](draw& d, ballot_exec gpu) { return ballot_arg_min(gpu, d.in(), d.result()); }},
      {"arg_max", [](draw& d, ballot_exec gpu) { return ballot_arg_max(gpu, d.in(), d.result()); }},
      {"compact",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_compact(gpu, c.count, c.in, d.select(), c.out, d.counts(1));
       }},
      {"compact_in_place",
       [](draw& d, ballot_exec gpu) {
         const ballot_array items[] = {d.in_place()};
         return ballot_compact_in_place(gpu, 1, items, d.select(), d.counts(1));
       }},
      {"split",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_split(gpu, c.count, c.in, d.select(), c.out, d.counts(1));
       }},
      {"split_in_two",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d, true);
         return ballot_split_in_two(gpu, c.count, c.in, d.select(), c.out, c.more, d.counts(1));
       }},
      {"split_in_place",
       [](draw& d, ballot_exec gpu) {
         const ballot_array items[] = {d.in_place()};
         return ballot_split_in_place(gpu, 1, items, d.select(), d.counts(1));
       }},
      {"compact_indices",
       [](draw& d, ballot_exec gpu) {
         return ballot_compact_indices(gpu, d.in(), d.select(), d.counts(), d.counts(1));
       }},
      {"count_if", [](draw& d, ballot_exec gpu) { return ballot_count_if(gpu, d.in(), d.select(), d.counts(1)); }},
      {"flag_bits",
       [](draw& d, ballot_exec gpu) { return ballot_flag_bits(gpu, d.in(), d.select(), d.array(BALLOT_U32, true)); }},
      {"multisplit",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         const auto buckets = static_cast<u32>(d.choice(90));
         return ballot_multisplit(gpu, d.array(BALLOT_U8), buckets, c.count, c.in, c.out, d.counts(1));
       }},
      {"unique", [](draw& d, ballot_exec gpu) { return ballot_unique(gpu, d.in(), d.out(), d.counts(1)); }},
      {"unique_in_place",
       [](draw& d, ballot_exec gpu) { return ballot_unique_in_place(gpu, d.in_place(), d.counts(1)); }},
      {"unique_by_key",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_unique_by_key(gpu, d.in(), c.count, c.in, d.out(), c.out, d.counts(1));
       }},
      {"run_offsets",
       [](draw& d, ballot_exec gpu) { return ballot_run_offsets(gpu, d.in(), d.out(), d.counts(1), d.counts(1)); }},
      {"run_length_encode",
       [](draw& d, ballot_exec gpu) {
         return ballot_run_length_encode(gpu, d.in(), d.out(), d.counts(), d.counts(1));
       }},
      {"sort", [](draw& d, ballot_exec gpu) { return ballot_sort(gpu, d.in(), d.out(), d.sort_options()); }},
      {"sort_in_place",
       [](draw& d, ballot_exec gpu) { return ballot_sort_in_place(gpu, d.in_place(), d.sort_options()); }},
      {"sort_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_sort_pairs(gpu, c.in[0], c.in[1], c.out[0], c.out[1], d.sort_options());
       }},
      {"sort_pairs_in_place",
       [](draw& d, ballot_exec gpu) {
         const ballot_array keys = d.in_place(), values = d.in_place();
         return ballot_sort_pairs_in_place(gpu, keys, values, d.sort_options());
       }},
      {"sort_ping_pong",
       [](draw& d, ballot_exec gpu) {
         std::int32_t at = 0;
         const ballot_array a = d.in_place(), b = d.out();
         return ballot_sort_ping_pong(gpu, a, b, d.rarely(30) ? nullptr : &at, d.sort_options());
       }},
      {"sort_pairs_ping_pong",
       [](draw& d, ballot_exec gpu) {
         std::int32_t at = 0;
         const ballot_array a = d.in_place(), values_a = d.in_place(), b = d.out(), values_b = d.out();
         return ballot_sort_pairs_ping_pong(gpu, a, values_a, b, values_b, &at, d.sort_options());
       }},
      {"argsort",
       [](draw& d, ballot_exec gpu) {
         return ballot_argsort(gpu, d.in(), d.rarely(2) ? d.out() : ballot_nothing(), d.counts(), d.sort_options());
       }},
      {"segmented_sort",
       [](draw& d, ballot_exec gpu) {
         return ballot_segmented_sort(gpu, d.in(), d.offsets(), d.out(), d.sort_options());
       }},
      {"segmented_sort_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_segmented_sort_pairs(gpu, c.in[0], c.in[1], d.offsets(), c.out[0], c.out[1], d.sort_options());
       }},
      {"segmented_sort_ping_pong",
       [](draw& d, ballot_exec gpu) {
         std::int32_t at = 0;
         const ballot_array a = d.in_place(), b = d.out();
         return ballot_segmented_sort_ping_pong(gpu, a, d.offsets(), b, d.rarely(30) ? nullptr : &at, d.sort_options());
       }},
      {"segmented_sort_pairs_ping_pong",
       [](draw& d, ballot_exec gpu) {
         std::int32_t at = 0;
         const ballot_array a = d.in_place(), values_a = d.in_place(), b = d.out(), values_b = d.out();
         return ballot_segmented_sort_pairs_ping_pong(gpu, a, values_a, d.offsets(), b, values_b, &at,
                                                      d.sort_options());
       }},
      {"segmented_argsort",
       [](draw& d, ballot_exec gpu) {
         return ballot_segmented_argsort(gpu, d.in(), d.offsets(), d.rarely(2) ? d.out() : ballot_nothing(), d.counts(),
                                         d.sort_options());
       }},
      {"batched_sort",
       [](draw& d, ballot_exec gpu) { return ballot_batched_sort(gpu, d.in(), d.row(), d.out(), d.sort_options()); }},
      {"batched_sort_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_batched_sort_pairs(gpu, c.in[0], c.in[1], d.row(), c.out[0], c.out[1], d.sort_options());
       }},
      {"batched_argsort",
       [](draw& d, ballot_exec gpu) {
         return ballot_batched_argsort(gpu, d.in(), d.row(), d.rarely(2) ? d.out() : ballot_nothing(), d.counts(),
                                       d.sort_options());
       }},
      {"segmented_reduce",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments segments = d.segments();
         return ballot_segmented_reduce(gpu, d.in(), segments, d.host(), d.choice(6),
                                        d.results(segments, d.main_type()), d.count_of(segments));
       }},
      {"segmented_arg_max",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments segments = d.segments();
         return ballot_segmented_arg_max(gpu, d.in(), segments,
                                         d.results(segments, d.rarely() ? d.type() : BALLOT_BYTES(16)),
                                         d.count_of(segments));
       }},
      {"segmented_arg_min",
       [](draw& d, ballot_exec gpu) {
         const ballot_segments segments = d.segments();
         return ballot_segmented_arg_min(gpu, d.in(), segments,
                                         d.results(segments, d.rarely() ? d.type() : BALLOT_BYTES(16)),
                                         d.count_of(segments));
       }},
      {"reduce_by_key",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_reduce_by_key(gpu, c.in[0], c.in[1], d.choice(6), c.out[0], c.out[1], d.counts(1));
       }},
      {"top_k",
       [](draw& d, ballot_exec gpu) {
         const u64 k = d.k();
         return ballot_top_k(gpu, d.in(), k, d.room_for(k, d.main_type()), d.rarely(3) ? ballot_nothing() : d.counts(1),
                             d.top_k_options());
       }},
      {"top_k_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         return ballot_top_k_pairs(gpu, c.in[0], c.in[1], d.k(), c.out[0], c.out[1], d.counts(1), d.top_k_options());
       }},
      {"top_k_indices",
       [](draw& d, ballot_exec gpu) {
         const u64 k = d.k();
         return ballot_top_k_indices(gpu, d.in(), k, d.rarely(2) ? d.out() : ballot_nothing(),
                                     d.room_for(k, d.count_type()), d.counts(1), d.top_k_options());
       }},
      {"batched_top_k",
       [](draw& d, ballot_exec gpu) {
         const ballot_rows rows = d.rows();
         const u64 k = d.k();
         return ballot_batched_top_k(gpu, d.in(), rows, k, d.room_for(rows.rows * k, d.main_type()),
                                     d.rarely(3) ? ballot_nothing() : d.counts(1), d.top_k_options());
       }},
      {"batched_top_k_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d);
         const ballot_rows rows = d.rows();
         const u64 k = d.k() % 8;
         c.out[0].length = c.out[1].length = rows.rows * k;
         return ballot_batched_top_k_pairs(gpu, c.in[0], c.in[1], rows, k, c.out[0], c.out[1], ballot_nothing(),
                                           d.top_k_options());
       }},
      {"batched_top_k_indices",
       [](draw& d, ballot_exec gpu) {
         const ballot_rows rows = d.rows();
         const u64 k = d.k();
         return ballot_batched_top_k_indices(gpu, d.in(), rows, k, d.rarely(2) ? d.out() : ballot_nothing(),
                                             d.room_for(rows.rows * k, d.count_type()), d.counts(1), d.top_k_options());
       }},
      {"histogram",
       [](draw& d, ballot_exec gpu) {
         return ballot_histogram(gpu, d.in(), d.bins(), d.counts(), d.rarely(2) ? d.counts(1) : ballot_nothing());
       }},
      {"merge",
       [](draw& d, ballot_exec gpu) {
         const ballot_array first = d.in(), second = d.in();
         return ballot_merge(gpu, first, second, d.room_for(first.length + second.length, d.main_type()),
                             d.order_options());
       }},
      {"merge_pairs",
       [](draw& d, ballot_exec gpu) {
         columns_of c(d), e(d);
         c.out[0].length = c.in[0].length + e.in[0].length;
         c.out[1].length = c.in[0].length + e.in[0].length;
         if (!d.rarely()) e.in[1].type = c.in[1].type;
         return ballot_merge_pairs(gpu, c.in[0], c.in[1], e.in[0], e.in[1], c.out[0], c.out[1], d.order_options());
       }},
      {"lower_bound",
       [](draw& d, ballot_exec gpu) {
         const ballot_array sorted = d.in();
         const ballot_array keys = d.rarely(4) ? d.array(BALLOT_POSITIONS_U32) : d.in();
         return ballot_lower_bound(gpu, sorted, keys, d.counts(), d.order_options());
       }},
      {"upper_bound",
       [](draw& d, ballot_exec gpu) {
         const ballot_array sorted = d.in();
         const ballot_array keys = d.rarely(4) ? d.array(BALLOT_POSITIONS_U64) : d.in();
         return ballot_upper_bound(gpu, sorted, keys, d.counts(), d.order_options());
       }},
      {"is_sorted",
       [](draw& d, ballot_exec gpu) { return ballot_is_sorted(gpu, d.in(), d.counts(1), d.order_options()); }},
      {"is_sorted_until",
       [](draw& d, ballot_exec gpu) { return ballot_is_sorted_until(gpu, d.in(), d.counts(1), d.order_options()); }},
      {"gather",
       [](draw& d, ballot_exec gpu) {
         return ballot_gather(gpu, d.in(), d.offsets(), d.out(), d.rarely(2) ? d.counts(1) : ballot_nothing());
       }},
      {"scatter",
       [](draw& d, ballot_exec gpu) {
         return ballot_scatter(gpu, d.in(), d.offsets(), d.out(), d.rarely(2) ? d.counts(1) : ballot_nothing());
       }},
  };
  return all;
}

TEST_CASE("random arguments") {
  const guarded<std::byte> scratch(1 << 20);
  for (const auto& [name, call] : calls()) {
    CAPTURE(name);
    int accepted = 0, refusals = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      regions memory(random);
      draw d(random, memory);
      const std::size_t size = d.rarely() ? random() % 300 : scratch.size();
      const ballot_status status = call(d, ballot_on(test_stream(), d.rarely(60) ? nullptr : scratch.data(), size));
      REQUIRE((status == BALLOT_OK || status == BALLOT_INVALID_ARGUMENT));
      const auto changed = memory.changed();
      if (status != BALLOT_OK) {
        ++refusals;
        REQUIRE(std::strlen(ballot_last_error()) > 10);
        REQUIRE_MESSAGE(changed.empty(), ballot_last_error());
      } else {
        ++accepted;
        for (const std::size_t region : changed)
          REQUIRE_MESSAGE(d.written().count(region) + d.written().count(region - 1) != 0, "region " << region);
      }
    }
    CHECK_MESSAGE(accepted > 8, name << ": " << accepted);
    CHECK_MESSAGE(refusals > 8, name << ": " << refusals);
  }
}

}  // namespace random_arguments
}  // namespace ballot::test::c
