// SPDX-License-Identifier: Apache-2.0
// Searches whose positions go to an output view, against the standard library: few keys, many keys,
// and by a sample of the sorted range; and what is refused.
#include <ballot/outputs.cuh>
#include <ballot/search.cuh>
#include <ballot/views.cuh>

#include "support/device_data.hpp"
#include "support/output_items.hpp"
#include "support/patterns.hpp"
#include "support/refused.hpp"
#include "support/schedules.hpp"

#include <algorithm>

using namespace ballot;
using test::check_items;
using test::grows;
using test::guarded;
using test::mapped;
using test::refused;

namespace algorithms_search_outputs {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct is_greater {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a > b; }
};
struct widened {
  __host__ __device__ u64 operator()(u32 x) const { return x; }
};
std::vector<u32> below(std::size_t n, u32 limit, unsigned seed) {
  auto items = test::random_items<u32>(n, seed);
  for (u32& item : items) item %= limit;
  return items;
}
const auto itself = [](u32 x) { return x; };
const auto grown = [](u32 x) { return u64{x} << 8 | 3; };

struct answers {
  std::vector<u32> lower, upper;
  answers(const std::vector<u32>& sorted, const std::vector<u32>& keys) {
    for (const u32 key : keys) {
      const auto range = std::equal_range(sorted.begin(), sorted.end(), key);
      lower.push_back(static_cast<u32>(range.first - sorted.begin()));
      upper.push_back(static_cast<u32>(range.second - sorted.begin()));
    }
  }
};

TEST_CASE("searches into output views") {
  auto sorted = below(2'000, 5'000, 5);
  std::sort(sorted.begin(), sorted.end());
  for (const std::size_t n : {std::size_t{1}, std::size_t{700}}) {
    CAPTURE(n);
    const auto keys = below(n, 5'100, 6);
    const answers want(sorted, keys);
    const std::size_t there = n - n / 3;
    test::for_each_schedule([&] {
      const guarded<u32> in(sorted), keys_in(keys), offset(std::vector<u32>{4});
      const guarded<u64> length(std::vector<u64>{there});
      const std::vector<u32> descending(sorted.rbegin(), sorted.rend());
      const guarded<u32> down(descending);
      guarded<u64> wide(n);
      guarded<u8> bytes(n);
      guarded<std::int32_t> behind(n + 3);
      const exec gpu(test::test_stream(), {});
      test::directly_and_captured([&] { wide.fill_dirt(); },
                                  [&] { lower_bound(gpu, in, keys_in, converting<u32>(wide, grows{})); },
                                  [&] { check_items(wide, mapped<u64>(want.lower, grown)); });
      upper_bound(gpu, in, counted{keys_in, length.data()}, converting<u64>(bytes));  // of a type that is no count
      std::vector<u8> front = mapped<u8>(want.upper, itself);
      front.resize(there);
      check_items(bytes, front);
      auto fitting = mapped<std::int32_t>(want.upper, itself);
      fitting.pop_back();
      upper_bound(gpu, in, keys_in, appended{behind, offset.data()});  // the last one does not fit
      check_items(behind, fitting, 4);
      // By a comparison, and by options.
      std::vector<u32> from_end;
      for (const u32 of_upper : want.upper) from_end.push_back(static_cast<u32>(sorted.size()) - of_upper);
      wide.fill_dirt();
      lower_bound(gpu, down, keys_in, is_greater{}, converting<u32>(wide));
      check_items(wide, mapped<u64>(from_end, itself));
      wide.fill_dirt();
      lower_bound(gpu, down, keys_in, converting<u32>(wide), {.direction = direction::descending});
      check_items(wide, mapped<u64>(from_end, itself));
      upper_bound(gpu, in, keys_in, is_greater{}, discarded<u32>(n + 1));  // more room than keys
    });
  }
}

// As many keys and items as the call searches so are too many to emulate.
TEST_CASE("searches by a sample, and of several keys a thread, into output views") {
  auto sorted = below(3'000, 40'000, 7);
  std::sort(sorted.begin(), sorted.end());
  const auto keys = below(1'500, 41'000, 8);
  const answers want(sorted, keys);
  test::for_some_schedules([&] {
    const guarded<u32> in(sorted), keys_in(keys);
    guarded<u64> wide(keys.size());
    const auto searched = detail::as_searched(detail::as_input(keys_in));
    const auto sorted_in = detail::as_input(in);
    const auto before = detail::before_in<u32>({});
    const auto to = detail::as_output(converting<u32>(wide, grows{}));
    detail::launch_sampled_search<false, 1, u32>(test::test_stream(), sorted_in, searched, before, to, 64);
    check_items(wide, mapped<u64>(want.lower, grown));
    wide.fill_dirt();
    detail::launch_sampled_search<true, 2, u32>(test::test_stream(), sorted_in, searched, before, to, 64);
    check_items(wide, mapped<u64>(want.upper, grown));
    wide.fill_dirt();
    using kernel_argument = detail::source_of_input_t<std::remove_const_t<decltype(sorted_in)>>;
    using keys_argument = std::remove_const_t<decltype(searched)>;
    simt::launch(detail::search_kernel<false, 4, u32, u32, kernel_argument, keys_argument,
                                       std::remove_const_t<decltype(before)>, std::remove_const_t<decltype(to)>>,
                 simt::launch_config{dim3(2), dim3(detail::elementwise_threads), 0, test::test_stream()},
                 detail::source_of_input(sorted_in), sorted_in.length, searched, before, to);
    check_items(wide, mapped<u64>(want.lower, grown));
  });
}

TEST_CASE("searches refuse bad output views") {
  const guarded<u32> in(std::vector<u32>(300)), keys(std::vector<u32>(40));
  guarded<u32> out(40);
  refused("room", "`positions` has 39", [&](const exec& gpu) { lower_bound(gpu, in, keys, discarded<u32>(39)); });
  refused("overlap", "overlaps input `keys`",
          [&](const exec& gpu) { upper_bound(gpu, in, keys, converting<u64>(std::span(keys.data(), 40))); });
  refused("offset", "positions.offset", [&](const exec& gpu) {
    lower_bound(gpu, in, keys, is_greater{}, appended{out, out.data() + 3});
  });
  refused("more items than positions count", "integers of 32 bits", [&](const exec& gpu) {
    lower_bound(gpu, positions<u64>(u64{1} << 33), transformed{keys, widened{}}, discarded<u32>(40));
  });
}

}  // namespace algorithms_search_outputs
