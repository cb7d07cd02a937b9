// SPDX-License-Identifier: Apache-2.0
// Inclusive or exclusive, and the location of the initial value.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

namespace ballot::device {

// inclusive has no initial value; inclusive_initial and exclusive have one from the host; the
// others have one on the device.
enum class scan_kind { inclusive, exclusive, inclusive_initial, inclusive_device_initial, exclusive_device_initial };

BALLOT_HOST_DEVICE constexpr bool is_exclusive(scan_kind kind) {
  return kind == scan_kind::exclusive || kind == scan_kind::exclusive_device_initial;
}
BALLOT_HOST_DEVICE constexpr bool has_device_initial(scan_kind kind) {
  return kind == scan_kind::inclusive_device_initial || kind == scan_kind::exclusive_device_initial;
}

BALLOT_HOST_DEVICE constexpr bool has_initial(scan_kind kind) { return kind != scan_kind::inclusive; }

}  // namespace ballot::device
