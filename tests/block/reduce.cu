// SPDX-License-Identifier: Apache-2.0
// Block reductions, one and several items a thread, with operators that do not commute and that the
// hardware has; blocks of any shape, full and partial.
#include <ballot/block/reduce.cuh>

#include "support/block_shapes.hpp"
#include "support/device_data.hpp"
#include "support/operators.hpp"
#include "support/patterns.hpp"
#include "support/schedules.hpp"

using namespace ballot;

namespace block_reduce {

template <class T, int Threads, int Items, class Op, class Extent>
__device__ void reduce_both_ways(const T* in, unsigned count, Extent extent, T* out) {
  using reduction = block::reduction<T, Threads>;
  auto& shared = simt::shared_storage<typename reduction::storage>();
  const unsigned first = simt::thread_rank() * Items;
  const test::strictly<Op> op;
  T items[Items];
  for (int j = 0; j < Items; ++j) items[j] = first + j < count ? in[first + j] : T{};
  const T of_items = reduction::of_items(shared, items, op, extent);
  out[simt::thread_rank()] = of_items;
  if constexpr (Items == 1) {
    simt::sync_block();  // the storage serves again
    if (!(reduction::of(shared, items[0], op, extent) == of_items)) simt::trap();
  }
}

template <class T, int Threads, int Items, class Op>
__global__ void __launch_bounds__(Threads) reduce_items(const T* in, unsigned count, T* out) {
  if (count == Threads * Items) reduce_both_ways<T, Threads, Items, Op>(in, count, block::all_items{}, out);
  else reduce_both_ways<T, Threads, Items, Op>(in, count, block::first_items{count}, out);
}

template <class T, class Op, class Shape>
void check_reductions() {
  constexpr unsigned threads = Shape::threads, all = threads * Shape::items;
  auto items = test::random_operands<T>(all, 23);
  if constexpr (std::is_same_v<Op, minimum>)
    for (T& item : items) item |= 1;  // no zero, which a thread without items would pass
  test::for_each_schedule([&] {
    const test::guarded<T> in(items);
    for (unsigned count : {1u, all / 2, all - 1, all}) {
      if (count == 0) continue;
      CAPTURE(count);
      test::guarded<T> out(threads);
      simt::launch(
          reduce_items<T, Shape::threads, Shape::items, Op>,
          simt::launch_config{dim3(1), Shape::dimensions(),
                              sizeof(typename block::reduction<T, Shape::threads>::storage), test::test_stream()},
          in.data(), count, out.data());
      T want = items[0];
      for (unsigned i = 1; i < count; ++i) want = Op{}(want, items[i]);
      bool right = true;
      for (const T& got : out.read()) right &= got == want;
      CHECK(right);
    }
  });
}

TEST_CASE_TEMPLATE("block reduction", Shape, test::static_shape<1, 1, 1>, test::static_shape<33, 1, 1, 3>,
                   test::static_shape<4, 4, 8>, test::static_shape<999, 1, 1, 2>, test::static_shape<1024, 1, 1>) {
  check_reductions<test::affine<std::uint64_t>, test::compose, Shape>();
  check_reductions<unsigned, minimum, Shape>();
  check_reductions<unsigned, bit_xor, Shape>();
}

}  // namespace block_reduce
