// Runs of equal items: the first of each, and where they begin or how long they are.
//
//     ballot::unique(gpu, sorted_cells, cells, cell_count);
//     ballot::unique_by_key(gpu, sorted_cells, ids, cells, first_ids, cell_count);
//     ballot::run_offsets(gpu, sorted_cells, cells, begin_of_cell, cell_count);     // begin_of_cell[cell_count] == n
//     ballot::run_length_encode(gpu, symbols, values, lengths, run_count);
//
// An item is the head of a run if it is the first, or not the same as the item before it: same(before, item), equality
// where nothing is given (then each NaN is a run). So `unique` is a compaction by head flags, in one pass.
//
// in:      contiguous device range (or `counted`) of a trivially copyable T of up to 128 bytes
// outputs: device ranges, apart from the inputs and each other. Each may be shorter than what there is to write: what
//          does not fit is dropped, and the count still tells the number of runs
// count:   device address (or device_value) of one std::uint64_t, the number of runs; also written where n = 0. Apart
//          from all else, the length of a counted input, too
//
// Deterministic, in the order of the input. Work on the stream: a fill of the tile states and one kernel;
// run_offsets: and a fill of the first offset. Bytes moved: inputs once (values of unique_by_key only where a vector of
// up to 16 bytes has a head), outputs once. Scratch: unique_scratch_bytes, run_*_scratch_bytes: 8 bytes a tile, for
// lengths of 2^31 items and more 32. Errors as for compact (compact.cuh), and more items than an offset or a length
// counts.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/core/operators.hpp>
#include <ballot/detail/partition/in_place.cuh>
#include <ballot/detail/partition/launch.cuh>
#include <ballot/detail/partition/run_columns.cuh>

#include <algorithm>
#include <type_traits>

namespace ballot {
namespace detail {

// Keeps the heads of runs in inputs[0].
template <class Shape, bool InPlace = false, placing Placing = placing::look_back, class Tally = kept_count, class T,
          class Columns, class Same>
void launch_heads(const exec& where, const input<T>& in, const Columns& all, const Same& same, std::uint64_t* count,
                  const char* function) {
  launch_partition<rejects::dropped, Shape, InPlace, Placing, Tally>(
      where, in.length, all, head_selector<T, Same>{in.data, same}, count, function);
}

// Tiles of heads of many items, of few, and of few that look back: of T..., the item and what goes with it.
template <class... T>
struct unique_shapes : partition_shapes<rejects::dropped, false, T...> {
  using few = few_heads_shape<T...>;
};
template <class Shapes>
std::size_t heads_scratch_bytes(std::uint64_t n) {
  // In place, fewer items may have more tiles.
  return std::max(tuned_scratch_bytes<placing::look_back, Shapes>(n),
                  placing_scratch_bytes<placing::look_back>(
                      std::max(ceil_div(n, Shapes::many::items), ceil_div(smaller(n, few_heads), Shapes::few::items))));
}
// The same in the tiles for so many items.
template <class Shapes, bool InPlace = false, class T, class Columns, class Same>
void launch_heads_in_tuned(const exec& where, const input<T>& in, const Columns& all, const Same& same,
                           std::uint64_t* count, const char* function) {
  if constexpr (!InPlace)
    launch_tuned_partition<rejects::dropped, Shapes>(where, heads_scratch_bytes<Shapes>(in.capacity()), in.length, all,
                                                     head_selector<T, Same>{in.data, same}, count, function);
  else if (in.capacity() <= few_heads)
    launch_heads<typename Shapes::few, InPlace>(where, in, all, same, count, function);
  else launch_heads<typename Shapes::many, InPlace>(where, in, all, same, count, function);
}

template <int Width, class T, class Length>
auto run_length_columns(const input<T>& in, const output<T>& values, const output<Length>& lengths) {
  return make_columns(column<array_source<T>>{make_source<Width>(in), values, {nullptr, 0}},
                      run_length_column<Length>{{}, lengths});
}

// What the functions below check. Index: of offsets or lengths.
template <class Index, class... I, class... Out>
void require_runs(const std::tuple<I...>& inputs, const std::tuple<output<Out>...>& outputs, const device_count& count,
                  const char* function) {
  require_inputs(inputs, function);
  require_outputs(inputs, with_count(outputs, count, function), function);
  require(length_of(inputs).capacity <= std::numeric_limits<Index>::max(), function,
          "more items than the outputs' type counts");
}

// Of run lengths: of items T and positions. Where each item writes two words, more threads do better.
template <class T>
struct run_length_shapes : partition_shapes<rejects::dropped, false, T, std::uint32_t> {
  using small = few_heads_shape<T, std::uint32_t>;
  static constexpr std::uint64_t most_large = 256;
};
// Up to so many items have positions and counts of 31 bits.
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
  return n > most_in_31_bits ? tuned_scratch_bytes<placing::look_back, shapes, kept_count_and_last<std::uint64_t>>(n)
                             : tuned_scratch_bytes<placing::look_back, shapes, kept_count_and_last<std::uint32_t>>(n);
}

// The first item of each run.
template <detail::input_range In, detail::output_range Out, class Same = equal_to>
void unique(const exec& where, const In& in, Out&& out, device_count count, const Same& same = {}) {
  using shapes = detail::unique_shapes<detail::item_t<In>>;
  const auto inputs = detail::as_inputs(in);
  const auto kept = detail::as_outputs(out);
  detail::require_runs<std::uint64_t>(inputs, kept, count, "unique");
  detail::launch_heads_in_tuned<shapes>(where, std::get<0>(inputs),
                                        detail::make_columns<shapes::many::width>(inputs, kept, std::tuple()), same,
                                        count.address(), "unique");
}

// The same within one range: the heads move to its front, what lies behind them is left over. `length`, a device address
// or null, limits it to the first *length items; it is apart from the items and the count.
template <detail::output_range Items, class Same = equal_to>
void unique_in_place(const exec& where, Items&& items, device_count count, const Same& same = {},
                     const std::uint64_t* length = nullptr) {
  constexpr const char* function = "unique_in_place";
  const auto out = detail::as_outputs(items);
  detail::require_in_place(out, count, length, function);
  const std::tuple inputs(detail::as_read(std::get<0>(out), length));
  using shapes = detail::unique_shapes<detail::item_t<Items>>;
  detail::launch_heads_in_tuned<shapes, true>(where, std::get<0>(inputs),
                                              detail::make_columns<shapes::many::width>(inputs, out, std::tuple()),
                                              same, count.address(), function);
}

// The first key of each run and the value that is with it. Values: a range, positions, or a zip of such.
template <detail::input_range Keys, detail::input_table Values, detail::output_range KeysOut,
          detail::output_table ValuesOut, class Same = equal_to>
void unique_by_key(const exec& where, const Keys& keys, const Values& values, KeysOut&& keys_out,
                   ValuesOut&& values_out, device_count count, const Same& same = {}) {
  const auto inputs = std::tuple_cat(detail::as_inputs(keys), detail::as_inputs(values));
  const auto kept = std::tuple_cat(detail::as_outputs(keys_out), detail::as_outputs(values_out));
  detail::require_runs<std::uint64_t>(inputs, kept, count, "unique_by_key");
  [&]<class... I>(const std::tuple<I...>&) {
    using shapes = detail::unique_shapes<typename I::value_type...>;
    detail::launch_heads_in_tuned<shapes>(where, std::get<0>(inputs),
                                          detail::make_columns<shapes::many::width>(inputs, kept, std::tuple()), same,
                                          count.address(), "unique_by_key");
  }(inputs);
}

// The first item of each run and where the run begins; offsets[runs] is n. Offsets: u32 or u64, one more than runs.
template <detail::input_range In, detail::output_range Values, detail::output_range Offsets, class Same = equal_to>
void run_offsets(const exec& where, const In& in, Values&& values, Offsets&& offsets, device_count count,
                 const Same& same = {}) {
  using T = detail::item_t<In>;
  const auto inputs = detail::as_inputs(in);
  const auto outputs = std::tuple_cat(detail::as_outputs(values), detail::as_outputs(offsets));
  const auto kept = std::get<0>(outputs);
  const auto begins = std::get<1>(outputs);
  using Index = typename decltype(begins)::value_type;
  static_assert(std::unsigned_integral<Index> && sizeof(Index) >= 4, "offsets are u32 or u64");
  static_assert(std::is_same_v<T, typename decltype(kept)::value_type>, "input and output items differ in type");
  using shapes = detail::unique_shapes<T, Index>;
  detail::require_runs<Index>(inputs, outputs, count, "run_offsets");
  // Taken here, so that nothing is written if it is too small.
  const std::size_t bytes = run_offsets_scratch_bytes<T, Index>(std::get<0>(inputs).capacity());
  const detail::scratch_lease lease(where, bytes, "run_offsets");
  if (begins.size != 0) simt::fill_bytes(where.stream(), begins.data, 0, sizeof(Index));  // where there are no runs
  detail::launch_heads_in_tuned<shapes>(
      exec(where.stream(), std::span(lease.base(), bytes)), std::get<0>(inputs),
      detail::make_columns(
          detail::column<detail::array_source<T>>{
              detail::make_source<shapes::many::width>(std::get<0>(inputs)), kept, {nullptr, 0}},
          detail::run_offset_column<Index>{{}, begins}),
      same, count.address(), "run_offsets");
}

// The first item of each run and the length of the run: u32 or u64.
template <detail::input_range In, detail::output_range Values, detail::output_range Lengths, class Same = equal_to>
void run_length_encode(const exec& where, const In& in, Values&& values, Lengths&& lengths, device_count count,
                       const Same& same = {}) {
  using T = detail::item_t<In>;
  const auto inputs = detail::as_inputs(in);
  const auto outputs = std::tuple_cat(detail::as_outputs(values), detail::as_outputs(lengths));
  using Length = typename std::tuple_element_t<1, std::remove_const_t<decltype(outputs)>>::value_type;
  static_assert(std::unsigned_integral<Length> && sizeof(Length) >= 4, "lengths are u32 or u64");
  detail::require_runs<Length>(inputs, outputs, count, "run_length_encode");
  using shapes = detail::run_length_shapes<T>;
  const auto& items = std::get<0>(inputs);
  const auto all = detail::run_length_columns<shapes::many::width>(items, std::get<0>(outputs), std::get<1>(outputs));
  const detail::head_selector<T, Same> heads{items.data, same};
  const std::uint64_t most = items.capacity();
  if (most <= detail::most_in_31_bits)
    detail::launch_tuned_partition<detail::rejects::dropped, shapes, detail::kept_count_and_last<std::uint32_t>>(
        where, run_length_encode_scratch_bytes<T, Length>(most), items.length, all, heads, count.address(),
        "run_length_encode");
  else
    detail::launch_heads<typename shapes::many, false, detail::placing::look_back,
                         detail::kept_count_and_last<std::uint64_t>>(where, items, all, same, count.address(),
                                                                     "run_length_encode");
}

}  // namespace ballot
