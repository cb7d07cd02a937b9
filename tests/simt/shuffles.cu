// SPDX-License-Identifier: Apache-2.0
// Shuffles of values of every size up to 16 bytes, over all distances and under partial masks.
#include <support/schedules.hpp>

#include <simt/items.hpp>
#include <simt/masks.hpp>

#include <cstdint>
#include <cstring>

namespace simt_shuffles {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct three {
  unsigned char b[3];
};
struct twelve {
  unsigned w[3];
};
struct sixteen {
  std::uint64_t w[2];
};

template <class T>
struct shuffled {
  T from, up, down, across;
};

// `out` has a row of 32 for each distance.
template <class T>
__global__ void shuffle_all(const T* in, shuffled<T>* out) {
  const unsigned lane = simt::lane_id();
  const T v = in[lane];
  for (unsigned d = 0; d < 32; d++) {
    shuffled<T>& o = out[d * 32 + lane];
    o.from = simt::shuffle(v, lane * 3 + d);  // beyond 31: modulo 32
    o.up = simt::shuffle_up(v, d);
    o.down = simt::shuffle_down(v, d);
    o.across = simt::shuffle_xor(v, d);
  }
}

// Each lane of the mask reads the one that comes `step` places later among the mask's lanes.
template <class T>
__global__ void rotate_in_mask(const T* in, T* out, unsigned mask, const unsigned* source) {
  const unsigned lane = simt::lane_id();
  if (mask & simt::lanemask_eq()) out[lane] = simt::shuffle(in[lane], source[lane], mask);
}

template <class T>
std::vector<T> values() {
  std::vector<T> v(32);
  for (unsigned i = 0; i < 32; i++) {
    unsigned char bytes[sizeof(T)];
    for (unsigned b = 0; b < sizeof(T); b++) bytes[b] = static_cast<unsigned char>(i * 7 + b * 33 + 1);
    std::memcpy(&v[i], bytes, sizeof(T));
  }
  return v;
}
template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

TEST_CASE_TEMPLATE("shuffles", T, std::uint8_t, std::int16_t, three, unsigned, int, float, std::uint64_t, double,
                   twelve, sixteen) {
  const auto v = values<T>();
  device_items<T> in(v);
  ballot::test::for_each_schedule([&] {
    device_items<shuffled<T>> out(32 * 32);
    simt::launch(shuffle_all<T>, {}, in.data(), out.data());
    const auto got = out.read();
    bool right = true;
    for (unsigned d = 0; d < 32; d++)
      for (unsigned l = 0; l < 32; l++) {
        const shuffled<T>& o = got[d * 32 + l];
        right &= same(o.from, v[(l * 3 + d) % 32]) && same(o.up, v[l < d ? l : l - d]);
        right &= same(o.down, v[l + d > 31 ? l : l + d]) && same(o.across, v[l ^ d]);
      }
    CHECK(right);
  });

  for (const unsigned mask : ballot_test_masks::all) {
    CAPTURE(mask);
    std::vector<unsigned> lanes, source(32);
    for (unsigned l = 0; l < 32; l++)
      if (mask >> l & 1) lanes.push_back(l);
    for (std::size_t i = 0; i < lanes.size(); i++) source[lanes[i]] = lanes[(i + 5) % lanes.size()];
    device_items<unsigned> from(source);
    ballot::test::for_each_schedule([&] {
      device_items<T> out(32);
      simt::launch(rotate_in_mask<T>, {}, in.data(), out.data(), mask, from.data());
      const auto got = out.read();
      bool right = true;
      for (unsigned l : lanes) right &= same(got[l], v[source[l]]);
      CHECK(right);
    });
  }
}

}  // namespace simt_shuffles
