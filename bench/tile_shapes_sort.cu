// SPDX-License-Identifier: Apache-2.0
// Shapes of the radix sort and of its histogram.
#include <ballot/core/namespace.hpp>

#include "inputs.hpp"
#include "tile_shapes.hpp"

#include <ballot/sort.cuh>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ballot::bench {
namespace {

using std::uint32_t;
using std::uint64_t;

template <class Shape>
std::string name_of_radix_shape() {
  std::string name = std::to_string(Shape::threads) + " x " + std::to_string(Shape::keys_per_thread);
  if (Shape::blocks_per_multiprocessor != 0) name += " x" + std::to_string(Shape::blocks_per_multiprocessor);
  if (Shape::window != 1) name += " window " + std::to_string(Shape::window);
  return name;
}

// The whole sort: histogram and all passes. The values, if any, are the positions of the keys.
template <class U, class V, class... Shapes>
void sort_shapes(comparison& of, const char* name) {
  const std::span<const U> in(static_cast<const U*>(of.input.data()), of.items());
  if (!of.begin(name, 2 * sizeof(U) * of.items())) return;
  V* values_out = nullptr;
  std::vector<std::span<std::byte>> also;
  if constexpr (!std::is_same_v<V, detail::no_value>) {
    values_out = static_cast<V*>(of.rest.data());
    also.push_back(bytes_of(of.rest, of.items() * sizeof(V)));
  }
  const auto one = [&]<class Shape>() {
    const auto run = [&] {
      detail::launch_radix_sort_in_shape<U, V, Shape>(
          of.stream(), of.where().scratch().data(),
          {detail::as_input(in), static_cast<U*>(of.output.data()), nullptr, values_out}, key_codec<U>{},
          {0, 8 * sizeof(U)});
    };
    of.shape(name_of_radix_shape<Shape>(), run, also);
  };
  (one.template operator()<Shapes>(), ...);
}

// The histogram by itself; its share of a sort is one read of the keys.
template <class U, class... Shapes>
void histogram_shapes(comparison& of, const char* name) {
  const auto keys = detail::as_input(std::span<const U>(static_cast<const U*>(of.input.data()), of.items()));
  if (!of.begin(name, sizeof(U) * of.items())) return;
  auto* const digit_offsets = static_cast<uint64_t*>(of.output.data());
  auto* const flags = static_cast<uint32_t*>(of.rest.data());
  auto* const actions = reinterpret_cast<detail::launch_action*>(flags + 64);
  const int passes = static_cast<int>(sizeof(U));
  const auto one = [&]<class Shape>() {
    of.shape(name_of_tile_shape<Shape>() + ", columns " + std::to_string(Shape::columns) + ", blocks " +
                 std::to_string(Shape::blocks::most()),
             [&] {
               check(cudaMemsetAsync(digit_offsets, 0, sizeof(U) * detail::radix_digits * 8, of.stream()),
                     "cudaMemsetAsync");
               check(cudaMemsetAsync(flags, 0, 8, of.stream()), "cudaMemsetAsync");
               detail::launch_radix_histogram<U, Shape>(of.stream(), {keys.data,
                                                                      keys.length,
                                                                      {},
                                                                      {0, 8 * passes},
                                                                      {passes, 1, detail::radix_step_rule::any_parity},
                                                                      true,
                                                                      false,
                                                                      digit_offsets,
                                                                      flags,
                                                                      flags + 1,
                                                                      actions});
             });
  };
  (one.template operator()<Shapes>(), ...);
}

using detail::radix_shape;
template <unsigned Blocks>
using per = detail::blocks_per_multiprocessor<Blocks>;

}  // namespace

std::size_t scratch_of_sorts(uint64_t items) {
  using smallest = radix_shape<256, 4>;
  return detail::radix_scratch_bytes_in_shape<uint64_t, uint64_t, smallest>(items, detail::sort_mode::out_of_place);
}

void compare_sorts(comparison& of) {
  using detail::no_value;
  using detail::radix_histogram_shape;
  histogram_shapes<uint32_t, radix_histogram_shape<512, 2, 4, 1, per<1>>,
                   radix_histogram_shape<512, 4, 4, 1, detail::blocks_on_every_gpu<1024>>,
                   radix_histogram_shape<512, 4, 4, 8, per<3>>, radix_histogram_shape<512, 4, 4, 16, per<2>>,
                   radix_histogram_shape<1024, 4, 4, 32, per<1>>>(of, "histogram, u32");
  histogram_shapes<uint64_t, radix_histogram_shape<512, 2, 2, 1, per<1>>, radix_histogram_shape<512, 4, 2, 8, per<3>>,
                   radix_histogram_shape<1024, 4, 2, 16, per<1>>>(of, "histogram, u64");

  // Threads, keys a thread, blocks a multiprocessor, window of the look-back.
  const auto of_u32_keys = [&](const char* name) {
    sort_shapes<uint32_t, no_value, radix_shape<256, 16, 0, 8>, radix_shape<512, 16, 2, 8>, radix_shape<512, 28, 2, 8>,
                radix_shape<256, 36, 3, 8>, radix_shape<256, 36, 3, 1>, radix_shape<384, 36, 2, 8>>(of, name);
  };
  of_u32_keys("sort, u32");
  sort_shapes<uint32_t, uint32_t, radix_shape<256, 12, 0, 8>, radix_shape<512, 16, 2, 8>, radix_shape<384, 34, 2, 8>,
              radix_shape<256, 46, 2, 8>>(of, "sort, u32 with u32 positions");
  sort_shapes<uint32_t, uint64_t, radix_shape<256, 12, 0, 8>, radix_shape<384, 18, 2, 8>, radix_shape<256, 24, 3, 8>>(
      of, "sort, u32 with u64 positions");
  sort_shapes<uint64_t, no_value, radix_shape<256, 12, 0, 8>, radix_shape<256, 20, 3, 8>, radix_shape<384, 20, 2, 8>,
              radix_shape<256, 30, 2, 8>>(of, "sort, u64");
  sort_shapes<uint64_t, uint64_t, radix_shape<256, 12, 0, 8>, radix_shape<384, 16, 2, 8>, radix_shape<512, 12, 2, 8>>(
      of, "sort, u64 with u64 positions");
  // Keys of which many share a digit, and keys that need no pass.
  for (const char* spread : {"0.201", "few:16", "sorted", "constant"}) {
    keys<uint32_t>(parse_key_spread(spread)).fill(of.input.data(), of.items(), of.stream());
    of_u32_keys(spread);
  }
}

}  // namespace ballot::bench
