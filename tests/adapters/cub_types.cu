// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: calls of CUB whose results have another type than the items, with function
// objects that take the items alone. Their bodies do not compile for the results. So the adapter
// must not ask them about the results when it looks for ballot's call.
#include <ballot/adapters/cub.cuh>
#include <ballot/adapters/thrust.cuh>

#include "support/cub_call.hpp"

#include <cuda/std/functional>

using ballot::test::by_cub;
using ballot::test::guarded;

namespace adapters_cub_types {

using u32 = std::uint32_t;
namespace ours = ballot::adapters::cub;

cudaStream_t stream() { return ballot::test::test_stream(); }

struct item {
  u32 weight;
};
struct result {
  u32 value = 0;
  result() = default;
  __host__ __device__ result(item from) : value(from.weight) {}
};
// No result type is stated, so to ask for it is to compile the body.
struct is_odd {
  template <class T>
  __host__ __device__ auto operator()(const T& x) const {
    return x.weight % 2 != 0;
  }
};
struct same_tens {
  template <class T>
  __host__ __device__ auto operator()(const T& a, const T& b) const {
    return a.weight / 10 == b.weight / 10;
  }
};
struct add_weights {
  template <class T>
  __host__ __device__ auto operator()(const T& a, const T& b) const {
    return T{a.weight + b.weight};
  }
};

std::vector<item> items(std::size_t n) {
  std::vector<item> all;
  for (const u32 x : ballot::test::random_below<u32>(n, 30)) all.push_back({x});
  return all;
}
std::vector<u32> values(const guarded<result>& out, std::size_t n) {
  std::vector<u32> all;
  for (const result& one : out.read()) all.push_back(one.value);
  all.resize(n);
  return all;
}

constexpr std::size_t sizes[] = {1, 1000, 100'003};

TEST_CASE("adapters: selections and partitions into results of another type") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::vector<item> in = items(n);
    const guarded<item> from(in);
    const guarded<result> out(n);
    const guarded<int> count(1);
    std::vector<u32> odd, even;
    for (const item& one : in) (one.weight % 2 != 0 ? odd : even).push_back(one.weight);
    const item* const data = from.data();

    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceSelect::If(t, s, data, out.data(), count.data(), n, is_odd{}, stream());
    });
    REQUIRE(count.read()[0] == static_cast<int>(odd.size()));
    CHECK(values(out, odd.size()) == odd);

    by_cub([&](void* t, std::size_t& s) {
      return ours::DevicePartition::If(t, s, data, out.data(), count.data(), n, is_odd{}, stream());
    });
    REQUIRE(count.read()[0] == static_cast<int>(odd.size()));
    odd.insert(odd.end(), even.rbegin(), even.rend());
    CHECK(values(out, n) == odd);
  }
}

TEST_CASE("adapters: UniqueByKey with keys of another type") {
  const std::vector<item> in{{11}, {12}, {25}, {31}, {38}, {12}};
  const guarded<item> keys(in);
  const guarded<u32> numbers(std::vector<u32>{1, 2, 3, 4, 5, 6}), numbers_out(in.size());
  const guarded<result> keys_out(in.size());
  const guarded<int> runs(1);
  by_cub([&](void* t, std::size_t& s) {
    return ours::DeviceSelect::UniqueByKey(t, s, keys.data(), numbers.data(), keys_out.data(), numbers_out.data(),
                                           runs.data(), static_cast<int>(in.size()), same_tens{}, stream());
  });
  REQUIRE(runs.read()[0] == 4);
  CHECK(values(keys_out, 4) == std::vector<u32>{11, 25, 31, 12});
  const std::vector<u32> left = numbers_out.read();
  CHECK(std::vector(left.begin(), left.begin() + 4) == std::vector<u32>{1, 3, 4, 6});
}

TEST_CASE("adapters: scans and reductions into results of another type") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::vector<item> in = items(n);
    const guarded<item> from(in);
    const guarded<result> out(n), one(1);
    std::vector<u32> before(n);
    u32 sum = 5;
    for (std::size_t i = 0; i < n; ++i) {
      before[i] = sum;
      sum += in[i].weight;
    }
    const item* const data = from.data();
    const auto items = static_cast<int>(n);

    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceReduce::Reduce(t, s, data, one.data(), items, add_weights{}, item{5}, stream());
    });
    CHECK(values(one, 1) == std::vector{sum});
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceReduce::TransformReduce(t, s, data, one.data(), items, add_weights{}, ::cuda::std::identity{},
                                                 item{5}, stream());
    });
    CHECK(values(one, 1) == std::vector{sum});
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceScan::ExclusiveScan(t, s, data, out.data(), add_weights{}, item{5}, items, stream());
    });
    CHECK(values(out, n) == before);

    const guarded<int> key(std::vector{7}), key_out(1), runs(1);
    by_cub([&](void* t, std::size_t& s) {
      return ours::DeviceReduce::ReduceByKey(t, s, key.data(), key_out.data(), data, one.data(), runs.data(),
                                             add_weights{}, 1, stream());
    });
    CHECK(values(one, 1) == std::vector{in[0].weight});
  }
}

TEST_CASE("adapters: Thrust's scan into results of another type") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::vector<item> in = items(n);
    const guarded<item> from(in);
    const guarded<result> out(n);
    std::vector<u32> sums(n);
    u32 sum = 0;
    for (std::size_t i = 0; i < n; ++i) sums[i] = sum += in[i].weight;
    const item* const data = from.data();
    thrust::inclusive_scan(ballot::on(stream()), data, data + n, out.data(), add_weights{});
    CHECK(values(out, n) == sums);
  }
}

}  // namespace adapters_cub_types
