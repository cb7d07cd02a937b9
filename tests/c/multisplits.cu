// SPDX-License-Identifier: Apache-2.0
// The C library's multisplit, against loops: numbers of every type, columns of several sizes, and
// positions.
#include <doctest/doctest.h>
#include <ballot/core/namespace.hpp>

#include "c/selections.hpp"

namespace ballot::test::c {
namespace multisplits {

template <class N, class T>
void check_multisplit(std::size_t n, u32 buckets) {
  CAPTURE(code<N>);
  CAPTURE(sizeof(T));
  const auto numbers = random_items<N>(n, 6, 300);
  std::vector<N> some = numbers;
  if constexpr (std::is_signed_v<N>)
    for (std::size_t i = 0; i < n; i += 9) some[i] = -1;
  const auto items = random_items<T>(n, 7);
  const guarded<N> number_array(some);
  const guarded<T> from(items), to(n);
  const guarded<i32> offsets(buckets + 1);
  const guarded<u32> positions(n);
  const ballot_array sources[] = {in(from), ballot_input(nullptr, n, BALLOT_POSITIONS_U32)};
  const ballot_array targets[] = {out(to), out(positions)};
  std::vector<T> expected;
  std::vector<u32> order;
  std::vector<i32> begins;
  for (u32 b = 0; b < buckets; ++b) {
    begins.push_back(static_cast<i32>(expected.size()));
    for (std::size_t i = 0; i < n; ++i)
      if (static_cast<i64>(some[i]) == static_cast<i64>(b)) {
        expected.push_back(items[i]);
        order.push_back(static_cast<u32>(i));
      }
  }
  begins.push_back(static_cast<i32>(expected.size()));
  for (const std::int32_t columns : {1, 2}) {
    run(bytes_of([&](std::size_t* b) { return ballot_multisplit_scratch_bytes(buckets, n, b); }), [&](ballot_exec gpu) {
      return ballot_multisplit(gpu, in(number_array), buckets, columns, sources, targets, out(offsets));
    });
    CHECK(offsets.read() == begins);
    CHECK(same_bits(first_of(to.read(), expected.size()), expected));
  }
  CHECK(first_of(positions.read(), order.size()) == order);
}

TEST_CASE("multisplit by numbers") {
  for (const std::size_t n : {std::size_t{0}, std::size_t{700}, std::size_t{9000}}) {
    check_multisplit<u8, u32>(n, 256);
    check_multisplit<i8, point>(n, 256);
    check_multisplit<u32, u64>(n, 8);
    check_multisplit<i32, u8>(n, 100);
    check_multisplit<u16, u128>(n, 3);
    check_multisplit<i64, float>(n, 1);
  }
}

}  // namespace multisplits
}  // namespace ballot::test::c
