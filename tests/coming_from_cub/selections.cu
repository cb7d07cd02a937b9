// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: selections of CUB and Thrust, each beside the call of ballot that
// docs/coming-from-cub.md names, with equal results.
#include <ballot/compact.cuh>
#include <ballot/count_if.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/unique.h>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_selections {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 100'003;

struct is_small {
  u32 limit = 300;
  __host__ __device__ bool operator()(u32 x) const { return x < limit; }
};
struct is_not_small {
  __host__ __device__ bool operator()(u32 x) const { return x >= 300; }
};
struct size_class {
  __host__ __device__ u32 operator()(u32 x) const { return x < 300 ? 0 : x < 600 ? 1 : 2; }
};
struct is_set {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};

template <class T>
u64 only(const device_value<T>& count) {
  return static_cast<u64>(count.read(test::test_stream()));
}

TEST_CASE("DeviceSelect::If, ::Flagged, thrust::copy_if, remove_if, count_if") {
  const std::vector<u32> items = test::random_below<u32>(n, 1000);
  const guarded<u32> in(items);
  const guarded<std::uint8_t> flags(test::random_below<std::uint8_t>(n, 2));
  guarded<u32> theirs(n), ours(n);
  const device_value<u64> their_count(test::test_stream()), our_count(test::test_stream());
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, in.data(), theirs.data(), their_count.address(), n, is_small{},
                                 stream);
  });
  compact(gpu, in, is_small{}, ours, our_count);
  REQUIRE(only(our_count) == only(their_count));
  CHECK(same(ours, theirs, only(our_count)));
  count_if(gpu, in, is_small{}, our_count);
  CHECK(only(our_count) == only(their_count));
  CHECK(only(our_count) == static_cast<u64>(thrust::count_if(test::on_stream(), in.begin(), in.end(), is_small{})));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(temporary, bytes, in.data(), flags.data(), theirs.data(), their_count.address(),
                                      n, stream);
  });
  compact(gpu, in, byte_flags{flags}, ours, our_count);
  REQUIRE(only(our_count) == only(their_count));
  CHECK(same(ours, theirs, only(our_count)));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::FlaggedIf(temporary, bytes, in.data(), flags.data(), theirs.data(), their_count.address(),
                                        n, is_set{}, stream);
  });
  // The first range of the zip is asked about, and written nowhere.
  compact(gpu, zip{flags, in}, on_first{is_set{}}, zip{std::span<std::uint8_t>{}, ours}, our_count);
  REQUIRE(only(our_count) == only(their_count));
  CHECK(same(ours, theirs, only(our_count)));

  const auto end = thrust::copy_if(test::on_stream(), thrust::counting_iterator<u32>(0),
                                   thrust::counting_iterator<u32>(u32{n}), in.begin(), theirs.begin(), is_small{});
  compact_indices(gpu, in, is_small{}, ours, our_count);
  REQUIRE(only(our_count) == static_cast<u64>(end - theirs.begin()));
  CHECK(same(ours, theirs, only(our_count)));

  theirs.write(items), ours.write(items);
  const auto left = thrust::remove_if(test::on_stream(), theirs.begin(), theirs.end(), is_small{});
  compact_in_place(gpu, ours, is_not_small{}, our_count);
  REQUIRE(only(our_count) == static_cast<u64>(left - theirs.begin()));
  CHECK(same(ours, theirs, only(our_count)));
}

TEST_CASE("DevicePartition, thrust::stable_partition, stable_partition_copy") {
  const std::vector<u32> items = test::random_below<u32>(n, 1000);
  const guarded<u32> in(items);
  guarded<u32> theirs(n), ours(n), their_rest(n), our_rest(n);
  const device_value<u64> their_count(test::test_stream()), our_count(test::test_stream());
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DevicePartition::If(temporary, bytes, in.data(), theirs.data(), their_count.address(), n, is_small{},
                                    stream);
  });
  split(gpu, in, is_small{}, ours, our_count);
  REQUIRE(only(our_count) == only(their_count));
  std::vector<u32> reversed = theirs.read();  // CUB's rejects come in reverse, ours in their order
  std::reverse(reversed.begin() + static_cast<std::ptrdiff_t>(only(their_count)), reversed.end());
  CHECK(ours.read() == reversed);

  // Three groups: CUB's third comes in reverse, all of ours are stable.
  guarded<u32> medium(n), large(n);
  const guarded<u32> two_counts(2);
  guarded<u64> offsets(4);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DevicePartition::If(temporary, bytes, in.data(), theirs.data(), medium.data(), large.data(),
                                    two_counts.data(), n, is_small{}, is_small{600}, stream);
  });
  multisplit(gpu, in, size_class{}, 3, ours, offsets);
  const std::vector<u64> begin = offsets.read();
  REQUIRE(begin[1] == two_counts.read()[0]);
  REQUIRE(begin[2] - begin[1] == two_counts.read()[1]);
  CHECK(same(ours, theirs, begin[1]));
  const std::vector<u32> all = ours.read(), middle = medium.read();
  CHECK(std::equal(all.begin() + static_cast<std::ptrdiff_t>(begin[1]),
                   all.begin() + static_cast<std::ptrdiff_t>(begin[2]), middle.begin()));

  const auto ends = thrust::stable_partition_copy(test::on_stream(), in.begin(), in.end(), theirs.begin(),
                                                  their_rest.begin(), is_small{});
  split(gpu, in, is_small{}, ours, our_rest, our_count);
  REQUIRE(only(our_count) == static_cast<u64>(ends.first - theirs.begin()));
  CHECK(same(ours, theirs, only(our_count)));
  CHECK(same(our_rest, their_rest, n - only(our_count)));

  theirs.write(items), ours.write(items);
  thrust::stable_partition(test::on_stream(), theirs.begin(), theirs.end(), is_small{});
  split_in_place(gpu, ours, is_small{}, our_count);
  CHECK(same(ours, theirs));
}

TEST_CASE("DeviceSelect::Unique, ::UniqueByKey, DeviceRunLengthEncode, thrust::unique") {
  std::vector<u32> runs = test::random_below<u32>(n, n / 9);
  std::sort(runs.begin(), runs.end());
  const guarded<u32> in(runs), values(test::random_below<u32>(n, 1000));
  guarded<u32> theirs(n), ours(n), their_values(n), our_values(n);
  const device_value<u64> their_count(test::test_stream()), our_count(test::test_stream());
  const cudaStream_t stream = test::test_stream();
  const exec gpu = allocating(stream);

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::Unique(temporary, bytes, in.data(), theirs.data(), their_count.address(), n, stream);
  });
  unique(gpu, in, ours, our_count);
  REQUIRE(only(our_count) == only(their_count));
  CHECK(same(ours, theirs, only(our_count)));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::UniqueByKey(temporary, bytes, in.data(), values.data(), theirs.data(),
                                          their_values.data(), their_count.address(), n, stream);
  });
  unique_by_key(gpu, in, values, ours, our_values, our_count);
  REQUIRE(only(our_count) == only(their_count));
  CHECK(same(ours, theirs, only(our_count)));
  CHECK(same(our_values, their_values, only(our_count)));

  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(temporary, bytes, in.data(), theirs.data(), their_values.data(),
                                              their_count.address(), static_cast<int>(n), stream);
  });
  run_length_encode(gpu, in, ours, our_values, our_count);
  REQUIRE(only(our_count) == only(their_count));
  CHECK(same(ours, theirs, only(our_count)));
  CHECK(same(our_values, their_values, only(our_count)));

  theirs.write(runs), ours.write(runs);
  const auto end = thrust::unique(test::on_stream(), theirs.begin(), theirs.end());
  unique_in_place(gpu, ours, our_count);
  REQUIRE(only(our_count) == static_cast<u64>(end - theirs.begin()));
  CHECK(same(ours, theirs, only(our_count)));
}

}  // namespace coming_from_cub_selections
