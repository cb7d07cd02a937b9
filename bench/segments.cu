// SPDX-License-Identifier: Apache-2.0
#include <ballot/core/namespace.hpp>

#include "generated.cuh"
#include "segments.hpp"

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/system/cuda/execution_policy.h>

#include <map>

namespace ballot::bench {
namespace {

// Groups of six items, in which heads are drawn; never three items in a row without one.
constexpr unsigned group_items = 6;
__host__ __device__ bool is_head_in_group(unsigned item, unsigned drawn) {
  bool head = true;
  unsigned length = 1;
  for (unsigned i = 1; i <= item; ++i) {
    head = (drawn >> i & 1) != 0 || length == 3;
    length = head ? 1 : length + 1;
  }
  return head;
}

template <class T>
struct begins_segment {
  segment_spread spread;
  __host__ __device__ T operator()(std::uint64_t i) const {
    if (i == 0) return 1;
    switch (spread) {
      case segment_spread::tiny:
        return is_head_in_group(static_cast<unsigned>(i % group_items),
                                static_cast<unsigned>(word_at(~(i / group_items))));
      case segment_spread::mean_1000:
        return word_at(~i) % 1000 == 0;
      case segment_spread::mixed:
        return (word_at(~i) & ((std::uint64_t{1} << word_at(i >> 16) % 17) - 1)) == 0;
      default:
        return 0;
    }
  }
};

struct heads_of_word {
  begins_segment<bool> head;
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const {
    std::uint32_t bits = 0;
    for (unsigned j = 0; j < 32; ++j) bits |= static_cast<std::uint32_t>(head(32 * i + j)) << j;
    return bits;
  }
};

struct begin_of_row {
  std::uint64_t length;
  __host__ __device__ std::uint32_t operator()(std::uint64_t row) const {
    return static_cast<std::uint32_t>(row * length);
  }
};
template <class T>
struct item_of_run {
  std::uint64_t length;
  __host__ __device__ T operator()(std::uint64_t i) const {
    return static_cast<T>(word_at(i / length) >> (64 - 8 * sizeof(T)));
  }
};

template <class I>
auto positions_from(I first) {
  return thrust::counting_iterator<I>(first);
}

}  // namespace

std::string name_of(segment_spread spread) {
  switch (spread) {
    case segment_spread::one:
      return "one";
    case segment_spread::tiny:
      return "tiny";
    case segment_spread::mean_1000:
      return "mean_1000";
    default:
      return "mixed";
  }
}

double segments_an_item(segment_spread spread) {
  double segments = 0;
  switch (spread) {
    case segment_spread::one:
      return 0;
    case segment_spread::tiny:
      for (unsigned drawn = 0; drawn < 1u << group_items; ++drawn)
        for (unsigned item = 0; item < group_items; ++item) segments += is_head_in_group(item, drawn) ? 1 : 0;
      return segments / (group_items << group_items);
    case segment_spread::mean_1000:
      return 1e-3;
    default:
      for (int e = 0; e <= 16; ++e) segments += 1.0 / static_cast<double>(1 << e);
      return segments / 17;
  }
}

std::uint64_t segments_of(segment_spread spread, std::uint64_t n) {
  static std::map<std::pair<segment_spread, std::uint64_t>, std::uint64_t> known;
  const auto [place, is_new] = known.try_emplace({spread, n});
  if (is_new) {
    const auto first = positions_from<std::uint64_t>(0);
    place->second = static_cast<std::uint64_t>(
        thrust::count_if(thrust::cuda::par, first, first + static_cast<std::int64_t>(n), begins_segment<bool>{spread}));
  }
  return place->second;
}

source byte_heads(segment_spread spread) {
  return generated<std::uint8_t>("byte heads, " + name_of(spread), begins_segment<std::uint8_t>{spread});
}

source bit_heads(segment_spread spread) {
  source words = generated<std::uint32_t>("bit heads, " + name_of(spread), heads_of_word{{spread}});
  const auto count = [](std::uint64_t n) { return n / 32 + (n % 32 != 0); };
  return {words.name, [=](std::uint64_t n) { return words.bytes(count(n)); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) { words.fill(to, count(n), stream); }};
}

source segment_begins(segment_spread spread) {
  return {"begins of segments, " + name_of(spread),
          [=](std::uint64_t n) { return (segments_of(spread, n) + 1) * sizeof(std::uint32_t); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) {
            auto* begins = static_cast<std::uint32_t*>(to);
            const auto first = positions_from<std::uint32_t>(0);
            begins = thrust::copy_if(thrust::cuda::par.on(stream), first, first + static_cast<std::int64_t>(n), begins,
                                     begins_segment<bool>{spread});
            const auto end = static_cast<std::uint32_t>(n);
            check(cudaMemcpyAsync(begins, &end, sizeof end, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
            check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
          }};
}

template <class T>
source segment_numbers(segment_spread spread) {
  return {"numbers of segments of " + std::to_string(8 * sizeof(T)) + " bits, " + name_of(spread),
          [](std::uint64_t n) { return static_cast<std::size_t>(n * sizeof(T)); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) {
            const auto heads =
                thrust::make_transform_iterator(positions_from<std::uint64_t>(0), begins_segment<T>{spread});
            thrust::inclusive_scan(thrust::cuda::par.on(stream), heads, heads + static_cast<std::int64_t>(n),
                                   static_cast<T*>(to));
          }};
}
template source segment_numbers<std::uint8_t>(segment_spread);
template source segment_numbers<std::uint32_t>(segment_spread);

source row_begins(std::uint64_t length) {
  source begins = generated<std::uint32_t>("begins of rows of " + std::to_string(length), begin_of_row{length});
  const auto count = [=](std::uint64_t n) { return n / length + 1; };
  return {begins.name, [=](std::uint64_t n) { return begins.bytes(count(n)); },
          [=](void* to, std::uint64_t n, cudaStream_t stream) { begins.fill(to, count(n), stream); }};
}

template <class T>
source in_runs(std::uint64_t length) {
  return generated<T>("words of " + std::to_string(8 * sizeof(T)) + " bits in runs of " + std::to_string(length),
                      item_of_run<T>{length});
}
template source in_runs<std::uint8_t>(std::uint64_t);
template source in_runs<std::uint64_t>(std::uint64_t);

}  // namespace ballot::bench
