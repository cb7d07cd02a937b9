// SPDX-License-Identifier: Apache-2.0
// cub::DeviceRunLengthEncode over ballot's run lengths: Encode. NonTrivialRuns is CUB's.
#pragma once

#include <ballot/adapters/cub/call.cuh>
#include <ballot/adapters/cub/input.cuh>
#include <ballot/unique.cuh>

#include <cub/device/device_run_length_encode.cuh>

namespace ballot::adapters::calls {

struct DeviceRunLengthEncode {
  template <class In, class Out, detail::count_integer Length, detail::count_integer Count, std::integral N>
    requires(std::is_same_v<detail::item_of<In>, Out> && detail::plain<Out> && sizeof(Out) <= 128 &&
             relation_of<equal_to, Out>)
  static cudaError_t Encode(void* temporary, std::size_t& bytes, In in, Out* values, Length* lengths, Count* runs,
                            N items, cudaStream_t stream = nullptr) {
    const std::uint64_t n = detail::items_of(items);
    return detail::two_phases(
        temporary, bytes, [&] { return run_length_encode_scratch_bytes<Out, Length>(n); }, stream,
        [&](const exec& where) {
          run_length_encode(where, detail::input_of(in, n),
                            detail::output_before(values, n, {detail::address_read(in), lengths, runs, temporary}),
                            detail::output_before(lengths, n, {detail::address_read(in), values, runs, temporary}),
                            runs);
        });
  }
};

}  // namespace ballot::adapters::calls

namespace ballot::adapters::cub {

/// cub::DeviceRunLengthEncode, by ballot where it can: Encode.
struct DeviceRunLengthEncode : ::cub::DeviceRunLengthEncode {
  BALLOT_ADAPTERS_CALL(DeviceRunLengthEncode, Encode)
  BALLOT_ADAPTERS_CUB_CALL(DeviceRunLengthEncode, NonTrivialRuns)
};

}  // namespace ballot::adapters::cub
