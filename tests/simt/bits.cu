// SPDX-License-Identifier: Apache-2.0
// Bits: counted, found and reversed, in words of 32 and 64.
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <cstdint>

namespace simt_bits {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct counted {
  unsigned popcount, leading_zeros;
  int find_first;
};

template <class T>
__global__ void count(const T* in, counted* out, T* reversed, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  out[t] = {simt::popcount(in[t]), simt::leading_zeros(in[t]), simt::find_first(in[t])};
  reversed[t] = simt::reverse_bits(in[t]);
}

TEST_CASE_TEMPLATE("bits", T, unsigned, std::uint64_t, unsigned long long) {
  constexpr int bits = sizeof(T) * 8;
  std::vector<T> v{0, ~T(0)};
  for (int i = 0; i < bits; i++) {
    v.push_back(T(1) << i);
    v.push_back((T(1) << i) - 1);
    v.push_back(~T(0) << i);
    v.push_back(T(0x9e3779b97f4a7c15ull * (unsigned(i) + 1)));
  }
  const unsigned n = unsigned(v.size());
  device_items<T> in(v);
  ballot::test::for_each_schedule([&] {
    device_items<counted> out(n);
    device_items<T> reversed(n);
    simt::launch(count<T>, {.grid = (n + 63) / 64, .block = 64}, in.data(), out.data(), reversed.data(), n);
    const auto got = out.read();
    const auto back = reversed.read();
    bool right = true;
    for (unsigned i = 0; i < n; i++) {
      unsigned ones = 0, zeros = 0;
      int first = -1;
      T mirrored = 0;
      for (int b = bits - 1; b >= 0; b--) {
        if (v[i] >> b & 1) {
          ones++;
          first = b;
          mirrored |= T(1) << (bits - 1 - b);
        } else if (ones == 0) {
          zeros++;
        }
      }
      right &=
          got[i].popcount == ones && got[i].leading_zeros == zeros && got[i].find_first == first && back[i] == mirrored;
    }
    CHECK(right);
  });
}

struct of_bytes {
  std::uint32_t dot, picked;
};

__global__ void bytes(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* which, of_bytes* out,
                      unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) out[t] = {simt::dot_bytes(a[t], b[t], which[t]), simt::pick_bytes(a[t], b[t], which[t])};
}

TEST_CASE("bytes of words") {
  std::vector<std::uint32_t> a, b, which;
  for (const std::uint32_t w : {0u, ~0u, 0x01010101u, 0x80ff7f00u, 0x12345678u})
    for (const std::uint32_t v : {0u, ~0u, 0x00000101u, 0x01010101u, 0xff00ff80u})
      for (const std::uint32_t s : {0x3210u, 0x0123u, 0x5410u, 0x7531u, 0x6240u, 0x0040u}) {
        a.push_back(w);
        b.push_back(v);
        which.push_back(s);
      }
  const unsigned n = unsigned(a.size());
  device_items<std::uint32_t> da(a), db(b), dw(which);
  ballot::test::for_each_schedule([&] {
    device_items<of_bytes> out(n);
    simt::launch(bytes, {.grid = (n + 63) / 64, .block = 64}, da.data(), db.data(), dw.data(), out.data(), n);
    const auto got = out.read();
    bool right = true;
    for (unsigned i = 0; i < n; i++) {
      std::uint8_t byte[8];
      for (unsigned k = 0; k < 4; k++) {
        byte[k] = std::uint8_t(a[i] >> 8 * k);
        byte[4 + k] = std::uint8_t(b[i] >> 8 * k);
      }
      std::uint32_t dot = which[i], picked = 0;
      for (unsigned k = 0; k < 4; k++) {
        dot += std::uint32_t{byte[k]} * byte[4 + k];
        picked |= std::uint32_t{byte[which[i] >> 4 * k & 7]} << 8 * k;
      }
      right &= got[i].dot == dot && got[i].picked == picked;
    }
    CHECK(right);
  });
}

}  // namespace simt_bits
