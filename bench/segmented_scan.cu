// SPDX-License-Identifier: Apache-2.0
// Inclusive sums that start anew in every segment: segments by byte flags, by bit flags and by
// offsets, each in the spreads of segments.hpp.
//
// CUB and Thrust have this by key. Their keys are made beforehand and not timed: the numbers of the
// segments modulo 256, in one byte, the smallest key that tells neighbours apart. So they read as
// much as ours reads by byte flags.
// Bytes: items read and written, and what ours reads of the segments.
#include <ballot/core/namespace.hpp>

#include "contenders.cuh"
#include "inputs.hpp"
#include "operations.hpp"
#include "segments.hpp"

#include <ballot/segmented_scan.cuh>

#include <thrust/scan.h>
#include <cub/device/device_scan.cuh>

namespace ballot::bench {
inline namespace BALLOT_BENCH_PEER {
namespace {

using T = std::int32_t;
using key = std::uint8_t;

operation by(const char* what, double segment_bytes, segment_spread spread, source segments, contender ours) {
  operation task{.name = std::string("segmented_scan_") + what + ":" + name_of(spread),
                 .bytes_per_item = 2 * sizeof(T) + segment_bytes,
                 .input = small_numbers<T>(),
                 .second_input = std::move(segments),
                 .third_input = segment_numbers<key>(spread),
                 .output_bytes = sizeof(T)};
  task.contenders.push_back(by_cub([](void* temporary, std::size_t& bytes, const arrays& a) {
    return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, a.third_in<key>(), a.in<T>(), a.out<T>(), a.length(),
                                              ::cuda::std::equal_to<>{}, a.stream);
  }));
  task.contenders.push_back(std::move(ours));
  contender thrust_ = by_thrust([](const auto& policy, const arrays& a) {
    const key* keys = a.third_in<key>();
    thrust::inclusive_scan_by_key(policy, keys, keys + a.n, a.in<T>(), a.out<T>());
    return count_on_host{};
  });
  thrust_.waits = true;  // it need not, but promises no capture either
  task.contenders.push_back(std::move(thrust_));
  return task;
}

template <class Segments>
contender ballot_by_flags(Segments segments) {
  return by_ballot(
      [](std::uint64_t n) { return segmented_scan_scratch_bytes<T>(n); },
      [=](const auto& gpu, const arrays& a) { segmented_inclusive_scan(gpu, in<T>(a), segments(a), out<T>(a)); });
}

contender ballot_by_offsets(segment_spread spread) {
  return by_ballot([](std::uint64_t n) { return segmented_scan_by_offsets_scratch_bytes<T>(n); },
                   [=](const auto& gpu, const arrays& a) {
                     const std::span begins(a.second_in<std::uint32_t>(), segments_of(spread, a.n));
                     segmented_inclusive_scan(gpu, in<T>(a), segment_offsets{begins}, out<T>(a));
                   });
}

}  // namespace

void add_segmented_scans(std::vector<operation>& all) {
  using enum segment_spread;
  for (const segment_spread spread : {one, tiny, mean_1000, mixed}) {
    all.push_back(by("bytes", 1, spread, byte_heads(spread),
                     ballot_by_flags([](const arrays& a) { return byte_flags{second_in<std::uint8_t>(a)}; })));
    all.push_back(by("bits", 1.0 / 8, spread, bit_heads(spread), ballot_by_flags([](const arrays& a) {
                       return bit_flags{{a.second_in<std::uint32_t>(), a.n / 32 + (a.n % 32 != 0)}};
                     })));
    all.push_back(by("offsets", sizeof(std::uint32_t) * segments_an_item(spread), spread, segment_begins(spread),
                     ballot_by_offsets(spread)));
  }
}

}  // namespace BALLOT_BENCH_PEER
}  // namespace ballot::bench
