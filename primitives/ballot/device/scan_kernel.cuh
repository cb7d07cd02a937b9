// The kernel of the device scan: one launch, each item read once and written once.
//
//     take a ticket -> stage the tile -> sum its vectors -> publish the tile's sum, look back -> scan the vectors, store
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
// Shared memory: the tile, and a total a warp. Barriers: three, a fourth in the tile that is not full. Merrill and Garland 2016 for
// the single pass; Smith, Levien and Owens, Decoupled Fallback 2025, surveys the variants.
#pragma once

#include <ballot/block/scan.cuh>
#include <ballot/block/staged_tile.cuh>
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

template <class T, class Shape, class Stored>
struct scan_storage {
  typename block::staged_tile<Stored, Shape>::storage items;
  typename block::scan<T, Shape::threads>::storage warps;
  std::uint32_t tile;
  // Aligned, so that a vector load of the one does not take bytes of the other with it.
  alignas(16) T before;
  alignas(16) T partial_total;
};

// One tile a block, Kind and LookBack as the names say; LookBack::settle tells a tile what lies before it.
template <scan_kind Kind, class T, class Shape, class LookBack, class Source, class Op>
__global__ void __launch_bounds__(Shape::threads)
    scan_kernel(scan_arguments<T, Source, Op, typename LookBack::word> arguments) {
  using stored = typename Source::stored;
  using staged = block::staged_tile<stored, Shape>;
  constexpr bool has_initial = Kind == scan_kind::exclusive;
  auto& shared = simt::shared_storage<scan_storage<T, Shape, stored>>();
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

  staged::start(shared.items, arguments.source.at + begin, valid, arguments.whole_vectors, mirrored);
  staged::finish();
  const auto vector_of = [&](int c) {
    return converted<T, Source, Shape::width>(staged::get(shared.items, c, mirrored));
  };
  const sums_before_vectors<T, Shape> sums = sum_vectors<T, Shape>(vector_of, op);
  const block::warp_prefix<T> in_block =
      block::scan<T, Shape::threads>::across_warps(shared.warps, sums.warp_total, op);

  T tile_total = in_block.total;
  if (mirrored && valid != Shape::items) {  // other tiles follow, and must not see the filler
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      with_item<T, Shape>(c, valid - 1, [&](int j) {
        T last = inclusive_along(vector_of(c), sums.has_before(c), sums.before[c], op)[j];
        if (in_block.has_before) last = op(in_block.before, last);
        shared.partial_total = last;
      });
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
  const bool has_before_run = has_before_tile || in_block.has_before;
  const auto before_vector = [&](int c) {
    if (!sums.has_before(c)) return before;
    return has_before_run ? op(before, sums.before[c]) : sums.before[c];
  };
  if (index == tiles - 1 && arguments.total.wanted()) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; ++c)
      with_item<T, Shape>(c, valid - 1, [&](int j) {
        const auto inclusive =
            inclusive_along(vector_of(c), has_before_run || sums.has_before(c), before_vector(c), op);
        arguments.total.store(arguments.out, n, inclusive[j]);
      });
  }
  block::tile<T, Shape>::store_each(arguments.out + begin, valid, arguments.whole_vectors, mirrored, [&](int c) {
    if constexpr (has_initial) return exclusive_along(vector_of(c), before_vector(c), op);
    else return inclusive_along(vector_of(c), has_before_run || sums.has_before(c), before_vector(c), op);
  });
}

}  // namespace ballot::device
