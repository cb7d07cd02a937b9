// SPDX-License-Identifier: Apache-2.0
// How many items fall into each bin.
//
//     ballot::histogram(gpu, cells, cell_of{}, counts);  // a bin function
//     // Bits of a key.
//     ballot::histogram(gpu, pixels, ballot::key_digit{.low = 0, .bits = 8}, counts);
//     // Bins of equal width.
//     ballot::histogram(gpu, speeds, ballot::even_bins{0.0f, 10.0f, 100}, counts, outside);
//
// in:       contiguous device range or view, or `counted`, of a trivially copyable T of up to 128
//           bytes
// bin_of:   a function object, callable on the device, from an item to an integer. It is called
//           once for each item. Items whose bin is not 0 to counts.size() - 1 are dropped
// counts:   device range of 1 to 2^31 integers of 4 or 8 bytes, signed or not: one for each bin.
//           Also written for n = 0
// outside:  device address (or device_value) of one such integer: how many items were dropped.
//           Optional. A dropped item is no error, because only the device knows of it, and a call
//           does not wait for the device
//
// Outputs must not overlap any other argument, including a device-side length. Exact and
// deterministic. No scratch.
//
// Work on the stream: a fill of the counts, a fill of `outside` if it is wanted, and one kernel. No
// kernel for n = 0.
//
// Bytes moved: each item is read once. Up to 2^16 bins are counted in shared memory if there are
// many more items than bins. The time then hardly depends on how the items are spread over the
// bins. Otherwise the counts are in device memory, except those of bins that many items share.
//
// Errors, before any work: invalid_argument for null with n > 0, no bins or too many, too small a
// type of counts, or overlap. cuda_error from a launch.
//
// Sources: Podlozhnyuk, Histogram calculation in CUDA, 2007. For one atomic per group of equal bins
// in a warp: Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics, 2014.
#pragma once

#include <ballot/core/arithmetic.hpp>
#include <ballot/core/exec.hpp>
#include <ballot/core/key_order.hpp>
#include <ballot/core/namespace.hpp>
#include <ballot/detail/common/table_arguments.cuh>
#include <ballot/detail/common/table_checks.cuh>
#include <ballot/detail/histogram/launch.cuh>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ballot {

/// A bin function: bits [low, low + bits) of a key's ordered bits (core/key_order.hpp), at most 31
/// of them.
struct key_digit {
  /// The lowest of the bits.
  int low = 0;
  /// How many bits: there are 2^bits bins.
  int bits = 8;

  /// The bin of a key.
  template <radix_key K>
  BALLOT_HOST_DEVICE std::uint32_t operator()(const K& key) const {
    return static_cast<std::uint32_t>(ordered_bits(key) >> low) & ((std::uint32_t{1} << bits) - 1u);
  }
};

/// A bin function: `bins` bins of equal width, from `lower` (inclusive) to `upper` (exclusive).
/// Items outside this range, and NaNs, have no bin. The bin of an integer is exact. The bin of a
/// float is (item - lower) times bins / (upper - lower), in the arithmetic of T. If that factor is
/// not finite, the item is divided by the width first.
template <class T>
  requires std::is_arithmetic_v<T>
struct even_bins {
  /// Where the first bin begins (inclusive).
  T lower;
  /// Where the last bin ends (exclusive).
  T upper;
  /// How many bins there are.
  std::uint32_t bins;

  /// The bin of an item, or -1.
  BALLOT_HOST_DEVICE std::int64_t operator()(const T& item) const {
    if (!(item >= lower && item < upper)) return -1;
    if constexpr (std::is_floating_point_v<T>) {
      const auto is_finite = [](T x) { return x - x == T(0); };
      const T width = upper - lower, bins_a_unit = static_cast<T>(bins) / width, half = T(0.5);
      T place = (item - lower) * bins_a_unit;
      if (!is_finite(width))  // by halves, which lose nothing of such large numbers
        place = (item * half - lower * half) * (static_cast<T>(bins) / (upper * half - lower * half));
      else if (!is_finite(bins_a_unit)) place = (item - lower) / width * static_cast<T>(bins);
      const auto bin = static_cast<std::int64_t>(place);
      return bin < bins ? bin : static_cast<std::int64_t>(bins) - 1;  // rounded up to the end
    } else {
      // Differences modulo 2^64. The quotient of doubles is off by at most one.
      const auto from = static_cast<std::uint64_t>(lower);
      const std::uint64_t offset = static_cast<std::uint64_t>(item) - from;
      const std::uint64_t width = static_cast<std::uint64_t>(upper) - from;
      if (width >> 62 != 0)
        return static_cast<std::int64_t>(static_cast<detail::unsigned_of_128_bits>(offset) * bins / width);
      auto bin = static_cast<std::int64_t>(static_cast<double>(offset) *
                                           (static_cast<double>(bins) / static_cast<double>(width)));
      const auto rest = static_cast<std::int64_t>(offset * bins - static_cast<std::uint64_t>(bin) * width);
      if (rest < 0) --bin;
      else if (rest >= static_cast<std::int64_t>(width)) ++bin;
      return bin;
    }
  }
};

namespace detail {

template <class In, class BinOf, class Counts>
using histogram_checks =
    checks<input_or_view_check<In>, bucket_check<BinOf, item_list<known_item_t<In>>>, output_counts_check<Counts>>;

}  // namespace detail

template <input_range_or_view In, integer_of<detail::item_t<In>> BinOf, output_range_of_counts Counts>
void histogram(const exec& where, const In& in, const BinOf& bin_of, Counts&& counts, device_count outside = {}) {
  using namespace detail;
  constexpr const char* function = "histogram";
  const auto from = as_input(in);
  const auto to = as_output(counts);
  const device_count all(to.data);
  if (to.size < 1 || to.size > most_bins)
    fail(function, joined({"`counts` has ", decimal(to.size), " items, bins are 1 to ", decimal(most_bins)}));
  require_counts_fit(function, "counts", all.type(), from.capacity());
  if (outside.address() != nullptr) require_count(function, "outside", outside, from.capacity());
  require_arguments(function, where, 0, {argument_of("counts", to), argument_of("outside", outside)},
                    {arguments_of("in", from), argument_of("in.length", from.length)});
  require_items_of_view(function, "in", from);
  const auto bins = static_cast<std::uint32_t>(to.size);
  const auto plan = histogram_plan::of(from.capacity(), bins, simt::shared_bytes_limit() - sizeof(histogram_storage));
  launch_histogram(where.stream(), plan, from, bin_of, all, bins, outside);
}
template <class In, class BinOf, class Counts>
  requires(!detail::histogram_checks<In, BinOf, Counts>::ok)
void histogram(const exec&, const In&, const BinOf&, Counts&&, device_count = {}) {
  detail::histogram_checks<In, BinOf, Counts>::failing::explain();
}

}  // namespace ballot
