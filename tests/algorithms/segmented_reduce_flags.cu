// SPDX-License-Identifier: Apache-2.0
// segmented_reduce and segmented_arg_min by head flags, bytes and bits, against a loop.
#include <ballot/segmented_reduce.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/segmented_reduce.hpp"

#include <algorithm>

using namespace ballot;

namespace algorithms_segmented_reduce_flags {

using namespace ballot::test::reductions_of_segments;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class Flags>
void check_flags(std::size_t n, u32 one_in, std::size_t room) {
  CAPTURE(n);
  CAPTURE(one_in);
  const auto values = test::random_items<u32>(n, 1), random = test::random_items<u32>(n, 2);
  std::vector<std::uint8_t> bytes(n);
  std::vector<u32> words((n + 31) / 32);
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < n; ++i) {
    bytes[i] = random[i] % one_in == 0;
    if (bytes[i] != 0) words[i / 32] |= 1u << (i % 32);
    if (bytes[i] != 0 || i == 0) begins.push_back(i);
  }
  std::vector<u64> want;
  std::vector<indexed<u32>> first;
  for (std::size_t s = 0; s < begins.size(); ++s) {
    const std::size_t end = s + 1 < begins.size() ? begins[s + 1] : n;
    want.push_back(reduce_of(values, begins[s], end, u64{9}, plus{}));
    const auto least = std::min_element(values.begin() + static_cast<std::ptrdiff_t>(begins[s]),
                                        values.begin() + static_cast<std::ptrdiff_t>(end));
    first.push_back({static_cast<u64>(least - values.begin()), *least});
  }
  test::for_schedules_by_size(n, [&] {
    const test::guarded<u32> in(values), bits(words);
    const test::guarded<std::uint8_t> flags(bytes, 1);
    test::guarded<u64> out(std::min(room, n)), count(1);
    test::guarded<indexed<u32>> least(n);
    out.fill_dirt(), count.fill_dirt();
    const test::exact_scratch scratch(segmented_reduce_by_flags_scratch_bytes<u64>(n)),
        of_arg(segmented_reduce_by_flags_scratch_bytes<indexed<u32>>(n));
    const auto segments = [&] {
      if constexpr (std::is_same_v<Flags, byte_flags>) return byte_flags{flags};
      else return bit_flags{bits};
    }();
    segmented_reduce(scratch.where(), in, segments, u64{9}, plus{}, out, count.data());
    CHECK(count.read()[0] == want.size());
    std::vector<u64> front = want;
    front.resize(std::min(front.size(), out.read().size()));
    std::vector<u64> got = out.read();
    got.resize(front.size());
    CHECK(got == front);
    segmented_arg_min(of_arg.where(), in, segments, least, count.data());
    const auto found = least.read();
    bool same = count.read()[0] == first.size();
    for (std::size_t s = 0; s < first.size(); ++s)
      same &= found[s].index == first[s].index && found[s].value == first[s].value;
    CHECK(same);
    scratch.check_guards();
  });
}

TEST_CASE("segmented_reduce: by head flags") {
  for (const std::size_t n : {1, 32, 1000, 20'000, 50'003})
    for (const u32 one_in : {1u, 5u, 3000u, 10'000'000u}) {
      check_flags<byte_flags>(n, one_in, n);
      check_flags<bit_flags>(n, one_in, 17);
    }
}

}  // namespace algorithms_segmented_reduce_flags
