// SPDX-License-Identifier: Apache-2.0
// Sorts to which -0 and +0 are equal, against a stable sort that compares numbers. Every call, keys
// of 2, 4 and 8 bytes, by one block and by many. Segments are merged, or sorted by digits. All bits
// count, also those of zeros.
#include <ballot/argsort_by_columns.cuh>
#include <ballot/segmented_sort.cuh>
#include <ballot/sort.cuh>
#include <ballot/sort_by.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <numeric>

using namespace ballot;
using test::guarded;

namespace algorithms_equal_zeros {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct half {
  std::uint16_t bits;
};

}  // namespace algorithms_equal_zeros

namespace ballot {
template <>
struct key_traits<algorithms_equal_zeros::half> : key_traits<__half> {};
}  // namespace ballot

namespace algorithms_equal_zeros {

template <class K>
using words_of = ordered_bits_t<K>;

// Half zeros of both signs, the others numbers of which many are equal, a few of every kind.
template <class K>
std::vector<words_of<K>> words_with_zeros(std::size_t n, unsigned seed) {
  using U = words_of<K>;
  constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  auto words = test::random_items<U>(n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    const auto kind = words[i] % 8;
    if (kind < 4) words[i] = kind % 2 == 0 ? U{0} : sign;
    else if (kind < 6) words[i] = static_cast<U>(words[i] & (sign | 3));  // zeros, and numbers next to them
  }
  return words;
}

// The order by ordered bits of which -0 has those of +0, and within a bit range.
template <class K>
std::vector<u64> serial_order(const std::vector<words_of<K>>& words, const sort_options& options, std::size_t begin = 0,
                              std::size_t end = ~std::size_t{0}) {
  using U = words_of<K>;
  constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  constexpr int width = 8 * sizeof(U);
  const int high = options.bits.high == bit_range::full ? width : options.bits.high;
  const auto compared = [&](u64 i) {
    const U word = words[i] == sign ? U{0} : words[i];
    U ordered = ordered_bits(__builtin_bit_cast(K, word), options.direction, options.nans);
    if (high != width) ordered = static_cast<U>(ordered & ((U{1} << high) - 1));
    return static_cast<U>(ordered >> options.bits.low);
  };
  std::vector<u64> order(std::min(end, words.size()) - begin);
  std::iota(order.begin(), order.end(), u64{begin});
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return compared(a) < compared(b); });
  return order;
}
template <class T>
bool is_right(const std::vector<T>& got, const std::vector<T>& items, const std::vector<u64>& order) {
  bool right = got.size() == order.size();
  for (std::size_t i = 0; right && i < got.size(); ++i) right = std::memcmp(&got[i], &items[order[i]], sizeof(T)) == 0;
  return right;
}

struct itself {
  template <class K>
  __host__ __device__ K operator()(const K& x) const {
    return x;
  }
};
struct record {
  u64 words[3];
};

template <class K>
void check_calls(std::size_t n, const sort_options& given, unsigned turn) {
  CAPTURE(n);
  const with_equal_zeros options{given};
  const auto words = words_with_zeros<K>(n, 40 + turn);
  const auto keys = test::keys_as<K>(words);
  const auto values = test::random_items<u32>(n, 41);
  const auto records = [&] {
    std::vector<record> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = {{i, values[i], 7}};
    return all;
  }();
  const auto order = serial_order<K>(words, given);
  const std::vector<u32> positions(order.begin(), order.end());
  test::for_some_schedules(turn, [&] {
    const guarded<K> in(keys);
    const guarded<u32> values_in(values);
    const guarded<record> records_in(records);
    guarded<K> out(n), in_place(keys), a(keys), b(n);
    guarded<u32> values_out(n), in_place_values(values), indices(n), values_a(values), values_b(n);
    guarded<record> records_out(n);
    const test::unaligned_scratch of_keys(sort_scratch_bytes<K>(n)), of_pairs(sort_pairs_scratch_bytes<K, u32>(n)),
        of_records(sort_pairs_scratch_bytes<K, record>(n)), of_in_place(sort_in_place_scratch_bytes<K>(n)),
        of_pairs_in_place(sort_pairs_in_place_scratch_bytes<K, u32>(n)), of_order(argsort_scratch_bytes<K, u32>(n)),
        of_buffers(sort_ping_pong_scratch_bytes<K>(n)),
        of_pairs_of_buffers(sort_pairs_ping_pong_scratch_bytes<K, u32>(n)), of_function(sort_by_scratch_bytes<K, K>(n));
    test::directly_and_captured([&] { out.fill_dirt(); }, [&] { sort(of_keys.where(), in, out, options); },
                                [&] { CHECK(is_right(out.read(), keys, order)); });
    sort_pairs(of_pairs.where(), in, values_in, out, values_out, options);
    CHECK(is_right(out.read(), keys, order));
    CHECK(is_right(values_out.read(), values, order));
    sort_pairs(of_records.where(), in, records_in, out, records_out, options);
    CHECK(is_right(out.read(), keys, order));
    CHECK(is_right(records_out.read(), records, order));
    sort_in_place(of_in_place.where(), in_place, options);
    CHECK(is_right(in_place.read(), keys, order));
    in_place.write(keys);
    sort_pairs_in_place(of_pairs_in_place.where(), in_place, in_place_values, options);
    CHECK(is_right(in_place.read(), keys, order));
    CHECK(is_right(in_place_values.read(), values, order));
    argsort(of_order.where(), in, indices, options);
    CHECK(indices.read() == positions);
    argsort(of_pairs.where(), in, out, indices, options);
    CHECK(indices.read() == positions);
    CHECK(is_right(out.read(), keys, order));
    const int at = sort_ping_pong(of_buffers.where(), a, b, options);
    CHECK(is_right((at == 0 ? a : b).read(), keys, order));
    a.write(keys);
    const int of_both = sort_pairs_ping_pong(of_pairs_of_buffers.where(), a, values_a, b, values_b, options);
    CHECK(is_right((of_both == 0 ? a : b).read(), keys, order));
    CHECK(is_right((of_both == 0 ? values_a : values_b).read(), values, order));
    out.fill_dirt();
    sort_by(of_function.where(), in, itself{}, out, options);
    CHECK(is_right(out.read(), keys, order));
    for (const test::unaligned_scratch* scratch : {&of_keys, &of_pairs, &of_records, &of_in_place, &of_pairs_in_place,
                                                   &of_order, &of_buffers, &of_pairs_of_buffers, &of_function})
      scratch->check_guards();
  });
}

TEST_CASE("every sort with equal zeros, by one block") {
  check_calls<float>(0, {}, 0);
  check_calls<float>(1000, {}, 1);
  check_calls<double>(700, {}, 2);  // merged
  check_calls<double>(700, {.direction = direction::descending, .nans = nan_order::by_bits}, 3);
  check_calls<half>(900, {.direction = direction::descending}, 4);
  check_calls<float>(900, {.bits = {9, 31}}, 5);
}

TEST_CASE("every sort with equal zeros, by many blocks") {
  const test::each_way_of_sorting ways;
  check_calls<float>(test::many_blocks_keys<float> + 50, {}, 6);
  check_calls<float>(test::many_blocks_keys<float> + 50, {.direction = direction::descending, .bits = {3, 32}}, 7);
  check_calls<double>(test::many_blocks_keys<double>, {.nans = nan_order::first}, 8);
  check_calls<half>(test::many_blocks_keys<half> + 7, {.nans = nan_order::by_bits}, 9);
}

TEST_CASE("whole keys that are spread would be sorted by leading bits: equal zeros are not") {
  const std::size_t n = 40'000;
  auto words = test::random_items<u32>(n, 44);
  for (std::size_t i = 0; i < n; i += 2) words[i] = i % 6 == 0 ? 0 : words[i] % 3 == 0 ? 0x80000000u : words[i];
  const auto keys = test::keys_as<float>(words);
  const auto order = serial_order<float>(words, {});
  test::depth_first([&] {
    const guarded<float> in(keys);
    guarded<float> out(n);
    sort(allocating(test::test_stream()), in, out, with_equal_zeros{});
    CHECK(is_right(out.read(), keys, order));
  });
}

// Keys alone, of which no value of the lowest digit is frequent, in full tiles and a partial one:
// whole keys of another type could be ranked in any order then.
TEST_CASE("zeros among many other keys keep their order") {
  using word = detail::word_of_key<equal_zeros_key<float>>::type;
  using shape = detail::radix_shape<256, 20>;
  static_assert(detail::specialises_full_tiles<shape>);
  const std::size_t n = shape::items + 5;
  auto words = test::random_items<u32>(n, 45);
  for (std::size_t i = 0; i < n; i += 6) words[i] = i % 4 == 0 ? 0 : 0x80000000u;
  const auto order = serial_order<float>(words, {});
  test::for_some_schedules([&] {
    const guarded<u32> in(words);
    guarded<u32> out(n);
    guarded<std::byte> scratch(
        detail::radix_scratch_bytes_in_shape<word, detail::no_value, shape>(n, detail::sort_mode::out_of_place));
    detail::launch_radix_sort_in_shape<word, detail::no_value, shape>(
        test::test_stream(), scratch.data(),
        {{reinterpret_cast<const word*>(in.data()), {n, nullptr}},
         reinterpret_cast<word*>(out.data()),
         nullptr,
         nullptr},
        key_codec_of<equal_zeros_key<float>>(direction::ascending), {0, 32});
    CHECK(is_right(out.read(), words, order));
    (void)scratch.read();
  });
}

TEST_CASE("zeros of one sign, and keys in order with both, keep their places") {
  const test::each_way_of_sorting ways;
  const std::size_t n = test::many_blocks_keys<float>;
  for (const unsigned kind : {0, 1, 2}) {
    std::vector<u32> words(n);
    for (std::size_t i = 0; i < n; ++i) words[i] = kind == 0 || (kind == 2 && i % 3 == 0) ? 0x80000000u : 0;
    const auto keys = test::keys_as<float>(words);
    test::for_some_schedules([&] {
      const guarded<float> in(keys);
      guarded<float> out(n);
      guarded<u32> indices(n);
      sort(allocating(test::test_stream()), in, out, with_equal_zeros{});
      CHECK(test::as_words(out.read()) == words);
      argsort(allocating(test::test_stream()), in, indices, with_equal_zeros{});
      const auto got = indices.read();
      CHECK(std::is_sorted(got.begin(), got.end()));
    });
  }
}

template <class K>
void check_segments(std::size_t n, const sort_options& given, unsigned turn) {
  CAPTURE(n);
  const auto words = words_with_zeros<K>(n, 50 + turn);
  const auto keys = test::keys_as<K>(words);
  const auto values = test::random_items<u32>(n, 51);
  std::vector<u64> at{0, n / 9, n / 9, n / 8, n};
  std::vector<u64> order;
  for (std::size_t s = 0; s + 1 < at.size(); ++s)
    for (const u64 i : serial_order<K>(words, given, at[s], at[s + 1])) order.push_back(i);
  test::for_some_schedules(turn, [&] {
    const guarded<K> in(keys);
    const guarded<u32> values_in(values);
    const guarded<u64> offsets(at);
    guarded<K> out(n);
    guarded<u32> values_out(n);
    const test::unaligned_scratch scratch(segmented_sort_pairs_scratch_bytes<K, u32>(n));
    segmented_sort_pairs(scratch.where(), in, values_in, offsets, out, values_out, with_equal_zeros{given});
    CHECK(is_right(out.read(), keys, order));
    CHECK(is_right(values_out.read(), values, order));
    out.fill_dirt();
    segmented_sort(scratch.where(), in, offsets, out, with_equal_zeros{given});
    CHECK(is_right(out.read(), keys, order));
    scratch.check_guards();
  });
}

TEST_CASE("sorts within segments with equal zeros: in a block, and merged") {
  check_segments<float>(2000, {}, 0);
  check_segments<double>(3000, {.direction = direction::descending}, 1);
  check_segments<half>(2000, {.bits = {2, 16}}, 2);
  check_segments<float>(9000, {.direction = direction::descending}, 3);
}

// A segment that is sorted by digits, in small shapes, behind one that is not.
template <class U>
void check_digits(int low, int high) {
  using K = std::conditional_t<sizeof(U) == 8, double, float>;
  using word = detail::word_of_key<equal_zeros_key<K>>::type;
  using shape = detail::segment_sort_shape<detail::sparse_block_sort_shape<8, 5, 10>, 700, 2, 2>;
  const std::size_t n = 3203, begin = 100;
  const auto words = words_with_zeros<K>(n, 60);
  const sort_options options{.bits = {low, high}};
  auto order = serial_order<K>(words, options, 0, begin);
  for (const u64 i : serial_order<K>(words, options, begin)) order.push_back(i);
  test::for_some_schedules([&] {
    const guarded<U> in(words);
    const guarded<u32> offsets(std::vector<u32>{0, begin});
    guarded<U> out(n);
    guarded<u32> indices(n);
    detail::scratch_carver measure;
    detail::segment_sort_scratch<word, u32, shape>(measure, n);
    const test::exact_scratch scratch(measure.bytes());
    detail::scratch_carver carver(scratch.where().scratch().data());
    detail::segment_sort_arguments<word, u32, u32> a{};
    a.keys = reinterpret_cast<const word*>(in.data());
    a.n = {n, nullptr};
    a.offsets = offsets.data();
    a.segments = {2, nullptr};
    a.layout = {key_codec_of<equal_zeros_key<K>>(direction::ascending), low, high};
    a.keys_out = reinterpret_cast<word*>(out.data());
    a.values_out = indices.data();
    detail::launch_segment_sort_in_shape<shape>(test::test_stream(), carver, a, "test");
    scratch.check_guards();
    CHECK(is_right(out.read(), words, order));
    const auto got = indices.read();
    CHECK(std::equal(order.begin(), order.end(), got.begin(), got.end()));
  });
}
TEST_CASE("sorts within segments with equal zeros: by digits") {
  check_digits<u32>(0, 32);
  check_digits<u32>(4, 29);
  check_digits<u64>(0, 64);
}

TEST_CASE("columns with equal zeros, an order refined further, and keys that have none") {
  const std::size_t n = 3000;
  const auto words = words_with_zeros<float>(n, 70);
  const auto keys = test::keys_as<float>(words);
  auto minor = test::random_items<u32>(n, 71);
  for (u32& x : minor) x %= 5;
  std::vector<u64> order(n);
  std::iota(order.begin(), order.end(), u64{0});
  std::stable_sort(order.begin(), order.end(), [&](u64 a, u64 b) { return minor[a] < minor[b]; });
  std::vector<words_of<float>> in_minor_order(n);
  for (std::size_t i = 0; i < n; ++i) in_minor_order[i] = words[order[i]];
  std::vector<u32> want;
  for (const u64 i : serial_order<float>(in_minor_order, {})) want.push_back(static_cast<u32>(order[i]));
  test::for_some_schedules([&] {
    const guarded<float> in(keys);
    const guarded<u32> less(minor);
    guarded<u32> indices(n), sorted(n), same(n);
    const exec gpu = allocating(test::test_stream());
    argsort_by_columns(gpu, indices, column{in, with_equal_zeros{}}, less);
    CHECK(indices.read() == want);
    argsort(gpu, less, indices);
    argsort_further(gpu, in, indices, with_equal_zeros{});
    CHECK(indices.read() == want);
    sort(gpu, less, sorted, with_equal_zeros{{.direction = direction::descending}});
    sort(gpu, less, same, {.direction = direction::descending});
    CHECK(sorted.read() == same.read());
  });
}

TEST_CASE("keys that are equal_zeros_key already") {
  const std::size_t n = 1200;
  const auto words = words_with_zeros<float>(n, 80);
  const auto order = serial_order<float>(words, {});
  const auto keys = test::keys_as<float>(words);
  test::for_some_schedules([&] {
    const guarded<float> in(keys);
    guarded<float> out(n);
    const auto as_keys = [&](const guarded<float>& of) {
      return device_span(reinterpret_cast<equal_zeros_key<float>*>(of.data()), n);
    };
    sort(allocating(test::test_stream()), as_keys(in), as_keys(out));
    CHECK(is_right(out.read(), keys, order));
  });
}

}  // namespace algorithms_equal_zeros
