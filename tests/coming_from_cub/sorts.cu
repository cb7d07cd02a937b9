// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: sorts of CUB and Thrust, each beside the call of ballot that
// docs/coming-from-cub.md names, with equal results.
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cstring>
#include <limits>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_sorts {

using u32 = std::uint32_t;

constexpr std::size_t n = 100'003;

std::vector<u32> bits_of(const guarded<float>& keys) {
  const std::vector<float> floats = keys.read();
  std::vector<u32> bits(floats.size());
  std::memcpy(bits.data(), floats.data(), floats.size() * sizeof(float));
  return bits;
}

TEST_CASE("DeviceRadixSort") {
  const std::vector<u32> keys = test::random_below<u32>(n, 1u << 30), values = test::random_below<u32>(n, n, 2);
  const guarded<u32> in(keys), values_in(values);
  guarded<u32> theirs(n), ours(n), their_values(n), our_values(n);
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, in.data(), theirs.data(), n, 0, 32, stream);
  });
  sort(gpu, in, ours);
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, in.data(), theirs.data(), n, 0, 32, stream);
  });
  sort(gpu, in, ours, {.direction = direction::descending});
  CHECK(same(ours, theirs));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, in.data(), theirs.data(), values_in.data(),
                                           their_values.data(), n, 0, 12, stream);
  });
  sort_pairs(gpu, in, values_in, ours, our_values, {.bits = {0, 12}});
  CHECK(same(ours, theirs));
  CHECK(same(our_values, their_values));

  // Between two buffers: CUB says where the result is when the call returns, and so do we.
  guarded<u32> their_other(n), our_other(n);
  theirs.write(keys), ours.write(keys);
  cub::DoubleBuffer<u32> buffers(theirs.data(), their_other.data());
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, buffers, n, 0, 32, stream);
  });
  const int at = sort_ping_pong(gpu, ours, our_other);
  CHECK(same(at == 0 ? ours : our_other, buffers.selector == 0 ? theirs : their_other));
}

TEST_CASE("floating keys: NaNs, and zeros that are equal or not") {
  std::vector<float> keys(n);
  std::mt19937 random(3);
  for (float& key : keys) key = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
  for (std::size_t i = 0; i < n; i += 7) keys[i] = i % 2 == 0 ? -0.0f : 0.0f;
  const guarded<float> in(keys);
  guarded<float> theirs(n), ours(n);
  const exec gpu = allocating(test::test_stream());
  const auto sort_theirs = [&](const guarded<float>& from) {
    by_cub([&](void* temporary, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(temporary, bytes, from.data(), theirs.data(), n, 0, 32,
                                            test::test_stream());
    });
  };
  sort_theirs(in);
  sort_by(gpu, in, equal_zeros{}, ours);  // -0 and +0 keep their order, as in CUB
  CHECK(bits_of(ours) == bits_of(theirs));

  for (std::size_t i = 0; i < n; ++i)
    if (keys[i] == 0) keys[i] = i % 3 == 0 ? -std::numeric_limits<float>::quiet_NaN() : 0.5f;
  const guarded<float> with_nans(keys);
  sort_theirs(with_nans);
  sort(gpu, with_nans, ours, {.nans = nan_order::by_bits});  // by their bits, as in CUB
  CHECK(bits_of(ours) == bits_of(theirs));
}

TEST_CASE("thrust::stable_sort_by_key in place, and of a sequence: argsort") {
  const std::vector<u32> keys = test::random_below<u32>(n, 5000), values = test::random_below<u32>(n, n, 2);
  guarded<u32> theirs(keys), ours(keys), their_values(values), our_values(values);
  const exec gpu = allocating(test::test_stream());
  thrust::stable_sort_by_key(test::on_stream(), theirs.begin(), theirs.end(), their_values.begin());
  sort_pairs_in_place(gpu, ours, our_values);
  CHECK(same(ours, theirs));
  CHECK(same(our_values, their_values));

  const guarded<u32> in(keys);
  theirs.write(keys);
  thrust::sequence(test::on_stream(), their_values.begin(), their_values.end());
  thrust::stable_sort_by_key(test::on_stream(), theirs.begin(), theirs.end(), their_values.begin());
  argsort(gpu, in, our_values);
  CHECK(same(our_values, their_values));
}

TEST_CASE("DeviceSegmentedSort") {
  std::vector<u32> begin = test::random_below<u32>(2000, n);
  begin.push_back(0);
  begin.push_back(n);
  std::sort(begin.begin(), begin.end());
  const auto segments = static_cast<std::int64_t>(begin.size()) - 1;
  const guarded<u32> offsets(begin), in(test::random_below<u32>(n, 5000)), values_in(test::random_below<u32>(n, n, 2));
  guarded<u32> theirs(n), ours(n), their_values(n), our_values(n);
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, in.data(), theirs.data(), values_in.data(),
                                                     their_values.data(), static_cast<std::int64_t>(n), segments,
                                                     offsets.data(), offsets.data() + 1, stream);
  });
  segmented_sort_pairs(gpu, in, values_in, offsets, ours, our_values);
  CHECK(same(ours, theirs));
  CHECK(same(our_values, their_values));
}

}  // namespace coming_from_cub_sorts
