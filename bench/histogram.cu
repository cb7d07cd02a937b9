// SPDX-License-Identifier: Apache-2.0
// Histograms of u32 keys by their top bits: 256 bins and 2^16, of uniform keys, of skewed ones and
// of equal ones. As bins of one width over all 2^32 numbers, by CUB and by ours. `ballot_digits`:
// ours by the keys' digits, which are the same bins and need no division.
// Bytes: each key read.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"

#include <ballot/histogram.cuh>

#include <cub/device/device_histogram.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::uint32_t;

operation of_top_bits(int bits, const std::string& spread) {
  const std::size_t bins = std::size_t{1} << bits;
  operation task{.name = "histogram_" + std::to_string(bins) + (spread == "uniform" ? "" : ":" + spread),
                 .bytes_per_item = sizeof(T),
                 .input = keys<T>(parse_key_spread(spread)),
                 .output_bytes = bins * sizeof(T),
                 .shape = result_shape::one};
  task.contenders.push_back(by_cub([=](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceHistogram::HistogramEven(temporary, bytes, a.in<T>(), a.out<T>(), static_cast<int>(bins) + 1,
                                               std::uint64_t{0}, std::uint64_t{1} << 32, a.length(), a.stream);
  }));
  const auto none = [](std::uint64_t) { return std::size_t{0}; };
  task.contenders.push_back(by_ballot(none, [=](const auto& gpu, const arrays& a) {
    const even_bins<std::uint64_t> even{0, std::uint64_t{1} << 32, static_cast<std::uint32_t>(bins)};
    histogram(gpu, in<T>(a), even, std::span(a.out<T>(), bins));
  }));
#if BALLOT_BENCH_IS_TOOLKIT
  task.contenders.push_back(named("ballot_digits", by_ballot(none, [=](const auto& gpu, const arrays& a) {
                                    histogram(gpu, in<T>(a), key_digit{32 - bits, bits}, std::span(a.out<T>(), bins));
                                  })));
#endif
  return task;
}

}  // namespace

void add_histogram(std::vector<operation>& all) {
  for (const int bits : {8, 16, 20})
    for (const char* spread : {"uniform", "0.201", "few:1"}) all.push_back(of_top_bits(bits, spread));
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
