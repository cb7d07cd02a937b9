// SPDX-License-Identifier: Apache-2.0
// Items from and to computed places. Part of ballot.hpp.
#pragma once

#include <libballot/arguments.hpp>

namespace libballot {
inline namespace BALLOT_CALLS {

template <class In, class Indices, class Out>
ballot_status gather(const exec& where, const In& in, const Indices& indices, const Out& out,
                     const ballot_array& outside = ballot_nothing()) {
  return checked(
      ballot_gather(where, libballot::as_array(in), libballot::as_array(indices), libballot::as_array(out), outside));
}
template <class In, class Indices, class Out>
ballot_status scatter(const exec& where, const In& in, const Indices& indices, const Out& out,
                      const ballot_array& outside = ballot_nothing()) {
  return checked(
      ballot_scatter(where, libballot::as_array(in), libballot::as_array(indices), libballot::as_array(out), outside));
}

}  // namespace BALLOT_CALLS
}  // namespace libballot
