// SPDX-License-Identifier: Apache-2.0
// Reductions on the host: shapes, scratch, checks, the launches.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/detail/reduce_kernel.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/warp/function_objects.cuh>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace ballot::detail {

// 256 threads with 8 vectors of 16 bytes each. So a block has up to 32 KiB of loads in flight, and
// four of them on a multiprocessor 128 KiB. An H200 needs some 40 KiB on each. One block reduces up
// to 24 warp tiles, 96 KiB: more take longer than a second launch. H200, 2026-11-23, us in a graph,
// f64, of 1000, 65537, 1000003, 5000011 and 50000017 items: 2.5 4.2 5.0 9.3 93.1; at most 7392
// blocks: 103.5 for the last; 512 threads: 2.8 4.6 5.3 9.8 94.3; CUB: 2.4 3.9 4.8 9.6 93.3.
// 2026-11-29, 2^28 f64, f32: 485 241; at most 1848 blocks: 505 255; CUB: 477 241.
//
// The shape and the number of blocks determine how the operands of a sum are grouped. So they are
// the same on every GPU. The most blocks are five rounds of the 528 that a GPU with 132
// multiprocessors holds at a time, so that the last round is full, too. The number is not a power
// of two. So if the number of items is one, the ranges of warps do not begin at powers of two.
inline constexpr unsigned most_reduce_blocks = 2640;
// Up to this number of warp tiles, two a warp, are reduced by the 16 blocks of one cluster, which
// saves the second launch. H200, 2026-11-30, us of one call and in a graph (in brackets: by more
// blocks and two launches), 4 or 8 bytes an item:
//
//     129 tiles    65,537 i64    5.6  3.7    (6.8  3.9)
//     147          150,001 i32   5.8  3.6    (6.8  3.7)
//     186          190,001 i32   6.0  3.8    (5.8  3.7)
//     293          300,007 i32   6.4  4.2    (6.1  3.8)
inline constexpr unsigned most_cluster_reduce_tiles = 160;
constexpr int reduce_chunks_of(std::size_t vector_bytes) {
  return vector_bytes <= 16 ? 8 : vector_bytes <= 32 ? 4 : vector_bytes <= 64 ? 2 : 1;
}
// Warp tiles of fewer bytes may be as many more, for one block and for a cluster.
constexpr unsigned tiles_for_reduce(unsigned tiles, std::size_t lane_bytes) {
  return lane_bytes >= 128 ? tiles : static_cast<unsigned>(tiles * 128 / (lane_bytes < 48 ? 48 : lane_bytes));
}
// One block has at least 2048 items, so that few of them need no scratch, whatever their type.
constexpr unsigned one_block_tiles(std::size_t lane_bytes, unsigned warp_items) {
  return static_cast<unsigned>(larger(tiles_for_reduce(24, lane_bytes), 2048 / warp_items));
}
template <int Chunks, int Width, std::size_t LaneBytes>
using reduce_shape_of =
    device::reduce_shape<256, Chunks, Width, one_block_tiles(LaneBytes, simt::warp_size* Chunks* Width),
                         most_reduce_blocks, tiles_for_reduce(most_cluster_reduce_tiles, LaneBytes)>;
template <class Item>
inline constexpr std::size_t reduce_vector_bytes = device::reduce_width<Item> * sizeof(Item);
template <class Item>
using reduce_shape =
    reduce_shape_of<reduce_chunks_of(reduce_vector_bytes<Item>), device::reduce_width<Item>,
                    reduce_chunks_of(reduce_vector_bytes<Item>) * larger(reduce_vector_bytes<Item>, std::size_t{16})>;
// The shape for a view: it has as many bytes of the view's arrays in flight. The items of a vector
// have up to 16 bytes in each array.
template <class V>
struct view_reduce_width {
  static constexpr int value = [] {
    if constexpr (device::bytes_read<V> == 0) return block::vector_width<typename V::value_type>(16);
    constexpr auto fits = []<int Width>(std::integral_constant<int, Width>) {
      return device::has_vectors<V, Width> && Width * device::bytes_read<V> <= 16 * arrays_of<V>;
    };
    return fits(std::integral_constant<int, 16>{})  ? 16
           : fits(std::integral_constant<int, 8>{}) ? 8
           : fits(std::integral_constant<int, 4>{}) ? 4
           : fits(std::integral_constant<int, 2>{}) ? 2
                                                    : 1;
  }();
};
template <class V>
inline constexpr int view_reduce_chunks = reduce_chunks_of(view_reduce_width<V>::value * device::loaded_bytes<V>);
template <class V>
using view_reduce_shape =
    device::reduce_shape<256, view_reduce_chunks<V>, view_reduce_width<V>::value, view_reduce_chunks<V> == 8 ? 24 : 64,
                         most_reduce_blocks, most_cluster_reduce_tiles>;
using smallest_reduce_shape = device::reduce_shape<256, 1, 1, 64, most_reduce_blocks>;  // the most blocks of all

template <class T>
struct reduce_scratch {
  T* partials;

  reduce_scratch(scratch_carver& carver, unsigned blocks) : partials(carver.take<T>(blocks)) {}
};

template <class T>
std::size_t reduce_scratch_bytes_of(unsigned blocks) {
  if (blocks == 1) return 0;
  scratch_carver measure;
  reduce_scratch<T>(measure, blocks);
  return measure.bytes();
}

// The caller has checked all arguments except the scratch, which must not overlap `others`. In: a
// pointer or a view. Result: the type that Values gives, or the type that it is converted to.
template <class Values, class Shape, class In, class Op, class Result>
void launch_reduce_blocks(const exec& where, const In& in, const length& n, bool vector_aligned, Result* result,
                          typename Values::value_type initial, Op op, const char* function,
                          std::initializer_list<argument> others) {
  using T = typename Values::value_type;
  const device::reduce_division division = device::divide_items<Shape>(n.capacity);
  const unsigned blocks = division.blocks;
  const std::size_t bytes = reduce_scratch_bytes_of<T>(blocks);
  const scratch_lease lease(where, bytes, function, others);
  scratch_carver carver(lease.base());
  const reduce_scratch<T> scratch(carver, blocks);

  const auto applied = as_operator<T>(op);
  using applied_op = std::remove_const_t<decltype(applied)>;
  simt::launch_config config{dim3(blocks), dim3(Shape::threads), sizeof(device::reduce_storage<T, Shape::warps>),
                             where.stream()};
  constexpr auto kernel = device::reduce_kernel<Shape, Values, In, applied_op, Result>;
  config.is_cluster =
      blocks > 1 && blocks <= simt::most_cluster_blocks && blocks <= simt::largest_cluster(kernel, config);
  simt::launch(kernel, config, in, n, division, applied, initial, vector_aligned,
               config.is_cluster ? nullptr : scratch.partials, result);
  if (blocks == 1 || config.is_cluster) return;
  config.grid = dim3(1);
  config.block =
      dim3(static_cast<unsigned>(smaller(simt::warp_size * ceil_div(blocks, simt::warp_size), Shape::threads)));
  config.overlaps_previous_launch = true;
  simt::launch(device::reduce_partials_kernel<Shape, T, applied_op, Result>, config, n, blocks, applied, initial,
               static_cast<const T*>(scratch.partials), result);
}

// Shape: only tests choose another than the tuned one.
template <class Values, class Item, class Shape = reduce_shape<Item>, class Op, class Result>
void launch_reduce(const exec& where, const input<Item>& in, Result* result, typename Values::value_type initial, Op op,
                   const char* function) {
  using T = typename Values::value_type;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= most_sum_bytes,
                "results have at most 32 bytes, to be copied as such");
  const argument from = argument_of("in", in), count = argument_of("in", in.length),
                 to{"result", result, result == nullptr ? 0 : sizeof(Result)};
  require_not_null(function, {from});
  require(result != nullptr, function, "`result` has no address");
  require_apart(function, {to}, {from, count});
  launch_reduce_blocks<Values, Shape>(where, in.data, in.length,
                                      device::is_aligned_for_reduce<Item, Shape::width>(in.data), result, initial, op,
                                      function, {from, count, to});
}
// Of a view. The number keeps the overload out where item and shape are given.
template <class Values, int = 0, class V, class Op>
void launch_reduce(const exec& where, const view_input<V>& in, typename Values::value_type* result,
                   typename Values::value_type initial, Op op, const char* function) {
  using T = typename Values::value_type;
  using shape = view_reduce_shape<V>;
  const argument count = argument_of("in", in.length), to = argument_of("result", device_result<T>(result));
  require(result != nullptr, function, "`result` has no address");
  require_apart(function, {to}, {count});
  require_view(function, where, "in", in, {to});
  launch_reduce_blocks<Values, shape>(where, in.view, in.length, device::is_vector_aligned<shape::width>(in.view),
                                      result, initial, op, function, {count, to});
}

}  // namespace ballot::detail
