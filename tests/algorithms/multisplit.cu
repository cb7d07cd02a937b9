// SPDX-License-Identifier: Apache-2.0
// Multisplit against std::stable_sort by bucket: numbers of buckets, skewed and missing buckets,
// several columns, many tiles, short outputs, lengths on the device, errors.
#include <ballot/multisplit.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

#include <numeric>

using namespace ballot;

namespace algorithms_multisplit {

// Signed, so that some items have a bucket below 0 and some one past the last.
struct top_bits {
  int least, range;
  BALLOT_HOST_DEVICE int operator()(std::uint32_t item) const { return least + static_cast<int>(item >> 16) % range; }
};
struct by_both {
  BALLOT_HOST_DEVICE std::uint64_t operator()(std::uint32_t a, const double& b) const {
    return (a >> 3 & 1u) + (b > 0.5 ? 2u : 0u);
  }
};

// Nearly all in one bucket: a warp's rows meet in one count.
struct skewed_buckets {
  BALLOT_HOST_DEVICE int operator()(std::uint32_t k) const { return k % 100 == 0 ? 150 : 7; }
};

struct answer {
  std::vector<std::uint64_t> order, offsets;  // input positions, bucket by bucket
};
template <class BucketOf>
answer serial_multisplit(std::size_t n, unsigned buckets, const BucketOf& bucket_of_position) {
  answer a;
  for (unsigned b = 0; b < buckets; ++b) {
    a.offsets.push_back(a.order.size());
    for (std::size_t i = 0; i < n; ++i)
      if (bucket_of_position(i) == static_cast<long long>(b)) a.order.push_back(i);
  }
  a.offsets.push_back(a.order.size());
  return a;
}

template <class T>
bool begins_with(const test::guarded<T>& out, const std::vector<T>& of, const std::vector<std::uint64_t>& order) {
  const auto got = out.read();
  for (std::size_t i = 0; i < got.size(); ++i)
    if (i < order.size() ? !(got[i] == of[order[i]]) : !test::is_dirt(got[i])) return false;
  return true;
}

TEST_CASE("multisplit at every length, for 1 to 256 buckets") {
  using T = std::uint32_t;
  std::vector<std::size_t> lengths = test::lengths_around(detail::multisplit_shape<T>::more::items);
  for (const std::size_t n : {1023, 1024, 1025}) lengths.push_back(n);  // up to so many in another shape
  for (std::size_t n : lengths) {
    CAPTURE(n);
    for (unsigned buckets : {1u, 2u, 3u, 8u, 9u, 33u, 256u}) {
      if (n > 100 && n % 2 == 0 && buckets != 3) continue;
      CAPTURE(buckets);
      const auto items = test::random_items<T>(n, buckets);
      const top_bits of{buckets > 2 ? -1 : 0, static_cast<int>(buckets) + 3};
      const answer want = serial_multisplit(n, buckets, [&](std::size_t i) { return of(items[i]); });
      test::for_each_schedule([&] {
        const test::guarded<T> in(items, n % 3);
        test::guarded<T> out(n);
        test::guarded<std::uint64_t> offsets(buckets + 2);
        const test::unaligned_scratch scratch(multisplit_scratch_bytes<T>(n, buckets));
        test::directly_and_captured([&] { out.fill_dirt(), offsets.fill_dirt(); },
                                    [&] { multisplit(scratch.where(), in, of, buckets, out, offsets); },
                                    [&] {
                                      CHECK(begins_with(out, items, want.order));
                                      const auto got = offsets.read();
                                      CHECK(std::equal(want.offsets.begin(), want.offsets.end(), got.begin()));
                                      CHECK(test::is_dirt(got.back()));
                                    });
        scratch.check_guards();
      });
    }
  }
}

TEST_CASE("multisplit of three columns by two of them, with positions; short outputs; many tiles") {
  using tile = block::tile_shape<256, 2, 1>;
  using small = detail::multisplit_shapes<tile, detail::one_block_shape<256, 1>, detail::one_block_shape<256, 1>,
                                          detail::bucket_sweep_shape<256, 2, 1>>;
  const std::size_t n = tile::items * 20 + 77;
  const auto keys = test::random_items<std::uint32_t>(n, 9);
  std::vector<double> weights(n);
  std::vector<std::uint32_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(keys[i] % 777) / 777;
  std::iota(ids.begin(), ids.end(), 0u);
  const answer want =
      serial_multisplit(n, 4, [&](std::size_t i) { return static_cast<long long>(by_both{}(keys[i], weights[i])); });
  const answer skewed = serial_multisplit(n, 200, [&](std::size_t i) { return skewed_buckets{}(keys[i]); });
  test::for_each_schedule([&] {
    const test::guarded<std::uint32_t> key(keys);
    const test::guarded<double> weight(weights);
    test::guarded<std::uint32_t> key_out(n), id_out(n / 3);
    test::guarded<double> weight_out(n);
    test::guarded<std::uint64_t> offsets(5), many(201);
    const exec where = allocating(test::test_stream());
    multisplit(where, zip{key, weight}, by_both{}, 4, zip{key_out, weight_out}, offsets);
    CHECK(begins_with(key_out, keys, want.order));
    CHECK(begins_with(weight_out, weights, want.order));
    CHECK(offsets.read() == want.offsets);

    key_out.fill_dirt(), weight_out.fill_dirt();  // of the four buckets, two are none
    const answer fewer =
        serial_multisplit(n, 2, [&](std::size_t i) { return static_cast<long long>(by_both{}(keys[i], weights[i])); });
    multisplit(where, zip{key, weight}, by_both{}, 2, zip{key_out, weight_out}, std::span(offsets.data(), 3));
    CHECK(begins_with(key_out, keys, fewer.order));
    CHECK(begins_with(weight_out, weights, fewer.order));

    key_out.fill_dirt();
    const auto inputs = detail::as_inputs(zip{key, positions(n)});
    detail::launch_multisplit<small>(
        where, detail::length_of(inputs),
        detail::make_device_columns<1>(inputs, detail::as_outputs(zip{key_out, id_out}), std::tuple()),
        detail::make_buckets(on_first{skewed_buckets{}}, inputs), 200, many.data(), "test");
    CHECK(begins_with(key_out, keys, skewed.order));
    CHECK(begins_with(id_out, ids, skewed.order));
    CHECK(many.read() == skewed.offsets);
  });
}

TEST_CASE("multisplit by one block: several columns, a short output, lengths on the device") {
  using T = std::uint32_t;
  const std::size_t n = 900;
  CHECK(detail::multisplit_way_of<detail::multisplit_shape<T>>(n, 3) == detail::multisplit_way::one_block);
  const auto keys = test::random_items<T>(n, 9);
  std::vector<std::uint64_t> weights(n);
  std::vector<T> ids(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = std::uint64_t{keys[i]} << 20;
  std::iota(ids.begin(), ids.end(), 0u);
  const top_bits of{-1, 5};
  test::for_each_schedule([&] {
    const test::guarded<T> key(keys);
    const test::guarded<std::uint64_t> weight(weights);
    test::guarded<T> key_out(n), id_out(n / 3);
    test::guarded<std::uint64_t> weight_out(n), offsets(4), length(1);
    for (const std::size_t there : {std::size_t{0}, n / 2, n}) {
      CAPTURE(there);
      length.write({there});
      const answer want = serial_multisplit(there, 3, [&](std::size_t i) { return of(keys[i]); });
      key_out.fill_dirt(), weight_out.fill_dirt(), id_out.fill_dirt(), offsets.fill_dirt();
      multisplit(exec(test::test_stream(), {}), zip{counted{key, length.data()}, weight, positions(n)}, on_first{of}, 3,
                 zip{key_out, weight_out, id_out}, offsets);
      CHECK(begins_with(key_out, keys, want.order));
      CHECK(begins_with(weight_out, weights, want.order));
      CHECK(begins_with(id_out, ids, want.order));
      CHECK(offsets.read() == want.offsets);
    }
  });
}

// Always a sweep.
struct sweeps : detail::multisplit_shapes<block::tile_shape<256, 1, 1>, detail::one_block_shape<256, 1>,
                                          detail::one_block_shape<256, 1>, detail::bucket_sweep_shape<256, 2, 1>> {
  static constexpr std::uint64_t least_sweep_items = 1;
  static constexpr unsigned least_sweep_buckets = 1;
};
template <class In, class BucketOf, class Out>
void sweep(const exec& where, const In& in, const BucketOf& bucket_of, unsigned buckets, Out&& out,
           const device_count& offsets) {
  const auto inputs = detail::as_inputs(in);
  const auto n = detail::length_of(inputs);
  CHECK(detail::multisplit_way_of<sweeps>(n.capacity, buckets) == detail::multisplit_way::sweep);
  detail::launch_multisplit<sweeps>(where, n,
                                    detail::make_device_columns<1>(inputs, detail::as_outputs(out), std::tuple()),
                                    detail::make_buckets(bucket_of, inputs), buckets, offsets, "test");
}

TEST_CASE("multisplit by a sweep: around tiles, of items without a bucket, of one frequent bucket") {
  using T = std::uint32_t;
  constexpr std::size_t tile = sweeps::sweep::items;
  for (std::size_t n : {std::size_t{257}, tile - 1, tile, tile + 1, 2 * tile, 5 * tile + 77, 23 * tile + 1}) {
    CAPTURE(n);
    for (unsigned buckets : {1u, 3u, 33u, 256u}) {
      CAPTURE(buckets);
      const auto items = test::random_items<T>(n, buckets);
      const auto check = [&](const auto& of) {
        const answer want = serial_multisplit(n, buckets, [&](std::size_t i) { return of(items[i]); });
        test::for_each_schedule([&] {
          const test::guarded<T> in(items, n % 3);
          test::guarded<T> out(n);
          test::guarded<std::uint64_t> offsets(buckets + 2);
          const test::unaligned_scratch scratch(
              detail::bytes_at_any_address(detail::multisplit_bytes<sweeps>(n, buckets)));
          sweep(scratch.where(), in, of, buckets, out, offsets.data());
          CHECK(begins_with(out, items, want.order));
          const auto got = offsets.read();
          CHECK(std::equal(want.offsets.begin(), want.offsets.end(), got.begin()));
          CHECK(test::is_dirt(got.back()));
          scratch.check_guards();
        });
      };
      check(top_bits{buckets > 2 ? -1 : 0, static_cast<int>(buckets) + 3});
      if (buckets == 256) check(skewed_buckets{});
    }
  }
}

TEST_CASE("multisplit by a sweep: several columns, short outputs, lengths on the device") {
  const std::size_t n = sweeps::sweep::items * 7 + 77;
  const auto keys = test::random_items<std::uint32_t>(n, 9);
  std::vector<double> weights(n);
  std::vector<std::uint32_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = static_cast<double>(keys[i] % 777) / 777;
  std::iota(ids.begin(), ids.end(), 0u);
  test::for_each_schedule([&] {
    const test::guarded<std::uint32_t> key(keys);
    const test::guarded<double> weight(weights);
    test::guarded<std::uint32_t> key_out(n), id_out(n / 3);
    test::guarded<double> weight_out(n);
    test::guarded<std::uint64_t> offsets(4), length(1);
    const exec where = allocating(test::test_stream());
    for (std::size_t there : {std::size_t{0}, std::size_t{1}, n / 2, n, n + 5}) {
      length.write({there});
      const answer want = serial_multisplit(
          std::min(there, n), 3, [&](std::size_t i) { return static_cast<long long>(by_both{}(keys[i], weights[i])); });
      key_out.fill_dirt(), weight_out.fill_dirt(), id_out.fill_dirt();
      sweep(where, zip{counted{key, length.data()}, weight}, by_both{}, 3, zip{key_out, weight_out}, offsets.data());
      CHECK(begins_with(key_out, keys, want.order));
      CHECK(begins_with(weight_out, weights, want.order));
      CHECK(offsets.read() == want.offsets);
    }
    key_out.fill_dirt();
    test::guarded<std::uint64_t> many(201);
    const answer skewed = serial_multisplit(n, 200, [&](std::size_t i) { return skewed_buckets{}(keys[i]); });
    sweep(where, zip{key, positions(n)}, on_first{skewed_buckets{}}, 200, zip{key_out, id_out}, many.data());
    CHECK(begins_with(key_out, keys, skewed.order));
    CHECK(begins_with(id_out, ids, skewed.order));
    CHECK(many.read() == skewed.offsets);
  });
}

TEST_CASE("multisplit of a length on the device; bad arguments are errors before any work") {
  using T = std::uint32_t;
  const std::size_t n = 9000;
  const auto items = test::random_items<T>(n, 2);
  const top_bits of{0, 3};
  test::for_each_schedule([&] {
    test::guarded<T> in(items), out(n);
    test::guarded<std::uint64_t> offsets(4), length(1);
    const exec where = allocating(test::test_stream());
    const test::unaligned_scratch small(multisplit_scratch_bytes<T>(n, 3) - 2);
    const std::span<T> null(static_cast<T*>(nullptr), n);
    const auto refused = [&](const auto& call) { CHECK_THROWS_AS(call(), invalid_argument); };
    refused([&] { multisplit(where, in, of, 0, out, offsets); });
    refused([&] { multisplit(where, in, of, 257, out, std::span<std::uint64_t>(offsets.data(), 300)); });
    refused([&] { multisplit(where, in, of, 4, out, offsets); });
    refused([&] { multisplit(where, in, of, 3, in, offsets); });
    refused([&] { multisplit(where, null, of, 3, out, offsets); });
    refused([&] { multisplit(where, in, of, 3, null, offsets); });
    refused([&] { multisplit(where, zip{in, in}, on_first{of}, 3, zip{out, out}, offsets); });
    refused([&] { multisplit(small.where(), in, of, 3, out, offsets); });
    CHECK(test::is_dirt(out.read()[0]));
    CHECK(test::is_dirt(offsets.read()[0]));
    for (std::size_t there : {std::size_t{0}, std::size_t{4999}, n + 5}) {
      length.write({there});
      const answer want = serial_multisplit(std::min(there, n), 3, [&](std::size_t i) { return of(items[i]); });
      out.fill_dirt();
      multisplit(where, counted{in, length.data()}, of, 3, out, offsets);
      CHECK(begins_with(out, items, want.order));
      CHECK(offsets.read() == want.offsets);
    }
  });
}

}  // namespace algorithms_multisplit
