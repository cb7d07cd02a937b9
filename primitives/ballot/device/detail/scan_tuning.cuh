// SPDX-License-Identifier: Apache-2.0
// Tile shapes of scans and segmented scans, by the size of the sums' type (device/tuning.cuh says
// how tables are read). bench/tile_shapes_scan.cu compares other shapes.
#pragma once

#include <ballot/block/tile.cuh>
#include <ballot/core/namespace.hpp>
#include <ballot/device/tuning.cuh>

#include <cstddef>

namespace ballot::detail {

// The number of vectors per thread is odd, for the banks of shared memory (block/staged_tile.cuh).
// A vector of a scan has 16 bytes if the size divides 16.
struct scan_tuning {
  std::size_t bytes;  // up to
  int threads, chunks;
  const char* measured;  // where, when, of which array; null: a guess
  int architecture = 0;  // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const scan_tuning& a, const scan_tuning& b) { return a.bytes == b.bytes; }

// Up to two mebibytes of sums. Their time is twice the latency of one tile.
struct small_scan_tunings {
  static constexpr scan_tuning rows[] = {
      {2, 512, 1, nullptr},
      {4, 512, 1, "H200, 2026-11-23, in a graph, us: 65537 sums 3.7, 300007 4.5; 256 x 3: 4.0 4.6; look-back: 4.9 5.3"},
      {8, 256, 3, "H200, 2026-11-23, in a graph, us: 65537 sums 4.4, 300007 5.3; 128 x 9: 5.1 5.6, 512 x 3: 4.6 5.5"},
      {16, 128, 5, nullptr},
      {32, 128, 3, nullptr},
      {any_size, 256, 1, nullptr},  // larger sums are refused
  };
};
// More, which are still read twice (few_scan_items).
struct few_scan_tunings {
  static constexpr scan_tuning rows[] = {
      {2, 128, 7, nullptr},
      {4, 256, 5,
       "H200, 2026-12-01, us in a graph of 1, 2, 3 and 4 million: 5.4 6.9 9.7 11.4; 128 x 9: 6.1 8.2 10.7 12.3; 512 x "
       "3: 5.4 7.0 9.5"},
      {8, 256, 9,
       "H200, 2026-12-01, us in a graph of 1, 1.3 and 1.5 million: 7.4 9.1 10.2; 128 x 9: 8.2 9.4 11.0; 256 x 5: 7.2 "
       "9.4 10.4"},
      {16, 128, 9, nullptr},
      {32, 128, 7, nullptr},
      {any_size, 256, 1, nullptr},  // larger sums are refused
  };
};
struct scan_tunings {
  static constexpr scan_tuning rows[] = {
      {1, 128, 7,
       "H200, 2026-11-20, 2^28 sums: 0.87 of the copy speed; 9 vectors: 0.88, 5: 0.81. H100, 2026-11-23: 0.96; 0.95, "
       "0.92"},
      {2, 128, 7,
       "H200, 2026-11-20, 2^28: 0.92 of the copy speed; 9 vectors: 0.94, a twentieth slower at 2^16. H100, 2026-11-23: "
       "0.98; 0.98"},
      {4, 128, 9,
       "H200, 2026-11-20, 2^28: 0.95 of the copy speed. H100, 2026-11-23: 0.98; 5 vectors: 0.97, 7 and 11: 0.98"},
      {8, 128, 9,
       "H200, 2026-11-30, i64, us of 2, 5, 12, 50 and 268 million: 17.3 32.8 60.5 209 1075; 256 threads: 17.5 34.4 "
       "64.2 214 1072. H100, 2026-11-23, 2^28: 0.98 of the copy speed; 256 threads: 0.98"},
      {16, 128, 9,
       "H200, 2026-11-30, us of 12 million sums of 12 and 16 bytes: 86.5 118; 5 vectors: 99.5 148; 7: 90.4 126; 256 x "
       "7: 91.8 124"},
      {32, 128, 7, "H200, 2026-11-30, us of 1 and 12 million sums of 24 bytes: 26.3 168; 5 vectors: 28.4 184"},
      {any_size, 256, 1, nullptr},  // larger sums are refused
  };
};
template <class Table, class T, int Width>
struct tuned_scan_shape {
  template <int Row>
  struct of_row {
    using type = block::tile_shape<Table::rows[Row].threads, Table::rows[Row].chunks, Width>;
  };
  using type = shape_of_row<Table, row_of_bytes<Table>(sizeof(T)), of_row>;
};
template <class T>
using scan_shape = typename tuned_scan_shape<scan_tunings, T, block::vector_width<T>(16)>::type;
template <class T>
using few_scan_shape = typename tuned_scan_shape<few_scan_tunings, T, block::vector_width<T>(16)>::type;
template <class T>
using small_scan_shape = typename tuned_scan_shape<small_scan_tunings, T, block::vector_width<T>(16)>::type;

// Segmented scans.
struct segmented_scan_tunings {
  static constexpr scan_tuning rows[] = {
      {4, 192, 7,
       "H200, 2026-11-20, i32 in one segment of 2^28: 0.96 of the copy speed by byte flags, 0.94 by bit flags; 128 "
       "threads: 0.96, 0.92; 256: 0.96, 0.93. H100, 2026-11-23: 0.99, 0.98; the others the same"},
      {16, 192, 9, nullptr},
      {any_size, 192, 5, nullptr},
  };
};
// Few items. Their time is twice the latency of one tile, so a thread has few of them.
struct small_segmented_scan_tunings {
  static constexpr scan_tuning rows[] = {
      {4, 512, 1, nullptr},  // this and the next row as in scans (small_scan_tunings), where they were measured
      {8, 256, 3, nullptr},
      {16, 128, 5, nullptr},
      {any_size, 128, 3, nullptr},
  };
};
template <class T>
using segmented_scan_shape = typename tuned_scan_shape<segmented_scan_tunings, T, block::vector_width<T>()>::type;
template <class T>
using small_segmented_scan_shape =
    typename tuned_scan_shape<small_segmented_scan_tunings, T, block::vector_width<T>()>::type;

}  // namespace ballot::detail
