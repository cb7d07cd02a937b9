// SPDX-License-Identifier: Apache-2.0
// Random sorts within segments of random lengths, empty ones among them.
#include <ballot/segmented_sort.cuh>

#include "stress/checks.hpp"
#include "stress/key_draws.cuh"

namespace ballot::test {
namespace {

// Positions of items, by segment and then as asked.
template <class U>
struct before_in_segments {
  const u32* segment_of;
  const U* words;
  asked_order<U> before;
  __host__ __device__ bool operator()(u32 a, u32 b) const {
    return segment_of[a] != segment_of[b] ? segment_of[a] < segment_of[b] : before(words[a], words[b]);
  }
};

template <class Offset>
struct repeated {
  const u32* from;
  u64 times;
  __host__ __device__ Offset operator()(u64 i) const { return from[i / times]; }
};

template <class T>
struct item_at {
  const T* items;
  const u32* places;
  __host__ __device__ T operator()(u64 i) const { return items[places[i]]; }
};

// Of random lengths, of an item or of a million on average; with empty ones where offsets are
// repeated.
struct drawn_segments {
  placed<u32> segment_of, begins;
  u64 count, times;

  drawn_segments(draws& draw, u64 n) : segment_of(n), begins(n), times(draw.yes() ? 1 : 1 + draw.below(3)) {
    placed<u8> heads(n);
    peer::make_items(heads.data(), n, drawn_flag{{draw.random()}, (u64{1} << draw.below(21)) - 1});
    peer::inclusive_scan(heads.data(), n, segment_of.data());
    const placed<u32> all = positions<u32>(n), others(n);
    count = peer::stable_partition(all.data(), n, heads.data(), begins.data(), others.data());
  }
  template <class Offset>
  placed<Offset> offsets() const {
    placed<Offset> all(count * times);
    peer::make_items(all.data(), count * times, repeated<Offset>{begins.data(), times});
    return all;
  }
};

// One in eight is anywhere.
template <class Offset>
struct disordered {
  const Offset* from;
  mixed random;
  u64 n;
  __host__ __device__ Offset operator()(u64 i) const {
    return (random(i) & 7) == 0 ? static_cast<Offset>(random(~i) % (n + 1)) : from[i];
  }
};
template <class U>
struct came_with_its_place {
  const U *sorted, *keys;
  const u32* places;
  u64 n;
  __host__ __device__ bool operator()(u64 i) const { return places[i] < n && sorted[i] == keys[places[i]]; }
};
struct earlier {
  __host__ __device__ bool operator()(u32 a, u32 b) const { return a < b; }
};

// By offsets that do not ascend: all items are there, whatever their order.
template <class K>
void check_sort_within_disorder(draws& draw, const exec& where, u64 n) {
  using U = ordered_bits_t<K>;
  const placed<U> in = drawn_items<U>(draw, n);
  const drawn_order<K> order(draw);
  const placed<u32> ascending = drawn_segments(draw, n).template offsets<u32>();
  placed<u32> offsets(ascending.size());
  peer::make_items(offsets.data(), offsets.size(), disordered<u32>{ascending.data(), {draw.random()}, n});
  const placed<u32> values = positions<u32>(n);
  placed<U> out(n);
  placed<u32> moved(n);
  segmented_sort_pairs(where, as_keys<K>(in), values, offsets, as_keys<K>(out), moved, order.options);
  CHECK(peer::all(n, came_with_its_place<U>{out.data(), in.data(), moved.data(), n}));
  peer::stable_sort(moved.data(), n, earlier{});
  CHECK(equal_items(moved.data(), values.data(), n));
}

template <class K>
void check_sort_within(draws& draw, const exec& where, u64 n) {
  using Offset = std::conditional_t<sizeof(K) == 8, u64, u32>;
  using U = ordered_bits_t<K>;
  const placed<U> in = drawn_items<U>(draw, n);
  const drawn_order<K> order(draw);
  const drawn_segments segments(draw, n);
  CAPTURE(segments.count);
  CAPTURE(segments.times);
  placed<u32> want_places = positions<u32>(n);
  peer::stable_sort(want_places.data(), n, before_in_segments<U>{segments.segment_of.data(), in.data(), order.before});
  placed<U> out(n, draw.shift()), want(n);
  peer::make_items(want.data(), n, item_at<U>{in.data(), want_places.data()});

  const placed<Offset> offsets = segments.template offsets<Offset>();
  const auto keys = as_keys<K>(in), keys_out = as_keys<K>(out);
  if (draw.yes()) {
    segmented_sort(where, keys, offsets, keys_out, order.options);
  } else {
    const placed<u32> values = positions<u32>(n, draw.shift());
    placed<u32> moved(n, draw.shift());
    segmented_sort_pairs(where, keys, values, offsets, keys_out, moved, order.options);
    CHECK(equal_items(moved.data(), want_places.data(), n));
  }
  CHECK(equal_items(out.data(), want.data(), n));
}

}  // namespace

void check_segmented_sort(draws& draw, const exec& where, u64 n) {
  with_drawn_key(draw, [&]<class K>(std::type_identity<K>) {
    if (draw.below(8) == 0) check_sort_within_disorder<K>(draw, where, n);
    else check_sort_within<K>(draw, where, n);
  });
}

}  // namespace ballot::test
