// SPDX-License-Identifier: Apache-2.0
// Options of calls, with their defaults. Part of ballot.hpp.
#pragma once

#include <ballot.h>

#include <cstdint>

namespace libballot {

inline ballot_sort_options ascending() {
  return {sizeof(ballot_sort_options), BALLOT_ASCENDING, BALLOT_NANS_LAST, 0, 0, BALLOT_ZEROS_APART, 0};
}
inline ballot_sort_options descending() {
  return {sizeof(ballot_sort_options), BALLOT_DESCENDING, BALLOT_NANS_LAST, 0, 0, BALLOT_ZEROS_APART, 0};
}
/// The same order, in which -0 and +0 are equal and keep their order.
inline ballot_sort_options with_equal_zeros(ballot_sort_options options = ascending()) {
  options.zeros = BALLOT_ZEROS_EQUAL;
  return options;
}
inline ballot_order_options order(std::int32_t direction = BALLOT_ASCENDING, std::int32_t nans = BALLOT_NANS_LAST) {
  return {sizeof(ballot_order_options), direction, nans};
}
inline ballot_top_k_options largest() { return {sizeof(ballot_top_k_options), 0, BALLOT_NANS_LAST, 0, 0}; }
inline ballot_top_k_options smallest() { return {sizeof(ballot_top_k_options), 1, BALLOT_NANS_LAST, 0, 0}; }
inline ballot_scan_options forward() { return {sizeof(ballot_scan_options), nullptr, BALLOT_FORWARD, 0}; }
inline ballot_scan_options backward() { return {sizeof(ballot_scan_options), nullptr, BALLOT_BACKWARD, 0}; }

}  // namespace libballot
