// SPDX-License-Identifier: Apache-2.0
// Segmented scans, and block-wise scans of long blocks, on the host: tile shape, scratch, checks, the launch.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/detail/segmented_scan_kernel.cuh>
#include <ballot/device/flags.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/warp/function_objects.cuh>

#include <type_traits>

namespace ballot::detail {

// H200, 2026-11-20, i32 in one segment of 2^28: 0.96 of the copy speed by byte flags, 0.94 by bit flags (128 threads:
// 0.96, 0.92; 256: 0.96, 0.93). On other architectures than sm_90 this is a guess.
template <class T>
using segmented_scan_shape = block::tile_shape<192, sizeof(T) <= 4 ? 7 : 9, block::vector_width<T>()>;

template <class T>
struct segmented_scan_scratch {
  std::uint32_t* ticket;
  typename device::tile_state<T>::word* states;

  segmented_scan_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)), states(carver.take<typename device::tile_state<T>::word>(tiles)) {}
};

template <class T, class Shape = segmented_scan_shape<T>>
std::size_t segmented_scan_bytes(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  segmented_scan_scratch<T>(measure, ceil_div(n, Shape::items));
  return measure.bytes();
}

// The input may be the output.
template <class T>
void require_segmented_ranges(const input<T>& in, const output<T>& out, const char* function) {
  static_assert(sizeof(T) <= 16, "device scans take items of at most 16 bytes");
  const argument from = argument_of("in", in), to = argument_of("out", out);
  require_not_null(function, {from, to});
  require_same_length(function, "out", out.size, "in", in.capacity());
  const argument read[] = {argument_of("in", in.length), from}, written[] = {to};
  require_apart(function, written, std::span(read, in.data == out.data ? 1 : 2));
}

// Scratch: segmented_scan_bytes<T, Shape>() at `scratch`, filled with zeros if there are more than `few` tiles. Arguments
// are checked, n > 0.
template <device::scan_kind Kind, class T, class Shape, class Heads, class Op>
void launch_segmented_scan(stream_t stream, std::byte* scratch, const input<T>& in, const Heads& heads,
                           const output<T>& out, T initial, Op op, const char* function,
                           std::uint32_t few = few_tiles) {
  const std::uint32_t tiles = tile_count(in.capacity(), Shape::items, function);
  scratch_carver carver(scratch);
  const segmented_scan_scratch<T> parts(carver, tiles);
  const bool is_alone = tiles == 1;
  const bool vector_aligned =
      block::is_vector_aligned<T, Shape::width>(in.data) && block::is_vector_aligned<T, Shape::width>(out.data);
  const auto applied = as_operator<T>(op);
  simt::launch_config config{dim3(tiles), dim3(Shape::threads), sizeof(device::segmented_scan_storage<T, Shape>),
                             stream};
  const auto launch = [&](device::tile_exchange exchange) {
    simt::launch(device::segmented_scan_kernel<T, Shape, Kind, Heads, std::remove_const_t<decltype(applied)>>, config,
                 in.data, out.data, in.length, heads, initial, applied, vector_aligned,
                 is_alone ? nullptr : parts.states, tiles > few ? parts.ticket : nullptr, exchange);
  };
  if (is_alone || tiles > few) return launch(device::tile_exchange::look_back);
  launch(device::tile_exchange::publish_only);
  config.overlaps_previous_launch = true;
  launch(device::tile_exchange::look_back_only);
}

template <bool Backward, class Reader>
device::head_flag_loader<Reader, Backward> make_head_flag_loader(const Reader& reader) {
  return {reader};
}

// Shape: only tests choose another than the tuned one.
template <device::scan_kind Kind, class T, bool Backward = false, class Shape = segmented_scan_shape<T>, class Flags,
          class Op>
void segmented_scan(const exec& where, const input<T>& in, const Flags& flags, const output<T>& out, T initial, Op op,
                    const char* function, std::uint32_t few = few_tiles) {
  require_segmented_ranges(in, out, function);
  require_flags(function, "segments", flags, in.capacity());
  const argument heads_memory = argument_of("segments", flags);
  require_apart(function, {argument_of("out", out)}, {heads_memory});
  const std::uint32_t tiles = tile_count(in.capacity(), Shape::items, function);
  if (tiles == 0) return;
  const std::size_t bytes = segmented_scan_bytes<T, Shape>(in.capacity());
  const scratch_lease lease(
      where, bytes, function,
      {argument_of("in", in), argument_of("in", in.length), heads_memory, argument_of("out", out)});
  if (tiles > few) simt::fill_bytes(where.stream(), lease.base(), 0, bytes);
  const auto heads = make_head_flag_loader<Backward>(make_flag_reader(flags));
  launch_segmented_scan<Kind, T, Shape>(where.stream(), lease.base(), in, heads, out, initial, op, function, few);
}

}  // namespace ballot::detail
