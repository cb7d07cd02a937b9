// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: selections of CUB and Thrust within a range, by a stencil, of unwanted items,
// and calls that only ask about a range. Each is compared with the call of ballot that
// docs/coming-from-cub.md names, and the results are equal.
#include <ballot/compact.cuh>
#include <ballot/count_if.cuh>
#include <ballot/flag_bits.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include "support/cub_call.hpp"

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

using namespace ballot;
using test::by_cub;
using test::guarded;
using test::same;

namespace coming_from_cub_stencils {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t n = 100'003;

struct is_hit {
  __host__ __device__ bool operator()(u32 x) const { return x < 300; }
};
struct is_no_hit {
  __host__ __device__ bool operator()(u32 x) const { return x >= 300; }
};
struct is_seven {
  __host__ __device__ bool operator()(u32 x) const { return x == 7; }
};
struct is_not_seven {
  __host__ __device__ bool operator()(u32 x) const { return x != 7; }
};
struct is_set {
  __host__ __device__ bool operator()(u8 flag) const { return flag != 0; }
};
struct in_order {
  __host__ __device__ bool operator()(u32 before, u32 item) const { return !(item < before); }
};
struct never_back {
  __host__ __device__ bool operator()(u32 before, u32 item) const { return is_hit{}(before) || !is_hit{}(item); }
};

u64 only(const device_value<u64>& count) { return count.read(test::test_stream()); }

// The data of all cases.
struct selection {
  std::vector<u32> items = test::random_below<u32>(n, 1000);
  guarded<u32> in{items}, theirs{n}, ours{n}, their_rest{n}, our_rest{n};
  guarded<u8> flags{test::random_below<u8>(n, 2)};
  device_value<u64> their_count{test::test_stream()}, our_count{test::test_stream()};
  cudaStream_t stream = test::test_stream();
  exec gpu = allocating(stream);

  void begin_anew() { theirs.write(items), ours.write(items); }
  void check(u64 count) {
    REQUIRE(only(our_count) == count);
    CHECK(same(ours, theirs, count));
  }
};

TEST_CASE("two phases, and one") {
  const selection s;
  const guarded<u32>&in = s.in, &out = s.theirs;
  const device_value<u64>& count = s.their_count;
  const cudaStream_t stream = s.stream;
  void* temporary = nullptr;
  // As on the page:
  std::size_t bytes = 0;
  cub::DeviceSelect::If(nullptr, bytes, in.data(), out.data(), count.address(), n, is_hit{}, stream);
  cudaMallocAsync(&temporary, bytes, stream);
  cub::DeviceSelect::If(temporary, bytes, in.data(), out.data(), count.address(), n, is_hit{}, stream);
  cudaFreeAsync(temporary, stream);
  // So far.
  compact(s.gpu, in, is_hit{}, s.ours, s.our_count);
  REQUIRE(only(s.our_count) == only(count));
  CHECK(same(s.ours, out, only(count)));
}

TEST_CASE("DeviceSelect in place: If, Flagged, FlaggedIf") {
  selection s;
  s.begin_anew();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::If(temporary, bytes, s.theirs.data(), s.their_count.address(), n, is_hit{}, s.stream);
  });
  compact_in_place(s.gpu, s.ours, is_hit{}, s.our_count);
  s.check(only(s.their_count));

  s.begin_anew();
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(temporary, bytes, s.theirs.data(), s.flags.data(), s.their_count.address(), n,
                                      s.stream);
  });
  compact_in_place(s.gpu, s.ours, byte_flags{s.flags}, s.our_count);
  s.check(only(s.their_count));

  s.begin_anew();
  guarded<u32> words((n + 31) / 32);
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceSelect::FlaggedIf(temporary, bytes, s.theirs.data(), s.flags.data(), s.their_count.address(), n,
                                        is_set{}, s.stream);
  });
  flag_bits(s.gpu, s.flags, is_set{}, words);
  compact_in_place(s.gpu, s.ours, bit_flags{words}, s.our_count);
  s.check(only(s.their_count));
}

TEST_CASE("DevicePartition::Flagged, thrust::partition, partition_copy, stable_partition by a stencil") {
  selection s;
  by_cub([&](void* temporary, std::size_t& bytes) {
    return cub::DevicePartition::Flagged(temporary, bytes, s.in.data(), s.flags.data(), s.theirs.data(),
                                         s.their_count.address(), n, s.stream);
  });
  split(s.gpu, s.in, byte_flags{s.flags}, s.ours, s.our_count);
  const auto kept = static_cast<std::ptrdiff_t>(only(s.our_count));
  REQUIRE(only(s.our_count) == only(s.their_count));
  std::vector<u32> reversed = s.theirs.read();  // CUB's rejects come in reverse, ours in their order
  std::reverse(reversed.begin() + kept, reversed.end());
  CHECK(s.ours.read() == reversed);

  s.begin_anew();
  thrust::stable_partition(test::on_stream(), s.theirs.begin(), s.theirs.end(), s.flags.begin(), is_set{});
  split_in_place(s.gpu, s.ours, byte_flags{s.flags}, s.our_count);
  CHECK(same(s.ours, s.theirs));

  // Without a promise of order: the same items, in any.
  const auto ends = thrust::partition_copy(test::on_stream(), s.in.begin(), s.in.end(), s.theirs.begin(),
                                           s.their_rest.begin(), is_hit{});
  split(s.gpu, s.in, is_hit{}, s.ours, s.our_rest, s.our_count);
  const u64 hits = only(s.our_count);
  REQUIRE(hits == static_cast<u64>(ends.first - s.theirs.begin()));
  const auto sorted = [&](const guarded<u32>& all, u64 count) {
    std::vector<u32> some = all.read();
    some.resize(count);
    std::sort(some.begin(), some.end());
    return some;
  };
  CHECK(sorted(s.ours, hits) == sorted(s.theirs, hits));
  CHECK(sorted(s.our_rest, n - hits) == sorted(s.their_rest, n - hits));
  s.begin_anew();
  const auto middle = thrust::partition(test::on_stream(), s.theirs.begin(), s.theirs.end(), is_hit{});
  split_in_place(s.gpu, s.ours, is_hit{}, s.our_count);
  REQUIRE(only(s.our_count) == static_cast<u64>(middle - s.theirs.begin()));
  CHECK(sorted(s.ours, hits) == sorted(s.theirs, hits));

  // Calls that only ask: about a range that is partitioned now, and about one that is not.
  count_if(s.gpu, s.ours, is_hit{}, s.our_count);
  CHECK(only(s.our_count) ==
        static_cast<u64>(thrust::partition_point(test::on_stream(), s.ours.begin(), s.ours.end(), is_hit{}) -
                         s.ours.begin()));
  for (const guarded<u32>* range : {&s.ours, &s.in}) {
    unique(s.gpu, *range, never_back{}, std::span<u32>{}, s.our_count);
    CHECK((only(s.our_count) == 1) ==
          thrust::is_partitioned(test::on_stream(), range->begin(), range->end(), is_hit{}));
  }
}

TEST_CASE("thrust::remove, remove_copy, remove_copy_if, by a stencil; copy_if by a stencil") {
  selection s;
  s.begin_anew();
  auto end = thrust::remove(test::on_stream(), s.theirs.begin(), s.theirs.end(), u32{7});
  compact_in_place(s.gpu, s.ours, is_not_seven{}, s.our_count);
  s.check(static_cast<u64>(end - s.theirs.begin()));

  end = thrust::remove_copy(test::on_stream(), s.in.begin(), s.in.end(), s.theirs.begin(), u32{7});
  compact(s.gpu, s.in, is_not_seven{}, s.ours, s.our_count);
  s.check(static_cast<u64>(end - s.theirs.begin()));

  end = thrust::remove_copy_if(test::on_stream(), s.in.begin(), s.in.end(), s.theirs.begin(), is_hit{});
  compact(s.gpu, s.in, is_no_hit{}, s.ours, s.our_count);
  s.check(static_cast<u64>(end - s.theirs.begin()));

  end =
      thrust::remove_copy_if(test::on_stream(), s.in.begin(), s.in.end(), s.flags.begin(), s.theirs.begin(), is_set{});
  compact(s.gpu, s.in, byte_flags{s.flags, true}, s.ours, s.our_count);
  s.check(static_cast<u64>(end - s.theirs.begin()));

  s.begin_anew();
  end = thrust::remove_if(test::on_stream(), s.theirs.begin(), s.theirs.end(), s.flags.begin(), is_set{});
  compact_in_place(s.gpu, s.ours, byte_flags{s.flags, true}, s.our_count);
  s.check(static_cast<u64>(end - s.theirs.begin()));

  end = thrust::copy_if(test::on_stream(), s.in.begin(), s.in.end(), s.flags.begin(), s.theirs.begin(), is_set{});
  compact(s.gpu, s.in, byte_flags{s.flags}, s.ours, s.our_count);
  s.check(static_cast<u64>(end - s.theirs.begin()));
}

TEST_CASE("thrust::count, all_of, any_of, none_of") {
  selection s;
  count_if(s.gpu, s.in, is_seven{}, s.our_count);
  const u64 count = only(s.our_count);
  CHECK(count == static_cast<u64>(thrust::count(test::on_stream(), s.in.begin(), s.in.end(), u32{7})));
  CHECK((count == n) == thrust::all_of(test::on_stream(), s.in.begin(), s.in.end(), is_seven{}));
  CHECK((count != 0) == thrust::any_of(test::on_stream(), s.in.begin(), s.in.end(), is_seven{}));
  CHECK((count == 0) == thrust::none_of(test::on_stream(), s.in.begin(), s.in.end(), is_seven{}));
}

TEST_CASE("thrust::unique_copy, unique_count, unique_by_key, unique_by_key_copy, is_sorted, is_sorted_until") {
  selection s;
  std::sort(s.items.begin(), s.items.end());
  s.in.write(s.items);
  auto end = thrust::unique_copy(test::on_stream(), s.in.begin(), s.in.end(), s.theirs.begin());
  unique(s.gpu, s.in, s.ours, s.our_count);
  s.check(static_cast<u64>(end - s.theirs.begin()));
  unique(s.gpu, s.in, std::span<u32>{}, s.our_count);
  CHECK(only(s.our_count) == static_cast<u64>(thrust::unique_count(test::on_stream(), s.in.begin(), s.in.end())));

  const std::vector<u32> all_values = test::random_below<u32>(n, 1000, 2);
  guarded<u32> values(all_values), values_out(n);
  auto ends = thrust::unique_by_key_copy(test::on_stream(), s.in.begin(), s.in.end(), values.begin(), s.theirs.begin(),
                                         s.their_rest.begin());
  unique_by_key(s.gpu, s.in, values, s.ours, s.our_rest, s.our_count);
  s.check(static_cast<u64>(ends.first - s.theirs.begin()));
  CHECK(same(s.our_rest, s.their_rest, only(s.our_count)));

  s.begin_anew();
  unique_by_key(s.gpu, s.ours, values, std::span<u32>{}, values_out, s.our_count);
  unique_in_place(s.gpu, s.ours, s.our_count);
  ends = thrust::unique_by_key(test::on_stream(), s.theirs.begin(), s.theirs.end(), values.begin());
  s.check(static_cast<u64>(ends.first - s.theirs.begin()));
  CHECK(same(values_out, values, only(s.our_count)));

  guarded<u32> until(2);
  guarded<u32> unsorted(test::random_below<u32>(n, 1000, 3));
  for (const guarded<u32>* range : {&s.in, &unsorted}) {
    run_offsets(s.gpu, *range, in_order{}, std::span<u32>{}, until, s.our_count);
    CHECK((only(s.our_count) == 1) == thrust::is_sorted(test::on_stream(), range->begin(), range->end()));
    CHECK(until.read()[1] ==
          static_cast<u64>(thrust::is_sorted_until(test::on_stream(), range->begin(), range->end()) - range->begin()));
  }
}

}  // namespace coming_from_cub_stencils
