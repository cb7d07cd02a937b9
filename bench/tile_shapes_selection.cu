// SPDX-License-Identifier: Apache-2.0
// Tile shapes of what moves items by a choice: compact, split and multisplit.
#include <ballot/core/namespace.hpp>

#include "inputs.hpp"
#include "tile_shapes.hpp"

#include <ballot/compact.cuh>
#include <ballot/multisplit.cuh>
#include <ballot/split.cuh>

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace ballot::bench {
namespace {

using detail::rejects;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

// select: a predicate, or flags.
template <rejects Rejects, detail::offset_method Method, class... Shapes, class Select>
void partition_shapes(comparison& of, const char* name, double bytes_per_item, const Select& select) {
  using T = uint32_t;
  auto* const out = static_cast<T*>(of.output.data());
  auto* const rest = Rejects == rejects::after_selected ? out : static_cast<T*>(of.rest.data());
  const std::span<const T> in(static_cast<const T*>(of.input.data()), of.items());
  const std::tuple selected(detail::output<T>{out, of.items()}), rejected(detail::output<T>{rest, of.items()});
  if (!of.begin(name, static_cast<std::size_t>(bytes_per_item * static_cast<double>(of.items())))) return;
  std::vector also{bytes_of(of.count, sizeof(uint64_t))};
  if (Rejects == rejects::second_output) also.push_back(bytes_of(of.rest, of.items() * sizeof(T)));
  const auto one = [&]<class Shape>() {
    const auto run = [&] {
      detail::select_in_shape<Rejects, Shape, Method>(of.where(), detail::as_inputs(in), select, selected, rejected,
                                                      static_cast<uint64_t*>(of.count.data()), "tile_shapes");
    };
    of.shape(name_of_tile_shape<Shape>(), run, also);
  };
  (one.template operator()<Shapes>(), ...);
}

// The items that is_kept selects, as byte flags.
__global__ void flag_bytes_kernel(const uint32_t* keys, uint8_t* flags, uint64_t n) {
  for (uint64_t i = blockIdx.x * uint64_t{blockDim.x} + threadIdx.x; i < n; i += uint64_t{gridDim.x} * blockDim.x)
    flags[i] = is_kept{}(keys[i]) ? 1 : 0;
}
void flag_bytes(const uint32_t* keys, uint8_t* flags, uint64_t n, cudaStream_t stream) {
  flag_bytes_kernel<<<2048, 256, 0, stream>>>(keys, flags, n);
  check(cudaGetLastError(), "flag_bytes");
}

// With more items, not all tiles run at once.
constexpr std::uint64_t most_aggregate_sums = std::uint64_t{1} << 20;

struct low_bits {
  unsigned mask;
  __device__ unsigned operator()(uint32_t key) const { return key & mask; }
};

// Always by counts of tiles.
template <class Tile>
struct counts_of_tiles
    : detail::multisplit_shapes<Tile, detail::one_block_shape<256, 1>, detail::one_block_shape<256, 1>,
                                detail::bucket_sweep_shape<256, 16, 1>> {
  static constexpr uint64_t most_sweep_items = 0;
};

template <class... Shapes>
void multisplit_shapes(comparison& of, const char* name, unsigned buckets) {
  using T = uint32_t;
  const std::tuple inputs = detail::as_inputs(std::span(static_cast<const T*>(of.input.data()), of.items()));
  const std::tuple out(detail::output<T>{static_cast<T*>(of.output.data()), of.items()});
  const device_memory offsets((buckets + 1) * sizeof(uint64_t));
  if (!of.begin(name, 8 * of.items())) return;
  const auto one = [&]<class Shape>() {
    const auto run = [&] {
      detail::launch_multisplit<counts_of_tiles<Shape>>(of.where(), detail::length_of(inputs),
                                                        detail::make_device_columns<1>(inputs, out, std::tuple()),
                                                        detail::make_buckets(low_bits{buckets - 1}, inputs), buckets,
                                                        static_cast<uint64_t*>(offsets.data()), "tile_shapes");
    };
    of.shape(std::to_string(Shape::threads) + " threads, " + std::to_string(Shape::chunks) + " items", run,
             {bytes_of(offsets, offsets.size())});
  };
  (one.template operator()<Shapes>(), ...);
}

}  // namespace

void compare_selections(comparison& of) {
  using block::tile_shape;
  using detail::offset_method;
  partition_shapes<rejects::dropped, offset_method::look_back, tile_shape<256, 2, 4>, tile_shape<128, 6, 4>,
                   tile_shape<128, 8, 4>, tile_shape<128, 10, 4>, tile_shape<128, 12, 4>, tile_shape<256, 6, 4>,
                   tile_shape<256, 8, 4>, tile_shape<192, 8, 4>, tile_shape<192, 10, 4>>(
      of, "compact, u32, half selected", 6, is_kept{});
  auto* const flag_of = static_cast<uint8_t*>(of.rest.data());
  const byte_flags flags{{flag_of, of.items()}};
  flag_bytes(static_cast<const uint32_t*>(of.input.data()), flag_of, of.items(), of.stream());
  partition_shapes<rejects::dropped, offset_method::look_back, tile_shape<256, 2, 4>, tile_shape<128, 6, 4>,
                   tile_shape<128, 8, 4>, tile_shape<128, 10, 4>, tile_shape<128, 12, 4>, tile_shape<256, 6, 4>,
                   tile_shape<192, 8, 4>>(of, "compact, u32, half selected by bytes", 7, flags);
  partition_shapes<rejects::second_output, offset_method::look_back, tile_shape<256, 2, 4>, tile_shape<128, 4, 4>,
                   tile_shape<128, 6, 4>, tile_shape<128, 8, 4>, tile_shape<128, 10, 4>, tile_shape<128, 12, 4>,
                   tile_shape<256, 4, 4>, tile_shape<256, 6, 4>, tile_shape<192, 6, 4>, tile_shape<192, 8, 4>>(
      of, "split, u32, two outputs", 8, is_kept{});
  partition_shapes<rejects::after_selected, offset_method::precomputed, tile_shape<128, 6, 4>, tile_shape<128, 8, 4>,
                   tile_shape<128, 12, 4>, tile_shape<256, 6, 4>>(of, "split, u32, one output, tiles counted", 8,
                                                                  is_kept{});
  if (of.items() <= most_aggregate_sums) {
    partition_shapes<rejects::dropped, offset_method::aggregate_sum, tile_shape<256, 2, 4>, tile_shape<256, 4, 4>,
                     tile_shape<256, 8, 4>, tile_shape<512, 2, 4>, tile_shape<512, 4, 4>>(
        of, "compact, u32, half selected, aggregate sums", 6, is_kept{});
    partition_shapes<rejects::after_selected, offset_method::aggregate_sum, tile_shape<256, 4, 4>,
                     tile_shape<256, 8, 4>, tile_shape<512, 2, 4>>(of, "split, u32, one output, aggregate sums", 8,
                                                                   is_kept{});
  }
  for (const unsigned buckets : {2u, 8u, 32u, 256u})
    multisplit_shapes<tile_shape<256, 8, 1>, tile_shape<256, 12, 1>, tile_shape<256, 16, 1>, tile_shape<512, 12, 1>>(
        of, ("multisplit, u32, buckets " + std::to_string(buckets)).c_str(), buckets);
}

}  // namespace ballot::bench
