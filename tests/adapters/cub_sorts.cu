// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: the CUB adapter's sorts beside CUB's own, with equal results, whichever of both
// is underneath; and what ballot refuses.
#include <ballot/adapters/cub.cuh>

#include "support/cub_call.hpp"

#include <cstring>

using ballot::test::by_cub;
using ballot::test::guarded;
using ballot::test::lengths_beside_cub;
using ballot::test::same;

namespace adapters_cub_sorts {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
namespace ours = ballot::adapters::cub;
namespace theirs = ::cub;

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
  for (const std::size_t n : lengths_beside_cub) {
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
    // Two buffers: the first call says where the result is, and may say so differently in each
    // library.
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
  // More items than any sort takes: the size of the temporary storage is refused, and no exception
  // leaves the call.
  CHECK(ours::DeviceRadixSort::SortKeys(nullptr, bytes, data.data(), out.data(), ~std::size_t{0}, 0, 32, stream()) ==
        cudaErrorInvalidValue);
}

}  // namespace adapters_cub_sorts
