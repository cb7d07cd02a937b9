// SPDX-License-Identifier: Apache-2.0
// Batched compaction: many rows of one size in one launch. Each row has its own output and its own
// count.
//
//     // 4096 worlds of up to 500 contacts, 512 apart
//     ballot::compact_rows(gpu, contacts, {.rows = 4096, .width = 500, .pitch = 512},
//                          is_touching{}, touching, counts);
//
// in:      device range or view (views.cuh), or a zip of these, that holds the rows. It is not
//          `counted`. Row r has the `width` items from r * pitch on. layout.lengths is optional:
//          the device address of an integer of 4 or 8 bytes for each row. With it, row r has only
//          the first lengths[r] of these items. A length above the width counts as the width; a
//          negative one counts as 0
// select:  as for compact (compact.cuh). Flags have the layout of the items. Bit flags of several
//          rows need a pitch that is a multiple of 32
// out:     device range(s) or output views (outputs.cuh) in the layout of the input: the selected
//          items of row r begin at r * pitch. Items after them are not written. The outputs must be
//          long enough for the last row, and must not overlap the inputs or each other
// counts:  device range of at least `rows` integers of 4 or 8 bytes, signed or not: the selected
//          items of each row. Must not overlap any other argument, including the lengths
//
// Stable and deterministic.
//
// Scratch: compact_rows_scratch_bytes<T...>(layout), 8 bytes a tile, at least one tile a row.
//
// Work on the stream: a fill of the tile states and one kernel, which takes small tiles if rows are
// short. Look-back stays within a row.
//
// Bytes moved: as compact.
//
// Errors, before any work: as for compact. Also invalid_argument for a pitch below the width,
// ranges too short for the rows, too few counts, or too small a type of counts.
//
// For rows of very different lengths see compact_segments.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/row_layout.cuh>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/partition/launch.cuh>

namespace ballot {

namespace detail {

// Blocks of two warps are enough for rows of at most one small tile.
template <class... T>
struct row_shapes {
  using large = partition_shape<rejects::dropped, T...>;
  using small = block::tile_shape<64, smallest_of(4, first_shape<large>::chunks), large::width>;
};

template <class Shape>
std::uint64_t row_tiles(const row_layout& layout) {
  return ceil_div(layout.width, Shape::items);
}

template <class Shape, class... I, class Select, class... Out>
void launch_compact_rows(const exec& where, const std::tuple<I...>& inputs, const row_layout& layout,
                         const Select& select, const std::tuple<Out...>& selected, const device_count& counts,
                         const char* function) {
  if constexpr (!is_for_every_gpu<Shape>) {
    with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
      launch_compact_rows<Own>(where, inputs, layout, select, selected, counts, function);
    });
  } else {
    const auto selector = make_selector<Shape::width, true>(select, inputs);
    const auto columns = make_device_columns<Shape::width>(inputs, selected, std::tuple());
    const std::uint64_t tiles_per_row = row_tiles<Shape>(layout);
    require(tiles_per_row == 0 || layout.rows <= 0x7fffffffu / tiles_per_row, function,
            "more items than one grid of tiles covers");
    if (layout.rows == 0) return;
    if (tiles_per_row == 0) {
      clear_counts(where.stream(), counts, layout.rows);
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
        block_per_tile<rejects::dropped, Shape, columns_t, row_offsets>(where.stream(),
                                                                        static_cast<std::uint32_t>(tiles)),
        length{layout.width}, columns, selector,
        row_offsets{layout.width, layout.pitch, layout.lengths, static_cast<std::uint32_t>(tiles_per_row),
                    scratch.states, &scratch.first->ticket},
        counts);
  }
}

template <class... T>
std::size_t compact_rows_bytes(const row_layout& layout) {
  using shapes = row_shapes<T...>;
  const std::uint64_t tiles = layout.width <= shapes::small::items ? row_tiles<typename shapes::small>(layout)
                                                                   : row_tiles<typename shapes::large>(layout);
  return offset_scratch_bytes<offset_method::look_back>(product_or_most(layout.rows, tiles));
}

template <class Select>
inline void require_pitch_of_flags(const char* function, const row_layout& layout) {
  if constexpr (std::is_same_v<Select, bit_flags>)
    require(layout.rows <= 1 || layout.pitch % 32 == 0, function,
            "bit flags of rows need a pitch that is a multiple of 32");
}

// `counts` has counts_size integers.
template <class... I, class Select, class... Out>
void compact_rows(const exec& where, const std::tuple<I...>& inputs, const row_layout& layout, const Select& select,
                  const std::tuple<Out...>& selected, const device_count& counts, std::uint64_t counts_size) {
  constexpr const char* function = "compact_rows";
  using shapes = row_shapes<typename Out::value_type...>;
  const length all = length_of(inputs);
  require_columns(function, "in", inputs);
  require(all.count == nullptr, function, "the input of rows is not counted");
  const std::uint64_t n = require_layout(function, layout);
  require_room(function, "in", all.capacity, n);
  for_each(selected, [&](const auto& range) { require_room(function, "out", range.size, n); });
  require_room(function, "counts", counts_size, layout.rows);
  require_counts_fit(function, "counts", counts.type(), layout.width);
  require_select(function, select, all.capacity);
  require_pitch_of_flags<Select>(function, layout);
  const argument lengths{"layout.lengths", layout.lengths.address,
                         layout.lengths.address == nullptr ? 0 : layout.rows * layout.lengths.type.bytes()};
  require_arguments(
      function, where, compact_rows_bytes<typename Out::value_type...>(layout),
      {arguments_of("out", selected), argument{"counts", counts.address(), counts_size * counts.type().bytes()}},
      {arguments_of("in", inputs), lengths, argument_of_select(select), lengths_of("out.offset", selected)});
  if (layout.width <= shapes::small::items)
    launch_compact_rows<typename shapes::small>(where, inputs, layout, select, selected, counts, function);
  else launch_compact_rows<typename shapes::large>(where, inputs, layout, select, selected, counts, function);
}

template <class In, class Select, class Out, class Counts>
using compact_rows_checks = checks<input_table_check<In>, selector_check<Select, In>,
                                   output_table_or_view_check<Out, In>, output_counts_check<Counts>>;

}  // namespace detail

/// Bytes of scratch for rows of columns T... Pure.
template <class... T>
std::size_t compact_rows_scratch_bytes(const row_layout& layout) {
  return detail::bytes_at_any_address(detail::compact_rows_bytes<T...>(layout));
}

template <input_table In, selector_of<In> Select, output_table_or_view_of<In> Out, output_range_of_counts Counts>
void compact_rows(const exec& where, const In& in, const row_layout& layout, const Select& select, Out&& out,
                  Counts&& counts) {
  const auto of_rows = detail::as_output(counts);
  detail::compact_rows(where, detail::as_inputs(in), layout, select, detail::as_outputs(out), of_rows.data,
                       of_rows.size);
}
template <class In, class Select, class Out, class Counts>
  requires(!detail::compact_rows_checks<In, Select, Out, Counts>::ok)
void compact_rows(const exec&, const In&, const row_layout&, const Select&, Out&&, Counts&&) {
  detail::compact_rows_checks<In, Select, Out, Counts>::failing::explain();
}

}  // namespace ballot
