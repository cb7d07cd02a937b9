// SPDX-License-Identifier: Apache-2.0
// The bits of offsets: dense and sparse, within a warp's window of words and beyond it, in any
// order, at any address.
#include <ballot/device/detail/segment_offsets_launch.cuh>

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <algorithm>
#include <limits>
#include <random>

using namespace ballot;

namespace device_set_head_flags {

// By the kernels for many offsets, and for few.
template <class Offset>
void check_bits(const std::vector<Offset>& offsets, std::uint64_t items, std::size_t shift) {
  std::vector<std::uint32_t> want((items + 31) / 32);
  for (const Offset offset : offsets)
    if (const auto at = static_cast<std::uint64_t>(offset); at < items) want[at / 32] |= 1u << (at % 32);
  const test::guarded<Offset> begins(offsets, shift);
  test::guarded<std::uint32_t> words(want.size());
  for (const std::uint64_t few : {std::uint64_t{0}, device::few_offsets}) {
    CAPTURE(few);
    words.write(std::vector<std::uint32_t>(want.size()));
    detail::launch_set_head_flags(test::test_stream(), detail::as_input(begins), items, words.data(), "test", false,
                                  few);
    CHECK(words.read() == want);
  }
}

TEST_CASE_TEMPLATE("head flags of offsets: gaps of every size", Offset, std::uint32_t, std::int64_t) {
  constexpr std::size_t of_block = device::set_head_flags_shape<Offset, device::offsets_of_thread>::items;
  for (const std::size_t gap : {1, 2, 7, 14, 17, 33, 100, 2100}) {  // dense up to 8 or 16
    CAPTURE(gap);
    const std::size_t count = gap > 100 ? 300 : of_block + 77;
    std::vector<Offset> offsets;
    std::mt19937 random(static_cast<unsigned>(gap));
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i, at += 1 + random() % (2 * gap - 1))
      offsets.push_back(static_cast<Offset>(at));
    test::for_each_schedule([&] {
      check_bits(offsets, static_cast<std::uint64_t>(at), 0);              // the last offset begins the last segment
      check_bits(offsets, static_cast<std::uint64_t>(offsets.back()), 1);  // it is the end
    });
  }
}

TEST_CASE("head flags of offsets: in any order, at the window's edges, some to be ignored") {
  constexpr std::int32_t window = 32 * static_cast<std::int32_t>(device::head_window_words);
  constexpr std::uint64_t items = 5 * window + 3;
  for (const int more : {500, 2000}) {  // sparse, dense
    CAPTURE(more);
    std::vector<std::int32_t> offsets{
        2 * window, 3 * window - 1, 3 * window,     2 * window - 1,  0,
        -1,         5 * window + 2, 5 * window + 3, 5 * window + 31, std::numeric_limits<std::int32_t>::min()};
    CHECK((offsets.size() + more >= items / device::dense_segment_items) == (more == 2000));
    std::mt19937 random(3);
    for (int i = 0; i < more; ++i) offsets.push_back(static_cast<std::int32_t>(random() % (6 * window)));
    test::for_each_schedule([&] { check_bits(offsets, items, 0); });
  }
}

// Empty segments: of equal neighbours one sets the bit.
TEST_CASE("head flags of offsets: equal ones, sparse and dense") {
  for (const std::uint64_t items : {1000, 100000}) {
    CAPTURE(items);
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t i = 0; i < 3000; ++i) offsets.push_back(i < 1500 ? 31 : 31 + i / 100);
    test::for_each_schedule([&] { check_bits(offsets, items, 1); });
  }
}

TEST_CASE("head flags of offsets: as many as the device says") {
  std::vector<std::uint32_t> offsets(5000);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::uint32_t>(2 * i);
  const test::guarded<std::uint32_t> begins(offsets);
  for (const std::uint64_t items : {10000, 100000})  // dense, sparse
    for (const std::uint32_t counted_offsets : {0u, 1u, 1024u, 2047u, 2048u, 2049u, 4999u}) {
      CAPTURE(items);
      CAPTURE(counted_offsets);
      test::guarded<std::uint32_t> count(std::vector<std::uint32_t>{counted_offsets}), words((items + 31) / 32);
      std::vector<std::uint32_t> want(words.size());
      for (std::size_t i = 0; i < counted_offsets; ++i) want[2 * i / 32] |= 1u << (2 * i % 32);
      words.write(std::vector<std::uint32_t>(words.size()));
      detail::launch_set_head_flags(test::test_stream(), detail::as_input(counted{begins, count.data()}), items,
                                    words.data(), "test", false, counted_offsets % 2 == 0 ? 0 : device::few_offsets);
      CHECK(words.read() == want);
    }
}

}  // namespace device_set_head_flags
