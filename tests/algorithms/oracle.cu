// On the GPU alone: lengths that the emulator cannot reach, against Thrust on the device, and lengths beyond 2^32.
#include <ballot/ballot.cuh>

#include "support/largest.hpp"
#include "support/random_array.cuh"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

using namespace ballot;

namespace {

struct below {
  std::uint64_t limit;
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return x < limit;
  }
};

using test::equal_items;
using test::on_stream;
using test::random_array;

// Whether the device has that much memory free; says so where it has not.
bool room_for(std::uint64_t bytes) {
  std::size_t free = 0, total = 0;
  simt::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  if (free > bytes + (std::uint64_t{1} << 30)) return true;
  MESSAGE("left out: needs " << (bytes >> 30) << " GiB of device memory, " << (free >> 30) << " GiB are free");
  return false;
}

std::vector<std::uint64_t> lengths() {
  std::vector<std::uint64_t> all{(1u << 20) - 1, (1u << 22) + 12345, (1u << 26) + 7};
  std::erase_if(all, [](std::uint64_t n) { return n >> (test::at_most_largest_power(32) + 1) != 0; });
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("device scan as Thrust does it", T, std::int32_t, std::uint64_t) {
  for (std::uint64_t n : lengths()) {
    CAPTURE(n);
    const auto in = random_array<T>(n, n);
    device_array<T> out(n, test::test_stream()), want(n, test::test_stream());
    exclusive_scan(allocating(test::test_stream()), in, out, T(3));
    thrust::exclusive_scan(on_stream(), in.begin(), in.end(), want.begin(), T(3));
    CHECK(equal_items(out.data(), want.data(), n));
    inclusive_scan(allocating(test::test_stream()), in, out);
    thrust::inclusive_scan(on_stream(), in.begin(), in.end(), want.begin());
    CHECK(equal_items(out.data(), want.data(), n));
  }
}

TEST_CASE_TEMPLATE("compact and split as Thrust does it", T, std::uint8_t, std::uint32_t, std::uint64_t) {
  for (std::uint64_t n : lengths()) {
    CAPTURE(n);
    const auto in = random_array<T>(n, n + 1);
    for (double part : {0.01, 0.5, 0.97}) {
      CAPTURE(part);
      const below keep{static_cast<std::uint64_t>(part * static_cast<double>(std::numeric_limits<T>::max()))};
      device_array<T> out(n, test::test_stream()), rest(n, test::test_stream()), want(n, test::test_stream()),
          want_rest(n, test::test_stream());
      device_value<std::uint64_t> count(test::test_stream());
      const exec where = allocating(test::test_stream());
      const auto ends =
          thrust::stable_partition_copy(on_stream(), in.begin(), in.end(), want.begin(), want_rest.begin(), keep);
      const auto kept = static_cast<std::uint64_t>(ends.first - want.begin());

      compact(where, in, keep, out, count);
      REQUIRE(count.read(test::test_stream()) == kept);
      CHECK(equal_items(out.data(), want.data(), kept));
      split(where, in, keep, out, rest, count);
      REQUIRE(count.read(test::test_stream()) == kept);
      CHECK(equal_items(out.data(), want.data(), kept));
      CHECK(equal_items(rest.data(), want_rest.data(), n - kept));
      split(where, in, keep, out, count);
      REQUIRE(count.read(test::test_stream()) == kept);
      CHECK(equal_items(out.data(), want.data(), kept));
      CHECK(equal_items(out.data() + kept, want_rest.data(), n - kept));
    }
  }
}

TEST_CASE_TEMPLATE("sort as Thrust does it", K, std::uint32_t, std::int64_t) {
  for (std::uint64_t n : lengths()) {
    CAPTURE(n);
    const auto in = random_array<K>(n, n + 2);
    device_array<K> out(n, test::test_stream()), want(n, test::test_stream());
    device_array<std::uint32_t> order(n, test::test_stream()), want_order(n, test::test_stream());
    const exec where = allocating(test::test_stream());
    thrust::copy(on_stream(), in.begin(), in.end(), want.begin());
    thrust::copy(on_stream(), thrust::counting_iterator<std::uint32_t>(0),
                 thrust::counting_iterator<std::uint32_t>(std::uint32_t(n)), want_order.begin());
    thrust::stable_sort_by_key(on_stream(), want.begin(), want.end(), want_order.begin());
    sort(where, in, out);
    CHECK(equal_items(out.data(), want.data(), n));
    argsort(where, in, order);
    CHECK(equal_items(order.data(), want_order.data(), n));
  }
}

TEST_CASE("more than 2^32 items: scan, compact, and a sort of several portions") {
  const std::uint64_t n = (std::uint64_t{1} << 32) + 77;
  if (test::at_most_largest_power(32) < 32 || !room_for(5 * n)) return;
  const auto in = random_array<std::uint8_t>(n, 5);
  device_array<std::uint8_t> out(n, test::test_stream());
  device_value<std::uint64_t> count(test::test_stream());
  const exec where = allocating(test::test_stream());

  const below keep{100};
  compact(where, in, keep, out, count);
  const auto kept = static_cast<std::uint64_t>(thrust::count_if(on_stream(), in.begin(), in.end(), keep));
  REQUIRE(count.read(test::test_stream()) == kept);
  CHECK(thrust::all_of(on_stream(), out.begin(), out.begin() + kept, keep));
  device_array<std::uint8_t> want(kept, test::test_stream());
  thrust::copy_if(on_stream(), in.begin(), in.end(), want.begin(), keep);
  CHECK(equal_items(out.data(), want.data(), kept));

  sort(where, in, out);
  CHECK(thrust::is_sorted(on_stream(), out.begin(), out.end()));
  for (int digit : {0, 1, 128, 255})
    CHECK(thrust::count(on_stream(), out.begin(), out.end(), digit) ==
          thrust::count(on_stream(), in.begin(), in.end(), digit));

  // Sums modulo 2^8: a wrong prefix anywhere shows in all that follows.
  device_array<std::uint8_t> sums(n, test::test_stream());
  inclusive_scan(where, in, sums);
  thrust::inclusive_scan(on_stream(), in.begin(), in.end(), out.begin());
  CHECK(equal_items(sums.data(), out.data(), n));
}

// The widths of tile states change at 2^31 items.
TEST_CASE("run lengths around 2^31 items, and of more than 2^32") {
  const std::uint64_t most = (std::uint64_t{1} << 32) + 77, half = std::uint64_t{1} << 31;
  if (test::at_most_largest_power(32) < 32 || !room_for(most)) return;
  const exec where = allocating(test::test_stream());
  device_value<std::uint64_t> count(test::test_stream());
  {
    const std::vector<std::uint64_t> heads{0, 5, 4'000'000, half - 2, half - 1, half, half + 9, most - 1};
    device_array<std::uint8_t> in(most, test::test_stream());
    for (std::size_t i = 0; i < heads.size(); ++i)
      simt::fill_bytes(test::test_stream(), in.data() + heads[i], static_cast<int>(i), most - heads[i]);
    for (std::uint64_t n : {half - 1, half, half + 1, most}) {
      CAPTURE(n);
      std::vector<std::uint64_t> want;
      for (std::size_t i = 0; i < heads.size() && heads[i] < n; ++i)
        want.push_back((i + 1 < heads.size() && heads[i + 1] < n ? heads[i + 1] : n) - heads[i]);
      test::guarded<std::uint8_t> values(want.size());
      test::guarded<std::uint64_t> lengths(want.size());
      run_length_encode(where, std::span<const std::uint8_t>(in.data(), n), values, lengths, count);
      REQUIRE(count.read(test::test_stream()) == want.size());
      CHECK(lengths.read() == want);
    }
  }
  const auto in = random_array<std::uint8_t>(most, 7);
  const std::span<std::uint8_t> no_values;
  const std::span<std::uint64_t> no_lengths;
  for (std::uint64_t n : {half - 1, most}) {
    CAPTURE(n);
    const auto runs = static_cast<std::uint64_t>(
        thrust::inner_product(on_stream(), in.begin() + 1, in.begin() + n, in.begin(), std::uint64_t{1},
                              thrust::plus<std::uint64_t>(), thrust::not_equal_to<std::uint8_t>()));
    run_length_encode(where, std::span<const std::uint8_t>(in.data(), n), no_values, no_lengths, count);
    CHECK(count.read(test::test_stream()) == runs);
  }
}
