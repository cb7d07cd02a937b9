// SPDX-License-Identifier: Apache-2.0
// Device scans of sums of every size from 1 to 16 bytes. Narrow items are kept packed. Tile states
// have one word or two.
#include <ballot/scan.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/scan_call.hpp"
#include "support/scan_reference.hpp"
#include "support/schedules.hpp"

#if !BALLOT_EMULATED
#  include <cuda_bf16.h>
#  include <cuda_fp16.h>
#endif

using namespace ballot;

namespace device_scan_types {

// A float of 2 bytes, the upper half of one of 4. The library needs operator+ of such a type.
struct short_float {
  std::uint16_t bits;
  BALLOT_HOST_DEVICE float wide() const { return __builtin_bit_cast(float, std::uint32_t{bits} << 16); }
  static BALLOT_HOST_DEVICE short_float of(float x) {
    return {static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, x) >> 16)};
  }
  friend BALLOT_HOST_DEVICE short_float operator+(short_float a, short_float b) { return of(a.wide() + b.wide()); }
  friend BALLOT_HOST_DEVICE bool operator==(short_float a, short_float b) { return a.bits == b.bits; }
};

// Words of a group that does not commute, as many as its bytes ask for: (a, b)(c, d) = (a + c, (2 c
// + 1) b + d). A word that is left over is added.
template <class Word, int Words>
struct group {
  Word word[Words];
  friend bool operator==(const group&, const group&) = default;
};
struct multiply {
  template <class Word, int Words>
  BALLOT_HOST_DEVICE group<Word, Words> operator()(const group<Word, Words>& first,
                                                   const group<Word, Words>& then) const {
    const auto pair = test::compose{}(test::affine<Word>{first.word[0], first.word[1]},
                                      test::affine<Word>{then.word[0], then.word[1]});
    group<Word, Words> product{{pair.scale, pair.offset}};
    for (int i = 2; i < Words; ++i) product.word[i] = static_cast<Word>(first.word[i] + then.word[i]);
    return product;
  }
};
template <class Word>
using bytes_2 = group<Word, 2>;

// Whole numbers up to 3 whose sum stays exact in a float of 8 bits of mantissa.
template <class T, class Make>
std::vector<T> few_ones(std::size_t n, Make make) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<T> items(n);
  std::size_t ones = 0;
  for (T& item : items) {
    const bool one = ones < 200 && random() % (n / 200 + 1) == 0;
    ones += one ? 1 : 0;
    item = make(one ? 1.0f : 0.0f);
  }
  return items;
}

template <class T>
void check_sums(const std::vector<T>& items) {
  const std::size_t n = items.size();
  const auto inclusive = test::serial_inclusive(items);
  const auto backward = test::serial_exclusive_backward(items, T{});
  test::for_each_schedule([&] {
    const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
    for (std::size_t shift : {0, 1}) {
      const test::guarded<T> in(items, shift);
      test::guarded<T> out(n), total(1);
      inclusive_scan(scratch.where(), in, out, {.total = total.data()});
      CHECK(out.read() == inclusive);
      if (n != 0) CHECK(total.read()[0] == inclusive[n - 1]);
      exclusive_scan(scratch.where(), in, out, {.order = scan_order::backward});
      CHECK(out.read() == backward);
    }
    scratch.check_guards();
  });
}

template <class T, class Shape, class Op>
void check_order(std::size_t n, Op op) {
  const auto items = test::random_items<T>(n, 23);
  const auto inclusive = test::serial_inclusive(items, op);
  const auto backward = test::serial_exclusive_backward(items, items[0], op);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<T> out(n);
    const exec where = allocating(test::test_stream());
    test::for_each_scan_method([&](detail::scan_method few) {
      detail::launch_scan<device::scan_kind::inclusive, T, Shape>(where, test::scan_of(in, out, items[0], op), few);
      CHECK(out.read() == inclusive);
      detail::launch_scan<device::scan_kind::exclusive, T, Shape>(
          where, test::scan_of(in, out, items[0], op, {.order = scan_order::backward}), few);
      CHECK(out.read() == backward);
    });
  });
}

TEST_CASE("device scan of more sums than are few, of 16 bytes, within exactly its scratch") {
  using T = group<std::uint64_t, 2>;
  const std::size_t n = 140'000;
  static_assert(n > detail::small_scan_items<T>);
  const auto items = test::random_items<T>(n, 24);
  test::depth_first([&] {
    const test::guarded<T> in(items);
    test::guarded<T> out(n);
    const test::exact_scratch scratch(scan_scratch_bytes<T>(n));
    inclusive_scan(scratch.where(), in, multiply{}, out);
    CHECK(out.read() == test::serial_inclusive(items, multiply{}));
    scratch.check_guards();
  });
}

TEST_CASE_TEMPLATE("device scan of narrow integers: sums wrap", T, std::uint8_t, std::int8_t, std::uint16_t) {
  constexpr std::size_t tile = detail::small_scan_shape<T>::items;
  static_assert(detail::small_scan_shape<T>::width * sizeof(T) == 16);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{33}, tile, tile + 17}) {
    CAPTURE(n);
    check_sums(test::small_items<T>(n));
  }
}

TEST_CASE("device scan of a 2-byte type with operator+") {
  const std::size_t n = 2 * detail::small_scan_shape<short_float>::items + 9;
  check_sums(few_ones<short_float>(n, short_float::of));
}

#if !BALLOT_EMULATED
TEST_CASE_TEMPLATE("device scan of CUDA's 2-byte floats", T, __half, __nv_bfloat16) {
  const std::size_t n = 2 * detail::small_scan_shape<T>::items + 9;
  const auto items = few_ones<float>(n, [](float x) { return x; });
  std::vector<T> narrow(items.begin(), items.end());
  const auto sums = test::serial_inclusive(items);
  const test::guarded<T> in(narrow);
  test::guarded<T> out(n);
  inclusive_scan(allocating(test::test_stream()), in, out);
  const auto got = out.read();
  CHECK(std::equal(got.begin(), got.end(), sums.begin(), [](T a, float b) { return static_cast<float>(a) == b; }));
}
#endif

TEST_CASE("device scan: narrow items in order, many tiles") {
  check_order<bytes_2<std::uint8_t>, block::tile_shape<32, 1, 8>>(256 * 45 + 11, multiply{});  // packed
  check_order<group<std::uint8_t, 3>, block::tile_shape<64, 2, 1>>(128 * 45 + 11, multiply{});
}

TEST_CASE_TEMPLATE("device scan: large items in order, many tiles", T, group<std::uint32_t, 3>, group<std::uint16_t, 5>,
                   group<std::uint32_t, 4>, group<std::uint64_t, 2>, group<std::uint8_t, 13>) {
  check_order<T, block::tile_shape<32, 1, 1>>(32 * 90 + 5, multiply{});
}

TEST_CASE_TEMPLATE("device scan: large items, the default tile", T, group<std::uint32_t, 3>, group<std::uint64_t, 2>) {
  using shape = detail::small_scan_shape<T>;
  static_assert(detail::scan_shape<T>::items * sizeof(T) <= 32 * 1024);
  for (const std::size_t n : {std::size_t{1}, std::size_t{shape::items} + 3}) check_order<T, shape>(n, multiply{});
}

}  // namespace device_scan_types
