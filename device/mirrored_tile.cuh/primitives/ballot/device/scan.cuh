// Prefix sums of a device array in a single pass.
//
//     ballot::exclusive_scan(gpu, counts, offsets);                  // offsets[i] = counts[0] + ... + counts[i - 1]
//     ballot::inclusive_scan(gpu, heights, highest, ballot::maximum{});
//
// Input and output: contiguous device ranges of the same item type, a trivially copyable T of at most 8 bytes; the
// input may be `counted`, the output is as long as the input (its capacity). They may be the same range (in place), and
// must not overlap otherwise. Op: associative, also non-commutative, callable on the device, applied in T; sums of
// integers wrap (core/operators.hpp).
//
// Scratch: *_scratch_bytes(n), 8 bytes a tile for T of up to 4 bytes, 16 for larger. Work on the stream: a fill of the
// tile states and one kernel; nothing where n = 0. Reads and writes each item once. Deterministic for integers; for
// floats the sums are associated differently from run to run, by the timing of the tiles.
// Errors (before any work): invalid_argument for null with n > 0, an output of another length, partial overlap, scratch
// too small or misaligned; cuda_error from the launch.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/scan_kernel.cuh>
#include <ballot/device/tiles.hpp>

namespace ballot {
namespace detail {

// Tile shapes by item size, measured on an H200, 2026-11-20, at 2 x 1 GiB: 4 bytes 0.91 of the copy speed, 8 bytes
// 0.84.
template <class T>
using scan_shape = block::tile_shape<256, sizeof(T) <= 4 ? 8 : 6, block::vector_width<T>()>;

template <class T>
struct scan_scratch {
  std::uint32_t* ticket;
  typename device::tile_state<T>::word* states;

  scan_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)), states(carver.take<typename device::tile_state<T>::word>(tiles)) {}
};

// Shape: other than the tuned one in tests alone.
template <device::scan_kind Kind, class T, class Shape = scan_shape<T>, class Op = plus>
void launch_scan(const exec& where, const input<T>& in, const output<T>& out, T initial, Op op, const char* function) {
  static_assert(sizeof(T) <= 8, "device scans take items of at most 8 bytes");
  require_readable(in, function);
  require_writable(out, function);
  require(out.size == in.capacity(), function, "input and output have different lengths");
  if (in.data != out.data) require_apart(in.data, in.capacity(), out.data, out.size, function);
  const std::uint32_t tiles = tile_count(in.capacity(), Shape::items, function);

  scratch_carver measure;
  scan_scratch<T>(measure, tiles);
  if (tiles == 0) return;
  const scratch_lease lease(where, measure.bytes(), function);
  scratch_carver carver(lease.base());
  const scan_scratch<T> scratch(carver, tiles);

  simt::fill_bytes(where.stream(), lease.base(), 0, measure.bytes());
  const bool whole_vectors =
      block::whole_vectors_at<T, Shape::width>(in.data) && block::whole_vectors_at<T, Shape::width>(out.data);
  simt::launch(device::scan_kernel<T, Shape, Kind, Op>,
               simt::launch_config{dim3(tiles), dim3(Shape::threads), sizeof(device::scan_storage<T, Shape::threads>),
                                   where.stream()},
               in.data, out.data, in.length, initial, op, whole_vectors, scratch.states, scratch.ticket);
}

}  // namespace detail

// Bytes of scratch that inclusive_scan and exclusive_scan need for n items. Pure.
template <class T>
std::size_t scan_scratch_bytes(std::uint64_t n) {
  detail::scratch_carver measure;
  detail::scan_scratch<T>(measure, detail::ceil_div(n, detail::scan_shape<T>::items));
  return n == 0 ? 0 : measure.bytes();
}

// out[i] = in[0] op ... op in[i].
template <detail::input_range In, detail::output_range Out, class Op = plus>
void inclusive_scan(const exec& where, const In& in, Out&& out, Op op = {}) {
  using T = detail::item_t<In>;
  detail::launch_scan<device::scan_kind::inclusive, T>(where, detail::as_input(in), detail::as_output(out), T{}, op,
                                                       "inclusive_scan");
}

// out[0] = initial, out[i] = initial op in[0] op ... op in[i - 1].
template <detail::input_range In, detail::output_range Out, class Op = plus>
void exclusive_scan(const exec& where, const In& in, Out&& out, detail::item_t<In> initial = {}, Op op = {}) {
  using T = detail::item_t<In>;
  detail::launch_scan<device::scan_kind::exclusive, T>(where, detail::as_input(in), detail::as_output(out), initial, op,
                                                       "exclusive_scan");
}

}  // namespace ballot
