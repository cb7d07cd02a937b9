// SPDX-License-Identifier: Apache-2.0
// Random sorts: keys, positions, and keys with values of several sizes; in place, out of place, in
// two buffers.
#include <ballot/sort.cuh>
#include <ballot/sort_ping_pong.cuh>

#include "stress/checks.hpp"
#include "stress/key_draws.cuh"

namespace ballot::test {
namespace {

// Values shorter than an asynchronous copy takes, that have to be made words, and that no sort
// moves as words.
using short_value = std::uint16_t;
struct odd_value {
  std::uint8_t part[3];
};
struct as_odd_value {
  __host__ __device__ odd_value operator()(u64 i) const {
    return {{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i >> 16)}};
  }
};
__host__ __device__ inline bool same(const odd_value& a, const odd_value& b) {
  return a.part[0] == b.part[0] && a.part[1] == b.part[1] && a.part[2] == b.part[2];
}
struct wide_value {
  u32 position, of_it[2];
};
struct as_wide_value {
  __host__ __device__ wide_value operator()(u64 i) const {
    return {static_cast<u32>(i), {static_cast<u32>(~i), static_cast<u32>(i * i)}};
  }
};
__host__ __device__ inline bool same(const wide_value& a, const wide_value& b) {
  return a.position == b.position && a.of_it[0] == b.of_it[0] && a.of_it[1] == b.of_it[1];
}
template <class Value, class Make>
struct came_from {
  const Value* values;
  const u32* positions;
  __host__ __device__ bool operator()(u64 i) const { return same(values[i], Make{}(positions[i])); }
};
template <class Number>
struct same_number {
  const Number* a;
  const u32* b;
  __host__ __device__ bool operator()(u64 i) const { return a[i] == static_cast<Number>(b[i]); }
};

// Pairs out of place, with values made of their positions.
template <class Value, class Make, class Keys>
void check_made_values(draws& draw, const exec& where, const Keys& keys, const Keys& keys_out,
                       const placed<u32>& want_places, const sort_options& options) {
  const u64 n = keys.size();
  placed<Value> values(n, draw.shift()), moved(n, draw.shift());
  peer::make_items(values.data(), n, Make{});
  sort_pairs(where, keys, values, keys_out, moved, options);
  CHECK(peer::all(n, came_from<Value, Make>{moved.data(), want_places.data()}));
}

template <class K>
void check_sort_of(draws& draw, const exec& where, u64 n) {
  using U = ordered_bits_t<K>;
  const placed<U> in = drawn_items<U>(draw, n);
  const drawn_order<K> order(draw);
  placed<U> out(n, draw.shift()), want(n);
  placed<u32> want_places = positions<u32>(n);
  peer::copy(in.data(), n, want.data());
  peer::stable_sort_by_key(want.data(), n, want_places.data(), order.before);

  const auto keys = as_keys<K>(in), keys_out = as_keys<K>(out);
  const auto way = draw.below(8);
  CAPTURE(way);
  CAPTURE(order.options.bits.low);
  CAPTURE(order.options.bits.high);
  if (way == 0) {
    sort(where, keys, keys_out, order.options);
  } else if (way == 1) {
    placed<u32> places(n, draw.shift());
    argsort(where, keys, places, order.options);
    CHECK(equal_items(places.data(), want_places.data(), n));
    return;
  } else if (way == 2) {
    const placed<u32> values = positions<u32>(n, draw.shift());
    placed<u32> moved(n, draw.shift());
    sort_pairs(where, keys, values, keys_out, moved, order.options);
    CHECK(equal_items(moved.data(), want_places.data(), n));
  } else if (way == 3) {
    placed<u64> values = positions<u64>(n, draw.shift());
    peer::copy(in.data(), n, out.data());
    sort_pairs_in_place(where, keys_out, values, order.options);
    CHECK(peer::all(n, same_number{values.data(), want_places.data()}));
  } else if (way == 4) {
    const placed<short_value> values = positions<short_value>(n, draw.shift());
    placed<short_value> moved(n, draw.shift());
    sort_pairs(where, keys, values, keys_out, moved, order.options);
    CHECK(peer::all(n, same_number{moved.data(), want_places.data()}));
  } else if (way == 5) {
    check_made_values<wide_value, as_wide_value>(draw, where, keys, keys_out, want_places, order.options);
  } else if (way == 6) {
    check_made_values<odd_value, as_odd_value>(draw, where, keys, keys_out, want_places, order.options);
  } else {
    const bool in_out = sort_ping_pong(where, keys, keys_out, order.options) == 1;
    CHECK(equal_items(in_out ? out.data() : in.data(), want.data(), n));
    return;
  }
  CHECK(equal_items(out.data(), want.data(), n));
}

}  // namespace

void check_sort(draws& draw, const exec& where, u64 n) {
  with_drawn_key(draw, [&]<class K>(std::type_identity<K>) { check_sort_of<K>(draw, where, n); });
}

}  // namespace ballot::test
