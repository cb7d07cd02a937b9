// SPDX-License-Identifier: Apache-2.0
// Scans of arrays, within segments and of rows, and offsets. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>
#include <libballot/options.hpp>

#include <cstdint>

namespace libballot {
inline namespace BALLOT_CALLS {

template <class In, class Out>
ballot_status inclusive_scan(const exec& where, const In& in, ballot_operator op, const Out& out,
                             const ballot_scan_options& options = forward()) {
  return checked(ballot_inclusive_scan(where, libballot::as_array(in), op, libballot::as_array(out), &options));
}
/// From the operator's identity.
template <class In, class Out>
ballot_status exclusive_scan(const exec& where, const In& in, ballot_operator op, const Out& out,
                             const ballot_scan_options& options = forward()) {
  return checked(
      ballot_exclusive_scan(where, libballot::as_array(in), nullptr, op, libballot::as_array(out), &options));
}
/// From an initial value of the output's type, or from a value at a device address.
template <class In, class T, class Out>
ballot_status inclusive_scan_from(const exec& where, const In& in, const T& initial, ballot_operator op, const Out& out,
                                  const ballot_scan_options& options = forward()) {
  const ballot_array to = libballot::as_array(out);
  const void* const value = to.type == code<T>() ? &initial : nullptr;  // of another type: refused
  return checked(ballot_inclusive_scan_from(where, libballot::as_array(in), value, 0, op, to, &options));
}
template <class In, class T, class Out>
ballot_status exclusive_scan_from(const exec& where, const In& in, const T& initial, ballot_operator op, const Out& out,
                                  const ballot_scan_options& options = forward()) {
  const ballot_array to = libballot::as_array(out);
  const void* const value = to.type == code<T>() ? &initial : nullptr;
  return checked(ballot_exclusive_scan_from(where, libballot::as_array(in), value, 0, op, to, &options));
}
template <class In, class T, class Out>
ballot_status inclusive_scan_from_device(const exec& where, const In& in, const T* initial, ballot_operator op,
                                         const Out& out, const ballot_scan_options& options = forward()) {
  const ballot_array to = libballot::as_array(out);
  const void* const value = to.type == code<T>() ? initial : nullptr;
  return checked(ballot_inclusive_scan_from(where, libballot::as_array(in), value, 1, op, to, &options));
}
template <class In, class T, class Out>
ballot_status exclusive_scan_from_device(const exec& where, const In& in, const T* initial, ballot_operator op,
                                         const Out& out, const ballot_scan_options& options = forward()) {
  const ballot_array to = libballot::as_array(out);
  const void* const value = to.type == code<T>() ? initial : nullptr;
  return checked(ballot_exclusive_scan_from(where, libballot::as_array(in), value, 1, op, to, &options));
}
template <class In, class Out>
ballot_status counts_to_offsets(const exec& where, const In& counts, const Out& offsets) {
  return checked(ballot_counts_to_offsets(where, libballot::as_array(counts), libballot::as_array(offsets)));
}
template <class In, class Out>
ballot_status segmented_inclusive_scan(const exec& where, const In& in, const ballot_segments& segments,
                                       ballot_operator op, const Out& out, std::int32_t order = BALLOT_FORWARD) {
  return checked(
      ballot_segmented_inclusive_scan(where, libballot::as_array(in), segments, op, libballot::as_array(out), order));
}
template <class In, class Out>
ballot_status segmented_exclusive_scan(const exec& where, const In& in, const ballot_segments& segments,
                                       ballot_operator op, const Out& out, std::int32_t order = BALLOT_FORWARD) {
  return checked(ballot_segmented_exclusive_scan(where, libballot::as_array(in), segments, nullptr, op,
                                                 libballot::as_array(out), order));
}
/// The number of set bytes up to and with each byte, or before each.
template <class Flags, class Ranks>
ballot_status inclusive_scan_flags(const exec& where, const Flags& flags, const Ranks& ranks,
                                   const ballot_scan_options& options = forward()) {
  return checked(ballot_inclusive_scan_flags(where, libballot::as_array(flags), libballot::as_array(ranks), &options));
}
template <class Flags, class Ranks>
ballot_status exclusive_scan_flags(const exec& where, const Flags& flags, const Ranks& ranks,
                                   const ballot_scan_options& options = forward()) {
  return checked(ballot_exclusive_scan_flags(where, libballot::as_array(flags), libballot::as_array(ranks), &options));
}
/// Rows of a matrix, of `length` items each. A pitch of 0 stands for the length.
inline ballot_batch batch_of(std::uint64_t rows, std::uint64_t length, std::uint64_t pitch = 0,
                             std::uint64_t out_pitch = 0) {
  return {rows, length, pitch, out_pitch};
}
/// Inclusive sums of each row.
template <class In, class Out>
ballot_status batched_scan(const exec& where, const In& in, const Out& out, const ballot_batch& batch,
                           std::int32_t directions = BALLOT_ROWS_FORWARD,
                           std::int32_t accumulator = BALLOT_ACCUMULATE_ITEMS) {
  return checked(
      ballot_batched_scan(where, libballot::as_array(in), libballot::as_array(out), batch, directions, accumulator));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
