// SPDX-License-Identifier: Apache-2.0
// Segmented scans, and block-wise scans of long blocks, on the host: tile shape, scratch, checks,
// the launch.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/flags.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/clear_words.cuh>
#include <ballot/device/detail/scan_tuning.cuh>
#include <ballot/device/detail/segmented_scan_kernel.cuh>
#include <ballot/device/detail/sums_output.hpp>
#include <ballot/device/flags.cuh>
#include <ballot/device/memory.cuh>
#include <ballot/device/tiles.hpp>
#include <ballot/warp/function_objects.cuh>

#include <array>
#include <span>
#include <type_traits>

namespace ballot::detail {

// A shape chosen by a test is used for all sizes.
template <class T, class Shape>
using small_segmented_shape_beside =
    std::conditional_t<std::is_same_v<Shape, segmented_scan_shape<T>>, small_segmented_scan_shape<T>, Shape>;

template <class T>
struct segmented_scan_scratch {
  std::uint32_t* ticket;
  typename device::tile_state<T>::word* states;

  segmented_scan_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)), states(carver.take<typename device::tile_state<T>::word>(tiles)) {}
};

// Up to so many small tiles, likewise for each of `few`. H100, 2026-11-25, i32 by byte flags,
// 300,007 items, us in a graph, 147 small tiles (56 large ones): one segment 6.7 (7.3), segments of
// 3 items 5.3 (6.4), of 1000 5.3 (6.8).
constexpr std::uint32_t few_small_tiles(std::uint32_t few) { return 2 * few; }

// The most tiles in which n items are scanned. It never decreases with n.
template <class T, class Shape, class SmallShape = small_segmented_shape_beside<T, Shape>>
std::uint64_t most_segmented_tiles(std::uint64_t n) {
  return larger(smaller(ceil_div(n, SmallShape::items), few_small_tiles(few_tiles)),
                shifted_tiles::most_of(n, Shape::items));
}

template <class T, class Shape = segmented_scan_shape<T>>
std::size_t segmented_scan_bytes(std::uint64_t n) {
  if (n == 0) return 0;
  scratch_carver measure;
  segmented_scan_scratch<T>(measure, most_segmented_tiles<T, Shape>(n));
  return measure.bytes();
}

// The input may be the output. T: of the items and of the sums.
template <class T, class Out>
void require_segmented_ranges(const exec& where, const input<T>& in, const Out& out, const char* function) {
  static_assert(sizeof(T) <= most_sum_bytes, "device scans take items of at most 32 bytes");
  static_assert(
      !has_128_bits<T>,
      "ballot: scans take no sums of __int128: on an H200 (nvcc 13.0) a test had wrong bits, of unknown cause");
  const argument from = argument_of("in", in), to = argument_of_sums("out", out);
  require_not_null(function, {from, to});
  require_room_for_sums(function, "out", out, "in", in.capacity());
  const argument read[] = {argument_of("in", in.length), is_array_of_sums(in.data, out) ? argument{} : from};
  require_apart(function, std::span(&to, 1), read);
  require_output_view(function, where, "out", out, read, {}, std::array<argument, 0>{});
}

template <class V, class Out>
void require_segmented_ranges(const exec& where, const view_input<V>& in, const Out& out, const char* function) {
  const argument to = argument_of_sums("out", out), count = argument_of("in", in.length);
  require_not_null(function, {to});
  require_room_for_sums(function, "out", out, "in", in.capacity());
  require_apart(function, {to}, {count});
  require_view(function, where, "in", in, {to});
  // An output view that may be the array below the input stores each sum where its item comes from.
  bool in_place = false;
  if constexpr (requires { in.view.array_data(); }) in_place = is_array_of_sums(in.view.array_data(), out);
  const auto check = [&](const auto& arrays_of_input) {
    require_output_view(function, where, "out", out, std::span(&count, 1), {}, arrays_of_input);
  };
  if (in_place) check(std::array<argument, 0>{});
  else check(arguments_of("in", in));
}

// The argument of the kernel for the input.
template <class T>
const T* segmented_operand(const input<T>& in) {
  return in.data;
}
template <class V>
device::input_of_view<V> segmented_operand(const view_input<V>& in) {
  return device::make_input_of_view(in.view);
}
template <int Width, class T>
block::aligned_vectors vectors_of_operand(const T* in) {
  return block::aligned_vectors_of<T, Width>(in);
}
template <int Width, class V>
block::aligned_vectors vectors_of_operand(const device::input_of_view<V>&) {
  return {0};  // it has a flag of its own
}
template <int Width, class Out>
block::aligned_vectors vectors_of_sums(const Out& out) {
  const auto* const to = data_of_sums(out);
  return block::aligned_vectors_of<std::remove_const_t<std::remove_pointer_t<decltype(to)>>, Width>(to);
}
// Whether vectors of sums are stored whole.
template <int Width, class Out>
bool are_sums_aligned(const Out& out) {
  return vectors_of_sums<Width>(out).template begin_at<Width>(0);
}

// Scratch: segmented_scan_bytes<T, Shape>() at `scratch`, filled with zeros if there are more than
// `few` tiles. Arguments are checked, n > 0. In: input<T> or view_input<...>. follows: with more
// than `few` tiles, this launch may begin before the launch before it has ended. That launch clears
// the states or sets the heads.
template <device::scan_kind Kind, class T, class Shape, bool MayShift = true, class In, class Heads, class Op,
          class Out>
void launch_segmented_scan(stream_t stream, std::byte* scratch, const In& in, const Heads& heads, const Out& out,
                           T initial, Op op, const char* function, std::uint32_t few = few_tiles,
                           bool follows = false) {
  if constexpr (!is_for_every_gpu<Shape>) {
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      launch_segmented_scan<Kind, T, Own, MayShift>(stream, scratch, in, heads, out, initial, op, function, few,
                                                    follows);
    });
  } else {
    const auto operand = segmented_operand(in);
    const block::aligned_vectors vectors = vectors_of_operand<Shape::width>(operand);
    const bool are_alike = vectors.first == vectors_of_sums<Shape::width>(out).first;
    constexpr bool are_arrays = std::is_pointer_v<std::remove_const_t<decltype(operand)>> &&
                                std::is_pointer_v<std::remove_cvref_t<decltype(output_of_kernel(out))>>;
    constexpr bool may_shift = MayShift && device::tiles_begin_anywhere<Heads> && are_arrays;
    shifted_tiles shifted{0};
    if constexpr (may_shift) {
      static_assert(Shape::width <= shifted_tiles::most + 1);
      const bool is_many = ceil_div(in.capacity(), Shape::items) > few;  // few tiles take as long as the first one
      if (is_many && are_alike && vectors.first != vectors.none) shifted.shift = (0u - vectors.first) % Shape::width;
    }
    const bool vector_aligned = are_alike && vectors.template begin_at<Shape::width>(0u - shifted.shift);
    const std::uint32_t tiles = tile_count(in.capacity() + shifted.shift, Shape::items, function);
    scratch_carver carver(scratch);
    const segmented_scan_scratch<T> parts(carver, tiles);
    const bool is_alone = tiles == 1;
    const auto applied = as_operator<T>(op);
    simt::launch_config config{dim3(tiles), dim3(Shape::threads),
                               sizeof(device::segmented_scan_storage<T, Shape, Heads>), stream};
    constexpr auto kernel =
        device::segmented_scan_kernel<T, Shape, Kind, Heads, std::remove_const_t<decltype(applied)>,
                                      std::remove_const_t<decltype(operand)>,
                                      std::remove_cvref_t<decltype(output_of_kernel(out))>, may_shift>;
    const auto launch = [&](device::tile_exchange exchange) {
      simt::launch(kernel, config, operand, output_of_kernel(out), in.length, heads, initial, applied, vector_aligned,
                   shifted, is_alone ? nullptr : parts.states, tiles > few ? parts.ticket : nullptr, exchange);
    };
    config.overlaps_previous_launch = follows && tiles > few;
    if (is_alone || tiles > few) return launch(device::tile_exchange::look_back);
    if (tiles <= device::segmented_cluster_tiles<T> && tiles <= simt::largest_cluster(kernel, config)) {
      config.is_cluster = true;
      return launch(device::tile_exchange::in_cluster);
    }
    launch(device::tile_exchange::publish_only);
    config.overlaps_previous_launch = true;
    launch(device::tile_exchange::look_back_only);
  }
}

template <bool Backward, class Reader>
device::head_flag_loader<Reader, Backward> make_head_flag_loader(const Reader& reader) {
  return {reader};
}

// Shape: only tests choose another than the tuned one.
template <device::scan_kind Kind, class T, bool Backward = false, class Shape = segmented_scan_shape<T>, class In,
          class Flags, class Op, class Out>
void segmented_scan(const exec& where, const In& in, const Flags& flags, const Out& out, T initial, Op op,
                    const char* function, std::uint32_t few = few_tiles) {
  require_segmented_ranges(where, in, out, function);
  require_flags(function, "segments", flags, in.capacity());
  const argument heads_memory = argument_of("segments", flags);
  require_apart(function, arguments_of("out", out), std::span(&heads_memory, 1));
  const std::uint64_t n = in.capacity();
  const std::uint32_t tiles = tile_count(n, Shape::items, function);
  if (tiles == 0) return;
  const std::size_t bytes = segmented_scan_bytes<T, Shape>(in.capacity());
  const scratch_lease lease(
      where, bytes, function,
      {argument_of("in", in), argument_of("in", in.length), heads_memory, argument_of_sums("out", out)});
  const auto heads = make_head_flag_loader<Backward>(make_flag_reader(flags));
  using small = small_segmented_shape_beside<T, Shape>;
  if constexpr (!std::is_same_v<Shape, small>) {
    if (ceil_div(n, small::items) <= few_small_tiles(few))
      return launch_segmented_scan<Kind, T, small, false>(where.stream(), lease.base(), in, heads, out, initial, op,
                                                          function, few_small_tiles(few));
  }
  if (tiles > few) launch_clear(where.stream(), lease.base(), bytes);
  launch_segmented_scan<Kind, T, Shape>(where.stream(), lease.base(), in, heads, out, initial, op, function, few, true);
}

}  // namespace ballot::detail
