// SPDX-License-Identifier: Apache-2.0
// On the GPU alone: more than 2^32 items, against Thrust or by what must hold of a result.
#include <ballot/compact.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/scan.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/split.cuh>
#include <ballot/split_in_place.cuh>
#include <ballot/unique.cuh>

#include "support/random_array.cuh"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/logical.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>

using namespace ballot;

namespace algorithms_oracle_large {

using test::equal_items;
using test::on_stream;
using test::random_array;
using test::room_for;

constexpr std::uint64_t beyond = (std::uint64_t{1} << 32) + 77;

struct below {
  unsigned limit;
  __host__ __device__ bool operator()(std::uint8_t x) const { return x < limit; }
};
struct not_below {
  unsigned limit;
  __host__ __device__ bool operator()(std::uint8_t x) const { return x >= limit; }
};
struct upper_bits {
  __host__ __device__ unsigned operator()(std::uint8_t x) const { return x >> 5; }
};
struct has_upper_bits {
  unsigned bits;
  __host__ __device__ bool operator()(std::uint8_t x) const { return upper_bits{}(x) == bits; }
};

// The items that a predicate keeps, as Thrust copies them, lie at `found`; returns how many there
// are.
template <class Keep>
std::uint64_t same_as_copied(const device_array<std::uint8_t>& in, Keep keep, const std::uint8_t* found,
                             device_array<std::uint8_t>& room) {
  const auto end = thrust::copy_if(on_stream(), in.begin(), in.end(), room.begin(), keep);
  const auto kept = static_cast<std::uint64_t>(end - room.begin());
  CHECK(equal_items(found, room.data(), kept));
  return kept;
}

// Whether a function of the position says so for all of n.
template <class Right>
bool all_positions(std::uint64_t n, Right right) {
  return static_cast<std::uint64_t>(thrust::count_if(on_stream(), thrust::counting_iterator<std::uint64_t>(0),
                                                     thrust::counting_iterator<std::uint64_t>(n), right)) == n;
}

// Each position's key is below the next one's, or they are the same and the next position is the
// larger one. That all are in range then makes them a permutation, and a stable one.
struct in_stable_order {
  const std::uint8_t* keys;
  const std::uint64_t* order;
  std::uint64_t n;
  __device__ bool operator()(std::uint64_t i) const {
    const std::uint64_t a = order[i];
    if (a >= n) return false;
    if (i + 1 == n) return true;
    const std::uint64_t b = order[i + 1];
    return b < n && (keys[a] < keys[b] || (keys[a] == keys[b] && a < b));
  }
};

// Segments of 1000 items, except one of 3 million and one of the last 12 million, which begins
// below 2^32.
struct some_segments {
  static constexpr std::uint64_t length = 1000, begin = 1'000'000'000, end = begin + 3'000'000,
                                 last = beyond / length * length - 12'000'000;
  static constexpr std::uint64_t before = begin / length + 1, number = before + (last - end) / length + 1;

  __host__ __device__ std::uint64_t offset(std::uint64_t segment) const {
    return segment < before ? segment * length : end + (segment - before) * length;
  }
  __host__ __device__ std::uint64_t begin_of(std::uint64_t i) const {
    return i >= last ? last : i >= begin && i < end ? begin : i / length * length;
  }
  __host__ __device__ std::uint64_t operator()(std::uint64_t segment) const { return offset(segment); }
};
static_assert(some_segments::last < std::uint64_t{1} << 32 && some_segments::end < some_segments::last);

struct in_order_within_segments {
  const std::uint8_t* keys;
  std::uint64_t n;
  __device__ bool operator()(std::uint64_t i) const {
    return i + 1 == n || some_segments{}.begin_of(i + 1) == i + 1 || keys[i] <= keys[i + 1];
  }
};
// A number for an item and its segment, as good as random: sums of it are the same for the same
// items in each segment.
struct mark_of_item {
  const std::uint8_t* keys;
  __device__ std::uint64_t operator()(std::uint64_t i) const {
    return test::mixed{7}(some_segments{}.begin_of(i) << 8 | keys[i]);
  }
};
std::uint64_t sum_of_marks(const device_array<std::uint8_t>& keys) {
  return thrust::transform_reduce(on_stream(), thrust::counting_iterator<std::uint64_t>(0),
                                  thrust::counting_iterator<std::uint64_t>(keys.size()), mark_of_item{keys.data()},
                                  std::uint64_t{0}, thrust::plus<std::uint64_t>());
}

TEST_CASE("more than 2^32 items: scan, compact, and a sort of several portions") {
  const std::uint64_t n = (std::uint64_t{1} << 32) + 77;
  if (!room_for(5 * n)) return;
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
  if (!room_for(2 * most)) return;
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

TEST_CASE("more than 2^32 items: split, into two outputs and into one") {
  const std::uint64_t n = beyond;
  if (!room_for(6 * n)) return;
  const auto in = random_array<std::uint8_t>(n, 8);
  device_array<std::uint8_t> kept(n, test::test_stream()), rest(n, test::test_stream()), room(n, test::test_stream());
  device_value<std::uint64_t> count(test::test_stream());
  const exec where = allocating(test::test_stream());
  const unsigned limit = 200;

  split(where, in, below{limit}, kept, rest, count);
  const std::uint64_t number = same_as_copied(in, below{limit}, kept.data(), room);
  CHECK(count.read(test::test_stream()) == number);
  CHECK(same_as_copied(in, not_below{limit}, rest.data(), room) == n - number);

  split(where, in, below{limit}, room, count);
  CHECK(count.read(test::test_stream()) == number);
  CHECK(equal_items(room.data(), kept.data(), number));
  CHECK(equal_items(room.data() + number, rest.data(), n - number));
}

TEST_CASE("more than 2^32 items: compact and split in place") {
  const std::uint64_t n = beyond;
  if (!room_for(4 * n)) return;
  const auto in = random_array<std::uint8_t>(n, 9);
  device_array<std::uint8_t> items(n, test::test_stream()), room(n, test::test_stream());
  device_value<std::uint64_t> count(test::test_stream());
  const exec where = allocating(test::test_stream());
  const unsigned limit = 100;

  simt::copy_bytes(test::test_stream(), items.data(), in.data(), n);
  compact_in_place(where, items, not_below{limit}, count);
  CHECK(count.read(test::test_stream()) == same_as_copied(in, not_below{limit}, items.data(), room));

  simt::copy_bytes(test::test_stream(), items.data(), in.data(), n);
  split_in_place(where, items, below{limit}, count);
  const std::uint64_t number = same_as_copied(in, below{limit}, items.data(), room);
  CHECK(count.read(test::test_stream()) == number);
  CHECK(same_as_copied(in, not_below{limit}, items.data() + number, room) == n - number);
}

TEST_CASE("more than 2^32 items: multisplit") {
  const std::uint64_t n = beyond;
  constexpr unsigned buckets = 8;
  if (!room_for(3 * n + multisplit_scratch_bytes<std::uint8_t>(n, buckets))) return;
  const auto in = random_array<std::uint8_t>(n, 10);
  device_array<std::uint8_t> out(n, test::test_stream()), room(n, test::test_stream());
  test::guarded<std::uint64_t> offsets(buckets + 1);
  multisplit(allocating(test::test_stream()), in, upper_bits{}, buckets, out, offsets);
  const auto begins = offsets.read();
  REQUIRE(begins.front() == 0);
  REQUIRE(begins.back() == n);
  for (unsigned b = 0; b < buckets; ++b) {
    CAPTURE(b);
    REQUIRE(begins[b] <= begins[b + 1]);
    REQUIRE(begins[b + 1] <= n);
    REQUIRE(static_cast<std::uint64_t>(thrust::count_if(on_stream(), in.begin(), in.end(), has_upper_bits{b})) ==
            begins[b + 1] - begins[b]);
    same_as_copied(in, has_upper_bits{b}, out.data() + begins[b], room);
  }
}

TEST_CASE("more than 2^32 items: an order, of indices of 64 bits") {
  const std::uint64_t n = beyond;
  if (!room_for(n + n * sizeof(std::uint64_t) + argsort_scratch_bytes<std::uint8_t, std::uint64_t>(n))) return;
  const auto keys = random_array<std::uint8_t>(n, 11);
  device_array<std::uint64_t> order(n, test::test_stream());
  argsort(allocating(test::test_stream()), keys, order);
  CHECK(all_positions(n, in_stable_order{keys.data(), order.data(), n}));
}

TEST_CASE("more than 2^32 items: sort within segments") {
  const std::uint64_t n = beyond;
  if (!room_for(3 * n + segmented_sort_scratch_bytes<std::uint8_t>(n))) return;
  const auto in = random_array<std::uint8_t>(n, 12);
  device_array<std::uint8_t> out(n, test::test_stream());
  device_array<std::uint64_t> offsets(some_segments::number, test::test_stream());
  thrust::transform(on_stream(), thrust::counting_iterator<std::uint64_t>(0),
                    thrust::counting_iterator<std::uint64_t>(some_segments::number), offsets.begin(), some_segments{});
  segmented_sort(allocating(test::test_stream()), in, offsets, out);
  CHECK(all_positions(n, in_order_within_segments{out.data(), n}));
  CHECK(sum_of_marks(out) == sum_of_marks(in));
}

}  // namespace algorithms_oracle_large
