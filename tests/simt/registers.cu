// SPDX-License-Identifier: Apache-2.0
// The place of a thread: lane, rank, warp and lane masks, in blocks of every shape.
#include <support/schedules.hpp>

#include <simt/items.hpp>

#include <cstdint>
#include <cstring>

namespace simt_registers {

namespace simt = ballot::simt;
using ballot::test::device_items;

struct place {
  unsigned rank, warp, lane, eq, lt, le, gt, ge, block, dims;
};

template <int = 0>
__global__ void places(place* out) {
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * threads + rank] = {simt::thread_rank(),
                                 simt::warp_id(),
                                 simt::lane_id(),
                                 simt::lanemask_eq(),
                                 simt::lanemask_lt(),
                                 simt::lanemask_le(),
                                 simt::lanemask_gt(),
                                 simt::lanemask_ge(),
                                 block,
                                 gridDim.x * gridDim.y * gridDim.z};
}

template <class T>
__global__ void pass_on(const T* in, T* out) {
  out[simt::thread_rank()] = simt::opaque(in[simt::thread_rank()]);
}

struct pair {
  std::uint64_t low, high;
  bool operator==(const pair&) const = default;
};

TEST_CASE_TEMPLATE("an opaque value is the same value", T, std::uint8_t, std::int16_t, std::uint32_t, std::uint64_t,
                   pair) {
  std::vector<T> v(64);
  for (std::size_t i = 0; i < v.size(); i++) {
    unsigned char bytes[sizeof(T)];
    for (std::size_t b = 0; b < sizeof(T); b++) bytes[b] = static_cast<unsigned char>(i * 37 + b * 11);
    std::memcpy(&v[i], bytes, sizeof(T));
  }
  device_items<T> in(v);
  ballot::test::for_each_schedule([&] {
    device_items<T> out(64);
    simt::launch(pass_on<T>, {.grid = dim3(1), .block = dim3(64)}, in.data(), out.data());
    CHECK(out.read() == v);
  });
}

TEST_CASE("a thread knows its place") {
  for (const dim3 block :
       {dim3(1), dim3(31), dim3(32), dim3(96), dim3(8, 4), dim3(5, 4, 3), dim3(2, 3, 64), dim3(1024)})
    for (const dim3 grid : {dim3(1), dim3(3), dim3(2, 3), dim3(2, 1, 2)}) {
      const unsigned threads = block.x * block.y * block.z, blocks = grid.x * grid.y * grid.z;
      CAPTURE(threads);
      CAPTURE(blocks);
      device_items<place> out(std::size_t(threads) * blocks);
      ballot::test::for_each_schedule([&] {
        simt::launch(places<>, {.grid = grid, .block = block}, out.data());
        const auto v = out.read();
        bool right = true;
        for (unsigned i = 0; i < threads * blocks; i++) {
          const unsigned rank = i % threads, lane = rank % 32, bit = 1u << lane;
          const place& p = v[i];
          right &=
              p.rank == rank && p.warp == rank / 32 && p.lane == lane && p.block == i / threads && p.dims == blocks;
          right &= p.eq == bit && p.lt == bit - 1 && p.le == (bit | (bit - 1)) && p.ge == ~(bit - 1) &&
                   p.gt == ~(bit | (bit - 1));
        }
        CHECK(right);
      });
    }
}

}  // namespace simt_registers
