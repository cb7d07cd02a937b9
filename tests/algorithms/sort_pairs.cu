// SPDX-License-Identifier: Apache-2.0
// Sort of pairs and argsort against a stable sort: values of every size, stability, lengths on the
// device, errors.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#if !BALLOT_EMULATED
#  include <thrust/copy.h>
#  include <thrust/device_vector.h>
#  include <thrust/fill.h>
#  include <cuda/std/span>
#endif

#include <numeric>

using namespace ballot;
using test::in_order;

namespace algorithms_sort_pairs {

template <int Bytes>
struct record {
  unsigned char byte[Bytes];
  friend bool operator==(const record&, const record&) = default;
};

template <class K, class V>
struct of {
  using key = K;
  using value = V;
};

TEST_CASE_TEMPLATE("sort pairs, stable, out of place and in place", Types, of<std::uint32_t, std::uint32_t>,
                   of<float, std::int64_t>, of<std::int64_t, float>, of<double, double>,
                   of<std::uint8_t, std::uint32_t>, of<std::uint16_t, std::uint8_t>, of<double, std::uint16_t>,
                   of<std::uint16_t, record<3>>, of<std::uint32_t, record<7>>, of<std::uint8_t, record<2>>,
                   of<std::uint64_t, record<8>>, of<std::uint32_t, record<12>>, of<std::uint64_t, record<40>>) {
  const test::each_way_of_sorting ways;
  using K = typename Types::key;
  using V = typename Types::value;
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, test::many_blocks_keys<K> + 33}) {
    CAPTURE(n);
    auto words = test::random_items<ordered_bits_t<K>>(n, 31);
    for (auto& w : words)
      w = static_cast<ordered_bits_t<K>>(w & static_cast<ordered_bits_t<K>>(0x8080808080808003u));  // many equal keys
    const auto keys = test::keys_as<K>(words);
    std::vector<V> values = test::random_items<V>(n, 32);
    if constexpr (std::is_floating_point_v<V>)
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<V>(i);  // comparable: no NaNs
    for (direction d : {direction::ascending, direction::descending}) {
      if (d == direction::descending && n > 1) continue;
      const sort_options options{.direction = d};
      const auto order = test::serial_argsort(keys, options);
      const auto want_keys = test::as_words(in_order(keys, order));
      const auto want_values = in_order(values, order);
      test::for_some_schedules([&] {
        const test::guarded<K> in(keys);
        const test::guarded<V> values_in(values);
        test::guarded<K> out(n), keys_in_place(keys);
        test::guarded<V> values_out(n), values_in_place(values);
        const test::exact_scratch scratch(sort_pairs_scratch_bytes<K, V>(n)),
            own(sort_pairs_in_place_scratch_bytes<K, V>(n));
        test::directly_and_captured([&] { out.fill_dirt(), values_out.fill_dirt(); },
                                    [&] { sort_pairs(scratch.where(), in, values_in, out, values_out, options); },
                                    [&] {
                                      CHECK(test::as_words(out.read()) == want_keys);
                                      CHECK(values_out.read() == want_values);
                                    });
        sort_pairs_in_place(own.where(), keys_in_place, values_in_place, options);
        CHECK(test::as_words(keys_in_place.read()) == want_keys);
        CHECK(values_in_place.read() == want_values);
        scratch.check_guards();
        own.check_guards();
      });
    }
  }
}

TEST_CASE_TEMPLATE("argsort", Types, of<std::uint32_t, std::uint32_t>, of<float, std::uint64_t>,
                   of<std::uint8_t, std::uint64_t>, of<std::int64_t, std::uint32_t>) {
  const test::each_way_of_sorting ways;
  using K = typename Types::key;
  using I = typename Types::value;
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, test::many_blocks_keys<K> + 3}) {
    CAPTURE(n);
    auto words = test::random_items<ordered_bits_t<K>>(n, 33);
    for (auto& w : words) w = static_cast<ordered_bits_t<K>>(w & static_cast<ordered_bits_t<K>>(0x80808080808080c1u));
    const auto keys = test::keys_as<K>(words);
    for (bit_range bits : {bit_range{}, bit_range{0, 8}, bit_range{1, 8 * sizeof(K)}}) {
      const sort_options options{direction::ascending, bits};
      const auto order = test::serial_argsort(keys, options);
      const std::vector<I> want(order.begin(), order.end());
      test::for_some_schedules([&] {
        const test::guarded<K> in(keys);
        test::guarded<I> out(n);
        const test::exact_scratch scratch(argsort_scratch_bytes<K, I>(n));
        argsort(scratch.where(), in, out, options);
        CHECK(out.read() == want);
        CHECK(test::as_words(in.read()) == words);
        scratch.check_guards();
        out.fill_dirt();
        test::guarded<K> sorted(n);
        const test::exact_scratch for_keys(sort_pairs_scratch_bytes<K, I>(n));
        argsort(for_keys.where(), in, sorted, out, options);
        CHECK(out.read() == want);
        CHECK(test::as_words(sorted.read()) == test::as_words(test::serial_sort(keys, options)));
        for_keys.check_guards();
      });
    }
  }
}

TEST_CASE("sort pairs of a length on the device, in portions over many tiles") {
  const test::each_way_of_sorting ways;
  using U = std::uint32_t;
  using small = detail::radix_shape<256, 1>;
  const std::size_t capacity = small::items * 12 + 5;
  const auto keys = test::keys_of_entropy<U>(capacity, 4, 34);
  test::for_each_schedule([&] {
    const test::guarded<U> in(keys);
    test::guarded<std::uint64_t> length(1);
    for (std::size_t n : {std::size_t{0}, std::size_t{2000}, capacity})
      for (std::uint64_t portion : {detail::radix_portion_items, std::uint64_t{small::items * 5}}) {
        CAPTURE(n);
        CAPTURE(portion);
        length.write({n});
        const auto order = test::serial_argsort(std::vector<U>(keys.begin(), keys.begin() + std::ptrdiff_t(n)), {});
        test::guarded<U> out(capacity), indices(capacity);
        test::guarded<std::byte> scratch(
            detail::radix_scratch_bytes_in_shape<U, U, small>(capacity, detail::sort_mode::out_of_place, portion));
        detail::launch_radix_sort_in_shape<U, U, small>(
            test::test_stream(), scratch.data(),
            {detail::as_input(counted{in, length.data()}), out.data(), nullptr, indices.data()}, key_codec<U>{},
            {0, 32}, portion);
        const auto got = indices.read();
        CHECK(std::equal(order.begin(), order.end(), got.begin()));
        CHECK(std::all_of(got.begin() + std::ptrdiff_t(n), got.end(), [](U i) { return test::is_dirt(i); }));
      }
  });
}

TEST_CASE_TEMPLATE("sort pairs with values shorter than an asynchronous copy, at any address", V, std::uint8_t,
                   std::uint16_t) {
  const test::each_way_of_sorting ways;
  using K = std::uint32_t;
  const std::size_t n = 2 * detail::smallest_radix_shape<K, V>::items + 701;
  const auto keys = test::keys_of_entropy<K>(n, 5, 37);
  const auto values = test::random_items<V>(n, 38);
  const auto order = test::serial_argsort(keys, {});
  const auto want = in_order(keys, order);
  const auto want_values = in_order(values, order);
  for (std::size_t shift : {0, 1, 7})
    test::for_some_schedules([&] {
      CAPTURE(shift);
      const test::guarded<K> in(keys);
      const test::guarded<V> values_in(values, shift);
      test::guarded<K> out(n), keys_in_place(keys);
      test::guarded<V> values_out(n, 1), values_in_place(values, shift);
      const exec where = allocating(test::test_stream());
      sort_pairs(where, in, values_in, out, values_out);
      CHECK(out.read() == want);
      CHECK(values_out.read() == want_values);
      sort_pairs_in_place(where, keys_in_place, values_in_place);
      CHECK(values_in_place.read() == want_values);
      sort_pairs(where, out, values_out, keys_in_place, values_in_place);  // in order: copied
      CHECK(values_in_place.read() == want_values);
    });
}

TEST_CASE_TEMPLATE("sort pairs whose values have the size of a word and the alignment of a byte, at an odd address", V,
                   record<2>, record<8>) {
  const test::each_way_of_sorting ways;
  using K = std::uint32_t;
  const std::size_t n = test::many_blocks_keys<K> + 100;
  const auto keys = test::keys_of_entropy<K>(n, 5, 35);
  const auto values = test::random_items<V>(n, 36);
  const auto want = in_order(values, test::serial_argsort(keys, {}));
  std::vector<unsigned char> bytes(n * sizeof(V));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  test::for_each_schedule([&] {
    const test::guarded<K> in(keys);
    test::guarded<K> out(n), keys_in_place(keys);
    const test::guarded<unsigned char> values_in(bytes, 1), in_words(bytes);
    const test::guarded<unsigned char> values_out(n * sizeof(V), 3), values_in_place(bytes, 5),
        at_a_word(n * sizeof(V)), values_out_again(n * sizeof(V), 1);
    const auto as_values = [&](const test::guarded<unsigned char>& of) {
      return std::span<V>(reinterpret_cast<V*>(of.data()), n);
    };
    const auto check = [&](const test::guarded<unsigned char>& moved) {
      const auto got_bytes = moved.read();
      std::vector<V> got(n);
      std::memcpy(got.data(), got_bytes.data(), got_bytes.size());
      CHECK(got == want);
    };
    const test::exact_scratch scratch(sort_pairs_scratch_bytes<K, V>(n)),
        own(sort_pairs_in_place_scratch_bytes<K, V>(n));
    sort_pairs(scratch.where(), in, as_values(values_in), out, as_values(values_out));
    check(values_out);
    sort_pairs(scratch.where(), in, as_values(values_in), out, as_values(at_a_word));
    check(at_a_word);
    sort_pairs(scratch.where(), in, as_values(in_words), out, as_values(values_out_again));
    check(values_out_again);
    sort_pairs_in_place(own.where(), keys_in_place, as_values(values_in_place));
    check(values_in_place);
    CHECK(keys_in_place.read() == out.read());
    scratch.check_guards();
    own.check_guards();
  });
}

struct same_key {
  template <class K>
  __host__ __device__ K operator()(K key) const {
    return key;
  }
};

TEST_CASE_TEMPLATE("argsorts write positions of every type", Index, std::uint32_t, std::int32_t, std::uint64_t,
                   std::int64_t) {
  using K = std::uint16_t;
  const std::size_t n = 700;
  const auto keys = test::random_items<K>(n, 8);
  std::vector<Index> want(n);
  std::iota(want.begin(), want.end(), Index{0});
  std::stable_sort(want.begin(), want.end(),
                   [&](Index a, Index b) { return keys[std::size_t(a)] < keys[std::size_t(b)]; });
  const test::guarded<K> in(keys);
  test::guarded<K> keys_out(n);
  test::guarded<Index> order(n);
  const auto check = [&](const char* name, auto&& call) {
    order.fill_dirt();
    call();
    CHECK_MESSAGE(order.read() == want, name);
  };
  const test::exact_scratch scratch(argsort_scratch_bytes<K, Index>(n));
  const exec gpu = allocating(test::test_stream());
  check("argsort", [&] { argsort(scratch.where(), in, order); });
  check("with keys", [&] { argsort(gpu, in, keys_out, order); });
  check("argsort_by", [&] { argsort_by(gpu, in, same_key{}, order); });
  check("argsort_by_columns", [&] { argsort_by_columns(gpu, order, in, column{in, {.bits = {8u, 16ul}}}); });
}

#if !BALLOT_EMULATED
TEST_CASE("sorts of ranges of Thrust, of cuda::std and of a pointer with a length") {
  using K = std::uint32_t;
  const std::size_t n = 700;
  const auto keys = test::random_items<K>(n, 8);
  const auto want = test::serial_sort(keys, {});
  const exec gpu = allocating(test::test_stream());
  const thrust::device_vector<K> in(keys);
  thrust::device_vector<K> out(n), order(n);
  cudaDeviceSynchronize();
  const auto sorted = [&] {
    simt::synchronize(test::test_stream());
    std::vector<K> found(n);
    thrust::copy(out.begin(), out.end(), found.begin());
    thrust::fill(out.begin(), out.end(), K{0});
    cudaDeviceSynchronize();
    return found;
  };
  sort(gpu, in, out);
  CHECK(sorted() == want);
  argsort(gpu, in, out, order);
  CHECK(sorted() == want);
  sort_pairs(gpu, cuda::std::span<const K>(thrust::raw_pointer_cast(in.data()), n), in, out, order);
  CHECK(sorted() == want);
  sort_by(gpu, device_span(in.data(), n), same_key{}, out);
  CHECK(sorted() == want);
  thrust::copy(in.begin(), in.end(), out.begin());
  cudaDeviceSynchronize();
  sort_in_place(gpu, device_span(out.data(), n));
  CHECK(sorted() == want);
}
#endif

TEST_CASE("sort pairs and argsort: bad arguments are errors before any work") {
  using K = std::uint32_t;
  const std::size_t n = 1000;
  const test::guarded<K> in(std::vector<K>(n, 1)), short_values(std::vector<K>(n - 1, 1));
  test::guarded<K> out(n), values_out(n), shorter(n - 1);
  const exec where = allocating(test::test_stream());
  CHECK_THROWS_AS(sort_pairs(where, in, short_values, out, values_out), invalid_argument);
  CHECK_THROWS_AS(sort_pairs(where, in, in, shorter, values_out), invalid_argument);
  CHECK_THROWS_AS(sort_pairs(where, in, in, out, shorter), invalid_argument);
  CHECK_THROWS_AS(sort_pairs(where, in, in, out, out), invalid_argument);
  CHECK_THROWS_AS(sort_pairs(where, in, out, out, values_out), invalid_argument);
  CHECK_THROWS_AS(sort_pairs(where, in, in, out, values_out, {.bits = {5, 40}}), invalid_argument);
  CHECK_THROWS_AS(sort_pairs_in_place(where, out, shorter), invalid_argument);
  CHECK_THROWS_AS(argsort(where, in, shorter), invalid_argument);
  const test::exact_scratch small(argsort_scratch_bytes<K, K>(n) - 257);
  CHECK_THROWS_AS(argsort(small.where(), in, out), invalid_argument);
  const auto untouched = out.read();
  CHECK(std::all_of(untouched.begin(), untouched.end(), [](K k) { return test::is_dirt(k); }));
}

}  // namespace algorithms_sort_pairs
