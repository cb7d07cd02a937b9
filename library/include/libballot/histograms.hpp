// SPDX-License-Identifier: Apache-2.0
// Histograms. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>

#include <cstdint>

namespace libballot {
inline namespace BALLOT_CALLS {

/// As many bins as counts, of one width, from lower (inclusive) to upper (exclusive).
template <class In, class T, class Counts>
ballot_status histogram_even(const exec& where, const In& in, T lower, T upper, const Counts& counts,
                             const ballot_array& outside = ballot_nothing()) {
  const ballot_array items = libballot::as_array(in);
  // The library would read values of another type wrongly. So they are passed as null, which it
  // refuses.
  const bool fits = items.type == code<T>();
  const ballot_bins bins = ballot_even_bins(fits ? &lower : nullptr, fits ? &upper : nullptr);
  return checked(ballot_histogram(where, items, bins, libballot::as_array(counts), outside));
}
/// 2^bits bins, by `bits` bits of the keys' ordered bits.
template <class In, class Counts>
ballot_status histogram_digit(const exec& where, const In& in, std::int32_t low_bit, std::int32_t bits,
                              const Counts& counts, const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_histogram(where, libballot::as_array(in), ballot_digit_bins(low_bit, bits),
                                  libballot::as_array(counts), outside));
}
/// Bins between levels on the device.
template <class In, class Levels, class Counts>
ballot_status histogram_levels(const exec& where, const In& in, const Levels& levels, const Counts& counts,
                               const ballot_array& outside = ballot_nothing()) {
  return checked(ballot_histogram(where, libballot::as_array(in), ballot_level_bins(libballot::as_array(levels)),
                                  libballot::as_array(counts), outside));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
