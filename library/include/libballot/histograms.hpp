// SPDX-License-Identifier: Apache-2.0
// Histograms. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>

#include <cstdint>

namespace libballot {

/// Bins of one width from lower to below upper, as many as counts.
template <class In, class T, class Counts>
ballot_status histogram_even(const exec& where, const In& in, T lower, T upper, const Counts& counts,
                             const ballot_array& outside = ballot_nothing()) {
  const ballot_array items = as_array(in);
  // Values of another type would not be read as what they are: null is refused.
  const bool fits = items.type == code<T>();
  const ballot_bins bins = ballot_even_bins(fits ? &lower : nullptr, fits ? &upper : nullptr);
  return checked(ballot_histogram(where, items, bins, as_array(counts), outside));
}
/// 2^bits bins, by bits of the keys' order.
template <class In, class Counts>
ballot_status histogram_digit(const exec& where, const In& in, std::int32_t low_bit, std::int32_t bits,
                              const Counts& counts, const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_histogram(where, as_array(in), ballot_digit_bins(low_bit, bits), as_array(counts), outside));
}
/// Bins between levels on the device.
template <class In, class Levels, class Counts>
ballot_status histogram_levels(const exec& where, const In& in, const Levels& levels, const Counts& counts,
                               const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_histogram(where, as_array(in), ballot_level_bins(as_array(levels)), as_array(counts), outside));
}

}  // namespace libballot
