// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: each call of the CUB adapter beside CUB's own, with equal results, whichever of both is underneath.
#include <ballot/adapters/cub.cuh>

#include "support/cub_call.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstring>
#include <limits>

using ballot::test::by_cub;
using ballot::test::guarded;
using ballot::test::same;

namespace adapters_cub {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
namespace ours = ballot::adapters::cub;
namespace theirs = ::cub;

constexpr std::size_t sizes[] = {0, 1, 1000, 5003, 100'003, 1'200'007};

cudaStream_t stream() { return ballot::test::test_stream(); }

template <class K>
std::vector<K> keys(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<K> items(n);
  for (K& item : items) {
    const u64 bits = random();
    std::memcpy(&item, &bits, sizeof(K));
#if defined(BALLOT_ADAPTERS_ORDER_ZEROS)
    if (item == K{}) item = K{};  // +0
#else
    if constexpr (std::is_floating_point_v<K>)
      if (bits % 5 == 0) item = bits % 2 == 0 ? K{-0.0} : K{0};  // equal to CUB, with other bits
#endif
  }
  return items;
}
template <class T>
std::vector<u8> bytes_of(const guarded<T>& a, std::size_t count) {
  const std::vector<T> items = a.read();
  std::vector<u8> bytes(count * sizeof(T));
  if (count != 0) std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}
template <class T>
bool same_bits(const guarded<T>& a, const guarded<T>& b, std::size_t count) {
  return bytes_of(a, count) == bytes_of(b, count);
}

// Both libraries with outputs of their own: `call(library)` runs a call of `library`.
TEST_CASE_TEMPLATE("adapters: DeviceRadixSort", K, u8, short, u32, int, u64, float, double) {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const int all = 8 * sizeof(K);
    const guarded<K> in(keys<K>(n, 1));
    const guarded<u32> ids(keys<u32>(n, 2));
    guarded<K> a(n), b(n);
    guarded<u32> x(n), y(n);
    for (const auto& [low, high] : {std::pair(0, all), std::pair(0, all / 2), std::pair(3, all - 2), std::pair(5, 5)}) {
      CAPTURE(low);
      CAPTURE(high);
      by_cub([&](void* t, std::size_t& s) {
        return ours::DeviceRadixSort::SortKeys(t, s, in.data(), a.data(), n, low, high, stream());
      });
      by_cub([&](void* t, std::size_t& s) {
        return theirs::DeviceRadixSort::SortKeys(t, s, in.data(), b.data(), n, low, high, stream());
      });
      CHECK(same_bits(a, b, n));
      by_cub([&](void* t, std::size_t& s) {
        return ours::DeviceRadixSort::SortPairsDescending(t, s, in.data(), a.data(), ids.data(), x.data(), n, low, high,
                                                          stream());
      });
      by_cub([&](void* t, std::size_t& s) {
        return theirs::DeviceRadixSort::SortPairsDescending(t, s, in.data(), b.data(), ids.data(), y.data(), n, low,
                                                            high, stream());
      });
      CHECK(same_bits(a, b, n));
      CHECK(same(x, y));
    }
    // Two buffers: the first call says where the result is, and may say so differently in each library.
    guarded<K> a2(n), b2(n);
    guarded<u32> x2(n), y2(n);
    a = guarded<K>(keys<K>(n, 3));
    b = guarded<K>(keys<K>(n, 3));
    x = guarded<u32>(keys<u32>(n, 4));
    y = guarded<u32>(keys<u32>(n, 4));
    theirs::DoubleBuffer<K> ka(a.data(), a2.data()), kb(b.data(), b2.data());
    theirs::DoubleBuffer<u32> va(x.data(), x2.data()), vb(y.data(), y2.data());
    by_cub(
        [&](void* t, std::size_t& s) { return ours::DeviceRadixSort::SortPairs(t, s, ka, va, n, 0, all, stream()); });
    by_cub(
        [&](void* t, std::size_t& s) { return theirs::DeviceRadixSort::SortPairs(t, s, kb, vb, n, 0, all, stream()); });
    CHECK(same_bits(ka.selector == 0 ? a : a2, kb.selector == 0 ? b : b2, n));
    CHECK(same(va.selector == 0 ? x : x2, vb.selector == 0 ? y : y2));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceRadixSort::SortKeysDescending(t, s, ka, n, 0, all, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceRadixSort::SortKeysDescending(t, s, kb, n, 0, all, stream());
    });
    CHECK(same_bits(ka.selector == 0 ? a : a2, kb.selector == 0 ? b : b2, n));
  }
}

struct three_words {
  u32 a, b, c;
  bool operator==(const three_words&) const = default;
};

TEST_CASE("adapters: DeviceRadixSort with values that are no words, in two buffers") {
  const std::size_t n = 70'001;
  const std::vector<u32> numbers = keys<u32>(n, 9);
  std::vector<three_words> items(n);
  for (std::size_t i = 0; i < n; ++i) items[i] = {numbers[i], static_cast<u32>(i), ~numbers[i]};
  guarded<u32> a(numbers), a2(n), b(numbers), b2(n);
  guarded<three_words> x(items), x2(n), y(items), y2(n);
  theirs::DoubleBuffer<u32> ka(a.data(), a2.data()), kb(b.data(), b2.data());
  theirs::DoubleBuffer<three_words> va(x.data(), x2.data()), vb(y.data(), y2.data());
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceRadixSort::SortPairs(t, s, ka, va, static_cast<int>(n), 0, 20, stream());
  });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceRadixSort::SortPairs(t, s, kb, vb, static_cast<int>(n), 0, 20, stream());
  });
  CHECK(same(ka.selector == 0 ? a : a2, kb.selector == 0 ? b : b2));
  CHECK(same_bits(va.selector == 0 ? x : x2, vb.selector == 0 ? y : y2, n));
}

// Scans of In into Out by every operator, and in place.
template <class In, class Out, class Op, class Initial>
void check_scans(Op op, Initial initial) {
  // Sums of floats are exact in any order as long as they are whole numbers below 2^24, those of sums, too.
  constexpr bool exact = std::is_integral_v<Out>;
  for (const std::size_t n : sizes) {
    if (!exact && n > 5003) continue;
    CAPTURE(n);
    const guarded<In> in(ballot::test::random_below<In>(n, exact ? 100 : 2));
    guarded<Out> a(n), b(n);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceScan::ExclusiveScan(t, s, in.data(), a.data(), op, initial, n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceScan::ExclusiveScan(t, s, in.data(), b.data(), op, initial, n, stream());
    });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceScan::InclusiveScan(t, s, in.data(), a.data(), op, n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceScan::InclusiveScan(t, s, in.data(), b.data(), op, n, stream());
    });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceScan::ExclusiveSum(t, s, in.data(), a.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceScan::ExclusiveSum(t, s, in.data(), b.data(), n, stream());
    });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceScan::InclusiveSum(t, s, a.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceScan::InclusiveSum(t, s, b.data(), n, stream()); });
    CHECK(same(a, b));
    const guarded<Out> ra(1), rb(1);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceReduce::Reduce(t, s, in.data(), ra.data(), n, op, initial, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceReduce::Reduce(t, s, in.data(), rb.data(), n, op, initial, stream());
    });
    CHECK(same(ra, rb));
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceReduce::Sum(t, s, in.data(), ra.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceReduce::Sum(t, s, in.data(), rb.data(), n, stream()); });
    CHECK(same(ra, rb));
  }
}
TEST_CASE("adapters: DeviceScan, DeviceReduce") {
  check_scans<int, int>(::cuda::std::plus<>{}, 5);
  check_scans<u8, u8>(::cuda::std::plus<>{}, u8{3});
  check_scans<u8, u32>(::cuda::std::plus<>{}, u32{3});
  check_scans<u32, u64>(::cuda::std::plus<>{}, u64{3});  // InclusiveSum of u32 wraps in CUB
  check_scans<int, int>(::cuda::maximum<>{}, -1);
  check_scans<u32, u32>(::cuda::std::bit_xor<>{}, 7u);
  check_scans<double, double>(::cuda::minimum<>{}, 5.0);
  check_scans<float, float>(::cuda::std::plus<>{}, 1.0f);
}
TEST_CASE("adapters: sums that CUB takes in a narrower type wrap as there") {
  const std::size_t n = 100'000;
  const guarded<u32> in(std::vector<u32>(n, 0x4000'0001u));
  guarded<u64> a(n), b(n);
  by_cub(
      [&](void* t, std::size_t& s) { return ours::DeviceScan::InclusiveSum(t, s, in.data(), a.data(), n, stream()); });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceScan::InclusiveSum(t, s, in.data(), b.data(), n, stream());
  });
  CHECK(same(a, b));
}
TEST_CASE_TEMPLATE("adapters: DeviceReduce::Min, Max", T, u8, int, u64, float, double) {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    std::vector<T> items = ballot::test::random_below<T>(n, 100);
    const guarded<T> in(items);
    const guarded<T> a(1), b(1);
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceReduce::Min(t, s, in.data(), a.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceReduce::Min(t, s, in.data(), b.data(), n, stream()); });
    CHECK(same(a, b));
    by_cub([&](void* t, std::size_t& s) { return ours::DeviceReduce::Max(t, s, in.data(), a.data(), n, stream()); });
    by_cub([&](void* t, std::size_t& s) { return theirs::DeviceReduce::Max(t, s, in.data(), b.data(), n, stream()); });
    CHECK(same(a, b));
  }
}

struct is_small {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};
struct same_tens {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a / 10 == b / 10; }
};

namespace program {
namespace cub = ballot::adapters::cub;  // in a namespace or function: ::cub exists already

cudaError_t select_hits(void* temporary, std::size_t& bytes, const u32* in, u32* out, int* count, int n,
                        cudaStream_t stream) {
  return cub::DeviceSelect::If(temporary, bytes, in, out, count, n, is_small{}, stream);
}
}  // namespace program

TEST_CASE("adapters: DeviceSelect, DeviceRunLengthEncode") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const guarded<u32> in(ballot::test::random_below<u32>(n, 1000)), runs(ballot::test::random_below<u32>(n, 3));
    const guarded<u8> flags(ballot::test::random_below<u8>(n, 2));
    guarded<u32> a(n), b(n), x(n), y(n);
    const guarded<int> ca(1), cb(1);
    const auto check = [&](const guarded<u32>& p, const guarded<u32>& q) {
      REQUIRE(same(ca, cb));
      CHECK(same(p, q, static_cast<std::size_t>(ca.read()[0])));
    };
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::If(t, s, in.data(), a.data(), ca.data(), n, is_small{}, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::If(t, s, in.data(), b.data(), cb.data(), n, is_small{}, stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return program::select_hits(t, s, in.data(), a.data(), ca.data(), static_cast<int>(n), stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Flagged(t, s, in.data(), flags.data(), a.data(), ca.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::Flagged(t, s, in.data(), flags.data(), b.data(), cb.data(), n, stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::Unique(t, s, runs.data(), a.data(), ca.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::Unique(t, s, runs.data(), b.data(), cb.data(), n, stream());
    });
    check(a, b);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::UniqueByKey(t, s, in.data(), runs.data(), a.data(), x.data(), ca.data(), n,
                                             same_tens{}, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::UniqueByKey(t, s, in.data(), runs.data(), b.data(), y.data(), cb.data(), n,
                                               same_tens{}, stream());
    });
    check(a, b);
    check(x, y);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceRunLengthEncode::Encode(t, s, runs.data(), a.data(), x.data(), ca.data(), n, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceRunLengthEncode::Encode(t, s, runs.data(), b.data(), y.data(), cb.data(), n, stream());
    });
    check(a, b);
    check(x, y);
    // In place.
    guarded<u32> data(ballot::test::random_below<u32>(n, 1000)), copy(ballot::test::random_below<u32>(n, 1000));
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::If(t, s, data.data(), ca.data(), n, is_small{}, stream());
    });
    by_cub([&](void* t, std::size_t& s) {
      return theirs::DeviceSelect::If(t, s, copy.data(), cb.data(), n, is_small{}, stream());
    });
    check(data, copy);
  }
}

TEST_CASE("adapters: an output with room for the selected items alone, right before the count") {
  const std::size_t n = 10'000, hits = 3000;
  std::vector<u32> items(n, 500);
  for (std::size_t i = 0; i < hits; ++i) items[i] = static_cast<u32>(i % 300);
  const guarded<u32> in(items);
  guarded<u32> room(hits + 1), expected(n);
  u32* const count = room.data() + hits;
  const guarded<u32> their_count(1);
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceSelect::If(t, s, in.data(), room.data(), count, n, is_small{}, stream());
  });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceSelect::If(t, s, in.data(), expected.data(), their_count.data(), n, is_small{}, stream());
  });
  CHECK(room.read()[hits] == hits);
  CHECK(same(room, expected, hits));
}

TEST_CASE("adapters: calls that ballot does not have are CUB's: iterators, bool keys, by key, an initial value") {
  const std::size_t n = 50'000;
  const guarded<u32> in(ballot::test::random_below<u32>(n, 1000));
  guarded<u32> a(n), b(n);
  const auto doubled = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), ::cuda::std::negate<u32>{});
  by_cub([&](void* t, std::size_t& s) { return ours::DeviceScan::InclusiveSum(t, s, doubled, a.data(), n, stream()); });
  by_cub(
      [&](void* t, std::size_t& s) { return theirs::DeviceScan::InclusiveSum(t, s, doubled, b.data(), n, stream()); });
  CHECK(same(a, b));
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceScan::InclusiveScanInit(t, s, in.data(), a.data(), ::cuda::std::plus<>{}, 5u, n, stream());
  });
  by_cub([&](void* t, std::size_t& s) {
    return theirs::DeviceScan::InclusiveScanInit(t, s, in.data(), b.data(), ::cuda::std::plus<>{}, 5u, n, stream());
  });
  CHECK(same(a, b));
}

TEST_CASE("adapters: what ballot refuses is cudaErrorInvalidValue, and nothing is written") {
  guarded<u32> data(std::vector<u32>(100, 7)), out(std::vector<u32>(100, 9));
  std::size_t bytes = 0;
  CHECK(ours::DeviceRadixSort::SortKeys(nullptr, bytes, data.data(), out.data(), 100, 0, 40, stream()) == cudaSuccess);
  const ballot::device_buffer temporary(bytes, stream());
  CHECK(ours::DeviceRadixSort::SortKeys(temporary.data(), bytes, data.data(), out.data(), 100, 0, 40, stream()) ==
        cudaErrorInvalidValue);
  CHECK(ours::DeviceRadixSort::SortKeys(temporary.data(), bytes, data.data(), data.data() + 1, 99, 0, 32, stream()) ==
        cudaErrorInvalidValue);
  std::size_t less = bytes - 1;
  CHECK(ours::DeviceRadixSort::SortKeys(temporary.data(), less, data.data(), out.data(), 100, 0, 32, stream()) ==
        cudaErrorInvalidValue);
  CHECK(out.read() == std::vector<u32>(100, 9));
}

}  // namespace adapters_cub
