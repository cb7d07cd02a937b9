// SPDX-License-Identifier: Apache-2.0
// Sorts by leading bits, in small shapes, into every kind of buffer, of keys that fit the local sort and of keys that do
// not; and the sweeps of the local sort by themselves.
#include <ballot/sort.cuh>

#include "support/device_data.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"
#include "support/sort_reference.hpp"

#include <string>

using namespace ballot;
using detail::launch_action;
using detail::no_value;

namespace algorithms_radix_local_sort {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Of two passes where LeastBits is more than 8; in wide words where Wide.
template <int LeastBits, bool Wide = false>
struct small_local_sort {
  using histogram = detail::leading_bits_histogram_shape<256, 2, 2, detail::blocks_on_every_gpu<3>, 1>;
  using narrow = detail::block_sort_shape<8, 5, 10>;
  using wide = detail::block_sort_shape<8, 5, 10, 0, true>;
  static constexpr u64 least_items = 2;
  static constexpr u64 wide_items = Wide ? detail::any_number : 0;
  static constexpr u64 aim = 940;
  static constexpr int min_leading_bits = LeastBits, max_leading_bits = 12;
  static constexpr u64 blocks = 100;
};
struct local_sort_in_use : small_local_sort<8> {
  using narrow = detail::local_sort_tuning<u32, no_value>::narrow;
  using wide = narrow;
};
struct one_block : small_local_sort<9> {
  using histogram =
      detail::leading_bits_histogram_shape<256, 2, 2, detail::blocks_on_every_gpu<1>, 1>;  // that counts all
};
using passes = detail::radix_shape<256, 3>;

enum class expected { local_sort, all_digits, nothing };

template <class U>
struct key_case {
  std::string name;
  std::vector<U> keys;
  expected action;
};

// Random keys of which the eight leading bits have `leading` different values.
template <class U>
std::vector<U> spread_keys(std::size_t n, unsigned leading) {
  std::mt19937_64 random(91);
  std::vector<U> keys(n);
  for (U& key : keys) {
    const U rest = static_cast<U>(static_cast<U>(random()) >> 8);
    key = static_cast<U>(rest | static_cast<U>(random() % leading * 256 / leading) << (8 * sizeof(U) - 8));
  }
  return keys;
}

// For 8 leading bits, and for 9, where a sample is looked at first.
template <class U>
std::vector<key_case<U>> key_cases(bool two_passes) {
  const std::size_t n = two_passes ? 5003 : 3003;
  const auto spread = spread_keys<U>(n, two_passes ? 40 : 4);
  std::vector<U> alike(spread), constant(spread), crowded(spread), sorted(spread), reversed(spread);
  const auto below = [](int bits) {
    return static_cast<U>((U{1} << (8 * sizeof(U) - static_cast<unsigned>(bits))) - 1);
  };
  for (std::size_t i = 0; i < n; ++i) {
    alike[i] = static_cast<U>((spread[i] & ~below(18)) | (spread[i] & below(18)) % 3);
    constant[i] = static_cast<U>((spread[i] & ~below(9)) | (spread[i] & 0xff));
    if (i % 2 == 0) crowded[i] = static_cast<U>(spread[i] & below(9));
  }
  std::sort(sorted.begin(), sorted.end());
  std::sort(reversed.rbegin(), reversed.rend());
  auto nearly_sorted = sorted;
  std::swap(nearly_sorted[n / 2], nearly_sorted[n / 2 + 300]);
  return {{"spread", spread, expected::local_sort},
          {"alike, out of a sample's sight", alike, expected::local_sort},
          {"constant below the leading bits", constant, two_passes ? expected::all_digits : expected::local_sort},
          {"one bucket with too many", crowded, expected::all_digits},
          {"in order", sorted, expected::nothing},
          {"in order but for two", nearly_sorted, expected::local_sort},
          {"reversed", reversed, expected::local_sort}};
}

// What the device decided, from the scratch of a sort.
template <class U, class V, class LocalSort>
expected decided(const test::guarded<std::byte>& scratch, std::size_t n, detail::sort_mode target) {
  detail::scratch_carver measure(const_cast<std::byte*>(scratch.data()));
  const detail::radix_scratch<U, V> at(measure, n,
                                       detail::radix_portions(n, passes::items, detail::radix_portion_items), target,
                                       detail::bucket_offset_words<U, V, LocalSort>(n));
  const auto bytes = scratch.read();
  const auto action_at = [&](const launch_action* action) {
    launch_action r;
    std::memcpy(&r, bytes.data() + (reinterpret_cast<const std::byte*>(action) - scratch.data()), sizeof(r));
    return r;
  };
  if (action_at(at.local_sort).has(launch_action::local_sort)) return expected::local_sort;
  for (std::size_t l = 0; l < sizeof(U); ++l)
    if (action_at(at.actions + l).has(launch_action::pass)) return expected::all_digits;
  return expected::nothing;
}

template <class U, class V, class LocalSort>
void sort_by_leading_bits(std::byte* scratch, const detail::sort_operands<U, V>& operands, const key_codec<U>& codec) {
  detail::launch_radix_sort_in_shape<U, V, passes, void, LocalSort>(test::test_stream(), scratch, operands, codec,
                                                                    {0, 8 * sizeof(U)});
}
template <class U, class V, class LocalSort>
test::guarded<std::byte> scratch_for(std::size_t n, detail::sort_mode target) {
  return test::guarded<std::byte>(detail::radix_scratch_bytes_in_shape<U, V, passes, LocalSort>(n, target));
}

// Keys alone: from one range to another, the first `length` of them, and in place.
template <class U, class LocalSort>
void check_keys(const key_case<U>& c, std::size_t length, const sort_options& options = {}) {
  using detail::sort_mode;
  const std::size_t n = c.keys.size();
  const auto codec = detail::codec_of<U>(options);
  const auto head = std::vector<U>(c.keys.begin(), c.keys.begin() + static_cast<std::ptrdiff_t>(length));
  auto want = test::serial_sort(head, options);
  const test::guarded<U> in(c.keys, 1);
  const test::guarded<u64> count(std::vector<u64>{length});
  auto scratch = scratch_for<U, no_value, LocalSort>(n, sort_mode::out_of_place);
  {
    test::guarded<U> out(c.keys);
    sort_by_leading_bits<U, no_value, LocalSort>(scratch.data(),
                                                 {{in.data(), {n, count.data()}}, out.data(), nullptr, nullptr}, codec);
    const auto got = out.read();
    CHECK(std::equal(want.begin(), want.end(), got.begin()));
    CHECK(std::equal(c.keys.begin() + static_cast<std::ptrdiff_t>(length), c.keys.end(),
                     got.begin() + static_cast<std::ptrdiff_t>(length)));
    if (options.direction == direction::ascending && length == n)
      CHECK(decided<U, no_value, LocalSort>(scratch, n, sort_mode::out_of_place) == c.action);
  }
  {
    test::guarded<U> both(c.keys);
    auto second = scratch_for<U, no_value, LocalSort>(n, sort_mode::in_place);
    sort_by_leading_bits<U, no_value, LocalSort>(second.data(),
                                                 {{both.data(), {n, nullptr}}, both.data(), nullptr, nullptr}, codec);
    CHECK(both.read() == test::serial_sort(c.keys, options));
  }
  CHECK(in.read() == c.keys);
}

// Keys and values: to other ranges, in place, as the order alone and between two buffers of the caller's.
template <class U, class V, class LocalSort>
void check_pairs(const key_case<U>& c) {
  using detail::sort_mode;
  const std::size_t n = c.keys.size();
  const auto order = test::serial_argsort(c.keys, {});
  const auto want = test::serial_sort(c.keys, {});
  const std::vector<V> want_values(order.begin(), order.end());
  std::vector<V> positions(n);
  std::iota(positions.begin(), positions.end(), V{0});
  const test::guarded<U> in(c.keys);
  for (const std::size_t shift : {0, 1, 3}) {  // where the values end, behind a multiple of 16 bytes
    CAPTURE(shift);
    const test::guarded<V> values(positions);
    test::guarded<U> out(n);
    test::guarded<V> values_out(positions, shift);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::out_of_place);
    sort_by_leading_bits<U, V, LocalSort>(
        scratch.data(), {{in.data(), {n, nullptr}}, out.data(), values.data(), values_out.data()}, {});
    CHECK(values_out.read() == want_values);
    CHECK(out.read() == want);
    CHECK(decided<U, V, LocalSort>(scratch, n, sort_mode::out_of_place) == c.action);
    if (c.action != expected::local_sort) break;
  }
  {
    test::guarded<U> both(c.keys);
    test::guarded<V> values(positions);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::in_place);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{both.data(), {n, nullptr}}, both.data(), values.data(), values.data()}, {});
    CHECK(both.read() == want);
    CHECK(values.read() == want_values);
    // The keys in place, the values from elsewhere: their positions.
    both.write(c.keys);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{both.data(), {n, nullptr}}, both.data(), nullptr, values.data()}, {});
    CHECK(both.read() == want);
    CHECK(values.read() == want_values);
  }
  {
    test::guarded<V> values_out(n);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::values_only);
    sort_by_leading_bits<U, V, LocalSort>(scratch.data(),
                                          {{in.data(), {n, nullptr}}, nullptr, nullptr, values_out.data()}, {});
    CHECK(values_out.read() == want_values);
  }
  {
    test::guarded<U> a(c.keys), b(n);
    test::guarded<V> values_a(positions), values_b(n);
    auto scratch = scratch_for<U, V, LocalSort>(n, sort_mode::double_buffer);
    sort_by_leading_bits<U, V, LocalSort>(
        scratch.data(),
        {{a.data(), {n, nullptr}}, a.data(), values_a.data(), values_a.data(), b.data(), values_b.data()}, {});
    CHECK(a.read() == want);
    CHECK(values_a.read() == want_values);
  }
  CHECK(in.read() == c.keys);
}

// Each warp sweeps a window of 32 * Items words, so often.
template <int Items>
__global__ void sweep_kernel(u32* words, int sweeps) {
  u32* const own = words + (simt::warp_id() * simt::warp_size + simt::lane_id()) * Items;
  u32 word[Items];
  for (int j = 0; j < Items; ++j) word[j] = own[j];
  for (int s = 0; s < sweeps; ++s) detail::odd_even_sweep(word);
  for (int j = 0; j < Items; ++j) own[j] = word[j];
}

// Orders of zeros and ones in bins of `size` words, at every offset to the lanes, are sorted by so many sweeps. What sorts
// all of them, by the same exchanges whatever the words are, sorts everything (the 0-1 principle).
template <int Items>
void check_sweeps(unsigned size, int sweeps, const std::vector<u32>& orders) {
  constexpr unsigned window = 32 * Items;
  std::vector<u32> words, want;
  for (unsigned offset = 0; offset < Items; ++offset)
    for (std::size_t next = 0; next < orders.size();) {
      for (unsigned i = 0; i < window; ++i) {  // bins behind each other, 2 * bin + a bit of its order
        const unsigned bin = i < offset ? 0 : 1 + (i - offset) / size;
        const u32 order = bin == 0 ? 0 : orders[std::min(next + bin - 1, orders.size() - 1)];
        words.push_back(2 * bin + (bin == 0 ? 0 : order >> (i - offset) % size & 1));
      }
      next += (window - offset) / size;
    }
  while (words.size() % (8 * window) != 0) words.push_back(u32(~0u));
  want = words;
  for (std::size_t begin = 0; begin < want.size(); begin += window)
    std::sort(want.begin() + static_cast<std::ptrdiff_t>(begin),
              want.begin() + static_cast<std::ptrdiff_t>(begin + window));
  for (std::size_t begin = 0; begin < words.size(); begin += 8 * window) {
    const auto at = [&](const std::vector<u32>& v) { return v.begin() + static_cast<std::ptrdiff_t>(begin); };
    test::guarded<u32> of_block(std::vector<u32>(at(words), at(words) + 8 * window));
    simt::launch(sweep_kernel<Items>, simt::launch_config{dim3(1), dim3(256), 0, test::test_stream()}, of_block.data(),
                 sweeps);
    REQUIRE(of_block.read() == std::vector<u32>(at(want), at(want) + 8 * window));
  }
}

// Items: words a lane takes, of the local sorts in use and of those of this file.
TEST_CASE_TEMPLATE("sweeps order bins, however they lie to the lanes", Shape, small_local_sort<8>::narrow,
                   local_sort_in_use::narrow) {
  std::vector<u32> of_seven(1 << 7), of_sixteen(1 << 16);
  std::iota(of_seven.begin(), of_seven.end(), 0u);
  std::iota(of_sixteen.begin(), of_sixteen.end(), 0u);
#if BALLOT_EMULATED  // all are many for it: some, and those that have the farthest to go, ones before zeros
  std::shuffle(of_sixteen.begin(), of_sixteen.end(), std::mt19937(5));
  of_sixteen.resize(2000);
  for (int ones = 1; ones < 16; ++ones)
    for (int begin = 0; begin + ones <= 16; ++begin) of_sixteen.push_back(((1u << ones) - 1u) << begin);
#endif
  check_sweeps<Shape::lane_items>(Shape::few_in_bin, Shape::few_sweeps, of_seven);
  check_sweeps<Shape::lane_items>(Shape::max_in_bin, Shape::sweeps, of_sixteen);
}

TEST_CASE_TEMPLATE("keys by leading bits of one digit", U, u32, u64) {
  using local_sort = small_local_sort<8>;
  const auto cases = key_cases<U>(false);
  for (const auto& c : cases) {
    CAPTURE(c.name);
    check_keys<U, local_sort>(c, c.keys.size());
  }
  test::for_each_schedule([&] { check_keys<U, local_sort>(cases[0], cases[0].keys.size()); });
  test::for_some_schedules([&] { check_keys<U, local_sort>(cases[1], 1001); });
  check_keys<U, local_sort>(cases[0], 0);
  check_keys<U, local_sort>(cases[0], cases[0].keys.size(), {.direction = direction::descending});
}

TEST_CASE_TEMPLATE("keys by leading bits of two digits", U, u32, u64) {
  using local_sort = small_local_sort<9>;
  const auto cases = key_cases<U>(true);
  for (const auto& c : cases) {
    CAPTURE(c.name);
    check_keys<U, local_sort>(c, c.keys.size());
  }
  check_keys<U, local_sort>(cases[0], 0);
  check_keys<U, local_sort>(cases[0], 3001, {.direction = direction::descending});
  // A bucket with too many, of which a sample does not see much.
  auto many = spread_keys<U>(24003, 40);
  for (std::size_t i = 0; i < many.size(); i += 20) many[i] = static_cast<U>(many[i] & static_cast<U>(~U{0}) >> 9);
  check_keys<U, local_sort>({"", many, expected::all_digits}, many.size());
}

TEST_CASE_TEMPLATE("pairs by leading bits of one digit, in wide words: stable", U, u32, u64) {
  const auto cases = key_cases<U>(false);
  for (const auto& c : cases) {
    CAPTURE(c.name);
    check_pairs<U, u32, small_local_sort<8, true>>(c);
  }
  test::for_some_schedules([&] { check_pairs<U, u32, small_local_sort<8, true>>(cases[1]); });
}

TEST_CASE_TEMPLATE("pairs by leading bits of one digit, with values shorter than an asynchronous copy", V, std::uint8_t,
                   std::uint16_t) {
  for (const auto& c : key_cases<u32>(false)) {
    CAPTURE(c.name);
    check_pairs<u32, V, small_local_sort<8, true>>(c);
  }
}

TEST_CASE_TEMPLATE("pairs by leading bits of two digits, in narrow words: stable", U, u32, u64) {
  for (const auto& c : key_cases<U>(true)) {
    CAPTURE(c.name);
    check_pairs<U, u64, small_local_sort<9>>(c);
  }
}

// A local sort orders by all remaining bits: a sort by some bits must not take it, or keys would be ordered by the bits
// above, or lose their order where they differ in those below.
TEST_CASE_TEMPLATE("a sort by some of the bits takes no local sort", LocalSort, small_local_sort<8>,
                   small_local_sort<9>) {
  const std::size_t n = 5003;
  const auto keys = spread_keys<u32>(n, 40);
  for (const bit_range bits : {bit_range{0, 16}, bit_range{0, 31}, bit_range{1, 32}, bit_range{8, 24}}) {
    CAPTURE(bits.low);
    CAPTURE(bits.high);
    const test::guarded<u32> in(keys);
    test::guarded<u32> out(n);
    auto scratch = scratch_for<u32, no_value, LocalSort>(n, detail::sort_mode::out_of_place);
    detail::launch_radix_sort_in_shape<u32, no_value, passes, void, LocalSort>(
        test::test_stream(), scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {},
        {bits.low, bits.high});
    CHECK(out.read() == test::serial_sort(keys, {.bits = bits}));
    CHECK(decided<u32, no_value, LocalSort>(scratch, n, detail::sort_mode::out_of_place) == expected::all_digits);
  }
}

// Keys of which one bucket of `bits` leading bits has `crowd`, where a sample does not look: spread below them, or so few
// different ones that bins overflow. `leading`: see spread_keys.
key_case<u32> crowded_keys(std::size_t n, unsigned leading, int bits, std::size_t crowd, bool alike) {
  auto keys = spread_keys<u32>(n, leading);  // none begins with eight ones
  const auto positions = small_local_sort<9>::histogram::all_samples;
  std::vector<bool> sampled(n, false);
  for (std::uint32_t i = 0; i < positions; ++i) sampled[detail::radix_sample_position(i, n)] = true;
  std::size_t left = crowd;
  for (std::size_t i = 0; left > 0; ++i) {
    if (sampled[i]) continue;
    keys[i] = (alike ? keys[i] % 3 : keys[i]) | ~u32{0} << (32 - bits);
    --left;
  }
  const bool fits = crowd <= small_local_sort<8>::narrow::items;
  return {std::to_string(crowd) + (alike ? ", alike" : ", spread"), keys,
          fits ? expected::local_sort : expected::all_digits};
}

TEST_CASE("a bucket with as many keys as a block has room for, and one with one more") {
  static_assert(small_local_sort<8>::narrow::items == small_local_sort<9>::narrow::items);
  static_assert(small_local_sort<8, true>::wide::items == small_local_sort<8>::narrow::items);
  for (const unsigned more : {0, 1})
    for (const bool alike : {false, true}) {
      const auto one_digit = crowded_keys(3003, 4, 8, small_local_sort<8>::narrow::items + more, alike);
      const auto two_digits = crowded_keys(5003, 40, 9, small_local_sort<9>::narrow::items + more, alike);
      // A narrow word has room for a position in the tile only if there are as many leading bits.
      const auto of_pairs = crowded_keys(5003, 40, small_local_sort<9>::narrow::position_bits,
                                         small_local_sort<9>::narrow::items + more, alike);
      CAPTURE(one_digit.name);
      check_keys<u32, small_local_sort<8>>(one_digit, one_digit.keys.size());
      check_pairs<u32, u32, small_local_sort<8, true>>(one_digit);
      check_keys<u32, small_local_sort<9>>(two_digits, two_digits.keys.size());
      check_pairs<u32, u64, small_local_sort<9>>(of_pairs);
    }
}

// The histogram takes more shared memory if there are many buckets, the local sort if there are few.
TEST_CASE_TEMPLATE("leading bits are chosen if a block may have the shared memory for both kernels", V, no_value, u64) {
  using local_sort = detail::local_sort_tuning<u64, V>;
  bool is_histogram = false, is_local_sort = false;
  for (const int power : {15, 20, 24, 25, 28}) {
    CAPTURE(power);
    const u64 n = u64{1} << power;
    const auto choose = [&](std::size_t limit) {
      return detail::choose_leading_bits<u64, V, local_sort>(n, limit).count;
    };
    const int bits = choose(std::size_t{1} << 20);
    REQUIRE(bits > 0);
    const std::size_t of_histogram =
        detail::leading_bits_histogram_storage<typename local_sort::histogram>::bytes(detail::leading_bits{bits});
    const std::size_t of_local_sort = n <= local_sort::wide_items
                                          ? sizeof(detail::local_sort_storage<u64, V, typename local_sort::wide>)
                                          : sizeof(detail::local_sort_storage<u64, V, typename local_sort::narrow>);
    is_histogram |= of_histogram > of_local_sort, is_local_sort |= of_local_sort > of_histogram;
    CHECK(choose(std::max(of_histogram, of_local_sort)) == bits);
    CHECK(choose(of_histogram - 1) == 0);
    CHECK(choose(of_local_sort - 1) == 0);
  }
  CHECK((is_histogram && is_local_sort));
}

TEST_CASE("keys in the shape of a local sort that is in use") {
  auto keys = spread_keys<u32>(9003, 2);
  std::sort(keys.rbegin(), keys.rend());  // what arrives last in a bin belongs first
  check_keys<u32, local_sort_in_use>({"", keys, expected::local_sort}, keys.size());
}

TEST_CASE("leading bits of two digits under all schedules") {
  const auto spread = spread_keys<u32>(1803, 40);
  test::for_each_schedule([&] { check_keys<u32, small_local_sort<9>>({"", spread, expected::local_sort}, 1803); });
}

// The sample is the same in every run. Where it lies, keys are spread; everywhere else they are of one bucket, so many of
// them that its count wraps to a small one.
TEST_CASE("a count of a bucket that does not fit its 16 bits is noticed") {
  using shape = one_block::histogram;
  const std::size_t n = 65536 + 3000;
  std::vector<u32> keys(n, 0x40000000u);
  std::mt19937 random(17);
  std::size_t spread = 0;
  for (std::uint32_t i = 0; i < shape::all_samples; ++i) {
    u32& key = keys[detail::radix_sample_position(i, n)];
    spread += key == 0x40000000u;
    key = static_cast<u32>(random());
  }
  // So many that the wrapped count is one that the local sort would take.
  for (std::size_t i = 0; n - spread > 65536 + 100; ++i) {
    if (keys[i] != 0x40000000u) continue;
    keys[i] = static_cast<u32>(random());
    ++spread;
  }
  const test::guarded<u32> in(keys);
  test::guarded<u32> out(n);
  auto scratch = scratch_for<u32, no_value, one_block>(n, detail::sort_mode::out_of_place);
  sort_by_leading_bits<u32, no_value, one_block>(scratch.data(),
                                                 {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, {});
  CHECK(out.read() == test::serial_sort(keys, {}));
  CHECK(decided<u32, no_value, one_block>(scratch, n, detail::sort_mode::out_of_place) == expected::all_digits);
}

// Keys between two bounds, as numbers from the lower one on, of no more bits than they need: the leading bits are of those.
TEST_CASE("keys between bounds, sorted by the leading ones of few bits") {
  using local_sort = small_local_sort<9>;
  unsigned turn = 0;
  for (int bits : {27, 24, 20, 19, 9}) {
    CAPTURE(bits);
    // a little more than half of what the bits can name, so that nearly half of the buckets are empty
    const u32 low = 0x12345678u, reach = (u32{1} << (bits - 1)) + 5;
    const std::size_t n = 5003;
    auto keys = test::random_items<u32>(n, 90);
    for (u32& key : keys) key = low + static_cast<u32>(key % (reach + 1));
    keys[7] = low, keys[n / 2] = low + reach;
    std::vector<u32> places(n);
    std::iota(places.begin(), places.end(), 0u);
    auto order = places;
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return keys[a] < keys[b]; });
    std::vector<u32> want;
    for (u32 i : order) want.push_back(keys[i]);
    key_codec<u32> codec;
    codec.bias = low;
    test::for_some_schedules(++turn, [&] {
      const test::guarded<u32> in(keys), values(places);
      test::guarded<u32> out(n), values_out(n);
      auto scratch = scratch_for<u32, no_value, local_sort>(n, detail::sort_mode::out_of_place);
      detail::launch_radix_sort_in_shape<u32, no_value, passes, void, local_sort>(
          test::test_stream(), scratch.data(), {{in.data(), {n, nullptr}}, out.data(), nullptr, nullptr}, codec,
          {0, bits}, detail::radix_portion_items, 0, n);
      CHECK(out.read() == want);
      // ten bits below nine leading ones are the fewest that the local sort has bins for
      CHECK((decided<u32, no_value, local_sort>(scratch, n, detail::sort_mode::out_of_place) == expected::local_sort) ==
            (bits >= 19));

      auto scratch_of_pairs = scratch_for<u32, u32, small_local_sort<9, true>>(n, detail::sort_mode::out_of_place);
      detail::launch_radix_sort_in_shape<u32, u32, passes, void, small_local_sort<9, true>>(
          test::test_stream(), scratch_of_pairs.data(),
          {{in.data(), {n, nullptr}}, out.data(), values.data(), values_out.data()}, codec, {0, bits},
          detail::radix_portion_items, 0, n);
      CHECK(out.read() == want);
      CHECK(values_out.read() == order);
    });
  }
}

}  // namespace algorithms_radix_local_sort
