// SPDX-License-Identifier: Apache-2.0
// Random scans, by flags too.
#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include "stress/checks.hpp"

namespace ballot::test {
namespace {

template <class T>
void check_scan_of(draws& draw, const exec& where, u64 n) {
  const placed<T> in = drawn_items<T>(draw, n);
  placed<T> out(n, draw.shift()), want(n);
  const auto initial = static_cast<T>(draw.random());
  const auto way = draw.below(4);
  CAPTURE(way);
  if (way == 0) {
    peer::inclusive_scan(in.data(), n, want.data());
    inclusive_scan(where, in, out);
  } else if (way == 1) {
    peer::exclusive_scan(in.data(), n, want.data(), initial);
    exclusive_scan(where, in, initial, out);
  } else if (way == 2) {
    peer::exclusive_scan(in.data(), n, want.data(), initial);
    peer::copy(in.data(), n, out.data());
    exclusive_scan(where, out, initial, out);
  } else {
    // Segments by flags; the peer's by key, the number of the segment.
    placed<u8> flags(n, draw.shift());
    placed<u32> keys(n);
    peer::make_items(flags.data(), n, drawn_flag{{draw.random()}, (u64{1} << draw.below(12)) - 1});
    peer::inclusive_scan(flags.data(), n, keys.data());
    peer::inclusive_scan_by_key(keys.data(), in.data(), n, want.data());
    segmented_inclusive_scan(where, in, byte_flags{{flags.data(), flags.size()}}, out);
  }
  CHECK(equal_items(out.data(), want.data(), n));
}

}  // namespace

void check_scan(draws& draw, const exec& where, u64 n) {
  with_drawn_word(draw, [&]<class T>(std::type_identity<T>) { check_scan_of<T>(draw, where, n); });
}

}  // namespace ballot::test
