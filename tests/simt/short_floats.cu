// SPDX-License-Identifier: Apache-2.0
// Conversions of 16-bit floats: those of kernels have the bits of those in software.
#include <ballot/simt/short_floats.cuh>
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <cstdint>
#include <cstring>

namespace simt_short_floats {

namespace simt = ballot::simt;
using ballot::test::device_items;
using u16 = std::uint16_t;
using u32 = std::uint32_t;

struct floats {
  float of_half, of_bfloat;
};
struct shorts {
  u16 half, bfloat;
};

__global__ void widen(floats* out, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = {simt::float_of_half(static_cast<u16>(t)), simt::float_of_bfloat(static_cast<u16>(t))};
}
__global__ void round(const float* in, shorts* out, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = {simt::half_of_float(in[t]), simt::bfloat_of_float(in[t])};
}

u32 bits_of(float x) {
  u32 bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
bool is_nan(float x) { return (bits_of(x) & 0x7fffffffu) > 0x7f800000u; }
bool same(float a, float b) { return bits_of(a) == bits_of(b) || (is_nan(a) && is_nan(b)); }

TEST_CASE("floats of 16 bits are widened") {
  constexpr unsigned n = 0x10000;
  device_items<floats> out(n);
  simt::launch(widen, {.grid = n / 256, .block = 256}, out.data(), n);
  const auto got = out.read();
  for (unsigned i = 0; i < n; ++i) {
    REQUIRE(same(got[i].of_half, simt::detail::widen_half(static_cast<u16>(i))));
    REQUIRE(bits_of(got[i].of_bfloat) == i << 16);
    // And back: nothing is lost.
    if (!is_nan(got[i].of_half)) REQUIRE(simt::detail::round_to_half(got[i].of_half) == i);
    if (!is_nan(got[i].of_bfloat)) REQUIRE(simt::detail::round_to_bfloat(got[i].of_bfloat) == i);
  }
}

TEST_CASE("floats are rounded to 16 bits") {
  std::vector<float> items;
  const auto add = [&](u32 bits) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    items.push_back(x);
  };
  // The ends and middles of what is cut off, below each of some leading bits; and bits at random.
  for (u32 high = 0; high < 0x10000; high += 0x33)
    for (const u32 low : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x1fffu, 0x2000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      add(high << 16 | low);
  for (u32 i = 0; i < 20'000; ++i) add(i * 2654435761u);
  const auto n = static_cast<unsigned>(items.size());
  device_items<float> in(items);
  device_items<shorts> out(n);
  simt::launch(round, {.grid = (n + 255) / 256, .block = 256}, in.data(), out.data(), n);
  const auto got = out.read();
  for (unsigned i = 0; i < n; ++i) {
    CAPTURE(bits_of(items[i]));
    REQUIRE(got[i].half == simt::detail::round_to_half(items[i]));
    REQUIRE(got[i].bfloat == simt::detail::round_to_bfloat(items[i]));
  }
}

}  // namespace simt_short_floats
