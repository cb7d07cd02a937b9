// On the GPU alone: random calls on random data against Thrust, for as long as one likes.
//
//     BALLOT_STRESS_SECONDS=600 ctest -R gpu.stress -V          5 seconds where it is not set
//     BALLOT_STRESS_SEED=123                                    the seed of the first call; a failure names that of its own
//
// Each call has a seed of its own, from which follow the operation, the type, the length, the spread of the values, the
// alignment and the options.
#include <ballot/ballot.cuh>

#include "support/random_array.cuh"

#include <thrust/copy.h>
#include <thrust/equal.h>
#include <thrust/functional.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>

using namespace ballot;

namespace {

using test::on_stream;
using test::test_stream;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Values of few or many bits: all, the and of several draws, few distinct, ascending, each one forty times in a row or many
// times in all, one.
struct drawn {
  test::mixed from;
  int spread;
  __host__ __device__ u64 operator()(u64 i) const {
    switch (spread) {
      case 0:
        return from(i);
      case 1:
        return from(i) & from(~i);
      case 2:
        return from(i) & from(~i) & from(i ^ 0x5555555555555555u) & from(i + 0x123456789u);
      case 3:
        return from(i) % 5 * 0x0101010101010101u;
      case 4:
        return i << 7;
      case 5:
        return from(i / 40);
      case 6:
        return from(i % 100'003);
      default:
        return from(0);
    }
  }
};
template <class T>
struct drawn_as {
  drawn from;
  __host__ __device__ T operator()(u64 i) const { return static_cast<T>(from(i)); }
};

struct keeps {
  u64 mask, value;
  template <class T>
  __host__ __device__ bool operator()(const T& x) const {
    return (static_cast<u64>(x) & mask) == value;
  }
};
struct is_set {
  __host__ __device__ bool operator()(std::uint8_t flag) const { return flag != 0; }
};
template <class T>
struct bits_of {
  int low;
  u64 mask;
  __host__ __device__ u64 operator()(const T& x) const { return static_cast<u64>(x) >> low & mask; }
};
template <class T>
struct before_in_bits {
  bits_of<T> bits;
  bool descending;
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return descending ? bits(b) < bits(a) : bits(a) < bits(b);
  }
};
struct bucket_of {
  unsigned buckets;
  template <class T>
  __host__ __device__ unsigned operator()(const T& x) const {
    return static_cast<unsigned>(static_cast<u64>(x) % buckets);
  }
};
template <class T>
struct before_in_bucket {
  bucket_of of;
  __host__ __device__ bool operator()(const T& a, const T& b) const { return of(a) < of(b); }
};

struct sparse_flag {
  test::mixed from;
  u64 mask;
  __host__ __device__ std::uint8_t operator()(u64 i) const { return (from(i) & mask) == 0 ? 1 : 0; }
};

// An array on the device whose first item may lie anywhere in a vector.
template <class T>
class placed {
 public:
  placed(u64 n, unsigned shift) : memory_(n + shift, test_stream()), shift_(shift) {}
  T* data() const { return memory_.data() + shift_; }
  std::size_t size() const { return memory_.size() - shift_; }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }

 private:
  device_array<T> memory_;
  unsigned shift_;
};

struct draws {
  std::mt19937_64 random;
  u64 below(u64 n) { return random() % n; }
  // From 0 to 2^24, as many small as large; often beside a multiple of a power of two.
  u64 length() {
    u64 n = random() >> (40 + below(24));
    if (below(3) == 0) n = (n >> 10 << 10) + below(3) - (n >= 1024 ? 1 : 0);
    return n;
  }
  unsigned shift() { return static_cast<unsigned>(below(2) * below(5)); }
};

template <class T>
placed<T> make_items(draws& draw, u64 n) {
  placed<T> items(n, draw.shift());
  const drawn from{{draw.random()}, static_cast<int>(draw.below(8))};
  thrust::transform(on_stream(), thrust::counting_iterator<u64>(0), thrust::counting_iterator<u64>(n), items.begin(),
                    drawn_as<T>{from});
  return items;
}

template <class T>
void check_sort(draws& draw, const exec& where, u64 n) {
  const placed<T> in = make_items<T>(draw, n);
  placed<T> out(n, draw.shift()), want(n, 0);
  placed<u32> places(n, draw.shift()), want_places(n, 0);
  const int width = static_cast<int>(8 * sizeof(T));
  int low = 0, high = width;  // half of all calls sort by whole keys
  if (draw.below(2) == 0) {
    if (draw.below(2) == 0) low = static_cast<int>(draw.below(static_cast<u64>(width)));
    high = low + 1 + static_cast<int>(draw.below(static_cast<u64>(width - low)));
  }
  sort_options options;
  options.direction = draw.below(2) == 0 ? direction::ascending : direction::descending;
  options.bits = {low, high};
  const u64 mask = high - low == 64 ? ~u64{0} : (u64{1} << (high - low)) - 1;
  const before_in_bits<T> before{{low, mask}, options.direction == direction::descending};
  thrust::copy(on_stream(), in.begin(), in.end(), want.begin());
  thrust::copy(on_stream(), thrust::counting_iterator<u32>(0), thrust::counting_iterator<u32>(static_cast<u32>(n)),
               want_places.begin());
  thrust::stable_sort_by_key(on_stream(), want.begin(), want.end(), want_places.begin(), before);
  switch (draw.below(3)) {
    case 0:
      sort(where, in, out, options);
      CHECK(test::equal_items(out.data(), want.data(), n));
      break;
    case 1:
      argsort(where, in, places, options);
      CHECK(test::equal_items(places.data(), want_places.data(), n));
      break;
    default:
      placed<u64> values(n, draw.shift());
      thrust::copy(on_stream(), thrust::counting_iterator<u64>(0), thrust::counting_iterator<u64>(n), values.begin());
      thrust::copy(on_stream(), in.begin(), in.end(), out.begin());
      sort_pairs_in_place(where, out, values, options);
      CHECK(test::equal_items(out.data(), want.data(), n));
      CHECK(thrust::equal(on_stream(), values.begin(), values.end(), want_places.begin()));
  }
}

template <class T>
void check_selection(draws& draw, const exec& where, u64 n) {
  const placed<T> in = make_items<T>(draw, n);
  placed<T> out(n, draw.shift()), rest(n, draw.shift()), want(n, 0), want_rest(n, 0);
  device_value<u64> count(test_stream());
  const u64 mask = (u64{1} << draw.below(4)) - 1;
  const keeps keep{mask, draw.random() & mask};
  placed<std::uint8_t> flags(n, draw.shift());
  thrust::transform(on_stream(), in.begin(), in.end(), flags.begin(), keep);
  const auto ends = thrust::stable_partition_copy(on_stream(), in.begin(), in.end(), flags.begin(), want.begin(),
                                                  want_rest.begin(), is_set{});
  const auto kept = static_cast<u64>(ends.first - want.begin());
  const auto way = draw.below(5);
  CAPTURE(way);
  const byte_flags by_bytes{{flags.data(), flags.size()}};
  if (way == 0) compact(where, in, keep, out, count);
  else if (way == 1) compact(where, in, by_bytes, out, count);
  else if (way == 2) split(where, in, keep, out, rest, count);
  else if (way == 3) split(where, in, by_bytes, out, count);
  else {
    device_array<u32> words((n + 31) / 32, test_stream());
    flag_bits(where, in, keep, words);
    compact(where, in, bit_flags{{words.data(), words.size()}}, out, count);
  }
  REQUIRE(count.read(test_stream()) == kept);
  CHECK(test::equal_items(out.data(), want.data(), kept));
  if (way == 2) CHECK(test::equal_items(rest.data(), want_rest.data(), n - kept));
  if (way == 3) CHECK(test::equal_items(out.data() + kept, want_rest.data(), n - kept));
}

template <class T>
void check_buckets(draws& draw, const exec& where, u64 n) {
  const placed<T> in = make_items<T>(draw, n);
  placed<T> out(n, draw.shift()), want(n, 0);
  const bucket_of of{1 + static_cast<unsigned>(draw.below(256))};
  device_array<u64> offsets(of.buckets + 1, test_stream());
  thrust::copy(on_stream(), in.begin(), in.end(), want.begin());
  thrust::stable_sort(on_stream(), want.begin(), want.end(), before_in_bucket<T>{of});
  multisplit(where, in, of, of.buckets, out, offsets);
  CHECK(test::equal_items(out.data(), want.data(), n));
  CHECK(offsets.read().back() == n);
}

template <class T>
void check_scan(draws& draw, const exec& where, u64 n) {
  const placed<T> in = make_items<T>(draw, n);
  placed<T> out(n, draw.shift()), want(n, 0);
  const auto initial = static_cast<T>(draw.random());
  const auto way = draw.below(4);
  CAPTURE(way);
  if (way == 0) {
    thrust::inclusive_scan(on_stream(), in.begin(), in.end(), want.begin());
    inclusive_scan(where, in, out);
  } else if (way == 1) {
    thrust::exclusive_scan(on_stream(), in.begin(), in.end(), want.begin(), initial);
    exclusive_scan(where, in, out, initial);
  } else if (way == 2) {
    thrust::exclusive_scan(on_stream(), in.begin(), in.end(), want.begin(), initial);
    thrust::copy(on_stream(), in.begin(), in.end(), out.begin());
    exclusive_scan(where, out, out, initial);
  } else {
    // Segments by flags; Thrust's by key, the number of the segment.
    placed<std::uint8_t> flags(n, draw.shift());
    placed<u32> keys(n, 0);
    const u64 mask = (u64{1} << draw.below(12)) - 1;
    const test::mixed from{draw.random()};
    thrust::transform(on_stream(), thrust::counting_iterator<u64>(0), thrust::counting_iterator<u64>(n), flags.begin(),
                      sparse_flag{from, mask});
    thrust::inclusive_scan(on_stream(), flags.begin(), flags.end(), keys.begin(), thrust::plus<u32>());
    thrust::inclusive_scan_by_key(on_stream(), keys.begin(), keys.end(), in.begin(), want.begin());
    segmented_inclusive_scan(where, in, byte_flags{{flags.data(), flags.size()}}, out);
  }
  CHECK(test::equal_items(out.data(), want.data(), n));
}

template <class T>
void check_runs(draws& draw, const exec& where, u64 n) {
  const placed<T> in = make_items<T>(draw, n);
  placed<T> out(n, draw.shift()), want(n, 0);
  device_value<u64> count(test_stream());
  const auto kept =
      static_cast<u64>(thrust::unique_copy(on_stream(), in.begin(), in.end(), want.begin()) - want.begin());
  unique(where, in, out, count);
  REQUIRE(count.read(test_stream()) == kept);
  CHECK(test::equal_items(out.data(), want.data(), kept));
}

template <class T>
void one_call(draws& draw, const exec& where) {
  const u64 n = draw.length();
  CAPTURE(n);
  switch (draw.below(6)) {
    case 0:
    case 1:
      return check_sort<T>(draw, where, n);
    case 2:
      return check_selection<T>(draw, where, n);
    case 3:
      return check_buckets<T>(draw, where, n);
    case 4:
      return check_scan<T>(draw, where, n);
    default:
      return check_runs<T>(draw, where, n);
  }
}

u64 number_from(const char* variable, u64 otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("random calls as Thrust does them") {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::seconds(number_from("BALLOT_STRESS_SECONDS", 5));
  const u64 first = number_from("BALLOT_STRESS_SEED", std::random_device{}());
  const exec where = allocating(test_stream());
  u64 seed = first;
  for (; clock::now() < end; ++seed) {
    CAPTURE(seed);
    draws draw{std::mt19937_64(seed)};
    switch (draw.below(3)) {
      case 0:
        one_call<std::uint8_t>(draw, where);
        break;
      case 1:
        one_call<u32>(draw, where);
        break;
      default:
        one_call<u64>(draw, where);
        break;
    }
  }
  const u64 calls = seed - first;
  MESSAGE(calls << " calls, seeds " << first << " to " << seed);
}
