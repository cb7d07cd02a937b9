// SPDX-License-Identifier: Apache-2.0
// Tuning tables: which shape a kernel has on which GPU.
//
//     struct scan_tunings {
//       static constexpr scan_tuning rows[] = {
//           {4, 128, 9, "H200, 2026-11-20, ..."},       // items of up to 4 bytes, on every GPU
//           {4, 256, 7, "B200, ...", 1000},             // the same on GPUs of sm_100 and later
//           {any_size, 128, 5, nullptr},                // larger items; null: a guess
//       };
//     };
//
// A row has sizes, a shape, `measured` and `architecture`. `measured` says on which GPU, when, and
// with which array the shape was measured; null: it is a guess. `architecture` is 0 for every GPU,
// 900 for sm_90 and later. The first row that fits is taken (find_row). A row for every GPU may be
// followed by rows of the same sizes for newer GPUs, in the order of architectures. All of them are
// compiled, and each call chooses by the current GPU (with_shape_of_gpu). If there are no such
// rows, the GPU is not queried.
//
// Scratch is the same for every GPU, because it is enough for the smallest tile of all rows
// (shapes_by_architecture::items). A shape on which the bits of results depend has no rows for
// newer GPUs, so that sums of floats are the same on every GPU.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/simt/simt.cuh>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

namespace ballot::detail {

inline constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

template <class Table>
inline constexpr int row_count = static_cast<int>(std::extent_v<decltype(Table::rows)>);

// Whether this row takes the place of the one before it on newer GPUs.
template <class Table>
constexpr bool is_for_newer_gpus(int row) {
  return row < row_count<Table> && Table::rows[row].architecture != 0;
}
// The next row for every GPU.
template <class Table>
constexpr int next_row(int row) {
  do ++row;
  while (is_for_newer_gpus<Table>(row));
  return row;
}
// Whether each row for newer GPUs has the sizes of the row whose place it takes. `same_sizes` of a
// row type says what its sizes are.
template <class Table>
constexpr bool has_ordered_rows() {
  for (int row = 0; row < row_count<Table>; ++row) {
    if (!is_for_newer_gpus<Table>(row)) continue;
    if (row == 0 || !same_sizes(Table::rows[row], Table::rows[row - 1]) ||
        Table::rows[row].architecture <= Table::rows[row - 1].architecture)
      return false;
  }
  return true;
}
// The first row that fits; the last one for every GPU if none does.
template <class Table, class Fits>
constexpr int find_row(const Fits& fits) {
  static_assert(has_ordered_rows<Table>());
  int row = 0;
  while (!fits(Table::rows[row]) && next_row<Table>(row) < row_count<Table>) row = next_row<Table>(row);
  return row;
}
// The same, if the row depends only on the bytes of items or sums.
template <class Table>
constexpr int row_of_bytes(std::size_t bytes) {
  return find_row<Table>([bytes](const auto& row) { return bytes <= row.bytes; });
}

// A shape for GPUs of an architecture and later.
template <int Architecture, class Shape>
struct since_architecture {
  static constexpr int architecture = Architecture;
  using shape = Shape;
};

template <class Shape>
constexpr int width_of_shape() {
  if constexpr (requires { Shape::width; }) return Shape::width;
  else return 1;
}
// The items of a tile; 0 if they alone do not decide the scratch (then most_of_shapes does).
template <class Shape>
constexpr unsigned items_of_shape() {
  if constexpr (requires { Shape::items; }) return Shape::items;
  else return 0;
}

// Shapes of one kernel for different GPUs: First for every GPU, then others, by ascending
// architecture. Host code can use it in place of a shape. The kernel gets one of the shapes.
template <class First, class... Newer>
struct shapes_by_architecture {
  using first = First;
  static constexpr int width = width_of_shape<First>();
  static constexpr unsigned items = smallest_of(items_of_shape<First>(), items_of_shape<typename Newer::shape>()...);
  static_assert(((width_of_shape<typename Newer::shape>() == width) && ...), "columns are made for one width");
};

template <class Shape>
struct shape_of_every_gpu {
  using type = Shape;
  static constexpr bool is_only = true;
};
template <class First, class... Newer>
struct shape_of_every_gpu<shapes_by_architecture<First, Newer...>> {
  using type = First;
  static constexpr bool is_only = false;
};
// For GPUs that have no shape of their own.
template <class Shape>
using first_shape = typename shape_of_every_gpu<Shape>::type;
template <class Shape>
inline constexpr bool is_for_every_gpu = shape_of_every_gpu<Shape>::is_only;

template <class First, class... Newer, class Use>
void with_shape_since(int architecture, std::type_identity<shapes_by_architecture<First, Newer...>>, const Use& use) {
  int newest = 0;  // of those that the GPU is new enough for
  ((newest = architecture >= Newer::architecture ? Newer::architecture : newest), ...);
  if (newest == 0) return use(std::type_identity<First>());
  ((newest == Newer::architecture ? use(std::type_identity<typename Newer::shape>()) : void()), ...);
}
// Calls use(std::type_identity<the shape for the current GPU>()).
template <class Shape, class Use>
void with_shape_of_gpu(const Use& use) {
  if constexpr (is_for_every_gpu<Shape>) use(std::type_identity<Shape>());
  else with_shape_since(simt::device_architecture(), std::type_identity<Shape>(), use);
}

// The most that measure(std::type_identity<shape>()) returns for the shapes of all GPUs.
template <class First, class... Newer, class Measure>
std::size_t most_of_all(std::type_identity<shapes_by_architecture<First, Newer...>>, const Measure& measure) {
  return largest_of(measure(std::type_identity<First>()), measure(std::type_identity<typename Newer::shape>())...);
}
template <class Shape, class Measure>
std::size_t most_of_shapes(const Measure& measure) {
  if constexpr (is_for_every_gpu<Shape>) return measure(std::type_identity<Shape>());
  else return most_of_all(std::type_identity<Shape>(), measure);
}

template <class Table, int Row, template <int> class ShapeOf, class Newer>
struct shape_of_rows;
template <class Table, int Row, template <int> class ShapeOf>
struct shape_of_rows<Table, Row, ShapeOf, std::index_sequence<>> : ShapeOf<Row> {};
template <class Table, int Row, template <int> class ShapeOf, std::size_t First, std::size_t... Rest>
struct shape_of_rows<Table, Row, ShapeOf, std::index_sequence<First, Rest...>> {
  using type = shapes_by_architecture<
      typename ShapeOf<Row>::type,
      since_architecture<Table::rows[Row + 1 + First].architecture, typename ShapeOf<Row + 1 + First>::type>,
      since_architecture<Table::rows[Row + 1 + Rest].architecture, typename ShapeOf<Row + 1 + Rest>::type>...>;
};
// The shape of a row, and of those after it for newer GPUs. ShapeOf<row>::type is the shape of one
// row.
template <class Table, int Row, template <int> class ShapeOf>
using shape_of_row =
    typename shape_of_rows<Table, Row, ShapeOf, std::make_index_sequence<next_row<Table>(Row) - Row - 1>>::type;

}  // namespace ballot::detail
