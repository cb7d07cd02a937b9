// SPDX-License-Identifier: Apache-2.0
// Merges, searches in sorted arrays, and whether arrays are sorted. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>
#include <libballot/options.hpp>

namespace libballot {
inline namespace BALLOT_CALLS {

template <class First, class Second, class Out>
ballot_status merge(const exec& where, const First& first, const Second& second, const Out& out,
                    const ballot_order_options& options = order()) {
  return checked(
      ballot_merge(where, libballot::as_array(first), libballot::as_array(second), libballot::as_array(out), &options));
}
template <class First, class FirstValues, class Second, class SecondValues, class KeysOut, class ValuesOut>
ballot_status merge_pairs(const exec& where, const First& first, const FirstValues& first_values, const Second& second,
                          const SecondValues& second_values, const KeysOut& keys_out, const ValuesOut& values_out,
                          const ballot_order_options& options = order()) {
  return checked(ballot_merge_pairs(where, libballot::as_array(first), libballot::as_array(first_values),
                                    libballot::as_array(second), libballot::as_array(second_values),
                                    libballot::as_array(keys_out), libballot::as_array(values_out), &options));
}
template <class Sorted, class Keys, class Positions>
ballot_status lower_bound(const exec& where, const Sorted& sorted, const Keys& keys, const Positions& positions,
                          const ballot_order_options& options = order()) {
  return checked(ballot_lower_bound(where, libballot::as_array(sorted), libballot::as_array(keys),
                                    libballot::as_array(positions), &options));
}
template <class Sorted, class Keys, class Positions>
ballot_status upper_bound(const exec& where, const Sorted& sorted, const Keys& keys, const Positions& positions,
                          const ballot_order_options& options = order()) {
  return checked(ballot_upper_bound(where, libballot::as_array(sorted), libballot::as_array(keys),
                                    libballot::as_array(positions), &options));
}
template <class In>
ballot_status is_sorted(const exec& where, const In& in, const ballot_array& result,
                        const ballot_order_options& options = order()) {
  return checked(ballot_is_sorted(where, libballot::as_array(in), result, &options));
}
template <class In>
ballot_status is_sorted_until(const exec& where, const In& in, const ballot_array& result,
                              const ballot_order_options& options = order()) {
  return checked(ballot_is_sorted_until(where, libballot::as_array(in), result, &options));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
