// SPDX-License-Identifier: Apache-2.0
// The host's side of reductions of runs: tile shapes, scratch, the launch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/reduce_by_key/kernel.cuh>
#include <ballot/device/clear_words.cuh>
#include <ballot/device/flat_look_back.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/device/tree_look_back.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// A thread has up to 160 bytes of keys and values, in an odd number of vectors, for the banks of
// shared memory (block/staged_tile.cuh). H200, 2026-11-23, 2^28 items in runs of 1000,
// us:
//
//                       5 vectors   3 vectors
//     u32 and u32             556         772
//     u32 and float           691         895
//     u64 and double         1375        1899
//
// Few tiles are launched twice (kernel.cuh). H100, 2026-11-24, u32 and float in a graph, us, CUB
// 3.5.0 and tiles of 256 threads of so many vectors:
//
//                  CUB   1, twice   3, twice   5, twice   5, once
//     65,537       4.4        3.7        4.3          -
//     262,144      5.1        4.6        4.4        4.9       5.8
//     500,000      5.8        6.4        5.4        5.0       6.6
//     1,000,003    6.5          -        6.7        6.4       7.5
//     2,000,003    9.0          -       11.6        9.4       9.1
//
// H200, 2026-11-30, CUB 3.5.0, maximum of u32 in runs of 30, 1, 3 and 5 vectors, twice; u64 and
// double in runs of 8, tiles of 256 threads with 5 vectors, of 128 with 9, of 128 with 7, once:
//
//     131,071      5.7      5.2      5.7     6.1         3,000,017     25.3    33.9    28.9    30.1
//     250,007      6.4      6.2      6.0     6.2        12,000,017     75.8    86.4    79.2    81.5
//     400,009      6.6      6.7      6.1     6.9        50,000,017      296     324     278     294
//     700,001      7.5        -      7.2     8.2
//     1,500,000    8.7        -     11.5    11.3
//
// So threads have 5 vectors from most_middle on. H200, 2026-12-01, us in a graph of 850,009, 1,200,007
// and 1,500,000 u32 and f32: 3 vectors 7.6 9.7 10.4, 5 vectors 7.2 8.0 9.4 (CUB 6.8 7.3 7.9).
//
// CHANGING A SHAPE CHANGES BITS of sums of floats.
template <class T>
constexpr int width_of_runs() {
  return block::vector_width<T>();
}
template <>
constexpr int width_of_runs<void>() {
  return 4;
}
template <class K, class T>
constexpr int bytes_of_run_item() {
  if constexpr (std::is_void_v<K>) return sizeof(T);
  else return sizeof(K) + sizeof(T);
}
template <int Threads, class K, class T>
struct runs_shape_of {
  static constexpr int width = width_of_runs<K>() < width_of_runs<T>() ? width_of_runs<K>() : width_of_runs<T>();
  static constexpr int vectors = 160 / (width * bytes_of_run_item<K, T>());
  static constexpr int chunks = vectors >= 7 ? 7 : vectors >= 5 ? 5 : vectors >= 3 ? 3 : 1;
  using type = block::tile_shape<Threads, chunks, width>;
};
// K: void where there are no keys.
template <class K, class T>
struct runs_shapes {
  using usual = typename runs_shape_of<256, K, T>::type;
  static constexpr bool has_short_items = usual::width >= 4;
  using few = std::conditional_t<has_short_items, block::tile_shape<256, 1, usual::width>, usual>;
  using middle = std::conditional_t<(has_short_items && !std::is_void_v<K> && usual::chunks > 3),
                                    block::tile_shape<256, 3, usual::width>, usual>;
  using many =
      std::conditional_t<(bytes_of_run_item<K, T>() == 16 && usual::width == 2), block::tile_shape<128, 9, 2>, usual>;
  static constexpr std::uint64_t most_few = std::uint64_t{9} << 14, most_middle = std::uint64_t{3} << 18;
  // Up to so many items there are few tiles.
  static constexpr std::uint64_t most_in_few_tiles =
      larger(most_few, smaller(std::uint64_t{3} << 19, std::uint64_t{512} * usual::items));
};

// Whether every grouping of the operands gives the same bits. If not, the tiles' aggregates are
// added along a fixed tree.
template <class T, class Op>
inline constexpr bool is_exact_in_runs =
    std::is_integral_v<T> && (std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum> ||
                              std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or> || std::is_same_v<Op, bit_xor>);
template <class T, class Op>
using runs_look_back = std::conditional_t<is_exact_in_runs<T, Op>, device::look_back<device::count_and_value_state<T>>,
                                          device::tree_look_back<device::count_and_value_state<T>>>;
// With few tiles.
template <class T>
using few_runs_look_back = device::flat_look_back<device::count_and_value_state<T>>;

template <class T>
struct reduce_runs_scratch {
  using word = typename device::count_and_value_state<T>::word;
  std::uint32_t* ticket;
  word* states;

  // Enough for both kinds of look-back.
  reduce_runs_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)),
        states(carver.take<word>(device::tree_look_back<device::count_and_value_state<T>>::state_count(tiles))) {}

  static std::size_t bytes(std::uint64_t tiles) {
    if (tiles <= 1) return 0;
    scratch_carver measure;
    reduce_runs_scratch(measure, tiles);
    return measure.bytes();
  }
};

// The size never decreases with n, nor with the size of a result: the smallest tiles of few items
// have 1024 items.
template <class K, class T>
std::size_t reduce_runs_bytes(std::uint64_t n) {
  using shapes = runs_shapes<K, T>;
  constexpr std::uint64_t least = smaller(shapes::few::items, 1024);
  return larger(larger(reduce_runs_scratch<T>::bytes(ceil_div(smaller(n, shapes::most_few), least)),
                       reduce_runs_scratch<T>::bytes(ceil_div(smaller(n, shapes::most_middle), shapes::middle::items))),
                reduce_runs_scratch<T>::bytes(ceil_div(n, shapes::many::items)));
}

// Whether there is a kernel for arrays that begin between two vectors. Few tiles gain nothing from
// it.
template <class Shape, class LookBack, class Values, class Heads>
inline constexpr bool may_shift_runs = [] {
  using T = typename Values::value_type;
  if (std::is_same_v<LookBack, few_runs_look_back<T>>) return false;
  return (Values::is_direct && block::may_shift_tiles<T, Shape>) || Heads::template may_shift<Shape>;
}();

// One launch in tiles of one shape. n > 0; the arguments are checked.
template <bool HasInitial, bool MayShift, class Shape, class LookBack, class T, class Values, class Heads,
          class Results, class Op>
void launch_runs_in_shape(stream_t stream, std::byte* base, const length& n, const Heads& heads, const Values& values,
                          const block::aligned_vectors& vectors, const T& initial, const Op& op, const Results& results,
                          const device_count& count, const char* function) {
  constexpr bool has_few_tiles = std::is_same_v<LookBack, few_runs_look_back<T>>;
  const std::uint32_t tiles = tile_count(n.capacity, Shape::items, function);
  scratch_carver carver(base);
  const reduce_runs_scratch<T> scratch(carver, tiles);
  using arguments = reduce_runs_arguments<T, Values, Heads, Results, Op, typename LookBack::word>;
  constexpr std::size_t shared = sizeof(reduce_runs_storage<T, Shape, Heads, MayShift>);
  static_assert(shared <= simt::least_shared_bytes_limit, "some GPUs could not run this");
  const arguments a{heads,          values,
                    results,        n,
                    initial,        op,
                    count,          vectors,
                    scratch.states, has_few_tiles || tiles == 1 ? nullptr : scratch.ticket};
  const auto launch = [&]<device::tile_exchange Exchange>(std::integral_constant<device::tile_exchange, Exchange>,
                                                          bool overlaps) {
    simt::launch(reduce_runs_kernel<HasInitial, MayShift, Exchange, T, Shape, LookBack, Values, Heads, Results, Op>,
                 simt::launch_config{.grid = dim3(tiles),
                                     .block = dim3(Shape::threads),
                                     .shared_bytes = shared,
                                     .stream = stream,
                                     .overlaps_previous_launch = overlaps},
                 a);
  };
  using enum device::tile_exchange;
  if constexpr (has_few_tiles) {
    if (tiles != 1) launch(std::integral_constant<device::tile_exchange, publish_only>(), false);
    launch(std::integral_constant<device::tile_exchange, look_back_only>(), tiles != 1);
  } else {
    if (tiles != 1) launch_clear(stream, base, reduce_runs_scratch<T>::bytes(tiles));
    launch(std::integral_constant<device::tile_exchange, look_back>(), tiles != 1);
  }
}

// The most items for which tiles have the shape for few tiles, the middle one, and are launched twice.
struct runs_limits {
  std::uint64_t most_few, most_middle, most_in_few_tiles;
};

// K: the key type of the shapes. make_heads(shape): the heads for tiles of a shape. Op: in the form
// for kernels (as_operator). limits: only tests and measurements change them.
template <bool HasInitial, class K, class T, class Values, class MakeHeads, class Results, class Op>
void launch_runs(stream_t stream, std::byte* base, const length& n, const MakeHeads& make_heads, const Values& values,
                 const T& initial, const Op& op, const Results& results, const device_count& count,
                 const char* function,
                 runs_limits limits = {runs_shapes<K, T>::most_few, runs_shapes<K, T>::most_middle,
                                       runs_shapes<K, T>::most_in_few_tiles}) {
  using shapes = runs_shapes<K, T>;
  if (n.capacity == 0) {
    clear_counts(stream, count);
    return;
  }
  const auto launch = [&]<class Shape, class LookBack>(std::type_identity<Shape>, std::type_identity<LookBack>) {
    block::aligned_vectors vectors;
    if constexpr (Values::is_direct) vectors = block::aligned_vectors_of<T, Shape::width>(values.data);
    const auto heads = make_heads(std::type_identity<Shape>());
    const auto launch_in_shape = [&]<bool MayShift>(std::bool_constant<MayShift>) {
      launch_runs_in_shape<HasInitial, MayShift, Shape, LookBack>(stream, base, n, heads, values, vectors, initial, op,
                                                                  results, count, function);
    };
    if constexpr (may_shift_runs<Shape, LookBack, Values, std::remove_const_t<decltype(heads)>>) {
      if (block::shift_of_tiles<T, Shape>(vectors) != 0 || heads.template shift<Shape>() != 0)
        return launch_in_shape(std::true_type());
    }
    launch_in_shape(std::false_type());
  };
  using std::type_identity;
  if (n.capacity <= limits.most_few)
    launch(type_identity<typename shapes::few>(), type_identity<few_runs_look_back<T>>());
  else if (n.capacity <= smaller(limits.most_middle, limits.most_in_few_tiles))
    launch(type_identity<typename shapes::middle>(), type_identity<few_runs_look_back<T>>());
  else if (n.capacity <= limits.most_in_few_tiles)
    launch(type_identity<typename shapes::usual>(), type_identity<few_runs_look_back<T>>());
  else launch(type_identity<typename shapes::many>(), type_identity<runs_look_back<T, Op>>());
}

}  // namespace ballot::detail
