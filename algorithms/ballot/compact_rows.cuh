// Batched compaction: many arrays of one size in one launch. Each has its own output and its own count.
//
//     // 4096 worlds of up to 500 contacts, 512 apart
//     ballot::compact_rows(gpu, contacts, {.rows = 4096, .width = 500, .pitch = 512}, is_touching{}, touching, counts);
//
// in:      device range (or a zip of such) that holds the rows: row r is items r * pitch to r * pitch + width. With
//          layout.lengths, a device address of a std::uint64_t a row, row r is the first lengths[r] (at most width) of
//          them
// select:  as for compact (compact.cuh). Flags have the layout of the items. Bit flags of several rows need a pitch
//          that is a multiple of 32
// out:     device range(s) in the layout of the input: the selected items of row r begin at r * pitch. Items behind
//          them are not written. Long enough for the last row; must not overlap the inputs or each other
// counts:  device range of at least `rows` std::uint64_t: the selected items of each row. Must not overlap any other
//          argument, the lengths included
//
// Stable and deterministic. Scratch: compact_rows_scratch_bytes<T...>(layout), 8 bytes a tile, at least one tile a row.
// Work on the stream: a fill of the tile states and one kernel, in small tiles if rows are short. A tile looks back
// within its row. Bytes moved: as compact. Errors, before any work: as for compact, and invalid_argument for a pitch
// below the width, ranges too short for the rows, too few counts. For rows of very different lengths see
// compact_segments.
#pragma once

#include <ballot/core/namespace.hpp>
#include <ballot/detail/partition/launch.cuh>

namespace ballot {

struct row_layout {
  std::uint64_t rows;
  std::uint64_t width;
  std::uint64_t pitch = width;             // from the beginning of a row to that of the next
  const std::uint64_t* lengths = nullptr;  // of each row, on the device
};

namespace detail {

// Rows of at most one small tile take blocks of two warps.
template <class... T>
struct row_shapes {
  using large = partition_shape<rejects::dropped, T...>;
  using small = block::tile_shape<64, std::min(4, large::chunks), large::width>;
};

template <class Shape>
std::uint64_t row_tiles(const row_layout& layout) {
  return ceil_div(layout.width, Shape::items);
}

template <class Shape, class... I, class Select, class... T>
void launch_compact_rows(const exec& where, const std::tuple<I...>& inputs, const row_layout& layout,
                         const Select& select, const std::tuple<output<T>...>& selected, std::uint64_t* counts,
                         const char* function) {
  const bool whole = layout.rows == 1 || layout.pitch % Shape::width == 0;
  const auto selector = make_selector<Shape::width, true>(select, inputs, function, whole);
  const auto columns = make_device_columns<Shape::width>(inputs, selected, std::tuple(), whole);
  const std::uint64_t tiles_per_row = row_tiles<Shape>(layout);
  require(tiles_per_row == 0 || layout.rows <= 0x7fffffffu / tiles_per_row, function,
          "more items than one grid of tiles covers");
  if (layout.rows == 0) return;
  if (tiles_per_row == 0) {
    simt::fill_bytes(where.stream(), counts, 0, layout.rows * sizeof(std::uint64_t));
    return;
  }
  const std::uint64_t tiles = layout.rows * tiles_per_row;
  const std::size_t bytes = offset_scratch_bytes<offset_method::look_back>(tiles);
  const scratch_lease lease(where, bytes, function);
  scratch_carver carver(lease.base());
  const look_back_scratch scratch(carver, tiles);
  using columns_t = std::remove_const_t<decltype(columns)>;
  simt::fill_bytes(where.stream(), lease.base(), 0, bytes);
  simt::launch(
      partition_kernel<columns_t, Shape, rejects::dropped, std::remove_const_t<decltype(selector)>, row_offsets>,
      block_per_tile<rejects::dropped, Shape, columns_t>(where.stream(), static_cast<std::uint32_t>(tiles)),
      length{layout.width, nullptr}, columns, selector,
      row_offsets{layout.width, layout.pitch, layout.lengths, static_cast<std::uint32_t>(tiles_per_row), scratch.states,
                  scratch.ticket},
      counts);
}

}  // namespace detail

// Bytes of scratch for rows of columns T... Pure.
template <class... T>
std::size_t compact_rows_scratch_bytes(const row_layout& layout) {
  using shapes = detail::row_shapes<T...>;
  const std::uint64_t tiles = layout.width <= shapes::small::items ? detail::row_tiles<typename shapes::small>(layout)
                                                                   : detail::row_tiles<typename shapes::large>(layout);
  return detail::offset_scratch_bytes<detail::offset_method::look_back>(layout.rows * tiles);
}

template <detail::input_table In, class Select, detail::output_table Out, output_range Counts>
void compact_rows(const exec& where, const In& in, const row_layout& layout, const Select& select, Out&& out,
                  Counts&& counts) {
  constexpr const char* function = "compact_rows";
  const auto inputs = detail::as_inputs(in);
  const auto selected = detail::as_outputs(out);
  const detail::output<std::uint64_t> row_counts = detail::as_output(counts);
  const std::uint64_t most = ~std::uint64_t{0};
  detail::require_inputs(inputs, function);
  detail::require(detail::length_of(inputs).count == nullptr, function, "the input of rows is not counted");
  detail::require(layout.pitch >= layout.width || layout.rows <= 1, function,
                  "rows overlap: the pitch is below the width");
  detail::require(layout.rows <= 1 || layout.pitch <= most / layout.rows, function,
                  "the rows exceed the address space");
  const std::uint64_t n = layout.rows == 0 ? 0 : (layout.rows - 1) * layout.pitch + layout.width;
  detail::require(detail::length_of(inputs).capacity >= n, function, "the input is shorter than its rows");
  detail::for_each(selected, [&](const auto& range) {
    detail::require(range.size >= n, function, "an output is shorter than the rows");
  });
  detail::require(row_counts.size >= layout.rows, function, "fewer counts than rows");
  const auto written = std::tuple_cat(selected, std::tuple(row_counts));
  detail::require_outputs(inputs, written, function);
  detail::require_apart_from_flags(select, written, function);
  if (layout.lengths != nullptr)
    detail::for_each(written, [&](const auto& range) {
      detail::require_apart(layout.lengths, layout.rows, range.data, range.size, function);
    });
  if constexpr (std::is_same_v<Select, bit_flags>)
    detail::require(layout.rows <= 1 || layout.pitch % 32 == 0, function,
                    "bit flags of rows need a pitch that is a multiple of 32");
  [&]<class... I>(const std::tuple<I...>&) {
    using shapes = detail::row_shapes<typename I::value_type...>;
    if (layout.width <= shapes::small::items)
      detail::launch_compact_rows<typename shapes::small>(where, inputs, layout, select, selected, row_counts.data,
                                                          function);
    else
      detail::launch_compact_rows<typename shapes::large>(where, inputs, layout, select, selected, row_counts.data,
                                                          function);
  }(inputs);
}

}  // namespace ballot
