// SPDX-License-Identifier: Apache-2.0
// cub::DeviceSegmentedReduce over the kernel of ballot's segmented reductions: Sum, Min, Max,
// Reduce, of segments between two arrays of offsets, or of one length. ArgMin and ArgMax go to CUB,
// because their indices count from the begin of the segment.
//
// A caller with offsets does not say how many items there are. So, as in CUB, no segment is spread
// over blocks: a warp takes a segment of up to 4096 items, a block takes a longer one. Segments of
// one length are ballot's rows.
#pragma once

#include <ballot/adapters/cub/reduce.cuh>
#include <ballot/segmented_reduce.cuh>

#include <cub/device/device_segmented_reduce.cuh>

namespace ballot::adapters::detail {

template <class Begin, class End>
struct segments_between {
  const Begin* begins;
  const End* ends;
  std::uint64_t segments;

  __device__ __forceinline__ std::uint64_t count(std::uint64_t) const { return segments; }
  __device__ __forceinline__ ballot::detail::segment_range operator()(std::uint64_t segment, std::uint64_t) const {
    const auto begin = static_cast<std::uint64_t>(begins[segment]), end = static_cast<std::uint64_t>(ends[segment]);
    return {begin, static_cast<std::int64_t>(end - begin) > 0 ? end - begin : 0};
  }
};
// Without an item.
struct empty_segments {
  std::uint64_t segments;

  __device__ __forceinline__ std::uint64_t count(std::uint64_t) const { return segments; }
  __device__ __forceinline__ ballot::detail::segment_range operator()(std::uint64_t, std::uint64_t) const {
    return {0, 0};
  }
};

// In: a range or a view.
template <class In, class Out, class Op, class Segments>
void reduce_segments(cudaStream_t stream, const In& in, Out* out, const Segments& segments, std::uint64_t count,
                     const Op& op, const Out& initial) {
  using namespace ballot::detail;
  using values = device::items_as<Out>;
  if (count == 0) return;
  const auto applied = as_operator<Out>(op);
  using applied_op = std::remove_const_t<decltype(applied)>;
  const auto source = source_of_input(as_input(in));
  using source_type = std::remove_const_t<decltype(source)>;
  const segmented_reduce_arguments<source_type, Segments, applied_op, Out> arguments{
      source,   {std::uint64_t{1} << 62},
      segments, count,
      applied,  initial,
      out,      device::is_vector_aligned<1>(source),
      {},       {}};
  constexpr unsigned lanes = simt::warp_size;  // of a segment
  simt::launch(reduce_segments_kernel<values, source_type, Segments, applied_op>,
               simt::launch_config{dim3(tile_count(count, segment_threads / lanes, "segmented_reduce")),
                                   dim3(segment_threads), sizeof(segmented_reduce_storage<Out>), stream},
               arguments, lanes);
}

}  // namespace ballot::adapters::detail

namespace ballot::adapters::calls {

struct DeviceSegmentedReduce {
 private:
  template <class In, class Out, class Op, class Initial>
  static constexpr bool reduces = detail::takes_sums<Out, Op, Initial, In, 16>;
  template <class T>
  static constexpr bool is_offset =
      std::integral<T> && !std::same_as<std::remove_const_t<T>, bool> && (sizeof(T) == 4 || sizeof(T) == 8);

  template <class In, class Out, class Begin, class End, class Op, class Initial>
  static cudaError_t by(void* temporary, std::size_t& bytes, const In& in, Out* out, std::int64_t segments,
                        const Begin* begins, const End* ends, const Op& op, const Initial& initial,
                        cudaStream_t stream) {
    const std::uint64_t count = detail::items_of(segments);
    return detail::two_phases(
        temporary, bytes, [] { return std::size_t{0}; }, stream,
        [&](const exec&) {
          // The number of items is not known, so nothing about the input is checked.
          const ballot::detail::argument offsets[] = {{"begins", begins, count * sizeof(Begin)},
                                                      {"ends", ends, count * sizeof(End)}};
          const ballot::detail::argument results[] = {{"out", out, count * sizeof(Out)}};
          ballot::detail::require_not_null("segmented_reduce", offsets);
          ballot::detail::require_not_null("segmented_reduce", results);
          ballot::detail::require_apart("segmented_reduce", results, offsets);
          detail::reduce_segments(stream, detail::input_of(in, 0), out,
                                  detail::segments_between<Begin, End>{begins, ends, count}, count,
                                  detail::operator_for<Out>(op), static_cast<Out>(initial));
        });
  }
  template <class In, class Out, class Op, class Initial>
  static cudaError_t by_length(void* temporary, std::size_t& bytes, const In& in, Out* out, std::int64_t segments,
                               int items, const Op& op, const Initial& initial, cudaStream_t stream) {
    const std::uint64_t count = detail::items_of(segments), length = detail::items_of(items), n = count * length;
    return detail::two_phases(
        temporary, bytes, [&] { return segmented_reduce_scratch_bytes<Out>(n); }, stream,
        [&](const exec& where) {
          const auto by = detail::operator_for<Out>(op);
          const Out first = static_cast<Out>(initial);
          if (n == 0)
            detail::reduce_segments(stream, detail::input_of(in, 0), out, detail::empty_segments{count}, count, by,
                                    first);
          else segmented_reduce(where, detail::input_of(in, n), row_length{length}, first, by, std::span(out, count));
        });
  }

 public:
#define BALLOT_ADAPTERS_SEGMENTED(NAME, CONDITION, OP, INITIAL)                                                       \
  template <class In, class Out, class Begin, class End>                                                              \
    requires(CONDITION && is_offset<Begin> && is_offset<End>)                                                         \
  static cudaError_t NAME(void* temporary, std::size_t& bytes, In in, Out* out, std::int64_t segments, Begin* begins, \
                          End* ends, cudaStream_t stream = nullptr) {                                                 \
    return by(temporary, bytes, in, out, segments, begins, ends, OP, INITIAL, stream);                                \
  }                                                                                                                   \
  template <class In, class Out>                                                                                      \
    requires(CONDITION)                                                                                               \
  static cudaError_t NAME(void* temporary, std::size_t& bytes, In in, Out* out, std::int64_t segments, int items,     \
                          cudaStream_t stream = nullptr) {                                                            \
    return by_length(temporary, bytes, in, out, segments, items, OP, INITIAL, stream);                                \
  }
#define BALLOT_ADAPTERS_SUMS detail::reads<In> && (reduces<detail::item_of<In>, Out, ::cuda::std::plus<>, Out>)
#define BALLOT_ADAPTERS_NUMBERS (std::is_same_v<detail::item_of<In>, Out> && std::is_arithmetic_v<Out>)
  BALLOT_ADAPTERS_SEGMENTED(Sum, BALLOT_ADAPTERS_SUMS, ::cuda::std::plus<>{}, Out{})
  BALLOT_ADAPTERS_SEGMENTED(Min, BALLOT_ADAPTERS_NUMBERS, ::cuda::minimum<>{}, std::numeric_limits<Out>::max())
  BALLOT_ADAPTERS_SEGMENTED(Max, BALLOT_ADAPTERS_NUMBERS, ::cuda::maximum<>{}, std::numeric_limits<Out>::lowest())
#undef BALLOT_ADAPTERS_NUMBERS
#undef BALLOT_ADAPTERS_SUMS
#undef BALLOT_ADAPTERS_SEGMENTED

  template <class In, class Out, class Begin, class End, class Op, class Initial>
    requires(detail::reads<In> && reduces<detail::item_of<In>, Out, Op, Initial> && is_offset<Begin> && is_offset<End>)
  static cudaError_t Reduce(void* temporary, std::size_t& bytes, In in, Out* out, std::int64_t segments, Begin* begins,
                            End* ends, Op op, Initial initial, cudaStream_t stream = nullptr) {
    return by(temporary, bytes, in, out, segments, begins, ends, op, initial, stream);
  }
  template <class In, class Out, class Op, class Initial>
    requires(detail::reads<In> && reduces<detail::item_of<In>, Out, Op, Initial>)
  static cudaError_t Reduce(void* temporary, std::size_t& bytes, In in, Out* out, std::int64_t segments, int items,
                            Op op, Initial initial, cudaStream_t stream = nullptr) {
    return by_length(temporary, bytes, in, out, segments, items, op, initial, stream);
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceSegmentedReduce, by ballot where it can: sums, minima and maxima, and reductions
/// by an operator.
struct DeviceSegmentedReduce : ::cub::DeviceSegmentedReduce {
  BALLOT_ADAPTERS_CALL(DeviceSegmentedReduce, Reduce)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedReduce, Sum)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedReduce, Min)
  BALLOT_ADAPTERS_CALL(DeviceSegmentedReduce, Max)
  BALLOT_ADAPTERS_CUB_CALL(DeviceSegmentedReduce, ArgMin)
  BALLOT_ADAPTERS_CUB_CALL(DeviceSegmentedReduce, ArgMax)
};

}  // namespace ballot::adapters::cub
