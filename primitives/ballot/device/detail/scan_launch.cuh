// SPDX-License-Identifier: Apache-2.0
// The device scans on the host: tile shapes, scratch, checks, the launch.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/arguments.hpp>
#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/scratch.hpp>
#include <ballot/core/view.hpp>
#include <ballot/device/clear_words.cuh>
#include <ballot/device/detail/scan_kernel.cuh>
#include <ballot/device/detail/scan_tuning.cuh>
#include <ballot/device/detail/sums_output.hpp>
#include <ballot/device/memory.cuh>
#include <ballot/device/scan_options.hpp>
#include <ballot/device/tiles.hpp>
#include <ballot/device/tree_look_back.cuh>
#include <ballot/warp/function_objects.cuh>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// The sizes of sums up to which a scan counts as small, and up to which a second launch costs less
// than a look-back: eight mebibytes, twelve for sums of 8 bytes, 16 of 4. H200, 2026-11-26 and
// 2026-11-30, us in a graph, in small tiles (in large ones):
//
//     300,007 i64      5.4 (5.7); one item off a vector 5.3 (6.1)
//     700,001 i64      6.9 (7.5); one item off a vector 7.1 (8.2)
//     1,000,003 i64    9.1 (8.4); one item off a vector 9.2 (8.4)
//     700,001 i32      6.3 (5.7)
//
// One call, i64, by two launches in large tiles (by a look-back): 1,300,021 13.7 (14.4), 2,000,003
// 18.3 (17.3). f32 by maximum: 2,500,001 14.9 (16.1), 3,000,017 16.2 (16.7), 4,000,001 19.3 (19.4).
template <class T>
inline constexpr std::uint64_t small_scan_items = (sizeof(T) == 8 ? 6 : 2) * (std::uint64_t{1} << 20) / sizeof(T);
template <class T>
inline constexpr std::uint64_t few_scan_items = (sizeof(T) == 4   ? 16
                                                 : sizeof(T) == 8 ? 12
                                                                  : 8) *
                                                (std::uint64_t{1} << 20) / sizeof(T);

// The shape of reproducible scans. CHANGING IT CHANGES BITS of users' results: it is the same for
// every GPU and is never tuned.
template <class T>
using reproducible_scan_shape = block::tile_shape<128,
                                                  sizeof(T) <= 4    ? 11
                                                  : sizeof(T) <= 16 ? 9
                                                                    : 5,
                                                  block::vector_width<T>(16)>;

// Whether op returns the same bits for every grouping of its operands, so that every scan is
// reproducible.
template <class T, class Op>
inline constexpr bool is_exact =
    std::is_integral_v<T> && (std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>);

// Ticket and tile states of a launch of so many tiles.
template <class LookBack>
struct scan_scratch {
  std::uint32_t* ticket;
  typename LookBack::word* states;

  scan_scratch(scratch_carver& carver, std::uint64_t tiles)
      : ticket(carver.take<std::uint32_t>(1)),
        states(carver.take<typename LookBack::word>(LookBack::state_count(tiles))) {}

  static std::size_t bytes(std::uint64_t tiles) {
    scratch_carver measure;
    scan_scratch(measure, tiles);
    return measure.bytes();
  }
};

// The arguments of a scan.
template <class T, class Input, class Op, class Out = output<T>>
struct scan_call {
  Input in;
  ballot::detail::length length;
  Out out;
  T initial;
  Op op;
  scan_options<T> options;
  const char* function;
  bool appends_total = false;         // the output has one item more than the input, for the total
  const T* device_initial = nullptr;  // the initial value of a scan that has it on the device
  const char* in_name = "in";         // in the function's signature
  const char* out_name = "out";
};

template <class T, class Out>
using total_of_sums = typename device::total_of_scan<T, Out>::type;

// The memory of a scan's arguments.
struct scan_memory {
  argument in, length, out, total, initial;
  bool in_place;  // the input is the output

  // The memory that must not overlap what is written. If the input is the output, it need not be in
  // this list: the output is checked against everything else that is written.
  std::array<argument, 3> read() const { return {length, initial, in_place ? argument{} : in}; }
};

// The arrays below a view are checked by require_view.
template <class Input>
argument argument_of_scan(const char* name, const Input& in, std::uint64_t items) {
  if constexpr (device::is_input_of_view<Input>) return {name};
  else return {name, in.data, items * sizeof(typename Input::stored)};
}

template <class Input, class Out>
bool is_in_place(const Input& in, const Out& out) {
  using stored = typename Input::stored;
  if constexpr (std::is_same_v<Input, device::input_items<stored>>) return is_array_of_sums(in.data, out);
  else return false;
}

template <class T, class Input, class Op, class Out>
scan_memory memory_of(const scan_call<T, Input, Op, Out>& call) {
  return {argument_of_scan(call.in_name, call.in, call.length.capacity),
          argument_of(call.in_name, call.length),
          argument_of_sums(call.out_name, call.out),
          {"total", call.options.total.address(),
           call.options.total.address() == nullptr ? 0 : sizeof(total_of_sums<T, Out>)},
          {"initial", call.device_initial, call.device_initial == nullptr ? 0 : sizeof(T)},
          is_in_place(call.in, call.out)};
}
inline void require_apart(const char* function, const scan_memory& memory) {
  const argument written[] = {memory.out, memory.total};
  require_apart(function, written, memory.read());
}

// The output has room for the total after the sums.
inline void require_one_more(const char* function, const char* name, std::uint64_t items, const char* other_name,
                             std::uint64_t other_items) {
  if (items != other_items + 1)
    fail(function, joined({"`", name, "` has ", decimal(items), " items, not one more than `", other_name,
                           "`, which has ", decimal(other_items)}));
}

template <class T, class Input, class Op, class Out>
void require_output_view(const exec& where, const scan_call<T, Input, Op, Out>& call, const scan_memory& memory) {
  const auto check = [&](const auto& arrays_of_input) {
    require_output_view(call.function, where, call.out_name, call.out, memory.read(), {memory.total}, arrays_of_input);
  };
  if constexpr (device::is_input_of_view<Input>)
    check(arguments_of(call.in_name, view_input{call.in.view, call.length}));
  else check(std::array<argument, 0>{});
}

template <class T, class Input, class Op, class Out>
void require_sound(const scan_call<T, Input, Op, Out>& call) {
  static_assert(std::is_trivially_copyable_v<T>, "sums are moved byte by byte: they must be trivially copyable");
  static_assert(sizeof(T) <= most_sum_bytes, "device scans take sums of at most 32 bytes");
  static_assert(
      !has_128_bits<T>,
      "ballot: scans take no sums of __int128: on an H200 (nvcc 13.0) a test had wrong bits, of unknown cause");
  const char* const function = call.function;
  const std::uint64_t n = call.length.capacity;
  const scan_memory memory = memory_of(call);
  require_not_null(function, {memory.in, memory.out});
  if (call.appends_total) require_one_more(function, call.out_name, call.out.size, call.in_name, n);
  else require_room_for_sums(function, call.out_name, call.out, call.in_name, n);
  require_apart(function, memory);
}

template <class T>
using scan_look_back = device::look_back<device::tile_state<T>>;
template <class T>
using reproducible_look_back = device::tree_look_back<device::tile_state<T>>;

// How a tile finds the sum of the tiles before it.
enum class scan_method {
  look_back,        // a launch that clears the tile states, and one with decoupled look-back, which overlaps it
  in_cluster,       // one launch, whose tiles are one cluster; of so few tiles that the GPU has such clusters
  aggregates_first  // two launches, of which the second begins while the first ends; few tiles, as each is read twice
};

// Where tiles begin, and whether their vectors of input and output are whole ones.
struct scan_alignment {
  shifted_tiles shifted{0};
  bool in = false, out = false;

  template <class Shape, class Stored, class T>
  static scan_alignment of(const Stored* in, const T* out) {
    return {{0}, block::is_vector_aligned<Stored, Shape::width>(in), block::is_vector_aligned<T, Shape::width>(out)};
  }
  // The same with shifted tiles, where all but the first then begin with whole vectors of input and
  // output. The first tile lacks the items that lie before its first item in the input's vector.
  template <class Shape, class Stored, class T>
  static scan_alignment with_shifted_tiles(const Stored* in, const T* out) {
    const scan_alignment plain = of<Shape>(in, out);
    if (in == nullptr || out == nullptr || plain.in || plain.out) return plain;
    const auto in_address = reinterpret_cast<std::uintptr_t>(in), out_address = reinterpret_cast<std::uintptr_t>(out);
    const auto before = static_cast<unsigned>(in_address / sizeof(Stored) % Shape::width);
    const auto whole = of<Shape>(reinterpret_cast<const Stored*>(in_address - before * sizeof(Stored)),
                                 reinterpret_cast<const T*>(out_address - before * sizeof(T)));
    return whole.in && whole.out ? scan_alignment{{before}, true, true} : plain;
  }
  // Of an input: an array or a view. out: null if it is a view.
  template <class Shape, class Input, class T>
  static scan_alignment of_input(const Input& in, const T* out, bool may_shift) {
    if constexpr (device::is_input_of_view<Input>) {
      const block::aligned_vectors from = device::aligned_vectors_of<Shape::width>(in.view),
                                   both = from.and_of(block::aligned_vectors_of<T, Shape::width>(out));
      const scan_alignment plain{
          {0}, device::is_vector_aligned<Shape::width>(in.view), block::is_vector_aligned<T, Shape::width>(out)};
      const bool is_anywhere = from.first == block::aligned_vectors::anywhere;
      if (!may_shift || (plain.in && !is_anywhere) || plain.out || both.first >= Shape::width) return plain;
      return {{Shape::width - both.first}, true, true};
    } else {
      return may_shift ? with_shifted_tiles<Shape>(in.data, out) : of<Shape>(in.data, out);
    }
  }
};
// The most tiles of n items, wherever they begin.
template <class Shape>
std::uint64_t most_scan_tiles(std::uint64_t n) {
  constexpr std::uint64_t most_shift = Shape::width - 1;
  return ceil_div(n <= Shape::items ? n : smaller(n, ~std::uint64_t{0} - most_shift) + most_shift, Shape::items);
}

// Returns whether the scan has been launched. The method for a cluster does not launch scans of
// more tiles than one cluster can have.
template <device::scan_kind Kind, class Shape, class LookBack, class T, class Input, class Op, class Out>
bool launch_scan_tiles(const exec& where, std::byte* memory, const scan_call<T, Input, Op, Out>& call,
                       scan_method method = scan_method::look_back) {
  if constexpr (!is_for_every_gpu<Shape>) {
    bool is_launched = false;
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      is_launched = launch_scan_tiles<Kind, Own, LookBack>(where, memory, call, method);
    });
    return is_launched;
  } else {
    using stored = typename Input::stored;
    const auto* const to_sums = data_of_sums(call.out);
    // The tiles of reproducible scans do not depend on addresses.
    const bool moves_tiles = std::is_same_v<LookBack, scan_look_back<T>> && call.length.capacity > Shape::items;
    const scan_alignment aligned = scan_alignment::of_input<Shape>(call.in, to_sums, moves_tiles);
    const std::uint32_t tiles = tile_count(call.length.capacity + aligned.shifted.shift, Shape::items, call.function);
    const bool is_alone = tiles <= 1;  // one tile looks back at none: it needs no states, no ticket, and so no fill
    const bool looks_back = !is_alone && method == scan_method::look_back;
    const auto op = as_operator<T>(call.op);
    using applied = std::remove_const_t<decltype(op)>;
    using to = std::remove_cvref_t<decltype(output_of_kernel(call.out))>;
    constexpr std::size_t shared = sizeof(device::scan_storage<T, Shape, stored>);
    static_assert(shared <= simt::least_shared_bytes_limit, "some GPUs could not run this");
    constexpr auto kernel = device::scan_kernel<Kind, T, Shape, LookBack, Input, applied, to>;
    // No items: one block writes the total.
    simt::launch_config config{dim3(tiles == 0 ? 1 : tiles), dim3(Shape::threads), shared, where.stream()};
    config.is_cluster = !is_alone && method == scan_method::in_cluster;
    if (config.is_cluster && (tiles > device::cluster_tiles<T> || tiles > simt::largest_cluster(kernel, config)))
      return false;

    scratch_carver carver(memory);
    const scan_scratch<LookBack> scratch(carver, tiles);
    if (looks_back) launch_clear(where.stream(), memory, carver.bytes());
    config.overlaps_previous_launch = looks_back;
    device::scan_arguments<T, Input, applied, typename LookBack::word, to> arguments{
        call.in,
        output_of_kernel(call.out),
        call.length,
        call.initial,
        call.device_initial,
        op,
        {reinterpret_cast<total_of_sums<T, Out>*>(call.options.total.address()), call.appends_total},
        call.options.order,
        aligned.in,
        aligned.out,
        aligned.shifted,
        scratch.states,
        looks_back ? scratch.ticket : nullptr,
        config.is_cluster,
        nullptr,
        false};
    if (!is_alone && method == scan_method::aggregates_first) {
      static_assert(sizeof(T) <= sizeof(typename LookBack::word), "the aggregates are where the states would be");
      arguments.aggregates = reinterpret_cast<T*>(scratch.states);
      arguments.stores_aggregates = true;
      simt::launch(kernel, config, arguments);
      arguments.stores_aggregates = false;
      config.overlaps_previous_launch = true;
    }
    simt::launch(kernel, config, arguments);
    return true;
  }
}

// The shape of small scans; a shape chosen by a test is used for all sizes.
template <class T, class Shape>
using small_shape_beside = std::conditional_t<std::is_same_v<Shape, scan_shape<T>>, small_scan_shape<T>, Shape>;

template <class T, class Shape>
using few_shape_beside = std::conditional_t<std::is_same_v<Shape, scan_shape<T>>, few_scan_shape<T>, Shape>;

// Only tests and comparisons of shapes choose other shapes, or another method for few items. The
// scratch suffices for both kinds of look-back, and so for all options. It never decreases with n.
template <class T, class Shape = scan_shape<T>, class ReproducibleShape = reproducible_scan_shape<T>,
          class SmallShape = small_shape_beside<T, Shape>, class FewShape = few_shape_beside<T, Shape>>
std::size_t scan_bytes(std::uint64_t n) {
  if (n == 0) return 0;
  const std::uint64_t small_tiles = most_scan_tiles<SmallShape>(smaller(n, small_scan_items<T>));
  const std::uint64_t few_tiles = most_scan_tiles<FewShape>(smaller(n, few_scan_items<T>));
  const std::uint64_t tiles =
      n <= small_scan_items<T> ? small_tiles : larger(larger(small_tiles, few_tiles), most_scan_tiles<Shape>(n));
  return larger(scan_scratch<scan_look_back<T>>::bytes(tiles),
                scan_scratch<reproducible_look_back<T>>::bytes(ceil_div(n, ReproducibleShape::items)));
}

template <device::scan_kind Kind, class T, class Shape = scan_shape<T>,
          class ReproducibleShape = reproducible_scan_shape<T>, class SmallShape = small_shape_beside<T, Shape>,
          class FewShape = few_shape_beside<T, Shape>, class Input, class Op, class Out>
void launch_scan(const exec& where, const scan_call<T, Input, Op, Out>& call,
                 scan_method few = scan_method::in_cluster) {
  require_sound(call);
  const std::uint64_t n = call.length.capacity;
  const bool has_total = call.options.total.address() != nullptr || call.appends_total;
  if (n == 0 && !(has_total && device::has_initial(Kind))) return;
  const scan_memory memory = memory_of(call);
  if constexpr (device::is_input_of_view<Input>)
    require_view(call.function, where, call.in_name, view_input{call.in.view, call.length}, {memory.out, memory.total});
  require_output_view(where, call, memory);
  const scratch_lease lease(where, scan_bytes<T, Shape, ReproducibleShape, SmallShape, FewShape>(n), call.function,
                            {memory.in, memory.length, memory.initial, memory.out, memory.total});
  if constexpr (!is_exact<T, Op>) {
    if (call.options.reproducible) {
      launch_scan_tiles<Kind, ReproducibleShape, reproducible_look_back<T>>(where, lease.base(), call);
      return;
    }
  }
  const auto launch = [&]<class Tiles>(std::type_identity<Tiles>, scan_method method) {
    return launch_scan_tiles<Kind, Tiles, scan_look_back<T>>(where, lease.base(), call, method);
  };
  constexpr std::type_identity<SmallShape> small;
  constexpr std::type_identity<FewShape> middle;
  constexpr std::type_identity<Shape> large;
  if (few == scan_method::in_cluster) {
    if (n <= small_scan_items<T> && launch(small, few)) return;
    few = scan_method::aggregates_first;
  }
  if (n <= small_scan_items<T>) launch(small, few);
  else if (n <= few_scan_items<T>) launch(middle, few);
  else launch(large, scan_method::look_back);
}

// The same from an initial value, on the host or on the device.
template <device::scan_kind OfHost, device::scan_kind OfDevice, class T, class Input, class Op, class Out,
          class Initial>
void launch_scan_from(const exec& where, scan_call<T, Input, Op, Out> call, const Initial& initial) {
  if constexpr (is_on_device<Initial>) {
    call.device_initial = initial.address();
    require(call.device_initial != nullptr, call.function, "`initial` has no address");
    launch_scan<OfDevice>(where, call);
  } else {
    call.initial = static_cast<T>(initial);
    launch_scan<OfHost>(where, call);
  }
}

}  // namespace ballot::detail
