// The kernel of the device scan: one launch, each item read once and written once.
//
//     take a ticket -> stage the tile -> sum each thread's items -> publish the tile's sum, look back -> scan, store
//
// Tickets number the tiles in the order of the scan. Backward, ticket 0 is the tile at the array's end, and tiles are
// mirrored when loaded and stored (block/staged_tile.cuh); everything between is the same. Tiles keep their places in memory,
// so that vectors stay aligned: the one that is not full is the last of the array, hence the last ticket forward and
// the first one backward.
//
//     memory     [tile 0      ][tile 1      ][tile 2  ]          7 items of 3 in tile 2
//     forward     ticket 0      ticket 1      ticket 2
//     backward    ticket 2      ticket 1      ticket 0
//
// Shared memory: the tile, and a total a warp. Barriers: three, a fourth in the tile that is not full. Merrill and Garland 2016 for
// the single pass; Smith, Levien and Owens, Decoupled Fallback 2025, surveys the variants.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/staged_tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/detail/byte_sums.cuh>
#include <ballot/device/detail/scan_input.cuh>
#include <ballot/device/detail/scan_items.cuh>
#include <ballot/device/detail/scan_kind.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/device/scan_options.hpp>

#include <cstdint>
#include <type_traits>

namespace ballot::device {

// Where op of all items goes.
template <class T>
struct scan_total {
  T* result;          // null: nowhere
  bool after_output;  // also behind the last item of the output

  BALLOT_HOST_DEVICE bool wanted() const { return result != nullptr || after_output; }
  __device__ __forceinline__ void store(T* out, std::uint64_t n, T total) const {
    if (result != nullptr) *result = total;
    if (after_output) out[n] = total;
  }
};

template <class T, class Source, class Op, class Word>
struct scan_arguments {
  Source source;
  T* out;
  ballot::detail::length length;
  T initial;               // of an exclusive scan
  const T* initial_there;  // of a scan that begins with an item on the device
  Op op;
  scan_total<T> total;
  scan_order order;
  bool whole_vectors;
  Word* states;           // LookBack::state_count(tiles) words, zero at launch
  std::uint32_t* ticket;  // zero at launch
};

// What lies in shared memory before the sums: items as they lie in memory, or, where those are wider, what becomes of
// them. So a tile of sums takes the same shared memory whatever it is made of, and at most as much again.
template <class T, class Stored>
inline constexpr bool is_converted_first = sizeof(Stored) > sizeof(T);  // before staging, else after
template <class T, class Stored>
using staged_for_scan = std::conditional_t<is_converted_first<T, Stored>, T, Stored>;

// Sums take the places of the items that they are made of; those of another size have places of their own.
template <class T, class Shape, class Staged, bool SameSize = sizeof(T) == sizeof(Staged)>
struct scan_tiles {
  typename block::staged_tile<Staged, Shape>::storage items;
  typename block::staged_tile<T, Shape>::storage sums_apart;
  __device__ __forceinline__ auto& sums() { return sums_apart; }
};
template <class T, class Shape, class Staged>
struct scan_tiles<T, Shape, Staged, true> {
  union {
    typename block::staged_tile<Staged, Shape>::storage items;
    typename block::staged_tile<T, Shape>::storage sums_in_place;
  };
  __device__ __forceinline__ auto& sums() { return sums_in_place; }
};

template <class T, class Shape, class Stored>
struct scan_storage {
  scan_tiles<T, Shape, staged_for_scan<T, Stored>> tiles;
  typename block::scan<T, Shape::threads>::storage warps;
  std::uint32_t tile;
  // Aligned, so that a vector load of the one does not take bytes of the other with it.
  alignas(16) T before;
  alignas(16) T partial_total;
};

// What lies before a thread's items in its tile.
template <class T>
struct sums_in_tile {
  bool has_before;  // false: nothing does
  T before;
  T tile_total;
};

// sum: of the thread's items. extent: which threads have any. One barrier.
template <class T, int Threads, class Op, class Extent>
__device__ __forceinline__ sums_in_tile<T> place_in_tile(typename block::scan<T, Threads>::storage& shared, T sum,
                                                         Op op, Extent extent) {
  const auto in_warp = block::extent_of_warp<Threads, 1>(extent);
  const auto of_lanes = scan_of_lanes(sum, op, in_warp);
  const block::warp_prefix<T> of_warps = block::scan<T, Threads>::across_warps(shared, of_lanes.warp_total, op, extent);
  T before = of_lanes.before;
  const bool has_before = of_lanes.has_before() && in_warp.template of_lane<1>() != 0;
  if (of_warps.has_before) before = has_before ? op(of_warps.before, before) : of_warps.before;
  return {has_before || of_warps.has_before, before, of_warps.total};
}

// Blocks a multiprocessor that registers are saved for, of 1280 threads in all; 0: as it comes. With operators that must not
// meet filler, ptxas takes up to 54 registers a thread where 48 are enough (nvcc 13.0, sm_90). Tiles leave room for about as
// many threads. A multiprocessor of sm_90 holds 32 blocks, and ptxas refuses to be asked for more.
template <class T, class Op, class Shape>
inline constexpr int scan_blocks_at_once =
    ballot::detail::is_harmless<Op, T> || sizeof(T) > 8 || simt::architecture < 900 ? 0
    : Shape::threads < 1280 / 32                                                    ? 32
                                                                                    : 1280 / Shape::threads;

// One tile a block, Kind and LookBack as the names say; LookBack::settle tells a tile what lies before it.
template <scan_kind Kind, class T, class Shape, class LookBack, class Source, class Op>
__global__ void __launch_bounds__(Shape::threads, scan_blocks_at_once<T, Op, Shape>)
    scan_kernel(scan_arguments<T, Source, Op, typename LookBack::word> arguments) {
  using stored = typename Source::stored;
  constexpr bool converts_first = is_converted_first<T, stored>;
  using staged = block::staged_tile<staged_for_scan<T, stored>, Shape>;
  using staged_sums = block::staged_tile<T, Shape>;
  constexpr bool has_initial = Kind != scan_kind::inclusive;
  // Whether the tile that is not full is summed item by item: for an operator that must not meet its filler.
  constexpr bool leaves_filler_out = !ballot::detail::is_harmless<Op, T>;
  auto& shared = simt::shared_storage<scan_storage<T, Shape, stored>>();
  const auto& op = arguments.op;

  // A launch over nothing has one block and no ticket.
  const std::uint32_t index = arguments.ticket == nullptr ? 0 : take_ticket(arguments.ticket, shared.tile);
  const std::uint64_t n = arguments.length.get();
  const auto initial = [&]() -> T {
    if constexpr (begins_on_device(Kind)) return *arguments.initial_there;
    else return arguments.initial;
  };
  if (n == 0 && index == 0 && has_initial && simt::thread_rank() == 0)
    arguments.total.store(arguments.out, 0, initial());
  const auto tiles = static_cast<std::uint32_t>(ballot::detail::ceil_div(n, Shape::items));
  if (index >= tiles)
    return;  // nothing to scan, or a surplus tile of a launch sized for the capacity: the whole block leaves
  const bool mirrored = arguments.order == scan_order::backward;
  const std::uint64_t begin = static_cast<std::uint64_t>(mirrored ? tiles - 1 - index : index) * Shape::items;
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, Shape::items));
  const unsigned first_item = simt::thread_rank() * staged::thread_items;
  const unsigned mine = first_item < valid
                            ? static_cast<unsigned>(ballot::detail::smaller(valid - first_item, staged::thread_items))
                            : 0u;
  const bool has_last_item = valid - 1 - first_item < staged::thread_items;  // wraps round where it comes later

  const stored* const in = arguments.source.at + begin;
  if constexpr (converts_first) {
    staged::template start_each<sizeof(stored)>(shared.tiles.items, valid, mirrored, [&](unsigned at) {
      return Source::template convert<T>(in[at < valid ? at : 0]);
    });
  } else {
    staged::start(shared.tiles.items, in, valid, arguments.whole_vectors, mirrored);
  }
  staged::finish();
  constexpr bool as_bytes =
      sums_bytes<T, Shape::width, Op> && (converts_first || std::is_same_v<Source, item_source<T>>);
  const auto vector_of = [&](int c) {
    if constexpr (as_bytes) {
      const auto bytes = staged::template get_as<packed_bytes<T, Shape::width>>(shared.tiles.items, c);
      return mirrored ? reversed(bytes) : bytes;
    } else if constexpr (converts_first) {
      return staged::get(shared.tiles.items, c, mirrored);
    } else {
      return converted<T, Source, Shape::width>(staged::get(shared.tiles.items, c, mirrored));
    }
  };
  const auto put = [&](int c, const auto& sums) {
    if constexpr (as_bytes) staged_sums::put_as(shared.tiles.sums(), c, mirrored ? reversed(sums) : sums);
    else staged_sums::put(shared.tiles.sums(), c, mirrored, sums);
  };
  sums_in_tile<T> sums;
  if (!leaves_filler_out || valid == Shape::items) {
    sums = place_in_tile<T, Shape::threads>(shared.warps, sum_of_vectors<T, Shape::chunks>(vector_of, op), op,
                                            block::all_items{});
  } else {
    const unsigned threads = (valid + staged::thread_items - 1) / staged::thread_items;  // that have items
    sums = place_in_tile<T, Shape::threads>(shared.warps, sum_of_first<T, Shape::width>(mine, vector_of, op), op,
                                            block::first_items{threads});
  }
  T before = sums.before;  // what lies before this thread's items, where has_before says so: in the tile at first
  bool has_before = sums.has_before;

  T tile_total = sums.tile_total;
  if (!leaves_filler_out && mirrored && valid != Shape::items) {  // other tiles follow, and must not see the filler
    if (has_last_item) {
      T last = sum_of_first<T, Shape::width>(valid - first_item, vector_of, op);
      if (has_before) last = op(before, last);
      shared.partial_total = last;
    }
    simt::sync_block();
    tile_total = shared.partial_total;
  }

  // The first warp settles what lies before the tile while the others wait.
  if (simt::warp_id() == 0) {
    const T before_tile =
        LookBack::template settle<has_initial>(arguments.states, gridDim.x, index, initial(), tile_total, op);
    if (simt::lane_id() == 0) shared.before = before_tile;
  }
  simt::sync_block();
  if (has_initial || index != 0) {
    before = has_before ? op(shared.before, before) : shared.before;
    has_before = true;
  }

  if (index == tiles - 1 && has_last_item && arguments.total.wanted()) {
    const T last = sum_of_first<T, Shape::width>(valid - first_item, vector_of, op);
    arguments.total.store(arguments.out, n, has_before ? op(before, last) : last);
  }
  if (!leaves_filler_out || valid == Shape::items) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) {
      const auto items = vector_of(c);
      const auto inclusive = inclusive_along(items, has_before, before, op);
      if constexpr (is_exclusive(Kind)) put(c, exclusive_along(items, before, op));
      else put(c, inclusive);
      before = inclusive[Shape::width - 1];
      has_before = true;
    }
  } else if constexpr (leaves_filler_out) {
#pragma unroll 1
    for (unsigned c = 0; c * Shape::width < mine; ++c) {
      const auto items = vector_of(static_cast<int>(c));
      put(static_cast<int>(c), scan_along_first<Kind>(mine - c * Shape::width, items, has_before, before, op));
    }
  }
  staged_sums::store(shared.tiles.sums(), arguments.out + begin, valid, arguments.whole_vectors, mirrored);
}

}  // namespace ballot::device
