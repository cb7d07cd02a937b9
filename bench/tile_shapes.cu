// What the tuning tables are made from: one operation under several tile shapes, each checked against the first, beside
// the copy.
//
//     ballot_tile_shapes [LOG2_ITEMS [OPERATION]]     28 where none is given; the operations whose names hold OPERATION
//
// Prints a line a shape: the median of nine calls (stopwatch.hpp), GB/s, share of the speed of a copy of as many bytes.
// Shapes to try are written here; the best goes into detail/tuning_*.cuh or device/scan.cuh with what was measured.
#include <ballot/core/namespace.hpp>

#include <ballot/ballot.cuh>

#include "equality.hpp"
#include "inputs.hpp"
#include "stopwatch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace ballot::bench {
namespace {

using detail::rejects;
using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::uint8_t;

class comparison {
 public:
  comparison(uint64_t items, std::size_t bytes_of_input, std::size_t bytes_of_scratch, std::string_view wanted)
      : items_(items),
        wanted_(wanted),
        watch_((check(cudaStreamCreate(&stream_), "cudaStreamCreate"), stream_)),
        input(bytes_of_input),
        output(bytes_of_input),
        rest(bytes_of_input),
        count(256),
        reference_(bytes_of_input),
        scratch_(bytes_of_scratch) {}

  exec where() const {
    return exec(stream_, std::span<std::byte>(static_cast<std::byte*>(scratch_.data()), scratch_.size()));
  }
  cudaStream_t stream() const { return stream_; }
  uint64_t items() const { return items_; }

  // A first line: what the others are measured by. False: this operation is not asked for.
  bool begin(const char* operation, std::size_t bytes_moved) {
    if (std::string_view(operation).find(wanted_) == std::string_view::npos) return false;
    bytes_ = bytes_moved;
    has_reference_ = false;
    copy_ = median([&] {
      check(cudaMemcpyAsync(output.data(), input.data(), bytes_ / 2, cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
    });
    std::printf("%s, %llu items: copy %.1f us, %.0f GB/s\n", operation, static_cast<unsigned long long>(items_),
                copy_ * 1e6, static_cast<double>(bytes_) / copy_ * 1e-9);
    return true;
  }
  template <class Run>
  void shape(const std::string& name, Run&& run) {
    check_answer(name, run);
    const double seconds = median(run);
    std::printf("  %-28s %9.1f us %6.0f GB/s  %.3f of copy\n", name.c_str(), seconds * 1e6,
                static_cast<double>(bytes_) / seconds * 1e-9, copy_ / seconds);
    std::fflush(stdout);
  }

 private:
  template <class Run>
  void check_answer(const std::string& name, Run&& run) {
    check(cudaMemsetAsync(output.data(), 0x5a, output.size(), stream_), "cudaMemsetAsync");
    run();
    if (!has_reference_) {
      check(cudaMemcpyAsync(reference_.data(), output.data(), output.size(), cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync");
      has_reference_ = true;
    } else if (const auto at = first_difference(output.data(), reference_.data(), output.size(), stream_)) {
      throw std::runtime_error(name + ": another answer than the first shape's, at byte " + std::to_string(*at));
    }
  }
  template <class Run>
  double median(Run&& run) {
    std::vector<double> seconds;
    for (int i = 0; i < 9; ++i) seconds.push_back(watch_.call(nullptr, run, bytes_));
    std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
    return seconds[4];
  }

  uint64_t items_;
  std::string_view wanted_;
  cudaStream_t stream_ = nullptr;
  stopwatch watch_;
  std::size_t bytes_ = 0;
  double copy_ = 0;
  bool has_reference_ = false;

 public:
  device_memory input, output, rest, count;

 private:
  device_memory reference_, scratch_;
};

// LookBack: detail::scan_look_back or detail::reproducible_look_back. Only sums that are the same however they are
// grouped can be compared between shapes: floats take one shape.
template <class T, template <class> class LookBack, class... Shapes>
void scan_shapes(comparison& of, const char* name) {
  const detail::scan_call<T, device::item_source<T>, plus> call{{static_cast<const T*>(of.input.data())},
                                                                {of.items(), nullptr},
                                                                {static_cast<T*>(of.output.data()), of.items()},
                                                                T{},
                                                                plus{},
                                                                {},
                                                                "tile_shapes"};
  if (!of.begin(name, 2 * sizeof(T) * of.items())) return;
  const auto one = [&]<class Shape>() {
    of.shape(std::to_string(Shape::threads) + " threads, " + std::to_string(Shape::chunks) + " x " +
                 std::to_string(Shape::width),
             [&] {
               detail::launch_scan_tiles<device::scan_kind::exclusive, Shape, LookBack<T>>(
                   of.where(), of.where().scratch().data(), call);
             });
  };
  (one.template operator()<Shapes>(), ...);
}

template <rejects Rejects, detail::placing Placing, class... Shapes>
void partition_shapes(comparison& of, const char* name, double bytes_per_item) {
  using T = uint32_t;
  auto* const out = static_cast<T*>(of.output.data());
  auto* const rest = Rejects == rejects::after_kept ? out : static_cast<T*>(of.rest.data());
  const std::span<const T> in(static_cast<const T*>(of.input.data()), of.items());
  const std::tuple kept(detail::output<T>{out, of.items()}), rejected(detail::output<T>{rest, of.items()});
  if (!of.begin(name, static_cast<std::size_t>(bytes_per_item * static_cast<double>(of.items())))) return;
  const auto one = [&]<class Shape>() {
    of.shape(std::to_string(Shape::threads) + " threads, " + std::to_string(Shape::chunks) + " x " +
                 std::to_string(Shape::width),
             [&] {
               detail::select_items<Rejects, Shape, Placing>(of.where(), detail::as_inputs(in), is_kept{}, kept,
                                                             rejected, static_cast<uint64_t*>(of.count.data()),
                                                             "tile_shapes");
             });
  };
  (one.template operator()<Shapes>(), ...);
}

struct low_bits {
  unsigned mask;
  __device__ unsigned operator()(uint32_t key) const { return key & mask; }
};

template <class... Shapes>
void multisplit_shapes(comparison& of, const char* name, unsigned buckets) {
  using T = uint32_t;
  const std::tuple inputs = detail::as_inputs(std::span(static_cast<const T*>(of.input.data()), of.items()));
  const std::tuple out(detail::output<T>{static_cast<T*>(of.output.data()), of.items()});
  const device_memory offsets((buckets + 1) * sizeof(uint64_t));
  if (!of.begin(name, 8 * of.items())) return;
  const auto one = [&]<class Shape>() {
    of.shape(std::to_string(Shape::threads) + " threads, " + std::to_string(Shape::chunks) + " items", [&] {
      detail::launch_multisplit<Shape>(of.where(), detail::length_of(inputs),
                                       detail::make_columns<1>(inputs, out, std::tuple()),
                                       detail::make_buckets(low_bits{buckets - 1}, inputs), buckets,
                                       static_cast<uint64_t*>(offsets.data()), "tile_shapes");
    });
  };
  (one.template operator()<Shapes>(), ...);
}

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
    of.shape(std::to_string(Shape::threads) + " threads, " + std::to_string(Shape::chunks) + " x " +
                 std::to_string(Shape::width) + ", copies " + std::to_string(Shape::copies),
             [&] {
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

void compare_sorts(comparison& of, uint64_t n) {
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
  keys<uint32_t>(parse_key_spread("0.201")).fill(of.input.data(), n, of.stream());
  of_u32_keys("sort, u32, entropy 0.201 a bit");
  // Nothing to do but a read and a copy.
  for (const char* spread : {"sorted", "constant"}) {
    keys<uint32_t>(parse_key_spread(spread)).fill(of.input.data(), n, of.stream());
    sort_shapes<uint32_t, no_value, radix_shape<384, 16>, by_groups<512, 16, 2, 4>>(of, spread);
  }
}

void compare(int log2_items, std::string_view wanted) {
  const uint64_t n = uint64_t{1} << log2_items;
  using smallest = detail::radix_shape<256, 12>;
  comparison of(n, 8 * n,
                detail::radix_scratch_bytes<uint64_t, uint32_t, smallest>(n, detail::radix_target::other_range),
                wanted);
  keys<uint64_t>(key_spread{}).fill(of.input.data(), n, of.stream());

  using block::tile_shape;
  using detail::reproducible_look_back;
  using detail::scan_look_back;
  scan_shapes<uint32_t, scan_look_back, tile_shape<256, 6, 4>, tile_shape<256, 8, 4>, tile_shape<128, 8, 4>,
              tile_shape<128, 12, 4>>(of, "exclusive scan, u32");
  scan_shapes<uint64_t, scan_look_back, tile_shape<256, 6, 2>, tile_shape<256, 8, 2>, tile_shape<128, 8, 2>,
              tile_shape<128, 12, 2>, tile_shape<96, 12, 2>>(of, "exclusive scan, u64");
  scan_shapes<uint8_t, scan_look_back, tile_shape<256, 4, 16>, tile_shape<256, 6, 16>, tile_shape<128, 8, 16>,
              tile_shape<128, 12, 16>>(of, "exclusive scan, u8");
  scan_shapes<uint16_t, scan_look_back, tile_shape<256, 4, 8>, tile_shape<256, 6, 8>, tile_shape<128, 8, 8>>(
      of, "exclusive scan, u16");
  scan_shapes<uint32_t, reproducible_look_back, tile_shape<256, 6, 4>, tile_shape<256, 8, 4>, tile_shape<128, 12, 4>>(
      of, "exclusive scan over a tree, u32");
  scan_shapes<uint64_t, reproducible_look_back, tile_shape<256, 6, 2>, tile_shape<128, 12, 2>>(
      of, "exclusive scan over a tree, u64");
  scan_shapes<float, reproducible_look_back, detail::reproducible_scan_shape<float>>(of,
                                                                                     "exclusive scan over a tree, f32");
  using detail::placing;
  partition_shapes<rejects::dropped, placing::look_back, tile_shape<256, 6, 4>, tile_shape<128, 6, 4>,
                   tile_shape<128, 8, 4>, tile_shape<128, 12, 4>, tile_shape<64, 12, 4>>(of, "compact, u32, half kept",
                                                                                         6);
  partition_shapes<rejects::second_output, placing::look_back, tile_shape<256, 4, 4>, tile_shape<128, 6, 4>,
                   tile_shape<128, 8, 4>, tile_shape<64, 8, 4>, tile_shape<128, 10, 4>>(of, "split, u32, two outputs",
                                                                                        8);
  partition_shapes<rejects::after_kept, placing::counted, tile_shape<256, 6, 4>, tile_shape<128, 6, 4>,
                   tile_shape<128, 8, 4>, tile_shape<64, 8, 4>>(of, "split, u32, one output, tiles counted", 8);
  for (const unsigned buckets : {2u, 8u, 32u, 256u})
    multisplit_shapes<tile_shape<256, 8, 1>, tile_shape<256, 12, 1>, tile_shape<256, 16, 1>, tile_shape<512, 12, 1>>(
        of, ("multisplit, u32, buckets " + std::to_string(buckets)).c_str(), buckets);
  compare_sorts(of, n);
}

}  // namespace
}  // namespace ballot::bench

int main(int argc, char** argv) {
  const int log2_items = argc > 1 ? std::atoi(argv[1]) : 28;
  if (argc > 3 || log2_items < 1 || log2_items > 30) {
    std::fprintf(stderr, "usage: ballot_tile_shapes [LOG2_ITEMS [OPERATION]], 1 to 30\n");
    return 2;
  }
  try {
    ballot::bench::compare(log2_items, argc > 2 ? argv[2] : "");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ballot_tile_shapes: %s\n", e.what());
    return 1;
  }
}
