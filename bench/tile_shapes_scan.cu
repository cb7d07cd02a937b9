// SPDX-License-Identifier: Apache-2.0
// Tile shapes of scans, and of segmented scans whose heads are given by flags.
#include <ballot/core/namespace.hpp>

#include "tile_shapes.hpp"

#include <ballot/scan.cuh>
#include <ballot/segmented_scan.cuh>

#include <cstdint>
#include <span>

namespace ballot::bench {
namespace {

using block::tile_shape;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// LookBack: detail::scan_look_back or detail::reproducible_look_back. Only sums that are the same
// however they are grouped can be compared between shapes: floats take one shape.
template <class T, template <class> class LookBack, class... Shapes>
void scan_shapes(comparison& of, const char* name) {
  const detail::scan_call<T, device::input_items<T>, plus> call{{static_cast<const T*>(of.input.data())},
                                                                {of.items(), nullptr},
                                                                {static_cast<T*>(of.output.data()), of.items()},
                                                                T{},
                                                                plus{},
                                                                {},
                                                                "tile_shapes"};
  if (!of.begin(name, 2 * sizeof(T) * of.items())) return;
  const auto one = [&]<class Shape>() {
    of.shape(name_of_tile_shape<Shape>(), [&] {
      detail::launch_scan_tiles<device::scan_kind::exclusive, Shape, LookBack<T>>(of.where(),
                                                                                  of.where().scratch().data(), call);
    });
  };
  (one.template operator()<Shapes>(), ...);
}

// Inclusive sums of i32. heads: where segments begin. Clearing the tile states is part of the time.
template <class... Shapes, class Heads>
void segmented_shapes(comparison& of, const char* name, double bytes_per_item, const Heads& heads) {
  using T = std::int32_t;
  const detail::input<T> in = detail::as_input(std::span(static_cast<const T*>(of.input.data()), of.items()));
  const detail::output<T> out{static_cast<T*>(of.output.data()), of.items()};
  if (!of.begin(name, static_cast<std::size_t>(bytes_per_item * static_cast<double>(of.items())))) return;
  const auto one = [&]<class Shape>() {
    of.shape(name_of_tile_shape<Shape>(), [&] {
      check(cudaMemsetAsync(of.where().scratch().data(), 0, detail::segmented_scan_bytes<T, Shape>(of.items()),
                            of.stream()),
            "cudaMemsetAsync");
      detail::launch_segmented_scan<device::scan_kind::inclusive, T, Shape>(of.stream(), of.where().scratch().data(),
                                                                            in, heads, out, T{}, plus{}, "tile_shapes");
    });
  };
  (one.template operator()<Shapes>(), ...);
}

// One long segment: no flag is set. Bytes: items read and written, and the flags read.
void compare_segmented_scans(comparison& of) {
  const uint64_t n = of.items();
  check(cudaMemsetAsync(of.rest.data(), 0, n, of.stream()), "cudaMemsetAsync");
  const byte_flags bytes{{static_cast<const uint8_t*>(of.rest.data()), n}};
  const bit_flags bits{{static_cast<const uint32_t*>(of.rest.data()), detail::ceil_div(n, 32)}};
  const auto of_heads = [&](const char* name, double bytes_per_item, const auto& heads) {
    segmented_shapes<tile_shape<128, 5, 4>, tile_shape<128, 7, 4>, tile_shape<256, 5, 4>, tile_shape<256, 7, 4>,
                     tile_shape<192, 7, 4>, tile_shape<64, 7, 4>>(of, name, bytes_per_item, heads);
  };
  of_heads("segmented scan, i32, by byte flags", 9,
           detail::make_head_flag_loader<false>(detail::make_flag_reader(bytes)));
  of_heads("segmented scan, i32, by bit flags", 8.125,
           detail::make_head_flag_loader<false>(detail::make_flag_reader(bits)));
}

}  // namespace

void compare_scans(comparison& of) {
  using detail::reproducible_look_back;
  using detail::scan_look_back;
  scan_shapes<uint32_t, scan_look_back, tile_shape<128, 3, 4>, tile_shape<128, 5, 4>, tile_shape<128, 7, 4>,
              tile_shape<128, 9, 4>, tile_shape<128, 11, 4>, tile_shape<256, 5, 4>, tile_shape<256, 7, 4>,
              tile_shape<256, 9, 4>, tile_shape<64, 9, 4>, tile_shape<64, 15, 4>, tile_shape<192, 9, 4>>(
      of, "exclusive scan, u32");
  scan_shapes<uint64_t, scan_look_back, tile_shape<128, 3, 2>, tile_shape<128, 5, 2>, tile_shape<128, 7, 2>,
              tile_shape<128, 9, 2>, tile_shape<128, 11, 2>, tile_shape<256, 5, 2>, tile_shape<256, 7, 2>,
              tile_shape<256, 9, 2>, tile_shape<64, 15, 2>, tile_shape<192, 9, 2>>(of, "exclusive scan, u64");
  scan_shapes<uint8_t, scan_look_back, tile_shape<128, 3, 16>, tile_shape<128, 5, 16>, tile_shape<128, 7, 16>,
              tile_shape<128, 9, 16>, tile_shape<256, 5, 16>>(of, "exclusive scan, u8");
  scan_shapes<uint16_t, scan_look_back, tile_shape<128, 3, 8>, tile_shape<128, 5, 8>, tile_shape<128, 7, 8>,
              tile_shape<128, 9, 8>, tile_shape<256, 5, 8>>(of, "exclusive scan, u16");
  scan_shapes<uint32_t, reproducible_look_back, tile_shape<256, 5, 4>, tile_shape<256, 7, 4>, tile_shape<128, 9, 4>,
              tile_shape<128, 11, 4>>(of, "exclusive scan over a tree, u32");
  scan_shapes<uint64_t, reproducible_look_back, tile_shape<256, 7, 2>, tile_shape<128, 9, 2>, tile_shape<128, 11, 2>>(
      of, "exclusive scan over a tree, u64");
  scan_shapes<float, reproducible_look_back, detail::reproducible_scan_shape<float>>(of,
                                                                                     "exclusive scan over a tree, f32");
  compare_segmented_scans(of);
}

}  // namespace ballot::bench
