// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the calls of the CUB adapter by keys and within segments, partitions, merges,
// histograms and the k best, beside CUB's own.
#include <ballot/adapters/cub.cuh>
#include <cuda/std/array>

#include "support/cub_call.hpp"
#include "support/runtime_calls.hpp"

#include <algorithm>
#include <numeric>

using ballot::test::by_cub;
using ballot::test::guarded;
using ballot::test::same;

namespace adapters_cub_segments {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
namespace ours = ballot::adapters::cub;
namespace theirs = ::cub;

constexpr std::size_t sizes[] = {0, 1, 1000, 5003, 100'003};

cudaStream_t stream() { return ballot::test::test_stream(); }

// Keys in runs of mixed lengths.
std::vector<u32> keys_in_runs(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  std::vector<u32> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = i != 0 && random() % 9 != 0 ? keys[i - 1] : random() % 4;
  return keys;
}
// Begins of segments, and the end: some are empty, one is long.
std::vector<int> offsets_of(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 2);
  std::vector<int> offsets{0};
  while (offsets.back() < static_cast<int>(n)) {
    const int length = offsets.size() == 3 ? static_cast<int>(n / 2) : static_cast<int>(random() % 200);
    offsets.push_back(std::min(static_cast<int>(n), offsets.back() + (random() % 7 == 0 ? 0 : length)));
  }
  return offsets;
}

#define BOTH(CALL, OURS, THEIRS)                                    \
  by_cub([&](void* t, std::size_t& s) { return ours::CALL OURS; }); \
  by_cub([&](void* t, std::size_t& s) { return theirs::CALL THEIRS; })

TEST_CASE("adapters: DeviceScan by key, from initial values") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const guarded<u32> keys(keys_in_runs(n));
    const guarded<int> in(ballot::test::random_below<int>(n, 100));
    guarded<int> a(n), b(n);
    BOTH(DeviceScan::ExclusiveSumByKey,
         (t, s, keys.data(), in.data(), a.data(), n, ::cuda::std::equal_to<>{}, stream()),
         (t, s, keys.data(), in.data(), b.data(), n, ::cuda::std::equal_to<>{}, stream()));
    CHECK(same(a, b));
    BOTH(DeviceScan::InclusiveSumByKey,
         (t, s, keys.data(), in.data(), a.data(), n, ::cuda::std::equal_to<>{}, stream()),
         (t, s, keys.data(), in.data(), b.data(), n, ::cuda::std::equal_to<>{}, stream()));
    CHECK(same(a, b));
    BOTH(DeviceScan::ExclusiveScanByKey,
         (t, s, keys.data(), in.data(), a.data(), ::cuda::maximum<>{}, 7, n, ::cuda::std::equal_to<>{}, stream()),
         (t, s, keys.data(), in.data(), b.data(), ::cuda::maximum<>{}, 7, n, ::cuda::std::equal_to<>{}, stream()));
    CHECK(same(a, b));
    BOTH(DeviceScan::InclusiveScanByKey,
         (t, s, keys.data(), in.data(), a.data(), ::cuda::minimum<>{}, n, ::cuda::std::equal_to<>{}, stream()),
         (t, s, keys.data(), in.data(), b.data(), ::cuda::minimum<>{}, n, ::cuda::std::equal_to<>{}, stream()));
    CHECK(same(a, b));
    BOTH(DeviceScan::InclusiveScanInit, (t, s, in.data(), a.data(), ::cuda::std::plus<>{}, 5, n, stream()),
         (t, s, in.data(), b.data(), ::cuda::std::plus<>{}, 5, n, stream()));
    CHECK(same(a, b));
    const guarded<int> initial(std::vector<int>{41});
    const theirs::FutureValue<int> later(initial.data());
    BOTH(DeviceScan::ExclusiveScan, (t, s, in.data(), a.data(), ::cuda::std::plus<>{}, later, n, stream()),
         (t, s, in.data(), b.data(), ::cuda::std::plus<>{}, later, n, stream()));
    CHECK(same(a, b));
  }
}

TEST_CASE("adapters: DeviceReduce::ReduceByKey, ArgMin, ArgMax") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const guarded<u32> keys(keys_in_runs(n));
    const guarded<int> in(ballot::test::random_below<int>(n, 1000));
    guarded<u32> ka(n), kb(n);
    guarded<int> a(n), b(n);
    const guarded<int> ca(1), cb(1);
    BOTH(DeviceReduce::ReduceByKey,
         (t, s, keys.data(), ka.data(), in.data(), a.data(), ca.data(), ::cuda::std::plus<>{}, n, stream()),
         (t, s, keys.data(), kb.data(), in.data(), b.data(), cb.data(), ::cuda::std::plus<>{}, n, stream()));
    REQUIRE(same(ca, cb));
    const auto runs = static_cast<std::size_t>(ca.read()[0]);
    CHECK(same(ka, kb, runs));
    CHECK(same(a, b, runs));
    const guarded<int> va(1), vb(1);
    const guarded<i64> ia(1), ib(1);
    BOTH(DeviceReduce::ArgMin, (t, s, in.data(), va.data(), ia.data(), static_cast<i64>(n), stream()),
         (t, s, in.data(), vb.data(), ib.data(), static_cast<i64>(n), stream()));
    CHECK(same(va, vb));
    CHECK(same(ia, ib));
    BOTH(DeviceReduce::ArgMax, (t, s, in.data(), va.data(), ia.data(), static_cast<i64>(n), stream()),
         (t, s, in.data(), vb.data(), ib.data(), static_cast<i64>(n), stream()));
    CHECK(same(va, vb));
    CHECK(same(ia, ib));
  }
}

TEST_CASE("adapters: DeviceSegmentedReduce of segments of one length") {
  for (const int length : {0, 1, 7, 100, 4096, 5000, 70'000}) {
    CAPTURE(length);
    const i64 segments = length > 10'000 ? 3 : 130;
    std::vector<std::int8_t> items(static_cast<std::size_t>(segments * length));
    std::vector<int> sums(static_cast<std::size_t>(segments)), joined(sums.size(), 9);
    std::vector<std::int8_t> largest(sums.size(), std::int8_t{-128});
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto item = static_cast<std::int8_t>(i * 2654435761u >> 11);
      const std::size_t segment = i / static_cast<std::size_t>(length);
      items[i] = item;
      sums[segment] += item, joined[segment] ^= item;
      largest[segment] = std::max(largest[segment], item);
    }
    const guarded<std::int8_t> in(items);
    guarded<int> out(sums.size());
    guarded<std::int8_t> out_of_items(sums.size());
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSegmentedReduce::Sum(t, s, in.data(), out.data(), segments, length, stream());
    });
    CHECK(out.read() == sums);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSegmentedReduce::Max(t, s, in.data(), out_of_items.data(), segments, length, stream());
    });
    CHECK(out_of_items.read() == largest);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSegmentedReduce::Reduce(t, s, in.data(), out.data(), segments, length,
                                                 ::cuda::std::bit_xor<>{}, 9, stream());
    });
    CHECK(out.read() == joined);
  }
}

TEST_CASE("adapters: DeviceSegmentedReduce, DeviceSegmentedSort, DeviceSegmentedRadixSort") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const auto begins = offsets_of(n);
    const guarded<int> offsets(begins);
    const auto segments = static_cast<i64>(begins.size() - 1);
    const guarded<u32> in(ballot::test::random_below<u32>(n, 1000)), ids(ballot::test::random_below<u32>(n, 1 << 30));
    guarded<u32> a(begins.size() - 1), b(begins.size() - 1);
    const int* const from = offsets.data();
    BOTH(DeviceSegmentedReduce::Sum, (t, s, in.data(), a.data(), segments, from, from + 1, stream()),
         (t, s, in.data(), b.data(), segments, from, from + 1, stream()));
    CHECK(same(a, b));
    BOTH(DeviceSegmentedReduce::Max, (t, s, in.data(), a.data(), segments, from, from + 1, stream()),
         (t, s, in.data(), b.data(), segments, from, from + 1, stream()));
    CHECK(same(a, b));
    BOTH(DeviceSegmentedReduce::Reduce,
         (t, s, in.data(), a.data(), segments, from, from + 1, ::cuda::std::bit_xor<>{}, 9u, stream()),
         (t, s, in.data(), b.data(), segments, from, from + 1, ::cuda::std::bit_xor<>{}, 9u, stream()));
    CHECK(same(a, b));

    guarded<u32> x(n), y(n), v(n), w(n);
    const auto items = static_cast<int>(n), count = static_cast<int>(segments);
    BOTH(DeviceSegmentedSort::SortKeys, (t, s, in.data(), x.data(), items, count, from, from + 1, stream()),
         (t, s, in.data(), y.data(), items, count, from, from + 1, stream()));
    CHECK(same(x, y));
    BOTH(DeviceSegmentedSort::StableSortPairsDescending,
         (t, s, in.data(), x.data(), ids.data(), v.data(), items, count, from, from + 1, stream()),
         (t, s, in.data(), y.data(), ids.data(), w.data(), items, count, from, from + 1, stream()));
    CHECK(same(x, y));
    CHECK(same(v, w));
    BOTH(DeviceSegmentedRadixSort::SortPairs,
         (t, s, in.data(), x.data(), ids.data(), v.data(), items, count, from, from + 1, 2, 8, stream()),
         (t, s, in.data(), y.data(), ids.data(), w.data(), items, count, from, from + 1, 2, 8, stream()));
    CHECK(same(x, y));
    CHECK(same(v, w));
    // Items before the first segment and behind the last one are not written.
    if (count > 4) {
      const guarded<u32> before(ids.read()), beside(ids.read());
      guarded<u32> k(in.read()), l(in.read());
      BOTH(DeviceSegmentedSort::StableSortPairs,
           (t, s, in.data(), k.data(), in.data(), before.data(), items, count - 3, from + 1, from + 2, stream()),
           (t, s, in.data(), l.data(), in.data(), beside.data(), items, count - 3, from + 1, from + 2, stream()));
      CHECK(same(k, l));
      CHECK(same(before, beside));
    }
    // Floats: -0 and +0 are equal.
    std::vector<float> numbers(n);
    for (std::size_t i = 0; i < n; ++i)
      numbers[i] = i * 7 % 3 == 0 ? -0.0f : i * 7 % 3 == 1 ? 0.0f : 1.0f - static_cast<float>(i % 7);
    const guarded<float> reals(numbers);
    guarded<float> f(n), g(n);
    BOTH(DeviceSegmentedSort::StableSortPairs,
         (t, s, reals.data(), f.data(), ids.data(), v.data(), items, count, from, from + 1, stream()),
         (t, s, reals.data(), g.data(), ids.data(), w.data(), items, count, from, from + 1, stream()));
    CHECK(same(f, g));
    CHECK(same(v, w));
    // Begins and ends apart: CUB's, in the same temporary storage.
    const guarded<int> ends(std::vector<int>(begins.begin() + 1, begins.end()));
    BOTH(DeviceSegmentedSort::SortKeys,
         (t, s, in.data(), x.data(), items, count, from, (const int*)ends.data(), stream()),
         (t, s, in.data(), y.data(), items, count, from, (const int*)ends.data(), stream()));
    CHECK(same(x, y));
    guarded<u32> p(ballot::test::random_below<u32>(n, 1000)), p2(n), q(ballot::test::random_below<u32>(n, 1000)), q2(n);
    theirs::DoubleBuffer<u32> kp(p.data(), p2.data()), kq(q.data(), q2.data());
    BOTH(DeviceSegmentedRadixSort::SortKeysDescending, (t, s, kp, items, count, from, from + 1, 0, 32, stream()),
         (t, s, kq, items, count, from, from + 1, 0, 32, stream()));
    CHECK(same(kp.selector == 0 ? p : p2, kq.selector == 0 ? q : q2));
  }
}

TEST_CASE("adapters: two buffers stay as they are where there is nothing to sort") {
  guarded<u32> p(ballot::test::random_below<u32>(1000, 1000)), p2(1000);
  const guarded<int> offsets(std::vector<int>{0, 500, 1000});
  const int* const from = offsets.data();
  for (const auto& [segments, end_bit] : {std::pair(0, 32), std::pair(2, 3)}) {
    theirs::DoubleBuffer<u32> ours_of(p.data(), p2.data()), theirs_of(p.data(), p2.data());
    BOTH(DeviceSegmentedRadixSort::SortKeys, (t, s, ours_of, 1000, segments, from, from + 1, 3, end_bit, stream()),
         (t, s, theirs_of, 1000, segments, from, from + 1, 3, end_bit, stream()));
    CHECK(ours_of.selector == theirs_of.selector);
  }
}

TEST_CASE("adapters: DeviceSegmentedReduce without offsets, or with results where they are, is refused") {
  const guarded<u32> in(100), out(10);
  const guarded<int> offsets(std::vector<int>{0, 50, 100});
  const int* const from = offsets.data();
  std::size_t bytes = 1;
  const ballot::device_buffer temporary(bytes, stream());
  const auto reduce = [&](u32* sums, const int* begins) {
    return ours::DeviceSegmentedReduce::Sum(temporary.data(), bytes, in.data(), sums, 2, begins, from + 1, stream());
  };
  CHECK(reduce(out.data(), nullptr) == cudaErrorInvalidValue);
  CHECK(reduce(nullptr, from) == cudaErrorInvalidValue);
  CHECK(reduce(reinterpret_cast<u32*>(offsets.data()), from) == cudaErrorInvalidValue);
}

TEST_CASE("adapters: DeviceReduce::ArgMin without a place for the index is refused, and nothing is launched") {
  const guarded<int> in(ballot::test::random_below<int>(1000, 1000)), value(1);
  std::size_t bytes = 0;
  const auto arg_min = [&](void* temporary, i64* index) {
    return ours::DeviceReduce::ArgMin(temporary, bytes, in.data(), value.data(), index, i64{1000}, stream());
  };
  CHECK(arg_min(nullptr, nullptr) == cudaSuccess);
  const ballot::device_buffer temporary(bytes, stream());
  cudaError_t error = cudaSuccess;
  const auto work = ballot::test::runtime_calls_of([&] { error = arg_min(temporary.data(), nullptr); });
  CHECK(error == cudaErrorInvalidValue);
  CHECK(work.launches == 0);
}

struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};

TEST_CASE("adapters: DevicePartition, DeviceMerge, DeviceHistogram") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const guarded<u32> in(ballot::test::random_below<u32>(n, 1000));
    const guarded<u8> flags(ballot::test::random_below<u8>(n, 2));
    guarded<u32> a(n), b(n);
    const guarded<int> ca(1), cb(1);
    BOTH(DevicePartition::If, (t, s, in.data(), a.data(), ca.data(), n, is_small{}, stream()),
         (t, s, in.data(), b.data(), cb.data(), n, is_small{}, stream()));
    CHECK(same(a, b));
    CHECK(same(ca, cb));
    BOTH(DevicePartition::Flagged, (t, s, in.data(), flags.data(), a.data(), ca.data(), n, stream()),
         (t, s, in.data(), flags.data(), b.data(), cb.data(), n, stream()));
    CHECK(same(a, b));
    CHECK(same(ca, cb));

    auto first = ballot::test::random_below<u32>(n, 500), second = ballot::test::random_below<u32>(n / 2, 500);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    const guarded<u32> one(first), two(second);
    guarded<u32> m(n + n / 2), o(n + n / 2), mv(n + n / 2), ov(n + n / 2);
    const auto n1 = static_cast<i64>(n), n2 = static_cast<i64>(n / 2);
    BOTH(DeviceMerge::MergeKeys, (t, s, one.data(), n1, two.data(), n2, m.data(), ::cuda::std::less<>{}, stream()),
         (t, s, one.data(), n1, two.data(), n2, o.data(), ::cuda::std::less<>{}, stream()));
    CHECK(same(m, o));
    BOTH(DeviceMerge::MergePairs,
         (t, s, one.data(), in.data(), n1, two.data(), in.data(), n2, m.data(), mv.data(), ::cuda::std::less<>{},
          stream()),
         (t, s, one.data(), in.data(), n1, two.data(), in.data(), n2, o.data(), ov.data(), ::cuda::std::less<>{},
          stream()));
    CHECK(same(m, o));
    CHECK(same(mv, ov));

    guarded<int> ha(50), hb(50);
    BOTH(DeviceHistogram::HistogramEven, (t, s, in.data(), ha.data(), 51, 10u, 900u, static_cast<int>(n), stream()),
         (t, s, in.data(), hb.data(), 51, 10u, 900u, static_cast<int>(n), stream()));
    CHECK(same(ha, hb));
    std::vector<float> reals(n);
    for (std::size_t i = 0; i < n; ++i) reals[i] = static_cast<float>((i * 7919) % 1000) / 9.0f - 20.0f;
    const guarded<float> samples(reals);
    BOTH(DeviceHistogram::HistogramEven,
         (t, s, samples.data(), ha.data(), 51, -3.0f, 77.0f, static_cast<int>(n), stream()),
         (t, s, samples.data(), hb.data(), 51, -3.0f, 77.0f, static_cast<int>(n), stream()));
    CHECK(same(ha, hb));
    std::vector<float> bounds(51);
    for (int i = 0; i < 51; ++i) bounds[static_cast<std::size_t>(i)] = static_cast<float>(i * i) / 30.0f - 5.0f;
    const guarded<float> levels(bounds);
    BOTH(DeviceHistogram::HistogramRange,
         (t, s, samples.data(), ha.data(), 51, (const float*)levels.data(), static_cast<int>(n), stream()),
         (t, s, samples.data(), hb.data(), 51, (const float*)levels.data(), static_cast<int>(n), stream()));
    CHECK(same(ha, hb));
  }
}

TEST_CASE("adapters: histograms of several channels are CUB's, with 0 for the temporary storage and the stream, too") {
  const guarded<u8> pixels(ballot::test::random_below<u8>(4000, 256));
  const guarded<int> red(8), green(8), blue(8);
  const ::cuda::std::array<int*, 3> histograms{red.data(), green.data(), blue.data()};
  const ::cuda::std::array<int, 3> levels{9, 9, 9}, lower{0, 0, 0}, upper{256, 256, 256};
  std::size_t bytes = 0, same_bytes = 0;
  CHECK(theirs::DeviceHistogram::MultiHistogramEven<4, 3>(nullptr, bytes, pixels.data(), histograms, levels, lower,
                                                          upper, 1000, stream()) == cudaSuccess);
  CHECK(ours::DeviceHistogram::MultiHistogramEven<4, 3>(0, same_bytes, pixels.data(), histograms, levels, lower, upper,
                                                        1000, 0) == cudaSuccess);
  CHECK(same_bytes == bytes);
}

// Values of NullType are none to CUB, which sorts and merges the keys alone.
template <class Class, class V>
constexpr bool sorts_beside = requires(void* t, std::size_t& s, const u32* in, u32* out, V* values, const int* at) {
  Class::SortPairs(t, s, in, out, values, values, 10, 1, at, at + 1);
};
template <class V>
constexpr bool merges_beside = requires(void* t, std::size_t& s, u32* keys, V* values) {
  ballot::adapters::calls::DeviceMerge::MergePairs(t, s, keys, values, 10, keys, values, 10, keys, values);
};
static_assert(sorts_beside<ballot::adapters::calls::DeviceSegmentedSort, u32>);
static_assert(sorts_beside<ballot::adapters::calls::DeviceSegmentedRadixSort, u32>);
static_assert(!sorts_beside<ballot::adapters::calls::DeviceSegmentedSort, theirs::NullType>);
static_assert(!sorts_beside<ballot::adapters::calls::DeviceSegmentedRadixSort, theirs::NullType>);
static_assert(merges_beside<u32>);
static_assert(!merges_beside<theirs::NullType>);

#if __has_include(<cub/device/device_topk.cuh>)
// ballot's results have the order of the input. Where another order is asked for, or none, which
// means a sorted one, CUB says what it thinks of it.
template <class... Requirement>
constexpr bool takes_top_k = requires(void* t, std::size_t& s, const u32* in, u32* out, Requirement... wanted) {
  ballot::adapters::calls::DeviceTopK::MaxKeys(t, s, in, out, 10, 5, ::cuda::execution::require(wanted...));
  ballot::adapters::calls::DeviceTopK::MinPairs(t, s, in, out, in, out, 10, 5, ::cuda::execution::require(wanted...));
};
static_assert(takes_top_k<::cuda::execution::output_ordering::unsorted_t>);
static_assert(
    takes_top_k<::cuda::execution::determinism::gpu_to_gpu_t, ::cuda::execution::output_ordering::unsorted_t>);
static_assert(!takes_top_k<::cuda::execution::determinism::not_guaranteed_t>);
static_assert(!takes_top_k<::cuda::execution::output_ordering::sorted_t>);
static_assert(!takes_top_k<::cuda::execution::output_ordering::stable_sorted_t>);

TEST_CASE("adapters: DeviceTopK, whose results come in any order") {
  const std::size_t n = 100'003;
  const guarded<u32> in(ballot::test::random_below<u32>(n, 1 << 30));
  std::vector<u32> ids(n);
  std::iota(ids.begin(), ids.end(), 0u);
  const guarded<u32> values(ids);
  const auto requirements = ::cuda::execution::require(::cuda::execution::determinism::not_guaranteed,
                                                       ::cuda::execution::output_ordering::unsorted);
  const auto env = ::cuda::std::execution::env{::cuda::stream_ref{stream()}, requirements};
  for (const std::size_t k : {std::size_t{1}, std::size_t{100}, std::size_t{50'000}}) {
    guarded<u32> a(k), b(k), x(k), y(k);
    BOTH(DeviceTopK::MaxKeys, (t, s, in.data(), a.data(), n, k, env), (t, s, in.data(), b.data(), n, k, env));
    auto found = a.read(), expected = b.read();
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceTopK::MinPairs(t, s, in.data(), a.data(), values.data(), x.data(), n, k, env);
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceTopK::MinPairs(t, s, in.data(), b.data(), values.data(), y.data(), n, k, env);
    });
    found = a.read(), expected = b.read();
    const auto all = in.read();
    const auto found_ids = x.read();
    for (std::size_t i = 0; i < k; ++i) REQUIRE(all[found_ids[i]] == found[i]);
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
  }
}
#endif

}  // namespace adapters_cub_segments
