// SPDX-License-Identifier: Apache-2.0
// Chooses how a histogram is counted, by the numbers of items and bins, and launches it.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/count.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/core/range.hpp>
#include <ballot/core/stream.hpp>
#include <ballot/core/view.hpp>
#include <ballot/detail/common/clear_counts.cuh>
#include <ballot/detail/common/view_source.cuh>
#include <ballot/detail/histogram/kernel.cuh>
#include <ballot/device/tuning.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ballot::detail {

// Tile shapes (device/tuning.cuh says how tables are read): 64 bytes a thread in flight.
struct histogram_tuning {
  int threads, chunks;
  const char* measured;  // where, when, of which array; null: a guess
  int architecture = 0;  // from: 900 for sm_90; 0: every GPU
};
constexpr bool same_sizes(const histogram_tuning&, const histogram_tuning&) { return true; }

struct histogram_tunings {
  static constexpr histogram_tuning rows[] = {{512, 4, nullptr}};
};
// For two counts in a word.
struct histogram_halves_tunings {
  static constexpr histogram_tuning rows[] = {{1024, 4, nullptr}};
};
template <class Table, class T>
struct tuned_histogram_shape {
  template <int Row>
  struct of_row {
    using type = block::tile_shape<Table::rows[Row].threads, Table::rows[Row].chunks, block::vector_width<T>()>;
  };
  using type = shape_of_row<Table, 0, of_row>;
};
template <class T>
using histogram_shape = typename tuned_histogram_shape<histogram_tunings, T>::type;
template <class T>
using histogram_halves_shape = typename tuned_histogram_shape<histogram_halves_tunings, T>::type;
// For few items: one item for each thread, so that no warp has many rows in which to vote.
using histogram_few_shape = block::tile_shape<256, 1, 1>;

inline constexpr std::uint32_t most_bins = 1u << 31;

// The counts are the same with every plan.
struct histogram_plan {
  histogram_mode mode;
  int column_bits = 0;
  std::size_t shared_bytes = 0;
  unsigned blocks_per_multiprocessor = 4;
  std::uint64_t items_per_block = 1;  // at least, so that a block's own counts pay off
  bool has_few_items = false;         // for the number of bins

  // shared: the shared memory that a block may have.
  static histogram_plan of(std::uint64_t n, std::uint32_t bins, std::size_t shared) {
    const std::uint64_t bytes = 4 * std::uint64_t{bins};
    if (bytes <= shared && n / 16 >= bins) {
      // Up to 32 KiB of columns leave room for four blocks.
      int bits = 0;
      while (bits < 5 && bytes << (bits + 1) <= 32 * 1024) ++bits;
      const std::size_t all = static_cast<std::size_t>(bytes) << bits;
      return {histogram_mode::columns, bits, all, all <= 48 * 1024 ? 4u : all <= 96 * 1024 ? 2u : 1u, bytes / 2};
    }
    if (bytes <= 16 * 1024) {
      int bits = 0;
      while (bits < 3 && bytes << (bits + 1) <= 8 * 1024) ++bits;
      return {histogram_mode::columns, bits, static_cast<std::size_t>(bytes << bits), 4, 1, true};
    }
    const std::uint64_t half_bytes = (std::uint64_t{bins} + 1) / 2 * 4;
    if (half_bytes <= shared && n / 128 >= bins)
      return {histogram_mode::halves, 0, static_cast<std::size_t>(half_bytes), 1, 4 * std::uint64_t{bins}};
    return {histogram_mode::device, 0, 2 * cached_bins * sizeof(std::uint32_t)};
  }
};

template <int Width, class T>
histogram_source<T> histogram_source_of(const input<T>& in) {
  return {in.data, block::is_vector_aligned<T, Width>(in.data)};
}
template <int Width, class V>
view_source<V> histogram_source_of(const view_input<V>& in) {
  return make_view_source<Width>(in.view);
}

// The blocks of n items: at least so many that no block's counts, which have 32 bits, exceed them.
inline std::uint64_t histogram_blocks(std::uint64_t n, unsigned tile_items, std::uint64_t items_per_block,
                                      std::uint64_t resident) {
  constexpr std::uint64_t most_items = std::uint64_t{1} << 31;
  const std::uint64_t wanted = smaller(ceil_div(n, tile_items), larger(n / items_per_block, 1));
  return larger(smaller(wanted, resident), ceil_div(n, most_items));
}

template <histogram_mode Mode, class Shape, class Source, class BinOf>
void launch_histogram_as(stream_t stream, const histogram_plan& plan, const histogram_arguments<Source, BinOf>& a) {
  const std::uint64_t n = a.n.capacity;
  with_shape_of_gpu<Shape>([&]<class Own>(std::type_identity<Own>) {
    const std::uint64_t resident = std::uint64_t{plan.blocks_per_multiprocessor} * simt::multiprocessors();
    const std::uint64_t blocks = histogram_blocks(n, Own::items, plan.items_per_block, resident);
    simt::launch(histogram_kernel<Mode, Source, Own, BinOf>,
                 simt::launch_config{dim3(static_cast<unsigned>(blocks)), dim3(Own::threads),
                                     plan.shared_bytes + sizeof(histogram_storage), stream},
                 a);
  });
}

// bins >= 1. Launches a fill of the counts, one of `outside` if the caller wants it, and a kernel
// if n > 0.
template <class In, class BinOf>
void launch_histogram(stream_t stream, const histogram_plan& plan, const In& in, const BinOf& bin_of,
                      const device_count& counts, std::uint32_t bins, const device_count& outside) {
  using T = typename In::value_type;
  using shape = histogram_shape<T>;
  using halves_shape = histogram_halves_shape<T>;
  clear_counts(stream, counts, bins);
  if (outside.address() != nullptr) clear_counts(stream, outside);
  if (in.capacity() == 0) return;
  const auto source = histogram_source_of<shape::width>(in);
  const histogram_arguments<std::remove_const_t<decltype(source)>, BinOf> a{source,  in.length, bin_of,          counts,
                                                                            outside, bins,      plan.column_bits};
  switch (plan.mode) {
    case histogram_mode::columns:
      if (plan.has_few_items) return launch_histogram_as<histogram_mode::columns, histogram_few_shape>(stream, plan, a);
      return launch_histogram_as<histogram_mode::columns, shape>(stream, plan, a);
    case histogram_mode::halves:
      return launch_histogram_as<histogram_mode::halves, halves_shape>(stream, plan, a);
    case histogram_mode::device:
      return launch_histogram_as<histogram_mode::device, shape>(stream, plan, a);
  }
}

}  // namespace ballot::detail
