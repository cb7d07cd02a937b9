// Bits: counted, found and reversed, in words of 32 and 64.
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <cstdint>

namespace {

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

}  // namespace

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
