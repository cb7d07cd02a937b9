// SPDX-License-Identifier: Apache-2.0
// Batched scans against serial sums of every row: lengths around each path's limits, pitches,
// alignments, directions, in place, item types.
#include <ballot/batched_scan.cuh>

#include "support/batched_rows.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace algorithms_batched_scan {

// The longest rows of each path, in floats.
constexpr std::uint64_t longest_short = 32 * detail::batched_scan_tuning::most_group_vectors * 4;
constexpr std::uint64_t longest_medium = detail::batched_scan_tuning::block_vectors * 4;

TEST_CASE("batched scan: the shape of a row") {
  for (std::uint64_t length = 1; length <= 20000; ++length) {
    const auto shape = detail::find_batched_scan_shape(length, sizeof(float));
    const std::uint64_t vectors = (length + 3) / 4;
    bool fits = shape.thread_vectors % 2 == 1;
    if (shape.is_short())
      fits &= length <= longest_short && shape.lanes * shape.thread_vectors >= vectors && shape.segments == 1;
    else if (shape.segments == 1)
      fits &= length <= longest_medium && 32 * shape.warps * shape.thread_vectors >= vectors;
    else fits &= length > longest_medium && shape.segments * shape.segment_items >= length;
    fits &= shape.warps <= detail::batched_scan_tuning::block_warps && shape.lanes <= 32;
    if (!fits) FAIL("row of " << length);
  }
  // The rows of the source: 228 runs of 11 vectors in 8 warps.
  const auto shape = detail::find_batched_scan_shape(10000, sizeof(float));
  CHECK(shape.thread_vectors == 11);
  CHECK(shape.warps == 8);
  CHECK(shape.segments == 1);
}

TEST_CASE("batched scan of short rows") {
  test::for_each_schedule([&] {
    unsigned turn = 0;
    for (std::uint64_t length : {1, 2, 3, 4, 5, 31, 32, 33, 64, 100, 257, 1000, 1024, 1025}) {
      for (std::uint64_t rows : {1, 3, 33}) {
        if (rows == 33 && length > 300 && turn % 4 != 0 && BALLOT_EMULATED) continue;
        const std::uint64_t whole = (length + 3) / 4 * 4;  // whole vectors a row
        const std::uint64_t pitches[] = {length, length + 1, whole};
        test::check_batched_scan<float>({rows, length, pitches[turn % 3], pitches[turn / 3 % 3]}, turn % 2 * (turn % 4),
                                        turn / 2 % 2);
        ++turn;
      }
    }
  });
}

TEST_CASE("batched scan of rows that share no warp with others, and of none") {
  test::for_each_schedule([&] {
    test::check_batched_scan<float>({0, 0});
    test::check_batched_scan<float>({0, 10});
    test::check_batched_scan<float>({10, 0});
    test::check_batched_scan<float>({10, 0, 3, 4});
    test::check_batched_scan<float>({3, longest_short, longest_short, longest_short + 4});
    test::check_batched_scan<float>({3, longest_short + 1, longest_short + 4, longest_short + 1}, 0, 1);
    test::check_batched_scan<float>({2, 4097, 4100, 4100});
    test::check_batched_scan<float>({2, 4097}, 3, 0);
  });
}

TEST_CASE("batched scan of the rows of the source, and at the limits of shared memory") {
  // 227 KiB hold 57,000 floats in seven segments, and not 58,500. Large, so under one schedule.
  test::check_batched_scan<float>({1, 57000});
  test::check_batched_scan<float>({1, 58500});
  test::for_each_schedule([&] {
    test::check_batched_scan<float>({2, 10000, 10000, 10004});
    test::check_batched_scan<float>({1, longest_medium}, 0, 2);
    test::check_batched_scan<float>({2, longest_medium + 1, longest_medium + 4, longest_medium + 1});
    test::check_batched_scan<float, float, test::little_shared_memory>({2, longest_medium + 1});
  });
}

TEST_CASE("batched scan on GPUs with little shared memory") {
  test::on_smaller_gpus([&] {
    for (const std::uint64_t length : {15'900, 16'500, 25'000, 26'000, 41'500, 42'000})
      test::check_batched_scan<float>({1, length});
  });
}

TEST_CASE_TEMPLATE("batched scan of long rows: several segments, by launches and in one block", tuning,
                   test::tiny_batched_scan, test::tiny_whole_rows) {
  constexpr std::uint64_t segment = 32 * 4 * tuning::segment_thread_vectors * tuning::segment_warps;
  constexpr std::uint64_t longest = 4 * tuning::block_vectors;
  test::for_some_schedules([&] {
    for (std::uint64_t length : {std::uint64_t{129}, longest, longest + 1, 4 * segment, 7 * segment, 7 * segment + 1})
      test::check_batched_scan<float, float, tuning>({3, length, length + length % 3, length}, length % 2, 0);
    test::check_batched_scan<float, double_float, tuning>({2, 5 * segment + 2, 5 * segment + 4});
    test::check_batched_scan<float, double, tuning>({2, 6 * segment - 1}, 1, 2);
    test::check_batched_scan<std::int64_t, std::int64_t, tuning>({2, 3 * segment});
  });
}

TEST_CASE("batched scan of rows of so many segments that their totals take more than one step") {
  constexpr std::uint64_t length = 70 * 128 + 5;  // 64 segments a step
  test::for_each_schedule([&] {
    test::check_batched_scan<float, double_float, test::tiny_segments>({1, length});
    test::check_batched_scan<std::uint32_t, std::uint32_t, test::tiny_segments>({2, length, length + 3, length});
  });
  // It has three, so that a step begins with more than the one before it.
  test::depth_first([&] {
    test::check_batched_scan<std::uint32_t, std::uint32_t, test::tiny_segments>({1, 2 * length});
  });
}

TEST_CASE_TEMPLATE("batched scan of other items", T, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, double) {
  test::for_some_schedules([&] {
    test::check_batched_scan<T>({33, 7});
    test::check_batched_scan<T>({5, 50, 64, 50});
    test::check_batched_scan<T>({3, 1025, 1025, 1040}, 1);
    test::check_batched_scan<T>({2, 5000, 5008, 5008});
  });
}

TEST_CASE_TEMPLATE("batched scan in wider accumulators", Sum, double, double_float) {
  test::for_some_schedules([&] {
    test::check_batched_scan<float, Sum>({33, 9, 12, 9});
    test::check_batched_scan<float, Sum>({3, 1000});
    test::check_batched_scan<float, Sum>({2, 4099, 4100, 4099}, 0, 1);
  });
}

}  // namespace algorithms_batched_scan
