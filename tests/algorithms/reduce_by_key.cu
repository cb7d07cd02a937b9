// SPDX-License-Identifier: Apache-2.0
// reduce_by_key against a loop: sizes around a tile, lengths of runs, operators that do not
// commute, types, zips, short outputs, lengths on the device.
#include <ballot/reduce_by_key.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/views.hpp"

#include <algorithm>

using namespace ballot;

namespace algorithms_reduce_by_key {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Keys in runs of random lengths up to `longest`; 1: each a run of its own.
template <class K>
std::vector<K> keys_in_runs(std::size_t n, u32 longest, u32 seed) {
  std::vector<K> keys(n);
  const std::vector<u32> random = test::random_items<u32>(n + 1, seed);
  K key{};
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (left == 0) {
      left = 1 + random[i] % longest;
      key = static_cast<K>(key + 1 + random[i] / 7 % 3);
    }
    --left;
    keys[i] = key;
  }
  return keys;
}

template <class K, class T>
struct runs {
  std::vector<K> keys;
  std::vector<T> results;
};
template <class K, class V, class T, class Same, class Op>
runs<K, T> serial(const std::vector<K>& keys, const std::vector<V>& values, std::size_t there, Same same, Op op, T) {
  runs<K, T> all;
  for (std::size_t i = 0; i < there; ++i) {
    if (i == 0 || !same(keys[i - 1], keys[i])) {
      all.keys.push_back(keys[i]);
      all.results.push_back(static_cast<T>(values[i]));
    } else {
      all.results.back() = static_cast<T>(op(all.results.back(), static_cast<T>(values[i])));
    }
  }
  return all;
}

// The results are there, and behind them nothing was written.
template <class T>
bool is_front(const std::vector<T>& got, const std::vector<T>& want) {
  bool ok = true;
  for (std::size_t i = 0; i < got.size(); ++i)
    ok &= i < want.size() ? std::memcmp(&got[i], &want[i], sizeof(T)) == 0 : test::is_dirt(got[i]);
  return ok;
}

// As if there were more items: in tiles of the larger shapes.
constexpr detail::runs_limits middle_twice{0, ~u64{0}, ~u64{0}}, usual_twice{0, 0, ~u64{0}}, launched_once{0, 0, 0};
template <class K, class T, class V, class Same, class Op>
void reduce_in_large_tiles(const exec& gpu, const detail::length& length, const test::guarded<K>& keys,
                           const test::guarded<V>& values, Same same, Op op, test::guarded<K>& keys_out,
                           test::guarded<T>& results, device_count count, detail::runs_limits limits) {
  const detail::scratch_lease lease(gpu, detail::reduce_runs_bytes<K, T>(length.capacity), "test");
  const auto make_heads = [&]<class Shape>(std::type_identity<Shape>) {
    return detail::heads_by_key<K, Same>{keys.data(), detail::as_output(keys_out), same,
                                         block::aligned_vectors_of<K, Shape::width>(keys.data())};
  };
  detail::launch_runs<false, K, T>(
      gpu.stream(), lease.base(), length, make_heads, detail::make_run_values<T>(std::tuple{detail::as_input(values)}),
      T{}, detail::make_run_operator<T>(op), detail::make_run_results(std::tuple{detail::as_output(results)}), count,
      "test", limits);
}

template <class K, class V, class T, class Same = equal_to, class Op = plus>
void check(const std::vector<K>& keys, const std::vector<V>& values, std::size_t there, std::size_t room_keys,
           std::size_t room_results, std::size_t shift, Same same = {}, Op op = {}) {
  const std::size_t n = keys.size();
  CAPTURE(n);
  CAPTURE(there);
  const runs<K, T> want = serial(keys, values, there, same, op, T{});
  test::for_schedules_by_size(n, [&] {
    const test::guarded<K> keys_in(keys, shift);
    const test::guarded<V> in(values, (shift + 1) % 3);
    test::guarded<K> keys_out(std::min(room_keys, n), shift % 2);
    test::guarded<T> results(std::min(room_results, n), (shift + 2) % 3);
    test::guarded<u64> count(1), length(std::vector<u64>{there});
    const test::exact_scratch scratch(reduce_by_key_scratch_bytes<K, T>(n));
    test::directly_and_captured([&] { keys_out.fill_dirt(), results.fill_dirt(), count.fill_dirt(); },
                                [&] {
                                  if (there == n)
                                    reduce_by_key(scratch.where(), keys_in, in, same, op, keys_out, results,
                                                  count.data());
                                  else
                                    reduce_by_key(scratch.where(), counted{keys_in, length.data()}, in, same, op,
                                                  keys_out, results, count.data());
                                },
                                [&] {
                                  CHECK(count.read()[0] == want.keys.size());
                                  CHECK(is_front(keys_out.read(), want.keys));
                                  CHECK(is_front(results.read(), want.results));
                                });
    for (const detail::runs_limits limits : {middle_twice, usual_twice, launched_once}) {
      keys_out.fill_dirt(), results.fill_dirt(), count.fill_dirt();
      reduce_in_large_tiles<K, T>(scratch.where(), detail::length{n, length.data()}, keys_in, in, same, op, keys_out,
                                  results, count.data(), limits);
      CHECK(count.read()[0] == want.keys.size());
      CHECK(is_front(keys_out.read(), want.keys));
      CHECK(is_front(results.read(), want.results));
    }
    scratch.check_guards();
  });
}
template <class K, class V, class T>
void check_all(std::size_t n, u32 longest, std::size_t shift = 0) {
  check<K, V, T>(keys_in_runs<K>(n, longest, 3), test::random_items<V>(n, 4), n, n, n, shift);
}

TEST_CASE("reduce_by_key: sizes around a tile, lengths of runs") {
  using shapes = detail::runs_shapes<u32, u32>;
  for (const std::size_t n : test::lengths_around(shapes::many::items))
    for (const u32 longest : {1u, 5u, 100'000u}) check_all<u32, u32, u32>(n, longest, n % 3);
  for (const std::size_t n : {shapes::many::items + 1, 3 * shapes::few::items, 40 * shapes::few::items + 7})
    for (const u32 longest : {1u, 40u, 3000u, 1'000'000u}) check_all<u32, u32, u32>(n, longest);
}

TEST_CASE("reduce_by_key: many tiles of the larger shape") {
  const std::size_t n = detail::runs_shapes<u32, u32>::most_few + 5001;
  for (const u32 longest : {1u, 2000u, 90'000u}) check_all<u32, u32, u32>(n, longest);
}

// Keys and values have addresses of their own. Sums of floats have the same bits at all of them.
template <class K, class V>
void check_addresses(std::size_t n, u32 longest) {
  CAPTURE(n);
  CAPTURE(longest);
  const auto keys = keys_in_runs<K>(n, longest, 3);
  const auto values = test::random_items<u32>(n, 4);
  const std::vector<V> items(values.begin(), values.end());
  const auto want = serial(keys, items, n, equal_to{}, plus{}, V{});
  for (const detail::runs_limits limits : {middle_twice, usual_twice, launched_once}) {
    std::vector<V> first;
    for (const std::size_t of_keys : {0, 1, 2, 3})
      for (const std::size_t of_values : {0, 1, 2, 3}) {
        CAPTURE(of_keys);
        CAPTURE(of_values);
        const test::guarded<K> keys_in(keys, of_keys);
        const test::guarded<V> in(items, of_values);
        test::guarded<K> keys_out(n);
        test::guarded<V> results(n);
        test::guarded<u64> count(1);
        keys_out.fill_dirt(), results.fill_dirt();
        const test::exact_scratch scratch(reduce_by_key_scratch_bytes<K, V>(n));
        reduce_in_large_tiles<K, V>(scratch.where(), detail::length{n, nullptr}, keys_in, in, equal_to{}, plus{},
                                    keys_out, results, count.data(), limits);
        CHECK(count.read()[0] == want.keys.size());
        CHECK(is_front(keys_out.read(), want.keys));
        if constexpr (std::is_integral_v<V>) {
          CHECK(is_front(results.read(), want.results));
        } else {
          const std::vector<V> got = results.read();
          if (first.empty()) first = got;
          CHECK(std::memcmp(got.data(), first.data(), n * sizeof(V)) == 0);
          CHECK(std::abs(got[0] / want.results[0] - 1) < V(1e-3));
        }
      }
  }
}
TEST_CASE("reduce_by_key: keys and values that begin anywhere") {
  test::for_some_schedules([] {
    for (const u32 longest : {1u, 60u, 9000u}) {
      check_addresses<u32, u32>(2 * detail::runs_shapes<u32, u32>::many::items + 5, longest);
      check_addresses<u32, float>(3 * detail::runs_shapes<u32, float>::many::items + 3, longest);
      check_addresses<u64, double>(2 * detail::runs_shapes<u64, double>::many::items + 9, longest);
    }
  });
}

TEST_CASE("reduce_by_key: types of keys and results") {
  check_all<std::uint8_t, u32, u64>(20'000, 30);
  check_all<u64, std::uint8_t, u32>(20'000, 9, 1);
  check_all<u64, u64, u64>(9'000, 2000);
  check_all<std::uint16_t, std::uint16_t, std::uint16_t>(30'000, 4, 1);
}

// An operator that does not commute: composition of x -> a x + b modulo 2^32.
struct affine {
  u32 a, b;
};
struct compose {
  BALLOT_HOST_DEVICE affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
};
template <class T>
std::vector<T> as_items(const std::vector<u32>& random) {
  std::vector<T> items(random.size() * sizeof(u32) / sizeof(T));
  std::memcpy(static_cast<void*>(items.data()), random.data(), items.size() * sizeof(T));
  return items;
}
TEST_CASE("reduce_by_key: an operator that does not commute, on every size") {
  for (const std::size_t n : {1, 33, 1000, 2500, 2561, 5120, 100'003}) {
    const auto values = as_items<affine>(test::random_items<u32>(2 * n, 8));
    for (const u32 longest : {1u, 7u, 700u, 200'000u})
      check<u32, affine, affine>(keys_in_runs<u32>(n, longest, 9), values, n, n, n, 1, equal_to{}, compose{});
  }
}

// The operands of bytes are added as int.
struct promoting_plus {
  BALLOT_HOST_DEVICE int operator()(std::uint8_t a, std::uint8_t b) const { return a + b; }
};
TEST_CASE("reduce_by_key: an operator that gives another type") {
  const std::size_t n = 9'000;
  for (const u32 longest : {3u, 700u})
    check<u32, std::uint8_t, std::uint8_t>(keys_in_runs<u32>(n, longest, 3), test::random_items<std::uint8_t>(n, 4), n,
                                           n, n, 0, equal_to{}, promoting_plus{});
}

// Values of 32 bytes.
struct four {
  u64 x[4];
};
struct add_and_turn {  // does not commute
  BALLOT_HOST_DEVICE four operator()(const four& a, const four& b) const {
    return {{a.x[0] * b.x[0], b.x[0] * a.x[1] + b.x[1], a.x[2] + b.x[2], b.x[3]}};
  }
};
TEST_CASE("reduce_by_key: results of 32 bytes") {
  const std::size_t n = 3001;
  const auto values = as_items<four>(test::random_items<u32>(8 * n, 5));
  for (const u32 longest : {1u, 5u, 9000u})
    check<u32, four, four>(keys_in_runs<u32>(n, longest, 2), values, n, n, n, 0, equal_to{}, add_and_turn{});
}

struct same_tens {
  BALLOT_HOST_DEVICE bool operator()(u32 before, u32 key) const { return before / 10 == key / 10; }
};
TEST_CASE("reduce_by_key: an equality of the caller's, lengths on the device, short outputs") {
  const std::size_t n = 7000;
  const auto keys = keys_in_runs<u32>(n, 3, 1);
  const auto values = test::random_items<u32>(n, 2);
  check<u32, u32, u32>(keys, values, n, n, n, 0, same_tens{}, maximum{});
  for (const std::size_t there : {0, 1, 3071, 3072, 3073, 6999}) check<u32, u32, u64>(keys, values, there, n, n, 1);
  check<u32, u32, u32>(keys, values, n, 5, 2000, 0);
  check<u32, u32, u32>(keys, values, n, 2000, 0, 0);
}

TEST_CASE("reduce_by_key: of a zip, with an operator for each range") {
  const std::size_t n = 9001;
  const auto keys = keys_in_runs<u32>(n, 50, 1);
  const auto first = test::random_items<u32>(n, 2);
  const auto second = test::random_items<std::uint8_t>(n, 3);
  const auto sums = serial(keys, first, n, equal_to{}, plus{}, u64{});
  const auto least = serial(keys, first, n, equal_to{}, minimum{}, u32{});
  const auto bits = serial(keys, second, n, equal_to{}, bit_xor{}, u32{});
  test::for_each_schedule([&] {
    const test::guarded<u32> keys_in(keys), a(first);
    const test::guarded<std::uint8_t> b(second);
    test::guarded<u32> keys_out(n), least_out(n), bits_out(7);
    test::guarded<u64> sums_out(n);
    test::guarded<std::int32_t> count(1);
    const test::exact_scratch scratch(reduce_by_key_scratch_bytes<u32, u64, u32, u32>(n));
    keys_out.fill_dirt(), sums_out.fill_dirt(), least_out.fill_dirt(), bits_out.fill_dirt();
    reduce_by_key(scratch.where(), keys_in, zip{a, a, b}, each{plus{}, minimum{}, bit_xor{}}, keys_out,
                  zip{sums_out, least_out, bits_out}, count.data());
    CHECK(count.read()[0] == static_cast<std::int32_t>(sums.keys.size()));
    CHECK(is_front(keys_out.read(), sums.keys));
    CHECK(is_front(sums_out.read(), sums.results));
    CHECK(is_front(least_out.read(), least.results));
    CHECK(bits_out.read() == std::vector<u32>(bits.results.begin(), bits.results.begin() + 7));
    reduce_by_key(scratch.where(), keys_in, zip{a, a, b}, maximum{}, keys_out, zip{sums_out, least_out, bits_out},
                  count.data());
    CHECK(is_front(least_out.read(), serial(keys, first, n, equal_to{}, maximum{}, u32{}).results));
    scratch.check_guards();
  });
}

struct upper_bits {
  __host__ __device__ u32 operator()(u32 x) const { return x >> 30; }
};

// Keys of four kinds, so that runs are short; values as they are, converted, and in a zip beside an
// array and a view. Keys and values, in both shapes of tile.
TEST_CASE("reduce_by_key: each kind of view") {
  using shapes = detail::runs_shapes<u32, u64>;
  for (const std::size_t all :
       {std::size_t{1}, std::size_t{shapes::few::items} + 9, std::size_t{3} * shapes::many::items - 1}) {
    test::for_each_view(all, all % 2, [&](const std::string& name, const auto& view, const std::vector<u32>& items) {
      const std::size_t n = items.size();
      CAPTURE(n);
      CAPTURE(name);
      const auto plain = test::random_items<std::uint8_t>(n, 8);
      std::vector<u32> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = upper_bits{}(items[i]);
      const auto want = serial(keys, items, n, equal_to{}, plus{}, u64{});
      const auto lengths = serial(keys, std::vector<u32>(n, 1), n, equal_to{}, plus{}, u32{});
      const auto bytes = serial(keys, plain, n, equal_to{}, plus{}, u32{});
      const transformed keys_in{view, upper_bits{}};
      test::for_some_schedules([&] {
        const test::guarded<std::uint8_t> array(plain);
        test::guarded<u32> keys_out(n), lengths_out(n), bytes_out(n);
        test::guarded<u64> sums(n), count(1), length(std::vector<u64>{n});
        const auto check = [&] {
          CHECK(count.read()[0] == want.keys.size());
          CHECK(is_front(keys_out.read(), want.keys));
          CHECK(is_front(sums.read(), want.results));
          keys_out.fill_dirt(), sums.fill_dirt(), count.fill_dirt();
        };
        const test::exact_scratch scratch(reduce_by_key_scratch_bytes<u32, u64>(n));
        reduce_by_key(scratch.where(), keys_in, view, keys_out, sums, count.data());
        check();
        reduce_by_key(scratch.where(), counted{keys_in, length.data()}, view, keys_out, sums, count.data());
        check();
        const detail::scratch_lease lease(scratch.where(), detail::reduce_runs_bytes<u32, u64>(n), "test");
        const auto make_heads = [&]<class Shape>(std::type_identity<Shape>) {
          return detail::heads_by_key<u32, equal_to, detail::output<u32>, std::remove_const_t<decltype(keys_in)>>{
              keys_in, detail::as_output(keys_out), {}, {}};
        };
        detail::launch_runs<false, u32, u64>(test::test_stream(), lease.base(), detail::length{n, nullptr}, make_heads,
                                             detail::make_run_values<u64>(std::tuple{detail::as_input(view)}), u64{},
                                             detail::make_run_operator<u64>(plus{}),
                                             detail::make_run_results(std::tuple{detail::as_output(sums)}),
                                             count.data(), "test", {0, 0, 0});
        check();
        const test::exact_scratch more(reduce_by_key_scratch_bytes<u32, u64, u32, u32>(n));
        reduce_by_key(more.where(), keys_in, zip{view, array, constant{1u, n}}, plus{}, keys_out,
                      zip{sums, bytes_out, lengths_out}, count.data());
        check();
        CHECK(is_front(bytes_out.read(), bytes.results));
        CHECK(is_front(lengths_out.read(), lengths.results));
        bytes_out.fill_dirt(), lengths_out.fill_dirt();
      });
    });
  }
}

// The order of additions is fixed, so every schedule, and every run on a GPU, gives the same bits.
TEST_CASE("reduce_by_key: sums of floats have the same bits on every run") {
  const std::size_t n = 150'000;
  const test::guarded<u32> keys(keys_in_runs<u32>(n, 60'000, 7));
  std::vector<float> items(n);
  const auto random = test::random_items<u32>(n, 3);
  for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<float>(random[i]) * 1e-3f - 1e6f;
  const test::guarded<float> values(items);
  test::guarded<u32> keys_out(n);
  test::guarded<float> sums(n);
  test::guarded<u32> count(1);
  std::vector<float> first;
  test::for_each_schedule([&] {
    for (int run = 0; run < 3; ++run) {
      reduce_by_key(allocating(test::test_stream()), keys, values, keys_out, sums, count.data());
      std::vector<float> got = sums.read();
      got.resize(count.read()[0]);
      if (first.empty()) first = got;
      CHECK(std::memcmp(first.data(), got.data(), got.size() * sizeof(float)) == 0);
    }
  });
}

}  // namespace algorithms_reduce_by_key
