// SPDX-License-Identifier: Apache-2.0
// Scans, offsets, and reductions of whole arrays. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>
#include <libballot/options.hpp>

#include <cstdint>

namespace libballot {

template <class In, class Out>
ballot_status inclusive_scan(const exec& where, const In& in, ballot_operator op, const Out& out,
                             const ballot_scan_options& options = forward()) {
  return checked(ballot_inclusive_scan(where, as_array(in), op, as_array(out), &options));
}
/// From the operator's identity.
template <class In, class Out>
ballot_status exclusive_scan(const exec& where, const In& in, ballot_operator op, const Out& out,
                             const ballot_scan_options& options = forward()) {
  return checked(ballot_exclusive_scan(where, as_array(in), nullptr, op, as_array(out), &options));
}
/// From an initial value of the output's type; or from one at a device address.
template <class In, class T, class Out>
ballot_status inclusive_scan_from(const exec& where, const In& in, const T& initial, ballot_operator op, const Out& out,
                                  const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? &initial : nullptr;  // of another type: refused
  return checked(ballot_inclusive_scan_from(where, as_array(in), value, 0, op, to, &options));
}
template <class In, class T, class Out>
ballot_status exclusive_scan_from(const exec& where, const In& in, const T& initial, ballot_operator op, const Out& out,
                                  const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? &initial : nullptr;
  return checked(ballot_exclusive_scan_from(where, as_array(in), value, 0, op, to, &options));
}
template <class In, class T, class Out>
ballot_status inclusive_scan_from_device(const exec& where, const In& in, const T* initial, ballot_operator op,
                                         const Out& out, const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? initial : nullptr;
  return checked(ballot_inclusive_scan_from(where, as_array(in), value, 1, op, to, &options));
}
template <class In, class T, class Out>
ballot_status exclusive_scan_from_device(const exec& where, const In& in, const T* initial, ballot_operator op,
                                         const Out& out, const ballot_scan_options& options = forward()) {
  const ballot_array to = as_array(out);
  const void* const value = to.type == code<T>() ? initial : nullptr;
  return checked(ballot_exclusive_scan_from(where, as_array(in), value, 1, op, to, &options));
}
template <class In, class Out>
ballot_status counts_to_offsets(const exec& where, const In& counts, const Out& offsets) {
  return checked(ballot_counts_to_offsets(where, as_array(counts), as_array(offsets)));
}
template <class In, class Out>
ballot_status segmented_inclusive_scan(const exec& where, const In& in, const ballot_segments& segments,
                                       ballot_operator op, const Out& out, std::int32_t order = BALLOT_FORWARD) {
  return checked(ballot_segmented_inclusive_scan(where, as_array(in), segments, op, as_array(out), order));
}
template <class In, class Out>
ballot_status segmented_exclusive_scan(const exec& where, const In& in, const ballot_segments& segments,
                                       ballot_operator op, const Out& out, std::int32_t order = BALLOT_FORWARD) {
  return checked(ballot_segmented_exclusive_scan(where, as_array(in), segments, nullptr, op, as_array(out), order));
}
template <class In, class Result>
ballot_status reduce(const exec& where, const In& in, ballot_operator op, Result* result) {
  return checked(ballot_reduce(where, as_array(in), nullptr, op, value(result)));
}

}  // namespace libballot
