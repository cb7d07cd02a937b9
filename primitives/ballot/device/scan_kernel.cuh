// The kernel of the device scan: one launch, each item read once and written once.
//
//     take a ticket -> load the tile -> scan it in registers -> publish its sum, look back -> add the prefix, store
//
// Tickets number the tiles in the order of the scan. Backward, ticket 0 is the tile at the array's end, and tiles are
// mirrored when loaded and stored (block/tile.cuh); everything between is the same. Tiles keep their places in memory,
// so that vectors stay aligned: the one that is not full is the last of the array, hence the last ticket forward and
// the first one backward.
//
//     memory     [tile 0      ][tile 1      ][tile 2  ]          7 items of 3 in tile 2
//     forward     ticket 0      ticket 1      ticket 2
//     backward    ticket 2      ticket 1      ticket 0
//
// Shared memory: a total a warp. Barriers: three, a fourth in the tile that is not full. Merrill and Garland 2016 for
// the single pass; Smith, Levien and Owens, Decoupled Fallback 2025, surveys the variants.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/device/look_back.cuh>
#include <ballot/device/scan_items.cuh>
#include <ballot/device/scan_options.hpp>
#include <ballot/device/scan_source.cuh>

namespace ballot::device {

enum class scan_kind { inclusive, exclusive };

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
  T initial;  // counts where the scan is exclusive
  Op op;
  scan_total<T> total;
  scan_order order;
  bool whole_vectors;
  Word* states;           // LookBack::state_count(tiles) words, zero at launch
  std::uint32_t* ticket;  // zero at launch
};

template <class T, int Threads>
struct scan_storage {
  typename block::scan<T, Threads>::storage warps;
  std::uint32_t tile;
  // Aligned, so that a vector load of the one does not take bytes of the other with it.
  alignas(16) T before;
  alignas(16) T partial_total;
};

// One tile a block, Kind and LookBack as the names say; LookBack::settle tells a tile what lies before it.
template <scan_kind Kind, class T, class Shape, class LookBack, class Source, class Op>
__global__ void __launch_bounds__(Shape::threads)
    scan_kernel(scan_arguments<T, Source, Op, typename LookBack::word> arguments) {
  using tile = block::tile<T, Shape>;
  constexpr bool has_initial = Kind == scan_kind::exclusive;
  auto& shared = simt::shared_storage<scan_storage<T, Shape::threads>>();
  const auto& op = arguments.op;

  // A launch over nothing has one block and no ticket.
  const std::uint32_t index = arguments.ticket == nullptr ? 0 : take_ticket(arguments.ticket, shared.tile);
  const std::uint64_t n = arguments.length.get();
  if (n == 0 && index == 0 && has_initial && simt::thread_rank() == 0)
    arguments.total.store(arguments.out, 0, arguments.initial);
  const auto tiles = static_cast<std::uint32_t>(ballot::detail::ceil_div(n, Shape::items));
  if (index >= tiles)
    return;  // nothing to scan, or a surplus tile of a launch sized for the capacity: the whole block leaves
  const bool mirrored = arguments.order == scan_order::backward;
  const std::uint64_t begin = static_cast<std::uint64_t>(mirrored ? tiles - 1 - index : index) * Shape::items;
  const auto valid = static_cast<unsigned>(ballot::detail::smaller(n - begin, Shape::items));

  kept_items<T, Shape> item;
  load_converted<T, Shape>(arguments.source, begin, valid, arguments.whole_vectors, mirrored, item);
  const T warp_total = join_vectors<T, Shape>(item, op);
  const block::warp_prefix<T> in_block = block::scan<T, Shape::threads>::across_warps(shared.warps, warp_total, op);

  T tile_total = in_block.total;
  if (mirrored && valid != Shape::items) {  // other tiles follow, and must not see the filler
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      with_item<T, Shape>(scan_along(item, c, in_block.has_before, in_block.before, op), c, valid - 1,
                          [&](const T& last) { shared.partial_total = last; });
    simt::sync_block();
    tile_total = shared.partial_total;
  }

  // The first warp settles what lies before the tile while the others wait.
  if (simt::warp_id() == 0) {
    const T before =
        LookBack::template settle<has_initial>(arguments.states, gridDim.x, index, arguments.initial, tile_total, op);
    if (simt::lane_id() == 0) shared.before = before;
  }
  simt::sync_block();

  const bool has_before_tile = has_initial || index != 0;
  T before = shared.before;
  if (in_block.has_before) before = has_before_tile ? op(before, in_block.before) : in_block.before;
  const bool has_before = has_before_tile || in_block.has_before;
#pragma unroll
  for (int c = 0; c < Shape::chunks; ++c) item.set(c, scan_along(item, c, has_before, before, op));
  if (index == tiles - 1 && arguments.total.wanted()) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      with_item<T, Shape>(item.get(c), c, valid - 1,
                          [&](const T& last) { arguments.total.store(arguments.out, n, last); });
  }
  if constexpr (has_initial) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c) item.set(c, shifted(item.get(c), before));
  }
  tile::store_each(arguments.out + begin, valid, arguments.whole_vectors, mirrored, [&](int c) { return item.get(c); });
}

}  // namespace ballot::device
