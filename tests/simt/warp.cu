// Votes, shuffles, matches and reductions against their definitions.
#include <support/schedules.hpp>

#include <cstdint>
#include <vector>

namespace {

namespace simt = ballot::simt;

template <class T>
std::vector<T> to_host(const T* p, std::size_t n) {
  std::vector<T> v(n);
  simt::copy_bytes(nullptr, v.data(), p, n * sizeof(T));
  simt::synchronize(nullptr);
  return v;
}

template <int = 0>
__global__ void votes(unsigned* out) {
  unsigned t = simt::thread_rank();
  unsigned b = simt::ballot(t % 3 == 0);
  out[t] = simt::popcount(b & simt::lanemask_lt());
  simt::sync_block();
  if (t == 0) simt::atomic_add(out + 64, 5);
}

}  // namespace

TEST_CASE("ballot, masked and counted, is a scan") {
  ballot::test::for_each_schedule([] {
    auto* p = static_cast<unsigned*>(simt::allocate(nullptr, 65 * 4));
    simt::fill_bytes(nullptr, p, 0, 65 * 4);
    simt::launch(votes<>, {.grid = 1, .block = 64}, p);
    auto v = to_host(p, 65);
    for (unsigned w = 0; w < 64; w += 32)
      for (unsigned l = 0, n = 0; l < 32; n += (w + l) % 3 == 0, l++) CHECK(v[w + l] == n);
    CHECK(v[64] == 5);
    simt::release(nullptr, p);
  });
}
