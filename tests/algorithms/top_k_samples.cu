// SPDX-License-Identifier: Apache-2.0
// top_k by a sample: of many candidates, of too many, and of samples that mislead.
#include <ballot/top_k.cuh>

#include "support/patterns.hpp"
#include "support/top_k_plan.hpp"

using namespace ballot;
using test::check_top_k;
using test::check_with_plan;
using test::largest_by_position;
using test::largest_first;
using test::smallest_first;

namespace algorithms_top_k_samples {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using rounds = detail::top_k_plan::rounds;

// Many candidates: many blocks search the cut among them. Of so few keys a call searches among all
// of them.
TEST_CASE("top_k: many candidates") {
  const std::size_t n = 500'000, k = 60'000;
  const u64 candidates = detail::top_k_plan::candidates_of(n, k, 1);
  REQUIRE(candidates > detail::top_k_plan::block_candidates);
  const detail::top_k_plan plan{k, 1, candidates, true, candidates}, call = detail::top_k_plan::of(n, k, 4);
  CHECK(call.by_digits);
  CHECK(call.sample_blocks == 0);
  CHECK(detail::top_k_plan::of(detail::top_k_plan::most_direct + 1, 200'000, 4).sample_blocks == 1);
  auto keys = test::random_items<u32>(n, 8);
  test::depth_first([&] {
    check_with_plan<u32, true>(keys, k, plan);
    check_top_k(keys, n, k, largest_by_position);
  });
  for (u32& key : keys) key %= 3;
  test::depth_first([&] {
    check_with_plan<u32, true>(keys, k, plan);
    check_top_k(keys, n - 1000, k, largest_by_position);
  });
}

// Plans of large arrays with few keys: a sample of several blocks, and candidates that are too
// many, or searched by digits.
TEST_CASE("top_k: a sample of several blocks, and candidates of which there are too many") {
  const std::size_t n = 40'000;
  auto uniform = test::random_items<u32>(n, 9);
  auto equal = uniform;
  for (u32& key : equal) key = 4;
  for (const auto* keys : {&uniform, &equal})
    for (const unsigned blocks : {1u, 2u, 4u})
      for (const u64 candidates : {u64{50}, u64{400}, u64{n}})
        for (const bool by_digits : {false, true}) {
          CAPTURE(blocks);
          CAPTURE(candidates);
          CAPTURE(by_digits);
          const detail::top_k_plan plan{40, blocks, candidates, by_digits, candidates};
          check_with_plan<u32, true>(*keys, 40, plan);
          if (blocks == 2) check_with_plan<u32, false>(*keys, 40, plan);
        }
  const auto wide = test::random_items<detail::uint128>(n, 9);
  const auto of_8_bytes = test::random_items<double>(n, 9);
  for (const unsigned blocks : {1u, 2u}) {
    check_with_plan<detail::uint128, true>(wide, 40, {40, blocks, 4'000, false, 4'000});
    check_with_plan<double, true>(of_8_bytes, 40, {40, blocks, 4'000, false, 4'000});
  }
}

// The keys at the places that the sample looks at are the smallest_first, or the largest_first, of
// all.
TEST_CASE("top_k: keys that mislead the sample") {
  const std::size_t n = 30'000, k = 200;
  auto keys = test::random_items<u32>(n, 10);
  for (u32& key : keys) key = key / 2 + (1u << 30);
  auto low = keys, high = keys;
  for (u64 i = 0; i < detail::sample_of_block; ++i) {
    const auto at = static_cast<std::size_t>(detail::sampled_position(i, n, detail::sample_of_block));
    low[at] = static_cast<u32>(i), high[at] = ~u32{0} - static_cast<u32>(i);
  }
  for (const auto* misleading : {&low, &high}) {
    check_top_k(*misleading, n, k, largest_first);
    check_top_k(*misleading, n, k, smallest_first);
    for (const bool by_digits : {false, true})
      check_with_plan<u32, true>(*misleading, k, {k, 1, 2'000, by_digits, 2'000});
    using kind = detail::filter_sample::kind;
    for (const auto& [by, blocks] :
         {std::pair{kind::tiles, 16u}, std::pair{kind::tiles, 8u}, std::pair{kind::lists, 8u},
          std::pair{kind::large_blocks, 1u}, std::pair{kind::large_blocks, 2u}}) {
      const detail::top_k_plan plan{.selected = k, .by = rounds::of_filter, .sample = {by, blocks}};
      check_with_plan<u32, true>(*misleading, k, plan);
      check_with_plan<u32, false>(*misleading, k, plan);
    }
  }
}

// Keys in order: one block has all of the first ones, and lists only some. The cut must not lie
// where others are.
TEST_CASE("top_k: of keys in order a sample bounds few, too") {
  using kind = detail::filter_sample::kind;
  const std::size_t n = 40'000;
  std::vector<u32> keys(n);
  for (const bool descending : {false, true}) {
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = (1u << 16) - static_cast<u32>(n) + static_cast<u32>(descending ? n - 1 - i : i);
    for (const auto& [by, blocks] :
         {std::pair{kind::tiles, 16u}, std::pair{kind::lists, 8u}, std::pair{kind::large_blocks, 2u}}) {
      CAPTURE(blocks);
      const detail::filter_sample sample{by, blocks};
      const detail::top_k_plan plan{.selected = 1, .by = rounds::of_filter, .sample = sample};
      using scratch = detail::top_k_scratch<u32, u32, false>;
      test::for_some_schedules([&] {
        const test::guarded<u32> in(keys);
        test::guarded<u32> out(1), positions(1);
        test::guarded<u64> count(1);
        detail::scratch_carver measure;
        scratch(measure, n, plan);
        const test::exact_scratch memory(measure.bytes());
        detail::top_k_launch<u32, u32, false> call(test::test_stream(), memory.where().scratch().data(),
                                                   detail::as_input(in), key_codec_of<u32>(direction::descending), 1,
                                                   plan, out.data(), positions.data(), count.data(), "test");
        call.run(false);
        CHECK(out.read()[0] == 65'535);
        u64 candidates = 0;
        simt::copy_bytes(test::test_stream(), &candidates, &call.scratch().state->candidates, sizeof(candidates));
        simt::synchronize(test::test_stream());
        const u64 rank = detail::sample_rank(1, n, sample.items());
        CHECK(candidates <= (rank + sample.slack(rank) + 1) * (n / sample.items() + 1));
      });
    }
  }
}

TEST_CASE("top_k: every stretch of the sample has one position") {
  for (const u64 n : {u64{8192}, u64{8193}, u64{100'000}, (u64{1} << 33) + 5})
    for (u64 i = 0, before = 0; i < 8192; ++i) {
      const u64 at = detail::sampled_position(i, n, 8192);
      CHECK(at < n);
      if (i != 0 && at <= before) FAIL("positions do not ascend");
      before = at;
    }
}

}  // namespace algorithms_top_k_samples
