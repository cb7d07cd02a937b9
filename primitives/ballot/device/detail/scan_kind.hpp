// Whether a scan's sum of an item has the item in it, and what comes before the first one.
#pragma once

#include <ballot/core/config.hpp>
#include <ballot/core/namespace.hpp>

namespace ballot::device {

// inclusive begins with the first item, exclusive with an item of the host's; the others begin with an item on the device.
enum class scan_kind { inclusive, exclusive, inclusive_device_initial, exclusive_device_initial };

BALLOT_HOST_DEVICE constexpr bool is_exclusive(scan_kind kind) {
  return kind == scan_kind::exclusive || kind == scan_kind::exclusive_device_initial;
}
BALLOT_HOST_DEVICE constexpr bool has_device_initial(scan_kind kind) {
  return kind == scan_kind::inclusive_device_initial || kind == scan_kind::exclusive_device_initial;
}

}  // namespace ballot::device
