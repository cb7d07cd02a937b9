// SPDX-License-Identifier: Apache-2.0
// Block-wise prefix sums: the scan restarts every block_items items.
//
//     // out[i] = in[i / 4096 * 4096] + ... + in[i]
//     ballot::blockwise_inclusive_scan(gpu, samples, running, 4096);
//     ballot::blockwise_exclusive_scan(gpu, counts, offsets, row_length);
//     ballot::blockwise_inclusive_scan(gpu, samples, ballot::maximum{}, running, 4096);
//     ballot::blockwise_inclusive_scan(gpu, ballot::reversed{samples}, running, 4096);  // of a view
//
// in           contiguous device range or view, or `counted`, of a trivially copyable T of at most
//              32 bytes. The last block may be shorter
// out          device range of T as long as the input (its capacity), or an output view of T
//              (outputs.cuh) with room for that many
// block_items  at least 1, any 64-bit number. If it is larger than the input, there is one block
// initial      converted to T; T{} in overloads without it
// op           associative; `plus` in overloads without it. Callable on the device; need not
//              commute. Its results are converted to T; sums of integers wrap. It is applied only
//              to sums of adjacent items of a block and to `initial` (core/operators.hpp).
// aliasing     in and out may be the same range (in place). Nothing else may overlap out, not even
//              a length on the device. The scratch must not overlap any argument.
//
// Blocks of up to a few thousand items are scanned in independent tiles of full blocks
// (device/detail/blockwise_scan_kernel.cuh). This is one kernel without scratch, and deterministic
// for floats too. Longer blocks take the kernel of the segmented scan, with head flags computed
// from the index. So do blocks that would leave much of a tile unused. Scratch, launches and
// determinism are then those of the segmented scan (segmented_scan.cuh).
//
// Scratch: blockwise_scan_scratch_bytes<T>(n, block_items); 0 for the first kernel.
//
// Bytes moved: each item is read once and written once. Nothing is launched if n = 0.
//
// Errors, before any work: invalid_argument for block_items = 0, null with n > 0, an output of
// another length (a view: too little room), partial overlap, or too little scratch. cuda_error from
// the launch.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/detail/blockwise_scan_kernel.cuh>
#include <ballot/device/detail/explain_scans.hpp>
#include <ballot/device/detail/periodic_head_flags.cuh>
#include <ballot/device/detail/segmented_scan_launch.cuh>
#include <ballot/device/detail/view_loads.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/warp/function_objects.cuh>

#include <numeric>
#include <type_traits>

namespace ballot {
namespace detail {

// The shape of tiles of full blocks. Its number of items is a power of two, as block_items mostly
// is. H200, 2026-11-20, i32, 2^30: 0.98 of the copy speed. For other architectures than sm_90 this
// is a guess.
template <class T>
using blockwise_scan_shape = block::tile_shape<256, 16 / block::vector_width<T>(), block::vector_width<T>()>;

// The items of a tile of full blocks and full vectors; 0 if less than three quarters of the shape
// would be used.
template <class Shape>
constexpr unsigned tile_items_of_full_blocks(std::uint64_t block_items) {
  if (block_items > Shape::items) return 0;
  const auto block = static_cast<unsigned>(block_items), width = static_cast<unsigned>(Shape::width);
  const unsigned unit = block / std::gcd(block, width) * width;
  const unsigned items = Shape::items / unit * unit;
  return items >= Shape::items / 4 * 3 ? items : 0;
}

// LongShape: the tile shape of the kernel with look-back. Only tests choose other shapes than the
// tuned ones.
template <class T, class Shape = blockwise_scan_shape<T>, class LongShape = segmented_scan_shape<T>>
std::size_t blockwise_scan_bytes(std::uint64_t n, std::uint64_t block_items) {
  return tile_items_of_full_blocks<Shape>(block_items) != 0 ? 0 : segmented_scan_bytes<T, LongShape>(n);
}

// In: input<T> or view_input<...>.
template <device::scan_kind Kind, class T, class Shape = blockwise_scan_shape<T>,
          class LongShape = segmented_scan_shape<T>, class In, class Op, class Out>
void blockwise_scan(const exec& where, const In& in, const Out& out, std::uint64_t block_items, T initial, Op op,
                    const char* function) {
  require(block_items != 0, function, "`block_items` is 0, at least 1 is needed");
  require_segmented_ranges(where, in, out, function);
  const unsigned tile_items = tile_items_of_full_blocks<Shape>(block_items);
  if (tile_items != 0) {
    const std::uint32_t tiles = tile_count(in.capacity(), tile_items, function);
    if (tiles == 0) return;
    const bool within_warps = Shape::warp_items % block_items == 0;
    const bool vector_aligned =
        device::is_vector_aligned<Shape::width>(source_of_input(in)) && are_sums_aligned<Shape::width>(out);
    const auto applied = as_operator<T>(op);
    simt::launch(
        device::blockwise_scan_kernel<T, Shape, Kind, std::remove_const_t<decltype(applied)>, source_of_input_t<In>,
                                      std::remove_cvref_t<decltype(output_of_kernel(out))>>,
        simt::launch_config{dim3(tiles), dim3(Shape::threads),
                            sizeof(typename device::segments_across_warps<T, Shape::threads>::storage), where.stream()},
        source_of_input(in), output_of_kernel(out), in.length, device::periodic_head_flags<Shape>::every(block_items),
        tile_items, within_warps, initial, applied, vector_aligned);
    return;
  }
  const std::uint32_t tiles = tile_count(in.capacity(), LongShape::items, function);
  if (in.capacity() == 0) return;
  const std::size_t bytes = segmented_scan_bytes<T, LongShape>(in.capacity());
  const scratch_lease lease(where, bytes, function,
                            {argument_of("in", in), argument_of("in", in.length), argument_of_sums("out", out)});
  if (tiles > few_tiles) launch_clear(where.stream(), lease.base(), bytes);
  with_shape_of_gpu<LongShape>([&]<class Own>(std::type_identity<Own>) {
    launch_segmented_scan<Kind, T, Own>(where.stream(), lease.base(), in,
                                        device::periodic_head_flags<Own>::every(block_items), out, initial, op,
                                        function, few_tiles, true);
  });
}

}  // namespace detail

// Bytes of scratch for block-wise scans of n items, at any address. Pure.
template <class T>
std::size_t blockwise_scan_scratch_bytes(std::uint64_t n, std::uint64_t block_items) {
  return block_items == 0 ? 0 : detail::bytes_at_any_address(detail::blockwise_scan_bytes<T>(n, block_items));
}

namespace detail {

// Function: checks of the initial value and of the function object, where a call has them.
template <class In, class Out, class... Function>
void explain_blockwise() {
  explain<input_or_view_check<In>, Function..., output_or_view_check<Out>, same_items_check<Out, In>,
          sums_check<Out, In>>();
}

}  // namespace detail

// out[i] = in[h] op ... op in[i], h: the largest multiple of block_items up to i.
template <input_range_or_view In, class Op, detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>>
void blockwise_inclusive_scan(const exec& where, const In& in, const Op& op, Out&& out, std::uint64_t block_items) {
  using T = detail::item_t<In>;
  detail::blockwise_scan<device::scan_kind::inclusive, T>(where, detail::as_input(in), detail::as_output(out),
                                                          block_items, T{}, Op(op), "blockwise_inclusive_scan");
}
template <class In, class Op, class Out>
void blockwise_inclusive_scan(const exec&, const In&, const Op&, Out&&, std::uint64_t) {
  detail::explain_blockwise<In, Out, detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, detail::items_or_view_of<In> Out>
void blockwise_inclusive_scan(const exec& where, const In& in, Out&& out, std::uint64_t block_items) {
  blockwise_inclusive_scan(where, in, plus{}, out, block_items);
}
template <class In, class Out>
void blockwise_inclusive_scan(const exec&, const In&, Out&&, std::uint64_t) {
  detail::explain_blockwise<In, Out>();
}

// out[i] = initial op in[h] op ... op in[i - 1], h: the largest multiple of block_items up to i;
// `initial` at each h.
template <input_range_or_view In, class Initial, class Op, detail::items_or_view_of<In> Out>
  requires operator_of<Op, detail::item_t<In>> && std::is_convertible_v<const Initial&, detail::item_t<In>>
void blockwise_exclusive_scan(const exec& where, const In& in, const Initial& initial, const Op& op, Out&& out,
                              std::uint64_t block_items) {
  using T = detail::item_t<In>;
  detail::blockwise_scan<device::scan_kind::exclusive, T>(where, detail::as_input(in), detail::as_output(out),
                                                          block_items, static_cast<T>(initial), Op(op),
                                                          "blockwise_exclusive_scan");
}
template <class In, class Initial, class Op, class Out>
void blockwise_exclusive_scan(const exec&, const In&, const Initial&, const Op&, Out&&, std::uint64_t) {
  detail::explain_blockwise<In, Out, detail::initial_check<Initial, detail::known_item_t<In>>,
                            detail::operator_check<Op, detail::known_item_t<In>>>();
}
// By plus.
template <input_range_or_view In, class Initial, detail::items_or_view_of<In> Out>
  requires std::is_convertible_v<const Initial&, detail::item_t<In>>
void blockwise_exclusive_scan(const exec& where, const In& in, const Initial& initial, Out&& out,
                              std::uint64_t block_items) {
  blockwise_exclusive_scan(where, in, static_cast<detail::item_t<In>>(initial), plus{}, out, block_items);
}
template <class In, class Initial, class Out>
void blockwise_exclusive_scan(const exec&, const In&, const Initial&, Out&&, std::uint64_t) {
  detail::explain_blockwise<In, Out, detail::initial_check<Initial, detail::known_item_t<In>>>();
}
// By plus, from 0.
template <input_range_or_view In, detail::items_or_view_of<In> Out>
void blockwise_exclusive_scan(const exec& where, const In& in, Out&& out, std::uint64_t block_items) {
  blockwise_exclusive_scan(where, in, detail::item_t<In>{}, plus{}, out, block_items);
}
template <class In, class Out>
void blockwise_exclusive_scan(const exec&, const In&, Out&&, std::uint64_t) {
  detail::explain_blockwise<In, Out>();
}

}  // namespace ballot
