// Shapes of the radix sort and of its histogram.
#include <ballot/core/namespace.hpp>

#include "inputs.hpp"
#include "tile_shapes.hpp"

#include <ballot/sort.cuh>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace ballot::bench {
namespace {

using std::uint32_t;
using std::uint64_t;

template <class Shape>
std::string name_of_radix_shape() {
  using detail::radix_ranking;
  std::string name = std::to_string(Shape::threads) + " x " + std::to_string(Shape::keys_per_thread);
  if (Shape::blocks_per_multiprocessor != 0) name += " x" + std::to_string(Shape::blocks_per_multiprocessor);
  if (Shape::ranking == radix_ranking::votes_in_groups) name += " groups";
  if (Shape::ranking == radix_ranking::shared_words) name += " words";
  if (Shape::counts_first) name += " counts-first";
  if (Shape::staging_apart) name += " apart";
  if (Shape::window != 1) name += " window " + std::to_string(Shape::window);
  return name;
}

// The whole sort: histogram and all passes. The values, if any, are the positions of the keys.
template <class U, class V, class... Shapes>
void sort_shapes(comparison& of, const char* name) {
  const std::span<const U> in(static_cast<const U*>(of.input.data()), of.items());
  if (!of.begin(name, 2 * sizeof(U) * of.items())) return;
  V* values_out = nullptr;
  if constexpr (!std::is_same_v<V, detail::no_value>) values_out = static_cast<V*>(of.rest.data());
  const auto one = [&]<class Shape>() {
    of.shape(name_of_radix_shape<Shape>(), [&] {
      detail::launch_radix_sort<U, V, Shape>(
          of.stream(), of.where().scratch().data(),
          {detail::as_input(in), static_cast<U*>(of.output.data()), nullptr, values_out}, key_codec<U>{},
          {0, 8 * sizeof(U)});
    });
  };
  (one.template operator()<Shapes>(), ...);
}

// The histogram by itself; its share of a sort is one read of the keys.
template <class U, class... Shapes>
void histogram_shapes(comparison& of, const char* name) {
  const auto keys = detail::as_input(std::span<const U>(static_cast<const U*>(of.input.data()), of.items()));
  if (!of.begin(name, sizeof(U) * of.items())) return;
  auto* const starts = static_cast<uint64_t*>(of.output.data());
  auto* const flags = static_cast<uint32_t*>(of.rest.data());
  auto* const roles = reinterpret_cast<detail::radix_role*>(flags + 64);
  const int passes = static_cast<int>(sizeof(U));
  const auto one = [&]<class Shape>() {
    of.shape(name_of_tile_shape<Shape>() + ", copies " + std::to_string(Shape::copies), [&] {
      check(cudaMemsetAsync(starts, 0, sizeof(U) * detail::radix_digits * 8, of.stream()), "cudaMemsetAsync");
      check(cudaMemsetAsync(flags, 0, 8, of.stream()), "cudaMemsetAsync");
      detail::launch_radix_histogram<U, Shape>(of.stream(), {keys.data,
                                                             keys.length,
                                                             {},
                                                             {0, 8 * passes},
                                                             {passes, 1, detail::radix_step_rule::any_parity},
                                                             false,
                                                             starts,
                                                             flags,
                                                             flags + 1,
                                                             roles});
    });
  };
  (one.template operator()<Shapes>(), ...);
}

// Shapes as types with short names: threads, keys a thread, blocks a multiprocessor, window of the look-back.
using detail::radix_ranking;
using detail::radix_shape;
inline constexpr unsigned early = detail::radix_counts_first | detail::radix_staging_apart;
template <int Threads, int Keys, int Blocks, int Window>
using by_votes = radix_shape<Threads, Keys, radix_ranking::votes, Blocks, detail::radix_plain, Window>;
template <int Threads, int Keys, int Blocks, int Window>
using by_groups = radix_shape<Threads, Keys, radix_ranking::votes_in_groups, Blocks, detail::radix_plain, Window>;
template <int Threads, int Keys, int Blocks, int Window>
using by_words = radix_shape<Threads, Keys, radix_ranking::shared_words, Blocks, detail::radix_plain, Window>;
template <int Threads, int Keys, int Blocks, int Window>
using early_words = radix_shape<Threads, Keys, radix_ranking::shared_words, Blocks, early, Window>;

}  // namespace

std::size_t scratch_of_sorts(uint64_t items) {
  using smallest = radix_shape<256, 12>;
  return detail::radix_scratch_bytes<uint64_t, uint32_t, smallest>(items, detail::radix_target::other_range);
}

void compare_sorts(comparison& of) {
  using detail::no_value;
  using detail::radix_histogram_shape;
  histogram_shapes<uint32_t, radix_histogram_shape<256, 4, 4>, radix_histogram_shape<256, 4, 4, 2>,
                   radix_histogram_shape<256, 4, 4, 4>, radix_histogram_shape<512, 4, 4>,
                   radix_histogram_shape<256, 2, 4>, radix_histogram_shape<256, 8, 4>>(of, "histogram, u32");
  histogram_shapes<uint64_t, radix_histogram_shape<256, 4, 2>, radix_histogram_shape<256, 4, 2, 2>,
                   radix_histogram_shape<512, 4, 2>>(of, "histogram, u64");

  const auto of_u32_keys = [&](const char* name) {
    sort_shapes<uint32_t, no_value, radix_shape<384, 16>, by_votes<384, 16, 3, 4>, by_votes<384, 16, 3, 8>,
                by_votes<256, 16, 5, 8>, by_votes<384, 20, 3, 8>, by_votes<512, 20, 2, 8>, by_votes<1024, 16, 1, 8>,
                by_groups<384, 16, 3, 8>, by_groups<512, 16, 2, 8>, by_groups<512, 20, 2, 8>, by_groups<256, 16, 4, 8>,
                by_words<384, 16, 3, 4>, by_words<384, 16, 3, 8>, by_words<256, 16, 4, 8>, by_words<256, 16, 5, 8>,
                by_words<384, 20, 3, 8>, by_words<512, 16, 2, 8>, by_words<512, 20, 2, 8>, by_words<1024, 16, 1, 8>,
                early_words<512, 20, 2, 4>, early_words<384, 16, 4, 4>>(of, name);
  };
  of_u32_keys("sort, u32");
  sort_shapes<uint32_t, uint32_t, radix_shape<384, 14>, by_votes<384, 14, 2, 8>, by_votes<384, 16, 2, 8>,
              by_words<384, 14, 2, 8>, by_words<384, 16, 2, 8>, by_words<512, 12, 2, 8>, by_words<256, 16, 3, 8>,
              by_groups<384, 12, 2, 8>>(of, "sort, u32 with u32 positions");
  sort_shapes<uint64_t, no_value, radix_shape<512, 10>, by_votes<512, 10, 2, 8>, by_groups<512, 10, 2, 8>,
              by_words<512, 10, 2, 8>, by_words<384, 12, 2, 8>, by_groups<384, 12, 2, 8>, by_words<256, 16, 3, 8>>(
      of, "sort, u64");
  // Skewed keys are what ranking by words has to fear: its atomics on one word queue up.
  keys<uint32_t>(parse_key_spread("0.201")).fill(of.input.data(), of.items(), of.stream());
  of_u32_keys("sort, u32, entropy 0.201 a bit");
  // Nothing to do but a read and a copy.
  for (const char* spread : {"sorted", "constant"}) {
    keys<uint32_t>(parse_key_spread(spread)).fill(of.input.data(), of.items(), of.stream());
    sort_shapes<uint32_t, no_value, radix_shape<384, 16>, by_groups<512, 16, 2, 4>>(of, spread);
  }
}

}  // namespace ballot::bench
