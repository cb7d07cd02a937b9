// SPDX-License-Identifier: Apache-2.0
// Made-up shapes for several architectures, and function objects that show in which shape they were
// called.
#pragma once

#include "support/device_data.hpp"
#include "support/schedules.hpp"

#include <ballot/device/tuning.cuh>

namespace ballot::test {

// The shapes differ in their numbers of threads. The second has the smallest tile, and so takes the
// most scratch.
template <class First, class Since900, class Since1000>
using three_shapes = detail::shapes_by_architecture<First, detail::since_architecture<900, Since900>,
                                                    detail::since_architecture<1000, Since1000>>;
inline unsigned threads_of_gpu(int architecture, unsigned first, unsigned since_900, unsigned since_1000) {
  return architecture >= 1000 ? since_1000 : architecture >= 900 ? since_900 : first;
}

// Calls body(architecture) on GPUs of several architectures; on a GPU, on that one.
template <class Body>
void for_each_architecture(Body&& body) {
#if BALLOT_EMULATED
  for (const unsigned architecture : {750u, 890u, 900u, 990u, 1000u, 1200u})
    for (emulator::policy p : {schedules().front(), schedules().back()}) {
      p.architecture = architecture;
      under_schedule(p, [&] { body(static_cast<int>(architecture)); });
    }
#else
  body(simt::device_architecture());
#endif
}

// The threads of the blocks that called `noted`; 0 before the first, and 1 if they differ.
class noted_threads {
 public:
  noted_threads() : threads_(std::vector<std::uint32_t>{0}) {}
  std::uint32_t* data() { return threads_.data(); }
  std::uint32_t take() {
    const std::uint32_t found = threads_.read()[0];
    threads_.write({0});
    return found;
  }

 private:
  guarded<std::uint32_t> threads_;
};
__device__ inline void note_threads(std::uint32_t* to) {
  const std::uint32_t before = simt::atomic_cas(to, 0u, blockDim.x);
  if (before != 0 && before != blockDim.x) simt::atomic_exchange(to, 1u);
}

struct noting_plus {
  std::uint32_t* threads;
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    note_threads(threads);
    return a + b;
  }
};
struct noting_odd {
  std::uint32_t* threads;
  __device__ bool operator()(std::uint32_t item) const {
    note_threads(threads);
    return item % 2 != 0;
  }
};

}  // namespace ballot::test
