// SPDX-License-Identifier: Apache-2.0
// Selections, merges, histograms, multisplits and sorts within segments in the shape of the GPU at
// hand, with scratch that is enough for every GPU. Made-up shapes; device/tuning.cu has the tables,
// radix_tuning.cu the radix sort.
#include <ballot/compact.cuh>
#include <ballot/compact_rows.cuh>
#include <ballot/compact_segments.cuh>
#include <ballot/count_if.cuh>
#include <ballot/histogram.cuh>
#include <ballot/merge.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/split.cuh>
#include <ballot/unique.cuh>

#include "support/patterns.hpp"
#include "support/shapes_of_gpus.hpp"

#include <algorithm>

using namespace ballot;

namespace algorithms_tuning {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using detail::offset_method;
using detail::rejects;
using test::noting_odd;

using tiles =
    test::three_shapes<block::tile_shape<128, 2, 4>, block::tile_shape<32, 1, 4>, block::tile_shape<64, 1, 4>>;
unsigned threads_of(int architecture) { return test::threads_of_gpu(architecture, 128, 32, 64); }

std::vector<u32> odd_ones(const std::vector<u32>& items) {
  std::vector<u32> odd;
  for (const u32 item : items)
    if (item % 2 != 0) odd.push_back(item);
  return odd;
}
bool begins_with(const test::guarded<u32>& out, const std::vector<u32>& want) {
  const auto got = out.read();
  return std::equal(want.begin(), want.end(), got.begin());
}

// Arrays of a selection of items by noting_odd.
struct selection {
  test::guarded<u32> in, out;
  test::guarded<u64> count;
  test::noted_threads threads;
  std::tuple<detail::input<u32>> inputs;
  std::tuple<detail::output<u32>> selected;

  explicit selection(const std::vector<u32>& items)
      : in(items),
        out(items.size()),
        count(1),
        inputs(detail::as_input(std::as_const(in))),
        selected(detail::as_output(out)) {}
  noting_odd is_odd() { return {threads.data()}; }
};

TEST_CASE("tuning: selections in the shape of the GPU") {
  const std::size_t n = 6077;
  const auto items = test::random_items<u32>(n, 5);
  const auto want = odd_ones(items);
  test::for_each_architecture([&](int architecture) {
    CAPTURE(architecture);
    selection s(items);
    const auto check = [&] {
      CHECK(s.count.read()[0] == want.size());
      CHECK(s.threads.take() == threads_of(architecture));
    };
    const auto select = [&]<rejects Rejects, offset_method Method>(const auto& rejected) {
      const test::exact_scratch scratch(detail::offset_scratch_bytes<Method>(detail::ceil_div(n, u64{tiles::items})));
      s.out.fill_dirt();
      detail::select_in_shape<Rejects, tiles, Method>(scratch.where(), s.inputs, s.is_odd(), s.selected, rejected,
                                                      s.count.data(), "");
      CHECK(begins_with(s.out, want));
      check();
      scratch.check_guards();
    };
    select.operator()<rejects::dropped, offset_method::look_back>(std::tuple());
    select.operator()<rejects::dropped, offset_method::aggregate_sum>(std::tuple());
    select.operator()<rejects::after_selected, offset_method::precomputed>(s.selected);
    s.count.write({0});
    detail::launch_count<tiles>(test::test_stream(), detail::make_source<4>(std::get<0>(s.inputs)), detail::length{n},
                                detail::make_selector<4, true>(s.is_odd(), s.inputs), s.count.data());
    check();
  });
}

// Few items, more, and many.
struct selection_shapes {
  using small = tiles;
  using large =
      test::three_shapes<block::tile_shape<96, 2, 4>, block::tile_shape<160, 1, 4>, block::tile_shape<192, 2, 4>>;
  using many =
      test::three_shapes<block::tile_shape<224, 2, 4>, block::tile_shape<256, 1, 4>, block::tile_shape<288, 1, 4>>;
  static constexpr u64 most_small = 4, most_large = 9;
};

TEST_CASE("tuning: a selection of few items and of many in the shapes of the GPU") {
  for (const std::size_t n : {std::size_t{490}, std::size_t{4000}, std::size_t{50'000}}) {
    CAPTURE(n);
    const auto items = test::random_items<u32>(n, 6);
    const auto want = odd_ones(items);
    test::for_each_architecture([&](int architecture) {
      CAPTURE(architecture);
      selection s(items);
      const std::size_t bytes = detail::tuned_scratch_bytes<offset_method::look_back, selection_shapes>(n);
      const test::exact_scratch scratch(bytes);
      detail::launch_tuned_partition<rejects::dropped, selection_shapes>(
          scratch.where(), bytes, detail::length{n}, detail::make_device_columns<4>(s.inputs, s.selected, std::tuple()),
          detail::make_selector<4, true>(s.is_odd(), s.inputs), s.count.data(), "");
      CHECK(begins_with(s.out, want));
      const unsigned small = n <= 4u * test::threads_of_gpu(architecture, 1024, 128, 256);
      const unsigned large = n <= 9u * test::threads_of_gpu(architecture, 768, 640, 1536);
      CHECK(s.threads.take() == (small != 0   ? threads_of(architecture)
                                 : large != 0 ? test::threads_of_gpu(architecture, 96, 160, 192)
                                              : test::threads_of_gpu(architecture, 224, 256, 288)));
      scratch.check_guards();
    });
  }
}

TEST_CASE("tuning: compaction of rows and of segments in the shape of the GPU") {
  const std::size_t rows = 5, width = 1000, n = rows * width;
  const auto items = test::random_items<u32>(n, 7);
  std::vector<u32> begins;
  for (std::size_t row = 0; row <= rows; ++row) begins.push_back(static_cast<u32>(row * width));
  const auto want = odd_ones(items);
  test::for_each_architecture([&](int architecture) {
    CAPTURE(architecture);
    const test::guarded<u32> in(items), offsets(begins);
    test::guarded<u32> out(n), new_offsets(rows + 1);
    test::guarded<u64> counts(rows);
    test::noted_threads threads;
    const std::tuple inputs = detail::as_inputs(in);
    const test::exact_scratch scratch(
        detail::offset_scratch_bytes<offset_method::look_back>(rows * detail::ceil_div(u64{width}, u64{tiles::items})));
    detail::launch_compact_rows<tiles>(scratch.where(), inputs, {rows, width, width}, noting_odd{threads.data()},
                                       detail::as_outputs(out), counts.data(), "test");
    const auto got = out.read();
    const auto got_counts = counts.read();
    for (std::size_t row = 0; row < rows; ++row) {
      const auto begin = static_cast<std::ptrdiff_t>(row * width), end = begin + static_cast<std::ptrdiff_t>(width);
      const auto of_row = odd_ones(std::vector<u32>(items.begin() + begin, items.begin() + end));
      CHECK(got_counts[row] == of_row.size());
      CHECK(std::equal(of_row.begin(), of_row.end(), got.begin() + begin));
    }
    CHECK(threads.take() == threads_of(architecture));
    scratch.check_guards();
    const test::exact_scratch of_segments(detail::compact_segments_bytes<tiles>(n));
    out.fill_dirt();
    detail::launch_compact_segments<tiles>(of_segments.where(), inputs, detail::as_input(offsets),
                                           noting_odd{threads.data()}, detail::as_outputs(out), new_offsets.data(),
                                           "test");
    CHECK(begins_with(out, want));
    CHECK(new_offsets.read()[rows] == want.size());
    of_segments.check_guards();
  });
}

struct noting_bin {
  u32* threads;
  __device__ u32 operator()(u32 item) const {
    test::note_threads(threads);
    return item % 100;
  }
};

TEST_CASE("tuning: histograms in the shape of the GPU") {
  const std::size_t n = 5077;
  const auto items = test::random_items<u32>(n, 8);
  std::vector<u32> want(100);
  for (const u32 item : items) ++want[item % 100];
  test::for_each_architecture([&](int architecture) {
    CAPTURE(architecture);
    const test::guarded<u32> in(items);
    test::guarded<u32> counts(100);
    test::noted_threads threads;
    counts.write(std::vector<u32>(100));
    const detail::histogram_arguments<detail::histogram_source<u32>, noting_bin> a{
        {in.data(), false}, detail::length{n}, {threads.data()}, counts.data(), nullptr, 100, 0};
    detail::launch_histogram_as<detail::histogram_mode::columns, tiles>(
        test::test_stream(), {detail::histogram_mode::columns, 0, 400, 1}, a);
    CHECK(counts.read() == want);
    CHECK(threads.take() == threads_of(architecture));
  });
}

struct noting_less {
  u32* threads;
  template <class U>
  __device__ bool operator()(const U& a, const U& b) const {
    if (threads != nullptr) test::note_threads(threads);
    return a < b;
  }
};

TEST_CASE("tuning: merges in the shape of the GPU") {
  using shapes =
      test::three_shapes<detail::merge_shape<128, 5>, detail::merge_shape<64, 3>, detail::merge_shape<96, 5>>;
  auto first = test::random_items<u32>(3000, 9), second = test::random_items<u32>(2077, 10);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  const std::size_t n = first.size() + second.size();
  std::vector<u32> want(n);
  std::merge(first.begin(), first.end(), second.begin(), second.end(), want.begin());
  test::for_each_architecture([&](int architecture) {
    CAPTURE(architecture);
    const test::guarded<u32> a(first), b(second);
    test::guarded<u32> out(n);
    test::noted_threads threads;
    const test::exact_scratch scratch(detail::merge_bytes_in<shapes>(n));
    const auto codec = detail::merge_codec<u32>(direction::ascending, nan_order::last);
    const detail::merge_arguments<u32, detail::no_value> arguments{
        a.data(), b.data(), {first.size()}, {second.size()}, nullptr, nullptr, out.data(), nullptr, nullptr};
    // A launch that searches the path before calls it, too, in blocks of its own.
    const auto merge = [&]<bool Searches>() {
      out.fill_dirt();
      detail::launch_merge_in<Searches, shapes>(test::test_stream(), scratch.where().scratch().data(), arguments, codec,
                                                noting_less{Searches ? threads.data() : nullptr}, "test");
      CHECK(out.read() == want);
      if (Searches) CHECK(threads.take() == test::threads_of_gpu(architecture, 128, 64, 96));
    };
    merge.operator()<true>();
    merge.operator()<false>();
    scratch.check_guards();
  });
}

// Threads of all kernels, but of the one that counts for a sweep.
template <int Threads, int Items, int Rows, u64 LeastSweep>
struct split_shapes
    : detail::multisplit_shapes<block::tile_shape<Threads, Items, 1>, detail::one_block_shape<Threads, 1>,
                                detail::one_block_shape<Threads, Rows>, detail::bucket_sweep_shape<Threads, Items, 1>> {
  static constexpr u64 least_sweep_items = LeastSweep;
  static constexpr unsigned least_sweep_buckets = 1;
};

TEST_CASE("tuning: multisplits in the shapes of the GPU") {
  // The second has the most tiles, the third the only block for the most items, and the first
  // sweeps first.
  using shapes =
      test::three_shapes<split_shapes<512, 2, 2, 5000>, split_shapes<256, 1, 3, 7000>, split_shapes<512, 3, 4, 9000>>;
  const unsigned buckets = 100;
  std::size_t bytes_of_fewer = 0;
  for (const std::size_t n : {std::size_t{300}, std::size_t{1500}, std::size_t{4001}, std::size_t{6001}}) {
    CAPTURE(n);
    const auto items = test::random_items<u32>(n, 12);
    auto want = items;
    std::stable_sort(want.begin(), want.end(), [](u32 a, u32 b) { return a % 100 < b % 100; });
    const std::size_t bytes = detail::multisplit_bytes<shapes>(n, buckets);
    CHECK(bytes >= bytes_of_fewer);
    bytes_of_fewer = bytes;
    test::for_each_architecture([&](int architecture) {
      CAPTURE(architecture);
      const test::guarded<u32> in(items);
      test::guarded<u32> out(n);
      test::guarded<u64> offsets(buckets + 1);
      test::noted_threads threads;
      const test::exact_scratch scratch(bytes);
      const auto inputs = detail::as_inputs(in);
      detail::launch_multisplit<shapes>(scratch.where(), detail::length{n},
                                        detail::make_device_columns<1>(inputs, detail::as_outputs(out), std::tuple()),
                                        detail::make_buckets(noting_bin{threads.data()}, inputs), buckets,
                                        offsets.data(), "test");
      CHECK(out.read() == want);
      CHECK(offsets.read()[buckets] == n);
      const unsigned noted = threads.take();
      const bool sweeps = n > test::threads_of_gpu(architecture, 4999, 6999, 8999);
      if (!sweeps) CHECK(noted == test::threads_of_gpu(architecture, 512, 256, 512));
      scratch.check_guards();
    });
  }
}

TEST_CASE("tuning: a sort within segments in the shape of the GPU") {
  using shapes = test::three_shapes<detail::segment_sort_shape<detail::block_sort_shape<8, 5, 8>, 512>,
                                    detail::segment_sort_shape<detail::block_sort_shape<9, 5, 8>, 128, 4>,
                                    detail::segment_sort_shape<detail::block_sort_shape<8, 9, 8>, 256, 4>>;
  const std::size_t n = 9000;
  const auto keys = test::random_items<u32>(n, 11);
  const std::vector<u32> begins{0, 10, 700, 1400, 6000, 9000};
  auto want = keys;
  for (std::size_t s = 0; s + 1 < begins.size(); ++s) std::sort(want.begin() + begins[s], want.begin() + begins[s + 1]);
  test::for_each_architecture([&](int architecture) {
    CAPTURE(architecture);
    const test::guarded<u32> in(keys), offsets(begins);
    test::guarded<u32> out(n);
    const test::exact_scratch scratch(
        detail::segment_sort_bytes_in_shape<u32, detail::no_value, shapes>(n, detail::any_length));
    detail::scratch_carver carver(scratch.where().scratch().data());
    detail::segment_sort_arguments<u32, u32, detail::no_value> a{};
    a.keys = in.data();
    a.n = {n};
    a.offsets = offsets.data();
    a.segments = {begins.size(), nullptr};
    a.layout = {{}, 0, 32};
    a.keys_out = out.data();
    detail::launch_segment_sort_in_shape<shapes>(test::test_stream(), carver, a, "test");
    CHECK(out.read() == want);
    scratch.check_guards();
  });
}

// Today no row of the library is for some GPUs alone. Then a call does not ask for the
// architecture.
TEST_CASE(
    "tuning: the library's rows of selections, merges, histograms, multisplits and segmented sorts are for every GPU") {
  const auto check = [](const auto& rows) {
    for (const auto& row : rows) CHECK(row.architecture == 0);
  };
  check(detail::dropping_tunings::rows);
  check(detail::flagged_tunings::rows);
  check(detail::second_output_tunings::rows);
  check(detail::after_selected_tunings::rows);
  check(detail::small_tile_tunings::rows);
  check(detail::large_tile_tunings::rows);
  check(detail::small_head_tunings::rows);
  check(detail::merge_tunings::rows);
  check(detail::small_merge_tunings::rows);
  check(detail::histogram_tunings::rows);
  check(detail::histogram_halves_tunings::rows);
  check(detail::multisplit_tunings::rows);
  check(detail::large_segment_sort_tunings::rows);
  check(detail::small_segment_sort_tunings::rows);
}

}  // namespace algorithms_tuning
