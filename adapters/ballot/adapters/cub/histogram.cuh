// SPDX-License-Identifier: Apache-2.0
// cub::DeviceHistogram over ballot's histograms: HistogramEven and HistogramRange of an array.
// Several channels, and rows with a stride, are CUB's.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/histogram.cuh>

#include <cub/device/device_histogram.cuh>

namespace ballot::adapters::detail {

// Both compare in CUB's types.
template <class Sample, class Level>
struct even_bin_of {
  using common = std::common_type_t<Level, Sample>;
  even_bins<common> bins;
  __host__ __device__ std::int64_t operator()(const Sample& sample) const { return bins(static_cast<common>(sample)); }
};
template <class Sample, class Level>
struct level_bin_of {
  const Level* levels;
  std::uint32_t count;
  __host__ __device__ std::int64_t operator()(const Sample& sample) const {
    const Level level = static_cast<Level>(sample);
    std::uint32_t low = 0, left = count;  // so many levels are not above the sample
    while (left != 0) {
      const std::uint32_t half = left / 2;
      if (!(level < levels[low + half])) low += left - half;
      left = half;
    }
    return low < count ? static_cast<std::int64_t>(low) - 1 : -1;
  }
};

}  // namespace ballot::adapters::detail

namespace ballot::adapters::calls {

struct DeviceHistogram {
 private:
  template <class Sample, class Level>
  static constexpr bool counts =
      std::is_arithmetic_v<Sample> && std::is_arithmetic_v<Level> && !std::same_as<std::remove_const_t<Sample>, bool>;

  template <class Sample, class Counter, class BinOf>
  static cudaError_t by(void* temporary, std::size_t& bytes, const Sample* samples, Counter* histogram, int levels,
                        const BinOf& bin_of, std::uint64_t n, cudaStream_t stream) {
    return detail::two_phases(
        temporary, bytes, [] { return std::size_t{0}; }, stream,
        [&](const exec& where) {
          ballot::histogram(where, std::span(samples, n), bin_of,
                            std::span(histogram, static_cast<std::size_t>(levels < 2 ? 0 : levels - 1)));
        });
  }

 public:
  template <class Sample, detail::count_integer Counter, class Level, std::integral N>
    requires counts<Sample, Level>
  static cudaError_t HistogramEven(void* temporary, std::size_t& bytes, Sample* samples, Counter* histogram, int levels,
                                   Level lower, Level upper, N n, cudaStream_t stream = nullptr) {
    using item = std::remove_const_t<Sample>;
    using bins = detail::even_bin_of<item, Level>;
    return by(temporary, bytes, samples, histogram, levels,
              bins{{static_cast<typename bins::common>(lower), static_cast<typename bins::common>(upper),
                    static_cast<std::uint32_t>(levels < 2 ? 1 : levels - 1)}},
              detail::items_of(n), stream);
  }
  template <class Sample, detail::count_integer Counter, class Level, std::integral N>
    requires counts<Sample, Level>
  static cudaError_t HistogramRange(void* temporary, std::size_t& bytes, Sample* samples, Counter* histogram,
                                    int levels, const Level* level, N n, cudaStream_t stream = nullptr) {
    using item = std::remove_const_t<Sample>;
    return by(temporary, bytes, samples, histogram, levels,
              detail::level_bin_of<item, Level>{level, static_cast<std::uint32_t>(levels < 0 ? 0 : levels)},
              detail::items_of(n), stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceHistogram, by ballot where it can: one channel of an array.
struct DeviceHistogram : ::cub::DeviceHistogram {
  BALLOT_ADAPTERS_CALL(DeviceHistogram, HistogramEven)
  BALLOT_ADAPTERS_CALL(DeviceHistogram, HistogramRange)
#define BALLOT_ADAPTERS_CHANNELS(NAME)                                                                              \
  template <int Channels, int Active, class Storage, class Bytes, class... Arguments>                               \
  static cudaError_t NAME(Storage&& storage, Bytes&& bytes, Arguments... arguments) {                               \
    return NAME##_of<Channels, Active>(static_cast<Storage&&>(storage), static_cast<Bytes&&>(bytes),                \
                                       static_cast<Arguments&&>(arguments)...);                                     \
  }                                                                                                                 \
  template <int Channels, int Active, std::integral Null, class... Arguments>                                       \
  static cudaError_t NAME##_of(Null null, std::size_t& bytes, Arguments&&... arguments) {                           \
    if (null != 0) return cudaErrorInvalidValue;                                                                    \
    return NAME##_of<Channels, Active>(static_cast<void*>(nullptr), bytes, static_cast<Arguments&&>(arguments)...); \
  }                                                                                                                 \
  template <int Channels, int Active, class... Arguments>                                                           \
  static cudaError_t NAME##_of(Arguments&&... arguments) {                                                          \
    if constexpr (detail::ends_in_literal<Arguments...> &&                                                          \
                  !requires { ::cub::DeviceHistogram::NAME<Channels, Active>(std::declval<Arguments>()...); }) {    \
      return detail::with_default_stream(                                                                           \
          [](auto&&... given) -> cudaError_t {                                                                      \
            return NAME##_of<Channels, Active>(static_cast<decltype(given)>(given)...);                             \
          },                                                                                                        \
          static_cast<Arguments&&>(arguments)...);                                                                  \
    } else {                                                                                                        \
      BALLOT_ADAPTERS_CUB_ITSELF(DeviceHistogram, NAME);                                                            \
      return ::cub::DeviceHistogram::NAME<Channels, Active>(static_cast<Arguments&&>(arguments)...);                \
    }                                                                                                               \
  }
  BALLOT_ADAPTERS_CHANNELS(MultiHistogramEven)
  BALLOT_ADAPTERS_CHANNELS(MultiHistogramRange)
#undef BALLOT_ADAPTERS_CHANNELS
};

}  // namespace ballot::adapters::cub
