// Runs of equal items: the first item of each run, and where runs begin or how long they are.
//
//     ballot::unique(gpu, sorted_cells, cells, cell_count);
//     ballot::unique_by_key(gpu, sorted_cells, ids, cells, first_ids, cell_count);
//     ballot::run_offsets(gpu, sorted_cells, cells, begin_of_cell, cell_count);     // begin_of_cell[cell_count] == n
//     ballot::run_length_encode(gpu, symbols, values, lengths, run_count);
//
// An item is the head of a run if it is the first item, or if !same(before, item) for the item before it. The default
// for `same` is equality (each NaN is then a run). So `unique` is a compaction by head flags, in one pass.
//
// in:      contiguous device range (or `counted`) of a trivially copyable T of up to 128 bytes
// outputs: device ranges that overlap neither the inputs nor each other. Each may be shorter than needed: runs that do
//          not fit are dropped, and the count still includes them
// count:   device address (or device_value) of one std::uint64_t: the number of runs, also written for n = 0. It must
//          not overlap any other argument, including a device-side length
//
// Deterministic, in the order of the input. Work on the stream: a fill of the tile states and one kernel; for
// run_offsets also a fill of the first offset. Bytes moved: inputs once (values of unique_by_key only in
// vectors, of up to 16 bytes, with a head), outputs once. Scratch: unique_scratch_bytes, run_*_scratch_bytes: 8 bytes a
// tile, for run lengths of 2^31 items and more 32. Errors: as for compact (compact.cuh), and invalid_argument for more
// items than an offset or a length counts.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/partition/run_columns.cuh>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace ballot {
namespace detail {

// The tiles of head selections: of items T and the types of further columns. small_in_place: for few items in place.
template <class... T>
struct unique_shapes : partition_shapes<rejects::dropped, false, T...> {
  using small_in_place = small_head_shape<T...>;
};
template <class Shapes>
std::size_t heads_scratch_bytes(std::uint64_t n) {
  // In place, fewer items may have more tiles.
  const std::uint64_t few = smaller(n, most_small_head_items);
  return std::max(tuned_scratch_bytes<offset_method::look_back, Shapes>(n),
                  offset_scratch_bytes<offset_method::look_back>(
                      std::max(ceil_div(n, Shapes::many::items), ceil_div(few, Shapes::small_in_place::items))));
}

template <int Width, class T, class Length>
auto run_length_columns(const input<T>& in, const output<T>& values, const output<Length>& lengths) {
  return make_device_columns(device_column<array_source<T>>{make_source<Width>(in), values, {nullptr, 0}},
                             run_length_column<Length>{{}, lengths});
}

// The checks of the functions below. Index: the type of offsets or lengths.
template <class Index, class... I, class... Out>
void require_runs(const std::tuple<I...>& inputs, const std::tuple<output<Out>...>& outputs, const device_count& count,
                  const char* function) {
  require_inputs(inputs, function);
  require_outputs(inputs, with_count(outputs, count, function), function);
  require(length_of(inputs).capacity <= std::numeric_limits<Index>::max(), function,
          "more items than the outputs' type counts");
}

// The tiles of run lengths, of items T and positions. Each item publishes two words, which suits more threads.
template <class T>
struct run_length_shapes : partition_shapes<rejects::dropped, false, T, std::uint32_t> {
  using small = small_head_shape<T, std::uint32_t>;
  static constexpr std::uint64_t most_large = 256;
};
// For up to so many items, positions and counts have 31 bits.
inline constexpr std::uint64_t most_in_31_bits = (std::uint64_t{1} << 31) - 1;

}  // namespace detail

// Bytes of scratch for n items T; for keys T and values V...; for items T and offsets or lengths Index. Pure.
template <class... T>
std::size_t unique_scratch_bytes(std::uint64_t n) {
  return detail::heads_scratch_bytes<detail::unique_shapes<T...>>(n);
}
template <class T, std::unsigned_integral Index>
std::size_t run_offsets_scratch_bytes(std::uint64_t n) {
  return unique_scratch_bytes<T, Index>(n);
}
template <class T, std::unsigned_integral Length>
std::size_t run_length_encode_scratch_bytes(std::uint64_t n) {
  using namespace detail;
  using shapes = run_length_shapes<T>;
  constexpr offset_method method = offset_method::look_back;
  return n > most_in_31_bits ? tuned_scratch_bytes<method, shapes, selected_count_and_last<std::uint64_t>>(n)
                             : tuned_scratch_bytes<method, shapes, selected_count_and_last<std::uint32_t>>(n);
}

// The first item of each run.
template <input_range In, output_range Out, class Same = equal_to>
void unique(const exec& where, const In& in, Out&& out, device_count count, const Same& same = {}) {
  using T = detail::item_t<In>;
  using shapes = detail::unique_shapes<T>;
  const auto inputs = detail::as_inputs(in);
  const auto heads = detail::as_outputs(out);
  detail::require_runs<std::uint64_t>(inputs, heads, count, "unique");
  const auto& items = std::get<0>(inputs);
  detail::launch_tuned_partition<detail::rejects::dropped, shapes>(
      where, detail::heads_scratch_bytes<shapes>(items.capacity()), items.length,
      detail::make_device_columns<shapes::many::width>(inputs, heads, std::tuple()),
      detail::head_selector<T, Same>{items.data, same}, count.address(), "unique");
}

// The same within one range: the heads move to its front. The items behind them are unspecified. length: a device
// address or null; limits the call to the first *length items. It must not overlap the items or the count.
template <output_range Items, class Same = equal_to>
void unique_in_place(const exec& where, Items&& items, device_count count, const Same& same = {},
                     const std::uint64_t* length = nullptr) {
  constexpr const char* function = "unique_in_place";
  using T = detail::item_t<Items>;
  using shapes = detail::unique_shapes<T>;
  const auto out = detail::as_outputs(items);
  detail::require_in_place(out, count, length, function);
  const std::tuple inputs(detail::as_read(std::get<0>(out), length));
  const auto& in = std::get<0>(inputs);
  const auto columns = detail::make_device_columns<shapes::many::width>(inputs, out, std::tuple());
  const detail::head_selector<T, Same> selector{in.data, same};
  using detail::rejects;
  if (in.capacity() <= detail::most_small_head_items)
    detail::launch_partition<rejects::dropped, typename shapes::small_in_place, true>(
        where, in.length, columns, selector, count.address(), function);
  else
    detail::launch_partition<rejects::dropped, typename shapes::many, true>(where, in.length, columns, selector,
                                                                            count.address(), function);
}

// The first key of each run and its value. values: a range, positions, or a zip of these.
template <input_range Keys, detail::input_table Values, output_range KeysOut,
          detail::output_table ValuesOut, class Same = equal_to>
void unique_by_key(const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out,
                   ValuesOut&& values_out, device_count count, const Same& same = {}) {
  const auto inputs = std::tuple_cat(detail::as_inputs(keys), detail::as_inputs(values));
  const auto heads = std::tuple_cat(detail::as_outputs(keys_out), detail::as_outputs(values_out));
  detail::require_runs<std::uint64_t>(inputs, heads, count, "unique_by_key");
  const auto& in = std::get<0>(inputs);
  [&]<class... I>(const std::tuple<I...>&) {
    using shapes = detail::unique_shapes<typename I::value_type...>;
    detail::launch_tuned_partition<detail::rejects::dropped, shapes>(
        where, detail::heads_scratch_bytes<shapes>(in.capacity()), in.length,
        detail::make_device_columns<shapes::many::width>(inputs, heads, std::tuple()),
        detail::head_selector<detail::item_t<Keys>, Same>{in.data, same}, count.address(), "unique_by_key");
  }(inputs);
}

// The first item of each run and the offset of the run; offsets[runs] is n. Offsets: u32 or u64, one more than runs.
template <input_range In, output_range Values, output_range Offsets, class Same = equal_to>
void run_offsets(const exec& where, const In& in, Values&& values, Offsets&& offsets, device_count count,
                 const Same& same = {}) {
  using T = detail::item_t<In>;
  const auto inputs = detail::as_inputs(in);
  const auto outputs = std::tuple_cat(detail::as_outputs(values), detail::as_outputs(offsets));
  const auto heads = std::get<0>(outputs);
  const auto begins = std::get<1>(outputs);
  using Index = typename decltype(begins)::value_type;
  static_assert(std::unsigned_integral<Index> && sizeof(Index) >= 4, "offsets are u32 or u64");
  static_assert(std::is_same_v<T, typename decltype(heads)::value_type>, "input and output items differ in type");
  using shapes = detail::unique_shapes<T, Index>;
  detail::require_runs<Index>(inputs, outputs, count, "run_offsets");
  const auto& items = std::get<0>(inputs);
  // Leased here, so that nothing is written if it is too small.
  const std::size_t bytes = run_offsets_scratch_bytes<T, Index>(items.capacity());
  const detail::scratch_lease lease(where, bytes, "run_offsets");
  if (begins.size != 0) simt::fill_bytes(where.stream(), begins.data, 0, sizeof(Index));  // where there are no runs
  const auto columns = detail::make_device_columns(
      detail::device_column<detail::array_source<T>>{
          detail::make_source<shapes::many::width>(items), heads, {nullptr, 0}},
      detail::run_offset_column<Index>{{}, begins});
  detail::launch_tuned_partition<detail::rejects::dropped, shapes>(
      exec(where.stream(), std::span(lease.base(), bytes)), bytes, items.length, columns,
      detail::head_selector<T, Same>{items.data, same}, count.address(), "run_offsets");
}

// The first item of each run and the length of the run: u32 or u64.
template <input_range In, output_range Values, output_range Lengths, class Same = equal_to>
void run_length_encode(const exec& where, const In& in, Values&& values, Lengths&& lengths, device_count count,
                       const Same& same = {}) {
  constexpr const char* function = "run_length_encode";
  using T = detail::item_t<In>;
  const auto inputs = detail::as_inputs(in);
  const auto outputs = std::tuple_cat(detail::as_outputs(values), detail::as_outputs(lengths));
  using Length = typename std::tuple_element_t<1, std::remove_const_t<decltype(outputs)>>::value_type;
  static_assert(std::unsigned_integral<Length> && sizeof(Length) >= 4, "lengths are u32 or u64");
  detail::require_runs<Length>(inputs, outputs, count, function);
  using shapes = detail::run_length_shapes<T>;
  const auto& items = std::get<0>(inputs);
  const auto columns =
      detail::run_length_columns<shapes::many::width>(items, std::get<0>(outputs), std::get<1>(outputs));
  const detail::head_selector<T, Same> selector{items.data, same};
  const std::uint64_t n = items.capacity();
  using detail::rejects;
  if (n <= detail::most_in_31_bits)
    detail::launch_tuned_partition<rejects::dropped, shapes, detail::selected_count_and_last<std::uint32_t>>(
        where, run_length_encode_scratch_bytes<T, Length>(n), items.length, columns, selector, count.address(),
        function);
  else
    detail::launch_partition<rejects::dropped, typename shapes::many, false, detail::offset_method::look_back,
                             detail::selected_count_and_last<std::uint64_t>>(where, items.length, columns, selector,
                                                                             count.address(), function);
}

}  // namespace ballot
