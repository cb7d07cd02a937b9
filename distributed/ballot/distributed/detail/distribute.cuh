// SPDX-License-Identifier: Apache-2.0
// The launch of distribute_kernel.cuh: the sorts for which it is used, its shapes and its scratch.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/distributed/detail/distribute_keys_kernel.cuh>

namespace ballot::distributed::detail {

// At most so many splitters: their groups fit a warp's lanes.
inline constexpr int most_distributed = 15;

// Items a thread and blocks a multiprocessor: guesses, as many as registers hold.
template <class U, class V>
inline constexpr int distributed_items = sizeof(U) > 4 || (!std::is_same_v<V, no_value> && sizeof(V) > 4) ? 12
                                         : std::is_same_v<V, no_value>                                    ? 24
                                                                                                          : 20;
template <class U, class V, int Bits>
using distribute_shape_of = distribute_shape<256, distributed_items<U, V>, 4, Bits>;
// For keys alone. H200, 2026-11-26, ms of 2^28 uniform keys, by keys a thread and blocks:
//
//     u32, up to 7 splitters    32 x 3 0.92    H100: 24 x 4 0.89, 16 x 4 1.12, 32 x 3 0.87
//          up to 15             32 x 3 1.11    24 x 4 1.11, 24 x 3 1.30, 32 x 2 1.46
//     u64, up to 7              16 x 4 1.32    20 x 3 1.43, 12 x 4 and 16 x 3 1.56
//          up to 15             20 x 3 1.69    16 x 3 1.90, 24 x 2 1.93, 12 x 4 1.96, 12 x 3 2.23
template <class U, int Bits>
using distribute_keys_shape = std::conditional_t<
    sizeof(U) <= 4, distribute_shape<256, 32, 3, Bits>,
    std::conditional_t<Bits <= 4, distribute_shape<256, 16, 4, Bits>, distribute_shape<256, 20, 3, Bits>>>;

template <class U, class V, class Shape>
void launch_distribute_by(stream_t stream, std::byte* scratch, distribute_arguments<U, V> a,
                          void (*kernel)(distribute_arguments<U, V>), std::size_t shared) {
  const unsigned tiles = ballot::detail::tile_count(a.n, Shape::items, "distributed::sort");
  if (tiles == 0) return;
  const std::size_t state_bytes = sizeof(distribute_state::word) * Shape::groups * tiles;
  a.states = reinterpret_cast<distribute_state::word*>(scratch);
  a.ticket = reinterpret_cast<std::uint32_t*>(scratch + state_bytes);
  simt::fill_bytes(stream, scratch, 0, state_bytes + sizeof(std::uint32_t));
  simt::launch(kernel, simt::launch_config{dim3(tiles), dim3(Shape::threads), shared, stream}, a);
}
template <class U, class V, class Shape>
void launch_distribute_in_shape(stream_t stream, std::byte* scratch, const distribute_arguments<U, V>& a) {
  launch_distribute_by<U, V, Shape>(stream, scratch, a, distribute_kernel<U, V, Shape>,
                                    sizeof(distribute_storage<U, V, Shape>));
}

template <class U, int Bits>
void launch_distribute_keys(stream_t stream, std::byte* scratch, const distribute_arguments<U, no_value>& a) {
  using shape = distribute_keys_shape<U, Bits>;
  launch_distribute_by<U, no_value, shape>(stream, scratch, a, distribute_keys_kernel<U, shape>,
                                           sizeof(distribute_keys_storage<U, shape>));
}

template <class U, class V>
void launch_distribute(stream_t stream, std::byte* scratch, const distribute_arguments<U, V>& a) {
  if constexpr (std::is_same_v<V, no_value>) {
    if (a.asked.low == 0 && a.asked.mask == static_cast<U>(~U{0}))
      return a.number <= distribute_keys_shape<U, 4>::splitters ? launch_distribute_keys<U, 4>(stream, scratch, a)
                                                                : launch_distribute_keys<U, 5>(stream, scratch, a);
  }
  if (a.number <= distribute_shape_of<U, V, 4>::splitters)
    launch_distribute_in_shape<U, V, distribute_shape_of<U, V, 4>>(stream, scratch, a);
  else launch_distribute_in_shape<U, V, distribute_shape_of<U, V, 5>>(stream, scratch, a);
}
template <class U, class V>
std::size_t distribute_scratch_bytes(std::uint64_t n) {
  using shape = distribute_shape_of<U, V, 5>;
  return sizeof(distribute_state::word) * shape::groups * ballot::detail::ceil_div(n, shape::items) +
         sizeof(std::uint32_t);
}

}  // namespace ballot::distributed::detail
