// SPDX-License-Identifier: Apache-2.0
// Reductions of a warp: the operators that the hardware has, on words and smaller integers, and one
// that does not commute; full and partial warps, and warps that lack lanes.
#include <ballot/warp/reduce.cuh>

#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace warp_reduce {

static_assert(warp::has_hardware_reduction<int, minimum> && warp::has_hardware_reduction<std::uint8_t, plus> &&
              warp::has_hardware_reduction<unsigned, bit_xor>);
static_assert(!warp::has_hardware_reduction<float, plus> && !warp::has_hardware_reduction<std::uint64_t, plus> &&
              !warp::has_hardware_reduction<bool, plus> && !warp::has_hardware_reduction<unsigned, test::compose>);

template <class T, class Op>
__global__ void reduce_full_warp(const T* in, T* out) {
  out[threadIdx.x] = warp::reduce(in[threadIdx.x], Op{});
}

template <class T, class Op>
__global__ void reduce_partial_warp(const T* in, unsigned valid, unsigned lanes, T* out) {
  const unsigned mask = lanes == 32 ? simt::full_mask : (1u << lanes) - 1;
  T item = in[threadIdx.x];  // of lanes without an item too
  if constexpr (!std::is_integral_v<T>)
    if (threadIdx.x >= valid) item = T{};
  out[threadIdx.x] = warp::reduce(item, test::strictly<Op>{}, warp::first_items{valid, mask});
}

template <int Runs, class T, class Op>
__global__ void reduce_runs_of_warp(const T* in, T* out) {
  T run[Runs];
  for (int r = 0; r < Runs; ++r) run[r] = in[r * 32 + threadIdx.x];
  out[threadIdx.x] = warp::reduce_runs(run, test::strictly<Op>{});
}

template <class I, class O>
struct with {
  using T = I;
  using Op = O;
};

TEST_CASE_TEMPLATE("warp reduction", C, with<int, plus>, with<int, minimum>, with<int, maximum>,
                   with<unsigned, minimum>, with<unsigned, maximum>, with<std::int8_t, plus>,
                   with<std::int16_t, minimum>, with<std::uint16_t, maximum>, with<int, bit_and>,
                   with<unsigned, bit_or>, with<std::uint8_t, bit_xor>, with<std::uint64_t, plus>,
                   with<test::affine<std::uint16_t>, test::compose>, with<test::affine<std::uint64_t>, test::compose>) {
  using T = typename C::T;
  using Op = typename C::Op;
  for (unsigned seed : {10u, 11u, 12u}) {
    auto items = test::random_operands<T>(32, seed);
    if constexpr (std::is_integral_v<T>) {
      // Of one sign, so that a lane that is not there shows in a minimum or a maximum; and bits
      // that are rarely the same.
      for (T& item : items) {
        if (seed == 11) item = static_cast<T>(item | (T{1} << (8 * sizeof(T) - 1)));
        if (seed == 12) item = static_cast<T>(item & ~(T{1} << (8 * sizeof(T) - 1)));
      }
      if constexpr (std::is_same_v<Op, bit_and>)
        for (std::size_t i = 0; i < 32; ++i) items[i] = static_cast<T>(~(1u << i));
      if constexpr (std::is_same_v<Op, bit_or>)
        for (std::size_t i = 0; i < 32; ++i) items[i] = static_cast<T>(1u << i);
    }
    test::for_each_schedule([&] {
      const test::guarded<T> in(items);
      const auto check = [&](unsigned valid, const test::guarded<T>& out) {
        T want = items[0];
        for (unsigned i = 1; i < valid; ++i) want = Op{}(want, items[i]);
        for (const T& got : out.read()) CHECK((got == want));
      };
      test::guarded<T> full(32);
      simt::launch(reduce_full_warp<T, Op>, simt::launch_config{dim3(1), dim3(32), 0, test::test_stream()}, in.data(),
                   full.data());
      check(32, full);
      for (unsigned valid : {1u, 7u, 16u, 31u, 32u})
        for (unsigned lanes : {valid, 32u}) {
          test::guarded<T> out(lanes);
          simt::launch(reduce_partial_warp<T, Op>, simt::launch_config{dim3(1), dim3(lanes), 0, test::test_stream()},
                       in.data(), valid, lanes, out.data());
          check(valid, out);
        }
    });
  }
}

template <int Runs, class T, class Op>
void check_runs() {
  const auto items = test::random_operands<T>(32 * Runs, 13u + Runs);
  T want = items[0];
  for (unsigned i = 1; i < items.size(); ++i) want = Op{}(want, items[i]);
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    test::guarded<T> out(32);
    simt::launch(reduce_runs_of_warp<Runs, T, Op>, simt::launch_config{dim3(1), dim3(32), 0, test::test_stream()},
                 in.data(), out.data());
    for (const T& got : out.read()) CHECK((got == want));
  });
}

TEST_CASE_TEMPLATE("warp reduction of several runs at once", C, with<std::uint64_t, plus>,
                   with<test::affine<std::uint16_t>, test::compose>, with<test::affine<std::uint64_t>, test::compose>) {
  using T = typename C::T;
  using Op = typename C::Op;
  check_runs<1, T, Op>();
  check_runs<2, T, Op>();
  check_runs<4, T, Op>();
  check_runs<8, T, Op>();
  check_runs<32, T, Op>();
}

}  // namespace warp_reduce
