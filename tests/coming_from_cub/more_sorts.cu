// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: sorts of CUB and Thrust that sorts.cu has not, each beside the call of ballot
// that docs/coming-from-cub.md names, with equal results.
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <thrust/functional.h>
#include <thrust/sort.h>
#include <cuda/std/tuple>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_more_sorts {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 100'003;

struct pairs {
  std::vector<u32> all_keys = test::random_below<u32>(n, 5000), all_values = test::random_below<u32>(n, n, 2);
  guarded<u32> keys{all_keys}, values{all_values}, theirs{n}, ours{n}, their_values{n}, our_values{n};
  cudaStream_t stream = test::test_stream();
  exec gpu = allocating(stream);

  void begin_anew() {
    theirs.write(all_keys), ours.write(all_keys);
    their_values.write(all_values), our_values.write(all_values);
  }
  void check() {
    CHECK(same(ours, theirs));
    CHECK(same(our_values, their_values));
  }
};
constexpr sort_options down = {.direction = direction::descending};

TEST_CASE("DeviceRadixSort: SortPairsDescending, SortPairs of DoubleBuffers") {
  pairs s;
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(temporary, bytes, s.keys.data(), s.theirs.data(), s.values.data(),
                                                     s.their_values.data(), n, 0, 32, s.stream);
  });
  sort_pairs(s.gpu, s.keys, s.values, s.ours, s.our_values, down);
  s.check();

  s.begin_anew();
  guarded<u32> their_other(n), their_other_values(n), our_other(n), our_other_values(n);
  cub::DoubleBuffer<u32> keys(s.theirs.data(), their_other.data());
  cub::DoubleBuffer<u32> values(s.their_values.data(), their_other_values.data());
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, values, n, 0, 13, s.stream);
  });
  const int at = sort_pairs_ping_pong(s.gpu, s.ours, s.our_values, our_other, our_other_values, {.bits = {0, 13}});
  CHECK(same(at == 0 ? s.ours : our_other, keys.selector == 0 ? s.theirs : their_other));
  CHECK(same(at == 0 ? s.our_values : our_other_values, values.selector == 0 ? s.their_values : their_other_values));
}

struct record {
  u32 major;
  float minor;
  __host__ __device__ bool operator==(const record& other) const {
    return major == other.major && minor == other.minor;
  }
};
struct members {
  __host__ __device__ ::cuda::std::tuple<u32&, float&> operator()(record& r) const { return {r.major, r.minor}; }
};
struct key_of_record {  // floats that are not negative are in the order of their bits
  __host__ __device__ u64 operator()(const record& r) const { return u64{r.major} << 32 | ordered_bits(r.minor); }
};

TEST_CASE("DeviceRadixSort with a decomposer") {
  std::vector<record> all(n);
  std::mt19937 random(1);
  for (record& r : all) r = {static_cast<u32>(random() % 100), static_cast<float>(random() % 5000)};
  const guarded<record> in(all);
  guarded<record> theirs(n), ours(n);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, in.data(), theirs.data(), n, members{},
                                          test::test_stream());
  });
  sort_by(allocating(test::test_stream()), in, key_of_record{}, ours);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceMergeSort, thrust::sort, stable_sort, sort_by_key, stable_sort_by_key with an order of numbers") {
  pairs s;
  const ::cuda::std::less<u32> less;
  s.begin_anew();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceMergeSort::SortKeysCopy(temporary, bytes, s.keys.data(), s.theirs.data(), n, less, s.stream);
  });
  sort(s.gpu, s.keys, s.ours);
  s.check();
  s.begin_anew();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceMergeSort::StableSortPairs(temporary, bytes, s.theirs.data(), s.their_values.data(), n, less,
                                                 s.stream);
  });
  sort_pairs_in_place(s.gpu, s.ours, s.our_values);
  s.check();

  s.begin_anew();
  thrust::sort(test::on_stream(), s.theirs.begin(), s.theirs.end());
  sort_in_place(s.gpu, s.ours);
  s.check();
  s.begin_anew();
  thrust::stable_sort(test::on_stream(), s.theirs.begin(), s.theirs.end(), ::cuda::std::greater<u32>{});
  sort_in_place(s.gpu, s.ours, down);
  s.check();
  s.begin_anew();
  thrust::stable_sort_by_key(test::on_stream(), s.theirs.begin(), s.theirs.end(), s.their_values.begin(),
                             ::cuda::std::greater<u32>{});
  sort_pairs_in_place(s.gpu, s.ours, s.our_values, down);
  s.check();
}

TEST_CASE("DeviceSegmentedRadixSort, DeviceSegmentedSort: SortKeys, SortKeysDescending, SortPairsDescending") {
  pairs s;
  std::vector<u32> begin = test::random_below<u32>(2000, n);
  begin.push_back(0);
  begin.push_back(n);
  std::sort(begin.begin(), begin.end());
  const int segments = static_cast<int>(begin.size()) - 1;
  const guarded<u32> offsets(begin);
  const u32* const begins = offsets.data();
  s.begin_anew();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortKeys(temporary, bytes, s.keys.data(), s.theirs.data(),
                                                   static_cast<int>(n), segments, begins, begins + 1, 3, 12, s.stream);
  });
  segmented_sort(s.gpu, s.keys, offsets, s.ours, {.bits = {3, 12}});
  s.check();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortKeysDescending(temporary, bytes, s.keys.data(), s.theirs.data(),
                                                             static_cast<int>(n), segments, begins, begins + 1, 0, 32,
                                                             s.stream);
  });
  segmented_sort(s.gpu, s.keys, offsets, s.ours, down);
  s.check();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortPairs(temporary, bytes, s.keys.data(), s.theirs.data(), s.values.data(),
                                                    s.their_values.data(), static_cast<int>(n), segments, begins,
                                                    begins + 1, 0, 32, s.stream);
  });
  segmented_sort_pairs(s.gpu, s.keys, s.values, offsets, s.ours, s.our_values);
  s.check();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortPairsDescending(
        temporary, bytes, s.keys.data(), s.theirs.data(), s.values.data(), s.their_values.data(), static_cast<int>(n),
        segments, begins, begins + 1, 0, 32, s.stream);
  });
  segmented_sort_pairs(s.gpu, s.keys, s.values, offsets, s.ours, s.our_values, down);
  s.check();

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, s.keys.data(), s.theirs.data(),
                                              static_cast<std::int64_t>(n), std::int64_t{segments}, begins, begins + 1,
                                              s.stream);
  });
  segmented_sort(s.gpu, s.keys, offsets, s.ours);
  CHECK(same(s.ours, s.theirs));
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::StableSortPairsDescending(
        temporary, bytes, s.keys.data(), s.theirs.data(), s.values.data(), s.their_values.data(),
        static_cast<std::int64_t>(n), std::int64_t{segments}, begins, begins + 1, s.stream);
  });
  segmented_sort_pairs(s.gpu, s.keys, s.values, offsets, s.ours, s.our_values, down);
  s.check();
}

}  // namespace coming_from_cub_more_sorts
